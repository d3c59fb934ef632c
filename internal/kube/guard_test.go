package kube_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/klog/v2"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// What a server does that is not trusted is done here by a real one, over the network: client-go and net/http have a part in it.

// hostileToken is what the provider shows to a server. It is as long as tokens are.
const hostileToken = "eyJhbGciOiJub25lIn0.aG9zdGlsZQ.c2lnbmF0dXJl"

// mapsOf are the ConfigMaps of a server that is asked with a token.
func mapsOf(t *testing.T, config *rest.Config) *kube.Group {
	t.Helper()
	scheme := kruntime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	metav1.AddToGroupVersion(scheme, corev1.SchemeGroupVersion)
	client, err := kube.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	group, err := client.Group(corev1.SchemeGroupVersion, serializer.NewCodecFactory(scheme).WithoutConversion())
	if err != nil {
		t.Fatal(err)
	}
	return group
}

func serve(t *testing.T, answer http.HandlerFunc) *rest.Config {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return &rest.Config{Host: server.URL, QPS: -1, BearerToken: hostileToken}
}

// ask makes one request of a kind.
func ask(ctx context.Context, g *kube.Group, verb string) error {
	switch verb {
	case "list":
		return g.List(ctx, get("list"), metav1.ListOptions{}, func() {}, func(ctx context.Context, request *rest.Request) (string, error) {
			list, err := kube.Answer[*corev1.ConfigMapList](request.Do(ctx))
			if err != nil {
				return "", err
			}
			return list.Continue, nil
		})
	case "stream":
		return kube.Read(ctx, get("get"), func(ctx context.Context) error {
			body, err := g.Request(get("get")).Stream(ctx)
			if err != nil {
				return err
			}
			defer func() { _ = body.Close() }()
			_, err = io.Copy(io.Discard, body)
			return err
		})
	case "watch":
		// A watch goes on after an error: it ends when it begins anew, and the error is known by then.
		wait := time.Minute
		if until, ok := ctx.Deadline(); ok {
			wait = time.Until(until)
		}
		ctx, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		begun := 0
		watcher := kube.NewWatcher(g, kube.Call{Resource: "configmaps", Namespace: "n"}, func(context.Context) ([]*corev1.ConfigMap, string, error) {
			if begun++; begun == 2 {
				cancel()
			}
			return nil, "1", nil
		})
		return watcher.Await(ctx, "n", "a", func(object *corev1.ConfigMap) (bool, error) { return object != nil, nil })
	}
	return send(ctx, verb, g)
}

var askedFor = []string{"get", "list", "stream", "watch", "create", "update", "patch", "delete"}

// F38: no redirect is followed, whatever the request, the status and the target: no other server gets a request at all. The message names
// where it led to, without what may be secret there.
func TestRedirectIsRefused(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		elsewhere.Add(1)
		say(w, http.StatusOK, configMap)
	}))
	t.Cleanup(other.Close)
	for _, status := range []int{300, 301, 302, 303, 305, 307, 308} {
		for where, location := range map[string]string{
			"another host": other.URL + "/login?token=" + hostileToken, "another path": "/elsewhere", "nowhere": "",
		} {
			t.Run(fmt.Sprint(status, " ", where), func(t *testing.T) {
				t.Parallel()
				for _, verb := range askedFor {
					var asked atomic.Int64
					group := mapsOf(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
						asked.Add(1)
						if location != "" {
							w.Header().Set("Location", location)
						}
						say(w, status, configMap)
					}))
					err := ask(t.Context(), group, verb)
					redirect, ok := errors.AsType[*kube.RedirectError](err)
					if !ok || redirect.Status != status || !strings.Contains(err.Error(), "is this the API server?") {
						t.Fatalf("%s: %v", verb, err)
					}
					if want := strings.TrimSuffix(location, "?token="+hostileToken); !strings.HasSuffix(redirect.To, want) {
						t.Errorf("%s: it leads to %q, want %q", verb, redirect.To, want)
					}
					if strings.Contains(err.Error(), hostileToken) {
						t.Errorf("%s: the message has the token: %v", verb, err)
					}
					if n := asked.Load(); n != 1 && verb != "watch" {
						t.Errorf("%s: the server was asked %d times", verb, n)
					}
				}
				if n := elsewhere.Load(); n != 0 {
					t.Errorf("the other host got %d requests", n)
				}
			})
		}
	}
}

// endless writes without an end, as long as it is read.
func endless(begin, again string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, begin)
		chunk := []byte(strings.Repeat(again, 1+(1<<16)/len(again)))
		for {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}
}

// F39: an answer without an end is read up to a bound, once, and the error names the bound.
func TestEndlessAnswerIsBounded(t *testing.T) { //nolint:paralleltest // memory is measured
	const begin = `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"`
	for _, verb := range askedFor { //nolint:paralleltest // memory is measured
		for kind, status := range map[string]int{"success": http.StatusOK, "refusal": http.StatusForbidden} {
			bound := "16 MiB"
			switch {
			case kind == "refusal":
				bound = "1 MiB"
			case verb == "list":
				bound = "64 MiB"
			}
			t.Run(verb+" "+kind, func(t *testing.T) {
				var asked atomic.Int64
				body := endless(begin, "x")
				if verb == "watch" && kind == "success" {
					body = endless(`{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"`, "x")
				}
				group := mapsOf(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
					asked.Add(1)
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(status)
					body(w, r)
				}))
				var err error
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				most := peak(func() { err = ask(ctx, group, verb) })
				if err == nil || !strings.Contains(err.Error(), "the answer has more than "+bound) {
					t.Errorf("the error is %v", err)
				}
				if asked.Load() != 1 && verb != "watch" {
					t.Errorf("the server was asked %d times", asked.Load())
				}
				if most > 400<<20 {
					t.Errorf("%d MiB were in use", most>>20)
				}
			})
		}
	}
}

// peak returns how much memory was in use at most, at some moments of a call.
func peak(call func()) (most uint64) {
	runtime.GC()
	done := make(chan struct{})
	measured := make(chan uint64)
	go func() {
		var most uint64
		for {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc)
			select {
			case <-done:
				measured <- most
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	call()
	close(done)
	return <-measured
}

// A list whose pages never end, ends.
func TestEndlessListIsBounded(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	group := mapsOf(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
		say(w, http.StatusOK, fmt.Sprintf(`{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"continue":"%d"},"items":[]}`, asked.Add(1)))
	}))
	if err := ask(t.Context(), group, "list"); err == nil || !strings.Contains(err.Error(), "the list has more than 1000 pages") {
		t.Errorf("after %d pages: %v", asked.Load(), err)
	}
}

// A web page is reported as a web page, whatever its type says; where a gateway sends one beside a status, the status counts.
func TestWebPageIsNoAnswer(t *testing.T) {
	t.Parallel()
	const page = "\n<!DOCTYPE html>\n<html><body>\x1b[31mPlease log in</body></html>"
	for name, test := range map[string]struct {
		status           int
		contentType, say string
		reason           kube.Reason
	}{
		"as HTML":           {200, "text/html; charset=utf-8", "the server answered with a web page, it is not the API server", kube.Unreachable},
		"as XHTML":          {200, "application/xhtml+xml", "the server answered with a web page, it is not the API server", kube.Unreachable},
		"as JSON":           {200, "application/json", "the server answered with a web page, it is not the API server", kube.Unreachable},
		"as text":           {200, "text/plain", `with content of the type "text/plain", it is not the API server`, kube.Unreachable},
		"as something else": {200, "x", `with content of the type "x", it is not the API server`, kube.Unreachable},
		"beside 404":        {404, "text/html", "the server answered with a web page, it is not the API server", kube.Unreachable},
		"beside 403":        {403, "text/html", "a web page instead of an answer of the API", kube.Forbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			group := mapsOf(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.contentType)
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, page)
			}))
			for _, verb := range []string{"get", "list"} {
				err := ask(t.Context(), group, verb)
				if err == nil || !strings.Contains(err.Error(), test.say) || strings.Contains(err.Error(), "serializer") ||
					strings.Contains(err.Error(), "log in") || reasonOf(err) != test.reason {
					t.Errorf("%s: %v", verb, err)
				}
			}
		})
	}
}

func reasonOf(err error) kube.Reason {
	if failed, ok := errors.AsType[*kube.Error](err); ok {
		return failed.Reason
	}
	return ""
}

// What a server says is shown in one line, without what moves a cursor, without the credentials of the request, and at most 1 kB of it.
func TestServerTextIsFitToRead(t *testing.T) {
	t.Parallel()
	basic := func(config *rest.Config) {
		config.BearerToken, config.Username, config.Password = "", "hap", "short-password"
	}
	file := func(config *rest.Config) {
		path := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(path, []byte(hostileToken), 0o600); err != nil {
			t.Fatal(err)
		}
		config.BearerToken, config.BearerTokenFile = "", path
	}
	program := func(config *rest.Config) {
		config.BearerToken, config.ExecProvider = "", printing(`echo '{"kind":"ExecCredential","apiVersion":"`+kube.DefaultExecAPIVersion+
			`","status":{"token":"`+hostileToken+`"}}'`)
	}
	for name, credentials := range map[string]func(*rest.Config){
		"token": func(*rest.Config) {}, "password": basic, "token file": file, "program": program,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := serve(t, func(w http.ResponseWriter, r *http.Request) {
				_, password, _ := r.BasicAuth()
				text := "bad \\u001b[2J\\u0007\\r\\nError: \\u202e" + r.Header.Get("Authorization") + " " + password + strings.Repeat(" and so on", 100_000)
				say(w, http.StatusForbidden, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":403,"reason":"Forbidden","message":"`+text[:900_000]+`"}`)
			})
			credentials(config)
			group := mapsOf(t, config)
			for _, verb := range []string{"get", "patch", "list", "stream"} {
				err := ask(t.Context(), group, verb)
				if reasonOf(err) != kube.Forbidden {
					t.Fatalf("%s: %v", verb, err)
				}
				text := err.Error()
				if strings.Contains(text, hostileToken) || strings.Contains(text, "short-password") || strings.ContainsAny(text, "\x1b\a\r\n\u202e") {
					t.Errorf("%s: %q", verb, text)
				}
				if len(text) > 1200 || !strings.Contains(text, "bad ") || !strings.HasSuffix(text, "… (cut)") {
					t.Errorf("%s: %d bytes: %q", verb, len(text), text)
				}
			}
		})
	}
}

// printing is a program that runs a line of shell.
func printing(line string, env ...clientcmdapi.ExecEnvVar) *clientcmdapi.ExecConfig {
	return &clientcmdapi.ExecConfig{
		APIVersion: kube.DefaultExecAPIVersion, Command: "/bin/sh", Args: []string{"-c", line}, Env: env,
		InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
	}
}

// A token that comes back within an object is masked before anything is decoded: it reaches neither a message nor a state.
func TestEchoedTokenIsMasked(t *testing.T) {
	t.Parallel()
	group := mapsOf(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		w.Header().Set("Content-Type", "application/json")
		for _, part := range []string{`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"x":"`, token[:9], token[9:], token, `"}}`} {
			_, _ = io.WriteString(w, part)
			_ = http.NewResponseController(w).Flush()
		}
	}))
	var got *corev1.ConfigMap
	err := kube.Read(t.Context(), get("get"), func(ctx context.Context) (err error) {
		got, err = kube.Answer[*corev1.ConfigMap](group.Request(get("get")).Do(ctx))
		return err
	})
	if want := strings.Repeat("*", 2*len(hostileToken)); err != nil || got.Data["x"] != want {
		t.Errorf("%v, %v", got, err)
	}
}

// What a program writes to stderr goes into the error where it fails, fit to be shown and without credentials, and nowhere else.
func TestProgramSaysWhyItFails(t *testing.T) { //nolint:paralleltest // the stderr of the process is replaced
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	was := os.Stderr
	os.Stderr = to
	defer func() { os.Stderr = was }()
	config := serve(t, func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, configMap) })
	config.BearerToken = ""
	config.ExecProvider = printing(`printf 'chatter %0.s' $(seq 2000) >&2; printf '\n\033[31mThe session of %s has ended. token=Xyz-abc-123 '`+
		`"$PASS"' `+hostileToken+`\r\n' me >&2; exit 7`, clientcmdapi.ExecEnvVar{Name: "PASS", Value: "p4ssw0rd-of-the-environment"})
	group := mapsOf(t, config)
	err = ask(t.Context(), group, "get")
	if err == nil || !strings.Contains(err.Error(), "failed with exit code 7. It wrote: ") || !strings.Contains(err.Error(), "The session of me has ended") {
		t.Fatalf("the error is %v", err)
	}
	for _, secret := range []string{hostileToken, "Xyz-abc-123", "p4ssw0rd", "\x1b", "\r", "\n"} {
		if strings.Contains(err.Error(), secret) {
			t.Errorf("the error has %q: %q", secret, err)
		}
	}
	if len(err.Error()) > 1300 {
		t.Errorf("the error has %d bytes", len(err.Error()))
	}
	_ = to.Close()
	if text, _ := io.ReadAll(from); len(text) > 0 {
		t.Errorf("on stderr is %q", text)
	}
}

// A connection that is made while client-go logs, for another connection, does not race with it: run with the race detector.
func TestProgramBesideALog(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 20 {
			klog.InfoS("A line of a test")
		}
	}()
	config := serve(t, func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, configMap) })
	config.BearerToken = ""
	config.ExecProvider = printing("exit 0")
	for range 20 {
		if _, err := kube.NewClient(config); err != nil {
			t.Error(err)
		}
	}
	<-done
}

// F38: the oidc plugin of a kubeconfig sends its refresh token nowhere, neither to the issuer nor to whatever that redirects to: a token
// that has ended is an error.
func TestRefreshTokenIsSentNowhere(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}))
	t.Cleanup(issuer.Close)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, configMap) }))
	t.Cleanup(server.Close)
	kubeconfig := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"c",
"user":"u","namespace":"n"}}],"clusters":[{"name":"c","cluster":{"server":%q,"insecure-skip-tls-verify":true}}],"users":[{"name":"u","user":{
"auth-provider":{"name":"oidc","config":{"idp-issuer-url":%q,"client-id":"x","client-secret":"not-for-others","refresh-token":"nor-this",
"id-token":"e30.eyJleHAiOjF9.eA"}}}}]}`, server.URL, issuer.URL)
	connection, err := kube.Resolve(kube.Settings{ConfigRaw: &kubeconfig}, "test")
	if err != nil {
		t.Fatal(err)
	}
	err = ask(t.Context(), mapsOf(t, connection.Config), "get")
	if err == nil || !strings.Contains(err.Error(), "No valid id-token") {
		t.Errorf("the error is %v", err)
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the issuer got %d requests", n)
	}
}
