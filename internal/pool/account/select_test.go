package account

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestPinnedSelection(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		a    Account
		want string
	}{
		{"held", anAccount("a", heldBy("ga-1")), "reuse a"},
		{"free", anAccount("a"), "claim a"},
		{"held, internal", anAccount("a", heldBy("ga-1"), internal), "reuse a"},
		{"with room", anAccount("a", heldBy("ga-1"), bearing("ga-1", "x", forCluster("blue"))), "reuse a"},
	}
	for _, test := range tests {
		parallel(t, test.name, func(t *testing.T) {
			accounts := []Account{anAccount("0"), anAccount("b", heldBy("ga-1")), test.a}
			clusters := map[string]int{"b": 2}
			if test.a.Tenant != "" {
				clusters["a"] = 1
			}
			d, err := Select(pointers(accounts), Places{Counts: clustersOn(clusters)}, queryOf(func(q *Query) { q.Pin = "a" }), several(3))
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "outcome", outcome(d), test.want)
			equal(t, "candidates", len(d.Candidates), 1)
			equal(t, "reason", d.Reason, "a is pinned: the claim names it.")
		})
	}
	parallel(t, "shared", func(t *testing.T) {
		accounts := []Account{anAccount("a", shared), anAccount("b", shared)}
		q := queryOf(func(q *Query) { q.Pin, q.Target.Shared = "a", true })
		d, err := Select(pointers(accounts), Places{Counts: clustersOn(map[string]int{"a": 7})}, q, Policy{})
		equal(t, "outcome", []any{outcome(d), err}, []any{"share a", nil})
	})
}

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
	accountA = anAccount("a", heldBy("ga-1"))
	accountB = anAccount("b", heldBy("ga-1"))
	freeB    = anAccount("b")
	freeC    = anAccount("c")
)

// TestSelectionFillsTheFullestAccountBelowTheLimit: of the accounts that a Global Account holds, the fullest with room; where none has room, a free
// one. A Global Account that is not in the list has one account per pool (ADR 006).
func TestSelectionFillsTheFullestAccountBelowTheLimit(t *testing.T) {
	t.Parallel()
	single := Policy{AllowedGlobalAccounts: []string{"ga-2"}, Limits: map[string]int{DefaultLimit: 2}, MinBindingsForGuard: 1}
	unlimited := Policy{AllowedGlobalAccounts: []string{"*"}}
	others, eight := anAccount("x", heldBy("ga-2")), map[string]int{"a": 8}
	reserved := func(names ...string) Account {
		a := accountA
		for _, name := range names {
			a = clone(a)
			bearing("ga-1", "for "+name, forCluster(name))(&a)
		}
		return a
	}
	with := func(changes ...func(*Account)) Account { return anAccount("a", append(changes, heldBy("ga-1"))...) }
	const leaves = "Global Account ga-1 holds several accounts of pool aws although it is not allowed several; a is the first by name and is used, "
	for _, test := range []struct {
		name     string
		policy   Policy
		accounts []Account
		clusters map[string]int
		want     string
		verdicts []string // the candidates; nil = the one that is chosen, and others with room
		says     string   // the reason, or for a single account the warning; empty = it is not compared
	}{
		{"ADR 005, row 1: A 150", several(200), []Account{accountA, freeB}, map[string]int{"a": 150}, "reuse a", []string{"a chosen 150+0/200"},
			"Global Account ga-1 already holds a in pool aws, and it is below the limit (150 of 200 places taken)."},
		{"ADR 005, row 2: A 200", several(200), []Account{accountA, freeB}, map[string]int{"a": 200}, "claim b", []string{"a full 200+0/200", "b chosen 0+0/200"},
			"The one account that Global Account ga-1 holds in pool aws can take no other cluster: b is claimed, one of 1 unclaimed."},
		{"ADR 005, row 3: A 200, B 150", several(200), []Account{accountA, accountB, freeC}, map[string]int{"a": 200, "b": 150}, "reuse b",
			[]string{"a full 200+0/200", "b chosen 150+0/200"}, ""},
		{"ADR 005, row 4: A 199, B 150", several(200), []Account{accountA, accountB, freeC}, map[string]int{"a": 199, "b": 150}, "reuse a",
			[]string{"a chosen 199+0/200", "b available 150+0/200"},
			"Of the 2 accounts that Global Account ga-1 holds in pool aws, a is the fullest one below the limit (199 of 200 places taken)."},
		{"ADR 005, row 5: A 250 of 180", several(180), []Account{accountA, freeB}, map[string]int{"a": 250}, "claim b", []string{"a full 250+0/180", "b chosen 0+0/180"}, ""},
		{"ADR 005: then B is filled", several(180), []Account{accountA, accountB, freeC}, map[string]int{"a": 250, "b": 1}, "reuse b",
			[]string{"a full 250+0/180", "b chosen 1+0/180"}, ""},
		{"ADR 005: A at 180 is still full", several(180), []Account{accountA, accountB}, map[string]int{"a": 180, "b": 70}, "reuse b",
			[]string{"a full 180+0/180", "b chosen 70+0/180"}, ""},
		{"ADR 005: A at 179 is taken again", several(180), []Account{accountA, accountB}, map[string]int{"a": 179, "b": 70}, "reuse a",
			[]string{"a chosen 179+0/180", "b available 70+0/180"}, ""},
		{"ADR 005: ties by name", several(200), []Account{accountB, accountA}, map[string]int{"a": 3, "b": 3}, "reuse a",
			[]string{"a chosen 3+0/200", "b available 3+0/200"}, ""},
		{"ADR 005: none held", several(200), []Account{freeB, others}, nil, "claim b", []string{"b chosen 0+0/200"},
			"Global Account ga-1 holds no account of pool aws yet: b is claimed, one of 1 unclaimed."},
		{"ADR 005: full, and only one left unclaimed", several(1), []Account{accountA, accountB, freeC}, map[string]int{"a": 1, "b": 2}, "claim c",
			[]string{"b full 2+0/1", "a full 1+0/1", "c chosen 0+0/1"},
			"None of the 2 accounts that Global Account ga-1 holds in pool aws can take another cluster: c is claimed, one of 1 unclaimed."},
		{"dirty, fenced and terminating ones take nothing", several(200), []Account{with(dirty(Dirtied)), anAccount("b", heldBy("ga-1"), terminating),
			anAccount("d", heldBy("ga-1"), dirty(Releasing)), anAccount("e", heldBy("ga-1"))}, map[string]int{"a": 9, "b": 8, "d": 7, "e": 1}, "reuse e",
			[]string{"a dirty 9+0/200", "b deleting 8+0/200", "d releasing 7+0/200", "e chosen 1+0/200"}, ""},
		{"those of other tenants and pools do not count", several(200),
			[]Account{accountA, others, anAccount("y", heldBy("ga-1"), func(a *Account) { a.HyperscalerType = "gcp" })}, map[string]int{"a": 1, "x": 50, "y": 50}, "reuse a",
			[]string{"a chosen 1+0/200"}, ""},
		{"no limit, one account", unlimited, []Account{accountA, freeC}, map[string]int{"a": 1000}, "reuse a", nil,
			"Global Account ga-1 already holds a in pool aws, and no limit applies."},
		{"no limit, two accounts", unlimited, []Account{accountA, accountB, freeC}, map[string]int{"a": 10, "b": 20}, "reuse b", []string{"b chosen 20+0/0", "a available 10+0/0"},
			"Of the 2 accounts that Global Account ga-1 holds in pool aws, b is the fullest one: no limit applies."},

		{"a place is reserved", several(10), []Account{reserved("blue"), freeC}, eight, "reuse a", []string{"a chosen 8+1/10"}, ""},
		{"the last places are reserved", several(10), []Account{reserved("blue", "green"), freeC}, eight, "claim c", []string{"a full 8+2/10", "c chosen 0+0/10"}, ""},
		{"one of them is a cluster by now", several(10), []Account{reserved("a-1", "green"), freeC}, eight, "reuse a", []string{"a chosen 8+1/10"}, ""},
		{"one of them is a cluster elsewhere", several(10), []Account{reserved("x-1", "green"), freeC}, map[string]int{"a": 8, "x": 1}, "reuse a", []string{"a chosen 8+1/10"}, ""},
		{"claims without a cluster reserve nothing", several(10), []Account{with(bearing("ga-1", "x"), bearing("ga-1", "y")), freeC}, eight, "reuse a", []string{"a chosen 8+0/10"}, ""},
		{"void records reserve nothing", several(10), []Account{with(bearing("ga-2", "x", forCluster("blue"))), freeC}, eight, "reuse a", []string{"a chosen 8+0/10"}, ""},
		{"reserved places make an account the fuller one", several(10), []Account{reserved("blue", "green"), accountB}, map[string]int{"a": 1, "b": 2}, "reuse a", nil, ""},

		{"ADR 006, feature disabled: found", single, []Account{accountA, freeB}, map[string]int{"a": 5000}, "reuse a", nil, ""}, // no limit applies
		{"ADR 006, feature disabled: none found", single, []Account{freeB, others}, nil, "claim b", nil, ""},
		{"two: the first by name, not the fullest", single, []Account{accountB, accountA}, map[string]int{"a": 1, "b": 9}, "reuse a", nil, leaves + "b is left aside."},
		{"three: the warning names the others", single, []Account{anAccount("c", heldBy("ga-1")), accountB, accountA}, nil, "reuse a", nil, leaves + "b and c are left aside."},
		{"another binding of the same credentials is not left aside", single, twinsOf(accountA, accountB), nil, "reuse a", nil, ""},
		{"one of two cloud accounts is left aside", single, append(twinsOf(accountA, accountB), anAccount("c", heldBy("ga-1"))), nil, "reuse a", nil,
			leaves + "c is left aside."},
		{"the first is dirty", single, []Account{with(dirty(Dirtied)), accountB, freeC}, nil, "reuse b", nil, ""},
		{"the only one is being released", single, []Account{with(dirty(Releasing)), freeB}, nil, "claim b", nil, ""},
	} {
		parallel(t, test.name, func(t *testing.T) {
			d, err := Select(pointers(test.accounts), Places{Counts: clustersOn(test.clusters)}, queryOf(), test.policy)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "outcome", outcome(d), test.want)
			if test.verdicts != nil {
				equal(t, "candidates", verdicts(d.Candidates), test.verdicts)
			}
			isSingle := test.policy.MinBindingsForGuard > 0
			equal(t, "multi-account and limit", []any{d.MultiAccount, d.Limit}, []any{!isSingle, test.policy.Limit("ga-1", aws)})
			switch {
			case isSingle && test.says != "":
				equal(t, "warnings", d.Warnings, []string{test.says})
			case test.says != "":
				equal(t, "reason", d.Reason, test.says)
				fallthrough
			default:
				equal(t, "warnings", len(d.Warnings), 0)
			}
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

func TestReasonForASingleAccount(t *testing.T) {
	t.Parallel()
	d, err := Select(pointers([]Account{accountA}), Places{}, queryOf(), Policy{})
	equal(t, "reason", []any{d.Reason, err}, []any{"Global Account ga-1 already holds a, its one account of pool aws.", nil})
}

// A Global Account that is not allowed several accounts gets no second one without a word, also where its first takes no new cluster
// because others may be in it, or where the claim names another. One that waits for its clean-up is no first one.
func TestSecondAccountIsWarnedOf(t *testing.T) {
	t.Parallel()
	contested := func(a *Account) {
		a.Misread = []Misread{{Key: "tenant-name", Value: "ga-9", Says: ClassHeld, Others: true}}
	}
	pinB := func(q *Query) { q.Pin = "b" }
	second := func(others, why, remedy string) []string {
		return []string{"Global Account ga-1 is not allowed several accounts of pool aws, and b is not its only one: it has " +
			others + " already. " + why +
			"The broker may go on with another account than b. " + remedy}
	}
	const find, unpin = "Find out what is to become of it.", "Leave out binding_name, or allow several accounts."
	unclear := "a takes no new cluster: " + ClassUnclear.Describe() + " (tenant-name=ga-9). "
	taken := "a takes no new cluster: " + ClassTaken.Describe() + " (by z, which has the same credentials). "
	aside := "a takes no new cluster: " + ClassQuarantined.Describe() + ". "
	byOther := anAccount("a", twinned(anAccount("SecretBinding a", heldBy("ga-1"), func(a *Account) { a.Sibling = true })))
	single, many := Policy{}, several(200)
	with := func(changes ...func(*Account)) Account { return anAccount("a", append(changes, heldBy("ga-1"))...) }
	for _, test := range []struct {
		name     string
		policy   Policy
		accounts []Account
		query    []func(*Query)
		want     string
		warnings []string
	}{
		{"contested", single, []Account{with(contested), freeB}, nil, "claim b", second("a", unclear, find)},
		{"contested, and one more", single, []Account{with(contested), accountB}, nil, "reuse b", second("a", unclear, find)},
		{"contested, by a pin", single, []Account{with(contested), freeB}, []func(*Query){pinB}, "claim b", second("a", unclear, unpin)},
		{"another tenant is in it", single, []Account{with(twinned(anAccount("z", heldBy("ga-2")))), freeB}, nil, "claim b",
			second("a", taken, find)},
		{"put aside", single, []Account{with(dirty(Quarantined)), freeB}, nil, "claim b", second("a", aside, find)},
		{"by a pin", single, []Account{accountA, freeB}, []func(*Query){pinB}, "claim b", second("a", "", unpin)},
		{"by a pin, several", single, []Account{accountA, freeB, anAccount("c", heldBy("ga-1"))}, []func(*Query){pinB}, "claim b",
			second("a; c", "", unpin)},
		{"by a pin, held", single, []Account{accountA, accountB}, []func(*Query){pinB}, "reuse b", second("a", "", unpin)},
		{"by a pin, the first by another binding", single, []Account{byOther, freeB}, []func(*Query){pinB}, "claim b", second("a", "", unpin)},
		{"by a pin, the same cloud account", single, twinsOf(accountA, accountB), []func(*Query){pinB}, "reuse b", nil},
		{"dirty", single, []Account{with(dirty(Dirtied)), freeB}, []func(*Query){pinB}, "claim b", nil},
		{"being deleted", single, []Account{with(terminating), freeB}, nil, "claim b", nil},
		{"of another pool", single, []Account{with(contested, func(a *Account) { a.HyperscalerType = "gcp" }), freeB}, nil, "claim b", nil},
		{"several are allowed", many, []Account{accountA, freeB}, []func(*Query){pinB}, "claim b", nil},
		{"several are allowed, contested", many, []Account{with(contested), freeB}, nil, "claim b", nil},
	} {
		parallel(t, test.name, func(t *testing.T) {
			d, err := Select(pointers(test.accounts), Places{}, queryOf(test.query...), test.policy)
			equal(t, "outcome, error", []any{outcome(d), err}, []any{test.want, nil})
			equal(t, "warnings", d.Warnings, test.warnings)
		})
	}
}

func TestGuardAgainstAWrongCount(t *testing.T) {
	t.Parallel()
	released := func(name string) Account { return anAccount(name, heldBy("ga-1"), dirty(Dirtied)) }
	tests := []struct {
		name     string
		guard    int
		accounts []Account
		clusters map[string]int
		held     []string // named by the error; nil = no error
	}{
		{"off", 0, []Account{accountA, accountB}, nil, nil},
		{"not reached", 3, []Account{accountA, accountB, anAccount("x", heldBy("ga-2")), freeC}, nil, nil},
		{"reached", 2, []Account{accountB, accountA}, map[string]int{"x": 9}, []string{"a", "b"}},
		{"more than reached", 1, []Account{accountA, accountB}, nil, []string{"a", "b"}},
		{"one has a cluster", 2, []Account{accountA, accountB}, map[string]int{"b": 1}, nil},
		{"none held", 1, []Account{freeB}, nil, nil},
		{"two bindings of one cloud account are one", 2, twinsOf(accountA, accountB), nil, nil},
		{"accounts that were emptied and released do not count", 2,
			[]Account{accountA, released("b"), released("c"), anAccount("d", heldBy("ga-1"), terminating)}, nil, nil},
	}
	for _, test := range tests {
		parallel(t, test.name, func(t *testing.T) {
			policy := several(10)
			policy.MinBindingsForGuard = test.guard
			_, err := Select(pointers(test.accounts), Places{Counts: clustersOn(test.clusters)}, queryOf(), policy)
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
				_, err := Select(pointers(test.accounts), Places{Counts: clustersOn(test.clusters)}, queryOf(), policy)
				if errors.As(err, new(*GuardError)) != guarded {
					t.Errorf("a guard from %d on: %v", n, err)
				}
			}
		})
	}
}

// twinsOf returns two accounts that have the same credentials.
func twinsOf(one, other Account) []Account {
	return []Account{*one.WithTwins([]*Account{&other}), *other.WithTwins([]*Account{&one})}
}

func TestExhaustedPool(t *testing.T) {
	t.Parallel()
	accounts := []Account{
		anAccount("m", heldBy("ga-1")), anAccount("n", heldBy("ga-1"), dirty(Dirtied)), anAccount("o", heldBy("ga-2")), anAccount("p", heldBy("ga-3"),
			internal),
		anAccount("q", internal), anAccount("r", dirty(Dirtied)), anAccount("s", terminating), anAccount("t", terminating, dirty(Dirtied), internal),
		anAccount("u", shared), anAccount("v", func(a *Account) { a.EUAccess = true }), anAccount("w", dirty("yes, please")),
	}
	_, err := Select(pointers(accounts), Places{Counts: clustersOn(map[string]int{"m": 3})}, queryOf(), several(3))
	exhausted := as[*ExhaustedError](t, err)
	equal(t, "tally", exhausted.Tally, Tally{ClassHeld: 1, ClassTaken: 2, ClassDirty: 3, ClassInternal: 1, ClassDeleting: 2})
	equal(t, "held", verdicts(exhausted.Held), []string{"m full 3+0/3", "n dirty 0+0/3"})
	equal(t, "error", err.Error(), "pool aws has no account left to claim for Global Account ga-1 "+
		"(9 in all: free 0, held 3, dirty 3, internal 1, deleting 2); it holds m: full, 3 of 3 places are taken; n: dirty, it is dirty and "+
		"waits for the clean-up job")
}

func TestSelectLeavesItsInputsAlone(t *testing.T) {
	t.Parallel()
	accounts := []Account{
		anAccount("d", bearing("ga-1", "first")), anAccount("c", heldBy("ga-1"), bearing("ga-1", "x", forCluster("blue"))),
		anAccount("b", shared), anAccount("a", heldBy("ga-1")), anAccount("e"),
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
			if _, err := Select(in, Places{Counts: counts}, queryOf(func(q *Query) { q.Target = target }), policy); err != nil {
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
	accounts := []Account{anAccount("a", unseen("dirty=false", "shared=no")), anAccount("b", unseen("dirty=no"), heldBy("ga-2")), anAccount("c", dirty(Dirtied))}
	_, err := Select(pointers(accounts), Places{}, queryOf(), Policy{})
	equal(t, "hidden", as[*ExhaustedError](t, err).Hidden, []string{"a (dirty=false, shared=no)"})
}
