package pool

import (
	"fmt"
	"slices"
	"testing"
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
}

func ptr(a Account) *Account { return &a }
