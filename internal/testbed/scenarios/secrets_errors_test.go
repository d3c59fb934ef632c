package scenarios

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// No secret of a connection that does not work comes out with the error.
func TestSecretsOfAConnectionThatFails(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(1)...)
	host := s.connection(t)
	with := func(attributes string) string { return host + "\n    " + attributes + "\n  }" }
	raw := fmt.Sprintf("namespace = %q\n  kubernetes = { config_raw = var.planted }", s.Name)
	secret := plant("secret")
	tunnel := newTunnel(t, "user", "another password")
	certificate, key := newCertificate(t)
	_, otherKey := newCertificate(t)
	program := func(script string) string {
		return with(fmt.Sprintf("exec = { command = %q, args = [var.planted], env = { PLANTED = var.planted } }", writeProgram(t, script)))
	}
	tests := map[string]struct {
		settings string
		planted  string // the variable's value
		secret   string // the part of it to look for; empty = all
	}{
		"token that is none":    {with("token = var.planted"), "two lines\n" + secret, secret},
		"token that is unknown": {with("token = var.planted"), secret, ""},
		"password":              {with("username = \"user\"\n    password = var.planted"), secret, ""},
		"key that is none":      {with(fmt.Sprintf("client_certificate = %q\n    client_key = var.planted", certificate)), secret, ""},
		"key that does not fit": {
			with(fmt.Sprintf("client_certificate = %q\n    client_key = var.planted", certificate)), otherKey, body(otherKey),
		},
		"key that is unknown":              {with(fmt.Sprintf("client_certificate = %q\n    client_key = var.planted", certificate)), key, body(key)},
		"kubeconfig with broken lines":     {raw, "apiVersion: v1\nusers:\n- name: u\n  user:\n    token: " + secret + "\n   password: x\n", secret},
		"kubeconfig with a list for token": {raw, "apiVersion: v1\nkind: Config\nusers:\n- name: u\n  user: {token: [" + secret + "]}\n", secret},
		"kubeconfig with bad base64":       {raw, "apiVersion: v1\nkind: Config\nusers:\n- name: u\n  user: {client-key-data: \"" + secret + "\"}\n", secret},
		"kubeconfig with a bad server": {raw, "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n" +
			"users: [{name: u, user: {}}]\nclusters: [{name: c, cluster: {server: \"https://user:" + url.QueryEscape(secret) + "@127.0.0.1:1\"}}]\n", secret},
		"kubeconfig for a path": {
			fmt.Sprintf("namespace = %q\n  kubernetes = { config_path = var.planted }", s.Name),
			"apiVersion: v1\nusers: [{name: u, user: {token: " + secret + "}}]\n", secret,
		},
		"proxy that is not there":   {with("proxy_url = var.planted"), "http://user:" + url.QueryEscape(secret) + "@127.0.0.1:1", secret},
		"proxy that refuses":        {with("proxy_url = var.planted"), tunnel.url(secret), secret},
		"proxy that is none":        {with("proxy_url = var.planted"), "ftp://user:" + url.QueryEscape(secret) + "@127.0.0.1:1", secret},
		"proxy that cannot be read": {with("proxy_url = var.planted"), "http://user:%zz" + secret + "@127.0.0.1:1", secret},
		"host with a password": {
			fmt.Sprintf("namespace = %q\n  kubernetes = { host = var.planted }", s.Name),
			"https://user:" + url.QueryEscape(secret) + "@127.0.0.1:1", secret,
		},
		"program that fails":          {program("exit 3"), secret, ""},
		"program that prints no JSON": {program("echo \"token: $1\""), secret, ""},
		"program that prints half of it": {
			program("echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\"," +
				"\"status\":{\"token\":[\"'$1'\"]}}'"),
			secret, "",
		},
		"program of another version": {program("echo '" + execCredential("v1alpha1", secret) + "'"), secret, ""},
		"program that is not there":  {with("exec = { command = \"no-such-program\", args = [var.planted], env = { PLANTED = var.planted } }"), secret, ""},
		"token of a program refused": {program("echo '" + execCredential("v1", secret) + "'"), secret, ""},
	}
	for name, test := range sampled(t, tests) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.secret == "" {
				test.secret = test.planted
			}
			p := s.secretly(t, secrets{"secret": test.secret}, test.settings, map[string]string{"planted": test.planted})
			p.run(t, "validate")
			result := p.run(t, applying...)
			if result.ExitCode == 0 || !strings.Contains(result.Output, "Error: ") || strings.Contains(result.Output, "Error: Unexpected") {
				t.Errorf("exit code %d:\n%s", result.ExitCode, result.Output)
			}
			p.keepsQuiet(t)
		})
	}
	t.Cleanup(func() { s.wantWrites(t, "without a connection", 0) })
}

// execCredential is what a program for tokens prints.
func execCredential(version, token string) string {
	return fmt.Sprintf(`{"apiVersion":"client.authentication.k8s.io/%s","kind":"ExecCredential","status":{"token":%q}}`, version, token)
}

// writeProgram writes a shell script and returns its path.
func writeProgram(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := local.WriteProgram(path, "#!/bin/sh\n"+script+"\n"); err != nil {
		t.Fatal(err)
	}
	return path
}

// newCertificate makes a certificate and its key.
func newCertificate(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})),
		string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: encoded}))
}

// body is the first line of a PEM text that has content.
func body(text string) string { return strings.Split(text, "\n")[1] }

// tunnel is a proxy that wants a password.
type tunnel struct {
	server *httptest.Server
	wanted string
	opened atomic.Int64
}

func newTunnel(t *testing.T, user, password string) *tunnel {
	t.Helper()
	p := &tunnel{wanted: "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))}
	p.server = httptest.NewServer(p)
	t.Cleanup(p.server.Close)
	return p
}

// url is the address of the tunnel with a password in it.
func (p *tunnel) url(password string) string {
	return "http://user:" + url.QueryEscape(password) + "@" + p.server.Listener.Addr().String()
}

// ServeHTTP opens a way to where the client wants to go.
func (p *tunnel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect || r.Header.Get("Proxy-Authorization") != p.wanted {
		http.Error(w, "who are you", http.StatusProxyAuthRequired)
		return
	}
	there, err := net.DialTimeout("tcp", r.Host, time.Minute)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer func() { _ = there.Close() }()
	w.WriteHeader(http.StatusOK)
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = client.Close() }()
	p.opened.Add(1)
	go func() {
		_, _ = io.Copy(there, buffered)
		_ = there.Close()
	}()
	_, _ = io.Copy(client, there)
}
