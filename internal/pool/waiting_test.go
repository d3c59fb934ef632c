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

// A look that gets no answer does not end a long wait: the operation looks again after the next pause.

// errStarting is an error of a counter with a type of its own, as that of the broker's database.
var errStarting = error(startingError{})

type startingError struct{}

func (startingError) Error() string { return "the database is starting" }

func (startingError) Is(target error) bool { return target == ErrNoAnswer }

// outage has each of the calls go wrong between the tenth minute from now and the twentieth.
func (w *world) outage(f fault, calls ...string) {
	began := time.Now()
	storm := func(call string) fault {
		if at := time.Since(began); slices.Contains(calls, call) && at >= 10*time.Minute && at < 20*time.Minute {
			return f
		}
		return fault{}
	}
	w.storm, w.counter.storm = storm, storm
}

func unreachableFor(verb string) error {
	return &UnreachableError{Verb: verb, Resource: "things", Tries: 8, Err: errCut}
}

// wantFailedLooks checks that progress has told of looks that failed, and that the first did not.
func wantFailedLooks(t *testing.T, told []Progress, text string) {
	t.Helper()
	failed := 0
	for i, p := range told {
		if p.For != told[0].For {
			t.Errorf("pause %d is for %s", i+1, p.For)
		}
		if p.Failed == nil {
			continue
		}
		failed++
		if !strings.Contains(p.Failed.Error(), text) {
			t.Errorf("pause %d: the look failed by %v", i+1, p.Failed)
		}
	}
	if failed == 0 || told[0].Failed != nil {
		t.Errorf("%d looks failed, the first by %v", failed, told[0].Failed)
	}
}

func TestClaimThatWaitsOutlastsAnOutage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault fault
		call  string
		text  string
	}{
		"no list":               {fault{answer: unreachableFor("list")}, "list", "connection cut"},
		"no count":              {fault{answer: errStarting}, "count", "the database is starting"},
		"a count out of time":   {fault{answer: context.DeadlineExceeded}, "count", "deadline exceeded"},
		"a list that hangs":     {fault{hang: true}, "list", "deadline exceeded"},
		"a count that hangs":    {fault{hang: true}, "count", "deadline exceeded"},
		"no look at the chosen": {fault{answer: unreachableFor("get")}, "get", "connection cut"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, account("a", heldBy("ga-2"), dirty(Dirtied)))
				w.outage(test.fault, test.call)
				comes := func() { w.edit("a", stripped) }
				if test.call == "get" { // only an account with this very claim is read
					comes = func() { w.edit("a", stripped); w.edit("a", heldBy("ga-1")); w.edit("a", bearing("ga-1", "first")) }
				}
				time.AfterFunc(15*time.Minute, comes)
				var told []Progress
				start := time.Now()
				w.claimWithin(t, time.Hour, request("ga-1", "first", waitingFor(&told)))
				// One that hangs at the last moment of the outage takes ten minutes.
				if took := time.Since(start); took < 20*time.Minute || took > 32*time.Minute {
					t.Errorf("took %s", took)
				}
				wantFailedLooks(t, told, test.text)
				equal(t, "waits for", told[0].For, "an account of pool aws")
			})
		})
	}
}

func TestReleaseThatWaitsOutlastsAnOutage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault fault
		call  string
		text  string
	}{
		"no users":           {fault{answer: unreachableFor("list")}, "users", "whether clusters are on account a is not known"},
		"no rows":            {fault{answer: errStarting}, "users", "the database is starting"},
		"no account":         {fault{answer: unreachableFor("get")}, "get", "connection cut"},
		"users that hang":    {fault{hang: true}, "users", "deadline exceeded"},
		"a look that hangs":  {fault{hang: true}, "get", "deadline exceeded"},
		"a query's deadline": {fault{answer: context.DeadlineExceeded}, "users", "deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
				w.counter.deleting("blue")
				w.outage(test.fault, test.call)
				time.AfterFunc(15*time.Minute, func() { w.counter.clear("a") })
				time.AfterFunc(20*time.Minute, func() { w.wantWrites(t) })
				var told []Progress
				start := time.Now()
				outcome, err := w.pool().Release(within(t, time.Hour), w.waiting(&told))
				equal(t, "outcome", []any{outcome, err}, []any{OutcomeDirtied, nil})
				if took := time.Since(start); took < 20*time.Minute || took > 32*time.Minute {
					t.Errorf("took %s", took)
				}
				wantFailedLooks(t, told, test.text)
				w.wantWrites(t, "a dirty=releasing +first", "a dirty=true -first")
			})
		})
	}
}

// waits are a claim and a release that wait, each with what says it: the first look comes through.
func waits() map[string]func(ctx context.Context, t *testing.T, arrange func(w *world)) (*world, error) {
	return map[string]func(ctx context.Context, t *testing.T, arrange func(w *world)) (*world, error){
		"an account of pool aws": func(ctx context.Context, t *testing.T, arrange func(w *world)) (*world, error) {
			t.Helper()
			w := newWorld(t, account("a", heldBy("ga-2")))
			arrange(w)
			_, err := w.pool().Claim(ctx, request("ga-1", "first", waitingFor(new([]Progress))))
			return w, err
		},
		"the end of 1 cluster on account a: Shoot blue (being deleted)": func(ctx context.Context, t *testing.T, arrange func(w *world)) (*world, error) {
			t.Helper()
			w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
			w.counter.deleting("blue")
			arrange(w)
			_, err := w.pool().Release(ctx, w.waiting(new([]Progress)))
			return w, err
		},
	}
}

// from has each count, and each look for users, answer with an error from a time on.
func (w *world) from(at time.Duration, f fault) {
	began := time.Now()
	w.counter.storm = func(string) fault {
		if time.Since(began) < at {
			return fault{}
		}
		return f
	}
}

// The time is over and the last look has failed: the error says what was waited for, for how long, and by what the look failed.
func TestWaitThatEndsWithAFailedLook(t *testing.T) {
	t.Parallel()
	for what, wait := range waits() {
		for name, f := range map[string]fault{"no answer": {answer: unreachableFor("list")}, "it hangs": {hang: true}} {
			t.Run(what+", "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					start := time.Now()
					w, err := wait(within(t, time.Hour), t, func(w *world) { w.from(30*time.Minute, f) })
					took := time.Since(start)
					if took < 59*time.Minute || took > time.Hour {
						t.Errorf("took %s", took)
					}
					waited := as[*WaitError](t, err)
					equal(t, "for, waited", []any{waited.For, waited.Waited}, []any{what, took})
					if f.answer != nil {
						wantError[*UnreachableError](t, err) // which has a remedy of its own
					}
					for _, text := range []string{"waited " + took.Round(time.Second).String() + " for " + what, "; the last look failed: "} {
						if !strings.Contains(err.Error(), text) {
							t.Errorf("got error %v, want %q in it", err, text)
						}
					}
					w.wantWrites(t)
				})
			})
		}
	}
}

// What another look would only repeat ends the wait, and so does each error of the first look.
func TestFailedLookThatEndsAWait(t *testing.T) {
	t.Parallel()
	refusals := map[string]error{
		"forbidden":       &ForbiddenError{Verb: "list", Resource: "shoots", Err: errCut},
		"not let in":      &UnauthorizedError{Verb: "list", Resource: "shoots", Err: errCut},
		"refused":         &RejectedError{Verb: "list", Resource: "shoots", Err: errCut},
		"a difference":    &DisagreementError{},
		"another one":     errCut,
		"unknown outcome": errors.Join(&UnknownOutcomeError{Account: "a", Err: errCut}, unreachableFor("get")),
	}
	for what, wait := range waits() {
		for name, refusal := range refusals {
			t.Run(what+", "+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					start := time.Now()
					w, err := wait(within(t, time.Hour), t, func(w *world) { w.from(30*time.Minute, fault{answer: refusal}) })
					if took := time.Since(start); !errors.Is(err, refusal) || took < 30*time.Minute || took > 32*time.Minute {
						t.Errorf("after %s: %v", took, err)
					}
					w.wantWrites(t)
				})
			})
		}
		t.Run(what+", the first look", func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				w, err := wait(within(t, time.Hour), t, func(w *world) { w.from(0, fault{answer: unreachableFor("list")}) })
				wantError[*UnreachableError](t, err)
				equal(t, "took", time.Since(start), time.Duration(0))
				equal(t, "as it came", errors.As(err, new(*WaitError)), false)
				w.wantWrites(t)
			})
		})
	}
}

// F19: Ctrl-C between a look that has failed and the next one.
func TestF19WaitIsCancelledBehindAFailedLook(t *testing.T) {
	t.Parallel()
	for what, wait := range waits() {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := impatient(t, time.Hour, 40*time.Minute)
				defer cancel()
				start := time.Now()
				w, err := wait(ctx, t, func(w *world) { w.from(30*time.Minute, fault{answer: unreachableFor("list")}) })
				equal(t, "took", time.Since(start), 40*time.Minute)
				if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "interrupted while waiting for "+what) {
					t.Errorf("got error %v, want the cancellation, and what was waited for", err)
				}
				w.wantWrites(t)
			})
		})
	}
}
