package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A claim that is to wait for an account looks at an exhausted pool again and again, until shortly before its deadline.

func waitingFor(told *[]Progress) func(*ClaimRequest) {
	return func(r *ClaimRequest) {
		r.Wait, r.Tell = true, func(p Progress) { *told = append(*told, p) }
	}
}

func TestClaimWaitsForAnAccount(t *testing.T) {
	t.Parallel()
	for name, comes := range map[string]func(w *world){
		"the clean-up job frees one": func(w *world) { w.edit("a", stripped) },
		"a new one is added":         func(w *world) { w.create(account("z")) },
		"this tenant is given one":   func(w *world) { w.create(account("z", heldBy("ga-1"))) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, account("a", heldBy("ga-2"), dirty(Dirtied)))
				time.AfterFunc(30*time.Minute, func() { comes(w) })
				var told []Progress
				start := time.Now()
				claim := w.claimWithin(t, time.Hour, request("ga-1", "first", waitingFor(&told)))
				took := time.Since(start)
				if took < 30*time.Minute || took > 32*time.Minute || claim.Record.ClaimedAt.Before(start.Add(30*time.Minute)) {
					t.Errorf("took %s, claimed at %s", took, claim.Record.ClaimedAt)
				}
				wantPauses(t, told, took)
				equal(t, "waits for", told[0].For, "an account of pool aws")
				equal(t, "writes", len(w.wrote()), 1)
			})
		})
	}
}

// Each look is by a new list: an account that comes back soon is found at the second look, after eighteen seconds at most.
func TestClaimThatWaitsLooksAnew(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-2"), dirty(Dirtied)))
		time.AfterFunc(7*time.Second, func() { w.edit("a", stripped) })
		var told []Progress
		start := time.Now()
		w.claimWithin(t, time.Hour, request("ga-1", "first", waitingFor(&told)))
		if took := time.Since(start); took > 19*time.Second || len(told) != 2 {
			t.Errorf("took %s: %+v", took, told)
		}
	})
}

// claimWithin makes a claim that has to succeed within a time.
func (w *world) claimWithin(t *testing.T, limit time.Duration, req ClaimRequest) Claim {
	t.Helper()
	claim, err := w.pool().Claim(within(t, limit), req)
	if err != nil {
		t.Fatal(err)
	}
	return claim
}

// One account comes back, and two claims wait for it: one gets it, the other goes on, and is told in the end.
func TestTwoClaimsWaitForOneAccount(t *testing.T) {
	t.Parallel()
	for name, processes := range map[string]int{"in one process": 1, "in two processes": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, account("a", heldBy("ga-3"), dirty(Dirtied)))
				time.AfterFunc(10*time.Minute, func() { w.edit("a", stripped) })
				pools := []*Pool{w.pool(), w.pool()}
				var told [2][]Progress
				start := time.Now()
				var took [2]time.Duration
				errs := together(2, func(i int) error {
					defer func() { took[i] = time.Since(start) }()
					_, err := pools[i%processes].Claim(within(t, time.Hour), request(fmt.Sprintf("ga-%d", i+1), "first", waitingFor(&told[i])))
					return err
				})
				won := slices.Index(errs, nil)
				if won < 0 || errs[1-won] == nil {
					t.Fatalf("errors %v", errs)
				}
				exhausted := as[*ExhaustedError](t, errs[1-won])
				equal(t, "waited, tally", []any{exhausted.Waited, exhausted.Tally}, []any{took[1-won], Tally{ClassTaken: 1}})
				if took[won] > 12*time.Minute || took[1-won] < 59*time.Minute {
					t.Errorf("took %v", took)
				}
				equal(t, "holders", w.holders(), []string{fmt.Sprintf("ga-%d", won+1)})
			})
		})
	}
}

func TestClaimThatDoesNotWaitForAnAccount(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change  func(*ClaimRequest)
		context func(t *testing.T) context.Context
	}{
		"it is not to wait":       {func(r *ClaimRequest) { r.Wait = false }, nil},
		"a caller without an end": {func(*ClaimRequest) {}, (*testing.T).Context},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, account("a", heldBy("ga-2")))
			var told []Progress
			ctx := within(t, time.Hour)
			if test.context != nil {
				ctx = test.context(t)
			}
			start := time.Now()
			_, err := w.pool().Claim(ctx, request("ga-1", "first", waitingFor(&told), test.change))
			equal(t, name+", waited", as[*ExhaustedError](t, err).Waited, time.Duration(0))
			equal(t, name+", took, told", []any{time.Since(start), len(told)}, []any{time.Duration(0), 0})
		})
	}
	t.Run("a pinned account is not waited for", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, account("a", heldBy("ga-2")))
			var told []Progress
			start := time.Now()
			_, err := w.pool().Claim(within(t, time.Hour), request("ga-1", "first", waitingFor(&told), pinnedTo("a")))
			wantError[*TakenError](t, err)
			equal(t, "took", time.Since(start), time.Duration(0))
		})
	})
}

// F19: Ctrl-C while a claim waits. Nothing is written.
func TestF19ClaimIsCancelledWhileItWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-2")))
		ctx, cancel := impatient(t, time.Hour, 10*time.Minute)
		defer cancel()
		var told []Progress
		start := time.Now()
		_, err := w.pool().Claim(ctx, request("ga-1", "first", waitingFor(&told)))
		equal(t, "took", time.Since(start), 10*time.Minute)
		wantError[*TimeoutError](t, err)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got error %v, want the cancellation", err)
		}
		w.wantWrites(t)
	})
}

// Claims that wait side by side share their looks: ten of them take about as many lists as one, however long they wait.
func TestClaimsThatWaitShareTheirLists(t *testing.T) {
	t.Parallel()
	const claims = 10
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-x")))
		p := w.pool()
		errs := together(claims, func(i int) error {
			time.Sleep(time.Duration(i) * 700 * time.Millisecond)
			_, err := p.Claim(within(t, time.Hour), request(fmt.Sprintf("ga-%d", i), "first", waitingFor(new([]Progress))))
			return err
		})
		for _, err := range errs {
			wantError[*ExhaustedError](t, err)
		}
		// Each claim looks once at its beginning. One alone looks some sixty times in an hour, and ten alone some six hundred.
		lists, counts := w.called("list"), w.counter.called("count")
		if lists != counts || lists < 50 || lists > 100 {
			t.Errorf("%d lists and %d counts", lists, counts)
		}
	})
}

// A claim that waits holds no lock: other claims of its tenant go on.
func TestOthersOfTheTenantGoOnWhileAClaimWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-2")), account("b", heldBy("ga-1"), func(a *Account) { a.HyperscalerType = "gcp" }))
		p := w.pool()
		start := time.Now()
		var took [2]time.Duration
		errs := together(2, func(i int) error {
			defer func() { took[i] = time.Since(start) }()
			if i == 0 {
				_, err := p.Claim(within(t, time.Hour), request("ga-1", "first", waitingFor(new([]Progress))))
				return err
			}
			time.Sleep(time.Second)
			_, err := p.Claim(t.Context(), request("ga-1", "second", func(r *ClaimRequest) { r.Target.HyperscalerType = "gcp" }))
			return err
		})
		wantError[*ExhaustedError](t, errs[0])
		equal(t, "the other claim", []any{errs[1], took[1]}, []any{nil, time.Second})
	})
}
