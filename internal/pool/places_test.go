package pool

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// Places taken = counted clusters + reservations + placements, and no cluster is ever in two of them.

// spread makes claims in one run, one after the other, and returns how many places each account has then, and how many
// claims are on it.
func (w *world) spread(t *testing.T, p *Pool, n int, changes func(i int) []func(*protocol.ClaimRequest)) map[string]int {
	t.Helper()
	on := map[string]int{}
	for i := range n {
		claim := w.claim(t, p, request("ga-1", fmt.Sprintf("claim-%02d", i), changes(i)...))
		on[claim.Account.Name]++
	}
	return on
}

func nameless(int) []func(*protocol.ClaimRequest) { return nil }

func named(i int) []func(*protocol.ClaimRequest) {
	return []func(*protocol.ClaimRequest){reserving(fmt.Sprintf("cluster-%02d", i))}
}

var sharedAWS = account.Target{HyperscalerType: "aws", Shared: true}

func onShared(r *protocol.ClaimRequest) { r.Target = sharedAWS }

// Claims of a run spread over shared accounts by the places that they take themselves; one that fails leaves no place taken.
func TestClaimsOfARunSpreadOverSharedAccounts(t *testing.T) {
	t.Parallel()
	for name, changes := range map[string]func(int) []func(*protocol.ClaimRequest){"nameless": nameless, "named": named} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", shared), anAccount("b", shared), anAccount("c", shared))
			w.counter.fill("a", 2)
			w.counter.fill("b", 1)
			w.on("get", 1, fault{answer: &account.ForbiddenError{Verb: "get", Err: errCut}})
			p := w.pool()
			_, err := p.Claim(t.Context(), request("ga-1", "fails", onShared))
			wantError[*account.ForbiddenError](t, err)
			on := w.spread(t, p, 12, func(i int) []func(*protocol.ClaimRequest) { return append(changes(i), onShared) })
			equal(t, "claims", on, map[string]int{"a": 3, "b": 4, "c": 5}) // 2, 1 and 0 clusters: five places each
			w.wantWrites(t)
		})
	}
}

func TestClaimsOfARunKeepTheLimit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		changes func(int) []func(*protocol.ClaimRequest)
		want    []int // claims by account, the fullest first
	}{
		"nameless": {nameless, []int{3, 2, 1}},
		"named":    {named, []int{3, 2, 1}},
		"mixed": {func(i int) []func(*protocol.ClaimRequest) {
			if i%2 == 0 {
				return named(i)
			}
			return nil
		}, []int{3, 2, 1}},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, append(freeAccounts(4), anAccount("a", heldBy("ga-1")))...)
			w.counter.fill("a", 2)
			w.policy = several(3)
			on := w.spread(t, w.pool(), 6, test.changes)
			equal(t, "on the account with one place left", on["a"], 1)
			var counts []int
			for _, n := range on {
				counts = append(counts, n)
			}
			slices.Sort(counts)
			slices.Reverse(counts)
			equal(t, "claims by account", counts, test.want)
		})
	}
}

func halfNamed(i int) []func(*protocol.ClaimRequest) {
	if i == 1 {
		return named(i)
	}
	return nil
}

// A claim that was adopted takes a place like one that was made. A later run does not see the placements of an earlier one, and the
// recorded claims say nothing without a cluster name.
func TestPlacementsEndWithTheRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "claim-00")), anAccount("b"))
	w.counter.fill("a", 1)
	w.policy = several(2)
	p := w.pool()
	equal(t, "claims", w.spread(t, p, 2, nameless), map[string]int{"a": 1, "b": 1})
	s, err := p.Inspect(t.Context(), "ga-1", aws, "claim-00", "a", w.at("a").UID)
	equal(t, "reserved, as it goes into the state", []any{s.Reserved, err}, []any{0, nil})
	equal(t, "account of the next run", w.claim(t, w.pool(), request("ga-1", "second")).Account.Name, "a")
}

// The run counts again after a minute. A cluster that has come up meanwhile is that of one of its claims, and is not counted twice; one
// that some claim names is that claim's own; one that goes gives its place up; and one that was there before a claim was made is not that
// claim's. What the account is said to have may change more than once before the clusters of a run are there: a row is counted ahead of its
// Shoot.
func TestPlacesOfARun(t *testing.T) {
	t.Parallel()
	type on struct {
		clusters, rows *memCounter
		claim          func(name string)
	}
	type step struct {
		do    func(on on)
		taken int // places of the account, which has two clusters in the beginning, after the next count
	}
	come := func(names ...string) func(on) { return func(o on) { o.clusters.add("a", names...) } }
	have := func(n int) func(on) { return func(o on) { o.clusters.clear("a"); o.clusters.fill("a", n) } }
	nothing := func(on) {}
	for name, test := range map[string]struct {
		claims int
		made   func(i int) []func(*protocol.ClaimRequest)
		source account.Source // empty = Gardener alone is there
		steps  []step
	}{
		"none comes, and all do":         {3, nameless, "", []step{{nothing, 5}, {come("x"), 5}, {come("y", "z"), 5}, {come("of the broker"), 6}}},
		"one goes":                       {3, nameless, "", []step{{have(1), 4}}},
		"one that is named":              {3, named, "", []step{{come("cluster-01"), 5}, {come("of the broker"), 6}}},
		"named beside nameless":          {3, halfNamed, "", []step{{come("cluster-01"), 5}}},
		"nameless beside named":          {3, halfNamed, "", []step{{come("x"), 5}}},
		"both, named and nameless":       {3, halfNamed, "", []step{{come("x", "cluster-01"), 5}}},
		"some go, and others come":       {1, nameless, "", []step{{nothing, 3}, {have(1), 2}, {have(2), 2}, {have(1), 2}, {have(3), 3}}},
		"one that comes, and goes":       {2, nameless, "", []step{{nothing, 4}, {come("x"), 4}, {have(2), 4}, {come("x", "y"), 4}}},
		"one that is named is elsewhere": {2, halfNamed, "", []step{{func(o on) { o.clusters.add("b", "cluster-01"); o.clusters.add("a", "x") }, 3}}},
		"one of an older claim": {1, nameless, "", []step{
			{come("of the first"), 3},
			{func(o on) { o.claim("two"); o.claim("three") }, 5},
			{come("of the second"), 5}, {come("of the third", "of the broker"), 6},
		}},
		"a row comes ahead of its Shoot": {2, halfNamed, account.SourceBoth, []step{
			{nothing, 4}, {func(o on) { o.rows.add("a", "a row") }, 4}, {come("cluster-01"), 4}, {func(o on) { o.rows.add("a", "another row") }, 4}, {come("x"), 4},
		}},
		// The database does not know the names of Shoots.
		"a row of a claim, by the database":       {1, nameless, account.SourceDatabase, []step{{func(o on) { o.rows.add("a", "a row") }, 3}}},
		"a row of a named claim, by the database": {1, named, account.SourceDatabase, []step{{func(o on) { o.rows.add("a", "a row") }, 3}}},
	} {
		for kind, target := range map[string]account.Target{"dedicated": aws, "shared": sharedAWS} {
			if kind == "dedicated" && test.source == account.SourceDatabase {
				continue // there the reservation ends by its time
			}
			virtual(t, name+"/"+kind, func(t *testing.T) {
				a := anAccount("a", heldBy("ga-1"))
				if target.Shared {
					a = anAccount("a", shared)
				}
				w, rows := newWorld(t, a), newCounter()
				w.counter.fill("a", 2)
				rows.fill("a", 2)
				w.policy = several(100)
				p := w.pool()
				if test.source != "" {
					p = New(namespace, w.memStore, &Counting{Shoots: w.counter, Instances: rows, Source: test.source}, w.policy)
				}
				there := func(r *protocol.ClaimRequest) { r.Target = target }
				w.spread(t, p, test.claims, func(i int) []func(*protocol.ClaimRequest) { return append(test.made(i), there) })
				for i, step := range test.steps {
					step.do(on{w.counter, rows, func(name string) { w.claim(t, p, request("ga-1", name, there)) }})
					for range 2 { // each new count finds the same
						time.Sleep(protocol.MaxAge + time.Second)
						d, err := p.Preview(t.Context(), target, "ga-1")
						equal(t, "error", err, nil)
						equal(t, fmt.Sprintf("places taken after step %d", i+1), d.Candidates[0].Clusters+d.Candidates[0].Reserved, step.taken)
					}
				}
			})
		}
	}
}

// Where the database alone counts, a claim with a cluster name warns, once in a run, that its place is reserved for an
// hour.
func TestReservationByTheDatabaseSaysThatItEnds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		source  account.Source
		policy  account.Policy
		changes []func(*protocol.ClaimRequest)
		warned  int
	}{
		"the database":                   {account.SourceDatabase, several(5), []func(*protocol.ClaimRequest){reserving("blue")}, 1},
		"the database, no limit":         {account.SourceDatabase, account.Policy{}, []func(*protocol.ClaimRequest){reserving("blue")}, 0},
		"the database, no cluster named": {account.SourceDatabase, several(5), nil, 0},
		"both":                           {account.SourceBoth, several(5), []func(*protocol.ClaimRequest){reserving("blue")}, 0},
		"both, by default":               {"", several(5), []func(*protocol.ClaimRequest){reserving("blue")}, 0},
		"gardener":                       {account.SourceGardener, several(5), []func(*protocol.ClaimRequest){reserving("blue")}, 0},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, freeAccounts(3)...)
			rows := newCounter()
			p := New(namespace, w.memStore, &Counting{Shoots: w.counter, Instances: rows, Source: test.source}, test.policy)
			warned := 0
			for i := range 3 {
				claim := w.claim(t, p, request(fmt.Sprintf("ga-%d", i), "first", test.changes...))
				warned += len(claim.Doubts)
			}
			equal(t, "warnings", warned, test.warned)
		})
	}
}

// Claims of many Global Accounts choose at the same time, and each sees the places of the others.
func TestClaimsSideBySideSpreadOverSharedAccounts(t *testing.T) {
	t.Parallel()
	for range 100 {
		w := newWorld(t, anAccount("a", shared), anAccount("b", shared), anAccount("c", shared))
		w.counter.fill("a", 2)
		w.counter.fill("b", 1)
		p := w.pool()
		accounts := make([]string, 12)
		errs := together(len(accounts), func(i int) error {
			claim, err := p.Claim(t.Context(), request(fmt.Sprintf("ga-%02d", i), "first", onShared))
			accounts[i] = claim.Account.Name
			return err
		})
		equal(t, "errors", errs, make([]error, len(accounts)))
		on := map[string]int{}
		for _, name := range accounts {
			on[name]++
		}
		equal(t, "claims", on, map[string]int{"a": 3, "b": 4, "c": 5})
	}
}
