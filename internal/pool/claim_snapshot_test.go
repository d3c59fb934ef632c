package pool

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// One process looks at the pool once for all of its claims; these tests say what that view may and may not decide.

// together runs n calls at once and returns their errors.
func together(n int, call func(i int) error) []error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = call(i) })
	}
	wg.Wait()
	return errs
}

// A refusal is final only on a list that is younger than the claim; all that wait for one share it.
func TestRefusalsAreJudgedAgainOnOneFreshList(t *testing.T) {
	t.Parallel()
	for name, freed := range map[string]bool{"still none": false, "one was freed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, account("a", heldBy("ga-99"), dirty(Dirtied)))
				p := w.pool()
				w.on("list", 1, fault{after: func() {
					time.Sleep(maxFreeAge + time.Second) // all fifty have begun by now, later than this list, and it is old
					if freed {
						w.edit("a", stripped)
					}
				}})
				var exhausted, claimed int
				for _, err := range together(50, func(i int) error {
					time.Sleep(time.Duration(i+1) * time.Millisecond)
					_, err := p.Claim(t.Context(), request(fmt.Sprintf("ga-%d", i), "first"))
					return err
				}) {
					if err == nil {
						claimed++
						continue
					}
					wantError[*ExhaustedError](t, err)
					exhausted++
				}
				want := map[bool][]int{false: {0, 50}, true: {1, 49}}[freed]
				equal(t, "claimed and refused", []int{claimed, exhausted}, want)
				equal(t, "lists", w.called("list"), 2)
				equal(t, "counts", w.counter.called("count"), 2)
			})
		})
	}
}

// An unreachable server is asked once for all that wait, also where its error speaks of a deadline: that was the
// request's, and no caller's deadline has passed.
func TestFailedListFailsAllThatWaitForIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a"))
		w.storm = func(call string) fault {
			if call != "list" {
				return fault{}
			}
			return fault{
				before: func() { time.Sleep(time.Minute) },
				answer: &UnreachableError{Verb: call, Tries: 8, Err: fmt.Errorf("dial: %w", context.DeadlineExceeded)},
			}
		}
		p := w.pool()
		start := time.Now()
		for _, err := range together(20, func(i int) error {
			_, err := p.Claim(t.Context(), request(fmt.Sprintf("ga-%d", i), "first"))
			return err
		}) {
			wantError[*UnreachableError](t, err)
		}
		equal(t, "lists", w.called("list"), 1)
		equal(t, "waited", time.Since(start), time.Minute)
	})
}

func TestListThatOneCallerGivesUpIsTakenOverByTheNext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a"), account("b"))
		p := w.pool()
		w.on("list", 1, fault{hang: true})
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		errs := together(3, func(i int) error {
			ctx := t.Context()
			if i == 0 {
				ctx = impatient
			} else {
				time.Sleep(time.Duration(i) * time.Millisecond)
			}
			_, err := p.Claim(ctx, request(fmt.Sprintf("ga-%d", i), "first"))
			return err
		})
		if !errors.Is(errs[0], context.DeadlineExceeded) {
			t.Errorf("the impatient one: got error %v, want its deadline", errs[0])
		}
		equal(t, "the others", errs[1:], []error{nil, nil})
		equal(t, "lists", w.called("list"), 2)
	})
}

// A caller that waits for a list under way waits until its own deadline.
func TestListUnderWayIsWaitedForWithinTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a"))
		p := w.pool()
		w.on("list", 1, fault{after: func() { time.Sleep(time.Minute) }})
		start := time.Now()
		errs := together(2, func(i int) error {
			if i == 0 {
				_, err := p.Claim(t.Context(), request("ga-lists", "first"))
				return err
			}
			time.Sleep(time.Second)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			_, err := p.Claim(ctx, request("ga-waits", "first"))
			equal(t, "waited", time.Since(start), 9*time.Second) // a quarter is kept back, and the answer may come a moment later
			return err
		})
		equal(t, "the first", errs[0], nil)
		if !errors.Is(errs[1], context.DeadlineExceeded) {
			t.Errorf("got error %v, want the deadline", errs[1])
		}
	})
}

// An apply can take long. What the broker does meanwhile has to count: else a Global Account that may have one account
// gets two, and accounts run over their limit.
func TestViewAges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pause         time.Duration
		lists, counts int
	}{
		"at once":     {maxFreeAge, 1, 1},
		"soon after":  {maxFreeAge + time.Millisecond, 2, 1}, // a free account is not taken by an old list (F32)
		"much later":  {maxAge + time.Second, 2, 2},
		"hours later": {5 * time.Hour, 2, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, account("a"), account("b"), account("c"), account("d"))
				p := w.pool()
				w.claim(t, p, request("ga-1", "first"))
				second := w.firstChoice(t, "ga-2")
				lists, counts := w.called("list"), w.counter.called("count")
				var given string
				for _, name := range []string{"a", "b", "c", "d"} {
					if w.at(name).Tenant == "" && name != second {
						given = name
					}
				}
				w.edit(given, heldBy("ga-2"))
				time.Sleep(test.pause)
				claim := w.claim(t, p, request("ga-2", "first"))
				want := second
				if test.lists > 1 {
					want = given
				}
				equal(t, "account", claim.Account.Name, want)
				equal(t, "lists", w.called("list")-lists, test.lists-1)
				equal(t, "counts", w.counter.called("count")-counts, test.counts-1)
			})
		})
	}
}

// The answer to a read that was begun before a write of ours must not make the view forget the write.
func TestSlowReadDoesNotUndoWhatWasWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	for name, listed := range map[string]bool{"before the first list": false, "behind the first list": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, account("a"), account("b"), account("c"))
			p := w.pool()
			if listed {
				if _, err := p.Preview(t.Context(), aws, "ga-2"); err != nil {
					t.Fatal(err)
				}
			}
			first := w.firstChoice(t, "ga-2")
			uid := w.at(first).UID
			w.on("get", 1, fault{after: func() { w.claim(t, p, request("ga-2", "first")) }})
			// The state of ga-1 says that it holds the account; that was long ago.
			outcome, err := p.Release(t.Context(), ReleaseRequest{Identity: identity("ga-1", "x"), Account: first, UID: uid, Mode: MarkDirty})
			equal(t, "outcome", []any{outcome, err}, []any{OutcomeNotHeld, nil})
			claim := w.claim(t, p, request("ga-2", "second"))
			equal(t, "account of the second claim", claim.Account.Name, first)
			w.wantWrites(t, first+" tenant=ga-2 +first", first+" +second")
			equal(t, "write calls", w.called("write"), 2)
		})
	}
}

// A list that is slow to arrive is older than what this process wrote meanwhile.
func TestSlowListDoesNotUndoWhatWasWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	gcp := Target{HyperscalerType: "gcp"}
	ofGCP := func(a *Account) { a.HyperscalerType = "gcp" }
	w := newWorld(t, account("x", heldBy("ga-9")), account("g1", ofGCP), account("g2", ofGCP), account("g3", ofGCP))
	p := w.pool()
	inGCP := func(name string) ClaimRequest {
		return request("ga-2", name, func(r *ClaimRequest) { r.Target = gcp })
	}
	if _, err := p.Preview(t.Context(), gcp, "ga-2"); err != nil {
		t.Fatal(err)
	}
	var first Claim
	w.on("list", 2, fault{after: func() { first = w.claim(t, p, inGCP("first")) }})
	_, err := p.Claim(t.Context(), request("ga-1", "first", pinnedTo("absent"))) // refused on a fresh list
	wantError[*NotFoundError](t, err)
	equal(t, "lists", w.called("list"), 2)
	second := w.claim(t, p, inGCP("second"))
	equal(t, "account of the second claim", second.Account.Name, first.Account.Name)
	equal(t, "write calls", w.called("write"), 2)
}

// Nor does it bring back an account that a write has found gone meanwhile.
func TestSlowListDoesNotBringBackWhatIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a"), account("b"))
	c := newCache(w.memStore, w.counter)
	_, err := c.load(t.Context(), time.Now())
	equal(t, "first list", err, nil)
	w.on("list", 2, fault{after: func() { w.remove("a"); c.wrote("a", nil) }})
	equal(t, "slow list", c.relist(t.Context(), time.Now()), nil)
	s := c.snapshot()
	equal(t, "a and b", []bool{s.account("a") != nil, s.account("b") != nil}, []bool{false, true})
}

// pastStore answers each list with the accounts of an earlier moment, as a cache before the server may.
type pastStore struct {
	*memStore
	past []Account
}

func (s *pastStore) List(context.Context) ([]Account, error) { return s.past, nil }

// F15: nor is a list believed that is older than what is known of an account.
func TestListOfThePastIsNotBelieved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a"), account("b"))
	past, err := w.List(t.Context())
	equal(t, "error", err, nil)
	w.edit("a", heldBy("ga-2"))
	now, err := w.List(t.Context())
	equal(t, "error", err, nil)
	store := &pastStore{w.memStore, now}
	c := newCache(store, w.counter)
	_, err = c.load(t.Context(), time.Now())
	equal(t, "first list", err, nil)
	store.past = past
	equal(t, "list of the past", c.relist(t.Context(), time.Now()), nil)
	s := c.snapshot()
	equal(t, "tenant of a, and b", []any{s.account("a").Tenant, s.account("b") != nil}, []any{"ga-2", true})
}

// Labels that were stripped and set again can leave one claim's record on two accounts. It is found on the first of
// them by name, as long as one bears it.
func TestClaimOnTwoAccounts(t *testing.T) {
	t.Parallel()
	for range 10 { // an order that depends on a map would show
		w := newWorld(t)
		for _, name := range []string{"d", "b", "c", "a"} {
			w.create(account(name, heldBy("ga-1"), bearing("ga-1", "first")))
		}
		p := w.pool()
		if _, err := p.Preview(t.Context(), aws, "ga-1"); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "c", "d"} {
			w.edit(name, func(a *Account) { clear(a.Records) })
			if _, _, err := p.Find(t.Context(), "ga-1", name, "first"); err != nil { // this process sees it
				t.Fatal(err)
			}
		}
		claim := w.claim(t, p, request("ga-1", "first"))
		equal(t, "account", claim.Account.Name, "b")
		equal(t, "adopted", claim.Adopted, true)
		w.wantWrites(t)
	}
	w := newWorld(t, account("b", heldBy("ga-1"), bearing("ga-1", "first")), account("a", heldBy("ga-1"), bearing("ga-1", "first")))
	equal(t, "account", w.claim(t, w.pool(), request("ga-1", "first")).Account.Name, "a")
}

// An exhausted pool is not listed and counted once for each claim that it refuses.
func TestExhaustedPoolIsListedOnceForManyClaims(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-other")))
		p := w.pool()
		refused := func() {
			for i := range 50 {
				time.Sleep(time.Millisecond) // each claim begins after the list that refuses it
				_, err := p.Claim(t.Context(), request(fmt.Sprintf("ga-%d", i), "first"))
				wantError[*ExhaustedError](t, err)
			}
		}
		refused()
		equal(t, "lists and counts", []int{w.memStore.calls["list"], w.counter.called("count")}, []int{1, 1})
		time.Sleep(maxFreeAge + time.Millisecond) // by then an account may have come back
		refused()
		equal(t, "lists and counts", []int{w.memStore.calls["list"], w.counter.called("count")}, []int{2, 2})
	})
}
