package pool

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

func TestIdentityOfAClaim(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	equal(t, "identity", w.pool().Identity("ga-1", account.Target{HyperscalerType: "gcp_cf-eu30", EUAccess: true}, "default"), account.Identity{
		Namespace: namespace, GlobalAccount: "ga-1", Pool: "gcp_cf-eu30,euAccess", Name: "default",
	})
	equal(t, "namespace", w.pool().Namespace(), namespace)
}

func TestNothingIsClaimedAgainstTheGuard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a", heldBy("ga-1")), anAccount("b", heldBy("ga-1")), anAccount("c"))
	w.policy = several(10)
	w.policy.MinBindingsForGuard = 2
	_, err := w.pool().Claim(t.Context(), request("ga-1", "first"))
	wantError[*account.GuardError](t, err)
	w.wantWrites(t)
}
