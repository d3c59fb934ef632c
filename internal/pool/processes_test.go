package pool

import (
	"context"
	"fmt"
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

func (p *process) Users(ctx context.Context, bindings ...string) ([]User, error) {
	return p.counter.Users(ctx, bindings...)
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
					slow.answer = &UnauthorizedError{Verb: "patch", Err: errCut}
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
