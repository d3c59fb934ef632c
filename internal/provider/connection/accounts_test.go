package connection

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// An account of another Global Account is foreign in each state that the pool names before its holder; one's own, and one that no Global
// Account holds, is not.
func TestIsForeign(t *testing.T) {
	t.Parallel()
	for _, reason := range []account.HostReason{account.HostForeign, account.HostDirty, account.HostQuarantined, account.HostReleasing} {
		if !isForeign(&account.HostError{Reason: reason, Tenant: "ga-2"}, "ga-1") {
			t.Errorf("%s, held by ga-2: a request for ga-1 would share a Cluster there", reason)
		}
	}
	for _, tenant := range []string{"ga-1", ""} {
		if isForeign(&account.HostError{Reason: account.HostDirty, Tenant: tenant}, "ga-1") {
			t.Errorf("dirty, held by %q: it is no other Global Account's", tenant)
		}
	}
}
