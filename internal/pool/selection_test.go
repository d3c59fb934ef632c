package pool

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// clustersOn counts clusters under names of their own: "a-1", "a-2" and so on.
func clustersOn(numbers map[string]int) Counts {
	var counts Counts
	for account, n := range numbers {
		for i := range n {
			counts.Add(account, fmt.Sprintf("%s-%d", account, i+1))
		}
	}
	return counts
}

func pointers(accounts []Account) []*Account {
	out := make([]*Account, len(accounts))
	for i := range accounts {
		out[i] = &accounts[i]
	}
	return out
}

// queryOf asks for an account of the pool aws for ga-1.
func queryOf(changes ...func(*Query)) Query {
	q := Query{Target: aws, GlobalAccount: "ga-1"}
	for _, change := range changes {
		change(&q)
	}
	return q
}

// outcome renders a decision: "reuse a".
func outcome(d Decision) string { return string(d.Action) + " " + d.Account.Name }

// verdicts renders the candidates in their order: "a full 200+0/200".
func verdicts(candidates []Candidate) []string {
	var lines []string
	for _, c := range candidates {
		lines = append(lines, fmt.Sprintf("%s %s %d+%d/%d", c.Name, c.Verdict, c.Clusters, c.Reserved, c.Limit))
	}
	return lines
}

var (
	accountA = account("a", heldBy("ga-1"))
	accountB = account("b", heldBy("ga-1"))
	freeB    = account("b")
	freeC    = account("c")
)

func TestSelectionFillsTheFullestAccountBelowTheLimit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		limit    int
		accounts []Account
		clusters map[string]int
		want     string
		verdicts []string
	}{
		{"ADR 005, row 1: A 150", 200, []Account{accountA, freeB}, map[string]int{"a": 150}, "reuse a",
			[]string{"a chosen 150+0/200"}},
		{"ADR 005, row 2: A 200", 200, []Account{accountA, freeB}, map[string]int{"a": 200}, "claim b",
			[]string{"a full 200+0/200", "b chosen 0+0/200"}},
		{"ADR 005, row 3: A 200, B 150", 200, []Account{accountA, accountB, freeC}, map[string]int{"a": 200, "b": 150},
			"reuse b",
			[]string{"a full 200+0/200", "b chosen 150+0/200"}},
		{"ADR 005, row 4: A 199, B 150", 200, []Account{accountA, accountB, freeC}, map[string]int{"a": 199, "b": 150},
			"reuse a",
			[]string{"a chosen 199+0/200", "b available 150+0/200"}},
		{"ADR 005, row 5: A 250 of 180", 180, []Account{accountA, freeB}, map[string]int{"a": 250}, "claim b",
			[]string{"a full 250+0/180", "b chosen 0+0/180"}},
		{"ADR 005: then B is filled, A keeps its 250", 180, []Account{accountA, accountB, freeC}, map[string]int{"a": 250, "b": 1}, "reuse b",
			[]string{"a full 250+0/180", "b chosen 1+0/180"}},
		{"ADR 005: A at 180 is still full", 180, []Account{accountA, accountB}, map[string]int{"a": 180, "b": 70}, "reuse b",
			[]string{"a full 180+0/180", "b chosen 70+0/180"}},
		{"ADR 005: A at 179 is taken again", 180, []Account{accountA, accountB}, map[string]int{"a": 179, "b": 70}, "reuse a",
			[]string{"a chosen 179+0/180", "b available 70+0/180"}},
		{"ADR 005: ties by name", 200, []Account{accountB, accountA}, map[string]int{"a": 3, "b": 3}, "reuse a",
			[]string{"a chosen 3+0/200", "b available 3+0/200"}},
		{"ADR 005: none held", 200, []Account{freeB, account("x", heldBy("ga-2"))}, nil, "claim b", []string{"b chosen 0+0/200"}},
		{"ADR 005: full, and only one left unclaimed", 1, []Account{accountA, accountB, freeC}, map[string]int{"a": 1, "b": 2}, "claim c",
			[]string{"b full 2+0/1", "a full 1+0/1", "c chosen 0+0/1"}},
		{"dirty and terminating accounts take nothing, however full they could be", 200,
			[]Account{account("a", heldBy("ga-1"), dirty(Dirtied)), account("b", heldBy("ga-1"), terminating),
				account("d", heldBy("ga-1"), dirty(Releasing)), account("e", heldBy("ga-1"))},
			map[string]int{"a": 9, "b": 8, "d": 7, "e": 1}, "reuse e",
			[]string{"a dirty 9+0/200", "b deleting 8+0/200", "d releasing 7+0/200", "e chosen 1+0/200"}},
		{"accounts of other tenants and pools do not count", 200,
			[]Account{accountA, account("x", heldBy("ga-2")), account("y", heldBy("ga-1"), func(a *Account) { a.HyperscalerType = "gcp" })},
			map[string]int{"a": 1, "x": 50, "y": 50}, "reuse a", []string{"a chosen 1+0/200"}},
	}
	for _, test := range tests {
		parallel(t, test.name, func(t *testing.T) {
			d, err := Select(pointers(test.accounts), clustersOn(test.clusters), queryOf(), several(test.limit))
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "outcome", outcome(d), test.want)
			equal(t, "candidates", verdicts(d.Candidates), test.verdicts)
			equal(t, "multi-account and limit", []any{d.MultiAccount, d.Limit}, []any{true, test.limit})
			equal(t, "warnings", d.Warnings, []string(nil))
			if !strings.Contains(d.Reason, d.Account.Name) || !strings.HasSuffix(d.Reason, ".") {
				t.Errorf("the reason is no sentence about the account: %q", d.Reason)
			}
			for _, c := range d.Candidates {
				if c.Why == "" {
					t.Errorf("%s is %s, and nothing says why", c.Name, c.Verdict)
				}
			}
		})
	}
}

func TestSelectionReasons(t *testing.T) {
	t.Parallel()
	tests := []struct {
		accounts []Account
		policy   Policy
		want     string
	}{
		{[]Account{accountA}, several(9), "Global Account ga-1 already holds a in pool aws, and it is below the limit (2 of 9 places taken)."},
		{[]Account{accountA, accountB}, several(9), "Of the 2 accounts that Global Account ga-1 holds in pool aws, a is the fullest one below " +
			"the limit (2 of 9 places taken)."},
		{[]Account{accountA}, Policy{}, "Global Account ga-1 already holds a, its one account of pool aws."},
		{[]Account{account("b", bearing("ga-1", "first")), freeC, account("d", dirty(Dirtied))}, Policy{},
			"Global Account ga-1 holds no account of pool aws yet: b is claimed, one of 2 unclaimed."},
		{[]Account{accountA, freeC}, several(2), "The one account that Global Account ga-1 holds in pool aws can take no other cluster: c is " +
			"claimed, one of 1 unclaimed."},
		{[]Account{accountA, account("d", heldBy("ga-1"), dirty(Dirtied)), freeC}, several(2),
			"None of the 2 accounts that Global Account ga-1 holds in pool aws can take another cluster: c is claimed, one of 1 unclaimed."},
	}
	for _, test := range tests {
		d, err := Select(pointers(test.accounts), clustersOn(map[string]int{"a": 2}), queryOf(), test.policy)
		if err != nil {
			t.Errorf("%s: %v", test.want, err)
			continue
		}
		equal(t, "reason", d.Reason, test.want)
	}
}

// ADR 006: a Global Account that is not in the list has one account per pool.
func TestSelectionOfASingleAccount(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		accounts []Account
		clusters map[string]int
		want     string
		warning  string
	}{
		{"ADR 006, feature disabled: found", []Account{accountA, freeB}, map[string]int{"a": 5}, "reuse a", ""},
		{"no limit applies", []Account{accountA, freeB}, map[string]int{"a": 5000}, "reuse a", ""},
		{"ADR 006, feature disabled: none found", []Account{freeB, account("x", heldBy("ga-2"))}, nil, "claim b", ""},
		{"two: the first by name, not the fullest", []Account{accountB, accountA}, map[string]int{"a": 1, "b": 9}, "reuse a",
			"Global Account ga-1 holds several accounts of pool aws although it is not allowed several; a is the first by name and is used, b is " +
				"left aside."},
		{"three: the warning names the others", []Account{account("c", heldBy("ga-1")), accountB, accountA}, nil, "reuse a",
			"Global Account ga-1 holds several accounts of pool aws although it is not allowed several; a is the first by name and is used, b and " +
				"c are left aside."},
		{"the first is dirty", []Account{account("a", heldBy("ga-1"), dirty(Dirtied)), accountB, freeC}, nil, "reuse b", ""},
		{"the only one is being released", []Account{account("a", heldBy("ga-1"), dirty(Releasing)), freeB}, nil, "claim b", ""},
	}
	for _, test := range tests {
		parallel(t, test.name, func(t *testing.T) {
			policy := Policy{AllowedGlobalAccounts: []string{"ga-2"}, Limits: map[string]int{DefaultLimit: 2}, MinBindingsForGuard: 1}
			d, err := Select(pointers(test.accounts), clustersOn(test.clusters), queryOf(), policy)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "outcome", outcome(d), test.want)
			equal(t, "multi-account and limit", []any{d.MultiAccount, d.Limit}, []any{false, 0})
			if test.warning == "" {
				equal(t, "warnings", len(d.Warnings), 0)
			} else {
				equal(t, "warnings", d.Warnings, []string{test.warning})
			}
		})
	}
}

func TestReservedPlacesCount(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		records  []func(*Account)
		settled  []string // Shoots that are counted by now, wherever they are
		want     string
		verdicts string
	}{
		{"none", nil, nil, "reuse a", "a chosen 8+0/10"},
		{"one place reserved", []func(*Account){bearing("ga-1", "x", forCluster("blue"))}, nil, "reuse a", "a chosen 8+1/10"},
		{"the last places are reserved", []func(*Account){bearing("ga-1", "x", forCluster("blue")), bearing("ga-1", "y", forCluster("green"))},
			nil,
			"claim c", "a full 8+2/10"},
		{"one of them is a cluster by now", []func(*Account){bearing("ga-1", "x", forCluster("blue")),
			bearing("ga-1", "y", forCluster("green"))}, []string{"blue"},
			"reuse a", "a chosen 8+1/10"},
		{"claims without a cluster reserve nothing", []func(*Account){bearing("ga-1", "x"), bearing("ga-1", "y"), bearing("ga-1", "z")}, nil,
			"reuse a", "a chosen 8+0/10"},
		{"void records reserve nothing", []func(*Account){bearing("ga-2", "x", forCluster("blue")), bearing("ga-2", "y", forCluster("green"))},
			nil, "reuse a", "a chosen 8+0/10"},
	}
	for _, test := range tests {
		parallel(t, test.name, func(t *testing.T) {
			accounts := []Account{account("a", append(test.records, heldBy("ga-1"))...), freeC}
			counts := clustersOn(map[string]int{"a": 8})
			for _, name := range test.settled {
				counts.Add("elsewhere", name)
			}
			d, err := Select(pointers(accounts), counts, queryOf(), several(10))
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "outcome", outcome(d), test.want)
			equal(t, "first candidate", verdicts(d.Candidates)[0], test.verdicts)
		})
	}
	parallel(t, "they make an account the fuller one", func(t *testing.T) {
		accounts := []Account{accountA, account("b", heldBy("ga-1"), bearing("ga-1", "x", forCluster("blue")),
			bearing("ga-1", "y", forCluster("green")))}
		d, err := Select(pointers(accounts), clustersOn(map[string]int{"a": 2, "b": 1}), queryOf(), several(10))
		equal(t, "outcome", []any{outcome(d), err}, []any{"reuse b", nil})
	})
}

func TestGuardAgainstAWrongCount(t *testing.T) {
	t.Parallel()
	released := func(name string) Account { return account(name, heldBy("ga-1"), dirty(Dirtied)) }
	tests := []struct {
		name     string
		guard    int
		accounts []Account
		clusters map[string]int
		held     []string // named by the error; nil = no error
	}{
		{"off", 0, []Account{accountA, accountB}, nil, nil},
		{"not reached", 3, []Account{accountA, accountB, account("x", heldBy("ga-2")), freeC}, nil, nil},
		{"reached", 2, []Account{accountB, accountA}, map[string]int{"x": 9}, []string{"a", "b"}},
		{"more than reached", 1, []Account{accountA, accountB}, nil, []string{"a", "b"}},
		{"one has a cluster", 2, []Account{accountA, accountB}, map[string]int{"b": 1}, nil},
		{"none held", 1, []Account{freeB}, nil, nil},
		{"accounts that were emptied and released do not count", 2,
			[]Account{accountA, released("b"), released("c"), account("d", heldBy("ga-1"), terminating)}, nil, nil},
	}
	for _, test := range tests {
		parallel(t, test.name, func(t *testing.T) {
			policy := several(10)
			policy.MinBindingsForGuard = test.guard
			_, err := Select(pointers(test.accounts), clustersOn(test.clusters), queryOf(), policy)
			if test.held == nil {
				equal(t, "error", err, nil)
				return
			}
			guard := as[*GuardError](t, err)
			equal(t, "held", slices.Sorted(slices.Values(guard.Held)), test.held)
			equal(t, "min bindings", guard.MinBindings, test.guard)
			for _, text := range append(test.held, "ga-1", "aws", fmt.Sprint(test.guard)) {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("the error does not name %s: %v", text, err)
				}
			}
			for n, guarded := range map[int]bool{0: false, 1: true, len(test.held): true, len(test.held) + 1: false} { // the ways out
				policy.MinBindingsForGuard = n
				_, err := Select(pointers(test.accounts), clustersOn(test.clusters), queryOf(), policy)
				if errors.As(err, new(*GuardError)) != guarded {
					t.Errorf("a guard from %d on: %v", n, err)
				}
			}
		})
	}
	parallel(t, "nothing is claimed", func(t *testing.T) {
		w := newWorld(t, accountA, accountB, freeC)
		w.policy = several(10)
		w.policy.MinBindingsForGuard = 2
		_, err := w.pool().Claim(t.Context(), request("ga-1", "first"))
		wantError[*GuardError](t, err)
		w.wantWrites(t)
	})
}

func TestExhaustedPool(t *testing.T) {
	t.Parallel()
	accounts := []Account{
		account("m", heldBy("ga-1")), account("n", heldBy("ga-1"), dirty(Dirtied)), account("o", heldBy("ga-2")), account("p", heldBy("ga-3"),
			internal),
		account("q", internal), account("r", dirty(Dirtied)), account("s", terminating), account("t", terminating, dirty(Dirtied), internal),
		account("u", shared), account("v", func(a *Account) { a.EUAccess = true }), account("w", dirty("yes, please")),
	}
	_, err := Select(pointers(accounts), clustersOn(map[string]int{"m": 3}), queryOf(), several(3))
	exhausted := as[*ExhaustedError](t, err)
	equal(t, "tally", exhausted.Tally, Tally{ClassHeld: 1, ClassTaken: 2, ClassDirty: 3, ClassInternal: 1, ClassDeleting: 2})
	equal(t, "held", verdicts(exhausted.Held), []string{"m full 3+0/3", "n dirty 0+0/3"})
	equal(t, "error", err.Error(), "pool aws has no account left to claim for Global Account ga-1 "+
		"(9 in all: free 0, claimed 3, dirty 3, internal 1, deleting 2); it holds m: full, 3 of 3 places are taken; n: dirty, it is dirty and "+
		"waits for the clean-up job")
}

func TestSelectLeavesItsInputsAlone(t *testing.T) {
	t.Parallel()
	accounts := []Account{
		account("d", bearing("ga-1", "first")), account("c", heldBy("ga-1"), bearing("ga-1", "x", forCluster("blue"))),
		account("b", shared), account("a", heldBy("ga-1")), account("e"),
	}
	before := make([]Account, len(accounts))
	for i := range accounts {
		before[i] = clone(accounts[i])
	}
	in := pointers(accounts)
	order := slices.Clone(in)
	counts := clustersOn(map[string]int{"a": 1, "c": 2})
	numbers := map[string]int{"a": 1, "c": 2}
	for _, target := range []Target{aws, {HyperscalerType: "aws", Shared: true}} {
		for _, policy := range []Policy{{}, several(1), several(9)} {
			if _, err := Select(in, counts, queryOf(func(q *Query) { q.Target = target }), policy); err != nil {
				t.Fatal(err)
			}
		}
	}
	equal(t, "accounts", accounts, before)
	equal(t, "order", in, order)
	equal(t, "counts", map[string]int{"a": counts.Clusters("a"), "c": counts.Clusters("c")}, numbers)
	equal(t, "total", counts.Total(), 3)
}

// A pool whose last accounts are hidden by labels names them with these labels.
func TestExhaustedPool_namesWhatLabelsHide(t *testing.T) {
	t.Parallel()
	accounts := []Account{account("a", unseen("dirty=false", "shared=no")), account("b", unseen("dirty=no"), heldBy("ga-2")), account("c", dirty(Dirtied))}
	_, err := Select(pointers(accounts), Counts{}, queryOf(), Policy{})
	equal(t, "hidden", as[*ExhaustedError](t, err).Hidden, []string{"a (dirty=false, shared=no)"})
}
