package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// keptObject is an object of the platform cluster that a careless configuration would make and destroy in one run.
type keptObject struct {
	provider string
	config   string // of the resource one
	address  string
	uid      func() string
}

func keptObjects(t *testing.T) map[string]keptObject {
	t.Helper()
	requests, accesses := newPlatformLandscape(t), newAccessLandscape(t)
	profiles := newProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	own := newOwnLandscape(t)
	claim := claimOf("of", "ga-1")
	profile := profiles.configOf(templateWith(), "credentials_binding_name = hap_credentials_binding_claim.of.binding_name",
		"global_account = hap_credentials_binding_claim.of.global_account")
	return map[string]keptObject{
		"a request": {requests.provider(), requestOf("one", "mcp"), requestOne,
			func() string { return requests.uid(t, "ClusterRequest", "one") }},
		"a Cluster": {own.provider(), clusterOf(), clusterOne, func() string { return own.uid(t, "Cluster", "one") }},
		"an access": {accesses.provider(), accesses.accessOf("one"), accessOne, func() string { return accesses.uid(t) }},
		"a profile": {profiles.on(profiles.user) + rulesAWS + claim, profile, "hap_gardener_provider_config.one",
			func() string { return profiles.at("metadata", "uid") }},
	}
}

// A replacement that makes its object before it destroys the one of the same name finds the very object: it is not destroyed.
func TestAccPlatform_replacedBeforeItIsDestroyed(t *testing.T) {
	t.Parallel()
	for name, kept := range keptObjects(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := kept.provider + strings.Replace(kept.config, "{\n", "{\n  lifecycle {\n    create_before_destroy = true\n  }\n", 1)
			var uid string
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: factories,
				Steps: []resource.TestStep{
					{Config: config, Check: func(*terraform.State) error { uid = kept.uid(); return nil }},
					{Taint: []string{kept.address}, Config: config, ExpectError: errorLike(diagnose.SummaryObjectKept, "Nothing was destroyed")},
					{ // the plan finds it kept and deposed
						PreConfig: func() {
							if now := kept.uid(); now != uid {
								t.Errorf("UID %s, want %s", now, uid)
							}
						},
						Config: config, PlanOnly: true, ExpectError: errorLike(diagnose.SummaryObjectKept, uid),
					},
				},
			})
		})
	}
}

// A resource that is renamed without a moved block is an error at plan; with one, nothing changes.
func TestAccPlatform_renamed(t *testing.T) {
	t.Parallel()
	for name, kept := range keptObjects(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind, _, _ := strings.Cut(kept.address, ".")
			renamed := kept.provider + strings.Replace(kept.config, fmt.Sprintf("%q \"one\"", kind), fmt.Sprintf("%q \"two\"", kind), 1)
			var uid string
			same := func(*terraform.State) error { return equal("uid", kept.uid(), uid) }
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: factories,
				Steps: []resource.TestStep{
					{Config: kept.provider + kept.config, Check: func(*terraform.State) error { uid = kept.uid(); return nil }},
					{Config: renamed, ExpectError: errorLike(diagnose.SummaryMadeAndEnded, "made at one address", "from = "+kind+".OLD")},
					{Config: renamed + fmt.Sprintf("moved {\n  from = %s.one\n  to = %[1]s.two\n}\n", kind), Check: same},
				},
			})
		})
	}
}
