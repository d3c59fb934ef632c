package ruleset_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// Own plans, and null for one that is taken out, mean the same in the rule set, where a claim consults it, in a data source and in a
// function; also while a part of them is known only after apply.
func TestAccRuleSet_ownPlansEverywhere(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "edge-1",
		HyperscalerType: "stackit"})
	config := func(hyperscaler string) string {
		return l.Provider() + `
resource "terraform_data" "later" { input = "stackit" }
resource "hap_rule_set" "r" {
  rules            = ["aws", "edge", "trial"]
  plans            = { edge = [` + hyperscaler + `], trial = ["aws"], gdch = null }
  platform_regions = ["cf-eu10", "cf-eu11"]
}
data "hap_binding_selection" "next" {
  rule_set       = { rules = ["edge"], plans = { edge = ["stackit"], gdch = null }, platform_regions = ["cf-eu10"] }
  plan           = "edge"
  global_account = "ga-1"
}
output "trial" {
  value = provider::hap::match_rules(hap_rule_set.r, { plan = "trial", platform_region = "cf-eu10" }).hyperscaler_type
}
output "gdch" {
  value = provider::hap::validate_rules(merge(hap_rule_set.r, { rules = ["gdch"] }))[0].kind
}
output "region" {
  value = provider::hap::validate_rules(merge(hap_rule_set.r, { rules = ["aws(PR=cf-eu1l)"], syntax = "arrow" }))[0].kind
}
` + acceptance.ClaimOf("blue", "ga-1", `plan = "edge"`)
	}
	known := []statecheck.StateCheck{
		statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("binding_name"), knownvalue.StringExact("edge-1")),
		statecheck.ExpectKnownValue(acceptance.SelectionNext, tfjsonpath.New("hyperscaler_type"), knownvalue.StringExact("stackit")),
		statecheck.ExpectKnownOutputValue("trial", knownvalue.StringExact("aws")),
		statecheck.ExpectKnownOutputValue("gdch", knownvalue.StringExact("unknown_plan")),
		statecheck.ExpectKnownOutputValue("region", knownvalue.StringExact("unknown_region")),
	}
	empty := resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: config("terraform_data.later.output"), ConfigStateChecks: known, ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply:             []plancheck.PlanCheck{plancheck.ExpectUnknownValue(ruleSet, tfjsonpath.New("id"))},
				PostApplyPostRefresh: empty.PostApplyPostRefresh,
			}},
			{Config: config(`"stackit"`), ConfigStateChecks: known, ConfigPlanChecks: empty},
		},
	})
}

// A claim in a platform region that the landscape does not have is refused at plan, at the region.
func TestAccRuleSet_claimInAnUnknownPlatformRegion(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	config := func(region string) string {
		return l.Provider() + checked("error", []string{"aws"}, `platform_regions = ["cf-eu10", "cf-eu11"]`) +
			acceptance.ClaimOf("blue", "ga-1", `platform_region = "`+region+`"`)
	}
	e := acceptance.NewEar(nil)
	wrong := []string{`found "cf-eu1l"`, `Did you mean "cf-eu11"?`}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: e.Factories(),
		Steps: []resource.TestStep{
			{Config: config("cf-eu1l"), PlanOnly: true, ExpectError: acceptance.ErrorLike("Unknown platform region", wrong...)},
			{Config: config("cf-eu11")},
		},
	})
	e.Want(t, tfprotov6.DiagnosticSeverityError, "Unknown platform region", "platform_region", wrong...)
}

// What passes and misleads is a warning at its place; an entry that was made of 50,000 parentheses is one error that names the bound.
func TestAccRuleSet_misleadingRules(t *testing.T) {
	t.Parallel()
	e := acceptance.NewEar(nil)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: e.Factories(),
		Steps: []resource.TestStep{
			{Config: acceptance.RulesOf(`format("aws%s", join("", [for i in range(1000) : "((((((((((((((((((((((((((((((((((((((((((((((((((" ]))`),
				PlanOnly:    true,
				ExpectError: acceptance.ErrorLike("Malformed rule", "Entry too long: it has 50003 characters, and an entry has 1000 at most")},
			{Config: acceptance.RulesOf(`"aws => EU"`), PlanOnly: true, ExpectError: acceptance.ErrorLike("Malformed rule", `found "=>". Did you mean "->"?`)},
			{Config: acceptance.RulesOf(`"gcp(PR=cf-sa30)"`)},
			{Config: checked("off", []string{"aws()", "azure(PR=cf-ch2O) -> EU"}, `syntax = "arrow"`)},
			{Config: "resource \"hap_rule_set\" \"r\" {\n legacy = { eu_access_rule = \"aws:cf-eu1l\" }\n pool_check = \"off\"\n}\n"},
		},
	})
	warning := tfprotov6.DiagnosticSeverityWarning
	e.Want(t, warning, "Rules with two readings", "rules[0]", "leads to gcp_cf-sa30, and as KEB reads it to gcp")
	e.Want(t, warning, diagnose.SummaryNotForBroker, "rules[0]", "Parentheses refused by KEB")
	e.Want(t, warning, "EU access in another region", "rules[1]", `Did you mean "cf-ch20"?`)
	e.Want(t, warning, "EU access in another region", "legacy.eu_access_rule", `Did you mean "cf-eu11"?`)
}
