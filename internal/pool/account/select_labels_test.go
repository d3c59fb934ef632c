package account

import (
	"fmt"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// TestEveryCombinationOfLabels asks for each of the four pools of a hyperscaler type, with each combination of labels
// on the one account there is. What must come out is in the table below, sentence by sentence from ADR 004 and ADR 005; the
// first one that applies decides.
func TestEveryCombinationOfLabels(t *testing.T) {
	t.Parallel()
	const nothing = "nothing"
	sentences := []struct {
		text    string
		applies func(a Account, q Target) bool
		outcome string
	}{
		{"The rules give type, shared, euAccess.", func(a Account, q Target) bool { return a.Shared != q.Shared || a.EUAccess != q.EUAccess },
			nothing},
		{"Never selected: a deletion timestamp …", func(a Account, _ Target) bool { return a.Terminating }, nothing},
		{"… dirty …", func(a Account, _ Target) bool { return a.Dirty != Clean }, nothing},
		{"… internal (unless it is already held by this very GA) …",
			func(a Account, q Target) bool { return a.Internal && (q.Shared || a.Tenant != "ga-1") }, nothing},
		{"Shared: of the shared accounts of the pool the one with the fewest clusters of all tenants.",
			func(_ Account, q Target) bool { return q.Shared }, "share"},
		{"The GA's account of this pool.", func(a Account, _ Target) bool { return a.Tenant == "ga-1" }, "reuse"},
		{"Claim: an unclaimed account of the pool.", func(a Account, _ Target) bool { return a.Tenant == "" }, "claim"},
		{"Never two tenants in one account.", func(Account, Target) bool { return true }, nothing},
	}
	type row struct {
		account Account
		query   Target
	}
	var rows []row
	flags := []bool{false, true}
	for _, tenant := range []string{"ga-1", "ga-2", ""} {
		for bits := range 1 << 5 {
			on := func(bit int) bool { return bits>>bit&1 == 1 }
			a := anAccount("a", heldBy(tenant))
			a.Shared, a.EUAccess, a.Internal, a.Terminating = on(0), on(1), on(2), on(3)
			if on(4) {
				a.Dirty = Dirtied
			}
			for _, shared := range flags {
				for _, eu := range flags {
					rows = append(rows, row{a, Target{HyperscalerType: "aws", Shared: shared, EUAccess: eu}})
				}
			}
		}
	}
	totals := map[string]int{}
	for _, r := range rows {
		want, because := "", ""
		for _, s := range sentences {
			if s.applies(r.account, r.query) {
				want, because = s.outcome, s.text
				break
			}
		}
		totals[want]++
		for _, policy := range []Policy{{}, several(5)} {
			for _, pin := range []string{"", "a"} { // a pin cannot get what no other claim gets
				q := queryOf(func(q *Query) { q.Target, q.Pin = r.query, pin })
				clusters := map[string]int{}
				if r.account.Tenant != "" || r.account.Shared {
					clusters["a"] = 1
				}
				d, err := Select([]*Account{&r.account}, Places{Counts: clustersOn(clusters)}, q, policy)
				got := nothing
				if err == nil {
					got = string(d.Action)
				}
				if got != want {
					t.Errorf("account %+v, asked for %s with pin %q: got %s (%v), want %s, because: %s", r.account, r.query, pin, got, err, want, because)
				}
			}
		}
	}
	// Counted by hand: of 24 combinations in a dedicated pool, 2 are held and usable and 1 is free; of 24 in a shared one, 3 are usable.
	equal(t, "rows", len(rows), 384)
	equal(t, "outcomes", totals, map[string]int{"reuse": 4, "claim": 2, "share": 6, nothing: 372})
}

func TestSharedPoolUsesTheLeastUsedAccount(t *testing.T) {
	t.Parallel()
	a, b, c := anAccount("a", shared), anAccount("b", shared), anAccount("c", shared)
	tests := []struct {
		name     string
		accounts []Account
		clusters map[string]int
		want     string
		verdicts []string
	}{
		{"ADR 005: the least used Secret is chosen", []Account{a, b, c}, map[string]int{"a": 9, "b": 3, "c": 4}, "share b",
			[]string{"b chosen 3+0/0", "c available 4+0/0", "a available 9+0/0"}},
		{"ties by name", []Account{c, b, a}, map[string]int{"a": 2, "b": 1, "c": 1}, "share b",
			[]string{"b chosen 1+0/0", "c available 1+0/0", "a available 2+0/0"}},
		{"no limit applies", []Account{a}, map[string]int{"a": 5000}, "share a", []string{"a chosen 5000+0/0"}},
		{"internal, dirty, fenced and terminating ones never", []Account{
			anAccount("a", shared, internal), anAccount("b", shared, dirty(Dirtied)), anAccount("c", shared, terminating), anAccount("d", shared,
				dirty(Releasing)), anAccount("e", shared),
		}, map[string]int{"e": 70}, "share e", []string{"a internal 0+0/0", "b dirty 0+0/0", "c deleting 0+0/0", "d releasing 0+0/0", "e " +
			"chosen 70+0/0"}},
		{"a stray tenant label changes nothing", []Account{anAccount("a", shared, heldBy("ga-2")), anAccount("b", shared, heldBy("ga-1"))},
			map[string]int{"b": 1}, "share a",
			[]string{"a chosen 0+0/0", "b available 1+0/0"}},
	}
	for _, test := range tests {
		parallel(t, test.name, func(t *testing.T) {
			q := queryOf(func(q *Query) { q.Target.Shared = true })
			policy := several(1)
			policy.MinBindingsForGuard = 1 // is about dedicated accounts
			d, err := Select(pointers(test.accounts), Places{Counts: clustersOn(test.clusters)}, q, policy)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "outcome", outcome(d), test.want)
			equal(t, "candidates", verdicts(d.Candidates), test.verdicts)
			equal(t, "multi-account, limit, unclaimed", []any{d.MultiAccount, d.Limit, d.Unclaimed}, []any{false, 0, 0})
			equal(t, "reason", d.Reason, fmt.Sprintf("Pool aws,shared is shared by all tenants: of its %s, %s has the fewest places taken (%d).",
				words.Count(len(test.accounts), "account"), d.Account.Name, test.clusters[d.Account.Name]))
		})
	}
	parallel(t, "none is usable", func(t *testing.T) {
		accounts := []Account{anAccount("a", shared, internal), anAccount("b", shared, dirty(Dirtied)), anAccount("c")}
		_, err := Select(pointers(accounts), Places{}, queryOf(func(q *Query) { q.Target.Shared = true }), Policy{})
		equal(t, "tally", as[*ExhaustedError](t, err).Tally, Tally{ClassDirty: 1, ClassInternal: 1})
		equal(t, "error", err.Error(), "pool aws,shared has no usable shared account (2 in all: dirty 1, internal 1, deleting 0)")
	})
}
