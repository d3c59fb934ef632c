package settings

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

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
		if got := test.settings.Strands(account.Credentials{ProviderType: test.providerType, Ref: account.CredentialsRef{Kind: test.kind}}); got != test.want {
			t.Errorf("%s: strands = %t, want %t", name, got, test.want)
		}
	}
}
