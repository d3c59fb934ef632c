package pool

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

func TestRefusedPin(t *testing.T) {
	t.Parallel()
	full := anAccount("a", heldBy("ga-1"), bearing("ga-1", "x", forCluster("blue")))
	tests := []struct {
		name string
		a    account.Account
		why  string
	}{
		{"full", full, "it is full: 3 of 3 places are taken"},
		{"of another type", anAccount("a", func(a *account.Account) { a.HyperscalerType = "gcp" }), "it belongs to pool gcp, the rules lead to pool aws"},
		{"shared", anAccount("a", shared), "it belongs to pool aws,shared, the rules lead to pool aws"},
		{"for EU access", anAccount("a", func(a *account.Account) { a.EUAccess = true }), "it belongs to pool aws,euAccess, the rules lead to pool aws"},
		{"dirty", anAccount("a", heldBy("ga-1"), dirty(account.Dirtied)), "it is dirty and waits for the clean-up job"},
		{"being released", anAccount("a", heldBy("ga-1"), dirty(account.Releasing)), "it is being released"},
		{"deleting", anAccount("a", heldBy("ga-1"), terminating), "it is being deleted"},
		{"internal", anAccount("a", internal), "it is kept for internal use"},
	}
	for _, test := range tests {
		parallel(t, test.name, func(t *testing.T) {
			w := newWorld(t, test.a, anAccount("b"), anAccount("c", heldBy("ga-1")))
			w.counter.fill("a", 2)
			w.policy = several(3)
			_, err := w.pool().Claim(t.Context(), request("ga-1", "first", pinnedTo("a")))
			pin := as[*account.PinError](t, err)
			equal(t, "account and reason", []string{pin.Account, pin.Why}, []string{"a", test.why})
			if !strings.Contains(err.Error(), "account a") || !strings.Contains(err.Error(), test.why) {
				t.Errorf("the error does not say so: %v", err)
			}
			w.wantWrites(t)
		})
	}
	parallel(t, "another tenant's", func(t *testing.T) {
		w := newWorld(t, anAccount("a", heldBy("ga-2")), anAccount("b"))
		_, err := w.pool().Claim(t.Context(), request("ga-1", "first", pinnedTo("a")))
		equal(t, "error", *as[*account.TakenError](t, err), account.TakenError{Account: "a", Tenant: "ga-2", Wanted: "ga-1", Pinned: true})
		w.wantWrites(t)
	})
	parallel(t, "beside the account that the Global Account has", func(t *testing.T) {
		w := newWorld(t, anAccount("a"), anAccount("b", heldBy("ga-1")))
		c := w.claim(t, w.pool(), request("ga-1", "first", pinnedTo("a")))
		equal(t, "warnings", c.Warnings, []string{"Global Account ga-1 is not allowed several accounts of pool aws, and a is not its only one: " +
			"it has b already. The broker may go on with another account than a. Leave out binding_name, or allow several accounts."})
		w.wantWrites(t, "a tenant=ga-1 +first")
	})
	parallel(t, "beside the account that the Global Account has by another binding", func(t *testing.T) {
		w := newWorld(t, anAccount("a"), anAccount("b"), sibling("b", "secret-b", heldBy("ga-1")))
		equal(t, "warnings", len(w.claim(t, w.pool(), request("ga-1", "first", pinnedTo("a"))).Warnings), 1)
	})
	parallel(t, "no such account", func(t *testing.T) {
		w := newWorld(t, anAccount("b"))
		_, err := w.pool().Claim(t.Context(), request("ga-1", "first", pinnedTo("a")))
		equal(t, "account", as[*account.NotFoundError](t, err).Account, "a")
		w.wantWrites(t)
	})
	parallel(t, "an account that was made after the list", func(t *testing.T) {
		w := newWorld(t, anAccount("b"))
		p := w.pool()
		if _, err := p.Preview(t.Context(), aws, "ga-1"); err != nil {
			t.Fatal(err)
		}
		w.create(anAccount("a"))
		w.claim(t, p, request("ga-1", "first", pinnedTo("a")))
		w.wantWrites(t, "a tenant=ga-1 +first")
	})
}
