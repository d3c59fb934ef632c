package pool

import (
	"fmt"
	"testing"
	"testing/synctest"
)

// Many processes of one tenant that may have several accounts: as many as it needs, and none over its limit.

// F29: with several accounts allowed, no account runs over its limit, and none is taken before the others are full.
func TestProcessesOfOneTenantFillAccountAfterAccount(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ processes, limit, free, accounts int }{
		{2, 1, 2, 2}, {2, 2, 2, 1}, {24, 5, 64, 5}, {24, 8, 3, 3}, {48, 16, 500, 3}, {9, 1, 9, 9},
	} {
		t.Run(fmt.Sprintf("%+v", test), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, freeAccounts(test.free)...)
				w.policy = several(test.limit)
				w.inStep()
				for i, err := range together(test.processes, func(i int) error {
					_, err := w.pool().Claim(t.Context(), request("ga-1", fmt.Sprintf("claim-%d", i), reserving(fmt.Sprintf("cluster-%d", i))))
					return err
				}) {
					equal(t, fmt.Sprintf("claim %d", i), err, nil)
				}
				held := w.held()
				equal(t, "accounts", len(held), test.accounts)
				total := 0
				for _, name := range held {
					n := len(ptr(w.at(name)).Claims())
					total += n
					if n > test.limit {
						t.Errorf("%s has %d claims, the limit is %d", name, n, test.limit)
					}
				}
				equal(t, "claims that stand", total, test.processes)
			})
		})
	}
}

// And more than there is room for: as many get a place as there are, the others are told that there is none.
func TestProcessesOfOneTenantWantMoreThanThereIs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const limit, free, n = 5, 3, 24
		w := newWorld(t, freeAccounts(free)...)
		w.policy = several(limit)
		w.inStep()
		stand := 0
		for _, err := range together(n, func(i int) error {
			_, err := w.pool().Claim(t.Context(), request("ga-1", fmt.Sprintf("claim-%d", i), reserving(fmt.Sprintf("cluster-%d", i))))
			return err
		}) {
			if err == nil {
				stand++
				continue
			}
			equal(t, "limit in the refusal", as[*ExhaustedError](t, err).Limit, limit)
		}
		equal(t, "claims that stand", stand, limit*free)
		for _, name := range w.held() {
			equal(t, "claims on "+name, len(ptr(w.at(name)).Claims()), limit)
		}
	})
}
