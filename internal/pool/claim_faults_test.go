package pool

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// What becomes of a claim whose answer is lost, whose caller gives up, or whose process dies.

func TestLostAnswerToAClaim(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		loss      loss
		then      func(w *world, first string) // happens before the look at the account
		wantFirst bool                         // the claim ends on the account it tried first
		calls     int                          // write calls
	}{
		"after the commit (F2)":           {lostAfter, nil, true, 1},
		"before the commit (F2)":          {lostBefore, nil, true, 2},
		"after it, and a harmless edit":   {lostAfter, func(w *world, first string) { w.edit(first, func(*Account) {}) }, true, 1},
		"before it, and a harmless edit":  {lostBefore, func(w *world, first string) { w.edit(first, func(*Account) {}) }, true, 2},
		"before it, and a rival takes it": {lostBefore, func(w *world, first string) { w.edit(first, heldBy("ga-2")) }, false, 2},
		"before it, and it is deleted":    {lostBefore, func(w *world, first string) { w.remove(first) }, false, 2},
		"after it, and it is deleted":     {lostAfter, func(w *world, first string) { w.remove(first) }, false, 2},
		"after it, and it is made anew":   {lostAfter, func(w *world, first string) { w.create(account(first)) }, true, 2},
		"after it, and the labels go":     {lostAfter, func(w *world, first string) { w.edit(first, stripped) }, true, 3},
		"after it, and then it is a rival's": {lostAfter,
			func(w *world, first string) { w.edit(first, stripped); w.edit(first, heldBy("ga-2")) }, false, 3},
		"on the way, and it comes in the end": {lostOnTheWay, func(w *world, _ string) { w.deliver() }, true, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, account("a"), account("b"))
			first := w.firstChoice(t, "ga-1")
			w.on("write", 1, fault{lost: test.loss, after: func() {
				if test.then != nil {
					test.then(w, first)
				}
			}})
			claim := w.claim(t, w.pool(), request("ga-1", "first"))
			equal(t, "on the first account", claim.Account.Name == first, test.wantFirst)
			equal(t, "account", claim.Account, w.at(claim.Account.Name))
			if _, ok := claim.Account.Holds(identity("ga-1", "first").Key()); !ok {
				t.Error("the claim is not on its account")
			}
			equal(t, "write calls", w.called("write"), test.calls)
			equal(t, "newly claimed", claim.Record.NewlyClaimed, true)
		})
	}
}

// A write whose answer was lost may still be on its way when the account is looked at. If the claim then went
// elsewhere, it would stand on two accounts in the end.
func TestWriteThatComesLateDoesNotLeaveASecondClaim(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ deliverAt string }{
		"before the next write": {"get"},
		"after the claim":       {""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, account("a"), account("b"))
			p := w.pool()
			w.on("write", 1, fault{lost: lostOnTheWay})
			w.on("get", 1, fault{after: func() {
				// Meanwhile the broker gives the tenant another account, and this process sees it.
				w.create(account("c", heldBy("ga-1")))
				if _, _, err := p.Find(t.Context(), "ga-1", "c", "x"); err != nil {
					t.Error(err)
				}
				if test.deliverAt == "get" {
					w.deliver()
				}
			}})
			claim := w.claim(t, p, request("ga-1", "first"))
			w.deliver()
			equal(t, "accounts that bear the claim", w.bearers(identity("ga-1", "first").Key()), []string{claim.Account.Name})
			equal(t, "adopted", claim.Adopted, false) // it is this very claim, not one that an earlier run left behind
		})
	}
	t.Run("and then the next write is refused", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, account("a"), account("b"))
		w.on("write", 1, fault{lost: lostOnTheWay})
		w.on("write", 2, fault{answer: &UnreachableError{Verb: "patch", Err: errCut}})
		_, err := w.pool().Claim(t.Context(), request("ga-1", "first"))
		wantError[*UnknownOutcomeError](t, err) // what may yet come must not be reported as nothing
		w.deliver()
		claim := w.claim(t, w.pool(), request("ga-1", "first"))
		equal(t, "adopted", claim.Adopted, true)
		equal(t, "writes", len(w.wrote()), 1)
	})
}

func TestCallerGivesUpInMidWrite(t *testing.T) {
	t.Parallel()
	t.Run("the write stands: the claim is reported (F19)", func(t *testing.T) {
		t.Parallel()
		for _, lost := range []loss{delivered, lostAfter} {
			w := newWorld(t, account("a"))
			ctx, cancel := context.WithCancel(t.Context())
			w.on("write", 1, fault{lost: lost, after: cancel})
			claim, err := w.pool().Claim(ctx, request("ga-1", "first"))
			if err != nil {
				t.Fatal(err)
			}
			w.wantWrites(t, "a tenant=ga-1 +first")
			equal(t, "account", claim.Account, w.at("a"))
		}
	})
	t.Run("the write does not stand: nothing else is tried", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, account("a"), account("b"))
		ctx, cancel := context.WithCancel(t.Context())
		w.on("write", 1, fault{lost: lostBefore, after: cancel})
		_, err := w.pool().Claim(ctx, request("ga-1", "first"))
		wantError[*UnknownOutcomeError](t, err)
		equal(t, "write calls", w.called("write"), 1)
		w.wantWrites(t)
	})
	t.Run("after a conflict: nothing is written", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, account("a"), account("b"))
		ctx, cancel := context.WithCancel(t.Context())
		w.on("write", 1, fault{before: func() { w.edit("a", heldBy("ga-2")); w.edit("b", heldBy("ga-3")) }, after: cancel})
		if _, err := w.pool().Claim(ctx, request("ga-1", "first")); !errors.Is(err, context.Canceled) {
			t.Errorf("got error %v, want the cancellation", err)
		}
		w.wantWrites(t)
	})
}

func TestUnknownAndUnreadableOutcome(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		loss    loss
		adopted bool
	}{
		"the write stands":         {lostAfter, true},
		"the write does not stand": {lostBefore, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, account("a"), account("b"), account("c"))
			w.on("write", 1, fault{lost: test.loss})
			w.on("get", 1, fault{answer: &UnreachableError{Verb: "get", Tries: 3, Err: errCut}})
			_, err := w.pool().Claim(t.Context(), request("ga-1", "first"))
			wantError[*UnknownOutcomeError](t, err)
			wantError[*UnreachableError](t, err)
			claim := w.claim(t, w.pool(), request("ga-1", "first"))
			equal(t, "adopted", claim.Adopted, test.adopted)
			equal(t, "writes", w.wrote(), []string{claim.Account.Name + " tenant=ga-1 +first"})
		})
	}
}

// The look at the account has time of its own: ten seconds for a caller that is interrupted, for one that runs out of time
// what was kept back.
func TestLookAfterALostAnswerOutlivesTheCaller(t *testing.T) {
	t.Parallel()
	slowly := func(d time.Duration) fault { return fault{after: func() { time.Sleep(d) }} }
	for name, test := range map[string]struct {
		deadline, cancel time.Duration // 0 = none
		look             fault
		took             time.Duration
		fails            bool
	}{
		"interrupted, a slow server":                {0, time.Second, slowly(9 * time.Second), 10 * time.Second, false},
		"interrupted, a server that never answers":  {0, time.Second, fault{hang: true}, 11 * time.Second, true},
		"interrupted long before the deadline":      {20 * time.Minute, time.Second, fault{hang: true}, 11 * time.Second, true},
		"interrupted when little time was left":     {8 * time.Second, time.Second, slowly(9 * time.Second), 10 * time.Second, false},
		"out of time, a slow server":                {40 * time.Second, 0, slowly(9 * time.Second), 39 * time.Second, false},
		"out of time, a server that never answers":  {40 * time.Second, 0, fault{hang: true}, 40 * time.Second, true},
		"out of little time, a slow server":         {8 * time.Second, 0, slowly(time.Second), 7 * time.Second, false},
		"out of little time, one that never speaks": {8 * time.Second, 0, fault{hang: true}, 8 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, account("a"))
				ctx, cancel := impatient(t, test.deadline, test.cancel)
				defer cancel()
				w.on("write", 1, fault{lost: lostAfter, hang: true})
				w.on("get", 1, test.look)
				start := time.Now()
				claim, err := w.pool().Claim(ctx, request("ga-1", "first"))
				equal(t, "took", time.Since(start), test.took)
				if !test.fails {
					equal(t, "error", err, nil)
					equal(t, "account", claim.Account, w.at("a"))
					return
				}
				wantError[*UnknownOutcomeError](t, err)
			})
		})
	}
}

// A caller who still waits is not cut short: the look takes as long as the server needs.
func TestLookAfterALostAnswerMayTakeTheCallersTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a"))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
		defer cancel()
		w.on("write", 1, fault{lost: lostAfter})
		w.on("get", 1, fault{after: func() { time.Sleep(time.Minute) }})
		claim, err := w.pool().Claim(ctx, request("ga-1", "first"))
		equal(t, "error", err, nil)
		equal(t, "account", claim.Account, w.at("a"))
		w.wantWrites(t, "a tenant=ga-1 +first")
	})
}

// F1: a process dies at each write of a claim; the next one ends with the same claim and no second write.
func TestProcessDiesAfterTheWrite(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		accounts []Account
		request  ClaimRequest
	}{
		"a claim": {[]Account{account("a"), account("b"), account("c")}, request("ga-1", "first")},
		"a reuse": {[]Account{account("a", heldBy("ga-1")), account("b")}, request("ga-1", "first")},
		"an adoption with another cluster name": {
			[]Account{account("a", heldBy("ga-1"), bearing("ga-1", "first", newly)), account("b")}, request("ga-1", "first", reserving("blue")),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, test.accounts...)
			w.on("write", 1, fault{lost: crash})
			dying(t, func() { _, _ = w.pool().Claim(context.Background(), test.request) })
			written := w.wrote()
			claim := w.claim(t, w.pool(), test.request)
			equal(t, "adopted", claim.Adopted, true)
			equal(t, "writes before the crash", len(written), 1)
			w.wantWrites(t, written...)
			equal(t, "account", claim.Account, w.at(claim.Account.Name))
			equal(t, "cluster name", claim.Record.ClusterName, test.request.ClusterName)
		})
	}
}

func TestClaimGivesUpWhenEveryWriteIsLostToARival(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a"))
	w.storm = func(call string) fault {
		if call != "write" {
			return fault{}
		}
		return fault{before: func() { w.edit("a", func(*Account) {}) }}
	}
	_, err := w.pool().Claim(t.Context(), request("ga-1", "first"))
	conflict := as[*ConflictError](t, err)
	equal(t, "account and tries", []any{conflict.Account, conflict.Tries}, []any{"a", maxTries})
	w.wantWrites(t)
}

// A read that fails after a conflict is an error; the claim was not made and does not go on blindly.
func TestReadFailsAfterAConflict(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a"), account("b"))
	first := w.firstChoice(t, "ga-1")
	w.on("write", 1, fault{before: func() { w.edit(first, heldBy("ga-2")) }})
	w.on("get", 1, fault{answer: &ForbiddenError{Verb: "get", Err: errCut}})
	_, err := w.pool().Claim(t.Context(), request("ga-1", "first"))
	wantError[*ForbiddenError](t, err)
	equal(t, "write calls", w.called("write"), 1)
	w.wantWrites(t)
}
