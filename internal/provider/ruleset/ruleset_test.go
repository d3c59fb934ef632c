package ruleset_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
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

// Each of ten mistakes is reported, by the resource and by the function validate_rules.
func TestAccRuleSet_tenMistakesAreTenErrors(t *testing.T) {
	t.Parallel()
	const tenMistakes = `"", "gcp(", "gcp)", "gcp(PR=)", "gcp(XX=1)", "gcp(PR=a,PR=b)", "awss", "aws -> S", "gcp(shared=false)", "gcp(CR=x),"`
	var numbers []knownvalue.Check
	for i := range int64(10) {
		numbers = append(numbers, knownvalue.Int64Exact(i+1))
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{{
			Config: acceptance.RulesOf(tenMistakes), PlanOnly: true,
			ExpectError: acceptance.ErrorLike("", "Entry 1:", "Entry 2:", "Entry 3:", "Entry 4:", "Entry 5:", "Entry 6:", "Entry 7:", "Entry 8:",
				"Entry 9:", "Entry 10:"),
		}, {
			Config:            "output \"numbers\" {\n  value = [for p in provider::hap::validate_rules({ rules = [" + tenMistakes + "] }) : p.entries[0]]\n}\n",
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownOutputValue("numbers", knownvalue.TupleExact(numbers))},
		}},
	})
}

func TestAccRuleSet_legacy(t *testing.T) {
	t.Parallel()
	set := func(properties string) string {
		return "resource \"hap_rule_set\" \"r\" {\n legacy = {\n" + properties + "\n}\n pool_check = \"off\"\n}\n"
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: set(`shared_rule = "trial;awss"`), PlanOnly: true,
				ExpectError: acceptance.ErrorLike("Rule for an unknown plan", "shared_rule", "trial;awss", `Did you mean "aws"?`)},
			{Config: set(`eu_access_rule = "eu:*"`), PlanOnly: true, ExpectError: acceptance.ErrorLike("Rule for an unknown plan", "eu:*")},
			{Config: set("platform_region_rule = \"gcp:cf-sa30\"\n shared_rule = \"trial\"") + `
output "shared" {
  value = provider::hap::match_rules(hap_rule_set.r, { plan = "trial", hyperscaler = "azure" }).shared
}
output "pool" {
  value = provider::hap::match_rules(hap_rule_set.r, { plan = "gcp", platform_region = "cf-sa30" }).hyperscaler_type
}
`,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownOutputValue("shared", knownvalue.Bool(true)),
					statecheck.ExpectKnownOutputValue("pool", knownvalue.StringExact("gcp_cf-sa30")),
				}},
		},
	})
}

func TestAccRuleSet_rulesAndLegacyExcludeEachOther(t *testing.T) {
	t.Parallel()
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: "resource \"hap_rule_set\" \"r\" {\n rules = [\"aws\"]\n legacy = { shared_rule = \"trial\" }\n}\n", PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryInvalidRuleSet, "legacy")},
			{Config: "resource \"hap_rule_set\" \"r\" {}\n", PlanOnly: true, ExpectError: acceptance.ErrorLike(diagnose.SummaryInvalidRuleSet, "set legacy")},
		},
	})
}

// Blanks, the order of attributes and other names for them are no change.
func TestAccRuleSet_sameMeaningIsNoChange(t *testing.T) {
	t.Parallel()
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: acceptance.RulesOf(`"gcp(PR=*,CR=*,shared)", "aws"`)},
			{Config: acceptance.RulesOf(`"gcp( hyperscalerRegion = * , platformRegion, shared = true )", " aws() "`), PlanOnly: true},
			{Config: acceptance.RulesOf(`"gcp(PR=*,CR=*)", "aws"`), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(ruleSet, plancheck.ResourceActionUpdate),
			}}},
		},
	})
}

// What is unknown yet, or null, does not hide the mistakes of the entries that are known.
func TestAccRuleSet_partlyUnknown(t *testing.T) {
	t.Parallel()
	later := "resource \"terraform_data\" \"later\" { input = \"gcp\" }\n"
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: later + acceptance.RulesOf(`terraform_data.later.output, "gpc", "aws("`), PlanOnly: true,
				ExpectError: acceptance.ErrorLike("Rule for an unknown plan", "Entry 2:", "Error: Malformed rule", "Entry 3:")},
			{Config: acceptance.RulesOf(`null, "gpc"`), PlanOnly: true, ExpectError: acceptance.ErrorLike("Rule for an unknown plan", "Entry 2:")},
		},
	})
}

const ruleSet = "hap_rule_set.r"

func TestAccRuleSet_worksWithoutAnyCluster(t *testing.T) {
	t.Parallel()
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{
				Config: acceptance.RulesOf(`"gcp(CR=*, PR=*, euAccess=true, shared=true)", "trial(shared)"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{ // all known at plan
					plancheck.ExpectKnownValue(ruleSet, tfjsonpath.New("id"), knownvalue.NotNull()),
					plancheck.ExpectKnownValue(ruleSet, tfjsonpath.New("rule_file"),
						knownvalue.StringExact("rule:\n  - \"gcp -> PR,HR,S,EU\"\n  - \"trial -> S\"\n")),
					plancheck.ExpectKnownValue(ruleSet, tfjsonpath.New("helm_values"),
						knownvalue.StringExact("hap:\n  rule:\n    - \"gcp -> PR,HR,S,EU\"\n    - \"trial -> S\"\n")),
					plancheck.ExpectKnownValue(ruleSet, tfjsonpath.New("entries"), knownvalue.ListExact([]knownvalue.Check{
						knownvalue.ObjectExact(map[string]knownvalue.Check{
							"number": knownvalue.Int64Exact(1), "text": knownvalue.StringExact("gcp(CR=*, PR=*, euAccess=true, " +
								"shared=true)"), "plan": knownvalue.StringExact("gcp"),
							"platform_region": knownvalue.StringExact("*"), "hyperscaler_region": knownvalue.StringExact("*"),
							"hyperscaler_type": knownvalue.StringExact("gcp_<platform_region>_<hyperscaler_region>"),
							"shared":           knownvalue.Bool(true), "eu_access": knownvalue.StringExact("true"),
							"label_selector": knownvalue.StringExact("hyperscalerType=gcp_<platform_region>_<hyperscaler_region>,euAccess=true,shared=true"),
						}),
						knownvalue.ObjectPartial(map[string]knownvalue.Check{
							"number": knownvalue.Int64Exact(2), "hyperscaler_type": knownvalue.StringExact("<hyperscaler>"),
							"label_selector": knownvalue.StringExact("hyperscalerType=<hyperscaler>,!euAccess,shared=true"),
						}),
					})),
				}},
			},
			{Config: acceptance.RulesOf(`"gcp(CR=*, PR=*, euAccess=true, shared=true)", "trial(shared)"`), PlanOnly: true},
		},
	})
}

// Regions as long as a pool of some hyperscaler can have are no mistake of an entry for all hyperscalers.
func TestAccRuleSet_longRegions(t *testing.T) {
	t.Parallel()
	region := strings.Repeat("a", 55)
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{{
		Config: acceptance.RulesOf(`"trial(PR=` + region + `)", "aws(PR=` + region + `,HR=*)"`),
		Check: resource.ComposeAggregateTestCheckFunc(
			resource.TestCheckResourceAttr(ruleSet, "entries.0.label_selector", "hyperscalerType=<hyperscaler>_"+region+",!euAccess,shared!=true,!dirty"),
			resource.TestCheckResourceAttr(ruleSet, "entries.1.label_selector", "hyperscalerType=aws_"+region+"_<hyperscaler_region>,!euAccess,shared!=true,!dirty")),
	}}})
}

// There is nothing to import of a rule set, and the error says so.
func TestAccRuleSet_import(t *testing.T) {
	t.Parallel()
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{{
		Config: acceptance.RulesAWS, ResourceName: ruleSet, ImportState: true, ImportStateId: "x",
		ExpectError: acceptance.ErrorLike(diagnose.SummaryImportMissing, "lives in the state alone"),
	}}})
}

func TestAccRuleSet_allMistakesInOneRun(t *testing.T) {
	t.Parallel()
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{{
			Config:   acceptance.RulesOf(`"aws", "aws", "gcp(PR=)", "azurr", "gcp(PR=a)", "gcp(CR=b)"`),
			PlanOnly: true,
			// In the order of the entries.
			ExpectError: acceptance.ErrorLike("Duplicate rule", "Error: Malformed rule", "Error: Rule for an unknown plan", "Error: Ambiguous rules"),
		}},
	})
}

func TestAccRuleSet_unknownRulesAtPlan(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	text := l.Provider() + `
variable "platform_region" { type = string }
resource "terraform_data" "later" { input = "aws" }
resource "hap_rule_set" "r" { rules = [terraform_data.later.output] }
` + acceptance.ClaimOf("blue", "ga-1", `plan = terraform_data.later.output`, `platform_region = var.platform_region`)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{{
			Config: text, ConfigVariables: config.Variables{"platform_region": config.StringVariable("cf-eu10")},
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectUnknownValue(ruleSet, tfjsonpath.New("id")),
				plancheck.ExpectUnknownValue(acceptance.ClaimBlue, tfjsonpath.New("hyperscaler_type")),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("binding_name"), knownvalue.StringExact("aws-1")),
			},
		}},
	})
}
