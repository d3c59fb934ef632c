package backend

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// A name tells the provider type only where Gardener knows the type under the same name; nothing is guessed. Without a
// connection the name is all there is.
func TestCredentialsOf_byName(t *testing.T) {
	t.Parallel()
	b := New(Settings{Kind: garden.CredentialsBinding, CleanUpTypes: DefaultCleanUpTypes(), Unknown: []string{"kubernetes"}})
	for hyperscalerType, want := range map[string]string{
		"aws": "aws", "aws_cf-eu11": "aws", "gcp_cf-jp30_asia-northeast1": "gcp", "openstack_eu-de-1": "openstack", "gdch": "gdch",
		"stackit": "", "awsome": "", "": "",
	} {
		target := pool.Target{HyperscalerType: hyperscalerType}
		for _, account := range []string{"", "account-1"} {
			for _, pinned := range []bool{false, true} {
				if got := b.CredentialsOf(t.Context(), target, account, pinned); got.ProviderType != want || !got.Ref.IsSecret() {
					t.Errorf("%q with account %q: %+v, want %q", hyperscalerType, account, got, want)
				}
			}
		}
	}
}

// A clean-up job wipes accounts of some types, and none without a Secret. What is not known strands nothing.
func TestStrands(t *testing.T) {
	t.Parallel()
	usual, unknown := Settings{CleanUpTypes: DefaultCleanUpTypes()}, Settings{CleanUpUnknown: true}
	for name, test := range map[string]struct {
		settings           Settings
		providerType, kind string
		want               bool
	}{
		"a Secret":                         {usual, "aws", "Secret", false},
		"of an unknown kind":               {usual, "aws", "", false},
		"a type that is not wiped":         {usual, "openstack", "Secret", true},
		"an unknown type":                  {usual, "", "Secret", false},
		"no job":                           {Settings{}, "aws", "Secret", true},
		"an unknown setting":               {unknown, "openstack", "Secret", false},
		"a WorkloadIdentity":               {usual, "aws", "WorkloadIdentity", true},
		"an InternalSecret":                {usual, "aws", "InternalSecret", true},
		"a WorkloadIdentity, by any job":   {unknown, "", "WorkloadIdentity", true},
		"an InternalSecret of a wiped one": {Settings{CleanUpTypes: []string{"openstack"}}, "openstack", "InternalSecret", true},
	} {
		if got := test.settings.Strands(pool.Credentials{ProviderType: test.providerType, Ref: pool.CredentialsRef{Kind: test.kind}}); got != test.want {
			t.Errorf("%s: strands = %t, want %t", name, got, test.want)
		}
	}
}
