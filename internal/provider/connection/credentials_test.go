package connection

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
)

// A name says the provider type only where Gardener knows the type under the same name; nothing is guessed. Without a
// connection the name is all there is.
func TestCredentialsOf_byName(t *testing.T) {
	t.Parallel()
	b := ToGarden(settings.Settings{Kind: garden.CredentialsBinding, CleanUpTypes: settings.DefaultCleanUpTypes(), Unknown: []string{"kubernetes"}})
	for hyperscalerType, want := range map[string]string{
		"aws": "aws", "aws_cf-eu11": "aws", "gcp_cf-jp30_asia-northeast1": "gcp", "openstack_eu-de-1": "openstack", "gdch": "gdch",
		"stackit": "", "awsome": "", "": "",
	} {
		target := account.Target{HyperscalerType: hyperscalerType}
		for _, account := range []string{"", "account-1"} {
			for _, pinned := range []bool{false, true} {
				if got := b.CredentialsOf(t.Context(), target, account, pinned); got.ProviderType != want || !got.Ref.IsSecret() {
					t.Errorf("%q with account %q: %+v, want %q", hyperscalerType, account, got, want)
				}
			}
		}
	}
}
