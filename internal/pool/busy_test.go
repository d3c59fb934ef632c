package pool

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

var errTooMany = errors.New("429 Too Many Requests")

// always has every write go wrong from the n-th on.
func (w *world) always(n int, f fault) {
	w.storm = func(call string) fault {
		if call != "write" {
			return fault{}
		}
		if n--; n > 0 {
			return fault{}
		}
		return f
	}
}

var turnedAway = fault{answer: &account.BusyError{Account: "a", Err: errTooMany}}

// A server that turns every write away is asked ever less often, and not for ever, and the error has its answer; nor are writes sent for
// ever whose answers are lost, or that another party crosses each time. Where the time is over before, the error has it, too.
func TestWritesThatAllFailEnd(t *testing.T) {
	t.Parallel()
	own := anAccount("a", heldBy("ga-1"), bearing("ga-1", "first"))
	for what, op := range map[string]struct {
		account account.Account
		call    func(ctx context.Context, w *world) error
		more    int // lost answers, because the fence may have arrived
	}{
		"claim": {anAccount("a"), func(ctx context.Context, w *world) error {
			_, err := w.pool().Claim(ctx, request("ga-1", "first"))
			return err
		}, 0},
		"update": {own, func(ctx context.Context, w *world) error { _, err := w.pool().Update(ctx, w.updateOf()); return err }, 0},
		"release": {own, func(ctx context.Context, w *world) error {
			_, err := w.pool().Release(ctx, ofFirst(account.MarkDirty))
			return err
		}, 3},
	} {
		for name, test := range map[string]struct {
			fault       fault
			sent        int
			least, most time.Duration
		}{
			"turned away": {turnedAway, refusalBudget, time.Minute, 5 * time.Minute},
			"lost":        {fault{lost: lostBefore}, retryBudget + op.more, time.Second, time.Minute},
			"crossed":     {fault{}, maxTries, 0, 0},
		} {
			virtual(t, what+", "+name, func(t *testing.T) {
				w := newWorld(t, op.account)
				if name == "crossed" {
					test.fault.before = func() { w.edit("a", func(*account.Account) {}) }
				}
				w.always(1, test.fault)
				start := time.Now()
				err := op.call(t.Context(), w)
				if took := time.Since(start); took < test.least || took > test.most {
					t.Errorf("gave up after %s: %v", took, err)
				}
				equal(t, "writes sent", w.called("write"), test.sent)
				switch name {
				case "turned away":
					busy := as[*account.BusyError](t, err)
					equal(t, "tries and cause", []any{busy.Tries, errors.Is(err, errTooMany)}, []any{refusalBudget, true})
				case "lost":
					wantError[*account.UnknownOutcomeError](t, err)
				default:
					conflict := as[*account.ConflictError](t, err)
					equal(t, "account and tries", []any{conflict.Account, conflict.Tries}, []any{"a", maxTries})
				}
				if counts := w.counter.called("count"); name != "crossed" && counts > test.sent {
					t.Errorf("the clusters were counted %d times", counts)
				}
				w.wantWrites(t)
			})
		}
		virtual(t, what+", turned away for a while", func(t *testing.T) {
			w := newWorld(t, op.account)
			w.always(1, turnedAway)
			err := op.call(within(t, 20*time.Second), w)
			wantError[*TimeoutError](t, err)
			equal(t, "names the answer", strings.Contains(err.Error(), errTooMany.Error()), true)

			w = newWorld(t, op.account)
			for n := range 5 {
				w.on("write", n+1, turnedAway)
			}
			equal(t, "error", op.call(t.Context(), w), nil)
		})
	}
}

// A fence that cannot be taken down, because the server turns the writes away or the account changes each time, is said to be left, with
// each reason once.
func TestFenceThatCannotBeTakenDownIsNamed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, crossed := range map[string]bool{"turned away": false, "crossed": true} {
			w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first")))
			w.counter.at("count", 2, fault{before: func() { w.counter.add("a", "late") }})
			f := turnedAway
			if crossed {
				f = fault{before: func() { w.edit("a", func(*account.Account) {}) }}
			}
			w.always(2, f)
			_, err := w.pool().Release(t.Context(), ofFirst(account.MarkDirty))
			left := as[*protocol.FenceLeftError](t, err)
			equal(t, name+": account, ended, users", []any{left.Account, left.Ended, len(as[*account.InUseError](t, err).Users)}, []any{"a", false, 1})
			equal(t, name+": dirt", w.at("a").Dirty, account.Releasing)
			if crossed {
				equal(t, "tries", as[*account.ConflictError](t, err).Tries, maxTries)
			} else {
				equal(t, "times that the answer is named", strings.Count(err.Error(), errTooMany.Error()), 1)
			}
		}
	})
}

// The answer to the last write is lost, and so is that to each read after it, which are more faults than the explorer visits. The error
// says that the release may have ended, and the next try ends it.
func TestLastWriteAndTheReadsAfterItAreLost(t *testing.T) {
	t.Parallel()
	for what, dirt := range map[loss]account.Dirt{lostAfter: account.Dirtied, lostBefore: account.Releasing} {
		w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first")))
		w.on("write", 2, fault{lost: what})
		for n := range 2 {
			w.on("get", 1+n, fault{answer: unreachableFor("get")})
		}
		_, err := w.pool().Release(t.Context(), ofFirst(account.MarkDirty))
		wantError[*account.UnknownOutcomeError](t, err)
		equal(t, "account, ended, dirt", []any{as[*protocol.FenceLeftError](t, err).Account, as[*protocol.FenceLeftError](t, err).Ended, w.at("a").Dirty}, []any{"a", true, dirt})
		_, err = w.pool().Release(t.Context(), ofFirst(account.MarkDirty))
		equal(t, "the next try", []any{err, w.at("a").Dirty}, []any{nil, account.Dirtied})
	}
}

// F38: a store that says a fence is up which is not does not keep a release going round for ever: the account is judged as often as a
// lost write is, and stays what it is.
func TestReleaseEndsWhereItsFenceNeverShows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
	store := &untrue{Store: w.memStore}
	_, err := New(namespace, store, w.counter, w.policy).Release(t.Context(), ofFirst(account.MarkDirty))
	if err == nil || errors.As(err, new(*account.UnknownOutcomeError)) || store.writes > 3*maxTries {
		t.Errorf("after %d writes: %v", store.writes, err)
	}
	w.wantWrites(t)
	equal(t, "dirt", w.at("a").Dirty, account.Clean)
}

// untrue answers each write with success, and carries out none.
type untrue struct {
	Store
	writes int
}

func (u *untrue) Write(_ context.Context, judged account.Account, _ account.Change) (account.Account, error) {
	u.writes++
	return judged, nil
}
