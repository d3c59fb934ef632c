package pool

import (
	"testing"
	"time"
)

// someDay is when the surveys of the tests take place.
var someDay = longAgo.Add(50 * time.Hour)

// surveyed returns the overview of these accounts.
func surveyed(counts Counts, policy Policy, of Filter, accounts ...Account) Overview {
	return Survey(namespace, pointers(accounts), counts, policy, of, someDay)
}

func ofType(hyperscalerType string) func(*Account) {
	return func(a *Account) { a.HyperscalerType = hyperscalerType }
}

func euAccess(a *Account) { a.EUAccess = true }

func unseen(labels ...string) func(*Account) { return func(a *Account) { a.Unseen = labels } }

func accountNames(o Overview) []string {
	var all []string
	for _, a := range o.Accounts {
		all = append(all, a.Name)
	}
	return all
}

func TestOverviewOfAccounts(t *testing.T) {
	t.Parallel()
	var counts Counts
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
		account("trial-1", shared), account("trial-2", shared, dirty(Dirtied)),
		account("eu-1", euAccess, heldBy("ga-1")),
		account("aws-1", heldBy("ga-1"), bearing("ga-1", "x", forCluster("red"))), account("aws-2"), account("aws-3", unseen("dirty=false")),
		account("aws-4", heldBy("ga-2"), dirty(Dirtied)), account("aws-5", internal), account("aws-6", terminating),
		account("gcp-1", ofType("gcp")))
	equal(t, "pools", o.Pools, []PoolStatus{
		{Target: aws, Tally: Tally{ClassFree: 1, ClassUnreachable: 1, ClassTaken: 1, ClassDirty: 1, ClassInternal: 1, ClassDeleting: 1},
			Unreachable: 1, Clusters: 3, Reserved: 1},
		{Target: Target{HyperscalerType: "aws", EUAccess: true}, Tally: Tally{ClassTaken: 1}, Clusters: 5},
		{Target: Target{HyperscalerType: "aws", Shared: true}, Tally: Tally{ClassShared: 1, ClassDirty: 1}, Clusters: 7},
		{Target: Target{HyperscalerType: "gcp"}, Tally: Tally{ClassFree: 1}},
	})
	equal(t, "unclaimed of the tenants' pool", o.Pools[0].Unclaimed(), 1)
	equal(t, "unclaimed of the shared pool", o.Pools[2].Unclaimed(), 0)
}

// What is left is what fits on accounts that can be used: a full one has nothing to give, one over its limit takes
// nothing away, and a dirty one is no place for a cluster.
func TestOverviewOfGlobalAccounts(t *testing.T) {
	t.Parallel()
	counts := clustersOn(map[string]int{"a": 2, "b": 9, "c": 1, "shared": 4, "z": 1})
	policy := Policy{AllowedGlobalAccounts: []string{"ga-1"}, Limits: map[string]int{DefaultLimit: 5}}
	o := surveyed(counts, policy, Filter{},
		account("a", heldBy("ga-1"), bearing("ga-1", "x", forCluster("red"))), account("b", heldBy("ga-1")), account("c", heldBy("ga-1"),
			dirty(Dirtied)),
		account("d", heldBy("ga-1"), ofType("gcp")), account("shared", shared, heldBy("ga-1")), account("free"),
		account("z", heldBy("ga-2")))
	equal(t, "Global Accounts", o.Tenants, []TenantStatus{
		{GlobalAccount: "ga-1", Accounts: 4, Clusters: 12, Reserved: 1, Limited: true, Left: 2 + 5},
		{GlobalAccount: "ga-2", Accounts: 1, Clusters: 1},
	})
}

func TestOverviewFilters(t *testing.T) {
	t.Parallel()
	var counts Counts
	counts.AddInstances("trial", "ga-1", false, 1)
	counts.AddInstances("", "ga-1", false, 1)
	accounts := []Account{
		account("aws-1", heldBy("ga-1")), account("aws-2", heldBy("ga-2")), account("aws-3"), account("aws-4", bearing("ga-1", "old")),
		account("gcp-1", ofType("gcp"), heldBy("ga-1")), account("gcp-2", ofType("gcp")), account("azure-1", ofType("azure")),
		account("trial", shared), account("trial-2", shared),
	}
	tests := map[string]struct {
		of       Filter
		accounts []string
		pools    []string
		tenants  []TenantStatus
	}{
		"a type": {
			Filter{HyperscalerType: "gcp"}, []string{"gcp-1", "gcp-2"}, []string{"gcp"}, []TenantStatus{{GlobalAccount: "ga-1", Accounts: 1}},
		},
		"a Global Account": { // what it holds, what bears its void record, and where its clusters are
			Filter{GlobalAccount: "ga-1"}, []string{"aws-1", "aws-4", "gcp-1", "trial"}, []string{"aws", "aws,shared", "gcp"},
			[]TenantStatus{{GlobalAccount: "ga-1", Accounts: 2}},
		},
		"both":              {Filter{"aws", "ga-2"}, []string{"aws-2"}, []string{"aws"}, []TenantStatus{{GlobalAccount: "ga-2", Accounts: 1}}},
		"an unknown type":   {Filter{HyperscalerType: "awz"}, nil, nil, nil},
		"an unknown tenant": {Filter{GlobalAccount: "ga-9"}, nil, nil, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := surveyed(counts, Policy{}, test.of, accounts...)
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
	whole := surveyed(counts, Policy{}, Filter{GlobalAccount: "ga-1"}, accounts...).Pools[0]
	equal(t, "the pool aws of one Global Account, counted as a whole", whole.Tally, Tally{ClassFree: 2, ClassTaken: 2})
}

// The overview shares the list and the count with the claims of the process, and never writes.
func TestOverviewNeverWrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("aws-1"), account("aws-2", heldBy("ga-2"), dirty(Releasing)))
	w.counter.add("aws-2", "blue")
	p := w.pool()
	w.claim(t, p, request("ga-1", "x"))
	wrote := w.wrote()
	for range 2 {
		o, err := p.Overview(t.Context(), Filter{})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "holders", []string{o.Accounts[0].Tenant, o.Accounts[1].Tenant}, []string{"ga-1", "ga-2"})
		equal(t, "clusters", o.Accounts[1].Clusters, 1)
	}
	equal(t, "lists and counts", []int{w.called("list"), w.counter.called("count")}, []int{1, 1})
	w.wantWrites(t, wrote...)
}

func TestOverviewFailsWithItsCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("aws-1"))
	w.counter.at("count", 1, fault{answer: errCut})
	o, err := w.pool().Overview(t.Context(), Filter{})
	if err == nil || len(o.Accounts) != 0 {
		t.Fatalf("got %d accounts and error %v, want none and one", len(o.Accounts), err)
	}
}
