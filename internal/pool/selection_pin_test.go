package pool

import (
	"strings"
	"testing"
)

func TestPinnedSelection(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		a    Account
		want string
	}{
		{"held", account("a", heldBy("ga-1")), "reuse a"},
		{"free", account("a"), "claim a"},
		{"held, internal", account("a", heldBy("ga-1"), internal), "reuse a"},
		{"with room", account("a", heldBy("ga-1"), bearing("ga-1", "x", forCluster("blue"))), "reuse a"},
	}
	for _, test := range tests {
		parallel(t, test.name, func(t *testing.T) {
			accounts := []Account{account("0"), account("b", heldBy("ga-1")), test.a}
			clusters := map[string]int{"b": 2}
			if test.a.Tenant != "" {
				clusters["a"] = 1
			}
			d, err := Select(pointers(accounts), Places{Counts: clustersOn(clusters)}, queryOf(func(q *Query) { q.Pin = "a" }), several(3))
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "outcome", outcome(d), test.want)
			equal(t, "candidates", len(d.Candidates), 1)
			equal(t, "reason", d.Reason, "a is pinned: the claim names it.")
		})
	}
	parallel(t, "shared", func(t *testing.T) {
		accounts := []Account{account("a", shared), account("b", shared)}
		q := queryOf(func(q *Query) { q.Pin, q.Target.Shared = "a", true })
		d, err := Select(pointers(accounts), Places{Counts: clustersOn(map[string]int{"a": 7})}, q, Policy{})
		equal(t, "outcome", []any{outcome(d), err}, []any{"share a", nil})
	})
}

func TestRefusedPin(t *testing.T) {
	t.Parallel()
	full := account("a", heldBy("ga-1"), bearing("ga-1", "x", forCluster("blue")))
	tests := []struct {
		name string
		a    Account
		why  string
	}{
		{"full", full, "it is full: 3 of 3 places are taken"},
		{"of another type", account("a", func(a *Account) { a.HyperscalerType = "gcp" }), "it belongs to pool gcp, the rules lead to pool aws"},
		{"shared", account("a", shared), "it belongs to pool aws,shared, the rules lead to pool aws"},
		{"for EU access", account("a", func(a *Account) { a.EUAccess = true }), "it belongs to pool aws,euAccess, the rules lead to pool aws"},
		{"dirty", account("a", heldBy("ga-1"), dirty(Dirtied)), "it is dirty and waits for the clean-up job"},
		{"being released", account("a", heldBy("ga-1"), dirty(Releasing)), "it is being released"},
		{"deleting", account("a", heldBy("ga-1"), terminating), "it is being deleted"},
		{"internal", account("a", internal), "it is kept for internal use"},
	}
	for _, test := range tests {
		parallel(t, test.name, func(t *testing.T) {
			w := newWorld(t, test.a, account("b"), account("c", heldBy("ga-1")))
			w.counter.fill("a", 2)
			w.policy = several(3)
			_, err := w.pool().Claim(t.Context(), request("ga-1", "first", pinnedTo("a")))
			pin := as[*PinError](t, err)
			equal(t, "account and reason", []string{pin.Account, pin.Why}, []string{"a", test.why})
			if !strings.Contains(err.Error(), "account a") || !strings.Contains(err.Error(), test.why) {
				t.Errorf("the error does not tell: %v", err)
			}
			w.wantWrites(t)
		})
	}
	parallel(t, "another tenant's", func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-2")), account("b"))
		_, err := w.pool().Claim(t.Context(), request("ga-1", "first", pinnedTo("a")))
		equal(t, "error", *as[*TakenError](t, err), TakenError{Account: "a", Tenant: "ga-2", Wanted: "ga-1", Pinned: true})
		w.wantWrites(t)
	})
	parallel(t, "no such account", func(t *testing.T) {
		w := newWorld(t, account("b"))
		_, err := w.pool().Claim(t.Context(), request("ga-1", "first", pinnedTo("a")))
		equal(t, "account", as[*NotFoundError](t, err).Account, "a")
		w.wantWrites(t)
	})
	parallel(t, "an account that was made after the list", func(t *testing.T) {
		w := newWorld(t, account("b"))
		p := w.pool()
		if _, err := p.Preview(t.Context(), aws, "ga-1"); err != nil {
			t.Fatal(err)
		}
		w.create(account("a"))
		w.claim(t, p, request("ga-1", "first", pinnedTo("a")))
		w.wantWrites(t, "a tenant=ga-1 +first")
	})
}
