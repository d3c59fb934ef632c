package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
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
	requests, accesses := acceptance.NewPlatformLandscape(t), acceptance.NewAccessLandscape(t)
	profiles := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	own := acceptance.NewOwnLandscape(t)
	claim := acceptance.ClaimOf("of", "ga-1")
	profile := profiles.ConfigOf(acceptance.TemplateWith(), "credentials_binding_name = hap_credentials_binding_claim.of.binding_name",
		"global_account = hap_credentials_binding_claim.of.global_account")
	return map[string]keptObject{
		"a request": {requests.Provider(), acceptance.RequestOf("one", "mcp"), acceptance.RequestOne,
			func() string { return requests.UID(t, "ClusterRequest", "one") }},
		"a Cluster": {own.Provider(), acceptance.ClusterOf(), acceptance.ClusterOne, func() string { return own.UID(t, "Cluster", "one") }},
		"an access": {accesses.Provider(), accesses.AccessOf("one"), acceptance.AccessOne, func() string { return accesses.UID(t) }},
		"a profile": {profiles.On(profiles.PlatformUser) + acceptance.RulesAWS + claim, profile, "hap_gardener_provider_config.one",
			func() string { return profiles.At("metadata", "uid") }},
	}
}

// A replacement that makes its object before it destroys the one of the same name finds that same object: it is not destroyed.
func TestAccPlatform_replacedBeforeItIsDestroyed(t *testing.T) {
	t.Parallel()
	for name, kept := range keptObjects(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := kept.provider + strings.Replace(kept.config, "{\n", "{\n  lifecycle {\n    create_before_destroy = true\n  }\n", 1)
			var uid string
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				Steps: []resource.TestStep{
					{Config: config, Check: func(*terraform.State) error { uid = kept.uid(); return nil }},
					{Taint: []string{kept.address}, Config: config, ExpectError: acceptance.ErrorLike(diagnose.SummaryObjectKept, "Nothing was destroyed")},
					{ // the plan finds it kept and deposed
						PreConfig: func() {
							if now := kept.uid(); now != uid {
								t.Errorf("UID %s, want %s", now, uid)
							}
						},
						Config: config, PlanOnly: true, ExpectError: acceptance.ErrorLike(diagnose.SummaryObjectKept, uid),
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
			same := func(*terraform.State) error { return acceptance.Equal("uid", kept.uid(), uid) }
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				Steps: []resource.TestStep{
					{Config: kept.provider + kept.config, Check: func(*terraform.State) error { uid = kept.uid(); return nil }},
					{Config: renamed, ExpectError: acceptance.ErrorLike(diagnose.SummaryMadeAndEnded, "made at one address", "from = "+kind+".OLD")},
					{Config: renamed + fmt.Sprintf("moved {\n  from = %s.one\n  to = %[1]s.two\n}\n", kind), Check: same},
				},
			})
		})
	}
}
