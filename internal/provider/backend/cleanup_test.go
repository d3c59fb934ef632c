package backend

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// A name tells the provider type only where Gardener knows the type under the same name; nothing is guessed. Without a
// connection the name is all there is.
func TestProviderType_byName(t *testing.T) {
	t.Parallel()
	b := New(Settings{CleanUpTypes: DefaultCleanUpTypes(), Unknown: []string{"kubernetes"}})
	for hyperscalerType, want := range map[string]string{
		"aws": "aws", "aws_cf-eu11": "aws", "gcp_cf-jp30_asia-northeast1": "gcp", "openstack_eu-de-1": "openstack",
		"gdch": "", "stackit": "", "awsome": "", "": "",
	} {
		target := pool.Target{HyperscalerType: hyperscalerType}
		for _, account := range []string{"", "account-1"} {
			if got := b.ProviderType(t.Context(), target, account); got != want {
				t.Errorf("%q with account %q: %q, want %q", hyperscalerType, account, got, want)
			}
		}
	}
}
