package kube_test

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

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// Every secret that the tests plant contains this text, so that one search shows whether a message has one.
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

// place is where the settings of these tests are written.
var place = kube.Place{
	API: "the Garden API", Object: "kubernetes", Namespace: "namespace", NamespaceOf: "the Gardener project",
	Prefix: "KUBE_", NamespaceVariable: "HAP_NAMESPACE",
}

// resolve runs both steps as the provider does.
func resolve(s kube.Settings, getenv func(string) string) (*kube.Connection, error) {
	s.Place = place
	s, err := kube.FromEnvironment(getenv, s)
	if err != nil {
		return nil, err
	}
	return kube.Resolve(s, "test-agent/1")
}

func mustResolve(t *testing.T, s kube.Settings, getenv func(string) string) *kube.Connection {
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

	type want struct {
		host, namespace, token, source string
		notRead                        []string
	}
	for name, tt := range map[string]struct {
		settings kube.Settings
		env      []string
		want     want
	}{
		"config_path, current context": {
			settings: kube.Settings{ConfigPath: &path},
			want: want{host: "https://dev.example.com:6443", namespace: "garden-dev", token: "s3cr3t-of-dev",
				source: fmt.Sprintf(`config_path %q, context "dev"`, path)},
		},
		"config_path, chosen context": {
			settings: kube.Settings{ConfigPath: &path, ConfigContext: ptr("live")},
			want: want{host: "https://live.example.com", namespace: "garden-live", token: "s3cr3t-of-live",
				source: fmt.Sprintf(`config_path %q, context "live"`, path)},
		},
		"KUBE_CONFIG_PATH and KUBE_CTX": {
			env: []string{"KUBE_CONFIG_PATH", path, "KUBE_CTX", "live"},
			want: want{host: "https://live.example.com", namespace: "garden-live", token: "s3cr3t-of-live",
				source: fmt.Sprintf(`KUBE_CONFIG_PATH %q, context "live"`, path)},
		},
		"KUBE_CTX beside config_path": {
			settings: kube.Settings{ConfigPath: &path},
			env:      []string{"KUBE_CTX", "live"},
			want: want{host: "https://live.example.com", namespace: "garden-live", token: "s3cr3t-of-live",
				source: fmt.Sprintf(`config_path %q, context "live"`, path)},
		},
		"cluster and user of another context": {
			settings: kube.Settings{ConfigPath: &path, ConfigContextCluster: ptr("live"), ConfigContextAuthInfo: ptr("live")},
			want: want{host: "https://live.example.com", namespace: "garden-dev", token: "s3cr3t-of-live",
				source: fmt.Sprintf(`config_path %q, context "dev", cluster "live", user "live"`, path)},
		},
		"the attribute's cluster is not mixed with the variable's context": {
			settings: kube.Settings{ConfigPath: &path, ConfigContextCluster: ptr("live")},
			env:      []string{"KUBE_CTX", "bare", "KUBE_CTX_AUTH_INFO", "live"},
			want: want{host: "https://live.example.com", namespace: "garden-dev", token: "s3cr3t-of-dev",
				source:  fmt.Sprintf(`config_path %q, context "dev", cluster "live"`, path),
				notRead: []string{"KUBE_CTX", "KUBE_CTX_AUTH_INFO"}},
		},
		"config_paths, the first current context wins": {
			settings: kube.Settings{ConfigPaths: []string{other, path}},
			want: want{host: "https://other.example.com:6443", namespace: "garden-other", token: "s3cr3t-of-other",
				source: fmt.Sprintf(`config_paths %q, %q, context "other"`, other, path)},
		},
		"config_paths, a context of the second file": {
			settings: kube.Settings{ConfigPaths: []string{other, path}, ConfigContext: ptr("dev")},
			want: want{host: "https://dev.example.com:6443", namespace: "garden-dev", token: "s3cr3t-of-dev",
				source: fmt.Sprintf(`config_paths %q, %q, context "dev"`, other, path)},
		},
		"KUBE_CONFIG_PATHS": {
			env: []string{"KUBE_CONFIG_PATHS", other + string(os.PathListSeparator) + path},
			want: want{host: "https://other.example.com:6443", namespace: "garden-other", token: "s3cr3t-of-other",
				source: fmt.Sprintf(`KUBE_CONFIG_PATHS %q, %q, context "other"`, other, path)},
		},
		"KUBE_CONFIG_PATH beats KUBE_CONFIG_PATHS": {
			env: []string{"KUBE_CONFIG_PATHS", other, "KUBE_CONFIG_PATH", path},
			want: want{host: "https://dev.example.com:6443", namespace: "garden-dev", token: "s3cr3t-of-dev",
				source:  fmt.Sprintf(`KUBE_CONFIG_PATH %q, context "dev"`, path),
				notRead: []string{"KUBE_CONFIG_PATHS"}},
		},
		"config_path switches the variables of other connections off": {
			settings: kube.Settings{ConfigPath: &path},
			env: []string{
				"KUBE_CONFIG_PATH", other, "KUBE_CONFIG_PATHS", other, "KUBE_HOST", "https://elsewhere.example.com", "KUBE_TOKEN", plantedToken,
				"KUBE_USER", "somebody", "KUBE_PASSWORD", plantedPassword, "KUBE_CLIENT_CERT_DATA", "x", "KUBE_CLIENT_KEY_DATA", "x",
				"KUBE_CLUSTER_CA_CERT_DATA", "x", "KUBE_INSECURE", "what", "KUBE_TLS_SERVER_NAME", "x",
			},
			want: want{host: "https://dev.example.com:6443", namespace: "garden-dev", token: "s3cr3t-of-dev",
				source: fmt.Sprintf(`config_path %q, context "dev"`, path),
				notRead: []string{
					"KUBE_CONFIG_PATHS", "KUBE_HOST", "KUBE_TOKEN", "KUBE_USER", "KUBE_PASSWORD", "KUBE_CLIENT_CERT_DATA",
					"KUBE_CLIENT_KEY_DATA", "KUBE_CLUSTER_CA_CERT_DATA", "KUBE_INSECURE", "KUBE_TLS_SERVER_NAME",
				}},
		},
		"config_raw": {
			settings: kube.Settings{ConfigRaw: ptr(twoContexts), ConfigContext: ptr("live")},
			env:      []string{"KUBE_CONFIG_PATH", other},
			want: want{host: "https://live.example.com", namespace: "garden-live", token: "s3cr3t-of-live", source: `config_raw, context "live"`,
				notRead: []string{"KUBE_CONFIG_PATH"}},
		},
		"host and token": {
			settings: kube.Settings{Host: ptr("https://api.example.com:6443"), Token: ptr(plantedToken + "\n"), Namespace: ptr("garden-hap")},
			want:     want{host: "https://api.example.com:6443", namespace: "garden-hap", token: plantedToken, source: "host"},
		},
		"host as an attribute, the rest from the environment": {
			settings: kube.Settings{Host: ptr("https://api.example.com")},
			env:      []string{"KUBE_TOKEN", plantedToken, "HAP_NAMESPACE", "garden-env", "KUBE_CLUSTER_CA_CERT_DATA", certificate},
			want:     want{host: "https://api.example.com", namespace: "garden-env", token: plantedToken, source: "host"},
		},
		"host as an attribute is not mixed with a kubeconfig of the environment": {
			settings: kube.Settings{Host: ptr("https://api.example.com"), Namespace: ptr("garden-hap")},
			env:      []string{"KUBE_CONFIG_PATH", path, "KUBE_CONFIG_PATHS", path, "KUBE_CTX", "live", "KUBE_HOST", "https://no.example.com"},
			want: want{host: "https://api.example.com", namespace: "garden-hap", source: "host",
				notRead: []string{"KUBE_CONFIG_PATH", "KUBE_CONFIG_PATHS", "KUBE_CTX"}},
		},
		"KUBE_HOST alone": {
			env:  []string{"KUBE_HOST", "https://api.example.com", "HAP_NAMESPACE", "garden-env"},
			want: want{host: "https://api.example.com", namespace: "garden-env", source: "KUBE_HOST"},
		},
		"overrides on top of a kubeconfig": {
			settings: kube.Settings{ConfigPath: &path, Host: ptr("https://tunnel.example.com"), Token: ptr(plantedToken),
				Namespace: ptr("garden-hap")},
			want: want{host: "https://tunnel.example.com", namespace: "garden-hap", token: plantedToken,
				source: fmt.Sprintf(`config_path %q, context "dev", overridden by host, token`, path)},
		},
		"overrides of the environment on a kubeconfig of the environment": {
			env: []string{"KUBE_CONFIG_PATH", path, "KUBE_HOST", "https://tunnel.example.com", "KUBE_TOKEN", plantedToken},
			want: want{host: "https://tunnel.example.com", namespace: "garden-dev", token: plantedToken,
				source: fmt.Sprintf(`KUBE_CONFIG_PATH %q, context "dev", overridden by KUBE_HOST, KUBE_TOKEN`, path)},
		},
		"a host makes the context's cluster needless, a token its user": {
			settings: kube.Settings{ConfigPath: &path, ConfigContext: ptr("lost"), Host: ptr("https://api.example.com"), Token: ptr(plantedToken),
				Namespace: ptr("n")},
			want: want{host: "https://api.example.com", namespace: "n", token: plantedToken,
				source: fmt.Sprintf(`config_path %q, context "lost", overridden by host, token`, path)},
		},
		"cluster and user without any context": {
			settings: kube.Settings{
				ConfigRaw:            ptr(strings.Replace(twoContexts, "current-context: dev\n", "", 1)),
				ConfigContextCluster: ptr("live"), ConfigContextAuthInfo: ptr("dev"), Namespace: ptr("garden-hap"),
			},
			want: want{host: "https://live.example.com", namespace: "garden-hap", token: "s3cr3t-of-dev",
				source: `config_raw, cluster "live", user "dev"`},
		},
		"one kind of credentials is completed, no other is added": {
			settings: kube.Settings{Host: ptr("https://api.example.com"), Namespace: ptr("n"), ClientCertificate: &certificate},
			env:      []string{"KUBE_CLIENT_KEY_DATA", key, "KUBE_TOKEN", plantedToken, "KUBE_USER", "u", "KUBE_PASSWORD", plantedPassword},
			want: want{host: "https://api.example.com", namespace: "n", source: "host",
				notRead: []string{"KUBE_TOKEN", "KUBE_USER", "KUBE_PASSWORD"}},
		},
		"insecure = true needs no CA of the environment": {
			settings: kube.Settings{Host: ptr("https://api.example.com"), Namespace: ptr("n"), Insecure: ptr(true)},
			env:      []string{"KUBE_CLUSTER_CA_CERT_DATA", "junk"},
			want:     want{host: "https://api.example.com", namespace: "n", source: "host", notRead: []string{"KUBE_CLUSTER_CA_CERT_DATA"}},
		},
		"a CA switches KUBE_INSECURE off": {
			settings: kube.Settings{Host: ptr("https://api.example.com"), Namespace: ptr("n"), ClusterCACertificate: &certificate},
			env:      []string{"KUBE_INSECURE", "true"},
			want:     want{host: "https://api.example.com", namespace: "n", source: "host", notRead: []string{"KUBE_INSECURE"}},
		},
		"plain http without credentials": {
			settings: kube.Settings{Host: ptr("http://127.0.0.1:8001"), Namespace: ptr("n")},
			want:     want{host: "http://127.0.0.1:8001", namespace: "n", source: "host"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.settings.Place = place
			filled, err := kube.FromEnvironment(environment(tt.env...), tt.settings)
			if err != nil {
				t.Fatalf("FromEnvironment: %v", err)
			}
			// The same attribute in the environment is simply beaten; it is no news, and not listed.
			notRead := slices.DeleteFunc(filled.NotRead(), func(v string) bool { return v == "KUBE_CONFIG_PATH" && tt.settings.ConfigPath != nil })
			if !slices.Equal(notRead, tt.want.notRead) {
				t.Errorf("NotRead = %q, want %q", notRead, tt.want.notRead)
			}
			c, err := kube.Resolve(filled, "test-agent/1")
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

func TestResolveHomeFolder(t *testing.T) {
	home := filepath.Dir(write(t, "kubeconfig", twoContexts))
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	c := mustResolve(t, kube.Settings{ConfigPath: ptr("~/kubeconfig")}, environment())
	if c.Config.Host != "https://dev.example.com:6443" || c.Source != `config_path "~/kubeconfig", context "dev"` {
		t.Errorf("host %q, source %q", c.Config.Host, c.Source)
	}
}

func TestResolveTransport(t *testing.T) {
	t.Parallel()
	certificate, key := keyPair(t)
	base := kube.Settings{Host: ptr("https://api.example.com"), Namespace: ptr("n")}

	t.Run("certificates, server name and proxy", func(t *testing.T) {
		t.Parallel()
		s := base
		s.ClientCertificate, s.ClientKey, s.ClusterCACertificate = &certificate, &key, &certificate
		s.TLSServerName, s.ProxyURL = ptr("api.internal"), ptr("socks5://proxy.example.com:1080")
		c := mustResolve(t, s, environment())
		if string(c.Config.CertData) != certificate || string(c.Config.KeyData) != key ||
			string(c.Config.CAData) != certificate || c.Config.ServerName != "api.internal" {
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
		s.Exec = &kube.Exec{Command: "print-token", Args: []string{"--for", "hap"}, Env: map[string]string{"B": "2", "A": planted}}
		exec := mustResolve(t, s, environment("KUBE_TOKEN", plantedToken)).Config.ExecProvider
		if exec == nil || exec.Command != "print-token" || exec.APIVersion != kube.DefaultExecAPIVersion || len(exec.Args) != 2 ||
			len(exec.Env) != 2 || exec.Env[0].Name != "A" || !exec.StdinUnavailable {
			t.Errorf("exec = %v", exec)
		}
	})
	t.Run("relative paths of a kubeconfig start at its folder", func(t *testing.T) {
		t.Parallel()
		path := write(t, "kubeconfig", strings.Replace(twoContexts, "{token: s3cr3t-of-dev}", "{tokenFile: token}", 1))
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), "token"), []byte(plantedToken), 0o600); err != nil {
			t.Fatal(err)
		}
		c := mustResolve(t, kube.Settings{ConfigPath: &path}, environment())
		if c.Config.BearerTokenFile != filepath.Join(filepath.Dir(path), "token") {
			t.Errorf("token file = %q", c.Config.BearerTokenFile)
		}
	})
}

func TestResolveOverrides(t *testing.T) {
	t.Parallel()
	certificate, key := keyPair(t)
	t.Run("credentials replace the kubeconfig's user as a whole", func(t *testing.T) {
		t.Parallel()
		encode := base64.StdEncoding.EncodeToString
		raw := strings.Replace(twoContexts, "{token: s3cr3t-of-dev}", fmt.Sprintf("{client-certificate-data: %s, client-key-data: %s, as: boss}",
			encode([]byte(certificate)), encode([]byte(key))), 1)
		if c := mustResolve(t, kube.Settings{ConfigRaw: &raw},
			environment()); len(c.Config.CertData) == 0 || c.Config.Impersonate.UserName != "boss" {
			t.Error("without a token the kubeconfig's certificate should be used")
		}
		c := mustResolve(t, kube.Settings{ConfigRaw: &raw, Token: ptr(plantedToken)}, environment())
		if len(c.Config.CertData) != 0 || len(c.Config.KeyData) != 0 || c.Config.Impersonate.UserName != "" {
			t.Error("the kubeconfig's certificate is still there beside the token")
		}
	})
	t.Run("insecure and CA override the kubeconfig both ways", func(t *testing.T) {
		t.Parallel()
		withCA := strings.Replace(twoContexts, "tls-server-name: dev.internal",
			"certificate-authority-data: "+base64.StdEncoding.EncodeToString([]byte(certificate)), 1)
		c := mustResolve(t, kube.Settings{ConfigRaw: &withCA, Insecure: ptr(true)}, environment())
		if !c.Config.Insecure || len(c.Config.CAData) != 0 {
			t.Error("insecure = true does not override the kubeconfig's CA")
		}
		insecure := strings.Replace(twoContexts, "tls-server-name: dev.internal", "insecure-skip-tls-verify: true", 1)
		if c := mustResolve(t, kube.Settings{ConfigRaw: &insecure, Insecure: ptr(false)}, environment()); c.Config.Insecure {
			t.Error("insecure = false does not override the kubeconfig")
		}
		if c := mustResolve(t, kube.Settings{ConfigRaw: &insecure, ClusterCACertificate: &certificate}, environment()); c.Config.Insecure {
			t.Error("a CA leaves the kubeconfig's insecure-skip-tls-verify on")
		}
	})
}

// TestResolveNeverDials resolves against a real listener and counts the connections: none.
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

	c := mustResolve(t, kube.Settings{Host: &server.URL, ClusterCACertificate: &ca, Token: ptr(plantedToken), Namespace: ptr("n")},
		environment())
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
	onHost := func(change func(*kube.Settings)) kube.Settings {
		s := kube.Settings{Host: ptr("https://api.example.com"), Namespace: ptr("n")}
		change(&s)
		return s
	}

	for name, tt := range map[string]struct {
		settings kube.Settings
		env      []string
		setting  string
		variable string
		words    []string
		is       error
	}{
		"file missing": {
			settings: kube.Settings{ConfigPath: &missing},
			setting:  "config_path", words: []string{missing, "does not exist"}, is: fs.ErrNotExist,
		},
		"file missing, from the environment": {
			env:     []string{"KUBE_CONFIG_PATH", missing},
			setting: "config_path", variable: "KUBE_CONFIG_PATH", words: []string{missing, "does not exist", "KUBE_CONFIG_PATH"}, is: fs.ErrNotExist,
		},
		"second file missing": {
			settings: kube.Settings{ConfigPaths: []string{path, missing}},
			setting:  "config_paths", words: []string{missing, "does not exist"}, is: fs.ErrNotExist,
		},
		"relative file missing": {
			settings: kube.Settings{ConfigPath: ptr("no-such-kubeconfig")},
			setting:  "config_path", words: []string{`"no-such-kubeconfig" (/`, "does not exist"}, is: fs.ErrNotExist,
		},
		"file is a folder": {
			settings: kube.Settings{ConfigPath: &folder},
			setting:  "config_path", words: []string{folder, "cannot be read", "is a directory"},
		},
		"file is not YAML": {
			settings: kube.Settings{ConfigPath: &junk},
			setting:  "config_path", words: []string{junk, "not a kubeconfig", "line "},
		},
		"file is YAML of another kind": {
			settings: kube.Settings{ConfigPath: ptr(write(t, "values", "replicas: 3\n"))},
			setting:  "config_path", words: []string{"holds no kubeconfig", "values"},
		},
		"file is an object of another kind": {
			settings: kube.Settings{ConfigPath: ptr(write(t, "secret", "apiVersion: v1\nkind: Secret\nstringData: {token: "+planted+"}\n"))},
			setting:  "config_path", words: []string{"not a kubeconfig"},
		},
		"file is empty": {
			settings: kube.Settings{ConfigPath: ptr(write(t, "empty", ""))},
			setting:  "config_path", words: []string{"holds no kubeconfig"},
		},
		"kubeconfig text as a path": {
			settings: kube.Settings{ConfigPath: ptr(twoContexts)},
			setting:  "config_path", words: []string{"not a path", "config_raw"},
		},
		"kubeconfig text as one of the paths": {
			settings: kube.Settings{ConfigPaths: []string{path, twoContexts}},
			setting:  "config_paths", words: []string{"path 2 of 2", "config_raw"},
		},
		"config_path and config_paths": {
			settings: kube.Settings{ConfigPath: &path, ConfigPaths: []string{path}},
			setting:  "config_path", words: []string{"config_paths", "exclude"},
		},
		"config_path and config_raw": {
			settings: kube.Settings{ConfigPath: &path, ConfigRaw: ptr(twoContexts)},
			setting:  "config_path", words: []string{"config_raw", "exclude"},
		},
		"config_paths and config_raw": {
			settings: kube.Settings{ConfigPaths: []string{path}, ConfigRaw: ptr(twoContexts)},
			setting:  "config_paths", words: []string{"config_raw", "exclude"},
		},
		"config_paths empty": {
			settings: kube.Settings{ConfigPaths: []string{}},
			setting:  "config_paths", words: []string{"empty"},
		},
		"config_paths with an empty path": {
			settings: kube.Settings{ConfigPaths: []string{path, ""}},
			setting:  "config_paths", words: []string{"path 2 of 2", "empty"},
		},
		"config_raw malformed": {
			settings: kube.Settings{ConfigRaw: ptr("users: " + planted)},
			setting:  "config_raw", words: []string{"not a kubeconfig"},
		},
		"config_raw with aliases of gigabytes": {
			settings: kube.Settings{ConfigRaw: ptr("users: &n " + strings.Repeat("x", 700_000) + "\nclusters: [a" + strings.Repeat(", *n",
				5_000) + "]\n")},
			setting: "config_raw", words: []string{"not a kubeconfig", "expand to more than 16777216 bytes"},
		},
		"config_raw is one line of text": {
			settings: kube.Settings{ConfigRaw: ptr(planted)},
			setting:  "config_raw", words: []string{"not a kubeconfig"},
		},
		"config_raw with a mistyped value": {
			settings: kube.Settings{ConfigRaw: ptr("users:\n- name: a\n  user:\n    exec: " + planted + "\n")},
			setting:  "config_raw", words: []string{"not a kubeconfig"},
		},
		"config_raw with data that is not base64": {
			settings: kube.Settings{ConfigRaw: ptr("users:\n- name: a\n  user:\n    client-key-data: " + planted + "!\n")},
			setting:  "config_raw", words: []string{"not a kubeconfig", "input byte"},
		},
		"config_raw with a password that YAML takes for an alias": { // the parser's message quotes it
			settings: kube.Settings{ConfigRaw: ptr("users:\n- name: a\n  user:\n    password: *" + planted + "\n")},
			setting:  "config_raw", words: []string{"not a kubeconfig"},
		},
		"config_raw in base64": {
			settings: kube.Settings{ConfigRaw: ptr(base64.StdEncoding.EncodeToString([]byte(twoContexts)))},
			setting:  "config_raw", words: []string{"base64"},
		},
		"config_raw is a path": {
			settings: kube.Settings{ConfigRaw: &path},
			setting:  "config_raw", words: []string{"config_path"},
		},
		"context not there": {
			settings: kube.Settings{ConfigPath: &path, ConfigContext: ptr("prod")},
			setting:  "config_context", words: []string{`"prod"`, path, `It has "bare", "dev", "live", "lost", "lost-user"`},
		},
		"context of the environment not there": {
			settings: kube.Settings{ConfigPath: &path},
			env:      []string{"KUBE_CTX", "prod"},
			setting:  "config_context", variable: "KUBE_CTX", words: []string{`"prod"`, `"live"`, "KUBE_CTX"},
		},
		"current context not there": {
			settings: kube.Settings{ConfigRaw: replaced("current-context: dev", "current-context: old")},
			setting:  "config_raw", words: []string{`current-context "old"`, `"dev"`},
		},
		"no current context": {
			settings: kube.Settings{ConfigRaw: replaced("current-context: dev", "preferences: {}")},
			setting:  "config_context", words: []string{"no current-context", `"dev"`, `"live"`},
		},
		"cluster of the context not there": {
			settings: kube.Settings{ConfigPath: &path, ConfigContext: ptr("lost")},
			setting:  "config_path", words: []string{`cluster "gone"`, `context "lost"`, `It has "dev", "live"`},
		},
		"user of the context not there": {
			settings: kube.Settings{ConfigPath: &path, ConfigContext: ptr("lost-user")},
			setting:  "config_path", words: []string{`user "gone"`, `context "lost-user"`, `It has "dev", "live"`},
		},
		"cluster not there": {
			settings: kube.Settings{ConfigPath: &path, ConfigContextCluster: ptr("prod")},
			setting:  "config_context_cluster", words: []string{`cluster "prod"`, `"live"`},
		},
		"user not there": {
			settings: kube.Settings{ConfigPath: &path, ConfigContextAuthInfo: ptr("prod")},
			setting:  "config_context_auth_info", words: []string{`user "prod"`, `"live"`},
		},
		"context without a kubeconfig": {
			settings: kube.Settings{Host: ptr("https://api.example.com"), ConfigContext: ptr("dev")},
			env:      []string{"KUBE_CONFIG_PATH", path},
			setting:  "config_context", words: []string{"no kubeconfig", "of the environment", "not read"},
		},
		"cluster without a server": {
			settings: kube.Settings{ConfigRaw: replaced(`{server: "https://dev.example.com:6443", tls-server-name: dev.internal}`, "{}")},
			setting:  "config_raw", words: []string{"server of the cluster", `"dev"`, "not the URL"},
		},
		"server of the kubeconfig is not a URL": {
			settings: kube.Settings{ConfigRaw: replaced("https://dev.example.com:6443", planted)},
			setting:  "config_raw", words: []string{"server of the cluster", `"dev"`, "not the URL"},
		},
		"proxy of the kubeconfig is not a URL": {
			settings: kube.Settings{ConfigRaw: replaced("tls-server-name: dev.internal", `proxy-url: "ftp://u:`+planted+`@x"`)},
			setting:  "config_raw", words: []string{"proxy-url", `"dev"`},
		},
		"kubeconfig with a bad CA": {
			settings: kube.Settings{ConfigRaw: replaced("tls-server-name: dev.internal", "certificate-authority-data: eHh4")},
			setting:  "config_raw", words: []string{"certificates"},
		},
		"kubeconfig with two kinds of credentials": {
			settings: kube.Settings{ConfigRaw: replaced("{token: s3cr3t-of-dev}",
				"{token: "+plantedToken+", username: u, password: "+plantedPassword+"}")},
			setting: "config_raw", words: []string{"more than one authentication method"},
		},
		"kubeconfig with an auth plugin that is gone": {
			settings: kube.Settings{ConfigRaw: replaced("{token: s3cr3t-of-dev}",
				"{auth-provider: {name: gcp, config: {access-token: "+plantedToken+"}}}")},
			setting: "config_raw", words: []string{"gcp auth plugin has been removed"},
		},
		"kubeconfig with a certificate file that is not there": {
			settings: kube.Settings{ConfigRaw: replaced("{token: s3cr3t-of-dev}", "{client-certificate: /no/such/cert, client-key: /no/such/key}")},
			setting:  "config_raw", words: []string{"/no/such/cert"},
		},
		"host is a name": {
			settings: onHost(func(s *kube.Settings) { s.Host = ptr("api.example.com") }),
			setting:  "host", words: []string{"not the URL", "https://"},
		},
		"host with a port alone": {
			settings: onHost(func(s *kube.Settings) { s.Host = ptr("api.example.com:6443") }),
			setting:  "host", words: []string{"not the URL", "https://"},
		},
		"host cannot be parsed": {
			settings: onHost(func(s *kube.Settings) { s.Host = ptr("https://u:" + planted + "@[::1") }),
			setting:  "host", words: []string{"not the URL"},
		},
		"host with a user": {
			settings: onHost(func(s *kube.Settings) { s.Host = ptr("https://u:" + planted + "@api.example.com") }),
			setting:  "host", words: []string{"holds a user"},
		},
		"host with a query": {
			settings: onHost(func(s *kube.Settings) { s.Host = ptr("https://api.example.com?token=" + planted) }),
			setting:  "host", words: []string{"query"},
		},
		"KUBE_HOST is a name": {
			env:     []string{"KUBE_HOST", "api.example.com"},
			setting: "host", variable: "KUBE_HOST", words: []string{"not the URL", "KUBE_HOST"},
		},
		"credentials without TLS": {
			settings: onHost(func(s *kube.Settings) { s.Host, s.Token = ptr("http://api.example.com"), ptr(plantedToken) }),
			setting:  "host", words: []string{"http://", "TLS"},
		},
		"credentials without TLS, in capitals": {
			settings: onHost(func(s *kube.Settings) { s.Host, s.Token = ptr("HTTP://api.example.com"), ptr(plantedToken) }),
			setting:  "host", words: []string{"http://", "TLS"},
		},
		"empty host": {
			settings: onHost(func(s *kube.Settings) { s.Host = ptr("") }),
			setting:  "host", words: []string{"empty"},
		},
		"empty config_raw": {
			settings: kube.Settings{ConfigRaw: ptr(" \n")},
			setting:  "config_raw", words: []string{"empty"},
		},
		"blank KUBE_TOKEN": {
			settings: onHost(func(*kube.Settings) {}),
			env:      []string{"KUBE_TOKEN", "\n"},
			setting:  "token", variable: "KUBE_TOKEN", words: []string{"blank"},
		},
		"proxy is not a URL": {
			settings: onHost(func(s *kube.Settings) { s.ProxyURL = ptr("proxy:1080 " + planted) }),
			setting:  "proxy_url", words: []string{"not the URL of a proxy", "socks5://"},
		},
		"proxy of another scheme": {
			settings: onHost(func(s *kube.Settings) { s.ProxyURL = ptr("ftp://u:" + planted + "@proxy") }),
			setting:  "proxy_url", words: []string{"not the URL of a proxy"},
		},
		"client certificate without key": {
			settings: onHost(func(s *kube.Settings) { s.ClientCertificate = &certificate }),
			setting:  "client_certificate", words: []string{"client_key"},
		},
		"client key without certificate": {
			settings: onHost(func(s *kube.Settings) { s.ClientKey = &key }),
			setting:  "client_key", words: []string{"client_certificate"},
		},
		"client certificate is not PEM": {
			settings: onHost(func(s *kube.Settings) { s.ClientCertificate, s.ClientKey = ptr("junk"), &key }),
			setting:  "client_certificate", words: []string{"not a PEM certificate"},
		},
		"client certificate in base64": {
			settings: onHost(func(s *kube.Settings) {
				s.ClientCertificate, s.ClientKey = ptr(base64.StdEncoding.EncodeToString([]byte(certificate))), &key
			}),
			setting: "client_certificate", words: []string{"base64"},
		},
		"client certificate is a key": {
			settings: onHost(func(s *kube.Settings) { s.ClientCertificate, s.ClientKey = &key, &key }),
			setting:  "client_certificate", words: []string{"not a PEM certificate"},
		},
		"client key is not PEM": {
			settings: onHost(func(s *kube.Settings) { s.ClientCertificate, s.ClientKey = &certificate, ptr(planted) }),
			setting:  "client_key", words: []string{"not a PEM key"},
		},
		"client key of another certificate": {
			settings: onHost(func(s *kube.Settings) { s.ClientCertificate, s.ClientKey = &certificate, &otherKey }),
			setting:  "client_key", words: []string{"not a pair"},
		},
		"CA is not PEM": {
			settings: onHost(func(s *kube.Settings) { s.ClusterCACertificate = ptr("/etc/ca.pem") }),
			setting:  "cluster_ca_certificate", words: []string{"not a PEM certificate"},
		},
		"CA of the environment is not PEM": {
			settings: onHost(func(*kube.Settings) {}),
			env:      []string{"KUBE_CLUSTER_CA_CERT_DATA", "junk"},
			setting:  "cluster_ca_certificate", variable: "KUBE_CLUSTER_CA_CERT_DATA", words: []string{"not a PEM certificate"},
		},
		"insecure and CA": {
			settings: onHost(func(s *kube.Settings) { s.ClusterCACertificate, s.Insecure = &certificate, ptr(true) }),
			setting:  "insecure", words: []string{"cluster_ca_certificate", "exclude"},
		},
		"user without password": {
			settings: onHost(func(s *kube.Settings) { s.Username = ptr("u") }),
			setting:  "username", words: []string{"password"},
		},
		"password without user": {
			settings: onHost(func(s *kube.Settings) { s.Password = ptr(plantedPassword) }),
			setting:  "password", words: []string{"username"},
		},
		"token and user": {
			settings: onHost(func(s *kube.Settings) {
				s.Token, s.Username, s.Password = ptr(plantedToken), ptr("u"), ptr(plantedPassword)
			}),
			setting: "token", words: []string{"username", "exclude"},
		},
		"token of two lines": {
			settings: onHost(func(s *kube.Settings) { s.Token = ptr(plantedToken + "\n" + plantedToken) }),
			setting:  "token", words: []string{"line break"},
		},
		"exec without command": {
			settings: onHost(func(s *kube.Settings) { s.Exec = &kube.Exec{Args: []string{planted}} }),
			setting:  "exec.command", words: []string{"command"},
		},
		"exec of a version that cannot be read": {
			settings: onHost(func(s *kube.Settings) { s.Exec = &kube.Exec{Command: "x", APIVersion: "v1"} }),
			setting:  "exec.api_version", words: []string{`"v1"`, "client.authentication.k8s.io/v1"},
		},
		"exec with a nameless variable": {
			settings: onHost(func(s *kube.Settings) { s.Exec = &kube.Exec{Command: "x", Env: map[string]string{"": planted}} }),
			setting:  "exec.env", words: []string{"empty"},
		},
		"exec and token": {
			settings: onHost(func(s *kube.Settings) { s.Exec, s.Token = &kube.Exec{Command: "x"}, ptr(plantedToken) }),
			setting:  "exec", words: []string{"token", "excludes"},
		},
		"KUBE_INSECURE is not a boolean": {
			settings: onHost(func(*kube.Settings) {}),
			env:      []string{"KUBE_INSECURE", planted},
			setting:  "insecure", variable: "KUBE_INSECURE", words: []string{"not a boolean", "KUBE_INSECURE"},
		},
		"no namespace with a host": {
			settings: kube.Settings{Host: ptr("https://api.example.com")},
			setting:  "namespace", words: []string{"HAP_NAMESPACE", "no context", "not assumed"},
		},
		"no namespace in the context": {
			settings: kube.Settings{ConfigPath: &path, ConfigContext: ptr("bare")},
			setting:  "namespace", words: []string{"HAP_NAMESPACE", `context "bare" names none`},
		},
		"namespace malformed": {
			settings: kube.Settings{ConfigPath: &path, Namespace: ptr("Garden_HAP")},
			setting:  "namespace", words: []string{`"Garden_HAP"`, "lower case"},
		},
		"HAP_NAMESPACE malformed": {
			settings: kube.Settings{ConfigPath: &path},
			env:      []string{"HAP_NAMESPACE", "a b"},
			setting:  "namespace", variable: "HAP_NAMESPACE", words: []string{`"a b"`},
		},
		"namespace of the context malformed": {
			settings: kube.Settings{ConfigRaw: replaced("namespace: garden-dev", "namespace: Garden")},
			setting:  "namespace", words: []string{`"Garden"`, `context "dev"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := resolve(tt.settings, environment(tt.env...))
			problem, ok := errors.AsType[*kube.SettingError](err)
			if !ok {
				t.Fatalf("error = %v (%T), want a *SettingError", err, err)
			}
			if problem.Setting != tt.setting {
				t.Errorf("attribute = %q, want %q (%v)", problem.Setting, tt.setting, err)
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
		settings kube.Settings
		env      []string
		words    []string
		without  []string
	}{
		"nothing at all": {
			words: []string{
				"config_path (KUBE_CONFIG_PATH): not set", "config_paths (KUBE_CONFIG_PATHS): not set", "config_raw: not set",
				"host (KUBE_HOST): not set",
				"token (KUBE_TOKEN): not set", "username (KUBE_USER)", "password (KUBE_PASSWORD)", "client_certificate (KUBE_CLIENT_CERT_DATA)",
				"client_key (KUBE_CLIENT_KEY_DATA)", "exec: not set", "cluster_ca_certificate (KUBE_CLUSTER_CA_CERT_DATA)", "insecure (KUBE_INSECURE)",
				"tls_server_name (KUBE_TLS_SERVER_NAME)", "proxy_url (KUBE_PROXY_URL)", "config_context (KUBE_CTX)",
				"config_context_auth_info (KUBE_CTX_AUTH_INFO)", "config_context_cluster (KUBE_CTX_CLUSTER)", "localhost",
			},
			without: []string{"KUBECONFIG is set"},
		},
		"a namespace and a token name no server": {
			settings: kube.Settings{Namespace: ptr("garden-hap")},
			env:      []string{"KUBE_TOKEN", plantedToken},
			words:    []string{"token (KUBE_TOKEN): set", "host (KUBE_HOST): not set"},
		},
		"KUBECONFIG and a pod's variables are not read": {
			env: []string{"KUBECONFIG", "/home/somebody/.kube/config", "KUBERNETES_SERVICE_HOST", "10.0.0.1", "KUBERNETES_SERVICE_PORT", "443",
				"KUBERNETES_MASTER", "http://localhost:8080"},
			words:   []string{"KUBECONFIG is set", "not read", "KUBE_CONFIG_PATH"},
			without: []string{"/home/somebody"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := resolve(tt.settings, environment(tt.env...))
			if _, ok := errors.AsType[*kube.NotConfiguredError](err); !ok {
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
	second := kube.Place{Object: "platform", Namespace: "platform.namespace"}
	for _, tt := range []struct {
		place   kube.Place
		setting string
		want    []string
	}{
		{place, "namespace", []string{"namespace"}},
		{place, "host", []string{"kubernetes", "host"}},
		{place, "exec.command", []string{"kubernetes", "exec", "command"}},
		{second, "namespace", []string{"platform", "namespace"}},
		{second, "host", []string{"platform", "host"}},
		{kube.Place{}, "host", []string{"host"}},
	} {
		if got := (&kube.SettingError{Place: tt.place, Setting: tt.setting}).Path(); !slices.Equal(got, tt.want) {
			t.Errorf("Path of %s = %q, want %q", tt.setting, got, tt.want)
		}
	}
}

// A second connection has settings of its own: the environment of the first does not reach it, and its errors name its own
// place and no variable.
func TestSecondConnection(t *testing.T) {
	t.Parallel()
	second := kube.Place{API: "the Cluster API", Object: "platform", Namespace: "platform.namespace", NamespaceOf: "the requests"}
	getenv := environment("KUBE_HOST", "https://garden.example.com", "KUBE_TOKEN", plantedToken, "KUBE_CONFIG_PATH", "/no/such/file",
		"HAP_NAMESPACE", "garden-hap", "KUBECONFIG", "/home/u/.kube/config")
	host := ptr("https://platform.example.com")
	for name, tt := range map[string]struct {
		settings kube.Settings
		words    []string
	}{
		"nothing":      {kube.Settings{}, []string{"no connection to the Cluster API", "in platform:", "host: not set", "KUBECONFIG is set"}},
		"no namespace": {kube.Settings{Host: host}, []string{"namespace of the requests", "platform.namespace is not set"}},
		"half a pair":  {kube.Settings{Host: host, Username: ptr("u")}, []string{"platform.username", "password"}},
		"empty host":   {kube.Settings{Host: ptr("")}, []string{"platform.host", "empty"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.settings.Place = second
			filled, err := kube.FromEnvironment(getenv, tt.settings)
			if err != nil {
				t.Fatal(err)
			}
			_, err = kube.Resolve(filled, "test-agent/1")
			if err == nil {
				t.Fatal("resolved")
			}
			for _, word := range tt.words {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q is missing in: %s", word, err)
				}
			}
			if strings.Contains(err.Error(), "KUBE_") || strings.Contains(err.Error(), "HAP_") {
				t.Errorf("a variable that is not read shows in: %s", err)
			}
		})
	}
	c, err := kube.Resolve(kube.Settings{Place: second, Host: host, Namespace: ptr("n")}, "test-agent/1")
	if err != nil || c.Config.Host != *host || c.Config.BearerToken != "" {
		t.Errorf("got %v, %v", c, err)
	}
}

// TestNothingPrintsSecrets prints settings and connections in every way that Go code prints values.
func TestNothingPrintsSecrets(t *testing.T) {
	t.Parallel()
	settings := kube.Settings{
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
		Exec:        &kube.Exec{Command: "login --password " + planted, Args: []string{planted}, Env: map[string]string{"PASSWORD": planted}},
	}
	connection := mustResolve(t, kube.Settings{ConfigRaw: ptr(twoContexts), ProxyURL: settings.ProxyURL},
		environment("KUBE_TOKEN", plantedToken))

	type holder struct {
		Exported any
		hidden   kube.Settings
		exec     *kube.Exec
		c        *kube.Connection
	}
	var logged strings.Builder
	for _, handler := range []slog.Handler{slog.NewTextHandler(&logged, nil), slog.NewJSONHandler(&logged, nil)} {
		slog.New(handler).Info("message", "settings", settings, "pointer", &settings, "exec", settings.Exec, "inside", holder{Exported: settings})
	}
	noSecret(t, logged.String())

	for _, value := range []any{
		settings, &settings, *settings.Exec, settings.Exec, connection, []kube.Settings{settings}, map[string]any{"a": settings},
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
}

// Half a pair is no mistake before the environment is read: it may hold the other half.
func TestCheckLeavesTheOtherHalfToTheEnvironment(t *testing.T) {
	t.Parallel()
	s := kube.Settings{Host: ptr("https://api.example.com"), Namespace: ptr("n"), Username: ptr("u")}
	if err := s.Check(); err != nil {
		t.Errorf("Check: %v", err)
	}
	if _, err := kube.Resolve(s, "test-agent/1"); err == nil {
		t.Error("half a pair was resolved")
	}
}

func TestFromEnvironmentLeavesItsArgumentAlone(t *testing.T) {
	t.Parallel()
	given := kube.Settings{Place: place, Host: ptr("https://api.example.com")}
	first, err := kube.FromEnvironment(environment("KUBE_TOKEN", "a", "HAP_NAMESPACE", "n"), given)
	if err != nil {
		t.Fatal(err)
	}
	if given.Token != nil || given.Namespace != nil || first.Token == nil {
		t.Error("the argument was changed, or the result was not")
	}
}

// The proxy of the environment says how servers are reached from here: it is read beside a given kubeconfig too, unless that names one.
func TestProxyOfTheEnvironmentBesideAKubeconfig(t *testing.T) {
	t.Parallel()
	const ofEnvironment, ofKubeconfig, ofSettings = "http://env.example.com:3128", "http://file.example.com:3128", "http://set.example.com:3128"
	without, with := twoContexts, strings.ReplaceAll(twoContexts, "tls-server-name: dev.internal", "proxy-url: "+ofKubeconfig)
	if with == without {
		t.Fatal("the kubeconfig names no proxy")
	}
	for name, tt := range map[string]struct {
		settings    kube.Settings
		proxy, over string
	}{
		"it names none":         {kube.Settings{ConfigRaw: &without}, ofEnvironment, ", overridden by KUBE_PROXY_URL"},
		"it names one":          {kube.Settings{ConfigRaw: &with}, ofKubeconfig, ""},
		"the settings name one": {kube.Settings{ConfigRaw: &with, ProxyURL: ptr(ofSettings)}, ofSettings, ", overridden by proxy_url"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			connection := mustResolve(t, tt.settings, environment("KUBE_PROXY_URL", ofEnvironment))
			proxy, err := connection.Config.Proxy(&http.Request{})
			if err != nil || proxy.String() != tt.proxy {
				t.Errorf("the proxy is %v (%v), want %s", proxy, err, tt.proxy)
			}
			if _, over, _ := strings.Cut(connection.Source, `"dev"`); over != tt.over {
				t.Errorf("the source ends with %q, want %q", over, tt.over)
			}
		})
	}
}
