package ledger

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Two accounts of a configuration with the same credentials clash as soon as one of them is to be made, in whatever order they are
// planned. One account may be planned twice.
func TestLedger_credentialsAreDeclaredOnce(t *testing.T) {
	t.Parallel()
	ref := account.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: "n", Name: "s"}
	later, other := ref, ref
	later.APIVersion, other.Name = "v2", "t"
	type declared struct {
		account string
		ref     account.CredentialsRef
		made    bool
		clash   string
	}
	for name, steps := range map[string][]declared{
		"both are made":                {{"a", ref, true, ""}, {"b", ref, true, "a"}},
		"one exists":                   {{"a", ref, false, ""}, {"b", ref, true, "a"}},
		"one exists, and comes later":  {{"a", ref, true, ""}, {"b", ref, false, "a"}},
		"both exist":                   {{"a", ref, false, ""}, {"b", ref, false, ""}, {"c", ref, true, "a"}},
		"by another version":           {{"a", ref, true, ""}, {"b", later, true, "a"}},
		"other credentials":            {{"a", ref, true, ""}, {"b", other, true, ""}},
		"one is planned twice":         {{"a", ref, true, ""}, {"a", ref, true, ""}},
		"one exists, then is replaced": {{"a", ref, false, ""}, {"a", ref, true, ""}, {"b", ref, false, "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var l Ledger
			for i, step := range steps {
				if clash := l.PlanCredentials(step.account, step.ref, step.made); clash != step.clash {
					t.Errorf("step %d: %q clashes, want %q", i, clash, step.clash)
				}
			}
		})
	}
}

// Two resources that want one object clash in whatever order a plan comes to them. A plan may come to one of them twice.
func TestLedger_clashesInBothOrders(t *testing.T) {
	t.Parallel()
	state, other := Object{Type: "hap_shoot", ID: "blue", UID: "1"}, Object{Type: "hap_account", ID: "blue", UID: "1"}
	made := Object{Type: "hap_shoot", ID: "blue"}
	plan := func(l *Ledger) Clash { return l.Plan(made, false) }
	forced := func(l *Ledger) Clash { return max(l.Retain(state), l.Plan(made, true)) } // a replacement is planned twice
	retain := func(l *Ledger) Clash { return l.Retain(state) }
	destroy := func(l *Ledger) Clash { return l.Destroy(state, false) }
	anew := func(l *Ledger) Clash { return l.Destroy(state, true) }
	for name, test := range map[string]struct {
		one, two func(*Ledger) Clash
		want     Clash
	}{
		"made twice":                    {plan, plan, ClashTwice},
		"kept and made":                 {retain, plan, ClashTwice},
		"kept at two addresses":         {retain, retain, ClashBoth},
		"forced anew, and made":         {forced, plan, ClashTwice},
		"forced anew, and destroyed":    {forced, destroy, ClashKept},
		"made and destroyed":            {plan, destroy, ClashEnded},
		"made in its place":             {plan, anew, NoClash},
		"kept and destroyed":            {retain, destroy, ClashKept},
		"kept and made anew":            {retain, anew, ClashKept},
		"destroyed, and planned twice":  {destroy, destroy, NoClash},
		"another type of the same name": {plan, func(l *Ledger) Clash { return l.Destroy(other, false) }, NoClash},
	} {
		for _, order := range [][2]func(*Ledger) Clash{{test.one, test.two}, {test.two, test.one}} {
			var l Ledger
			if first, second := order[0](&l), order[1](&l); first != NoClash || second != test.want {
				t.Errorf("%s: the clashes are %q and %q, want none and %q", name, first, second, test.want)
			}
		}
	}
	var l Ledger
	plan(&l)
	l.Applied(state)
	if clash := destroy(&l); clash != NoClash { // create_before_destroy
		t.Errorf("the destroy of the predecessor clashes: %q", clash)
	}
}

// A protected object and what takes it along see each other in whatever order they are planned.
func TestLedger_takenAlong(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"guard", "end"} {
		var l Ledger
		guard := func() bool { l.Protect("Shoot a", "Shoot a"); return l.TakenAlong("Shoot a") == "Cluster c" }
		end := func() bool {
			l.TakeAlong("Shoot a", "Cluster c")
			return len(l.Protected([]string{"Shoot a", "Shoot b"})) > 0
		}
		steps := []func() bool{guard, end}
		if first == "end" {
			steps = []func() bool{end, guard}
		}
		if steps[0]() || !steps[1]() || l.TakenAlong("Shoot b") != "" {
			t.Errorf("%s comes first, and the second does not see it alone", first)
		}
	}
}

// What is known only after an apply is another account than the one that all claims of the plan leave, and that none which comes can meet.
func TestLedger_leavesAccount(t *testing.T) {
	t.Parallel()
	pool, shared := account.Target{HyperscalerType: "aws"}, account.Target{HyperscalerType: "aws", Shared: true}
	on := func(target account.Target, tenant string) ClaimOn { return ClaimOn{Pool: target, Tenant: tenant} }
	mine, elsewhere := on(pool, "ga-1"), on(account.Target{HyperscalerType: "gcp"}, "ga-1")
	for name, test := range map[string]struct {
		plan func(l *Ledger)
		want bool
	}{
		"nothing":          {func(*Ledger) {}, false},
		"none comes":       {func(l *Ledger) { l.NoteClaim("a", "1", mine, true) }, false},
		"another account":  {func(l *Ledger) { l.NoteClaim("b", "1", mine, true); l.ComeTo(elsewhere) }, false},
		"to another pool":  {func(l *Ledger) { l.NoteClaim("a", "1", mine, true); l.ComeTo(elsewhere) }, true},
		"to its own":       {func(l *Ledger) { l.NoteClaim("a", "1", mine, true); l.ComeTo(mine) }, false},
		"of two, one may":  {func(l *Ledger) { l.NoteClaim("a", "1", mine, true); l.ComeTo(elsewhere); l.ComeTo(mine) }, false},
		"another tenant":   {func(l *Ledger) { l.NoteClaim("a", "1", mine, true); l.ComeTo(on(pool, "ga-2")) }, true},
		"an unknown one":   {func(l *Ledger) { l.NoteClaim("a", "1", mine, true); l.ComeTo(on(pool, "")) }, false},
		"an unknown pool":  {func(l *Ledger) { l.NoteClaim("a", "1", mine, true); l.ComeTo(on(account.Target{}, "ga-2")) }, false},
		"a shared account": {func(l *Ledger) { l.NoteClaim("a", "1", on(shared, "ga-1"), true); l.ComeTo(on(shared, "ga-2")) }, false},
		"one stays": {func(l *Ledger) {
			l.NoteClaim("a", "1", mine, true)
			l.NoteClaim("a", "2", mine, false)
			l.ComeTo(elsewhere)
		}, false},
		"all are replaced": {func(l *Ledger) {
			l.NoteClaim("a", "1", mine, true)
			l.NoteClaim("a", "2", mine, false)
			l.ReplaceStaying("2")
			l.ComeTo(elsewhere)
		}, true},
		"one that names it comes": {func(l *Ledger) { l.NoteClaim("a", "1", mine, true); l.ComeTo(elsewhere); l.PlanClaim("a", "ga-1") }, false},
	} {
		var l Ledger
		if test.plan(&l); l.LeavesAccount("a") != test.want {
			t.Errorf("%s: %v", name, !test.want)
		}
	}
}
