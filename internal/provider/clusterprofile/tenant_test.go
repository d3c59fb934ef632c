package clusterprofile_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// A hap_cluster judges the account by the Global Account that the ProviderConfig names. Where another party has taken that away, or has put
// another one there, the next apply writes it again in place, also under live Clusters.
func TestAccProviderConfig_globalAccountDrift(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	base := l.On(l.PlatformUser) + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1")
	config := base + l.ConfigOf(acceptance.TemplateWith())
	none := base + l.Workerless("wait_for_profile = false", `project = "my-project"`)
	writes := func(value string) func() {
		return func() { l.Edit(t, `{"metadata":{"annotations":{"hap-project.io/global-account":`+value+`}}}`) }
	}
	named := func(tenant string) resource.TestCheckFunc {
		return l.Has(tenant, "metadata", "annotations", "hap-project.io/global-account")
	}
	again := func(value string) resource.TestStep {
		return resource.TestStep{
			PreConfig: writes(value), Config: config, ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate), Check: named("ga-1"),
			ConfigStateChecks: []statecheck.StateCheck{configValue("global_account", knownvalue.StringExact("ga-1"))},
		}
	}
	ear, release := acceptance.NewEar(nil), func() {}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		CheckDestroy:             l.Gone,
		Steps: []resource.TestStep{
			{Config: config, Check: named("ga-1")},
			again("null"),
			again(`"ga-2"`),
			{PreConfig: func() { release = use(t, l, "one") }, Config: config, ConfigPlanChecks: configPlan(plancheck.ResourceActionNoop)},
			again("null"),
			again(`"ga-2"`),
			{
				PreConfig: func() { release() }, Config: none,
				ConfigPlanChecks: configPlan(plancheck.ResourceActionReplace), Check: named(""),
			},
			{Config: none, ConfigPlanChecks: configPlan(plancheck.ResourceActionNoop)},
			{
				PreConfig: writes(`"ga-2"`), Config: none,
				ConfigPlanChecks: configPlan(plancheck.ResourceActionUpdate), Check: named(""),
			},
		},
	})
	if err := ear.Silent(diagnose.SummaryProfileTaken); err != nil { // the account is still that of its Global Account
		t.Error(err)
	}
}
