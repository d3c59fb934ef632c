package pool

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// What goes on beside a release that waits for its grace time, and what becomes of its fence when it is given up.

// F22b: a process has died behind its fence. How long it has stood is not known: the next one waits the whole time.
func TestFenceOfADeadProcessStandsItsGraceTimeToo(t *testing.T) {
	t.Parallel()
	for name, pause := range map[string]time.Duration{"at once": 0, "hours later": 5 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
				req := w.graceful(MarkDirty)
				w.on("write", 1, fault{lost: crash})
				dying(t, func() { _, _ = w.pool().Release(context.Background(), req) })
				time.Sleep(pause)
				start := time.Now()
				time.AfterFunc(grace-time.Second, func() { w.wantWrites(t, "a dirty=releasing +first") })
				outcome, err := w.pool().Release(t.Context(), req)
				equal(t, "outcome", []any{outcome, err}, []any{OutcomeDirtied, nil})
				equal(t, "took", time.Since(start), grace)
				w.wantWrites(t, "a dirty=releasing +first", "a dirty=true -first")
			})
		})
	}
}

// The tenant's other claims of the same run do not wait for the grace time of one.
func TestOthersOfTheTenantGoOnInTheGraceTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")), account("b", heldBy("ga-1"), bearing("ga-1", "old")),
			account("c"))
		p := w.pool()
		start := time.Now()
		var took [5]time.Duration
		errs := together(len(took), func(i int) (err error) {
			if i > 0 {
				time.Sleep(time.Second)
			}
			defer func() { took[i] = time.Since(start) }()
			switch i {
			case 0:
				_, err = p.Release(t.Context(), w.graceful(MarkDirty))
			case 1:
				_, err = p.Claim(t.Context(), request("ga-1", "second"))
			case 2:
				_, err = w.release(p, "ga-1", "old", "b", Keep)
			case 3:
				_, err = p.Inspect(t.Context(), "ga-1", aws, "first", "a", w.at("a").UID)
			case 4:
				_, err = p.Update(t.Context(), w.updateOf()) // of the very claim that is being released
			}
			return err
		})
		equal(t, "errors", errs, make([]error, len(took)))
		equal(t, "took", took, [5]time.Duration{grace, time.Second, time.Second, time.Second, time.Second})
		equal(t, "account of the new claim", w.bearers(identity("ga-1", "second").Key()), []string{"b"}) // a is fenced
		equal(t, "dirt in the end", w.at("a").Dirty, Dirtied)
	})
}

// Two releases of one tenant wait side by side, not one after the other.
func TestGraceTimesRunSideBySide(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")), account("b", heldBy("ga-1"), bearing("ga-1", "second")))
		p := w.pool()
		start := time.Now()
		errs := together(2, func(i int) error {
			req := w.releaseOf("ga-1", []string{"first", "second"}[i], []string{"a", "b"}[i], MarkDirty)
			req.Grace = grace
			_, err := p.Release(t.Context(), req)
			return err
		})
		equal(t, "errors", errs, []error{nil, nil})
		equal(t, "took", time.Since(start), grace)
	})
}

// A fence that was taken down in the grace time (by a person, or by another run that gave up) and is set again stands
// its whole time again.
func TestFenceThatIsSetAgainStandsItsGraceTimeAgain(t *testing.T) {
	t.Parallel()
	for name, changes := range map[string][]func(*Account){"": {bearing("ga-1", "first")}, ", no record to tell it by": nil} {
		t.Run("taken down by a person"+name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, account("a", append(changes, heldBy("ga-1"))...))
				start := time.Now()
				time.AfterFunc(grace-time.Minute, func() { w.edit("a", dirty(Clean)) })
				outcome, err := w.pool().Release(t.Context(), w.graceful(MarkDirty))
				equal(t, "outcome", []any{outcome, err}, []any{OutcomeDirtied, nil})
				equal(t, "took", time.Since(start), 2*grace)
			})
		})
	}
	t.Run("taken down by another run that is interrupted", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
			req := w.graceful(MarkDirty)
			start := time.Now()
			errs := together(2, func(i int) error {
				ctx, cancel := impatient(t, 0, []time.Duration{0, 4 * time.Minute}[i])
				defer cancel()
				_, err := w.pool().Release(ctx, req)
				return err
			})
			equal(t, "the first", errs[0], nil)
			if !errors.Is(errs[1], context.Canceled) {
				t.Errorf("got error %v, want the cancellation", errs[1])
			}
			equal(t, "took", time.Since(start), 2*grace)
		})
	})
}

// A caller that gives up in the grace time finds the account as it was before.
func TestGivingUpInTheGraceTimeTakesTheFenceDown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		deadline, cancel time.Duration
		oldFence         bool
		took             time.Duration // until the fence is down
		cause            error
	}{
		"Ctrl-C":                           {0, time.Minute, false, time.Minute, context.Canceled},
		"Ctrl-C, long before the deadline": {time.Hour, time.Minute, false, time.Minute, context.Canceled},
		"Ctrl-C behind an old fence":       {0, time.Minute, true, time.Minute, context.Canceled},
		"the deadline":                     {2 * time.Minute, 0, false, 110 * time.Second, context.DeadlineExceeded}, // ten seconds are kept back
		"a deadline that comes soon":       {20 * time.Second, 0, false, 15 * time.Second, context.DeadlineExceeded}, // a quarter is
		"the deadline behind an old fence": {2 * time.Minute, 0, true, 110 * time.Second, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
				want := []string{"a dirty=releasing +first", "a dirty=clean +first"}
				if test.oldFence {
					w.edit("a", bearing("ga-1", "first", newly, fencedSince(longAgo)))
					w.edit("a", dirty(Releasing))
					want = want[1:]
				}
				ctx, cancel := impatient(t, test.deadline, test.cancel)
				defer cancel()
				start := time.Now()
				outcome, err := w.pool().Release(ctx, w.graceful(MarkDirty))
				equal(t, "took, outcome", []any{time.Since(start), outcome}, []any{test.took, Outcome("")})
				if !errors.Is(err, test.cause) {
					t.Errorf("got error %v, want %v", err, test.cause)
				}
				w.wantWrites(t, want...)
				equal(t, "dirt and since", []any{w.at("a").Dirty, w.since(t)}, []any{Clean, time.Time{}})
			})
		})
	}
	t.Run("or says that it could not, within ten seconds", func(t *testing.T) {
		t.Parallel()
		for name, f := range map[string]fault{"refused": {answer: &ForbiddenError{Verb: "get", Err: errCut}}, "no answer": {hang: true}} {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
				ctx, cancel := impatient(t, 0, time.Minute)
				defer cancel()
				w.on("get", 2, f)
				start := time.Now()
				_, err := w.pool().Release(ctx, w.graceful(MarkDirty))
				equal(t, name+", took", time.Since(start), map[bool]time.Duration{false: time.Minute, true: time.Minute + cleanUpTime}[f.hang])
				if !errors.Is(err, context.Canceled) {
					t.Errorf("got error %v, want the cancellation", err)
				}
				equal(t, name+", dirt", w.at("a").Dirty, Releasing)
				outcome, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
				equal(t, name+", the next try", []any{outcome, err}, []any{OutcomeDirtied, nil})
			})
		}
	})
}

// Another owner keeps the claim by the end of the grace time: the release is refused, and its fence goes.
func TestOwnerChangesInTheGraceTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
		time.AfterFunc(grace/2, func() {
			_, err := w.pool().Update(context.Background(), w.updateOf(func(r *UpdateRequest) { r.Owner = "other" }))
			equal(t, "update", err, nil)
		})
		_, err := w.pool().Release(t.Context(), w.graceful(MarkDirty))
		wantError[*OwnerError](t, err)
		equal(t, "dirt", w.at("a").Dirty, Clean)
	})
}
