package pool

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A release whose account is used by clusters alone that are being deleted waits for their end, without a fence.

// waiting is the release of the claim first of ga-1 on a, and what it has told of its waiting.
func (w *world) waiting(told *[]Progress) ReleaseRequest {
	req := w.releaseOf("ga-1", "first", "a", MarkDirty)
	req.Tell = func(p Progress) { *told = append(*told, p) }
	return req
}

// deleting puts clusters on account a that are being deleted.
func (c *memCounter) deleting(names ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range names {
		c.clusters["a"] = append(c.clusters["a"], User{Kind: "Shoot", Name: name, Deleting: true})
	}
}

// within is the context of a caller that has so much time.
func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestReleaseWaitsForDeletion(t *testing.T) {
	t.Parallel()
	const marked = "a dirty=true -first"
	fenced := []string{"a dirty=releasing +first", marked}
	for name, test := range map[string]struct {
		meanwhile func(w *world) // half an hour after the beginning
		outcome   Outcome
		users     int // of the refusal, where it is refused
		writes    []string
	}{
		"they end": {func(w *world) { w.counter.clear("a") }, OutcomeDirtied, 0, fenced},
		"one ends, then the other": {func(w *world) {
			w.counter.clear("a")
			w.counter.deleting("green")
			time.AfterFunc(10*time.Minute, func() { w.counter.clear("a") })
		}, OutcomeDirtied, 0, fenced},
		"one is made anew":            {func(w *world) { w.counter.clear("a"); w.counter.add("a", "blue") }, "", 1, nil},
		"another one comes":           {func(w *world) { w.counter.add("a", "red") }, "", 3, nil},
		"a row comes to light":        {func(w *world) { w.counter.row() }, "", 3, nil},
		"another claim comes":         {func(w *world) { w.edit("a", bearing("ga-1", "second")) }, OutcomeKept, 0, []string{"a -first"}},
		"the broker marks it":         {func(w *world) { w.edit("a", dirty(Dirtied)) }, OutcomeAlreadyDirty, 0, []string{"a -first"}},
		"another tenant gets it":      {func(w *world) { w.edit("a", heldBy("ga-2")) }, OutcomeNotHeld, 0, []string{"a -first"}},
		"the account goes with them":  {func(w *world) { w.remove("a") }, OutcomeNotHeld, 0, nil},
		"another object has its name": {func(w *world) { w.create(account("a", heldBy("ga-1"))) }, OutcomeNotHeld, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
				w.counter.deleting("blue", "green")
				time.AfterFunc(30*time.Minute, func() {
					w.wantWrites(t)
					test.meanwhile(w)
				})
				var told []Progress
				start := time.Now()
				outcome, err := w.pool().Release(within(t, time.Hour), w.waiting(&told))
				w.wantWrites(t, test.writes...)
				if took := time.Since(start); took < 30*time.Minute || took > 42*time.Minute {
					t.Errorf("took %s", took)
				}
				equal(t, "outcome", outcome, test.outcome)
				if test.outcome == "" {
					refused := as[*InUseError](t, err)
					equal(t, "users, after the fence, waited in vain", []any{len(refused.Users), refused.AfterFence, refused.Waited},
						[]any{test.users, false, time.Duration(0)})
				} else if err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A release that was killed behind its fence is run again: it finishes, and where a first one would wait it takes the fence down
// and waits.
func TestReleaseThatWasKilledBehindItsFence(t *testing.T) {
	t.Parallel()
	const lowered, fence, marked = "a dirty=clean +first", "a dirty=releasing +first", "a dirty=true -first"
	for name, test := range map[string]struct {
		users     func(w *world)
		meanwhile func(w *world) // half an hour after the beginning
		outcome   Outcome
		writes    []string
	}{
		"nothing uses the account": {nil, nil, OutcomeDirtied, []string{marked}},
		"what uses it is being deleted": {func(w *world) { w.counter.deleting("blue", "green") },
			func(w *world) { w.counter.clear("a") }, OutcomeDirtied, []string{lowered, fence, marked}},
		"and another cluster comes while it waits": {func(w *world) { w.counter.deleting("blue") },
			func(w *world) { w.counter.add("a", "red") }, "", []string{lowered}},
		"and it never ends": {func(w *world) { w.counter.deleting("blue") }, nil, "", []string{lowered}},
		"and another claim comes while it waits": {func(w *world) { w.counter.deleting("blue") },
			func(w *world) { w.edit("a", bearing("ga-1", "second")) }, OutcomeKept, []string{lowered, "a -first"}},
	} {
		for _, grace := range []time.Duration{0, grace} {
			t.Run(name+" "+grace.String(), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
					w.edit("a", dirty(Releasing))
					if test.users != nil {
						test.users(w)
					}
					time.AfterFunc(30*time.Minute, func() {
						equal(t, "the fence, while it waits", w.at("a").Dirty == Releasing, false)
						if test.meanwhile != nil {
							test.meanwhile(w)
						}
					})
					var told []Progress
					req := w.waiting(&told)
					req.Grace = grace
					outcome, err := w.pool().Release(within(t, time.Hour+grace), req)
					w.wantWrites(t, test.writes...)
					equal(t, "outcome, told of a wait", []any{outcome, len(told) > 0}, []any{test.outcome, test.users != nil})
					if test.outcome == "" {
						equal(t, "after the fence", as[*InUseError](t, err).AfterFence, false)
					} else if err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

// A cluster that comes behind the fence of this very run is no reason to wait, also if it is being deleted.
func TestReleaseDoesNotWaitBehindItsOwnFence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
	w.counter.at("users", 2, fault{before: func() { w.counter.deleting("blue") }})
	_, err := w.pool().Release(within(t, time.Hour), w.releaseOf("ga-1", "first", "a", MarkDirty))
	equal(t, "after the fence", as[*InUseError](t, err).AfterFence, true)
	w.wantWrites(t, "a dirty=releasing +first", "a dirty=clean +first")
}

// row adds a row of the broker's database to the users of account a.
func (c *memCounter) row() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clusters["a"] = append(c.clusters["a"], User{Kind: "instance", Name: "5c1f"})
}

// One user that is not being deleted, and the release is refused at once: it would wait in vain.
func TestReleaseDoesNotWait(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		arrange func(w *world)
		request func(*ReleaseRequest)
		context func(t *testing.T) context.Context
	}{
		"one cluster lives":                        {func(w *world) { w.counter.add("a", "green") }, nil, nil},
		"a row":                                    {func(w *world) { w.counter.row() }, nil, nil},
		"a caller without an end":                  {nil, nil, (*testing.T).Context},
		"no time beside the grace":                 {nil, func(r *ReleaseRequest) { r.Grace = time.Hour }, nil},
		"back to the pool unwiped":                 {nil, func(r *ReleaseRequest) { r.Mode = ReturnToPool }, nil},
		"behind a fence of before, without an end": {func(w *world) { w.edit("a", dirty(Releasing)) }, nil, (*testing.T).Context},
		"behind a fence of before, and one lives":  {func(w *world) { w.counter.add("a", "green"); w.edit("a", dirty(Releasing)) }, nil, nil},
		"behind a fence of before, and back to the pool": {func(w *world) { w.edit("a", dirty(Releasing)) },
			func(r *ReleaseRequest) { r.Mode = ReturnToPool }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
				w.counter.deleting("blue")
				var want []string
				if test.arrange != nil {
					test.arrange(w)
				}
				if w.at("a").Dirty == Releasing {
					want = []string{"a dirty=clean +first"}
				}
				var told []Progress
				req, ctx := w.waiting(&told), within(t, time.Hour)
				if test.request != nil {
					test.request(&req)
				}
				if test.context != nil {
					ctx = test.context(t)
				}
				start := time.Now()
				_, err := w.pool().Release(ctx, req)
				equal(t, "took, told", []any{time.Since(start), len(told)}, []any{time.Duration(0), 0})
				w.wantWrites(t, want...)
				if req.Mode == ReturnToPool {
					equal(t, "used", as[*ReturnRefusedError](t, err).Used, true)
					return
				}
				equal(t, "waited", as[*InUseError](t, err).Waited, time.Duration(0))
			})
		})
	}
}

// The wait ends before the time of the caller does: the refusal says what is still there, and how long it was waited for.
func TestReleaseWaitsUntilItsDeadline(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ limit, grace, least, most time.Duration }{
		"an hour":                    {time.Hour, 0, time.Hour - 21*time.Second, time.Hour - 19*time.Second},
		"an hour and the grace time": {time.Hour + grace, grace, time.Hour - 21*time.Second, time.Hour - 19*time.Second},
		"a day":                      {24 * time.Hour, 0, 24*time.Hour - 21*time.Second, 24*time.Hour - 19*time.Second},
		"twelve seconds":             {12 * time.Second, 0, 6 * time.Second, 8 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
				w.counter.deleting("blue")
				var told []Progress
				req := w.waiting(&told)
				req.Grace = test.grace
				start := time.Now()
				_, err := w.pool().Release(within(t, test.limit), req)
				took := time.Since(start)
				refused := as[*InUseError](t, err)
				equal(t, "waited", refused.Waited, took)
				if took < test.least || took > test.most {
					t.Errorf("took %s, want %s to %s", took, test.least, test.most)
				}
				w.wantWrites(t)
				wantPauses(t, told, took)
				if !strings.Contains(told[0].For, "Shoot blue") {
					t.Errorf("told: %+v", told[0])
				}
				w.counter.clear("a")
				outcome, err := w.pool().Release(t.Context(), w.releaseOf("ga-1", "first", "a", MarkDirty))
				equal(t, "the next try", []any{outcome, err}, []any{OutcomeDirtied, nil})
			})
		})
	}
}

// wantPauses checks the backoff: from five seconds on each pause is twice as long, to a minute, and up to a quarter longer.
func wantPauses(t *testing.T, told []Progress, took time.Duration) {
	t.Helper()
	sum, pause := time.Duration(0), firstPause
	for i, p := range told {
		equal(t, "waited", p.Waited, sum)
		sum += p.Pause
		last := i == len(told)-1
		if p.Pause > pause*5/4 || p.Pause < pause && !last || p.Left < p.Pause {
			t.Errorf("pause %d: %+v", i+1, p)
		}
		pause = min(2*pause, longestPause)
	}
	equal(t, "all pauses", sum, took)
}

// F19: Ctrl-C while a release waits. Nothing is written, and the claim stands.
func TestF19ReleaseIsCancelledWhileItWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
		w.counter.deleting("blue")
		ctx, cancel := impatient(t, time.Hour, 10*time.Minute)
		defer cancel()
		start := time.Now()
		_, err := w.pool().Release(ctx, w.releaseOf("ga-1", "first", "a", MarkDirty))
		equal(t, "took", time.Since(start), 10*time.Minute)
		wantError[*TimeoutError](t, err)
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "Shoot blue") {
			t.Errorf("got error %v, want the cancellation, and what was waited for", err)
		}
		w.wantWrites(t)
		a := w.at("a")
		equal(t, "claims", len(a.Claims()), 1)
	})
}

// F19: Ctrl-C in the middle of such a look. The error still says what was waited for.
func TestF19ReleaseIsCancelledInALook(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
		w.counter.deleting("blue")
		w.counter.at("users", 3, fault{answer: &UnreachableError{Verb: "list", Resource: "shoots", Err: context.Canceled}})
		_, err := w.pool().Release(within(t, time.Hour), w.releaseOf("ga-1", "first", "a", MarkDirty))
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "interrupted while waiting for the end of 1 cluster on account a: Shoot blue") {
			t.Errorf("got error %v, want the cancellation, and what was waited for", err)
		}
		w.wantWrites(t)
	})
}

// Whether clusters are on the account is not known any more: the release is refused, as at the first look.
func TestReleaseThatWaitsCannotSeeAnyMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
		w.counter.deleting("blue")
		w.counter.at("users", 3, fault{answer: &ForbiddenError{Verb: "list", Resource: "shoots", Err: errCut}})
		_, err := w.pool().Release(within(t, time.Hour), w.releaseOf("ga-1", "first", "a", MarkDirty))
		wantError[*ForbiddenError](t, err)
		w.wantWrites(t)
	})
}

// A release that waits holds no lock: the tenant's other claims go on.
func TestOthersOfTheTenantGoOnWhileAReleaseWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")), account("b", heldBy("ga-1"), bearing("ga-1", "old")),
			account("c"))
		w.counter.deleting("blue")
		time.AfterFunc(30*time.Minute, func() { w.counter.clear("a") })
		p := w.pool()
		start := time.Now()
		var took [4]time.Duration
		errs := together(len(took), func(i int) (err error) {
			if i > 0 {
				time.Sleep(time.Second)
			}
			defer func() { took[i] = time.Since(start) }()
			switch i {
			case 0:
				_, err = p.Release(within(t, time.Hour), w.releaseOf("ga-1", "first", "a", MarkDirty))
			case 1:
				_, err = p.Release(within(t, time.Hour), w.releaseOf("ga-1", "old", "b", MarkDirty))
			case 2:
				_, err = p.Claim(t.Context(), request("ga-1", "second", pinnedTo("c")))
			case 3:
				_, err = p.Update(t.Context(), w.updateOf()) // of the very claim that waits
			}
			return err
		})
		equal(t, "errors", errs, make([]error, len(took)))
		if slices.Max(took[1:]) > 2*time.Second || took[0] < 30*time.Minute {
			t.Errorf("took %v", took)
		}
	})
}
