package kubeconn_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kubeconn"
)

// Every secret that the tests plant contains this text, so that one look tells whether a message shows one.
const planted = "s3cr3t"

const (
	plantedToken    = planted + "-token"
	plantedPassword = planted + "-password"
)

// twoContexts has two contexts of two clusters, each with a namespace and a token of its own.
const twoContexts = `apiVersion: v1
kind: Config
current-context: dev
clusters:
- name: dev
  cluster: {server: "https://dev.example.com:6443", tls-server-name: dev.internal}
- name: live
  cluster: {server: "https://live.example.com"}
users:
- name: dev
  user: {token: s3cr3t-of-dev}
- name: live
  user: {token: s3cr3t-of-live}
contexts:
- name: dev
  context: {cluster: dev, user: dev, namespace: garden-dev}
- name: live
  context: {cluster: live, user: live, namespace: garden-live}
- name: bare
  context: {cluster: live, user: live}
- name: lost
  context: {cluster: gone, user: gone}
- name: lost-user
  context: {cluster: dev, user: gone}
`

func ptr[T any](v T) *T { return &v }

// environment returns a getenv over the pairs name, value, name, value.
func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// write puts content into a file of its own folder and returns its path.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// keyPair returns a self-signed certificate and its key as PEM text.
func keyPair(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER}))
}

// resolve runs both steps as the provider does.
func resolve(s kubeconn.Settings, getenv func(string) string) (*kubeconn.Connection, error) {
	s, err := kubeconn.FromEnvironment(getenv, s)
	if err != nil {
		return nil, err
	}
	return kubeconn.Resolve(s, "test-agent/1")
}

func mustResolve(t *testing.T, s kubeconn.Settings, getenv func(string) string) *kubeconn.Connection {
	t.Helper()
	c, err := resolve(s, getenv)
	if err != nil {
		t.Fatalf("Resolve: %v", err)
	}
	return c
}

// noSecret fails when text shows one of the planted secrets.
func noSecret(t *testing.T, text string) {
	t.Helper()
	if strings.Contains(text, planted) {
		t.Errorf("a secret shows in: %s", text)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	certificate, key := keyPair(t)
	path := write(t, "kubeconfig", twoContexts)
	other := write(t, "other", strings.NewReplacer("dev", "other", "live", "other-live").Replace(twoContexts))
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "kubeconfig"), []byte(twoContexts), 0o600); err != nil {
		t.Fatal(err)
	}

	type want struct {
		host, namespace, token, source string
		notRead                        []string
	}
	for name, tt := range map[string]struct {
		settings kubeconn.Settings
		env      []string
		want     want
	}{
		"config_path, current context": {
			settings: kubeconn.Settings{ConfigPath: &path},
			want:     want{host: "https://dev.example.com:6443", namespace: "garden-dev", token: "s3cr3t-of-dev", source: fmt.Sprintf(`config_path %q, context "dev"`, path)},
		},
		"config_path, chosen context": {
			settings: kubeconn.Settings{ConfigPath: &path, ConfigContext: ptr("live")},
			want:     want{host: "https://live.example.com", namespace: "garden-live", token: "s3cr3t-of-live", source: fmt.Sprintf(`config_path %q, context "live"`, path)},
		},
		"config_path with the home folder": {
			settings: kubeconn.Settings{ConfigPath: ptr("~/kubeconfig")},
			env:      []string{"HOME", home, "USERPROFILE", home},
			want:     want{host: "https://dev.example.com:6443", namespace: "garden-dev", token: "s3cr3t-of-dev", source: `config_path "~/kubeconfig", context "dev"`},
		},
		"KUBE_CONFIG_PATH and KUBE_CTX": {
			env:  []string{"KUBE_CONFIG_PATH", path, "KUBE_CTX", "live"},
			want: want{host: "https://live.example.com", namespace: "garden-live", token: "s3cr3t-of-live", source: fmt.Sprintf(`KUBE_CONFIG_PATH %q, context "live"`, path)},
		},
		"KUBE_CTX beside config_path": {
			settings: kubeconn.Settings{ConfigPath: &path},
			env:      []string{"KUBE_CTX", "live"},
			want:     want{host: "https://live.example.com", namespace: "garden-live", token: "s3cr3t-of-live", source: fmt.Sprintf(`config_path %q, context "live"`, path)},
		},
		"cluster and user of another context": {
			settings: kubeconn.Settings{ConfigPath: &path, ConfigContextCluster: ptr("live"), ConfigContextAuthInfo: ptr("live")},
			want:     want{host: "https://live.example.com", namespace: "garden-dev", token: "s3cr3t-of-live", source: fmt.Sprintf(`config_path %q, context "dev", cluster "live", user "live"`, path)},
		},
		"the attribute's cluster is not mixed with the variable's context": {
			settings: kubeconn.Settings{ConfigPath: &path, ConfigContextCluster: ptr("live")},
			env:      []string{"KUBE_CTX", "bare", "KUBE_CTX_AUTH_INFO", "live"},
			want: want{host: "https://live.example.com", namespace: "garden-dev", token: "s3cr3t-of-dev", source: fmt.Sprintf(`config_path %q, context "dev", cluster "live"`, path),
				notRead: []string{"KUBE_CTX", "KUBE_CTX_AUTH_INFO"}},
		},
		"config_paths, the first current context wins": {
			settings: kubeconn.Settings{ConfigPaths: []string{other, path}},
			want:     want{host: "https://other.example.com:6443", namespace: "garden-other", token: "s3cr3t-of-other", source: fmt.Sprintf(`config_paths %q, %q, context "other"`, other, path)},
		},
		"config_paths, a context of the second file": {
			settings: kubeconn.Settings{ConfigPaths: []string{other, path}, ConfigContext: ptr("dev")},
			want:     want{host: "https://dev.example.com:6443", namespace: "garden-dev", token: "s3cr3t-of-dev", source: fmt.Sprintf(`config_paths %q, %q, context "dev"`, other, path)},
		},
		"KUBE_CONFIG_PATHS": {
			env:  []string{"KUBE_CONFIG_PATHS", other + string(os.PathListSeparator) + path},
			want: want{host: "https://other.example.com:6443", namespace: "garden-other", token: "s3cr3t-of-other", source: fmt.Sprintf(`KUBE_CONFIG_PATHS %q, %q, context "other"`, other, path)},
		},
		"KUBE_CONFIG_PATH beats KUBE_CONFIG_PATHS": {
			env: []string{"KUBE_CONFIG_PATHS", other, "KUBE_CONFIG_PATH", path},
			want: want{host: "https://dev.example.com:6443", namespace: "garden-dev", token: "s3cr3t-of-dev", source: fmt.Sprintf(`KUBE_CONFIG_PATH %q, context "dev"`, path),
				notRead: []string{"KUBE_CONFIG_PATHS"}},
		},
		"config_path switches the variables of other connections off": {
			settings: kubeconn.Settings{ConfigPath: &path},
			env: []string{
				"KUBE_CONFIG_PATH", other, "KUBE_CONFIG_PATHS", other, "KUBE_HOST", "https://elsewhere.example.com", "KUBE_TOKEN", plantedToken,
				"KUBE_USER", "somebody", "KUBE_PASSWORD", plantedPassword, "KUBE_CLIENT_CERT_DATA", "x", "KUBE_CLIENT_KEY_DATA", "x",
				"KUBE_CLUSTER_CA_CERT_DATA", "x", "KUBE_INSECURE", "what", "KUBE_TLS_SERVER_NAME", "x", "KUBE_PROXY_URL", "x",
			},
			want: want{host: "https://dev.example.com:6443", namespace: "garden-dev", token: "s3cr3t-of-dev", source: fmt.Sprintf(`config_path %q, context "dev"`, path),
				notRead: []string{
					"KUBE_CONFIG_PATHS", "KUBE_HOST", "KUBE_TOKEN", "KUBE_USER", "KUBE_PASSWORD", "KUBE_CLIENT_CERT_DATA",
					"KUBE_CLIENT_KEY_DATA", "KUBE_CLUSTER_CA_CERT_DATA", "KUBE_INSECURE", "KUBE_TLS_SERVER_NAME", "KUBE_PROXY_URL",
				}},
		},
		"config_raw": {
			settings: kubeconn.Settings{ConfigRaw: ptr(twoContexts), ConfigContext: ptr("live")},
			env:      []string{"KUBE_CONFIG_PATH", other},
			want: want{host: "https://live.example.com", namespace: "garden-live", token: "s3cr3t-of-live", source: `config_raw, context "live"`,
				notRead: []string{"KUBE_CONFIG_PATH"}},
		},
		"host and token": {
			settings: kubeconn.Settings{Host: ptr("https://api.example.com:6443"), Token: ptr(plantedToken + "\n"), Namespace: ptr("garden-hap")},
			want:     want{host: "https://api.example.com:6443", namespace: "garden-hap", token: plantedToken, source: "host"},
		},
		"host as an attribute, the rest from the environment": {
			settings: kubeconn.Settings{Host: ptr("https://api.example.com")},
			env:      []string{"KUBE_TOKEN", plantedToken, "HAP_NAMESPACE", "garden-env", "KUBE_CLUSTER_CA_CERT_DATA", certificate},
			want:     want{host: "https://api.example.com", namespace: "garden-env", token: plantedToken, source: "host"},
		},
		"host as an attribute is not mixed with a kubeconfig of the environment": {
			settings: kubeconn.Settings{Host: ptr("https://api.example.com"), Namespace: ptr("garden-hap")},
			env:      []string{"KUBE_CONFIG_PATH", path, "KUBE_CONFIG_PATHS", path, "KUBE_CTX", "live", "KUBE_HOST", "https://no.example.com"},
			want: want{host: "https://api.example.com", namespace: "garden-hap", source: "host",
				notRead: []string{"KUBE_CONFIG_PATH", "KUBE_CONFIG_PATHS", "KUBE_CTX"}},
		},
		"KUBE_HOST alone": {
			env:  []string{"KUBE_HOST", "https://api.example.com", "HAP_NAMESPACE", "garden-env"},
			want: want{host: "https://api.example.com", namespace: "garden-env", source: "KUBE_HOST"},
		},
		"overrides on top of a kubeconfig": {
			settings: kubeconn.Settings{ConfigPath: &path, Host: ptr("https://tunnel.example.com"), Token: ptr(plantedToken), Namespace: ptr("garden-hap")},
			want:     want{host: "https://tunnel.example.com", namespace: "garden-hap", token: plantedToken, source: fmt.Sprintf(`config_path %q, context "dev", overridden by host, token`, path)},
		},
		"overrides of the environment on a kubeconfig of the environment": {
			env:  []string{"KUBE_CONFIG_PATH", path, "KUBE_HOST", "https://tunnel.example.com", "KUBE_TOKEN", plantedToken},
			want: want{host: "https://tunnel.example.com", namespace: "garden-dev", token: plantedToken, source: fmt.Sprintf(`KUBE_CONFIG_PATH %q, context "dev", overridden by KUBE_HOST, KUBE_TOKEN`, path)},
		},
		"a host makes the context's cluster needless, a token its user": {
			settings: kubeconn.Settings{ConfigPath: &path, ConfigContext: ptr("lost"), Host: ptr("https://api.example.com"), Token: ptr(plantedToken), Namespace: ptr("n")},
			want:     want{host: "https://api.example.com", namespace: "n", token: plantedToken, source: fmt.Sprintf(`config_path %q, context "lost", overridden by host, token`, path)},
		},
		"cluster and user without any context": {
			settings: kubeconn.Settings{
				ConfigRaw:            ptr(strings.Replace(twoContexts, "current-context: dev\n", "", 1)),
				ConfigContextCluster: ptr("live"), ConfigContextAuthInfo: ptr("dev"), Namespace: ptr("garden-hap"),
			},
			want: want{host: "https://live.example.com", namespace: "garden-hap", token: "s3cr3t-of-dev", source: `config_raw, cluster "live", user "dev"`},
		},
		"one kind of credentials is completed, no other is added": {
			settings: kubeconn.Settings{Host: ptr("https://api.example.com"), Namespace: ptr("n"), ClientCertificate: &certificate},
			env:      []string{"KUBE_CLIENT_KEY_DATA", key, "KUBE_TOKEN", plantedToken, "KUBE_USER", "u", "KUBE_PASSWORD", plantedPassword},
			want: want{host: "https://api.example.com", namespace: "n", source: "host",
				notRead: []string{"KUBE_TOKEN", "KUBE_USER", "KUBE_PASSWORD"}},
		},
		"insecure = true needs no CA of the environment": {
			settings: kubeconn.Settings{Host: ptr("https://api.example.com"), Namespace: ptr("n"), Insecure: ptr(true)},
			env:      []string{"KUBE_CLUSTER_CA_CERT_DATA", "junk"},
			want:     want{host: "https://api.example.com", namespace: "n", source: "host", notRead: []string{"KUBE_CLUSTER_CA_CERT_DATA"}},
		},
		"a CA switches KUBE_INSECURE off": {
			settings: kubeconn.Settings{Host: ptr("https://api.example.com"), Namespace: ptr("n"), ClusterCACertificate: &certificate},
			env:      []string{"KUBE_INSECURE", "true"},
			want:     want{host: "https://api.example.com", namespace: "n", source: "host", notRead: []string{"KUBE_INSECURE"}},
		},
		"plain http without credentials": {
			settings: kubeconn.Settings{Host: ptr("http://127.0.0.1:8001"), Namespace: ptr("n")},
			want:     want{host: "http://127.0.0.1:8001", namespace: "n", source: "host"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			filled, err := kubeconn.FromEnvironment(environment(tt.env...), tt.settings)
			if err != nil {
				t.Fatalf("FromEnvironment: %v", err)
			}
			// The same attribute in the environment is simply beaten; it is no news, and not listed.
			notRead := slices.DeleteFunc(filled.NotRead(), func(v string) bool { return v == "KUBE_CONFIG_PATH" && tt.settings.ConfigPath != nil })
			if !slices.Equal(notRead, tt.want.notRead) {
				t.Errorf("NotRead = %q, want %q", notRead, tt.want.notRead)
			}
			c, err := kubeconn.Resolve(filled, "test-agent/1")
			if err != nil {
				t.Fatalf("Resolve: %v", err)
			}
			if c.Config.Host != tt.want.host {
				t.Errorf("host = %q, want %q", c.Config.Host, tt.want.host)
			}
			if c.Namespace != tt.want.namespace {
				t.Errorf("namespace = %q, want %q", c.Namespace, tt.want.namespace)
			}
			if c.Config.BearerToken != tt.want.token {
				t.Errorf("token = %q, want %q", c.Config.BearerToken, tt.want.token)
			}
			if c.Source != tt.want.source {
				t.Errorf("source = %s, want %s", c.Source, tt.want.source)
			}
			if c.Config.UserAgent != "test-agent/1" || c.Config.QPS >= 0 || c.Config.Dial == nil {
				t.Errorf("user agent %q, QPS %v, Dial set %t", c.Config.UserAgent, c.Config.QPS, c.Config.Dial != nil)
			}
		})
	}
}

func TestResolveTransport(t *testing.T) {
	t.Parallel()
	certificate, key := keyPair(t)
	base := kubeconn.Settings{Host: ptr("https://api.example.com"), Namespace: ptr("n")}

	t.Run("certificates, server name and proxy", func(t *testing.T) {
		t.Parallel()
		s := base
		s.ClientCertificate, s.ClientKey, s.ClusterCACertificate = &certificate, &key, &certificate
		s.TLSServerName, s.ProxyURL = ptr("api.internal"), ptr("socks5://proxy.example.com:1080")
		c := mustResolve(t, s, environment())
		if string(c.Config.CertData) != certificate || string(c.Config.KeyData) != key || string(c.Config.CAData) != certificate || c.Config.ServerName != "api.internal" {
			t.Errorf("TLS settings are not those given")
		}
		proxy, err := c.Config.Proxy(&http.Request{})
		if err != nil || proxy.String() != *s.ProxyURL {
			t.Errorf("proxy = %v, %v", proxy, err)
		}
	})
	t.Run("basic authentication", func(t *testing.T) {
		t.Parallel()
		s := base
		s.Username = ptr("somebody")
		c := mustResolve(t, s, environment("KUBE_PASSWORD", plantedPassword))
		if c.Config.Username != "somebody" || c.Config.Password != plantedPassword {
			t.Errorf("got %q", c.Config.Username)
		}
	})
	t.Run("exec", func(t *testing.T) {
		t.Parallel()
		s := base
		s.Exec = &kubeconn.Exec{Command: "print-token", Args: []string{"--for", "hap"}, Env: map[string]string{"B": "2", "A": planted}}
		exec := mustResolve(t, s, environment("KUBE_TOKEN", plantedToken)).Config.ExecProvider
		if exec == nil || exec.Command != "print-token" || exec.APIVersion != kubeconn.DefaultExecAPIVersion || len(exec.Args) != 2 ||
			len(exec.Env) != 2 || exec.Env[0].Name != "A" || !exec.StdinUnavailable {
			t.Errorf("exec = %v", exec)
		}
	})
	t.Run("credentials replace the kubeconfig's user as a whole", func(t *testing.T) {
		t.Parallel()
		encode := base64.StdEncoding.EncodeToString
		raw := strings.Replace(twoContexts, "{token: s3cr3t-of-dev}", fmt.Sprintf("{client-certificate-data: %s, client-key-data: %s, as: boss}",
			encode([]byte(certificate)), encode([]byte(key))), 1)
		if c := mustResolve(t, kubeconn.Settings{ConfigRaw: &raw}, environment()); len(c.Config.CertData) == 0 || c.Config.Impersonate.UserName != "boss" {
			t.Error("without a token the kubeconfig's certificate should be used")
		}
		c := mustResolve(t, kubeconn.Settings{ConfigRaw: &raw, Token: ptr(plantedToken)}, environment())
		if len(c.Config.CertData) != 0 || len(c.Config.KeyData) != 0 || c.Config.Impersonate.UserName != "" {
			t.Error("the kubeconfig's certificate is still there beside the token")
		}
	})
	t.Run("insecure and CA override the kubeconfig both ways", func(t *testing.T) {
		t.Parallel()
		withCA := strings.Replace(twoContexts, "tls-server-name: dev.internal",
			"certificate-authority-data: "+base64.StdEncoding.EncodeToString([]byte(certificate)), 1)
		c := mustResolve(t, kubeconn.Settings{ConfigRaw: &withCA, Insecure: ptr(true)}, environment())
		if !c.Config.Insecure || len(c.Config.CAData) != 0 {
			t.Error("insecure = true does not override the kubeconfig's CA")
		}
		insecure := strings.Replace(twoContexts, "tls-server-name: dev.internal", "insecure-skip-tls-verify: true", 1)
		if c := mustResolve(t, kubeconn.Settings{ConfigRaw: &insecure, Insecure: ptr(false)}, environment()); c.Config.Insecure {
			t.Error("insecure = false does not override the kubeconfig")
		}
		if c := mustResolve(t, kubeconn.Settings{ConfigRaw: &insecure, ClusterCACertificate: &certificate}, environment()); c.Config.Insecure {
			t.Error("a CA leaves the kubeconfig's insecure-skip-tls-verify on")
		}
	})
	t.Run("relative paths of a kubeconfig start at its folder", func(t *testing.T) {
		t.Parallel()
		path := write(t, "kubeconfig", strings.Replace(twoContexts, "{token: s3cr3t-of-dev}", "{tokenFile: token}", 1))
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), "token"), []byte(plantedToken), 0o600); err != nil {
			t.Fatal(err)
		}
		c := mustResolve(t, kubeconn.Settings{ConfigPath: &path}, environment())
		if c.Config.BearerTokenFile != filepath.Join(filepath.Dir(path), "token") {
			t.Errorf("token file = %q", c.Config.BearerTokenFile)
		}
	})
}

// TestResolveNeverDials resolves against a real listener and sees to it that nobody comes.
func TestResolveNeverDials(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.UserAgent() != "test-agent/1" || r.Header.Get("Authorization") != "Bearer "+plantedToken {
			w.WriteHeader(http.StatusTeapot)
		}
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			calls.Add(1)
		}
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))

	c := mustResolve(t, kubeconn.Settings{Host: &server.URL, ClusterCACertificate: &ca, Token: ptr(plantedToken), Namespace: ptr("n")}, environment())
	if n := calls.Load(); n != 0 {
		t.Fatalf("Resolve opened %d connections", n)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := rest.HTTPClientFor(c.Config)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK || calls.Load() != 1 {
		t.Errorf("status %d after %d connections", response.StatusCode, calls.Load())
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	certificate, key := keyPair(t)
	_, otherKey := keyPair(t)
	path := write(t, "kubeconfig", twoContexts)
	junk := write(t, "junk", "users:\n- name: "+planted+"\n  user: {token: ["+planted+"\n")
	folder := t.TempDir()
	missing := filepath.Join(folder, "missing")
	replaced := func(old, by string) *string { return ptr(strings.Replace(twoContexts, old, by, 1)) }
	onHost := func(change func(*kubeconn.Settings)) kubeconn.Settings {
		s := kubeconn.Settings{Host: ptr("https://api.example.com"), Namespace: ptr("n")}
		change(&s)
		return s
	}

	for name, tt := range map[string]struct {
		settings  kubeconn.Settings
		env       []string
		attribute string
		variable  string
		words     []string
		is        error
	}{
		"file missing": {
			settings:  kubeconn.Settings{ConfigPath: &missing},
			attribute: "config_path", words: []string{missing, "does not exist"}, is: fs.ErrNotExist,
		},
		"file missing, from the environment": {
			env:       []string{"KUBE_CONFIG_PATH", missing},
			attribute: "config_path", variable: "KUBE_CONFIG_PATH", words: []string{missing, "does not exist", "KUBE_CONFIG_PATH"}, is: fs.ErrNotExist,
		},
		"second file missing": {
			settings:  kubeconn.Settings{ConfigPaths: []string{path, missing}},
			attribute: "config_paths", words: []string{missing, "does not exist"}, is: fs.ErrNotExist,
		},
		"relative file missing": {
			settings:  kubeconn.Settings{ConfigPath: ptr("no-such-kubeconfig")},
			attribute: "config_path", words: []string{`"no-such-kubeconfig" (/`, "does not exist"}, is: fs.ErrNotExist,
		},
		"file is a folder": {
			settings:  kubeconn.Settings{ConfigPath: &folder},
			attribute: "config_path", words: []string{folder, "cannot be read", "is a directory"},
		},
		"file is not YAML": {
			settings:  kubeconn.Settings{ConfigPath: &junk},
			attribute: "config_path", words: []string{junk, "not a kubeconfig", "line "},
		},
		"file is YAML of another kind": {
			settings:  kubeconn.Settings{ConfigPath: ptr(write(t, "values", "replicas: 3\n"))},
			attribute: "config_path", words: []string{"holds no kubeconfig", "values"},
		},
		"file is an object of another kind": {
			settings:  kubeconn.Settings{ConfigPath: ptr(write(t, "secret", "apiVersion: v1\nkind: Secret\nstringData: {token: "+planted+"}\n"))},
			attribute: "config_path", words: []string{"not a kubeconfig"},
		},
		"file is empty": {
			settings:  kubeconn.Settings{ConfigPath: ptr(write(t, "empty", ""))},
			attribute: "config_path", words: []string{"holds no kubeconfig"},
		},
		"kubeconfig text as a path": {
			settings:  kubeconn.Settings{ConfigPath: ptr(twoContexts)},
			attribute: "config_path", words: []string{"not a path", "config_raw"},
		},
		"kubeconfig text as one of the paths": {
			settings:  kubeconn.Settings{ConfigPaths: []string{path, twoContexts}},
			attribute: "config_paths", words: []string{"path 2 of 2", "config_raw"},
		},
		"config_path and config_paths": {
			settings:  kubeconn.Settings{ConfigPath: &path, ConfigPaths: []string{path}},
			attribute: "config_path", words: []string{"config_paths", "exclude"},
		},
		"config_path and config_raw": {
			settings:  kubeconn.Settings{ConfigPath: &path, ConfigRaw: ptr(twoContexts)},
			attribute: "config_path", words: []string{"config_raw", "exclude"},
		},
		"config_paths and config_raw": {
			settings:  kubeconn.Settings{ConfigPaths: []string{path}, ConfigRaw: ptr(twoContexts)},
			attribute: "config_paths", words: []string{"config_raw", "exclude"},
		},
		"config_paths empty": {
			settings:  kubeconn.Settings{ConfigPaths: []string{}},
			attribute: "config_paths", words: []string{"empty"},
		},
		"config_paths with an empty path": {
			settings:  kubeconn.Settings{ConfigPaths: []string{path, ""}},
			attribute: "config_paths", words: []string{"path 2 of 2", "empty"},
		},
		"config_raw malformed": {
			settings:  kubeconn.Settings{ConfigRaw: ptr("users: " + planted)},
			attribute: "config_raw", words: []string{"not a kubeconfig", "Config.users"},
		},
		"config_raw is one line of text": {
			settings:  kubeconn.Settings{ConfigRaw: ptr(planted)},
			attribute: "config_raw", words: []string{"not a kubeconfig"},
		},
		"config_raw with a mistyped value": {
			settings:  kubeconn.Settings{ConfigRaw: ptr("users:\n- name: a\n  user:\n    exec: " + planted + "\n")},
			attribute: "config_raw", words: []string{"not a kubeconfig", "exec"},
		},
		"config_raw with data that is not base64": {
			settings:  kubeconn.Settings{ConfigRaw: ptr("users:\n- name: a\n  user:\n    client-key-data: " + planted + "!\n")},
			attribute: "config_raw", words: []string{"not a kubeconfig", "input byte"},
		},
		"config_raw in base64": {
			settings:  kubeconn.Settings{ConfigRaw: ptr(base64.StdEncoding.EncodeToString([]byte(twoContexts)))},
			attribute: "config_raw", words: []string{"base64decode"},
		},
		"config_raw is a path": {
			settings:  kubeconn.Settings{ConfigRaw: &path},
			attribute: "config_raw", words: []string{"config_path"},
		},
		"context not there": {
			settings:  kubeconn.Settings{ConfigPath: &path, ConfigContext: ptr("prod")},
			attribute: "config_context", words: []string{`"prod"`, path, `the contexts "bare", "dev", "live", "lost" and "lost-user"`},
		},
		"context of the environment not there": {
			settings:  kubeconn.Settings{ConfigPath: &path},
			env:       []string{"KUBE_CTX", "prod"},
			attribute: "config_context", variable: "KUBE_CTX", words: []string{`"prod"`, `"live"`, "KUBE_CTX"},
		},
		"current context not there": {
			settings:  kubeconn.Settings{ConfigRaw: replaced("current-context: dev", "current-context: old")},
			attribute: "config_raw", words: []string{`current-context "old"`, `"dev"`},
		},
		"no current context": {
			settings:  kubeconn.Settings{ConfigRaw: replaced("current-context: dev", "preferences: {}")},
			attribute: "config_context", words: []string{"no current-context", `"dev"`, `"live"`},
		},
		"cluster of the context not there": {
			settings:  kubeconn.Settings{ConfigPath: &path, ConfigContext: ptr("lost")},
			attribute: "config_path", words: []string{`cluster "gone"`, `context "lost"`, `the clusters "dev" and "live"`},
		},
		"user of the context not there": {
			settings:  kubeconn.Settings{ConfigPath: &path, ConfigContext: ptr("lost-user")},
			attribute: "config_path", words: []string{`user "gone"`, `context "lost-user"`, `the users "dev" and "live"`},
		},
		"cluster not there": {
			settings:  kubeconn.Settings{ConfigPath: &path, ConfigContextCluster: ptr("prod")},
			attribute: "config_context_cluster", words: []string{`cluster "prod"`, `"live"`},
		},
		"user not there": {
			settings:  kubeconn.Settings{ConfigPath: &path, ConfigContextAuthInfo: ptr("prod")},
			attribute: "config_context_auth_info", words: []string{`user "prod"`, `"live"`},
		},
		"context without a kubeconfig": {
			settings:  kubeconn.Settings{Host: ptr("https://api.example.com"), ConfigContext: ptr("dev")},
			env:       []string{"KUBE_CONFIG_PATH", path},
			attribute: "config_context", words: []string{"no kubeconfig", "KUBE_CONFIG_PATH", "not read"},
		},
		"cluster without a server": {
			settings:  kubeconn.Settings{ConfigRaw: replaced(`{server: "https://dev.example.com:6443", tls-server-name: dev.internal}`, "{}")},
			attribute: "config_raw", words: []string{"no server", `"dev"`},
		},
		"server of the kubeconfig is not a URL": {
			settings:  kubeconn.Settings{ConfigRaw: replaced("https://dev.example.com:6443", planted)},
			attribute: "config_raw", words: []string{"server of the cluster", `"dev"`, "not the URL"},
		},
		"proxy of the kubeconfig is not a URL": {
			settings:  kubeconn.Settings{ConfigRaw: replaced("tls-server-name: dev.internal", `proxy-url: "ftp://u:`+planted+`@x"`)},
			attribute: "config_raw", words: []string{"proxy-url", `"dev"`},
		},
		"kubeconfig with a bad CA": {
			settings:  kubeconn.Settings{ConfigRaw: replaced("tls-server-name: dev.internal", "certificate-authority-data: eHh4")},
			attribute: "config_raw", words: []string{"certificates"},
		},
		"kubeconfig with two kinds of credentials": {
			settings:  kubeconn.Settings{ConfigRaw: replaced("{token: s3cr3t-of-dev}", "{token: "+plantedToken+", username: u, password: "+plantedPassword+"}")},
			attribute: "config_raw", words: []string{"more than one authentication method"},
		},
		"kubeconfig with an auth plugin that is gone": {
			settings:  kubeconn.Settings{ConfigRaw: replaced("{token: s3cr3t-of-dev}", "{auth-provider: {name: gcp, config: {access-token: "+plantedToken+"}}}")},
			attribute: "config_raw", words: []string{"gcp auth plugin has been removed"},
		},
		"kubeconfig with a certificate file that is not there": {
			settings:  kubeconn.Settings{ConfigRaw: replaced("{token: s3cr3t-of-dev}", "{client-certificate: /no/such/cert, client-key: /no/such/key}")},
			attribute: "config_raw", words: []string{"/no/such/cert"},
		},
		"host is a name": {
			settings:  onHost(func(s *kubeconn.Settings) { s.Host = ptr("api.example.com") }),
			attribute: "host", words: []string{"not the URL", "https://"},
		},
		"host with a port alone": {
			settings:  onHost(func(s *kubeconn.Settings) { s.Host = ptr("api.example.com:6443") }),
			attribute: "host", words: []string{"not the URL", "https://"},
		},
		"host cannot be parsed": {
			settings:  onHost(func(s *kubeconn.Settings) { s.Host = ptr("https://u:" + planted + "@[::1") }),
			attribute: "host", words: []string{"not the URL"},
		},
		"host with a user": {
			settings:  onHost(func(s *kubeconn.Settings) { s.Host = ptr("https://u:" + planted + "@api.example.com") }),
			attribute: "host", words: []string{"holds a user"},
		},
		"host with a query": {
			settings:  onHost(func(s *kubeconn.Settings) { s.Host = ptr("https://api.example.com?token=" + planted) }),
			attribute: "host", words: []string{"query"},
		},
		"KUBE_HOST is a name": {
			env:       []string{"KUBE_HOST", "api.example.com"},
			attribute: "host", variable: "KUBE_HOST", words: []string{"not the URL", "KUBE_HOST"},
		},
		"credentials without TLS": {
			settings:  onHost(func(s *kubeconn.Settings) { s.Host, s.Token = ptr("http://api.example.com"), ptr(plantedToken) }),
			attribute: "host", words: []string{"http://", "TLS"},
		},
		"empty host": {
			settings:  onHost(func(s *kubeconn.Settings) { s.Host = ptr("") }),
			attribute: "host", words: []string{"empty", "KUBE_HOST"},
		},
		"empty config_raw": {
			settings:  kubeconn.Settings{ConfigRaw: ptr(" \n")},
			attribute: "config_raw", words: []string{"empty"},
		},
		"blank KUBE_TOKEN": {
			settings:  onHost(func(*kubeconn.Settings) {}),
			env:       []string{"KUBE_TOKEN", "\n"},
			attribute: "token", variable: "KUBE_TOKEN", words: []string{"blank"},
		},
		"proxy is not a URL": {
			settings:  onHost(func(s *kubeconn.Settings) { s.ProxyURL = ptr("proxy:1080 " + planted) }),
			attribute: "proxy_url", words: []string{"not the URL of a proxy", "socks5://"},
		},
		"proxy of another scheme": {
			settings:  onHost(func(s *kubeconn.Settings) { s.ProxyURL = ptr("ftp://u:" + planted + "@proxy") }),
			attribute: "proxy_url", words: []string{"not the URL of a proxy"},
		},
		"client certificate without key": {
			settings:  onHost(func(s *kubeconn.Settings) { s.ClientCertificate = &certificate }),
			attribute: "client_certificate", words: []string{"client_key", "KUBE_CLIENT_KEY_DATA"},
		},
		"client key without certificate": {
			settings:  onHost(func(s *kubeconn.Settings) { s.ClientKey = &key }),
			attribute: "client_key", words: []string{"client_certificate", "KUBE_CLIENT_CERT_DATA"},
		},
		"client certificate is not PEM": {
			settings:  onHost(func(s *kubeconn.Settings) { s.ClientCertificate, s.ClientKey = ptr("junk"), &key }),
			attribute: "client_certificate", words: []string{"not a PEM certificate"},
		},
		"client certificate in base64": {
			settings: onHost(func(s *kubeconn.Settings) {
				s.ClientCertificate, s.ClientKey = ptr(base64.StdEncoding.EncodeToString([]byte(certificate))), &key
			}),
			attribute: "client_certificate", words: []string{"base64decode"},
		},
		"client certificate is a key": {
			settings:  onHost(func(s *kubeconn.Settings) { s.ClientCertificate, s.ClientKey = &key, &key }),
			attribute: "client_certificate", words: []string{"no PEM block"},
		},
		"client key is not PEM": {
			settings:  onHost(func(s *kubeconn.Settings) { s.ClientCertificate, s.ClientKey = &certificate, ptr(planted) }),
			attribute: "client_key", words: []string{"not a PEM key"},
		},
		"client key of another certificate": {
			settings:  onHost(func(s *kubeconn.Settings) { s.ClientCertificate, s.ClientKey = &certificate, &otherKey }),
			attribute: "client_key", words: []string{"not a pair"},
		},
		"CA is not PEM": {
			settings:  onHost(func(s *kubeconn.Settings) { s.ClusterCACertificate = ptr("/etc/ca.pem") }),
			attribute: "cluster_ca_certificate", words: []string{"not a PEM certificate"},
		},
		"CA of the environment is not PEM": {
			settings:  onHost(func(*kubeconn.Settings) {}),
			env:       []string{"KUBE_CLUSTER_CA_CERT_DATA", "junk"},
			attribute: "cluster_ca_certificate", variable: "KUBE_CLUSTER_CA_CERT_DATA", words: []string{"not a PEM certificate"},
		},
		"insecure and CA": {
			settings:  onHost(func(s *kubeconn.Settings) { s.ClusterCACertificate, s.Insecure = &certificate, ptr(true) }),
			attribute: "insecure", words: []string{"cluster_ca_certificate", "exclude"},
		},
		"user without password": {
			settings:  onHost(func(s *kubeconn.Settings) { s.Username = ptr("u") }),
			attribute: "username", words: []string{"password", "KUBE_PASSWORD"},
		},
		"password without user": {
			settings:  onHost(func(s *kubeconn.Settings) { s.Password = ptr(plantedPassword) }),
			attribute: "password", words: []string{"username", "KUBE_USER"},
		},
		"token and user": {
			settings: onHost(func(s *kubeconn.Settings) {
				s.Token, s.Username, s.Password = ptr(plantedToken), ptr("u"), ptr(plantedPassword)
			}),
			attribute: "token", words: []string{"username", "exclude"},
		},
		"token of two lines": {
			settings:  onHost(func(s *kubeconn.Settings) { s.Token = ptr(plantedToken + "\n" + plantedToken) }),
			attribute: "token", words: []string{"line break"},
		},
		"exec without command": {
			settings:  onHost(func(s *kubeconn.Settings) { s.Exec = &kubeconn.Exec{Args: []string{planted}} }),
			attribute: "exec.command", words: []string{"command"},
		},
		"exec of a version that cannot be read": {
			settings:  onHost(func(s *kubeconn.Settings) { s.Exec = &kubeconn.Exec{Command: "x", APIVersion: "v1"} }),
			attribute: "exec.api_version", words: []string{`"v1"`, "client.authentication.k8s.io/v1"},
		},
		"exec with a nameless variable": {
			settings:  onHost(func(s *kubeconn.Settings) { s.Exec = &kubeconn.Exec{Command: "x", Env: map[string]string{"": planted}} }),
			attribute: "exec.env", words: []string{"empty"},
		},
		"exec and token": {
			settings:  onHost(func(s *kubeconn.Settings) { s.Exec, s.Token = &kubeconn.Exec{Command: "x"}, ptr(plantedToken) }),
			attribute: "exec", words: []string{"token", "excludes"},
		},
		"KUBE_INSECURE is not a boolean": {
			settings:  onHost(func(*kubeconn.Settings) {}),
			env:       []string{"KUBE_INSECURE", planted},
			attribute: "insecure", variable: "KUBE_INSECURE", words: []string{"not a boolean", "KUBE_INSECURE"},
		},
		"no namespace with a host": {
			settings:  kubeconn.Settings{Host: ptr("https://api.example.com")},
			attribute: "namespace", words: []string{"HAP_NAMESPACE", "no context", "not assumed"},
		},
		"no namespace in the context": {
			settings:  kubeconn.Settings{ConfigPath: &path, ConfigContext: ptr("bare")},
			attribute: "namespace", words: []string{"HAP_NAMESPACE", `context "bare" names none`},
		},
		"namespace malformed": {
			settings:  kubeconn.Settings{ConfigPath: &path, Namespace: ptr("Garden_HAP")},
			attribute: "namespace", words: []string{`"Garden_HAP"`, "lower case"},
		},
		"HAP_NAMESPACE malformed": {
			settings:  kubeconn.Settings{ConfigPath: &path},
			env:       []string{"HAP_NAMESPACE", "a b"},
			attribute: "namespace", variable: "HAP_NAMESPACE", words: []string{`"a b"`},
		},
		"namespace of the context malformed": {
			settings:  kubeconn.Settings{ConfigRaw: replaced("namespace: garden-dev", "namespace: Garden")},
			attribute: "namespace", words: []string{`"Garden"`, `context "dev"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := resolve(tt.settings, environment(tt.env...))
			problem, ok := errors.AsType[*kubeconn.SettingError](err)
			if !ok {
				t.Fatalf("error = %v (%T), want a *SettingError", err, err)
			}
			if problem.Attribute != tt.attribute {
				t.Errorf("attribute = %q, want %q (%v)", problem.Attribute, tt.attribute, err)
			}
			if problem.Variable != tt.variable {
				t.Errorf("variable = %q, want %q", problem.Variable, tt.variable)
			}
			for _, word := range tt.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q is missing in: %s", word, err)
				}
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("the error is not %v: %v", tt.is, err)
			}
			for _, verb := range []string{"%v", "%+v", "%#v", "%q"} {
				noSecret(t, fmt.Sprintf(verb, err))
			}
		})
	}
}

func TestNotConfigured(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settings kubeconn.Settings
		env      []string
		words    []string
		without  []string
	}{
		"nothing at all": {
			words: []string{
				"config_path (KUBE_CONFIG_PATH): not set", "config_paths (KUBE_CONFIG_PATHS): not set", "config_raw: not set", "host (KUBE_HOST): not set",
				"token (KUBE_TOKEN): not set", "username (KUBE_USER)", "password (KUBE_PASSWORD)", "client_certificate (KUBE_CLIENT_CERT_DATA)",
				"client_key (KUBE_CLIENT_KEY_DATA)", "exec: not set", "cluster_ca_certificate (KUBE_CLUSTER_CA_CERT_DATA)", "insecure (KUBE_INSECURE)",
				"tls_server_name (KUBE_TLS_SERVER_NAME)", "proxy_url (KUBE_PROXY_URL)", "config_context (KUBE_CTX)",
				"config_context_auth_info (KUBE_CTX_AUTH_INFO)", "config_context_cluster (KUBE_CTX_CLUSTER)", "localhost",
			},
			without: []string{"KUBECONFIG is set"},
		},
		"a namespace and a token name no server": {
			settings: kubeconn.Settings{Namespace: ptr("garden-hap")},
			env:      []string{"KUBE_TOKEN", plantedToken},
			words:    []string{"token (KUBE_TOKEN): set", "host (KUBE_HOST): not set"},
		},
		"KUBECONFIG and a pod's variables are not read": {
			env:     []string{"KUBECONFIG", "/home/somebody/.kube/config", "KUBERNETES_SERVICE_HOST", "10.0.0.1", "KUBERNETES_SERVICE_PORT", "443", "KUBERNETES_MASTER", "http://localhost:8080"},
			words:   []string{"KUBECONFIG is set", "not read", "KUBE_CONFIG_PATH"},
			without: []string{"/home/somebody"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := resolve(tt.settings, environment(tt.env...))
			if _, ok := errors.AsType[*kubeconn.NotConfiguredError](err); !ok {
				t.Fatalf("error = %v (%T), want a *NotConfiguredError", err, err)
			}
			for _, word := range tt.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q is missing in: %s", word, err)
				}
			}
			for _, word := range tt.without {
				if strings.Contains(err.Error(), word) {
					t.Errorf("%q shows in: %s", word, err)
				}
			}
			noSecret(t, err.Error())
		})
	}
}

func TestPath(t *testing.T) {
	t.Parallel()
	for attribute, want := range map[string][]string{
		"namespace":    {"namespace"},
		"host":         {"kubernetes", "host"},
		"exec.command": {"kubernetes", "exec", "command"},
	} {
		if got := (&kubeconn.SettingError{Attribute: attribute}).Path(); !slices.Equal(got, want) {
			t.Errorf("Path of %s = %q, want %q", attribute, got, want)
		}
	}
}

// TestNothingPrintsSecrets prints settings and connections in every way that Go code prints values.
func TestNothingPrintsSecrets(t *testing.T) {
	t.Parallel()
	settings := kubeconn.Settings{
		Host:      ptr("https://u:" + planted + "@api.example.com/" + planted),
		Token:     ptr(plantedToken),
		Username:  ptr("somebody"),
		Password:  ptr(plantedPassword),
		ClientKey: ptr("-----BEGIN EC PRIVATE KEY-----\n" + planted),
		ConfigRaw: ptr(twoContexts),
		// What was meant for config_raw.
		ConfigPath:  ptr(twoContexts),
		ConfigPaths: []string{"/etc/kubeconfig", twoContexts},
		ProxyURL:    ptr("http://u:" + planted + "@proxy.example.com"),
		Exec:        &kubeconn.Exec{Command: "login --password " + planted, Args: []string{planted}, Env: map[string]string{"PASSWORD": planted}},
	}
	connection := mustResolve(t, kubeconn.Settings{ConfigRaw: ptr(twoContexts), ProxyURL: settings.ProxyURL}, environment("KUBE_TOKEN", plantedToken))

	type holder struct {
		Exported any
		hidden   kubeconn.Settings
		exec     *kubeconn.Exec
		c        *kubeconn.Connection
	}
	var logged strings.Builder
	for _, handler := range []slog.Handler{slog.NewTextHandler(&logged, nil), slog.NewJSONHandler(&logged, nil)} {
		slog.New(handler).Info("message", "settings", settings, "pointer", &settings, "exec", settings.Exec, "inside", holder{Exported: settings})
	}
	noSecret(t, logged.String())

	for _, value := range []any{
		settings, &settings, *settings.Exec, settings.Exec, connection, []kubeconn.Settings{settings}, map[string]any{"a": settings},
		holder{Exported: &settings},
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			noSecret(t, fmt.Sprintf(verb, value))
		}
	}
	// fmt calls no methods of unexported fields. There it is the pointers that keep it from going on.
	settings.ConfigPaths = nil
	for _, verb := range []string{"%v", "%+v", "%#v"} {
		noSecret(t, fmt.Sprintf(verb, holder{hidden: settings, exec: settings.Exec, c: connection}))
	}
	for _, value := range []any{settings, &settings, settings.Exec, holder{Exported: settings}} {
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		noSecret(t, string(data))
	}

	filled, err := kubeconn.FromEnvironment(environment("KUBE_CTX", "live"), settings)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"username=\"somebody\"", "token=(set)", `host="https://api.example.com"`, `proxy_url="http://proxy.example.com"`, `config_context="live" (KUBE_CTX)`, "PASSWORD", `"login"`} {
		if !strings.Contains(filled.String(), word) {
			t.Errorf("%s is missing in: %s", word, filled)
		}
	}
}

func TestFromEnvironmentLeavesItsArgumentAlone(t *testing.T) {
	t.Parallel()
	given := kubeconn.Settings{Host: ptr("https://api.example.com")}
	first, err := kubeconn.FromEnvironment(environment("KUBE_TOKEN", "a", "HAP_NAMESPACE", "n"), given)
	if err != nil {
		t.Fatal(err)
	}
	if given.Token != nil || given.Namespace != nil || first.Token == nil {
		t.Error("the argument was changed, or the result was not")
	}
}
