package pool

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// A release that ends with an error behind its fence takes the fence down, or says that it stays.

// wantFenceTold checks that no account is left fenced without a word.
func (w *world) wantFenceTold(t *testing.T, account string, err error) {
	t.Helper()
	var left *FenceLeftError
	if err == nil {
		t.Error("the release should have failed")
	}
	if w.at(account).Dirty == Releasing && !errors.As(err, &left) {
		t.Errorf("%s is left fenced, and the error does not say so: %v", account, err)
	}
}

// behindTheFence runs a release, lets something happen in the middle of its grace time, and checks what is left.
func behindTheFence(t *testing.T, deadline time.Duration, meanwhile func(w *world, p *Pool)) error {
	t.Helper()
	w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
	p := w.pool()
	time.AfterFunc(grace/2, func() { meanwhile(w, p) })
	ctx, cancel := impatient(t, 0, deadline)
	defer cancel()
	_, err := p.Release(ctx, w.graceful(MarkDirty))
	w.wantFenceTold(t, "a", err)
	equal(t, "dirt", w.at("a").Dirty, Clean)
	time.Sleep(grace)
	return err
}

func TestErrorBehindTheFenceTakesItDown(t *testing.T) {
	t.Parallel()
	t.Run("interrupted while it waits for another claim of the tenant", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			err := behindTheFence(t, grace+time.Second, func(_ *world, p *Pool) {
				unlock, _ := p.tenants.lock(t.Context(), "ga-1")
				time.AfterFunc(grace, unlock)
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want the cancellation", err)
			}
		})
	})
	t.Run("the account cannot be read", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			wantError[*UnreachableError](t, behindTheFence(t, 0, func(w *world, _ *Pool) {
				w.on("get", 2, fault{answer: &UnreachableError{Verb: "get", Tries: 8, Err: errCut}})
			}))
		})
	})
	t.Run("another owner keeps the claim now", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			wantError[*OwnerError](t, behindTheFence(t, 0, func(w *world, _ *Pool) {
				_, err := w.pool().Update(context.Background(), UpdateRequest{
					Identity: identity("ga-1", "first"), Account: "a", UID: w.at("a").UID, WasOwner: "pipeline", Details: Details{Owner: "other"},
				})
				equal(t, "update", err, nil)
			}))
		})
	})
	t.Run("four releases of one tenant, interrupted", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			const n = 4
			accounts := make([]Account, n)
			for i := range accounts {
				accounts[i] = account(fmt.Sprintf("a%d", i), heldBy("ga-1"), bearing("ga-1", fmt.Sprintf("c%d", i), newly))
			}
			w := newWorld(t, accounts...)
			w.counter.storm = func(string) fault {
				return fault{before: func() {
					if w.counter.called("users") > n {
						time.Sleep(5 * time.Second)
					}
					time.Sleep(2 * time.Second)
				}}
			}
			p := w.pool()
			ctx, cancel := impatient(t, 0, 68*time.Second) // just after the grace time
			defer cancel()
			errs := together(n, func(i int) error {
				req := w.releaseOf("ga-1", fmt.Sprintf("c%d", i), fmt.Sprintf("a%d", i), MarkDirty)
				req.Grace = time.Minute
				_, err := p.Release(ctx, req)
				return err
			})
			for i, err := range errs {
				w.wantFenceTold(t, fmt.Sprintf("a%d", i), err)
			}
		})
	})
}

// The answer to the fence is lost, and the release is refused before the fence is known to stand. It does not come to stand
// later, on an account that is in use.
func TestFenceThatArrivesLate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lost  loss
		blind bool // the look behind the fence fails
		users int  // the look for clusters that finds one; 0 = none does
	}{
		"a cluster is there when it is judged again": {lostOnTheWay, false, 2},
		"it stands, and cannot be looked at":         {lostAfter, true, 0},
		"it is on its way, and cannot be looked at":  {lostOnTheWay, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
			w.on("write", 1, fault{lost: test.lost})
			if test.blind {
				w.on("get", 2, fault{answer: &UnreachableError{Verb: "get", Tries: 8, Err: errCut}})
			}
			if test.users > 0 {
				w.counter.at("users", test.users, fault{before: func() { w.counter.add("a", "late") }})
			}
			_, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
			w.deliver()
			w.wantFenceTold(t, "a", err)
			equal(t, "dirt", w.at("a").Dirty, Clean)
		})
	}
}
