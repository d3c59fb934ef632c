package pool

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// What becomes of a claim whose answer is lost, whose caller gives up, or whose process dies.

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
		w.on("write", 1, fault{lost: lostAfter})
		w.on("get", 1, fault{after: func() { time.Sleep(time.Minute) }})
		claim, err := w.pool().Claim(within(t, 20*time.Minute), request("ga-1", "first"))
		equal(t, "account", []any{claim.Account, err}, []any{w.at("a"), nil})
	})
}

// F19: the caller gives up in mid-write. What stands is reported, and nothing else is tried.
func TestCallerGivesUpInMidWrite(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		loss   loss
		writes []string
		fails  bool
	}{
		"it is answered":     {delivered, []string{"a tenant=ga-1 +first"}, false},
		"its answer is lost": {lostAfter, []string{"a tenant=ga-1 +first"}, false},
		"it is lost":         {lostBefore, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, account("a"))
			ctx, cancel := context.WithCancel(t.Context())
			w.on("write", 1, fault{lost: test.loss, after: cancel})
			_, err := w.pool().Claim(ctx, request("ga-1", "first"))
			equal(t, "in doubt", []bool{err != nil, errors.As(err, new(*UnknownOutcomeError))}, []bool{test.fails, test.fails})
			equal(t, "write calls", w.called("write"), 1)
			w.wantWrites(t, test.writes...)
		})
	}
}
