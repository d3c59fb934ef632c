package pool

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Many processes at once, each with a list of its own. What they know of each other is what the server tells them.

// process counts the calls that one process makes.
type process struct {
	*memStore
	counter             *memCounter
	lists, writes, asks atomic.Int32
	counts              atomic.Int32
}

func (p *process) List(ctx context.Context) ([]Account, error) {
	p.lists.Add(1)
	return p.memStore.List(ctx)
}

func (p *process) Write(ctx context.Context, judged Account, change Change) (Account, error) {
	p.writes.Add(1)
	return p.memStore.Write(ctx, judged, change)
}

func (p *process) Allowed(ctx context.Context) error {
	p.asks.Add(1)
	return p.memStore.Allowed(ctx)
}

func (p *process) Count(ctx context.Context) (Counts, error) {
	p.counts.Add(1)
	return p.counter.Count(ctx)
}

func (p *process) Users(ctx context.Context, account string) ([]User, error) {
	return p.counter.Users(ctx, account)
}

// process starts one, and returns its pool and what counts its calls.
func (w *world) process() (*Pool, *process) {
	p := &process{memStore: w.memStore, counter: w.counter}
	return New(namespace, p, p, w.policy), p
}

// inStep makes every call take a second, so that all processes do the same thing at the same moment. For synctest.
func (w *world) inStep() {
	w.storm = func(string) fault { return fault{before: func() { time.Sleep(time.Second) }} }
}

// held returns the names of the accounts that ga-1 holds, sorted.
func (s *memStore) held() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for name, a := range s.accounts {
		if a.Tenant == "ga-1" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// A Global Account that may have one account per pool gets one, also where each of its claims is made by a process
// that knows nothing of the others.
func TestProcessesOfOneTenantEndOnOneAccount(t *testing.T) {
	t.Parallel()
	for n, free := range map[int]int{2: 2, 8: 500, 64: 64} {
		t.Run(fmt.Sprintf("%d processes, %d accounts", n, free), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, freeAccounts(free)...)
				w.inStep()
				claims := make([]Claim, n)
				for i, err := range together(n, func(i int) (err error) {
					claims[i], err = w.pool().Claim(t.Context(), request("ga-1", fmt.Sprintf("claim-%d", i)))
					return err
				}) {
					equal(t, fmt.Sprintf("claim %d", i), err, nil)
				}
				equal(t, "tenants on the server", w.holders(), []string{"ga-1"})
				newlyClaimed := 0
				for _, c := range claims {
					equal(t, "account", c.Account.Name, claims[0].Account.Name)
					if c.Record.NewlyClaimed {
						newlyClaimed++
					}
				}
				equal(t, "newly claimed", newlyClaimed, 1)
				equal(t, "claims on it", len(ptr(w.at(claims[0].Account.Name)).Claims()), n)
				equal(t, "writes", len(w.wrote()), n)
			})
		})
	}
}

// With the feature off one Global Account gets one account from two processes, also where the account that both would
// take is just being taken for another tenant by one of them.
func TestTwoProcessesMeetBesideAnotherTenant(t *testing.T) {
	t.Parallel()
	for name, gets := range map[string]bool{"who gets it": true, "who does not get it": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, freeAccounts(4)...)
				other := w.tenantsThatTry(t, w.order(t, "ga-1")[0], 1)[0]
				one, two := w.pool(), w.pool()
				slow := fault{before: func() { time.Sleep(10 * time.Second) }}
				if !gets {
					slow.answer = &ForbiddenError{Verb: "patch", Err: errCut}
				}
				w.on("write", 1, slow)                                                             // of the other tenant
				w.on("list", w.called("list")+2, fault{after: func() { time.Sleep(time.Second) }}) // of the second process
				errs := together(3, func(i int) (err error) {
					switch i {
					case 0:
						_, err = one.Claim(t.Context(), request(other, "first"))
					case 1:
						time.Sleep(time.Second)
						_, err = one.Claim(t.Context(), request("ga-1", "first"))
					case 2:
						time.Sleep(time.Second / 2)
						_, err = two.Claim(t.Context(), request("ga-1", "second"))
					}
					return err
				})
				equal(t, "the other tenant's claim went well", errs[0] == nil, gets)
				equal(t, "tenants on the server", slices.Contains(w.holders(), other), gets)
				equal(t, "errors", errs[1:], []error{nil, nil})
				equal(t, "accounts of ga-1", len(w.held()), 1)
			})
		})
	}
}

// And where one of the two claims has left a void record on another free account.
func TestTwoProcessesMeetAlthoughOneWasThereBefore(t *testing.T) {
	t.Parallel()
	for place := range 4 {
		t.Run(fmt.Sprintf("on the account in place %d", place+1), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, freeAccounts(4)...)
				before := w.order(t, "ga-1")[place]
				w.edit(before, bearing("ga-1", "first"))
				w.inStep()
				errs := together(2, func(i int) error {
					_, err := w.pool().Claim(t.Context(), request("ga-1", []string{"first", "second"}[i]))
					return err
				})
				equal(t, "errors", errs, []error{nil, nil})
				equal(t, "accounts of ga-1", w.held(), []string{before})
			})
		})
	}
}

// The same while answers are lost, writes come late, accounts are edited, and processes die.
func TestProcessesOfOneTenantEndOnOneAccountInAStorm(t *testing.T) {
	t.Parallel()
	base := uint64(time.Now().UnixNano())
	for round := range uint64(100) {
		seed := base + round
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			const n = 12
			w := newWorld(t, freeAccounts(8)...)
			s := &storm{w: w, rng: rand.New(rand.NewPCG(seed, 0)), crash: true} //nolint:gosec // a test's dice
			w.storm = s.strikeWithoutRivals
			claim := func(i int) error {
				return surviving(func() error {
					_, err := w.pool().Claim(t.Context(), request("ga-1", fmt.Sprintf("claim-%d", i)))
					return err
				})
			}
			failed := 0
			for _, err := range together(n, claim) {
				var unknown *UnknownOutcomeError
				var unreachable *UnreachableError
				var forbidden *ForbiddenError
				if err == nil {
					continue
				}
				failed++
				if !errors.As(err, &unknown) && !errors.As(err, &unreachable) && !errors.As(err, &forbidden) && !errors.Is(err, errCrashed) {
					t.Errorf("got error %v", err)
				}
			}
			w.deliver()
			if held := w.held(); len(held) > 1 || len(held) == 0 && failed < n {
				t.Errorf("after %d failures of %d the Global Account holds %v", failed, n, held)
			}
			w.storm = nil
			for i, err := range together(n, claim) {
				equal(t, fmt.Sprintf("claim %d, made again", i), err, nil)
			}
			held := w.held()
			equal(t, "accounts", len(held), 1)
			equal(t, "claims on it", len(ptr(w.at(held[0])).Claims()), n)
		})
	}
}

// strikeWithoutRivals is strike where no other party claims or frees an account.
func (s *storm) strikeWithoutRivals(call string) fault {
	f := s.strike(call)
	edit := func() {
		if s.dice(2) == 0 {
			s.w.deliver()
			return
		}
		s.w.edit(fmt.Sprintf("aws-account-%03d", 1+s.dice(8)), func(*Account) {})
	}
	if f.before != nil {
		f.before = edit
	}
	if f.after != nil {
		f.after = edit
	}
	return f
}

// order returns the unclaimed accounts in the order in which a Global Account tries them.
func (w *world) order(t *testing.T, ga string) []string {
	t.Helper()
	accounts, err := w.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return orderOf(ga, accounts...)
}

// tenantsThatTry returns the first n Global Accounts, other than ga-1, that try an account before all others.
func (w *world) tenantsThatTry(t *testing.T, account string, n int) (tenants []string) {
	t.Helper()
	for i := 2; len(tenants) < n; i++ {
		if ga := fmt.Sprintf("ga-%d", i); w.order(t, ga)[0] == account {
			tenants = append(tenants, ga)
		}
	}
	return tenants
}
