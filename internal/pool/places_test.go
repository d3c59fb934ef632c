package pool

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// Places taken = counted clusters + reservations + placements, and no cluster is ever in two of them.

// spread makes claims in one run, one after the other, and returns how many places each account has then, and how many
// claims stand on it.
func (w *world) spread(t *testing.T, p *Pool, n int, changes func(i int) []func(*ClaimRequest)) map[string]int {
	t.Helper()
	on := map[string]int{}
	for i := range n {
		claim := w.claim(t, p, request("ga-1", fmt.Sprintf("claim-%02d", i), changes(i)...))
		on[claim.Account.Name]++
	}
	return on
}

func nameless(int) []func(*ClaimRequest) { return nil }

func named(i int) []func(*ClaimRequest) {
	return []func(*ClaimRequest){reserving(fmt.Sprintf("cluster-%02d", i))}
}

var sharedAWS = Target{HyperscalerType: "aws", Shared: true}

func onShared(r *ClaimRequest) { r.Target = sharedAWS }

func TestClaimsOfARunSpreadOverSharedAccounts(t *testing.T) {
	t.Parallel()
	for name, changes := range map[string]func(int) []func(*ClaimRequest){"nameless": nameless, "named": named} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, account("a", shared), account("b", shared), account("c", shared))
			w.counter.fill("a", 2)
			w.counter.fill("b", 1)
			p := w.pool()
			on := w.spread(t, p, 12, func(i int) []func(*ClaimRequest) { return append(changes(i), onShared) })
			equal(t, "claims", on, map[string]int{"a": 3, "b": 4, "c": 5}) // 2, 1 and 0 clusters: five places each
			w.wantWrites(t)
		})
	}
}

func TestClaimsOfARunKeepTheLimit(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		changes func(int) []func(*ClaimRequest)
		want    []int // claims by account, the fullest first
	}{
		"nameless": {nameless, []int{3, 2, 1}},
		"named":    {named, []int{3, 2, 1}},
		"mixed": {func(i int) []func(*ClaimRequest) {
			if i%2 == 0 {
				return named(i)
			}
			return nil
		}, []int{3, 2, 1}},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, append(freeAccounts(4), account("a", heldBy("ga-1")))...)
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

// A claim that was adopted takes a place like one that was made.
func TestAdoptedClaimTakesAPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "claim-00")), account("b"))
	w.counter.fill("a", 1)
	w.policy = several(2)
	on := w.spread(t, w.pool(), 2, nameless)
	equal(t, "claims", on, map[string]int{"a": 1, "b": 1})
}

// A later run does not see the placements of an earlier one, and the recorded claims say nothing without a cluster name.
func TestPlacementsEndWithTheRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", heldBy("ga-1")), account("b"))
	w.policy = several(2)
	w.counter.fill("a", 1)
	p := w.pool()
	w.claim(t, p, request("ga-1", "first"))
	s, err := p.Inspect(t.Context(), "ga-1", aws, "first", "a", w.at("a").UID)
	equal(t, "reserved, as it goes into the state", []any{s.Reserved, err}, []any{0, nil})
	equal(t, "account of the next run", w.claim(t, w.pool(), request("ga-1", "second")).Account.Name, "a")
}

// The run counts again after a minute. A cluster that has come up meanwhile is that of one of its claims, and is not
// counted twice; a cluster that some claim names is that claim's own.
func TestClusterThatComesUpIsNotCountedTwice(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		made    func(i int) []func(*ClaimRequest)
		arrives func(w *world)
		taken   int // of the account, after three claims on it and the new count
	}{
		"none comes":               {nameless, func(*world) {}, 5},
		"one of the claims'":       {nameless, func(w *world) { w.counter.add("a", "x") }, 5},
		"all of the claims'":       {nameless, func(w *world) { w.counter.add("a", "x", "y", "z") }, 5},
		"more than the claims'":    {nameless, func(w *world) { w.counter.add("a", "x", "y", "z", "broker") }, 6},
		"one goes":                 {nameless, func(w *world) { w.counter.clear("a"); w.counter.add("a", "a-001") }, 4},
		"one that is named":        {named, func(w *world) { w.counter.add("a", "cluster-01") }, 5},
		"one that no claim has":    {named, func(w *world) { w.counter.add("a", "broker") }, 6},
		"named beside nameless":    {halfNamed, func(w *world) { w.counter.add("a", "cluster-01") }, 5},
		"nameless beside named":    {halfNamed, func(w *world) { w.counter.add("a", "x") }, 5},
		"both, named and nameless": {halfNamed, func(w *world) { w.counter.add("a", "x", "cluster-01") }, 5},
	} {
		for _, kind := range []string{"dedicated", "shared"} {
			virtual(t, name+"/"+kind, func(t *testing.T) {
				a := account("a", heldBy("ga-1"))
				target := aws
				if kind == "shared" {
					a, target = account("a", shared), sharedAWS
				}
				w := newWorld(t, a)
				w.policy = several(100)
				w.counter.fill("a", 2)
				p := w.pool()
				w.spread(t, p, 3, func(i int) []func(*ClaimRequest) {
					return append(test.made(i), func(r *ClaimRequest) { r.Target = target })
				})
				test.arrives(w)
				for range 3 { // each new count finds the same
					time.Sleep(maxAge + time.Second)
					d, err := p.Preview(t.Context(), target, "ga-1")
					equal(t, "error", err, nil)
					c := d.Candidates[0]
					equal(t, "places taken", c.Clusters+c.Reserved, test.taken)
				}
			})
		}
	}
}

func halfNamed(i int) []func(*ClaimRequest) {
	if i == 1 {
		return named(i)
	}
	return nil
}

// What an account is said to have may change more than once before the clusters of a run are there: a row is counted ahead of its
// Shoot, and clusters come that go again. The places that are taken stay the same.
func TestPlacesOutlastWhatIsCountedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		made  func(i int) []func(*ClaimRequest)
		taken int // of the account, which has 2 clusters, after two claims on it; and after each step
		steps []func(shoots, rows *memCounter)
	}{
		"the row of a claim that names its cluster comes first": {halfNamed, 4, []func(shoots, rows *memCounter){
			func(_, rows *memCounter) { rows.add("a", "a row") },
			func(shoots, _ *memCounter) { shoots.add("a", "cluster-01") },
			func(_, rows *memCounter) { rows.add("a", "another row") },
			func(shoots, _ *memCounter) { shoots.add("a", "x") },
		}},
		"a cluster comes, and goes": {nameless, 4, []func(shoots, rows *memCounter){
			func(shoots, _ *memCounter) { shoots.add("a", "x") },
			func(shoots, _ *memCounter) { shoots.clear("a"); shoots.fill("a", 2) },
			func(shoots, _ *memCounter) { shoots.add("a", "x", "y") },
		}},
	} {
		virtual(t, name, func(t *testing.T) {
			w, rows := newWorld(t, account("a", heldBy("ga-1"))), newCounter()
			w.counter.fill("a", 2)
			rows.fill("a", 2)
			p := New(namespace, w.memStore, &Counting{Shoots: w.counter, Instances: rows, Source: SourceBoth}, several(100))
			w.spread(t, p, 2, test.made)
			for i, step := range append([]func(shoots, rows *memCounter){func(_, _ *memCounter) {}}, test.steps...) {
				step(w.counter, rows)
				time.Sleep(maxAge + time.Second)
				d, err := p.Preview(t.Context(), aws, "ga-1")
				equal(t, "error", err, nil)
				c := d.Candidates[0]
				equal(t, fmt.Sprintf("places taken after step %d", i), c.Clusters+c.Reserved, test.taken)
			}
		})
	}
}

// A cluster that goes while the run lasts gives its place up: the next one that comes may be a claim's all the same.
func TestClusterThatGoesMakesRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-1")))
		w.policy = several(100)
		w.counter.fill("a", 2)
		p := w.pool()
		w.claim(t, p, request("ga-1", "nameless"))
		for _, step := range []struct {
			clusters, taken int
		}{{2, 3}, {1, 2}, {2, 2}, {1, 2}, {3, 3}} {
			w.counter.clear("a")
			w.counter.fill("a", step.clusters)
			time.Sleep(maxAge + time.Second)
			d, err := p.Preview(t.Context(), aws, "ga-1")
			equal(t, "error", err, nil)
			equal(t, fmt.Sprintf("places taken with %d clusters", step.clusters), d.Candidates[0].Clusters+d.Candidates[0].Reserved, step.taken)
		}
	})
}

// A cluster that a claim on this account names, and that stands on another account, is none of those that came to this one.
func TestNamedClusterElsewhereIsNoneOfTheAccount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-1")))
		w.policy = several(100)
		w.counter.fill("a", 2)
		p := w.pool()
		w.spread(t, p, 2, halfNamed)
		w.counter.add("b", "cluster-01")
		w.counter.add("a", "x")
		time.Sleep(maxAge + time.Second)
		d, err := p.Preview(t.Context(), aws, "ga-1")
		equal(t, "clusters, reserved, error", []any{d.Candidates[0].Clusters, d.Candidates[0].Reserved, err}, []any{3, 0, nil})
	})
}

// A cluster that was there before a claim was made is not that claim's.
func TestClusterOfAnOlderClaimIsNotTheNewOnes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-1")))
		w.policy = several(100)
		w.counter.fill("a", 2)
		p := w.pool()
		taken := func() int {
			time.Sleep(maxAge + time.Second)
			d, err := p.Preview(t.Context(), aws, "ga-1")
			equal(t, "error", err, nil)
			return d.Candidates[0].Clusters + d.Candidates[0].Reserved
		}
		w.claim(t, p, request("ga-1", "one"))
		w.counter.add("a", "of one")
		equal(t, "with its cluster", taken(), 3)
		w.claim(t, p, request("ga-1", "two"))
		w.claim(t, p, request("ga-1", "three"))
		equal(t, "with two more claims", taken(), 5)
		w.counter.add("a", "of two")
		equal(t, "with the cluster of one of them", taken(), 5)
		w.counter.add("a", "of three", "of the broker")
		equal(t, "with all, and one more", taken(), 6)
	})
}

// F35: shared accounts are least used by Shoots wherever Gardener is asked, as the broker counts them, and by rows where
// the database alone is.
func TestLeastUsedSharedAccountByShoots(t *testing.T) {
	t.Parallel()
	a, b := account("a", shared), account("b", shared)
	var shoots, rows Counts
	shoots.Add("a", "one")
	shoots.Add("b", "two")
	shoots.Add("b", "three")
	rows.AddInstances("a", "ga-2", true, 5) // suspended trials: rows without a Shoot
	rows.AddInstances("b", "ga-1", false, 2)
	alone := rows
	alone.source = SourceDatabase
	for name, test := range map[string]struct {
		counts Counts
		want   string
	}{"gardener": {shoots, "a"}, "both": {combine(shoots, rows), "a"}, "database": {alone, "b"}} {
		d, err := Select([]*Account{&a, &b}, test.counts, Query{Target: sharedAWS, GlobalAccount: "ga-1"}, Policy{})
		equal(t, name+": error", err, nil)
		equal(t, name+": account", d.Account.Name, test.want)
	}
}

// Where the database alone counts, a claim with a cluster name is told, once in a run, that its place is reserved for an
// hour.
func TestReservationByTheDatabaseSaysThatItEnds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		source  Source
		policy  Policy
		changes []func(*ClaimRequest)
		told    int
	}{
		"the database":                   {SourceDatabase, several(5), []func(*ClaimRequest){reserving("blue")}, 1},
		"the database, no limit":         {SourceDatabase, Policy{}, []func(*ClaimRequest){reserving("blue")}, 0},
		"the database, no cluster named": {SourceDatabase, several(5), nil, 0},
		"both":                           {SourceBoth, several(5), []func(*ClaimRequest){reserving("blue")}, 0},
		"both, by default":               {"", several(5), []func(*ClaimRequest){reserving("blue")}, 0},
		"gardener":                       {SourceGardener, several(5), []func(*ClaimRequest){reserving("blue")}, 0},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, freeAccounts(3)...)
			rows := newCounter()
			p := New(namespace, w.memStore, &Counting{Shoots: w.counter, Instances: rows, Source: test.source}, test.policy)
			told := 0
			for i := range 3 {
				claim := w.claim(t, p, request(fmt.Sprintf("ga-%d", i), "first", test.changes...))
				told += len(claim.Doubts)
			}
			equal(t, "warnings", told, test.told)
		})
	}
}

// Claims of many Global Accounts choose at the same time, and each sees the places of the others.
func TestClaimsSideBySideSpreadOverSharedAccounts(t *testing.T) {
	t.Parallel()
	for range 100 {
		w := newWorld(t, account("a", shared), account("b", shared), account("c", shared))
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

// A claim on a shared account that fails leaves no place taken.
func TestFailedClaimLeavesNoPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", shared), account("b", shared))
	w.on("get", 1, fault{answer: &ForbiddenError{Verb: "get", Err: errCut}})
	p := w.pool()
	_, err := p.Claim(t.Context(), request("ga-1", "first", onShared))
	wantError[*ForbiddenError](t, err)
	equal(t, "account", w.claim(t, p, request("ga-1", "first", onShared)).Account.Name, "a")
}

// The database does not know the names of Shoots: the row of a claim on a shared account is not counted beside its place.
func TestSharedPlaceByTheDatabaseIsNotCountedTwice(t *testing.T) {
	t.Parallel()
	for name, changes := range map[string][]func(*ClaimRequest){"nameless": nil, "named": {reserving("x")}} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, account("a", shared))
			rows := newCounter()
			p := New(namespace, w.memStore, &Counting{Shoots: w.counter, Instances: rows, Source: SourceDatabase}, Policy{})
			w.claim(t, p, request("ga-1", "one", append(changes, onShared)...))
			rows.rows["a"] = "ga-1"
			time.Sleep(2 * maxAge)
			d, err := p.Preview(t.Context(), sharedAWS, "ga-1")
			equal(t, "error", err, nil)
			equal(t, "clusters, reserved", []int{d.Candidates[0].Clusters, d.Candidates[0].Reserved}, []int{1, 0})
		})
	}
}
