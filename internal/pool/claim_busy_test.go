package pool

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// An account that another claim of this process is about to take is waited for: that claim may not get it, and a claim that
// went on to the next account could miss a claim of the same tenant in another process.

// rivals is a world of free accounts in which two claims of one process, each for a tenant of its own, want the same
// account first.
func rivals(t *testing.T, free int) (w *world, account, slow, waiting string) {
	t.Helper()
	w = newWorld(t, freeAccounts(free)...)
	account, waiting = w.order(t, "ga-1")[0], "ga-1"
	for i := 2; slow == ""; i++ {
		if ga := fmt.Sprintf("ga-%d", i); w.order(t, ga)[0] == account {
			slow = ga
		}
	}
	return w, account, slow, waiting
}

// A claim that waits for an account gets it when the other claim fails, and its next choice, without a lost write, when the other gets it.
// It waits as long as its caller does.
func TestClaimWaitsForItsFirstChoice(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		slow             fault
		gets             bool // the other claim gets the account
		deadline, cancel time.Duration
		took             time.Duration
		cause            error // of the end of the one that waits
		writes           int32
	}{
		"the other one gets it":            {fault{}, true, 0, 0, time.Minute, nil, 2},
		"and its answer is lost":           {fault{lost: lostAfter}, true, 0, 0, time.Minute, nil, 2},
		"the other one is lost before":     {fault{lost: lostBefore}, true, 0, 0, time.Minute, nil, 3}, // and sent again
		"the token of the other has ended": {fault{answer: &account.UnauthorizedError{Verb: "patch", Err: errCut}}, false, 0, 0, time.Minute, nil, 2},
		"Ctrl-C":                           {fault{}, true, 0, 5 * time.Second, 6 * time.Second, context.Canceled, 1},
		"Ctrl-C, and the list is fresh":    {fault{}, true, 0, time.Second / 2, 1500 * time.Millisecond, context.Canceled, 1},
		"a deadline":                       {fault{}, true, 10 * time.Second, 0, 8500 * time.Millisecond, context.DeadlineExceeded, 1}, // a quarter is kept back
	} {
		virtual(t, name, func(t *testing.T) {
			w, account, slow, waiting := rivals(t, 6)
			next := w.order(t, waiting)[1]
			p, calls := w.process()
			f, start := test.slow, time.Now()
			f.before = func() { time.Sleep(time.Minute) }
			w.on("write", 1, f)
			var got protocol.Claim
			errs := together(2, func(i int) (err error) {
				if i == 0 {
					_, err = p.Claim(t.Context(), request(slow, "first"))
					return err
				}
				time.Sleep(time.Second)
				ctx, cancel := impatient(t, test.deadline, test.cancel)
				defer cancel()
				got, err = p.Claim(ctx, request(waiting, "first"))
				equal(t, "took", time.Since(start), test.took)
				return err
			})
			equal(t, "the other went well", errs[0] == nil, test.gets)
			equal(t, "write calls", calls.writes.Load(), test.writes)
			if test.cause != nil {
				equal(t, "cause of "+fmt.Sprint(errs[1]), errors.Is(errs[1], test.cause), true)
				w.wantWrites(t, account+" tenant="+slow+" +first")
				return
			}
			equal(t, "account and error", []any{got.Account.Name, errs[1]}, []any{map[bool]string{true: next, false: account}[test.gets], nil})
			equal(t, "lists", calls.lists.Load(), int32(2)) // the first one is a minute old by then
		})
	}
}

// An account that a claim is about to take for reuse is its tenant's own: no claim of another tenant waits for it.
func TestNoClaimWaitsForAnAccountThatIsReused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, anAccount("a", heldBy("ga-2")), anAccount("b"))
		p := w.pool()
		w.on("write", 1, fault{before: func() { time.Sleep(time.Minute) }})
		start := time.Now()
		errs := together(2, func(i int) error {
			time.Sleep(time.Duration(i) * time.Second)
			_, err := p.Claim(t.Context(), request([]string{"ga-2", "ga-1"}[i], "first"))
			equal(t, "took", time.Since(start), []time.Duration{time.Minute, time.Second}[i])
			return err
		})
		equal(t, "errors", errs, []error{nil, nil})
	})
}
