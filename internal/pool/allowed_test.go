package pool

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// Who may not write accounts learns it before anything is decided, let alone written.

// first writes of a process, each of which asks.
func firstWrites() map[string]func(ctx context.Context, w *world, p *Pool) error {
	return map[string]func(ctx context.Context, w *world, p *Pool) error{
		"a claim": func(ctx context.Context, _ *world, p *Pool) error {
			_, err := p.Claim(ctx, request("ga-2", "first"))
			return err
		},
		"a fence": func(ctx context.Context, w *world, p *Pool) error {
			_, err := p.Release(ctx, w.releaseOf("ga-1", "first", "a", MarkDirty))
			return err
		},
	}
}

func worldToAskIn(t *testing.T) *world {
	t.Helper()
	return newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")), account("b"), account("c"), account("s", shared))
}

func TestWhoMayNotWriteIsToldBefore(t *testing.T) {
	t.Parallel()
	for name, write := range firstWrites() {
		for what, refusal := range map[string]error{
			"forbidden":    &ForbiddenError{Verb: "patch", Resource: "credentialsbindings", Namespace: namespace, Err: errors.New("no")},
			"unreachable":  &UnreachableError{Verb: "create", Tries: 8, Err: errCut},
			"unauthorized": &UnauthorizedError{Verb: "create", Err: errors.New("token expired")},
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				t.Parallel()
				w := worldToAskIn(t)
				w.on("allowed", 1, fault{answer: refusal})
				w.on("allowed", 2, fault{answer: refusal})
				p := w.pool()
				for try := range 2 { // a no is not remembered: rights are given while people wait
					if err := write(t.Context(), w, p); !errors.Is(err, refusal) {
						t.Errorf("try %d: got error %v, want %v", try+1, err, refusal)
					}
				}
				equal(t, "asked and sent", []int{w.called("allowed"), w.called("write")}, []int{2, 0})
				equal(t, "error once it is allowed", write(t.Context(), w, p), nil)
				equal(t, "asked", w.called("allowed"), 3)
			})
		}
	}
}

func TestYesIsRememberedForTheWholeRun(t *testing.T) {
	t.Parallel()
	for name, write := range firstWrites() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := worldToAskIn(t)
			p := w.pool()
			equal(t, "error", write(t.Context(), w, p), nil)
			equal(t, "asked", w.called("allowed"), 1)
			w.on("allowed", 2, fault{answer: &ForbiddenError{Verb: "patch", Err: errCut}})
			w.claim(t, p, request("ga-3", "first"))
			w.edit("a", heldBy("ga-1"))
			w.edit("a", dirty(Clean))
			w.edit("a", bearing("ga-1", "again"))
			outcome, err := w.release(p, "ga-1", "again", "a", Keep)
			equal(t, "release", []any{outcome, err}, []any{OutcomeKept, nil})
			equal(t, "asked", w.called("allowed"), 1)
			_, err = w.pool().Claim(t.Context(), request("ga-4", "first")) // another process asks for itself
			wantError[*ForbiddenError](t, err)
		})
	}
}

func TestCallsThatDoNotAsk(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(w *world, p *Pool) error{
		"a claim on a shared account": func(_ *world, p *Pool) error {
			req := request("ga-1", "x")
			req.Target.Shared = true
			_, err := p.Claim(context.Background(), req)
			return err
		},
		"a look": func(w *world, p *Pool) error {
			_, err := p.Inspect(context.Background(), "ga-1", aws, "first", "a", w.at("a").UID)
			return err
		},
		"a preview": func(_ *world, p *Pool) error {
			_, err := p.Preview(context.Background(), aws, "ga-2")
			return err
		},
		"a release of what is another's": func(w *world, p *Pool) error {
			_, err := w.release(p, "ga-7", "first", "a", MarkDirty)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := worldToAskIn(t)
			w.on("allowed", 1, fault{answer: &ForbiddenError{Verb: "patch", Err: errCut}})
			equal(t, "error", call(w, w.pool()), nil)
			equal(t, "asked", w.called("allowed"), 0)
			w.wantWrites(t)
		})
	}
}

// The question comes before the users are read: who may not release need not wait for a count.
func TestQuestionComesBeforeTheUsersAreRead(t *testing.T) {
	t.Parallel()
	w := worldToAskIn(t)
	w.on("allowed", 1, fault{answer: &ForbiddenError{Verb: "patch", Err: errCut}})
	_, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
	wantError[*ForbiddenError](t, err)
	equal(t, "users read", w.counter.called("users"), 0)
}

// The claims of one run ask once, whether they come one after the other or begin at once.
func TestManyClaimsAskOnce(t *testing.T) {
	t.Parallel()
	const n = 20
	for name, run := range map[string]func(call func(i int) error) []error{
		"at once": func(call func(i int) error) []error { return together(n, call) },
		"one by one": func(call func(i int) error) []error {
			errs := make([]error, n)
			for i := range errs {
				errs[i] = call(i)
			}
			return errs
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, freeAccounts(n)...)
				w.on("allowed", 1, fault{after: func() { time.Sleep(time.Second) }}) // all have begun by then
				p, calls := w.process()
				equal(t, "errors", run(func(i int) error {
					_, err := p.Claim(t.Context(), request(fmt.Sprintf("ga-%d", i), "first"))
					return err
				}), make([]error, n))
				equal(t, "asked", calls.asks.Load(), int32(1))
				equal(t, "lists", calls.lists.Load(), int32(1))
			})
		})
	}
}

// A caller that gives up while another one asks does not wait for the answer, and the others get it.
func TestGivingUpWhileAnotherAsks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, freeAccounts(4)...)
		w.on("allowed", 1, fault{after: func() { time.Sleep(time.Minute) }})
		p, calls := w.process()
		start := time.Now()
		errs := together(3, func(i int) error {
			time.Sleep(time.Duration(i) * time.Second)
			ctx, cancel := impatient(t, 0, []time.Duration{0, 10 * time.Second, 0}[i])
			defer cancel()
			_, err := p.Claim(ctx, request(fmt.Sprintf("ga-%d", i), "first"))
			equal(t, "took", time.Since(start), []time.Duration{time.Minute, 11 * time.Second, time.Minute}[i])
			return err
		})
		if !errors.Is(errs[1], context.Canceled) {
			t.Errorf("got error %v, want the cancellation", errs[1])
		}
		equal(t, "the others", []error{errs[0], errs[2]}, []error{nil, nil})
		equal(t, "asked", calls.asks.Load(), int32(1))
	})
}
