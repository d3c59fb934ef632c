package garden

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// F2: a write whose answer is lost may have taken effect: the error says so, and the write is not sent again.
func TestWriteWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	acceptance(t)
	for name, test := range map[string]struct {
		fault   func() fault.Fault // nil = the client gives up
		commits bool
	}{
		"connection cut before the commit":   {fault.CutBefore, false},
		"connection cut after the commit":    {fault.CutAfter, true},
		"connection cut within the answer":   {fault.CutWithin, true},
		"500 before the commit":              {fault.InternalError, false},
		"503 with Retry-After":               {func() fault.Fault { return fault.Unavailable(time.Second) }, false},
		"502 after the commit":               {badGateway, true},
		"client gives up after the commit":   {nil, true},
		"client gives up without the commit": {nil, false},
	} {
		for protocol, options := range protocols {
			t.Run(name+" "+protocol, func(t *testing.T) {
				t.Parallel()
				p := newProject(t)
				p.Account(t, testbed.AccountSpec{Name: "a", HyperscalerType: "aws"})
				before := get(t, p.garden(t), "a")
				ctx, giveUp := context.WithCancel(t.Context())
				defer giveUp()
				injected := test.fault
				if injected == nil {
					injected = held(test.commits, giveUp)
				}
				bad := p.front(t, options, fault.Rule{Verb: "patch", Fault: injected()})
				g := p.garden(t, bad.Through)
				change, key := claimed()
				_, err := g.Write(ctx, before, change)
				equal(t, "account", as[*account.UnknownOutcomeError](t, err).Account, "a")
				equal(t, "patches", bad.Count("patch", bindings), 1)
				after := get(t, p.garden(t), "a")
				if _, holds := after.Holds(key); holds != test.commits {
					t.Errorf("took effect: %t, want %t\n%s", holds, test.commits, fault.Excerpt(bad.Log(), fault.Exchange.Writes))
				}
				if !test.commits {
					equal(t, "account", after, before)
				}
			})
		}
	}
}

func badGateway() fault.Fault { return fault.LoseAfter(http.StatusBadGateway) }

// held keeps the answer back, whether or not the Garden has done what was asked, until the client has given up.
func held(commit bool, giveUp func()) func() fault.Fault {
	return func() fault.Fault {
		block := fault.BlockBefore()
		if commit {
			block = fault.BlockAfter()
		}
		go func() {
			<-block.Held()
			giveUp()
		}()
		return block.Fault
	}
}

// And a claim whose write lost its answer reads the account: it neither takes a second account nor writes twice.
func TestClaimWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	acceptance(t)
	for name, injected := range map[string]fault.Fault{"cut": fault.CutAfter(), "502": badGateway(),
		"cut within the answer": fault.CutWithin()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.Accounts(t, testbed.AccountSpec{Name: "a", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "b", HyperscalerType: "aws"})
			bad := p.front(t, fault.ProxyOptions{}, fault.Rule{Verb: "patch", Nth: 1, Fault: injected})
			g := p.garden(t, bad.Through)
			claim, err := pool.New(p.Name, g, g, account.Policy{}).Claim(t.Context(), claimOf("ga-1"))
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "patches", bad.Count("patch", bindings), 1)
			equal(t, "account", claim.Account, get(t, p.garden(t), claim.Account.Name))
			held := 0
			for _, account := range p.ListAccounts(t) {
				if account.Labels["tenantName"] != "" {
					held++
				}
			}
			equal(t, "accounts held", held, 1)
		})
	}
}

func claimOf(globalAccount string) protocol.ClaimRequest {
	return protocol.ClaimRequest{Name: "cluster", GlobalAccount: globalAccount, Target: account.Target{HyperscalerType: "aws"},
		Details: account.Details{Owner: "test"}}
}

// F5: what others do between our list and our write.
func TestAnotherWriteBetweenListAndWrite(t *testing.T) {
	t.Parallel()
	acceptance(t)
	for name, test := range map[string]struct {
		meddle func(t *testing.T, p project)
		wins   bool
	}{
		"a harmless edit does not cost the candidate": {func(t *testing.T,
			p project) {
			p.PatchAnnotations(t, "a", map[string]*string{"note": new("hello")})
		}, true},
		"the broker claims it": {func(t *testing.T,
			p project) {
			p.PatchLabels(t, "a", map[string]*string{"tenantName": new("ga-keb")})
		}, false},
		"the broker marks it dirty": {func(t *testing.T,
			p project) {
			p.PatchLabels(t, "a", map[string]*string{"dirty": new("true")})
		}, false},
		"it is deleted":       {func(t *testing.T, p project) { p.DeleteAccount(t, "a") }, false},
		"it is being deleted": {func(t *testing.T, p project) { p.DeleteAccountHeld(t, "a") }, false},
		"it is made anew and the broker's": {func(t *testing.T, p project) {
			p.DeleteAccount(t, "a")
			p.Account(t, testbed.AccountSpec{Name: "a", HyperscalerType: "aws", Tenant: "ga-keb"})
		}, false},
		"it is made anew and free": {func(t *testing.T, p project) {
			p.DeleteAccount(t, "a")
			p.Account(t, testbed.AccountSpec{Name: "a", HyperscalerType: "aws"})
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.Account(t, testbed.AccountSpec{Name: "a", HyperscalerType: "aws"})
			meddling := p.front(t, fault.ProxyOptions{}, fault.Rule{
				Verb: "patch", Nth: 1, Fault: fault.Do(func() { test.meddle(t, p) }, nil),
			})
			g := p.garden(t, meddling.Through)
			claim, err := pool.New(p.Name, g, g, account.Policy{}).Claim(t.Context(), claimOf("ga-1"))
			if test.wins {
				if err != nil {
					t.Fatal(err)
				}
				equal(t, "account", claim.Account, get(t, p.garden(t), "a"))
				equal(t, "tenant", claim.Account.Tenant, "ga-1")
				return
			}
			fails[*account.ExhaustedError](t, err)
			for _, account := range p.ListAccounts(t) {
				if account.Labels["tenantName"] == "ga-1" || len(account.Annotations) > 0 {
					t.Errorf("left on %s: %v %v", account.Name, account.Labels, account.Annotations)
				}
			}
		})
	}
}

func TestWriteThatIsTurnedAway(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.Account(t, testbed.AccountSpec{Name: "a", HyperscalerType: "aws"})
	before := get(t, p.garden(t), "a")
	busy := p.front(t, fault.ProxyOptions{}, fault.Rule{Verb: "patch", Nth: 1, Fault: fault.TooManyRequests(time.Second)})
	g := p.garden(t, busy.Through)
	change, _ := claimed()
	start := time.Now()
	_, err := g.Write(t.Context(), before, change)
	equal(t, "account", as[*account.BusyError](t, err).Account, "a")
	equal(t, "patches", busy.Count("patch", bindings), 1)
	if waited := time.Since(start); waited < time.Second {
		t.Errorf("asked to wait for a second, waited %s", waited)
	}
	equal(t, "account", get(t, p.garden(t), "a"), before)
}

// F16: a token that a program hands out is asked for again after a 401, and the write is made once.
func TestTokenExpiresBeforeAWrite(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.Account(t, testbed.AccountSpec{Name: "a", HyperscalerType: "aws"})
	before := get(t, p.garden(t), "a")
	folder := t.TempDir()
	token := filepath.Join(folder, "credential.json")
	handOut := func(token string) string {
		return `{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"` + token + `"}}`
	}
	if err := os.WriteFile(token, []byte(handOut("expired")), 0o600); err != nil {
		t.Fatal(err)
	}
	// The program hands out what is in the file, and from the second time on the good token.
	script := `cat "$1"; printf '%s' "$2" > "$1"`
	front := p.front(t, fault.ProxyOptions{})
	g := p.garden(t, front.Through, func(config *rest.Config) {
		config.BearerToken = ""
		config.ExecProvider = &clientcmdapi.ExecConfig{
			APIVersion: "client.authentication.k8s.io/v1", Command: "sh", Args: []string{"-c", script, "sh", token, handOut(p.user.Token)},
			InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
		}
	})
	change, key := claimed()
	after, err := g.Write(t.Context(), before, change)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "patches", front.Count("patch", bindings), 2)
	equal(t, "account", get(t, p.garden(t), "a"), after)
	if _, holds := after.Holds(key); !holds {
		t.Error("the claim does not exist")
	}
	var conflict *account.ConflictError
	if _, err := g.Write(t.Context(), before, change); !errors.As(err, &conflict) {
		t.Errorf("the version is not used up: %v", err)
	}
}
