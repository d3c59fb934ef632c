package pool

import (
	"context"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// A release whose account is used by clusters alone that are being deleted waits for their end, without a fence: one that a killed run has
// left goes first. All is judged anew then.
func TestReleaseWaitsForDeletion(t *testing.T) {
	t.Parallel()
	const lowered, fence, marked, dropped = "a dirty=clean +first", "a dirty=releasing +first", "a dirty=true -first", "a -first"
	ends := func(w *world) { w.counter.clear("a") }
	for name, test := range map[string]struct {
		fenced    bool
		meanwhile func(w *world) // half an hour after the beginning
		outcome   protocol.Outcome
		users     int // of the refusal, where it is refused
		writes    []string
	}{
		"they end": {false, ends, protocol.OutcomeDirtied, 0, []string{fence, marked}},
		"one ends, then the other": {false, func(w *world) {
			w.counter.clear("a")
			w.counter.deleting("green")
			time.AfterFunc(10*time.Minute, func() { w.counter.clear("a") })
		}, protocol.OutcomeDirtied, 0, []string{fence, marked}},
		"one is made anew":                {false, func(w *world) { w.counter.clear("a"); w.counter.add("a", "blue") }, "", 1, nil},
		"another one comes":               {false, func(w *world) { w.counter.add("a", "red") }, "", 3, nil},
		"another claim comes":             {false, func(w *world) { w.edit("a", bearing("ga-1", "second")) }, protocol.OutcomeKept, 0, []string{dropped}},
		"the broker marks it":             {false, func(w *world) { w.edit("a", dirty(account.Dirtied)) }, protocol.OutcomeAlreadyDirty, 0, []string{dropped}},
		"another tenant gets it":          {false, func(w *world) { w.edit("a", heldBy("ga-2")) }, protocol.OutcomeLeftBehind, 0, []string{dropped}},
		"the account goes with them":      {false, func(w *world) { w.remove("a") }, protocol.OutcomeNotHeld, 0, nil},
		"fenced, and they end":            {true, ends, protocol.OutcomeDirtied, 0, []string{lowered, fence, marked}},
		"fenced, and another comes":       {true, func(w *world) { w.counter.add("a", "red") }, "", 3, []string{lowered}},
		"fenced, and another claim comes": {true, func(w *world) { w.edit("a", bearing("ga-1", "second")) }, protocol.OutcomeKept, 0, []string{lowered, dropped}},
	} {
		for _, grace := range []time.Duration{0, grace} {
			virtual(t, name+" "+grace.String(), func(t *testing.T) {
				w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
				if test.fenced {
					w.edit("a", dirty(account.Releasing))
				}
				w.counter.deleting("blue", "green")
				time.AfterFunc(30*time.Minute, func() {
					equal(t, "dirt, while it waits", w.at("a").Dirty, account.Clean)
					test.meanwhile(w)
				})
				var reported []protocol.Progress
				req, start := w.waiting(&reported), time.Now()
				req.Grace = grace
				outcome, err := w.pool().Release(within(t, time.Hour+grace), req)
				w.wantWrites(t, test.writes...)
				if took := time.Since(start); took < 30*time.Minute || took > 42*time.Minute+grace || len(reported) == 0 {
					t.Errorf("took %s, and reported %d pauses", took, len(reported))
				}
				equal(t, "outcome", outcome, test.outcome)
				if test.outcome == "" {
					refused := as[*account.InUseError](t, err)
					equal(t, "users, after the fence, waited in vain", []any{len(refused.Users), refused.AfterFence, refused.Waited},
						[]any{test.users, false, time.Duration(0)})
				} else if err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// One user that is not being deleted, and the release is refused at once: it would wait in vain. Nor does it wait for a cluster that comes
// after its own fence.
func TestReleaseDoesNotWait(t *testing.T) {
	t.Parallel()
	endless := (*testing.T).Context
	lives := func(w *world) { w.counter.add("a", "green") }
	back := func(r *protocol.ReleaseRequest) { r.Mode = account.ReturnToPool }
	fenced := func(w *world) { w.edit("a", dirty(account.Releasing)) }
	for name, test := range map[string]struct {
		arrange func(w *world)
		request func(*protocol.ReleaseRequest)
		context func(t *testing.T) context.Context
		writes  []string
	}{
		"one cluster lives":         {lives, nil, nil, nil},
		"a row":                     {func(w *world) { w.counter.row() }, nil, nil, nil},
		"a caller without an end":   {nil, nil, endless, nil},
		"no time beside the grace":  {nil, func(r *protocol.ReleaseRequest) { r.Grace = time.Hour }, nil, nil},
		"back to the pool unwiped":  {nil, back, nil, nil},
		"fenced, without an end":    {fenced, nil, endless, []string{"a dirty=clean +first"}},
		"fenced, and one lives":     {func(w *world) { lives(w); fenced(w) }, nil, nil, []string{"a dirty=clean +first"}},
		"fenced, and back":          {fenced, back, nil, []string{"a dirty=clean +first"}},
		"one comes after the fence": {comesAfterTheFence, nil, nil, []string{"a dirty=releasing +first", "a dirty=clean +first"}},
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
			w.counter.deleting("blue")
			if test.arrange != nil {
				test.arrange(w)
			}
			var reported []protocol.Progress
			req, ctx := w.waiting(&reported), within(t, time.Hour)
			if test.request != nil {
				test.request(&req)
			}
			if test.context != nil {
				ctx = test.context(t)
			}
			start := time.Now()
			_, err := w.pool().Release(ctx, req)
			equal(t, "took, reported", []any{time.Since(start), len(reported)}, []any{time.Duration(0), 0})
			w.wantWrites(t, test.writes...)
			if req.Mode == account.ReturnToPool {
				equal(t, "used", as[*protocol.ReturnRefusedError](t, err).Used, true)
				return
			}
			equal(t, "waited", as[*account.InUseError](t, err).Waited, time.Duration(0))
		})
	}
}

func comesAfterTheFence(w *world) {
	w.counter.clear("a")
	w.counter.at("count", 2, fault{before: func() { w.counter.deleting("blue") }})
}

// The wait ends before the time of the caller does: the refusal says what is still there, and how long it was waited for.
func TestReleaseWaitsUntilItsDeadline(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ limit, grace, least, most time.Duration }{
		"an hour and the grace time": {time.Hour + grace, grace, time.Hour - 21*time.Second, time.Hour - 19*time.Second},
		"twelve seconds":             {12 * time.Second, 0, 6 * time.Second, 8 * time.Second},
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first")))
			w.counter.deleting("blue")
			var reported []protocol.Progress
			req, start := w.waiting(&reported), time.Now()
			req.Grace = test.grace
			_, err := w.pool().Release(within(t, test.limit), req)
			took := time.Since(start)
			equal(t, "waited", as[*account.InUseError](t, err).Waited, took)
			if took < test.least || took > test.most {
				t.Errorf("took %s, want %s to %s", took, test.least, test.most)
			}
			w.wantWrites(t)
			wantPauses(t, reported, took)
			equal(t, "reported", reported[0].For, "the end of 1 cluster on account a: Shoot blue (being deleted)")
		})
	}
}
