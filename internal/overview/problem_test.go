package overview

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// described writes problems as "account kind: text".
func described(o Overview) []string {
	var all []string
	for _, p := range o.Problems {
		all = append(all, p.Account+" "+string(p.Kind)+": "+p.Text)
	}
	return all
}

func TestProblemsOfAnAccount(t *testing.T) {
	t.Parallel()
	held := heldBy("ga-1")
	claimed := bearing("ga-1", "x")
	clusters := func(n int) account.Counts { return clustersOn(map[string]int{"a": n}) }
	rows := func(ga string, n int, suspended bool) account.Counts {
		var counts account.Counts
		counts.AddInstances("a", "ga-1", false, 1)
		counts.AddInstances("a", ga, suspended, n)
		return counts
	}
	differing := func(shoots int, rows account.Counts) account.Counts {
		var counted account.Counts
		for i := range shoots {
			counted.Add("a", strings.Repeat("s", i+1))
		}
		both, err := (&pool.Counting{Shoots: counter{counts: counted}, Instances: counter{counts: rows}}).Count(t.Context())
		equal(t, "error of the count", err, nil)
		return both
	}
	tests := map[string]struct {
		account account.Account
		counts  account.Counts
		policy  account.Policy
		want    []string
	}{
		"nothing on a free account":    {account: anAccount("a")},
		"nothing on a claimed account": {account: anAccount("a", held, claimed)},
		"nothing on a used account":    {account: anAccount("a", held), counts: clusters(1)},
		"nothing on a shared account":  {account: anAccount("a", shared), counts: rows("ga-2", 3, false)},
		"clusters on a free account": {account: anAccount("a"), counts: clusters(1), want: []string{
			"a occupied: No Global Account holds it, and 1 cluster is counted on it."}},
		"rows on a free account": {account: anAccount("a"), counts: rows("ga-2", 2, true), want: []string{
			"a occupied: No Global Account holds it, and 3 clusters are counted on it, in the broker's database those of ga-1 (1), ga-2 (2); 2 " +
				"suspended."}},
		"clusters on a dirty account": {account: anAccount("a", held, dirty(account.Dirtied)), counts: clusters(2), want: []string{
			"a dirty_in_use: 2 clusters are counted on it, and it is marked for the clean-up job."}},
		"rows of others": {account: anAccount("a", held, claimed), counts: rows("ga-2", 2, false), want: []string{
			"a foreign_rows: ga-1 holds it, and 2 rows of the broker's database on it belong to others: ga-2 (2)."}},
		"shared and held": {account: anAccount("a", shared, held), want: []string{
			"a shared_held: All Global Accounts share it, and its label says that it is ga-1's."}},
		"internal and held": {account: anAccount("a", internal, held, claimed), want: []string{
			"a internal_held: It is kept for internal use, and ga-1 holds it."}},
		"internal and held for nothing": {account: anAccount("a", internal, held), want: []string{ // no message says to wipe it
			"a internal_held: It is kept for internal use, and ga-1 holds it."}},
		"internal and free": {account: anAccount("a", internal)},
		"unseen by the broker": {account: anAccount("a", unseen("dirty=false", "euAccess=false")), want: []string{
			"a unreachable: It bears dirty=false and euAccess=false. The broker passes over an account with such a label, whatever the label " +
				"says."}},
		"flags that are not true by the letter": {account: anAccount("a", misspelled("shared=TRUE", "internal=True")), want: []string{
			"a misspelt_flag: It bears shared=TRUE and internal=True. Only the value true counts, in small letters: the account is read as one " +
				"without the labels."}},
		"a flag that is not true by the letter, on a held account": {account: anAccount("a", held, claimed, misspelled("internal=yes")),
			want: []string{"a misspelt_flag: It bears internal=yes. Only the value true counts, in small letters: the account is read as one " +
				"without the label."}},
		"without a type": {account: anAccount("a", ofType("")), want: []string{
			"a unreachable: Its hyperscaler type is empty: no rule leads to it. Set one, or take the label away."}},
		"a fence": {account: anAccount("a", held, dirty(account.Releasing), bearing("ga-1", "x", fencedSince(longAgo))), want: []string{
			"a fence: Its fence (dirty=releasing) keeps new clusters away since 2026-03-01 12:00 UTC (2 days)."}},
		"a fence without a record": {account: anAccount("a", held, dirty(account.Releasing)), want: []string{
			"a fence: Its fence (dirty=releasing) keeps new clusters away; its record does not say since when."}},
		"over the limit": {account: anAccount("a", held, bearing("ga-1", "x", forCluster("red"))), counts: clusters(3), policy: several(3),
			want: []string{
				"a over_limit: 4 of 3 places are taken: 3 clusters, 1 reserved."}},
		"at the limit": {account: anAccount("a", held), counts: clusters(3), policy: several(3)},
		"the sources differ": {account: anAccount("a", held, claimed), counts: differing(3, rows("ga-1", 1, true)), want: []string{
			"a count_differs: Gardener has 3 Shoots, the broker's database 2 rows, 1 of them suspended."}},
		"the sources differ by what is suspended": {account: anAccount("a", held, claimed), counts: differing(1, rows("ga-1", 4, true))},
		"a claim of another tenant": {account: anAccount("a", held, claimed, bearing("ga-2", "y"), bearing("ga-3", "x")), want: []string{
			"a void_claim: 2 claim records cannot count: x of ga-3, while ga-1 holds the account; y of ga-2, while ga-1 holds the account."}},
		"a claim on a free account": {account: anAccount("a", bearing("ga-2", "y")), want: []string{
			"a void_claim: 1 claim record cannot count: y of ga-2, while no Global Account holds the account."}},
		"a claim on a shared account": {account: anAccount("a", shared, bearing("ga-2", "y")), want: []string{
			"a void_claim: 1 claim record cannot count: y of ga-2, while all tenants share the account."}},
		// F31: the claim is destroyed, its record stays, and once the label shared goes it would count again.
		"a claim on a held account that is shared by now": {account: anAccount("a", shared, held, claimed), want: []string{
			"a shared_held: All Global Accounts share it, and its label says that it is ga-1's.",
			"a void_claim: 1 claim record cannot count: x of ga-1, while all tenants share the account."}},
		"held for nothing": {account: anAccount("a", held), want: []string{
			"a idle: ga-1 holds it, with no cluster and no claim on it."}},
		"being deleted": {account: anAccount("a", held, terminating), counts: clusters(1), want: []string{
			"a deleting: It is being deleted while ga-1 holds it; 1 cluster is counted on it."}},
		"being deleted, free": {account: anAccount("a", terminating), want: []string{
			"a deleting: It is being deleted; 0 clusters are counted on it."}},
		"dirty":       {account: anAccount("a", held, dirty(account.Dirtied)), want: []string{"a dirty: It was ga-1's. Since when it is dirty is not known."}},
		"dirty, free": {account: anAccount("a", dirty(account.Dirtied)), want: []string{"a dirty: No Global Account holds it. Since when it is dirty is not known."}},
		"dirty, shared": {account: anAccount("a", shared, dirty(account.Dirtied)), want: []string{
			"a dirty: It bears dirty=true, and the broker puts clusters on it all the same: it does not look at that label of shared " +
				"accounts. Since when it is dirty is not known."}},
		"quarantined": {account: anAccount("a", dirty(account.Quarantined))},
		"quarantined, shared": {account: anAccount("a", shared, dirty(account.Quarantined)), want: []string{
			"a dirty: It bears dirty=quarantine, and the broker puts clusters on it all the same: it does not look at that label of shared " +
				"accounts. Since when it is dirty is not known."}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := surveyed(test.counts, test.policy, Filter{}, test.account)
			equal(t, "problems", described(o), test.want)
			equal(t, "problems on the account", len(o.Accounts[0].Problems), len(test.want))
		})
	}
}

func TestAgeOfAFence(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]time.Duration{
		"less than an hour": 59 * time.Minute,
		"1 hour":            119 * time.Minute,
		"47 hours":          47*time.Hour + time.Minute,
		"2 days":            71 * time.Hour,
		"30 days":           30 * 24 * time.Hour,
	} {
		equal(t, d.String(), age(d), want)
	}
}

// The accounts that are left aside are those that a selection leaves aside: all but the first by name, of those that can
// be used.
func TestSeveralAccountsThoughOneIsAllowed(t *testing.T) {
	t.Parallel()
	busy := clustersOn(map[string]int{"a": 1, "b": 1, "c": 1, "d": 1})
	accounts := []account.Account{
		anAccount("a", heldBy("ga-1"), terminating), anAccount("d", heldBy("ga-1")), anAccount("c", heldBy("ga-1")), anAccount("b", heldBy("ga-2")),
	}
	aside := func(policy account.Policy) []string {
		return slices.DeleteFunc(described(surveyed(busy, policy, Filter{}, accounts...)),
			func(text string) bool { return !strings.Contains(text, "several") })
	}
	equal(t, "with the feature off", aside(account.Policy{}), []string{
		"d several_accounts: ga-1 holds 2 accounts of pool aws and is allowed one: c is the first by name and is used."})
	equal(t, "with the feature on", aside(account.Policy{AllowedGlobalAccounts: []string{"ga-1"}}), []string{})
}

// Bindings of the same credentials are one cloud account: none is left aside for another, and no text advises to mark one while a claim or
// a cluster is on another.
func TestBindingsOfOneCloudAccountAreOne(t *testing.T) {
	t.Parallel()
	twins := func(one, other account.Account) []account.Account {
		return []account.Account{*one.WithTwins([]*account.Account{&other}), *other.WithTwins([]*account.Account{&one})}
	}
	held := func(name string, changes ...func(*account.Account)) account.Account {
		return anAccount(name, append([]func(*account.Account){heldBy("ga-1")}, changes...)...)
	}
	claimed := bearing("ga-1", "one")
	inUse := func(clusters string) string {
		return " It is the same cloud account as c2, with 1 claim there; " + clusters + " counted on it. Do not mark it dirty while that is so."
	}
	for name, test := range map[string]struct {
		accounts []account.Account
		clusters map[string]int
		holds    int
		want     []string
	}{
		"moved, with its cluster": {twins(held("c"), held("c2", claimed)), map[string]int{"c": 1, "c2": 1}, 1, nil},
		"moved, without one":      {twins(held("c"), held("c2", claimed)), nil, 1, nil},
		"beside another account": {append(twins(held("c"), held("c2", claimed)), held("a", claimed)), nil, 2, []string{
			"c several_accounts: ga-1 holds 2 accounts of pool aws and is allowed one: a is the first by name and is used." + inUse("0 clusters are")}},
		"fenced": {twins(held("c", dirty(account.Releasing)), held("c2", claimed)), map[string]int{"c": 1, "c2": 1}, 1, []string{
			"c fence: Its fence (dirty=releasing) keeps new clusters away; its record does not say since when." + inUse("1 cluster is")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := surveyed(clustersOn(test.clusters), account.Policy{}, Filter{}, test.accounts...)
			found := slices.DeleteFunc(described(o), func(text string) bool { return strings.Contains(text, "recorded_twice") })
			equal(t, "problems", found, test.want)
			equal(t, "accounts held", o.Tenants[0].Accounts, test.holds)
			equal(t, "accounts held of the type", o.Tenants[0].Types[0].Accounts, test.holds)
		})
	}
	for _, kind := range ProblemKinds() {
		if remedy := kind.Remedy(); strings.Contains(remedy, "mark it dirty") && !strings.Contains(remedy, "binding of its credentials") {
			t.Errorf("%s: the remedy marks an account whatever is on its other bindings: %s", kind, remedy)
		}
	}
}

// The Global Account that holds an account by another binding of its credentials holds the account, to each kind of problem.
func TestProblemsOfAccountsThatAnotherBindingHolds(t *testing.T) {
	t.Parallel()
	rows := func(ga string) (counts account.Counts) {
		counts.AddInstances("a", ga, false, 1)
		return counts
	}
	for name, test := range map[string]struct {
		account account.Account
		counts  account.Counts
		policy  account.Policy
		want    []string
	}{
		"in use":          {anAccount("a"), clustersOn(map[string]int{"a": 1}), account.Policy{}, nil},
		"rows of its own": {anAccount("a"), rows("ga-1"), account.Policy{}, nil},
		"rows of others": {anAccount("a"), rows("ga-2"), account.Policy{}, []string{
			"a foreign_rows: ga-1 holds it, and 1 row of the broker's database on it belongs to others: ga-2 (1)."}},
		"over the limit": {anAccount("a"), clustersOn(map[string]int{"a": 2}), several(1), []string{
			"a over_limit: 2 of 1 places are taken: 2 clusters, 0 reserved."}},
		"for nothing": {anAccount("a"), account.Counts{}, account.Policy{}, []string{
			"a idle: ga-1 holds it by SecretBinding a, with no cluster and no claim on it. A mark belongs on all bindings of its credentials."}},
		"internal": {anAccount("a", internal), account.Counts{}, account.Policy{}, []string{
			"a internal_held: It is kept for internal use, and ga-1 holds it."}},
		"dirty": {anAccount("a", dirty(account.Dirtied)), account.Counts{}, account.Policy{}, []string{
			"a dirty: It was ga-1's. Since when it is dirty is not known."}},
		"being deleted": {anAccount("a", terminating), account.Counts{}, account.Policy{}, []string{
			"a deleting: It is being deleted while ga-1 holds it; 0 clusters are counted on it."}},
		"with a record of its own": {anAccount("a", bearing("ga-1", "x")), clustersOn(map[string]int{"a": 1}), account.Policy{}, []string{
			"a void_claim: 1 claim record cannot count: x of ga-1, while its own labels name no Global Account."}},
	} {
		binding := anAccount("SecretBinding a", heldBy("ga-1"))
		binding.Sibling = true
		o := Survey(pool.Inventory{Namespace: namespace, Accounts: []*account.Account{test.account.WithTwins([]*account.Account{&binding})},
			Counts: test.counts, Policy: test.policy}, Facts{Secrets: true}, Filter{}, someDay)
		equal(t, name, slices.DeleteFunc(described(o), func(text string) bool { return strings.Contains(text, "same_credentials") }), test.want)
	}
}

// An account that is internal by another binding is internal to each kind of problem: no text says to mark it.
func TestProblemsOfAccountsThatAreInternalByAnotherBinding(t *testing.T) {
	t.Parallel()
	const kept = "It is kept for internal use by SecretBinding a, which has the same credentials, and ga-1 holds it."
	first := anAccount("0", heldBy("ga-1"), bearing("ga-1", "x"))
	for name, test := range map[string]struct {
		account account.Account
		tenant  string
		others  []account.Account
		want    []string
	}{
		"held by the other binding": {anAccount("a"), "ga-1", nil, []string{"a internal_held: " + kept}},
		"held by its own label":     {anAccount("a", heldBy("ga-1")), "", nil, []string{"a internal_held: " + kept}},
		"internal itself": {anAccount("a", internal, heldBy("ga-1")), "", nil, []string{
			"a internal_held: It is kept for internal use, and ga-1 holds it."}},
		"the second one": {anAccount("a", heldBy("ga-1")), "", []account.Account{first}, []string{"a internal_held: " + kept}},
		"free":           {anAccount("a"), "", nil, nil},
		"shared":         {anAccount("a", shared), "", nil, nil},
		"shared and held": {anAccount("a", shared, heldBy("ga-1")), "", nil, []string{
			"a shared_held: All Global Accounts share it, and its label says that it is ga-1's."}},
	} {
		binding := anAccount("SecretBinding a", heldBy(test.tenant), internal)
		binding.Sibling = true
		o := surveyedWith(Facts{Secrets: true}, Filter{}, append(test.others, *test.account.WithTwins([]*account.Account{&binding}))...)
		equal(t, name, slices.DeleteFunc(described(o), func(text string) bool { return strings.Contains(text, "same_credentials") }), test.want)
	}
}

// A name begins a sentence as it is. The list of the other kinds is read for a mark of theirs alone.
func TestMarksOnFurtherBindingsOfTheOwnKind(t *testing.T) {
	t.Parallel()
	a, old := anAccount("aws-1", uid("1")), anAccount("aws-1-old", uid("2"), ofType(""), dirty(account.Dirtied))
	old.Sibling = true
	objects := []account.Object{object(a, "aws", time.Time{}), {Account: old, Typed: true, DirtySince: longAgo}}
	o := surveyedWith(Facts{Objects: objects}, Filter{}, *a.WithTwins([]*account.Account{&old}))
	found := slices.DeleteFunc(described(o), func(text string) bool { return strings.Contains(text, "same_credentials") })
	equal(t, "problems", found, []string{
		"aws-1 dirty: No Global Account holds it. aws-1-old is dirty at least since 2026-03-01 12:00 UTC (2 days)."})
	outside := anAccount(account.OutsideName("SecretBinding", "garden-b", "a"), dirty(account.Dirtied))
	outside.Sibling, outside.Outside = true, "garden-b"
	clean, marked := anAccount("SecretBinding a"), anAccount("SecretBinding a", dirty(account.Dirtied))
	clean.Sibling, marked.Sibling = true, true
	for want, twins := range map[bool][]*account.Account{false: {&old, &outside, &clean}, true: {&old, &marked}} {
		equal(t, fmt.Sprintf("whether the other kinds are read for %d bindings", len(twins)), hasMarkedSibling(a.WithTwins(twins)), want)
	}
}

// What the label dirty says on a binding that is no account is said of the cloud account. An account of the same credentials says it
// itself.
func TestMarksOnOtherBindings(t *testing.T) {
	t.Parallel()
	const of = "SecretBinding a, which has the same credentials"
	binding := func(changes ...func(*account.Account)) account.Account {
		b := anAccount("SecretBinding a", append(changes, uid("2"))...)
		b.Sibling = true
		return b
	}
	held, marked, fenced := heldBy("ga-1"), dirty(account.Dirtied), dirty(account.Releasing)
	since, moved := bearing("ga-1", "x", fencedSince(longAgo)), bearing("ga-1", "x")
	for name, test := range map[string]struct {
		account  account.Account
		twin     account.Account
		clusters int
		want     []string
	}{
		"marked, in use": {anAccount("a", held), binding(marked), 1, []string{
			"a dirty_in_use: 1 cluster is counted on it, and " + of + ", is marked for the clean-up job."}},
		"marked": {anAccount("a", held), binding(marked), 0, []string{
			"a dirty: It was ga-1's. Since when SecretBinding a is dirty is not known."}},
		"marked, free": {anAccount("a"), binding(marked), 0, []string{
			"a dirty: No Global Account holds it. Since when SecretBinding a is dirty is not known."}},
		"marked, shared": {anAccount("a", shared), binding(marked), 0, []string{
			"a dirty: All Global Accounts share it. Since when SecretBinding a is dirty is not known."}},
		"both marked": {anAccount("a", marked), binding(marked), 1, []string{
			"a dirty_in_use: 1 cluster is counted on it, and it is marked for the clean-up job."}},
		"quarantined, and the binding marked": {anAccount("a", dirty(account.Quarantined)), binding(marked), 1, []string{
			"a dirty_in_use: 1 cluster is counted on it, and " + of + ", is marked for the clean-up job."}},
		"fenced": {anAccount("a", held, moved), binding(fenced, held), 1, []string{
			"a fence: The fence (dirty=releasing) of " + of + ", keeps new clusters away; its record does not say since when."}},
		"fenced since": {anAccount("a", held), binding(fenced, held, since), 1, []string{
			"a fence: The fence (dirty=releasing) of " + of + ", keeps new clusters away since 2026-03-01 12:00 UTC (2 days). " +
				"It is the same cloud " +
				"account as SecretBinding a, with 1 claim there; 1 cluster is counted on it. Do not mark it dirty while that is so."}},
		"fenced, by the record of the account": {anAccount("a", held, since), binding(fenced, held), 1, []string{
			"a fence: The fence (dirty=releasing) of " + of + ", keeps new clusters away since 2026-03-01 12:00 UTC (2 days)."}},
		"both fenced": {anAccount("a", held, fenced, since), binding(held, fenced), 1, []string{
			"a fence: Its fence (dirty=releasing) keeps new clusters away since 2026-03-01 12:00 UTC (2 days)."}},
		"quarantined": {anAccount("a", held), binding(dirty(account.Quarantined)), 1, nil},
		"an account": {anAccount("a", held), func() account.Account { b := anAccount("b", marked); return b }(), 1, []string{
			"b dirty_in_use: 1 cluster is counted on it, and it is marked for the clean-up job."}},
	} {
		accounts := []*account.Account{test.account.WithTwins([]*account.Account{&test.twin})}
		if !test.twin.Sibling {
			accounts = append(accounts, test.twin.WithTwins([]*account.Account{&test.account}))
		}
		counts, err := clustersOn(map[string]int{"a": test.clusters}).Joined(map[string]string{"b": "a"})
		equal(t, "error of the count", err, nil)
		o := Survey(pool.Inventory{Namespace: namespace, Accounts: accounts, Counts: counts}, Facts{Secrets: true}, Filter{}, someDay)
		equal(t, name, slices.DeleteFunc(described(o), func(text string) bool { return strings.Contains(text, "same_credentials") }), test.want)
	}
}

// What a binding bears is said once of a cloud account with several free accounts: of the one that is the cloud account.
func TestMarkOfABindingWithDuplicates(t *testing.T) {
	t.Parallel()
	a, b, binding := anAccount("a"), anAccount("b"), anAccount("SecretBinding a", dirty(account.Dirtied))
	binding.Sibling = true
	o := surveyed(account.Counts{}, account.Policy{}, Filter{}, *a.WithTwins([]*account.Account{&binding, &b}),
		*b.WithTwins([]*account.Account{&binding, &a}))
	equal(t, "classes", o.Pools[0].Tally, account.Tally{account.ClassDirty: 1, account.ClassDuplicate: 1})
	equal(t, "problems", described(o), []string{"a dirty: No Global Account holds it. Since when SecretBinding a is dirty is not known."})
}

// An account on which Gardener has a Shoot is in use, though the database alone counts: it is not held for nothing, and does not merely
// wait for the clean-up job.
func TestAnUncountedShootIsACluster(t *testing.T) {
	t.Parallel()
	counts := account.Counts{}.ByDatabase().WithBeside(clustersOn(map[string]int{"a": 1}))
	const beside = "0 clusters are counted on it, and Gardener, which does not count, has 1 Shoot"
	const inUse = "a dirty_in_use: " + beside + ", and it is marked for the clean-up job."
	old := bearing("ga-1", "x", recordedAt(someDay.Add(-99*24*time.Hour)))
	for name, test := range map[string]struct {
		account account.Account
		want    []string
	}{
		"held":          {anAccount("a", heldBy("ga-1")), nil},
		"held for long": {anAccount("a", heldBy("ga-1"), old), nil},
		"free":          {anAccount("a"), []string{"a occupied: No Global Account holds it, and " + beside + "."}},
		"dirty":         {anAccount("a", heldBy("ga-1"), dirty(account.Dirtied)), []string{inUse}},
		"dirty, free":   {anAccount("a", dirty(account.Dirtied)), []string{inUse}},
		"dirty, shared": {anAccount("a", shared, dirty(account.Dirtied)), []string{inUse}},
	} {
		o := surveyed(counts, account.Policy{}, Filter{}, test.account)
		equal(t, name, described(o), test.want)
		equal(t, name+": in use", o.Accounts[0].InUse(), true)
	}
}

func TestRowsWithoutAnAccount(t *testing.T) {
	t.Parallel()
	for rows, want := range map[int][]string{
		0: nil,
		1: {" unassigned_rows: 1 live row of the broker's database names no account: each occupies one all the same: which one is not known."},
		2: {" unassigned_rows: 2 live rows of the broker's database name no account: each occupies one all the same: which one is not known."},
	} {
		var counts account.Counts
		counts.AddInstances("", "ga-1", false, rows)
		equal(t, "problems", described(surveyed(counts, account.Policy{}, Filter{}, anAccount("a"))), want)
	}
}

func TestProblemsAreSortedTheWorstFirst(t *testing.T) {
	t.Parallel()
	counts := clustersOn(map[string]int{"e": 1, "c": 1})
	o := surveyed(counts, account.Policy{}, Filter{},
		anAccount("a", dirty(account.Dirtied)), anAccount("b", heldBy("ga-1")), anAccount("e"), anAccount("c"), anAccount("d", unseen("dirty=false"),
			bearing("ga-1", "x")))
	var kinds []string
	for _, p := range o.Problems {
		kinds = append(kinds, p.Account+" "+string(p.Kind))
	}
	equal(t, "problems", kinds, []string{"c occupied", "e occupied", "d unreachable", "d void_claim", "b idle", "a dirty"})
	equal(t, "number of kinds", len(ProblemKinds()), 30)
}

// A record of a claim that is not valid is a problem, wherever it is. Of a claim that is recorded on two accounts both say so: a destroy
// ends it on one, and no label says on which.
func TestRecordsThatCannotCountAreProblems(t *testing.T) {
	t.Parallel()
	elsewhere := bearing("ga-1", "twice")
	moved := func(a *account.Account) {
		r := recordOf("ga-1", "astray")
		a.Records[account.AnnotationPrefix+"0000"] = r
	}
	o := surveyed(account.Counts{}, several(9), Filter{},
		anAccount("a", heldBy("ga-1"), elsewhere, bearing("ga-1", "fine")), anAccount("b", heldBy("ga-1"), elsewhere, moved),
		anAccount("c", heldBy("ga-2"), bearing("ga-1", "lost"), bearing("ga-2", "fine")), anAccount("d", heldBy("ga-1"), shared, elsewhere))
	var found []string
	for _, p := range o.Problems {
		if p.Kind == ProblemVoidClaim || p.Kind == ProblemRecordedTwice {
			found = append(found, p.Account+": "+p.Text)
		}
	}
	equal(t, "problems", found, []string{
		"a: Claim twice of ga-1 is recorded on b as well.",
		"b: Claim twice of ga-1 is recorded on a as well.",
		"b: 1 claim record cannot count: astray of ga-1 lies under a key that is not its own.",
		"c: 1 claim record cannot count: lost of ga-1, while ga-2 holds the account.",
		"d: 1 claim record cannot count: twice of ga-1, while all tenants share the account.",
	})
}

// In a pool of Secrets a Shoot names a binding of the account's Secret: that binding is no second account, unless it says that another
// Global Account has it. In a pool of bindings each further binding is one.
func TestBindingsOfASecretAreNoSecondAccount(t *testing.T) {
	t.Parallel()
	credentials := &account.Credentials{Ref: account.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: namespace, Name: "a"}}
	problems := func(secrets bool, tenant string) (described []string) {
		a := anAccount("a", heldBy("ga-1"), uid("1"))
		a.Credentials = credentials
		siblings := beside{store{a}, account.Account{Name: "SecretBinding b", UID: "2", Tenant: tenant, Sibling: true, Credentials: credentials}}
		p := pool.New(namespace, siblings, counter{counts: clustersOn(map[string]int{"a": 1})}, account.Policy{})
		o, err := Of(t.Context(), p, Reads{Objects: func(context.Context) ([]account.Object, error) {
			return []account.Object{{Account: a, Typed: true}}, nil
		}}, Facts{Secrets: secrets}, Filter{})
		equal(t, "error", err, nil)
		for _, p := range o.Problems {
			described = append(described, string(p.Kind)+" "+p.Text)
		}
		return described
	}
	twice := `same_credentials Its credentials (Secret a in namespace "garden-kyma") are also those of SecretBinding b.`
	equal(t, "a Secret and its binding", problems(true, ""), []string(nil))
	equal(t, "a Secret and its binding of the same tenant", problems(true, "ga-1"), []string(nil))
	equal(t, "a Secret and a binding of another tenant", problems(true, "ga-2"), []string{
		twice + " SecretBinding b is held by Global Account ga-2."})
	equal(t, "a binding and a further one", problems(false, ""), []string{twice})
}

// A fence that a killed release leaves on a binding of another kind has its age, though no record says since when. Where no such binding is
// marked, nothing is read for it.
func TestAgeOfAFenceOnAnotherBinding(t *testing.T) {
	t.Parallel()
	credentials := &account.Credentials{Ref: account.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: namespace, Name: "a"}}
	a := anAccount("a", heldBy("ga-1"), uid("1"))
	a.Credentials = credentials
	cut := errors.New("the connection was cut")
	for name, test := range map[string]struct {
		dirt account.Dirt
		err  error
		want []string
	}{
		"fenced": {account.Releasing, nil, []string{"fence The fence (dirty=releasing) of SecretBinding b, which has the same " +
			"credentials, keeps " +
			"new clusters away at least since " + longAgo.Format("2006-01-02 15:04")}},
		"marked": {account.Dirtied, nil, []string{
			"dirty It was ga-1's. SecretBinding b is dirty at least since " + longAgo.Format("2006-01-02 15:04")}},
		"clean":  {account.Clean, cut, []string{"idle ga-1 holds it, with no cluster and no claim on it."}},
		"unread": {account.Releasing, cut, nil},
	} {
		b := account.Account{Name: "SecretBinding b", UID: "2", Sibling: true, Credentials: credentials, Dirty: test.dirt}
		p := pool.New(namespace, beside{store{a}, b}, counter{}, account.Policy{})
		o, err := Of(t.Context(), p, Reads{Siblings: func(context.Context) ([]account.Object, error) {
			return []account.Object{{Account: b, DirtySince: longAgo}}, test.err
		}}, Facts{Secrets: true}, Filter{})
		if wrong := test.dirt != account.Clean && test.err != nil; wrong != errors.Is(err, cut) {
			t.Errorf("%s: error %v", name, err)
		}
		var found []string
		for _, p := range o.Problems {
			text, _, _ := strings.Cut(p.Text, " UTC (") // the age is by the clock
			found = append(found, string(p.Kind)+" "+text)
		}
		equal(t, name, found, test.want)
	}
}

// beside is a store with one binding of another kind.
type beside struct {
	store
	sibling account.Account
}

func (s beside) Siblings(context.Context) ([]account.Account, error) {
	return []account.Account{s.sibling}, nil
}

// Each kind of problems has a title and a remedy, which is the same for all accounts.
func TestEveryProblemHasATitleAndARemedy(t *testing.T) {
	t.Parallel()
	for _, kind := range ProblemKinds() {
		if kind.Title() == "" || kind.Title() == string(kind) || kind.Remedy() == "" || strings.Contains(kind.Remedy(), "ga-1") {
			t.Errorf("%s: title %q, remedy %q", kind, kind.Title(), kind.Remedy())
		}
	}
	// A destroy leaves such records: by hand they are found by their annotation.
	for _, kind := range []ProblemKind{ProblemVoidClaim, ProblemSharedHeld} {
		if remedy := kind.Remedy(); !strings.Contains(remedy, account.AnnotationPrefix) {
			t.Errorf("%s: the remedy does not name the annotation: %q", kind, remedy)
		}
	}
}
