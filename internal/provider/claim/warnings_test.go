package claim

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
)

// F33: a claim on an internal account says that its destroy neither marks nor frees it.
func TestClaimWarnings_internal(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		account account.Account
		warned  bool
	}{
		"internal":             {account.Account{Name: "aws-1", Internal: true}, true},
		"ordinary":             {account.Account{Name: "aws-1"}, false},
		"internal, and shared": {account.Account{Name: "aws-1", Internal: true, Shared: true}, false},
	} {
		var diags diag.Diagnostics
		warnClaim(&diags, &ledger.Ledger{}, protocol.Claim{Identity: account.Identity{GlobalAccount: "ga-1"}, Account: test.account})
		if !test.warned {
			if len(diags) > 0 {
				t.Errorf("%s: %v", name, diags)
			}
			continue
		}
		if len(diags) != 1 || diags[0].Severity() != diag.SeverityWarning || diags[0].Summary() != diagnose.SummaryInternal {
			t.Fatalf("%s: %v", name, diags)
		}
		for _, part := range []string{"aws-1", "ga-1", "neither marks nor frees"} {
			if !strings.Contains(diags[0].Detail(), part) {
				t.Errorf("%s: the detail lacks %q: %s", name, part, diags[0].Detail())
			}
		}
	}
}

// F32: the refreshes of a run say once, for each Global Account and pool, that it holds several accounts and may have one.
func TestClaimWarnings_severalAccounts(t *testing.T) {
	t.Parallel()
	r, aws, gcp := &claimResource{Call: &family.Call{Backend: backend.New(settings.Settings{})}}, account.Target{HyperscalerType: "aws"},
		account.Target{HyperscalerType: "gcp"}
	several := pool.Status{Held: []string{"aws-1", "aws-2"}}
	for i, of := range []struct {
		status        pool.Status
		globalAccount string
		target        account.Target
		reported      bool
	}{
		{several, "ga-1", aws, true}, {several, "ga-1", aws, false}, {pool.Status{Held: []string{"aws-1"}}, "ga-3", aws, false},
		{several, "ga-2", aws, true}, {several, "ga-1", gcp, true},
	} {
		var diags diag.Diagnostics // of one claim: those that are alike are dropped within it alone
		r.warnSeveral(&diags, of.status, of.globalAccount, of.target)
		if len(diags) > 0 != of.reported {
			t.Fatalf("refresh %d: %v", i+1, diags)
		}
		if of.reported && (!strings.Contains(diags[0].Detail(), of.globalAccount) || !strings.Contains(diags[0].Detail(), "aws-1, aws-2")) {
			t.Errorf("refresh %d: %s", i+1, diags[0].Detail())
		}
	}
}

// destroyed returns what the destroys of a run warn of.
func destroyed(r *claimResource, warn func()) (diags diag.Diagnostics) {
	r.Backend.Releases.Begin()
	warn()
	r.Backend.Releases.End(context.Background(), &diags)
	return diags
}

// wantDetail looks for one warning with this summary, and for each of these parts in it.
func wantDetail(t *testing.T, diags diag.Diagnostics, summary string, parts ...string) {
	t.Helper()
	if len(diags) != 1 || diags[0].Severity() != diag.SeverityWarning || diags[0].Summary() != summary {
		t.Fatalf("want one warning %q, got %v", summary, diags)
	}
	for _, part := range parts {
		if !strings.Contains(diags[0].Detail(), part) {
			t.Errorf("the detail lacks %q: %s", part, diags[0].Detail())
		}
	}
}

var blue = account.Identity{Namespace: "garden-kyma", GlobalAccount: "ga-1", Pool: "aws", Name: "blue"}

// existing is the state of a claim of the pool aws.
func existing(on string) claimModel {
	return claimModel{BindingName: types.StringValue(on), HyperscalerType: types.StringValue("aws"), Shared: types.BoolValue(false)}
}

// F31: the account of a claim is shared by now. Its destroy writes nothing there, so it says that the record stays, under which
// key, and that it has to go before the label shared does.
func TestReleaseWarnings_sharedByNow(t *testing.T) {
	t.Parallel()
	r := &claimResource{Call: &family.Call{Backend: backend.New(settings.Settings{})}}
	wantDetail(t, destroyed(r, func() { r.warnRelease(protocol.OutcomeShared, blue, existing("aws-1")) }), diagnose.SummaryReleaseSkipped,
		"Account aws-1", "all tenants share it now", "nothing is written there", "record stays",
		"take annotation "+blue.Key()+" away before the label shared")

	green := blue
	green.Name = "green"
	both := destroyed(r, func() {
		r.warnRelease(protocol.OutcomeShared, blue, existing("aws-1"))
		r.warnRelease(protocol.OutcomeShared, green, existing("aws-2"))
	})
	wantDetail(t, both, diagnose.SummaryReleaseSkipped, "2 accounts", "aws-1", "aws-2", blue.Key(), green.Key(),
		"the annotation that is listed")

	always := existing("aws-1")
	always.Shared = types.BoolValue(true)
	if diags := destroyed(r, func() { r.warnRelease(protocol.OutcomeShared, blue, always) }); len(diags) > 0 {
		t.Errorf("the account was shared all along, and no record is on it: %v", diags)
	}
}

// What a destroy of a lost claim says is true whether the account is another's, gone or made anew, and whether its record lay there or one
// that only has its name.
func TestReleaseWarnings_notHeld(t *testing.T) {
	t.Parallel()
	r := &claimResource{Call: &family.Call{Backend: backend.New(settings.Settings{})}}
	wantDetail(t, destroyed(r, func() { r.warnRelease(protocol.OutcomeNotHeld, blue, existing("aws-1")) }), diagnose.SummaryReleaseSkipped,
		"Global Account ga-1 does not hold it any more, or it was deleted, or made anew", "with the owner and the time (claimed_at) of the state",
		"any other record was left")
}

// listed is a store of these accounts, which can only be read.
type listed struct {
	pool.Store
	accounts []account.Account
	lists    int
}

func (l *listed) List(context.Context) ([]account.Account, error) {
	l.lists++
	return l.accounts, nil
}

func (l *listed) Siblings(context.Context) ([]account.Account, error) { return nil, nil }

func (l *listed) Outside(context.Context, []account.Account) ([]account.Account, error) {
	return nil, nil
}

func (l *listed) Get(_ context.Context, name string) (account.Account, error) {
	for _, a := range l.accounts {
		if a.Name == name {
			return a, nil
		}
	}
	return account.Account{}, &account.NotFoundError{Account: name}
}

// A claim that is recorded on two accounts ends on one of them. However it ended there, its destroy names the other one: no later
// destroy would. The list for it is read once for all claims of a run.
func TestReleaseWarnings_elsewhere(t *testing.T) {
	t.Parallel()
	bearer := func(name string) account.Account {
		return account.Account{Name: name, UID: name, HyperscalerType: "aws", Tenant: "ga-1", Records: map[string]account.Record{
			blue.Key(): {Name: "blue", GlobalAccount: "ga-1", Pool: "aws"},
		}}
	}
	store := &listed{accounts: []account.Account{bearer("aws-2"), {Name: "aws-1", UID: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"}}}
	p, r := pool.New("garden-kyma", store, nil, account.Policy{}), &claimResource{Call: &family.Call{Backend: backend.New(settings.Settings{})}}
	for _, outcome := range []protocol.Outcome{
		protocol.OutcomeDirtied, protocol.OutcomeReturned, protocol.OutcomeKept, protocol.OutcomeAlreadyDirty, protocol.OutcomeInternal, protocol.OutcomeNotHeld,
		protocol.OutcomeUnrecorded,
	} {
		diags := destroyed(r, func() { r.warnElsewhere(t.Context(), p, blue, outcome, "aws-1") })
		wantDetail(t, diags, diagnose.SummaryClaimElsewhere, "is on account aws-1", "recorded on account aws-2",
			"import it as ga-1/aws-2/blue")
	}
	for _, outcome := range []protocol.Outcome{protocol.OutcomeReplaced, protocol.OutcomeShared} {
		if diags := destroyed(r, func() { r.warnElsewhere(t.Context(), p, blue, outcome, "aws-1") }); len(diags) > 0 {
			t.Errorf("%s: %v", outcome, diags)
		}
	}
	green := blue
	green.Name = "green"
	if diags := destroyed(r, func() { r.warnElsewhere(t.Context(), p, green, protocol.OutcomeDirtied, "aws-1") }); len(diags) > 0 {
		t.Errorf("the claim is recorded nowhere: %v", diags)
	}
	if store.lists != 1 {
		t.Errorf("%d lists, want one for all", store.lists)
	}
}

// Where another binding of the cloud account says that the Global Account holds it, no other claim may take it.
func TestDrift_unheldByItsOwnLabelAlone(t *testing.T) {
	t.Parallel()
	a := account.Account{Name: "aws-1", HyperscalerType: "aws"}
	a = *a.WithTwins([]*account.Account{{Name: "SecretBinding aws-1", Sibling: true, Tenant: "ga-1"}})
	status := pool.Status{Account: a, Drift: account.DriftFree}
	what, next := drifted(status, existing("aws-1"), holder{GlobalAccount: "ga-1"}, garden.DefaultLabelKeys())
	const want = "its label of the Global Account is gone, and SecretBinding aws-1, another binding of the cloud account, still says that " +
		"Global Account ga-1 holds it"
	if what != want || next != "The next apply puts the label back." {
		t.Errorf("it is reported as %q: %q", what, next)
	}
}

// F7: an account without a tenant is another claim's to take only where it is free; else the refresh says what it is, and
// does not promise that an apply makes the claim again.
func TestDrift_unheld(t *testing.T) {
	t.Parallel()
	const taken = "the next claim of any Global Account may take it"
	for name, test := range map[string]struct {
		change func(*account.Account)
		what   string
		again  bool
	}{
		"free":            {func(*account.Account) {}, taken, true},
		"hidden":          {func(a *account.Account) { a.Unseen = []string{"dirty=false"} }, "a label hides it from the broker", true},
		"dirty":           {func(a *account.Account) { a.Dirty = account.Dirtied }, "it is dirty and waits for the clean-up job", false},
		"quarantined":     {func(a *account.Account) { a.Dirty, a.Quarantine = account.Quarantined, "misuse" }, "pool's owner (misuse)", false},
		"under a fence":   {func(a *account.Account) { a.Dirty = account.Releasing }, "it is being released (label dirty=releasing)", false},
		"being deleted":   {func(a *account.Account) { a.Terminating = true }, "it is being deleted", false},
		"internal":        {func(a *account.Account) { a.Internal = true }, "kept for internal use", false},
		"of another pool": {func(a *account.Account) { a.EUAccess = true }, "its labels put it into pool aws,euAccess", false},
		"a duplicate": {func(a *account.Account) {
			*a = *a.WithTwins([]*account.Account{{Name: "0", HyperscalerType: "aws", Tenant: "ga-1"}})
		}, account.ClassDuplicate.Describe(), false},
		"dirty and internal": {func(a *account.Account) { a.Dirty, a.Internal = account.Dirtied, true }, "it is dirty and waits for the clean-up job", false},
	} {
		a := account.Account{Name: "aws-1", HyperscalerType: "aws"}
		test.change(&a)
		status := pool.Status{Account: a, Drift: account.DriftFree}
		what, next := drifted(status, existing("aws-1"), holder{GlobalAccount: "ga-1"}, garden.LabelKeys{Dirty: "dirty"})
		if !strings.HasPrefix(what, "no Global Account holds it any more") || !strings.Contains(what, test.what) ||
			strings.Contains(what, taken) != (name == "free") {
			t.Errorf("%s: it is reported as %q", name, what)
		}
		if again := strings.Contains(next, "makes the claim again on the same account"); again != test.again {
			t.Errorf("%s: what comes of it is reported as %q", name, next)
		}
	}
}

// Several claims of one Global Account say once in a run that it has several accounts.
func TestClaimWarnings_saysAlikeOnce(t *testing.T) {
	t.Parallel()
	var of ledger.Ledger
	warnings := 0
	for _, text := range []string{"ga-1 has two", "ga-1 has two", "ga-2 has two"} {
		var diags diag.Diagnostics
		warnClaim(&diags, &of, protocol.Claim{Warnings: []string{text}})
		warnings += diags.WarningsCount()
	}
	if warnings != 2 {
		t.Errorf("%d warnings, want 2", warnings)
	}
}
