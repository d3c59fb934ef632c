package pool

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// F45: the broker's database alone counts, and a Shoot without a row lives on a free account. What a release would see, a claim sees first.

// byDatabase is a process that counts the rows of the database alone; the Shoots are those of the world.
func (w *world) byDatabase() *Pool {
	return New(namespace, w.memStore, &Counting{Shoots: w.counter, Instances: rows(nil), Source: account.SourceDatabase}, w.policy)
}

func TestFreeAccountWithAShootAndNoRow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a"), anAccount("b"))
	order := w.order(t, "ga-1")
	w.counter.add(order[0], "stray")
	equal(t, "account", w.claim(t, w.byDatabase(), request("ga-1", "first")).Account.Name, order[1])
	w.wantWrites(t, order[1]+" tenant=ga-1 +first")

	w = newWorld(t, anAccount("a", bearing("ga-1", "first")))
	w.counter.add("a", "stray")
	p := w.byDatabase()
	_, err := p.Claim(t.Context(), request("ga-1", "first"))
	equal(t, "tally", as[*account.ExhaustedError](t, err).Tally, account.Tally{account.ClassOccupied: 1})
	_, err = p.Claim(t.Context(), request("ga-1", "first", pinnedTo("a")))
	equal(t, "why", as[*account.PinError](t, err).Why, "no Global Account holds it, and 0 clusters are counted and 1 Shoot known to Gardener, "+
		"which does not count, on it that may be another tenant's")
	_, err = w.byDatabase().Update(t.Context(), w.updateOf(func(r *protocol.UpdateRequest) { r.Reclaim = true })) // a claim does not come back to it
	equal(t, "verdict", as[*protocol.UnusableError](t, err).Verdict, account.Verdict(account.ClassOccupied))
	_, err = w.byDatabase().Preview(t.Context(), aws, "ga-1")
	wantError[*account.ExhaustedError](t, err)
	inventory, err := w.byDatabase().Inventory(t.Context())
	equal(t, "error", err, nil)
	usage := inventory.Counts.Usage("a")
	equal(t, "class, clusters", []any{account.Classify(inventory.Accounts[0], usage, ""), usage.Clusters}, []any{account.ClassOccupied, 0})
	w.wantWrites(t)
}

// A user who must not list Shoots claims all the same, and is warned once; he is not asked again. A count without an answer ends the claim.
func TestCountBesideThatFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, freeAccounts(3)...)
	w.counter.at("count", 1, fault{answer: &account.ForbiddenError{Verb: "list", Resource: "shoots", Namespace: namespace, Err: errCut}})
	p := w.byDatabase()
	d, err := p.Preview(t.Context(), aws, "ga-1")
	equal(t, "preview", []any{err, d.Uncounted != "", len(d.Doubts)}, []any{nil, true, 1})
	equal(t, "doubts of the first", w.claim(t, p, request("ga-1", "first")).Doubts, []string{d.Uncounted})
	equal(t, "doubts of the second", len(w.claim(t, p, request("ga-2", "first")).Doubts), 0)
	equal(t, "counts", w.counter.called("count"), 1)

	w = newWorld(t, anAccount("a"))
	w.counter.at("count", 1, fault{answer: &account.UnreachableError{Verb: "list", Resource: "shoots", Tries: 3, Err: errCut}})
	_, err = w.byDatabase().Claim(t.Context(), request("ga-1", "first"))
	wantError[*account.UnreachableError](t, err)
	w.wantWrites(t)
}

// A held account needs no such count, and all claims of a run share one.
func TestCountBesideIsShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, append(freeAccounts(20), anAccount("held", heldBy("ga-held")))...)
		p := w.byDatabase()
		w.claim(t, p, request("ga-held", "first"))
		equal(t, "counts for a held account", w.counter.called("count"), 0)
		w.counter.at("count", 1, fault{after: func() { time.Sleep(5 * time.Second) }}) // longer than a list is fresh
		for _, err := range together(20, func(i int) error {
			_, err := p.Claim(t.Context(), request(fmt.Sprintf("ga-%d", i), "first"))
			return err
		}) {
			equal(t, "error", err, nil)
		}
		if counts := w.counter.called("count"); counts > 2 {
			t.Errorf("%d counts for 20 claims", counts)
		}
		counts := w.counter.called("count")
		time.Sleep(protocol.MaxFreeAge + 10*time.Second)
		w.create(anAccount("later"))
		w.claim(t, p, request("ga-later", "first"))
		equal(t, "counts a while later", w.counter.called("count")-counts, 1)
	})
}

// A free account is taken by a new list and a count that may be a minute old. One that was not free in that count may have got clusters since:
// it is counted anew. One that was free costs no count.
func TestAccountThatWasNotFreeWhenCounted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		then  func(*account.Account)
		count int
	}{
		"it was another tenant's": {heldBy("ga-2"), 1},
		"it was dirty":            {dirty(account.Dirtied), 1},
		"it was free":             {stripped, 0},
	} {
		for _, inUse := range []bool{true, false} {
			parallel(t, fmt.Sprintf("%s, in use %t", name, inUse), func(t *testing.T) {
				if inUse && test.count == 0 {
					return // what comes to a free account after the count is the broker's, under its label
				}
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, anAccount("a", test.then), anAccount("held", heldBy("ga-1")))
					p := w.pool()
					w.claim(t, p, request("ga-1", "first")) // it lists and counts
					time.Sleep(30 * time.Second)
					w.edit("a", stripped)
					if inUse {
						w.counter.add("a", "left")
					}
					counts := w.counter.called("count")
					claim, err := p.Claim(t.Context(), request("ga-3", "first"))
					if inUse {
						equal(t, "occupied", as[*account.ExhaustedError](t, err).Tally[account.ClassOccupied], 1)
						w.wantWrites(t, "held +first")
						return
					}
					equal(t, "account", []any{claim.Account.Name, err}, []any{"a", nil})
					equal(t, "counts", w.counter.called("count")-counts, test.count)
				})
			})
		}
	}
}

// What comes to a free account by another binding bears no mark. It is found although the account was free when the clusters were counted,
// by whichever source.
func TestClusterThatCameByAnotherBindingSinceTheCount(t *testing.T) {
	t.Parallel()
	for what, twin := range twinsOfA() {
		for _, later := range []bool{false, true} {
			virtual(t, fmt.Sprintf("%s, made later %t", what, later), func(t *testing.T) {
				w := newWorld(t, anAccount("a"), anAccount("held", heldBy("ga-1")))
				if !later {
					w.create(clone(twin))
				}
				p := w.pool()
				w.claim(t, p, request("ga-1", "first")) // it lists and counts
				time.Sleep(30 * time.Second)
				if later {
					w.create(clone(twin))
				}
				w.counter.add(twin.Name, "came")
				_, err := p.Claim(t.Context(), request("ga-3", "first"))
				equal(t, "occupied", as[*account.ExhaustedError](t, err).Tally[account.ClassOccupied] > 0, true)
				w.wantWrites(t, "held +first")
			})
		}
	}
}
