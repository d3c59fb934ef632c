package claim

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
)

// The end of the lease follows from the lease and the time of the claim, as far as they are known.
func TestModel_expiresAt(t *testing.T) {
	t.Parallel()
	at, lease := types.StringValue("2026-03-01T12:00:00Z"), types.StringValue("36h")
	for name, test := range map[string]struct{ claimedAt, lease, want types.String }{
		"both known":                  {at, lease, types.StringValue("2026-03-03T00:00:00Z")},
		"no lease":                    {at, types.StringNull(), types.StringNull()},
		"no lease, not claimed yet":   {types.StringUnknown(), types.StringNull(), types.StringNull()},
		"not claimed yet":             {types.StringUnknown(), lease, types.StringUnknown()},
		"the lease is not known yet":  {at, types.StringUnknown(), types.StringUnknown()},
		"nothing is recorded":         {types.StringNull(), lease, types.StringNull()},
		"another client wrote a word": {at, types.StringValue("a month"), types.StringNull()},
	} {
		if got := (claimModel{ClaimedAt: test.claimedAt, Lease: test.lease}).expiresAt(); !got.Equal(test.want) {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}

// A mark that no clean-up job would follow up is warned of: once in a run for each provider type, and never where the type or
// the setting is not known.
func TestClaimWarnings_stranded(t *testing.T) {
	t.Parallel()
	usual := settings.Settings{CleanUpTypes: settings.DefaultCleanUpTypes()}
	for name, test := range map[string]struct {
		settings settings.Settings
		types    []string // one claim after the other; after a slash the kind of its credentials
		reported []string // the words of each warning
	}{
		"types that are cleaned":   {usual, []string{"aws", "azure", "gcp", "alicloud", "aws"}, nil},
		"types that are not":       {usual, []string{"openstack", "aws", "openstack", "gdch", "openstack"}, []string{"openstack", "gdch"}},
		"a type that is not known": {usual, []string{""}, nil},
		"credentials that are no Secret": {usual, []string{"aws/WorkloadIdentity", "aws/Secret", "gcp/InternalSecret", "gcp/WorkloadIdentity"},
			[]string{"credentials are of kind WorkloadIdentity", "credentials are of kind InternalSecret"}},
		"no clean-up job":                {settings.Settings{}, []string{"aws"}, []string{"no type at all"}},
		"the setting is not known yet":   {settings.Settings{CleanUpUnknown: true}, []string{"aws", "openstack"}, nil},
		"a job that cleans another type": {settings.Settings{CleanUpTypes: []string{"openstack"}}, []string{"openstack", "aws"}, []string{"aws"}},
	} {
		r := &claimResource{Call: &family.Call{Backend: backend.New(test.settings)}}
		var diags diag.Diagnostics
		for _, of := range test.types {
			providerType, kind, _ := strings.Cut(of, "/")
			r.warnStranded(&diags, account.Credentials{ProviderType: providerType, Ref: account.CredentialsRef{Kind: kind}}, "")
		}
		if len(diags) != len(test.reported) {
			t.Errorf("%s: %v", name, diags)
			continue
		}
		for i, words := range test.reported {
			if diags[i].Summary() != diagnose.SummaryStranded || !strings.Contains(diags[i].Detail(), words) ||
				!strings.Contains(diags[i].Detail(), "never used") {
				t.Errorf("%s: warning %d is %v", name, i+1, diags[i])
			}
		}
	}
}

// What a claim does not mark is not warned of.
func TestModel_marksDirty(t *testing.T) {
	t.Parallel()
	for onDestroy, want := range map[string]bool{string(account.MarkDirty): true, string(account.Keep): false, string(account.ReturnToPool): false} {
		m := claimModel{OnDestroy: types.StringValue(onDestroy)}
		if m.marksDirty(false) != want || m.marksDirty(true) {
			t.Errorf("%s: marks %t, and shared %t", onDestroy, m.marksDirty(false), m.marksDirty(true))
		}
	}
	if (claimModel{OnDestroy: types.StringUnknown()}).marksDirty(false) {
		t.Error("what is not known yet marks nothing")
	}
}
