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
		for _, name := range []string{"", "account-1"} {
			if got := b.CredentialsOf(t.Context(), target, account.Account{Name: name}); got.ProviderType != want || !got.Ref.IsSecret() {
				t.Errorf("%q with account %q: %+v, want %q", hyperscalerType, name, got, want)
			}
		}
	}
}

// An account from a list shows its credentials. It is not read again: this Garden has no connection.
func TestCredentialsOf_listed(t *testing.T) {
	t.Parallel()
	b := ToGarden(settings.Settings{Kind: garden.CredentialsBinding, CleanUpTypes: settings.DefaultCleanUpTypes(), Unknown: []string{"kubernetes"}})
	target, ref := account.Target{HyperscalerType: "aws"}, account.CredentialsRef{Kind: "WorkloadIdentity"}
	for listed, want := range map[string]string{"gcp": "gcp", "": "aws"} {
		got := b.CredentialsOf(t.Context(), target, account.Account{Name: "account-1", Credentials: &account.Credentials{ProviderType: listed, Ref: ref}})
		if got.ProviderType != want || got.Ref != ref {
			t.Errorf("listed with provider type %q: %+v, want %q and %v", listed, got, want, ref)
		}
	}
}
