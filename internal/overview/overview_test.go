package overview

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

func accountNames(o Overview) []string {
	var all []string
	for _, a := range o.Accounts {
		all = append(all, a.Name)
	}
	return all
}

// holds is a Global Account that holds accounts of one hyperscaler type.
func holds(ga string, t TypeHolding) Tenant {
	return Tenant{GlobalAccount: ga, Holding: t.Holding, Types: []TypeHolding{t}}
}

// one is one empty account of a hyperscaler type, without a limit.
func one(hyperscalerType string) TypeHolding {
	return TypeHolding{hyperscalerType, Holding{Accounts: 1}}
}

// noObjects is that of a namespace without objects.
func noObjects(context.Context) ([]account.Object, error) { return nil, nil }

func TestOverviewOfAccounts(t *testing.T) {
	t.Parallel()
	var counts account.Counts
	counts.Add("b", "blue")
	counts.Add("b", "green")
	o := surveyed(counts, several(3), Filter{},
		anAccount("c"),
		anAccount("b", heldBy("ga-1"), bearing("ga-1", "y", forCluster("blue")), bearing("ga-1", "x", forCluster("red")), bearing("ga-2", "z")),
		anAccount("a", shared))
	equal(t, "accounts", accountNames(o), []string{"a", "b", "c"})
	b := o.Accounts[1]
	equal(t, "places", []int{b.Clusters, b.Reserved, b.Limit, b.Usage.Shoots}, []int{2, 1, 3, 2})
	equal(t, "claims", []string{b.ValidRecords[0].Name, b.ValidRecords[1].Name}, []string{"x", "y"})
	equal(t, "number of claims", len(b.ValidRecords), 2)
	equal(t, "problems", b.Problems, []ProblemKind{ProblemVoidClaim})
	equal(t, "limit of a shared account", o.Accounts[0].Limit, 0)
}

func TestOverviewOfPools(t *testing.T) {
	t.Parallel()
	counts := clustersOn(map[string]int{"aws-1": 2, "aws-4": 1, "eu-1": 5, "trial-1": 7})
	o := surveyed(counts, several(3), Filter{},
		anAccount("trial-1", shared), anAccount("trial-2", shared, dirty(account.Dirtied)),
		anAccount("eu-1", euAccess, heldBy("ga-1")),
		anAccount("aws-1", heldBy("ga-1"), bearing("ga-1", "x", forCluster("red"))), anAccount("aws-2"), anAccount("aws-3", unseen("dirty=false")),
		anAccount("aws-4", heldBy("ga-2"), dirty(account.Dirtied)), anAccount("aws-5", internal), anAccount("aws-6", terminating),
		anAccount("gcp-1", ofType("gcp")))
	equal(t, "pools", o.Pools, []Pool{
		{
			Target: aws,
			Tally: account.Tally{
				account.ClassFree: 1, account.ClassUnreachable: 1, account.ClassHeld: 1, account.ClassDirty: 1, account.ClassInternal: 1, account.ClassDeleting: 1,
			},
			Unreachable: 1, Clusters: 3, Reserved: 1,
		},
		{Target: account.Target{HyperscalerType: "aws", EUAccess: true}, Tally: account.Tally{account.ClassHeld: 1}, Clusters: 5},
		{Target: account.Target{HyperscalerType: "aws", Shared: true}, Tally: account.Tally{account.ClassShared: 1, account.ClassDirty: 1}, Clusters: 7},
		{Target: account.Target{HyperscalerType: "gcp"}, Tally: account.Tally{account.ClassFree: 1}},
	})
	equal(t, "unclaimed of the tenants' pool", o.Pools[0].Unclaimed(), 1)
	equal(t, "unclaimed of the shared pool", o.Pools[2].Unclaimed(), 0)
}

// What is left is what fits on accounts that can be used: a full one has nothing to give, one over its limit takes
// nothing away, and a dirty one is no place for a cluster.
func TestOverviewOfGlobalAccounts(t *testing.T) {
	t.Parallel()
	counts := clustersOn(map[string]int{"a": 2, "b": 9, "c": 1, "shared": 4, "z": 1})
	policy := account.Policy{AllowedGlobalAccounts: []string{"ga-1"}, Limits: map[string]int{account.DefaultLimit: 5}}
	o := surveyed(counts, policy, Filter{},
		anAccount("a", heldBy("ga-1"), bearing("ga-1", "x", forCluster("red"))), anAccount("b", heldBy("ga-1")),
		anAccount("c", heldBy("ga-1"), dirty(account.Dirtied)), anAccount("d", heldBy("ga-1"), ofType("gcp")),
		anAccount("shared", shared, heldBy("ga-1")), anAccount("free"), anAccount("z", heldBy("ga-2")))
	equal(t, "Global Accounts", o.Tenants, []Tenant{
		{GlobalAccount: "ga-1", Holding: Holding{Accounts: 4, Clusters: 12, Reserved: 1, Limited: true, Left: 2 + 5}, Types: []TypeHolding{
			{"aws", Holding{Accounts: 3, Clusters: 12, Reserved: 1, Limited: true, Left: 2}},
			{"gcp", Holding{Accounts: 1, Limited: true, Left: 5}},
		}},
		holds("ga-2", TypeHolding{"aws", Holding{Accounts: 1, Clusters: 1}}),
	})
}

// An account is held if one of its bindings is (ADR 011). A cloud account counts once, whether its further bindings are accounts or not.
func TestAccountsThatAnotherBindingHolds(t *testing.T) {
	t.Parallel()
	binding := anAccount("SecretBinding a", heldBy("ga-1"))
	binding.Sibling = true
	others := binding
	others.Tenant = "ga-2"
	joined := func(siblings []account.Account, accounts ...account.Account) (all []account.Account) {
		for i := range accounts {
			twins := pointers(siblings)
			for j := range accounts {
				if i != j {
					twins = append(twins, &accounts[j])
				}
			}
			all = append(all, *accounts[i].WithTwins(twins))
		}
		return all
	}
	policy := account.Policy{AllowedGlobalAccounts: []string{"ga-1"}, Limits: map[string]int{account.DefaultLimit: 5}}
	of1 := []Tenant{holds("ga-1", TypeHolding{"aws", Holding{Accounts: 1, Clusters: 2, Limited: true, Left: 3}})}
	for name, test := range map[string]struct {
		accounts []account.Account
		holders  []string // of each account
		classes  account.Tally
		tenants  []Tenant
	}{
		"by its own label": {joined(nil, anAccount("a", heldBy("ga-1"))), []string{"ga-1"}, account.Tally{account.ClassHeld: 1}, of1},
		"by a binding": {joined([]account.Account{binding}, anAccount("a")), []string{"ga-1"},
			account.Tally{account.ClassHeld: 1}, of1},
		"by both": {joined([]account.Account{binding}, anAccount("a", heldBy("ga-1"))), []string{"ga-1"},
			account.Tally{account.ClassHeld: 1}, of1},
		"two accounts, one of them held": {joined(nil, anAccount("a"), anAccount("b", heldBy("ga-1"))), []string{"", "ga-1"},
			account.Tally{account.ClassDuplicate: 1, account.ClassHeld: 1}, of1},
		"two accounts, one of them and a binding held": {joined([]account.Account{binding}, anAccount("a"), anAccount("b", heldBy("ga-1"))),
			[]string{"", "ga-1"}, account.Tally{account.ClassDuplicate: 1, account.ClassHeld: 1}, of1},
		"two accounts, by a binding": {joined([]account.Account{binding}, anAccount("a"), anAccount("b")), []string{"ga-1", ""},
			account.Tally{account.ClassDuplicate: 1, account.ClassHeld: 1}, of1},
		"two accounts, one of them dirty": {joined(nil, anAccount("a", dirty(account.Dirtied)), anAccount("b", heldBy("ga-1"))),
			[]string{"", "ga-1"}, account.Tally{account.ClassDirty: 2},
			[]Tenant{holds("ga-1", TypeHolding{"aws", Holding{Accounts: 1, Clusters: 2, Limited: true}})}},
		"by two Global Accounts": {joined([]account.Account{others}, anAccount("a", heldBy("ga-1"))), []string{"ga-1"},
			account.Tally{account.ClassHeld: 1}, []Tenant{holds("ga-1", TypeHolding{"aws", Holding{Accounts: 1, Clusters: 2, Limited: true}})}},
		"shared": {joined([]account.Account{binding}, anAccount("a", shared)), []string{""}, account.Tally{account.ClassHeld: 1}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			counts, err := clustersOn(map[string]int{"a": 2}).Joined(map[string]string{"b": "a"})
			equal(t, "error of the count", err, nil)
			o := surveyed(counts, policy, Filter{}, test.accounts...)
			var holders []string
			for i := range o.Accounts {
				holders = append(holders, o.Accounts[i].HeldBy())
			}
			equal(t, "holders", holders, test.holders)
			equal(t, "classes", o.Pools[0].Tally, test.classes)
			equal(t, "Global Accounts", o.Tenants, test.tenants)
			equal(t, "accounts of ga-1", len(surveyed(counts, policy, Filter{GlobalAccount: "ga-1"}, test.accounts...).Accounts),
				len(slices.DeleteFunc(holders, func(ga string) bool { return ga != "ga-1" })))
		})
	}
}

func TestOverviewFilters(t *testing.T) {
	t.Parallel()
	var counts account.Counts
	counts.AddInstances("trial", "ga-1", false, 1)
	counts.AddInstances("", "ga-1", false, 1)
	accounts := []account.Account{
		anAccount("aws-1", heldBy("ga-1")), anAccount("aws-2", heldBy("ga-2")), anAccount("aws-3"), anAccount("aws-4", bearing("ga-1", "old")),
		anAccount("gcp-1", ofType("gcp"), heldBy("ga-1")), anAccount("gcp-2", ofType("gcp")), anAccount("azure-1", ofType("azure")),
		anAccount("trial", shared), anAccount("trial-2", shared),
	}
	tests := map[string]struct {
		of       Filter
		accounts []string
		pools    []string
		tenants  []Tenant
	}{
		"a type": {
			Filter{HyperscalerType: "gcp"}, []string{"gcp-1", "gcp-2"}, []string{"gcp"}, []Tenant{holds("ga-1", one("gcp"))},
		},
		"a Global Account": { // what it holds, what has its void record, and where its clusters are
			Filter{GlobalAccount: "ga-1"}, []string{"aws-1", "aws-4", "gcp-1", "trial"}, []string{"aws", "aws,shared", "gcp"},
			[]Tenant{{GlobalAccount: "ga-1", Holding: Holding{Accounts: 2}, Types: []TypeHolding{one("aws"), one("gcp")}}},
		},
		"both": {
			Filter{HyperscalerType: "aws", GlobalAccount: "ga-2"}, []string{"aws-2"}, []string{"aws"}, []Tenant{holds("ga-2", one("aws"))},
		},
		"an unknown type":   {Filter{HyperscalerType: "awz"}, nil, nil, nil},
		"an unknown tenant": {Filter{GlobalAccount: "ga-9"}, nil, nil, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := surveyed(counts, account.Policy{}, test.of, accounts...)
			equal(t, "accounts", accountNames(o), test.accounts)
			var pools []string
			for _, p := range o.Pools {
				pools = append(pools, p.String())
			}
			equal(t, "pools", pools, test.pools)
			equal(t, "Global Accounts", o.Tenants, test.tenants)
			for _, p := range o.Problems {
				if p.Kind == ProblemUnassigned {
					t.Errorf("a part of the pool is blamed for rows without an account: %+v", p)
				}
			}
		})
	}
	whole := surveyed(counts, account.Policy{}, Filter{GlobalAccount: "ga-1"}, accounts...).Pools[0]
	equal(t, "the pool aws of one Global Account, counted as a whole", whole.Tally, account.Tally{account.ClassFree: 2, account.ClassHeld: 2})
}

// What a claim could take now is one number: the unclaimed ones of each selection, and those of the pool.
func TestUnclaimedIsOneNumber(t *testing.T) {
	t.Parallel()
	accounts := []account.Account{
		anAccount("free-1"), anAccount("free-2", bearing("ga-1", "before")), anAccount("occupied-1"), anAccount("occupied-2", bearing("ga-1", "before")),
		anAccount("hidden", unseen("tenantName=")), anAccount("internal", internal), anAccount("dirty", dirty(account.Dirtied)),
		anAccount("held", heldBy("ga-1")), anAccount("shared", shared), anAccount("deleting", terminating), anAccount("fenced", dirty(account.Releasing)),
	}
	counts := clustersOn(map[string]int{"occupied-1": 1, "occupied-2": 1, "held": 1})
	for _, ga := range []string{"ga-1", "ga-2"} {
		d, err := account.Select(pointers(accounts), account.Places{Counts: counts}, account.Query{Target: aws, GlobalAccount: ga}, several(1))
		equal(t, "error", err, nil)
		equal(t, "unclaimed for "+ga, d.Unclaimed, 2)
	}
	total := 0
	for _, p := range surveyed(counts, several(1), Filter{}, accounts...).Pools {
		total += p.Unclaimed()
	}
	equal(t, "unclaimed of all pools", total, 2)
}

// The overview is that of the accounts and clusters that the pool of the process knows. The store of this test refuses to write.
func TestOverviewOfAPool(t *testing.T) {
	t.Parallel()
	accounts := store{anAccount("aws-1", heldBy("ga-1")), anAccount("gcp-1", ofType("gcp"))}
	p := pool.New(namespace, accounts, counter{counts: clustersOn(map[string]int{"aws-1": 2})}, several(3))
	o, err := Of(t.Context(), p, Reads{}, Facts{}, Filter{HyperscalerType: "aws"})
	equal(t, "error", err, nil)
	equal(t, "namespace", o.Namespace, namespace)
	equal(t, "accounts", accountNames(o), []string{"aws-1"})
	equal(t, "clusters and limit", []int{o.Accounts[0].Clusters, o.Accounts[0].Limit}, []int{2, 3})
}

func TestOverviewFailsWithItsCount(t *testing.T) {
	t.Parallel()
	cut := errors.New("the connection was cut")
	p := pool.New(namespace, store{anAccount("aws-1")}, counter{err: cut}, account.Policy{})
	o, err := Of(t.Context(), p, Reads{Objects: noObjects}, Facts{}, Filter{})
	if !errors.Is(err, cut) || len(o.Accounts) != 0 {
		t.Fatalf("got %d accounts and error %v, want none and %v", len(o.Accounts), err, cut)
	}
}

func TestOverviewFailsWithItsObjects(t *testing.T) {
	t.Parallel()
	cut := errors.New("the connection was cut")
	p := pool.New(namespace, store{anAccount("aws-1")}, counter{}, account.Policy{})
	o, err := Of(t.Context(), p, Reads{Objects: func(context.Context) ([]account.Object, error) { return nil, cut }}, Facts{}, Filter{})
	if !errors.Is(err, cut) || len(o.Accounts) != 0 {
		t.Fatalf("got %d accounts and error %v, want none and %v", len(o.Accounts), err, cut)
	}
}
