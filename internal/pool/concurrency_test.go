package pool

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// holders returns the tenants of all accounts, sorted, without the unclaimed.
func (s *memStore) holders() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var tenants []string
	for _, a := range s.accounts {
		if a.Tenant != "" {
			tenants = append(tenants, a.Tenant)
		}
	}
	slices.Sort(tenants)
	return tenants
}

// F3 and F4: sixty-four tenants want thirty-two accounts. As many get one as there are, each its own; the others are
// told that there is none left.
func TestManyTenantsFewAccounts(t *testing.T) {
	t.Parallel()
	const tenants, accounts = 64, 32
	for name, pools := range map[string]int{"one process": 1, "eight processes": 8, "a process each": tenants} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, freeAccounts(accounts)...)
			shared := make([]*Pool, pools)
			for i := range shared {
				shared[i] = w.pool()
			}
			claims := make([]Claim, tenants)
			errs := together(tenants, func(i int) (err error) {
				claims[i], err = shared[i%pools].Claim(t.Context(), request(fmt.Sprintf("ga-%02d", i), "first"))
				return err
			})
			var winners []string
			got := map[string]bool{}
			for i, err := range errs {
				if err != nil {
					equal(t, "free accounts in the refusal", as[*ExhaustedError](t, err).Tally, Tally{ClassTaken: accounts})
					continue
				}
				winners = append(winners, claims[i].Identity.GlobalAccount)
				got[claims[i].Account.Name] = true
				equal(t, "account", claims[i].Account, w.at(claims[i].Account.Name))
			}
			equal(t, "claims that stand", len(winners), accounts)
			equal(t, "different accounts", len(got), accounts)
			equal(t, "tenants on the server", w.holders(), slices.Sorted(slices.Values(winners)))
			equal(t, "writes", len(w.wrote()), accounts)
		})
	}
}

// F4: with room for all, all succeed, and they hardly get in each other's way.
func TestManyTenantsManyAccounts(t *testing.T) {
	t.Parallel()
	const n = 64
	w := newWorld(t, freeAccounts(n)...)
	for i, err := range together(n, func(i int) error {
		_, err := w.pool().Claim(t.Context(), request(fmt.Sprintf("ga-%02d", i), "first"))
		return err
	}) {
		equal(t, fmt.Sprintf("claim %d", i), err, nil)
	}
	equal(t, "tenants on the server", len(slices.Compact(w.holders())), n)
	if calls := w.called("write"); calls > 6*n {
		t.Errorf("%d writes for %d claims", calls, n)
	}
}

// A Global Account that may have one account per pool gets one, however many of its claims come at once.
func TestClaimsOfOneTenantShareItsAccount(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n = 16
		w := newWorld(t, freeAccounts(n)...)
		w.storm = func(string) fault { return fault{before: func() { time.Sleep(time.Second) }} } // so that they all meet
		p := w.pool()
		claims := make([]Claim, n)
		for i, err := range together(n, func(i int) (err error) {
			claims[i], err = p.Claim(t.Context(), request("ga-1", fmt.Sprintf("claim-%d", i)))
			return err
		}) {
			equal(t, fmt.Sprintf("claim %d", i), err, nil)
		}
		equal(t, "accounts", w.holders(), []string{"ga-1"})
		newlyClaimed := 0
		for _, c := range claims {
			equal(t, "account", c.Account.Name, claims[0].Account.Name)
			if c.Record.NewlyClaimed {
				newlyClaimed++
			}
		}
		equal(t, "newly claimed", newlyClaimed, 1)
		on := w.at(claims[0].Account.Name)
		equal(t, "claims on it", len(on.Claims()), n)
	})
}

// F29: claims reserve their places in the same write, so accounts do not run over their limit, whichever process claims.
func TestReservationsKeepTheLimit(t *testing.T) {
	t.Parallel()
	for name, each := range map[string]bool{"one process": false, "a process each": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const n, limit = 24, 10
			w := newWorld(t, append(freeAccounts(8), account("a", heldBy("ga-1")))...)
			w.counter.fill("a", limit-1)
			w.policy = several(limit)
			p := w.pool()
			for i, err := range together(n, func(i int) error {
				own := p
				if each {
					own = w.pool()
				}
				_, err := own.Claim(t.Context(), request("ga-1", fmt.Sprintf("claim-%d", i), reserving(fmt.Sprintf("cluster-%d", i))))
				return err
			}) {
				equal(t, fmt.Sprintf("claim %d", i), err, nil)
			}
			equal(t, "claims on the account with one place left", len(ptr(w.at("a")).Claims()), 1)
			total := 0
			for _, c := range w.log {
				if now := w.at(c.account); c.ours && len(now.Claims()) > limit {
					t.Errorf("%s has %d claims, the limit is %d", c.account, len(now.Claims()), limit)
				}
			}
			for _, a := range append(freeAccounts(8), account("a")) {
				total += len(ptr(w.at(a.Name)).Claims())
			}
			equal(t, "claims that stand", total, n)
		})
	}
	t.Run("limit 1: an account each", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, freeAccounts(3)...)
		w.policy = several(1)
		p := w.pool()
		claims := make([]Claim, 2)
		errs := together(2, func(i int) (err error) {
			claims[i], err = p.Claim(t.Context(), request("ga-1", fmt.Sprintf("claim-%d", i), reserving(fmt.Sprintf("cluster-%d", i))))
			return err
		})
		equal(t, "errors", errs, []error{nil, nil})
		equal(t, "accounts", w.holders(), []string{"ga-1", "ga-1"})
		equal(t, "the same", claims[0].Account.Name == claims[1].Account.Name, false)
	})
}

func ptr(a Account) *Account { return &a }

// Shared accounts and those that are kept for others are not touched, however great the need.
func TestNeedDoesNotTouchForeignAccounts(t *testing.T) {
	t.Parallel()
	foreign := []Account{
		account("f1", heldBy("ga-99")), account("f2", internal), account("f3", shared), account("f4", dirty(Dirtied)), account("f5", terminating),
		account("f6", func(a *Account) { a.EUAccess = true }), account("f7", func(a *Account) { a.HyperscalerType = "gcp" }),
		account("f8", dirty(Releasing)), account("f9", shared, heldBy("ga-01")), account("f0", heldBy("ga-99"), bearing("ga-01", "first")),
	}
	w := newWorld(t, append(freeAccounts(4), foreign...)...)
	before := map[string]Account{}
	for _, a := range foreign {
		before[a.Name] = w.at(a.Name)
	}
	p := w.pool()
	var refused atomic.Int32
	together(16, func(i int) error {
		_, err := p.Claim(t.Context(), request(fmt.Sprintf("ga-%02d", i), "first"))
		var exhausted *ExhaustedError
		if errors.As(err, &exhausted) {
			refused.Add(1)
		}
		return err
	})
	equal(t, "refused", refused.Load(), int32(12))
	for name, was := range before {
		equal(t, name, w.at(name), was)
	}
}
