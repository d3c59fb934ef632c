package kube_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// What becomes of a request is played through on a clock that jumps, against a server that answers by a script.

// script answers the n-th request, counted from 1, or fails as the connection may.
type script func(nth int, w http.ResponseWriter, r *http.Request) error

// server answers by a script and notes what was sent.
type server struct {
	script script
	mu     sync.Mutex
	sent   []*http.Request
}

// RoundTrip answers one request.
func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.sent = append(s.sent, r)
	nth := len(s.sent)
	s.mu.Unlock()
	w := httptest.NewRecorder()
	if err := s.script(nth, w, r); err != nil {
		return nil, err
	}
	response := w.Result()
	response.Request = r
	return response, nil
}

// maps are the ConfigMaps of a server.
func maps(t *testing.T, s script) (*kube.Group, *server) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	played := &server{script: s}
	client, err := kube.NewClient(&rest.Config{Host: "http://kube.invalid", QPS: -1, Transport: played})
	if err != nil {
		t.Fatal(err)
	}
	group, err := client.Group(corev1.SchemeGroupVersion, serializer.NewCodecFactory(scheme).WithoutConversion())
	if err != nil {
		t.Fatal(err)
	}
	return group, played
}

func get(verb string) kube.Call {
	return kube.Call{Verb: verb, Resource: "configmaps", Namespace: "n", Name: "a"}
}

// say answers with a code and a body; header holds names and values by turns.
func say(w http.ResponseWriter, code int, body string, header ...string) {
	w.Header().Set("Content-Type", "text/plain")
	if strings.HasPrefix(body, "{") {
		w.Header().Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		w.Header().Set(header[i], header[i+1])
	}
	w.WriteHeader(code)
	_, _ = io.WriteString(w, body)
}

// answers is a script without a broken connection.
func answers(answer func(nth int, w http.ResponseWriter, r *http.Request)) script {
	return func(nth int, w http.ResponseWriter, r *http.Request) error {
		answer(nth, w, r)
		return nil
	}
}

func always(code int, body string) script {
	return answers(func(_ int, w http.ResponseWriter, _ *http.Request) { say(w, code, body) })
}

const configMap = `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}`

// status is an answer of the API itself.
func status(code int, reason metav1.StatusReason, details string) string {
	return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":%d,"reason":%q,"message":"no"%s}`, code, reason, details)
}

const aboutIt = `,"details":{"kind":"configmaps","name":"a"}`

// said is an answer of the API itself with this text.
func said(code int, reason metav1.StatusReason, message string) string {
	return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","code":%d,"reason":%q,"message":%q}`, code, reason, message)
}

// The same status means different things: the text of the answer says which.
func TestReasons_byText(t *testing.T) {
	t.Parallel()
	const object = `configmaps "a" is forbidden: `
	for text, want := range map[string]struct {
		code        int
		read, write kube.Reason
		writes      int // how often a write is sent
	}{
		object + `User "u" cannot patch resource "configmaps" in API group "" in the namespace "n"`:          {403, kube.Forbidden, kube.Forbidden, 1},
		object + `exceeded quota: q, requested: count/configmaps=1, used: 1, limited: 1`:                     {403, kube.OverQuota, kube.OverQuota, 1},
		object + `quota limits exceeded. Unable to allocate further cpu`:                                     {403, kube.OverQuota, kube.OverQuota, 1},
		object + `[spec.x: Invalid value]`:                                                                   {403, kube.Forbidden, kube.Denied, 1},
		object + `unable to create new content in namespace n because it is being terminated`:                {403, kube.Forbidden, kube.Denied, 1},
		`admission webhook "w" denied the request: you are not allowed to`:                                   {403, kube.Forbidden, kube.Denied, 1},
		`admission webhook "w" denied the request: too late`:                                                 {400, kube.Rejected, kube.Denied, 1},
		object + `CredentialsBinding cannot reference a Secret you are not allowed to read`:                  {403, kube.Forbidden, kube.Forbidden, 1},
		object + `you are not allowed to both confirm the deletion and send it`:                              {403, kube.Forbidden, kube.Denied, 1},
		object + `client rate limiter Wait returned an error: rate: Wait(n=1) would exceed context deadline`: {403, kube.Forbidden, kube.Throttled, 1},
		`Forbidden`:         {403, kube.Forbidden, kube.Forbidden, 1},
		`exceeded quota: q`: {422, kube.Rejected, kube.Rejected, 1},
		`Internal error occurred: could not find referenced seed "s"`:                            {500, kube.Failed, kube.Failed, 2},
		`Internal error occurred: failed calling webhook "w": failed to call webhook: timed out`: {500, kube.WebhookDown, kube.WebhookDown, kube.MaxTries},
		`new shoot can only specify one of the two`:                                              {500, kube.Failed, kube.Failed, 2},
		`rpc error: code = Unavailable`:                                                          {500, kube.Unreachable, kube.UnknownOutcome, 1},
		`Internal error occurred: etcdserver: request timed out`:                                 {500, kube.Unreachable, kube.UnknownOutcome, 1},
		`Internal error occurred: context deadline exceeded`:                                     {500, kube.Unreachable, kube.UnknownOutcome, 1},
	} {
		code, reason := want.code, metav1.StatusReasonForbidden
		switch code {
		case 400, 422:
			reason = metav1.StatusReasonInvalid
		case 500:
			reason = metav1.StatusReasonInternalError
			if !strings.HasPrefix(text, "Internal error") {
				reason = metav1.StatusReasonUnknown
			}
		}
		for verb, want := range map[string]struct {
			reason kube.Reason
			sent   int
		}{"get": {want.read, map[bool]int{true: kube.MaxTries, false: 1}[want.code == 500]}, "patch": {want.write, want.writes}} {
			t.Run(fmt.Sprintf("%s, %s", text, verb), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					g, s := maps(t, always(code, said(code, reason, text)))
					if got := reasonOf(send(t.Context(), verb, g)); got != want.reason || len(s.sent) != want.sent {
						t.Errorf("%q after %d requests, want %q after %d", got, len(s.sent), want.reason, want.sent)
					}
				})
			})
		}
	}
}

// send makes the one request of a test: a read or a write of one object.
func send(ctx context.Context, verb string, g *kube.Group) error {
	do := kube.Write
	if verb == "get" {
		do = kube.Read
	}
	return do(ctx, get(verb), func(ctx context.Context) error {
		_, err := kube.Answer[*corev1.ConfigMap](g.Request(get(verb)).Do(ctx))
		return err
	})
}

func TestReasons(t *testing.T) {
	t.Parallel()
	const none = kube.Reason("")
	foreign := `,"details":{"causes":[{"field":"metadata.uid"}]}`
	for name, tt := range map[string]struct {
		script      script
		read, write kube.Reason
		reads       int // how often a read is sent; a write is sent once, unless it was not accepted
	}{
		"answered":         {always(200, configMap), none, none, 1},
		"403":              {always(403, status(403, metav1.StatusReasonForbidden, "")), kube.Forbidden, kube.Forbidden, 1},
		"401":              {always(401, "who?"), kube.Unauthorized, kube.Unauthorized, 2},
		"404":              {always(404, status(404, metav1.StatusReasonNotFound, aboutIt)), kube.NotFound, kube.NotFound, 1},
		"404 of a proxy":   {always(404, "<html>"), kube.NoAPI, kube.NoAPI, 1},
		"400":              {always(400, "no"), kube.Rejected, kube.Rejected, 1},
		"409":              {always(409, status(409, metav1.StatusReasonConflict, aboutIt)), kube.Rejected, kube.Conflict, 1},
		"422, another uid": {always(422, status(422, metav1.StatusReasonInvalid, foreign)), kube.Rejected, kube.Conflict, 1},
		"410":              {always(410, status(410, metav1.StatusReasonExpired, "")), kube.Expired, kube.UnknownOutcome, 1},
		"429":              {always(429, "busy"), kube.Unreachable, kube.Throttled, kube.MaxTries},
		"500":              {always(500, "oops"), kube.Unreachable, kube.UnknownOutcome, kube.MaxTries},
		"503":              {always(503, "starting"), kube.Unreachable, kube.UnknownOutcome, kube.MaxTries},
		"no connection": {func(int, http.ResponseWriter, *http.Request) error { return syscall.ECONNREFUSED },
			kube.Unreachable, kube.UnknownOutcome, kube.MaxTries},
		"no connection, by TCP": {func(int, http.ResponseWriter, *http.Request) error {
			return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		}, kube.Unreachable, kube.NotSent, kube.MaxTries},
		"no trust": {func(int, http.ResponseWriter, *http.Request) error {
			return &tls.CertificateVerificationError{Err: errors.New("unknown authority")}
		}, kube.Unreachable, kube.NotSent, 1},
		"another object": {always(200, `{"kind":"Secret","apiVersion":"v1"}`), kube.Unreachable, kube.UnknownOutcome, 1},
	} {
		for verb, want := range map[string]kube.Reason{"get": tt.read, "patch": tt.write} {
			t.Run(name+" "+verb, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					g, s := maps(t, tt.script)
					err := send(t.Context(), verb, g)
					sent := tt.reads
					if verb == "patch" {
						sent = map[bool]int{true: 2, false: 1}[want == kube.Unauthorized]
						if want == kube.NotSent { // nothing is judged by it: it is sent as often as a read
							sent = tt.reads
						}
					}
					if len(s.sent) != sent {
						t.Errorf("sent %d times, want %d", len(s.sent), sent)
					}
					if want == none {
						if err != nil {
							t.Error(err)
						}
						return
					}
					failed, ok := errors.AsType[*kube.Error](err)
					if !ok || failed.Reason != want || failed.Call != get(verb) || failed.Err == nil {
						t.Fatalf("got %T: %v, want %q", err, err, want)
					}
					if verb == "get" && failed.Tries != sent {
						t.Errorf("names %d tries", failed.Tries)
					}
					for _, part := range []string{string(want), verb + " configmaps a", `"n"`} {
						if !strings.Contains(err.Error(), part) {
							t.Errorf("%q does not say %q", err, part)
						}
					}
				})
			})
		}
	}
}

// The server's own wait counts, for a read between the tries and for a write before its caller judges anew.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	busy := answers(func(nth int, w http.ResponseWriter, _ *http.Request) {
		if nth == 1 {
			say(w, http.StatusTooManyRequests, "busy", "Retry-After", "30")
			return
		}
		say(w, http.StatusOK, configMap)
	})
	for verb, wantErr := range map[string]bool{"get": false, "patch": true} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g, _ := maps(t, busy)
				start := time.Now()
				if err := send(t.Context(), verb, g); (err != nil) != wantErr {
					t.Errorf("got %v", err)
				}
				if waited := time.Since(start); waited != 30*time.Second {
					t.Errorf("asked to wait 30 s, waited %s", waited)
				}
			})
		})
	}
}

// A server that asks for hours, and never answers, keeps a caller without a deadline for some minutes. The last try is waited for too:
// the caller may ask for something else next.
func TestRetryAfterHasABound(t *testing.T) {
	t.Parallel()
	for verb, most := range map[string]time.Duration{"get": kube.MaxTries * time.Minute, "patch": time.Minute} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g, _ := maps(t, answers(func(_ int, w http.ResponseWriter, _ *http.Request) {
					say(w, http.StatusTooManyRequests, "busy", "Retry-After", "3600")
				}))
				start := time.Now()
				if err := send(t.Context(), verb, g); err == nil {
					t.Error("no error")
				}
				if waited := time.Since(start); waited != most {
					t.Errorf("waited %s, want %s", waited, most)
				}
			})
		})
	}
}

// One deadline holds for all tries, and the error says what came back before it.
func TestReadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, s := maps(t, func(nth int, w http.ResponseWriter, r *http.Request) error {
			if nth < 3 {
				say(w, http.StatusServiceUnavailable, "starting")
				return nil
			}
			<-r.Context().Done()
			return r.Context().Err()
		})
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		start := time.Now()
		err := send(ctx, "get", g)
		failed, ok := errors.AsType[*kube.Error](err)
		if !ok || failed.Reason != kube.Unreachable || failed.Tries != 3 || len(s.sent) != 3 || time.Since(start) != 4*time.Second {
			t.Errorf("after %s and %d requests: %v", time.Since(start), len(s.sent), err)
		}
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "currently unable to handle") {
			t.Errorf("%q does not say both: that the time was over, and the server's last answer", err)
		}
	})
}

func TestWriteIsNotSentWhenItsContextIsOver(t *testing.T) {
	t.Parallel()
	g, s := maps(t, always(http.StatusOK, configMap))
	interrupted := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(interrupted)
	if err := send(ctx, "patch", g); !errors.Is(err, interrupted) || len(s.sent) > 0 {
		t.Errorf("sent %d times, got %v", len(s.sent), err)
	}
}

// The body of a custom resource goes out as JSON, whatever the answers come as.
func TestRequest(t *testing.T) {
	t.Parallel()
	g, s := maps(t, always(http.StatusOK, configMap))
	body := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	all := kube.Call{Verb: "list", Resource: "configmaps", Namespace: "n"}
	create := kube.Call{Verb: "create", Resource: "configmaps", Namespace: "n"}
	everywhere := kube.Call{Verb: "list", Resource: "configmaps"}
	for want, request := range map[string]*rest.Request{
		"GET /api/v1/namespaces/n/configmaps":      g.Request(all),
		"GET /api/v1/configmaps":                   g.Request(everywhere),
		"GET /api/v1/namespaces/n/configmaps/a":    g.Request(get("get")),
		"POST /api/v1/namespaces/n/configmaps":     g.Request(create).Body(body),
		"PUT /api/v1/namespaces/n/configmaps/a":    g.Request(get("update")).Body(body),
		"PATCH /api/v1/namespaces/n/configmaps/a":  g.Request(get("patch")),
		"DELETE /api/v1/namespaces/n/configmaps/a": g.Request(get("delete")),
	} {
		s.sent = nil
		if err := request.Do(t.Context()).Error(); err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		sent := s.sent[0]
		if got := sent.Method + " " + sent.URL.Path; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if kind := sent.Header.Get("Content-Type"); sent.Body != nil && kind != runtime.ContentTypeJSON {
			t.Errorf("%s: the body is %s", want, kind)
		}
	}
	custom := schema.GroupVersion{Group: "clusters.openmcp.cloud", Version: "v1alpha1"}
	client, err := kube.NewClient(&rest.Config{Host: "http://kube.invalid", Transport: s})
	if err != nil {
		t.Fatal(err)
	}
	group, err := client.Group(custom, serializer.NewCodecFactory(runtime.NewScheme()).WithoutConversion())
	if err != nil {
		t.Fatal(err)
	}
	path := group.Request(kube.Call{Verb: "list", Resource: "clusters"}).URL().Path
	if path != "/apis/clusters.openmcp.cloud/v1alpha1/clusters" {
		t.Errorf("the path is %s", path)
	}
}

// list reads the names of all ConfigMaps, and how often the list was begun.
func list(t *testing.T, g *kube.Group) (names []string, begun int, err error) {
	t.Helper()
	call := kube.Call{Verb: "list", Resource: "configmaps", Namespace: "n"}
	err = g.List(t.Context(), call, metav1.ListOptions{LabelSelector: "x=y"}, func() { names, begun = nil, begun+1 },
		func(ctx context.Context, request *rest.Request) (string, error) {
			page, err := kube.Answer[*corev1.ConfigMapList](request.Do(ctx))
			if err != nil {
				return "", err
			}
			for i := range page.Items {
				names = append(names, page.Items[i].Name)
			}
			return page.Continue, nil
		})
	return names, begun, err
}

// page is one page of a list; next is the token of the next.
func page(next string, names ...string) string {
	items := make([]string, len(names))
	for i, name := range names {
		items[i] = fmt.Sprintf(`{"metadata":{"name":%q}}`, name)
	}
	return fmt.Sprintf(`{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"continue":%q},"items":[%s]}`, next, strings.Join(items, ","))
}

// threePages is a server of three pages, which forgets its last token so many times.
func threePages(forgets int) script {
	return answers(func(_ int, w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		switch token := query.Get("continue"); {
		case query.Get("limit") != "500" || query.Get("labelSelector") != "x=y":
			say(w, http.StatusBadRequest, "the options are lost: "+r.URL.RawQuery)
		case token == "":
			say(w, http.StatusOK, page("2", "a"))
		case token == "2":
			say(w, http.StatusOK, page("3", "b"))
		case forgets > 0:
			forgets--
			say(w, http.StatusGone, status(410, metav1.StatusReasonExpired, ""))
		default:
			say(w, http.StatusOK, page("", "c"))
		}
	})
}

// wantWhole wants the list of three pages, begun so many times.
func wantWhole(t *testing.T, g *kube.Group, want int) {
	t.Helper()
	names, begun, err := list(t, g)
	if err != nil || !slices.Equal(names, []string{"a", "b", "c"}) || begun != want {
		t.Errorf("got %q, begun %d times: %v", names, begun, err)
	}
}

func TestListIsBegunAnewWhenItExpires(t *testing.T) {
	t.Parallel()
	for forgets := range kube.MaxRestarts + 1 {
		t.Run(fmt.Sprintf("%d times", forgets), func(t *testing.T) {
			t.Parallel()
			g, _ := maps(t, threePages(forgets))
			wantWhole(t, g, 1+forgets)
		})
	}
	t.Run("for ever", func(t *testing.T) {
		t.Parallel()
		g, _ := maps(t, threePages(100))
		_, begun, err := list(t, g)
		failed, ok := errors.AsType[*kube.Error](err)
		if !ok || failed.Reason != kube.Expired || failed.Tries != begun || begun != 1+kube.MaxRestarts {
			t.Errorf("begun %d times: %v", begun, err)
		}
	})
}

func TestListEndsWhereAPageRepeats(t *testing.T) {
	t.Parallel()
	g, s := maps(t, always(http.StatusOK, page("2", "a")))
	if _, _, err := list(t, g); err == nil || !strings.Contains(err.Error(), "repeats") || len(s.sent) != 2 {
		t.Errorf("after %d requests: %v", len(s.sent), err)
	}
}

func TestListAsksForAPageOnceMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		whole := threePages(0)
		g, s := maps(t, func(nth int, w http.ResponseWriter, r *http.Request) error {
			if nth == 2 {
				return syscall.ECONNRESET
			}
			return whole(nth, w, r)
		})
		wantWhole(t, g, 1)
		if len(s.sent) != 4 {
			t.Errorf("%d requests", len(s.sent))
		}
	})
}

// A dry run that gets the same error of the server twice is refused by it; one whose text changes is tried on.
func TestRead_dryRunRefusedBy500(t *testing.T) {
	t.Parallel()
	for changes, tries := range map[bool]int{false: 2, true: kube.MaxTries} {
		t.Run(fmt.Sprintf("text changes: %t", changes), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g, s := maps(t, answers(func(nth int, w http.ResponseWriter, _ *http.Request) {
					text := "Internal error occurred: no profile"
					if changes {
						text = fmt.Sprint(text, nth)
					}
					say(w, http.StatusInternalServerError, said(500, metav1.StatusReasonInternalError, text))
				}))
				err := kube.Read(t.Context(), get("patch"), func(ctx context.Context) error { return g.Request(get("patch")).Do(ctx).Error() })
				if reasonOf(err) != kube.Failed || len(s.sent) != tries {
					t.Errorf("%v after %d requests, want %d", err, len(s.sent), tries)
				}
			})
		})
	}
}

// A write that its server cannot judge in time has 34 seconds there: what the server answers then says that nothing was written.
func TestWriteOutlastsTheServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		text := `configmaps "a" is forbidden: client rate limiter Wait returned an error: rate: Wait(n=1) would exceed context deadline`
		g, s := maps(t, func(_ int, w http.ResponseWriter, r *http.Request) error {
			select {
			case <-time.After(34 * time.Second):
			case <-r.Context().Done():
				return r.Context().Err()
			}
			say(w, http.StatusForbidden, said(403, metav1.StatusReasonForbidden, text))
			return nil
		})
		if got := reasonOf(send(t.Context(), "patch", g)); got != kube.Throttled || len(s.sent) != 1 {
			t.Errorf("%q after %d requests", got, len(s.sent))
		}
		s.sent = nil
		dry := kube.Read(t.Context(), get("patch"), func(ctx context.Context) error {
			return g.Request(get("patch")).Do(ctx).Error()
		})
		if got := reasonOf(dry); got != kube.Throttled || len(s.sent) != kube.MaxTries {
			t.Errorf("dry run: %q after %d requests", got, len(s.sent))
		}
	})
}
