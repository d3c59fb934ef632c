package pool

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var errTooMany = errors.New("429 Too Many Requests")

// busy turns every write away from the n-th on.
func (w *world) busy(n int) {
	w.storm = func(call string) fault {
		if call != "write" {
			return fault{}
		}
		if n--; n > 0 {
			return fault{}
		}
		return fault{answer: &BusyError{Account: "a", Err: errTooMany}}
	}
}

// throttled are the calls that write, each on an account of its own world.
func throttled() map[string]struct {
	account Account
	call    func(ctx context.Context, w *world) error
} {
	type call = struct {
		account Account
		call    func(ctx context.Context, w *world) error
	}
	own := account("a", heldBy("ga-1"), bearing("ga-1", "first"))
	return map[string]call{
		"claim": {account("a"), func(ctx context.Context, w *world) error {
			_, err := w.pool().Claim(ctx, request("ga-1", "first"))
			return err
		}},
		"update": {own, func(ctx context.Context, w *world) error {
			_, err := w.pool().Update(ctx, w.updateOf())
			return err
		}},
		"release": {own, func(ctx context.Context, w *world) error {
			_, err := w.pool().Release(ctx, w.releaseOf("ga-1", "first", "a", MarkDirty))
			return err
		}},
	}
}

// A server that turns every write away is asked ever less often, and not for ever; its answer is told.
func TestServerTurnsEveryWriteAway(t *testing.T) {
	t.Parallel()
	for name, test := range throttled() {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, test.account)
			w.busy(1)
			start := time.Now()
			err := test.call(t.Context(), w)
			busy := as[*BusyError](t, err)
			equal(t, "tries and cause", []any{busy.Tries, errors.Is(err, errTooMany)}, []any{refusalBudget, true})
			equal(t, "writes sent", w.memStore.calls["write"], refusalBudget)
			if took := time.Since(start); took < time.Minute || took > 5*time.Minute {
				t.Errorf("gave up after %s", took)
			}
			if looks := w.counter.called("users"); looks > refusalBudget {
				t.Errorf("the clusters were looked for %d times", looks)
			}
			w.wantWrites(t)
		})
	}
}

// One whose time is over before has the server's answer, too. A server that is busy for a while costs time alone.
func TestServerTurnsWritesAwayForAWhile(t *testing.T) {
	t.Parallel()
	for name, test := range throttled() {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, test.account)
			w.busy(1)
			err := test.call(within(t, 20*time.Second), w)
			wantError[*TimeoutError](t, err)
			equal(t, "tells the answer", strings.Contains(err.Error(), errTooMany.Error()), true)

			w = newWorld(t, test.account)
			for n := range 5 {
				w.on("write", n+1, fault{answer: &BusyError{Account: "a", Err: errTooMany}})
			}
			equal(t, "error", test.call(t.Context(), w), nil)
		})
	}
}

// An account that another party changes before each write is given up after so many tries.
func TestAccountChangesBeforeEachWrite(t *testing.T) {
	t.Parallel()
	for name, test := range throttled() {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, test.account)
			edits(w, 1, 2*maxTries)
			conflict := as[*ConflictError](t, test.call(t.Context(), w))
			equal(t, "account and tries", []any{conflict.Account, conflict.Tries}, []any{"a", maxTries})
			w.wantWrites(t)
		})
	}
}

// Where the fence is up by then, it stays, and the error says so, with the reason once.
func TestServerTurnsWritesAwayBehindTheFence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
		w.busy(2)
		_, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
		wantError[*FenceLeftError](t, err)
		wantError[*BusyError](t, err)
		equal(t, "label", w.at("a").Dirty, Releasing)
		equal(t, "times that the answer is told", strings.Count(err.Error(), errTooMany.Error()), 1)
	})
}
