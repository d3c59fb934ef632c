package scenarios

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

// lastRequest is about how many requests three claims and their releases take: the token dies before each of them.
const lastRequest = 20

// F16: the token dies after so many requests, wherever that is: the request is sent once more, then the error says so.
// What stands is whole, and with a new token everything comes to its end.
func TestF16TokenDies(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(3*(lastRequest+1))...)
	t.Run("after", func(t *testing.T) {
		for k := range lastRequest + 1 {
			t.Run(fmt.Sprintf("%d requests", k), func(t *testing.T) {
				t.Parallel()
				agent := fmt.Sprintf("terraform-provider-hap/k%d.", k)
				s.proxy.Spoil(fault.Rule{Client: agent, From: k + 1, Fault: fault.Unauthorized()})
				err := s.lives(t, k, agent)
				var unauthorized *account.UnauthorizedError
				if !errors.As(err, &unauthorized) {
					t.Fatalf("got %T: %v", err, err)
				}
				s.wantWhole(t, k)
				s.wantOneMoreTry(t, agent)
				if err := s.lives(t, k, "terraform-provider-hap/renewed"); err != nil {
					t.Error(err)
				}
			})
		}
	})
	for _, a := range s.ListAccounts(t) {
		if a.Labels["dirty"] != "true" || len(s.records(t, a.Name)) > 0 {
			t.Errorf("account %s was not claimed and released: %v %v", a.Name, a.Labels, a.Annotations)
		}
	}
}

// lives is what a pipeline with three claims does: all of them, then all of their releases. It goes on where another one
// has stopped.
func (s stage) lives(t *testing.T, k int, agent string) error {
	t.Helper()
	claims := make([]protocol.Claim, 0, 3)
	p := s.started(t, agent)
	for i := range 3 {
		ga := fmt.Sprintf("ga-%d-%d", k, i)
		if s.isReleased(t, ga) {
			continue
		}
		id := p.Identity(ga, awsPool, "blue")
		got, err := p.Claim(t.Context(), protocol.ClaimRequest{Name: id.Name, GlobalAccount: ga, Target: awsPool})
		var fenced *protocol.UnusableError // by the release that has stopped: it goes on
		if errors.As(err, &fenced) {
			a := s.GetAccount(t, fenced.Account)
			got, err = protocol.Claim{Identity: id, Account: account.Account{Name: a.Name, UID: string(a.UID), Version: a.ResourceVersion}}, nil
		}
		if err != nil {
			s.Unknown(id.Key())
			return err
		}
		s.Acknowledge(id.Key(), got.Account.Name, got.Account.Version)
		claims = append(claims, got)
	}
	p = s.started(t, agent) // the destroy is another process
	for _, c := range claims {
		s.Released(c.Identity.Key(), c.Account.Name)
		s.Unknown(c.Identity.Key())
		release := protocol.ReleaseRequest{Identity: c.Identity, Account: c.Account.Name, UID: c.Account.UID, Mode: account.MarkDirty}
		if _, err := p.Release(t.Context(), release); err != nil {
			return err
		}
	}
	return nil
}

// isReleased says whether the Global Account's one claim was made and released.
func (s stage) isReleased(t *testing.T, ga string) bool {
	t.Helper()
	for account, tenant := range s.holders(t) {
		if tenant == ga && s.dirt(t, account) == "true" {
			return true
		}
	}
	return false
}

// wantWhole checks that what the three claims have left is whole: one account for each, and on it the record, unless it
// is released.
func (s stage) wantWhole(t *testing.T, k int) {
	t.Helper()
	held := map[string]string{}
	for account, tenant := range s.holders(t) {
		if !strings.HasPrefix(tenant, fmt.Sprintf("ga-%d-", k)) {
			continue
		}
		if held[tenant] != "" {
			t.Errorf("%s holds %s and %s", tenant, held[tenant], account)
		}
		held[tenant] = account
		want := 1
		if s.dirt(t, account) == "true" {
			want = 0
		}
		if records := s.records(t, account); len(records) != want {
			t.Errorf("%s of %s bears the records %q, want %d", account, tenant, records, want)
		}
	}
}

// wantOneMoreTry checks that a request which was refused is sent once more, with what may be a new token, and no more
// often. After that comes only the try to take a fence down, or the look before it.
func (s stage) wantOneMoreTry(t *testing.T, agent string) {
	t.Helper()
	var refused []string
	for _, x := range s.proxy.Log() {
		if x.Client == agent && x.Sent == http.StatusUnauthorized {
			refused = append(refused, x.Verb+" "+x.Resource)
		}
	}
	twice := len(refused) > 1 && refused[0] == refused[1]
	fence := len(refused) == 4 && (refused[2] == "get credentialsbindings" || refused[2] == "patch credentialsbindings") && refused[3] == refused[2]
	if !twice || len(refused) != 2 && !fence {
		t.Errorf("refused: %q", refused)
	}
}

// F16: a program that prints tokens is run again when one has died, and neither apply nor destroy fails.
func TestF16ProgramRenewsTheToken(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(3)...)
	folder := t.TempDir()
	runs := filepath.Join(folder, "runs")
	printed := fmt.Sprintf(`{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":%q}}`, s.user.Token)
	program := filepath.Join(folder, "token")
	if err := local.WriteProgram(program, "#!/bin/sh\necho run >> "+runs+"\necho '"+printed+"'\n"); err != nil {
		t.Fatal(err)
	}
	// Each token is good for four requests.
	used, known := 0, 0
	s.proxy.Spoil(fault.Rule{Client: "Terraform/", Fault: fault.Unauthorized(), When: func(fault.Exchange) bool {
		content, err := os.ReadFile(runs)
		if now := strings.Count(string(content), "run"); err == nil && now != known {
			used, known = 0, now
		}
		used++
		return used > 4
	}})
	c := s.configure(t)
	settings := s.connection(t) + fmt.Sprintf("\n    exec = { command = %q }\n  }", program)
	c.write(t, settings, claim("one", "ga-1"), claim("two", "ga-2"), claim("three", "ga-3"))
	c.succeeds(t, "apply", "-auto-approve", "-parallelism=1")
	if held := s.holders(t); len(held) != 3 {
		t.Errorf("held: %v", held)
	}
	c.succeeds(t, "destroy", "-auto-approve", "-parallelism=1")
	refused := 0
	for _, x := range s.proxy.Log() {
		if x.Sent == http.StatusUnauthorized {
			refused++
		}
	}
	if refused < 3 {
		t.Errorf("only %d requests were refused: the test tests nothing", refused)
	}
	s.wantWrites(t, "three claims, three releases in two steps", 9)
}

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
