package pool

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// An account that another claim of this process is about to take is waited for: that claim may not get it, and a claim that
// went on to the next account could miss a claim of the same tenant in another process.

// rivals is a world of free accounts in which two claims of one process, each for a tenant of its own, want the same
// account first.
func rivals(t *testing.T, free int) (w *world, account, slow, waiting string) {
	t.Helper()
	w = newWorld(t, freeAccounts(free)...)
	account, waiting = w.order(t, "ga-1")[0], "ga-1"
	return w, account, w.tenantsThatTry(t, account, 1)[0], waiting
}

// With other accounts free, a claim that waits gets the very account when the other claim fails, and its next choice,
// without a lost write, when the other gets it.
func TestClaimWaitsForItsFirstChoice(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		slow fault
		gets bool // the other claim gets the account
		took time.Duration
	}{
		"the other one gets it":               {fault{}, true, time.Minute},
		"and its answer is lost":              {fault{lost: lostAfter}, true, time.Minute},
		"the token of the other has ended":    {fault{answer: &UnauthorizedError{Verb: "patch", Err: errCut}}, false, time.Minute},
		"the other one gets no answer":        {fault{answer: &UnreachableError{Verb: "patch", Tries: 1, Err: errCut}}, false, time.Minute},
		"the other one is lost before":        {fault{lost: lostBefore}, true, time.Minute}, // and sent again
		"the other one is told something odd": {fault{answer: errCut}, false, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, account, slow, waiting := rivals(t, 6)
				next := w.order(t, waiting)[1]
				p, calls := w.process()
				f := test.slow
				f.before = func() { time.Sleep(time.Minute) }
				w.on("write", 1, f)
				start := time.Now()
				errs := together(2, func(i int) error {
					time.Sleep(time.Duration(i) * time.Second)
					_, err := p.Claim(t.Context(), request([]string{slow, waiting}[i], "first"))
					return err
				})
				equal(t, "took", time.Since(start), test.took)
				equal(t, "the other went well", errs[0] == nil, test.gets)
				equal(t, "error of the one that waited", errs[1], nil)
				want := map[bool]string{true: next, false: account}[test.gets]
				equal(t, "accounts of the one that waited", w.held(), []string{want})
				equal(t, "lists", calls.lists.Load(), int32(2)) // the first one is a minute old by then
				writes := map[loss]int32{delivered: 2, lostAfter: 2, lostBefore: 3}[test.slow.lost]
				equal(t, "write calls", calls.writes.Load(), writes)
			})
		})
	}
}

// An account that a claim is about to take for reuse is its tenant's own: no claim of another tenant waits for it.
func TestNoClaimWaitsForAnAccountThatIsReused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-2")), account("b"))
		p := w.pool()
		w.on("write", 1, fault{before: func() { time.Sleep(time.Minute) }})
		start := time.Now()
		errs := together(2, func(i int) error {
			time.Sleep(time.Duration(i) * time.Second)
			_, err := p.Claim(t.Context(), request([]string{"ga-2", "ga-1"}[i], "first"))
			if i == 1 {
				equal(t, "took", time.Since(start), time.Second)
			}
			return err
		})
		equal(t, "errors", errs, []error{nil, nil})
		w.wantWrites(t, "b tenant=ga-1 +first", "a +first")
	})
}

// A claim whose caller gives up while it waits has written nothing, and the other claim goes on.
func TestGivingUpWhileAnotherClaimIsAboutToTakeTheAccount(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		deadline, cancel time.Duration
		pinned           bool
		took             time.Duration
		cause            error
	}{
		"Ctrl-C":             {0, 5 * time.Second, false, 5 * time.Second, context.Canceled},
		"Ctrl-C, pinned":     {0, 5 * time.Second, true, 5 * time.Second, context.Canceled},
		"a deadline":         {10 * time.Second, 0, false, 7500 * time.Millisecond, context.DeadlineExceeded}, // a quarter is kept back
		"a deadline, pinned": {10 * time.Second, 0, true, 7500 * time.Millisecond, context.DeadlineExceeded},
		"Ctrl-C before that": {20 * time.Second, 5 * time.Second, false, 5 * time.Second, context.Canceled},
	} {
		for _, free := range []int{1, 6} {
			t.Run(fmt.Sprintf("%s, %d free", name, free), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w, account, slow, waiting := rivals(t, free)
					p := w.pool()
					w.on("write", 1, fault{before: func() { time.Sleep(time.Minute) }})
					errs := together(2, func(i int) error {
						if i == 0 {
							_, err := p.Claim(t.Context(), request(slow, "first"))
							return err
						}
						time.Sleep(time.Second)
						ctx, cancel := impatient(t, test.deadline, test.cancel)
						defer cancel()
						req := request(waiting, "first")
						if test.pinned {
							req.Pin = account
						}
						start := time.Now()
						_, err := p.Claim(ctx, req)
						equal(t, "took", time.Since(start), test.took)
						return err
					})
					equal(t, "the other", errs[0], nil)
					if !errors.Is(errs[1], test.cause) {
						t.Errorf("got error %v, want %v", errs[1], test.cause)
					}
					w.wantWrites(t, account+" tenant="+slow+" +first")
					equal(t, "write calls", w.called("write"), 1)
				})
			})
		}
	}
}

// A pinned claim waits as well: only when the other claim has the account it is refused.
func TestPinnedClaimWaitsForItsAccount(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ slowPinned, fails bool }{
		"the other one gets it":                {false, false},
		"the other one fails":                  {false, true},
		"the other one is pinned, and gets it": {true, false},
		"the other one is pinned, and fails":   {true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, account, slow, waiting := rivals(t, 3)
				p := w.pool()
				f := fault{before: func() { time.Sleep(time.Minute) }}
				if test.fails {
					f.answer = &UnauthorizedError{Verb: "patch", Err: errCut}
				}
				w.on("write", 1, f)
				start := time.Now()
				errs := together(2, func(i int) error {
					time.Sleep(time.Duration(i) * time.Second)
					req := request([]string{slow, waiting}[i], "first")
					if i == 1 || test.slowPinned {
						req.Pin = account
					}
					_, err := p.Claim(t.Context(), req)
					return err
				})
				equal(t, "took", time.Since(start), time.Minute)
				if test.fails {
					wantError[*UnauthorizedError](t, errs[0])
					equal(t, "the one that waited", errs[1], nil)
					w.wantWrites(t, account+" tenant="+waiting+" +first")
					return
				}
				equal(t, "the other", errs[0], nil)
				equal(t, "refusal", *as[*TakenError](t, errs[1]), TakenError{Account: account, Tenant: slow, Wanted: waiting, Pinned: true})
				w.wantWrites(t, account+" tenant="+slow+" +first")
			})
		})
	}
}

// The last free account is about to go to another claim of this run. A claim that wants it too waits to see whether that
// succeeds, however much else happens meanwhile.
func TestClaimWaitsForTheLastAccount(t *testing.T) {
	t.Parallel()
	for name, refused := range map[string]bool{"the other one gets it": false, "the other one fails": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, account("last"))
				gcp := Target{HyperscalerType: "gcp"}
				for i := range 2 * maxTries {
					w.create(account(fmt.Sprintf("g%03d", i), func(a *Account) { a.HyperscalerType = "gcp" }))
				}
				p := w.pool()
				slow := fault{before: func() { time.Sleep(time.Minute) }}
				if refused {
					slow.answer = &ForbiddenError{Verb: "patch", Err: errCut}
				}
				w.on("write", 1, slow)
				errs := together(2+2*maxTries, func(i int) error {
					switch i {
					case 0:
						_, err := p.Claim(t.Context(), request("ga-slow", "first"))
						return err
					case 1:
						time.Sleep(time.Second)
						_, err := p.Claim(t.Context(), request("ga-waits", "first"))
						return err
					}
					time.Sleep(2*time.Second + time.Duration(i)*time.Millisecond) // one at a time: each wakes those who wait
					req := request(fmt.Sprintf("ga-%d", i), "first")
					req.Target = gcp
					_, err := p.Claim(t.Context(), req)
					return err
				})
				for _, err := range errs[2:] {
					equal(t, "claim of another pool", err, nil)
				}
				if refused {
					wantError[*ForbiddenError](t, errs[0])
					equal(t, "the one that waited", errs[1], nil)
					equal(t, "tenant", w.at("last").Tenant, "ga-waits")
					return
				}
				equal(t, "the slow one", errs[0], nil)
				equal(t, "tally", as[*ExhaustedError](t, errs[1]).Tally, Tally{ClassTaken: 1})
			})
		})
	}
}

// Sixty-four claims of one process that all want the same few accounts, some pinned, some impatient, some refused by
// the server: each comes to its end (synctest fails where all wait for each other), and no account is left unused that
// a claim went without.
func TestManyClaimsWaitForEachOtherAndAllEnd(t *testing.T) {
	t.Parallel()
	const n = 64
	for _, free := range []int{1, 8, n} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%d free, seed %d", free, seed), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, freeAccounts(free)...)
					names := w.order(t, "ga-1")
					dice := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a test's dice
					for write := range n {
						f := fault{before: func() { time.Sleep(time.Second) }}
						switch dice.IntN(6) {
						case 0:
							f.answer = &ForbiddenError{Verb: "patch", Err: errCut}
						case 1:
							f.lost = []loss{lostBefore, lostAfter}[dice.IntN(2)]
						}
						w.on("write", write+1, f)
					}
					requests, patience := make([]ClaimRequest, n), make([]time.Duration, n)
					for i := range requests {
						requests[i] = request(fmt.Sprintf("ga-%d", i), "first")
						if dice.IntN(4) == 0 {
							requests[i].Pin = names[dice.IntN(free)]
						}
						if dice.IntN(8) == 0 {
							patience[i] = time.Duration(1+dice.IntN(3000)) * time.Millisecond
						}
					}
					p, calls := w.process()
					start := time.Now()
					var went []string
					for i, err := range together(n, func(i int) error {
						ctx, cancel := impatient(t, 0, patience[i])
						defer cancel()
						_, err := p.Claim(ctx, requests[i])
						return err
					}) {
						if err == nil {
							went = append(went, requests[i].GlobalAccount)
							continue
						}
						wantEndOfCrowd(t, w, err)
					}
					equal(t, "tenants on the server", w.holders(), slices.Sorted(slices.Values(went)))
					// One for those that begin, one for those that find nothing free, and one each time that the list has grown old.
					if lists, most := calls.lists.Load(), 2+int32(time.Since(start)/maxFreeAge); lists > most {
						t.Errorf("%d lists in %s, want at most %d", lists, time.Since(start), most)
					}
				})
			})
		}
	}
}

// wantEndOfCrowd checks why one of many claims went without an account.
func wantEndOfCrowd(t *testing.T, _ *world, err error) {
	t.Helper()
	var exhausted *ExhaustedError
	switch {
	case errors.As(err, &exhausted):
		equal(t, "free accounts in a refusal", exhausted.Tally[ClassFree], 0)
	case isA[*TakenError](err), isA[*ForbiddenError](err), errors.Is(err, context.Canceled):
	default:
		t.Errorf("got error %v", err)
	}
}
