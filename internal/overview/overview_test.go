package overview

import (
	"context"
	"errors"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
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
func noObjects(context.Context) ([]pool.Object, error) { return nil, nil }

func TestOverviewOfAccounts(t *testing.T) {
	t.Parallel()
	var counts pool.Counts
	counts.Add("b", "blue")
	counts.Add("b", "green")
	o := surveyed(counts, several(3), Filter{},
		account("c"),
		account("b", heldBy("ga-1"), bearing("ga-1", "y", forCluster("blue")), bearing("ga-1", "x", forCluster("red")), bearing("ga-2", "z")),
		account("a", shared))
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
		account("trial-1", shared), account("trial-2", shared, dirty(pool.Dirtied)),
		account("eu-1", euAccess, heldBy("ga-1")),
		account("aws-1", heldBy("ga-1"), bearing("ga-1", "x", forCluster("red"))), account("aws-2"), account("aws-3", unseen("dirty=false")),
		account("aws-4", heldBy("ga-2"), dirty(pool.Dirtied)), account("aws-5", internal), account("aws-6", terminating),
		account("gcp-1", ofType("gcp")))
	equal(t, "pools", o.Pools, []Pool{
		{
			Target: aws,
			Tally: pool.Tally{
				pool.ClassFree: 1, pool.ClassUnreachable: 1, pool.ClassHeld: 1, pool.ClassDirty: 1, pool.ClassInternal: 1, pool.ClassDeleting: 1,
			},
			Unreachable: 1, Clusters: 3, Reserved: 1,
		},
		{Target: pool.Target{HyperscalerType: "aws", EUAccess: true}, Tally: pool.Tally{pool.ClassHeld: 1}, Clusters: 5},
		{Target: pool.Target{HyperscalerType: "aws", Shared: true}, Tally: pool.Tally{pool.ClassShared: 1, pool.ClassDirty: 1}, Clusters: 7},
		{Target: pool.Target{HyperscalerType: "gcp"}, Tally: pool.Tally{pool.ClassFree: 1}},
	})
	equal(t, "unclaimed of the tenants' pool", o.Pools[0].Unclaimed(), 1)
	equal(t, "unclaimed of the shared pool", o.Pools[2].Unclaimed(), 0)
}

// What is left is what fits on accounts that can be used: a full one has nothing to give, one over its limit takes
// nothing away, and a dirty one is no place for a cluster.
func TestOverviewOfGlobalAccounts(t *testing.T) {
	t.Parallel()
	counts := clustersOn(map[string]int{"a": 2, "b": 9, "c": 1, "shared": 4, "z": 1})
	policy := pool.Policy{AllowedGlobalAccounts: []string{"ga-1"}, Limits: map[string]int{pool.DefaultLimit: 5}}
	o := surveyed(counts, policy, Filter{},
		account("a", heldBy("ga-1"), bearing("ga-1", "x", forCluster("red"))), account("b", heldBy("ga-1")),
		account("c", heldBy("ga-1"), dirty(pool.Dirtied)), account("d", heldBy("ga-1"), ofType("gcp")),
		account("shared", shared, heldBy("ga-1")), account("free"), account("z", heldBy("ga-2")))
	equal(t, "Global Accounts", o.Tenants, []Tenant{
		{GlobalAccount: "ga-1", Holding: Holding{Accounts: 4, Clusters: 12, Reserved: 1, Limited: true, Left: 2 + 5}, Types: []TypeHolding{
			{"aws", Holding{Accounts: 3, Clusters: 12, Reserved: 1, Limited: true, Left: 2}},
			{"gcp", Holding{Accounts: 1, Limited: true, Left: 5}},
		}},
		holds("ga-2", TypeHolding{"aws", Holding{Accounts: 1, Clusters: 1}}),
	})
}

func TestOverviewFilters(t *testing.T) {
	t.Parallel()
	var counts pool.Counts
	counts.AddInstances("trial", "ga-1", false, 1)
	counts.AddInstances("", "ga-1", false, 1)
	accounts := []pool.Account{
		account("aws-1", heldBy("ga-1")), account("aws-2", heldBy("ga-2")), account("aws-3"), account("aws-4", bearing("ga-1", "old")),
		account("gcp-1", ofType("gcp"), heldBy("ga-1")), account("gcp-2", ofType("gcp")), account("azure-1", ofType("azure")),
		account("trial", shared), account("trial-2", shared),
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
			o := surveyed(counts, pool.Policy{}, test.of, accounts...)
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
	whole := surveyed(counts, pool.Policy{}, Filter{GlobalAccount: "ga-1"}, accounts...).Pools[0]
	equal(t, "the pool aws of one Global Account, counted as a whole", whole.Tally, pool.Tally{pool.ClassFree: 2, pool.ClassHeld: 2})
}

// What a claim could take now is one number: the unclaimed ones of each selection, and those of the pool.
func TestUnclaimedIsOneNumber(t *testing.T) {
	t.Parallel()
	accounts := []pool.Account{
		account("free-1"), account("free-2", bearing("ga-1", "before")), account("occupied-1"), account("occupied-2", bearing("ga-1", "before")),
		account("hidden", unseen("tenantName=")), account("internal", internal), account("dirty", dirty(pool.Dirtied)),
		account("held", heldBy("ga-1")), account("shared", shared), account("deleting", terminating), account("fenced", dirty(pool.Releasing)),
	}
	counts := clustersOn(map[string]int{"occupied-1": 1, "occupied-2": 1, "held": 1})
	for _, ga := range []string{"ga-1", "ga-2"} {
		d, err := pool.Select(pointers(accounts), pool.Places{Counts: counts}, pool.Query{Target: aws, GlobalAccount: ga}, several(1))
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
	accounts := store{account("aws-1", heldBy("ga-1")), account("gcp-1", ofType("gcp"))}
	p := pool.New(namespace, accounts, counter{counts: clustersOn(map[string]int{"aws-1": 2})}, several(3))
	o, err := Of(t.Context(), p, nil, Facts{}, Filter{HyperscalerType: "aws"})
	equal(t, "error", err, nil)
	equal(t, "namespace", o.Namespace, namespace)
	equal(t, "accounts", accountNames(o), []string{"aws-1"})
	equal(t, "clusters and limit", []int{o.Accounts[0].Clusters, o.Accounts[0].Limit}, []int{2, 3})
}

func TestOverviewFailsWithItsCount(t *testing.T) {
	t.Parallel()
	cut := errors.New("the connection was cut")
	p := pool.New(namespace, store{account("aws-1")}, counter{err: cut}, pool.Policy{})
	o, err := Of(t.Context(), p, noObjects, Facts{}, Filter{})
	if !errors.Is(err, cut) || len(o.Accounts) != 0 {
		t.Fatalf("got %d accounts and error %v, want none and %v", len(o.Accounts), err, cut)
	}
}

func TestOverviewFailsWithItsObjects(t *testing.T) {
	t.Parallel()
	cut := errors.New("the connection was cut")
	p := pool.New(namespace, store{account("aws-1")}, counter{}, pool.Policy{})
	o, err := Of(t.Context(), p, func(context.Context) ([]pool.Object, error) { return nil, cut }, Facts{}, Filter{})
	if !errors.Is(err, cut) || len(o.Accounts) != 0 {
		t.Fatalf("got %d accounts and error %v, want none and %v", len(o.Accounts), err, cut)
	}
}
