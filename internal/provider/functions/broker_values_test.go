package functions

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
)

// values is a call with values in YAML.
func values(yaml string, more ...string) string {
	arguments := append([]string{fmt.Sprintf("yamldecode(<<-EOT\n%s\nEOT\n)", strings.Trim(yaml, "\n"))}, more...)
	return "provider::hap::broker_values(" + strings.Join(arguments, ", ") + ")"
}

// chart is what the broker's chart says about accounts, among much else.
const chart = `
broker:
  enablePlans: "azure, gcp,trial,aws,own_cluster"
  port: "8080"
hap:
  # Rules for mapping plans and regions to hyperscaler account pools.
  rule:
    - aws                             # pool: hyperscalerType: aws
    - aws(PR=cf-eu11) -> EU           # pool: hyperscalerType: aws; euAccess: true
    - azure
    - gcp(PR=cf-sa30) -> PR
    - trial -> S
  multiHyperscalerAccount:
    allowedGlobalAccounts: ["*"]
    minBindingsForGuard: 2
    limits:
      default: 3
      aws: "180"
      gcp: 0
      gdch: 9
infrastructureManager:
  kubernetesVersion: 1.33.1
`

func TestAccFunction_brokerValues(t *testing.T) {
	t.Parallel()
	texts := func(all ...string) knownvalue.Check {
		checks := make([]knownvalue.Check, len(all))
		for i, text := range all {
			checks[i] = knownvalue.StringExact(text)
		}
		return knownvalue.ListExact(checks)
	}
	outputs(t, map[string]knownvalue.Check{
		values(chart) + ".rule_set": knownvalue.ObjectExact(map[string]knownvalue.Check{
			"rules":  texts("aws", "aws(PR=cf-eu11) -> EU", "azure", "gcp(PR=cf-sa30) -> PR", "trial -> S"),
			"syntax": knownvalue.StringExact("arrow"), "legacy": knownvalue.Null(), "plans": knownvalue.Null(),
			"required_plans": texts("azure", "gcp", "trial", "aws"), "eu_access_platform_regions": knownvalue.Null(), "platform_regions": knownvalue.Null(),
		}),
		values(chart) + ".multi_account": knownvalue.ObjectExact(map[string]knownvalue.Check{
			"allowed_global_accounts": texts("*"), "min_bindings_for_guard": knownvalue.Int64Exact(2),
			"limits": knownvalue.MapExact(map[string]knownvalue.Check{"default": knownvalue.Int64Exact(3), "aws": knownvalue.Int64Exact(180)}),
		}),
		values(chart) + ".plans":              texts("azure", "gcp", "trial", "aws", "own_cluster"),
		"length(" + values(chart) + ".notes)": knownvalue.Int64Exact(3),
		// The part alone says nothing about plans, and what comes out is a rule set for each function.
		values("rule: [aws]") + ".plans == null": knownvalue.Bool(true),
		`provider::hap::match_rules(` + values(chart) + `.rule_set, { plan = "gcp", platform_region = "cf-sa30" }).hyperscaler_type`: knownvalue.StringExact("gcp_cf-sa30"),
		values("rule: [aws, 'gcp(PR=cf-sa30)']", `"attribute"`) + ".rule_set.syntax":                                                 knownvalue.StringExact("attribute"),
		// The values of older charts: the four properties, and both kinds at once.
		values("hap:\n  platformRegionRule: 'gcp:cf-sa30'\n  sharedRule: trial\nenablePlans: gcp") + ".rule_set.legacy": knownvalue.ObjectExact(
			map[string]knownvalue.Check{
				"platform_region_rule": knownvalue.StringExact("gcp:cf-sa30"), "cluster_region_rule": knownvalue.StringExact(""),
				"shared_rule": knownvalue.StringExact("trial"), "eu_access_rule": knownvalue.StringExact(""),
			}),
		values("hap:\n  sharedRule: trial\nenablePlans: gcp") + ".rule_set.required_plans": texts("gcp"),
		values("hap:\n  rule: [trial(shared)]\n  sharedRule: trial") + ".notes": texts("The values have rule and the properties that came before it: rule " +
			"counts, and platformRegionRule, clusterRegionRule, sharedRule, euAccessRule are left out."),
	})
}

func TestAccFunction_brokerValuesErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ call, says string }{
		"an unknown key": {values("hap: { rules: [aws] }"), `values.hap: there is no key "rules". Did you mean "rule"?`},
		"an unknown key of the limits": {values("hap: { rule: [aws], multiHyperscalerAccount: { limits: { asw: 3 } } }"),
			`there is no key "asw". Did you mean "aws"?`},
		"no part of ours": {values("broker: { port: 1 }\nhpa: { rule: [aws] }"), `there is no key hap, and none of its keys`},
		"no rules":        {values("hap: { multiHyperscalerAccount: {} }"), `there are no rules: neither the list rule nor`},
		"an empty text":   {values("hap: { rule: '' }"), `values.hap.rule: a list is needed, not a string`},
		"two readings": {values("rule: [gcp, 'gcp(PR=cf-sa30)']"),
			`rule 2, "gcp(PR=cf-sa30)" leads to gcp_cf-sa30 in attribute syntax, and to gcp in arrow syntax, which KEB reads. Say which`},
		"two syntaxes":   {values("rule: [trial -> S, trial(shared)]"), `in attribute syntax alone. Write all entries in one syntax`},
		"another syntax": {values("rule: [gcp]", `"legacy"`), `syntax: "attribute" or "arrow" is needed, once`},
		"a limit that is no number": {values("hap: { rule: [aws], multiHyperscalerAccount: { limits: { aws: many } } }"),
			`values.hap.multiHyperscalerAccount.limits.aws: a whole number from 0 on is needed, not "many"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, test.call, test.says)
		})
	}
}
