package scenarios

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// connection begins a provider block that names the proxy by attributes, with the object kubernetes left open.
func (s stage) connection(t *testing.T) string {
	t.Helper()
	config := s.user.Config()
	s.proxy.Through(config)
	return fmt.Sprintf(`namespace = %q
  kubernetes = {
    host                   = %q
    cluster_ca_certificate = %q`, s.Name, config.Host, string(config.CAData))
}

// F16: a token file that was renewed is read again.
func TestF16TokenFileIsReadAgain(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(1)...)
	token := filepath.Join(t.TempDir(), "token")
	put := func(content string) {
		if err := os.WriteFile(token, []byte(content), 0o600); err != nil {
			t.Error(err)
		}
	}
	put("eyJhbGciOiJSUzI1NiJ9.e30.AAAA")
	s.proxy.Spoil(fault.Rule{Client: "Terraform/", Nth: 1, Fault: fault.Do(func() { put(s.user.Token) }, nil)})
	c := s.configure(t)
	config := s.user.Config()
	s.proxy.Through(config)
	kubeconfig := fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: c\n"+
		"contexts: [{name: c, context: {cluster: c, user: u, namespace: %s}}]\n"+
		"users: [{name: u, user: {tokenFile: %q}}]\n"+
		"clusters: [{name: c, cluster: {server: %q, insecure-skip-tls-verify: true}}]\n", s.Name, token, config.Host)
	c.Setenv("KUBE_CONFIG_PATH", "")
	c.write(t, fmt.Sprintf("kubernetes = { config_raw = %q }", kubeconfig), claim("blue", "ga-1"))
	c.apply(t)
	first := s.proxy.Log()[0]
	if first.Code != http.StatusUnauthorized {
		t.Errorf("the first request was answered %d: the test tests nothing", first.Code)
	}
	c.wantClaimed(t, "blue", "ga-1")
}

// F16: a token that is not renewed dies in the middle of an apply: the error says what to do, the claim that was made is
// in the state, and with a good token the same command makes the others.
func TestF16ApplyAndDestroyGoOn(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(3)...)
	c := s.configure(t, claim("one", "ga-1"), claim("two", "ga-2"), claim("three", "ga-3"))
	dead := func(writes int) (lift func()) {
		seen := 0
		return s.proxy.Spoil(fault.Rule{Client: "Terraform/", Fault: fault.Unauthorized(), When: func(x fault.Exchange) bool {
			if x.Verb == "patch" {
				seen++
			}
			return seen > writes
		}})
	}
	lift := dead(1)
	c.fails(t, applying, "Credentials not accepted by the Garden", "the credentials were not accepted", "renew it")
	s.wantWrites(t, "when the token was dead", 1)
	if held := s.holders(t); len(held) != 1 || len(c.standing) != 1 {
		t.Errorf("held %v, in the state %v", held, c.standing)
	}
	lift()
	c.apply(t)
	s.wantWrites(t, "with a good token", 3)
	lift = dead(2)
	c.fails(t, []string{"destroy", "-auto-approve", "-parallelism=1"}, "Credentials not accepted by the Garden", "renew it")
	lift()
	c.destroy(t)
	for account := range s.holders(t) {
		if dirt := s.dirt(t, account); dirt != "true" {
			t.Errorf("account %s: dirty=%s", account, dirt)
		}
	}
}
