package functions

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
)

func problem(kind, severity string, column int64, message string, entries ...int64) knownvalue.Check {
	numbers := make([]knownvalue.Check, len(entries))
	for i, n := range entries {
		numbers[i] = knownvalue.Int64Exact(n)
	}
	return knownvalue.ObjectExact(map[string]knownvalue.Check{
		"kind": knownvalue.StringExact(kind), "severity": knownvalue.StringExact(severity), "entries": knownvalue.ListExact(numbers),
		"column": knownvalue.Int64Exact(column), "message": knownvalue.StringRegexp(regexp.MustCompile(message)),
	})
}

func TestAccFunction_validateRules(t *testing.T) {
	t.Parallel()
	outputs(t, map[string]knownvalue.Check{
		`provider::hap::validate_rules({ rules = ["aws", "gcp(PR=cf-sa30)"], syntax = "attribute" })`: knownvalue.ListSizeExact(0),
		`provider::hap::validate_rules({ rules = ["aws", "gcp(PR=cf-sa30)"] })`: knownvalue.ListExact([]knownvalue.Check{
			problem("other_reading", "warning", 0, "leads to gcp_cf-sa30, and as KEB reads it to gcp", 2)}),
		`provider::hap::validate_rules({ rules = ["aws(PR=cf-eu1l, euAccess)"] })`: knownvalue.ListExact([]knownvalue.Check{
			problem("eu_access", "warning", 8, `Did you mean "cf-eu11"`, 1)}),
		`provider::hap::validate_rules({ rules = ["gdch"], plans = { gdch = null } })`: knownvalue.ListExact([]knownvalue.Check{
			problem("unknown_plan", "error", 1, "gdch = null", 1)}),
		`provider::hap::validate_rules({ rules = ["aws", "gcp(PR=)", "awss", "aws"], required_plans = ["azure"] ` +
			`})`: knownvalue.ListExact([]knownvalue.Check{
			problem("parse", "error", 8, "", 2), problem("unknown_plan", "error", 1, `Did you mean "aws"`, 3), problem("duplicate", "error", 0,
				"", 4, 1),
			problem("missing_plan", "error", 0, "azure"),
		}),
		`provider::hap::validate_rules({ rules = ["sap-converged-cloud(HR=*) -> S"], syntax = "arrow" ` +
			`})`: knownvalue.ListExact([]knownvalue.Check{problem("parse", "warning", 24, "KEB", 1)}),
		`provider::hap::validate_rules({ legacy = { shared_rule = "trial;awss" } ` +
			`})`: knownvalue.ListExact([]knownvalue.Check{problem("unknown_plan", "error", 7, "shared_rule")}),
		`provider::hap::validate_rules({ rules = ["stackit"], plans = { stackit = ["stackit"] } })`: knownvalue.ListSizeExact(0),
	})
}

func TestAccFunction_matchRules(t *testing.T) {
	t.Parallel()
	match := func(entry string, number int64, hyperscalerType string, shared, eu bool, selector string) knownvalue.Check {
		return knownvalue.ObjectExact(map[string]knownvalue.Check{
			"entry": knownvalue.StringExact(entry), "number": knownvalue.Int64Exact(number),
			"hyperscaler_type": knownvalue.StringExact(hyperscalerType),
			"shared":           knownvalue.Bool(shared), "eu_access": knownvalue.Bool(eu), "label_selector": knownvalue.StringExact(selector),
		})
	}
	outputs(t, map[string]knownvalue.Check{
		`provider::hap::match_rules({ rules = ["gcp", "gcp(PR=cf-sa30)"] }, { plan = "gcp", platform_region = "cf-sa30" })`: match(
			"gcp(PR=cf-sa30)", 2, "gcp_cf-sa30", false, false, "hyperscalerType=gcp_cf-sa30,!euAccess,shared!=true,!dirty"),
		`provider::hap::match_rules({ rules = ["azure(euAccess=*)"] }, { plan = "azure", platform_region = "cf-ch20" })`: match(
			"azure(euAccess=*)", 1, "azure", false, true, "hyperscalerType=azure,euAccess=true,shared!=true,!dirty"),
		`provider::hap::match_rules({ rules = ["azure(euAccess=*)"] }, { plan = "azure", platform_region = "cf-ch20", eu_access = false ` +
			`})`: match(
			"azure(euAccess=*)", 1, "azure", false, false, "hyperscalerType=azure,!euAccess,shared!=true,!dirty"),
		`provider::hap::match_rules({ rules = ["trial(shared)"] }, { plan = "trial", hyperscaler = "aws" ` +
			`}).label_selector`: knownvalue.StringExact("hyperscalerType=aws,!euAccess,shared=true"),
		`provider::hap::match_rules({ legacy = { cluster_region_rule = "sap-converged-cloud", shared_rule = "trial;sap-converged-cloud" } }, ` +
			`{ plan = "sap-converged-cloud", hyperscaler_region = "eu-de-1" }).hyperscaler_type`: knownvalue.StringExact("openstack_eu-de-1"),
	})
}

func TestAccFunction_convertRules(t *testing.T) {
	t.Parallel()
	list := func(entries ...string) knownvalue.Check {
		checks := make([]knownvalue.Check, len(entries))
		for i, e := range entries {
			checks[i] = knownvalue.StringExact(e)
		}
		return knownvalue.ListExact(checks)
	}
	outputs(t, map[string]knownvalue.Check{
		`provider::hap::convert_rules({ rules = ["azure(euAccess=*)", "gcp", "gcp(PR=cf-sa30)", "openstack(CR=*, shared)"] }, "arrow")`: list(
			"azure", "azure(PR=cf-ch20) -> EU", "azure(PR=cf-eu11) -> EU", "gcp", "gcp(PR=cf-sa30) -> PR", "sap-converged-cloud -> HR,S"),
		`provider::hap::convert_rules({ rules = ["gcp -> PR", "gcp(PR=cf-sa30) -> PR,S"], syntax = "arrow" }, "attribute")`: list(
			"gcp(PR=*)", "gcp(PR=cf-sa30,shared)"),
		`provider::hap::convert_rules({ legacy = { platform_region_rule = "gcp", shared_rule = "trial" }, plans = { for plan in ` +
			`["alicloud", "aws", "azure", "azure_lite", "build-runtime-alicloud", "build-runtime-aws", "build-runtime-azure", ` +
			`"build-runtime-gcp", "free", "gdch", "preview", "sap-converged-cloud"] : plan => null } }, "attribute")`: list(
			"gcp(PR=*)", "trial(shared)"),
		`provider::hap::convert_rules({ rules = ["aws(euAccess=*)"], eu_access_platform_regions = ["cf-eu99"] }, "arrow")`: list(
			"aws", "aws(PR=cf-eu99) -> EU"),
		`provider::hap::validate_rules({ rules = provider::hap::convert_rules({ legacy = {} }, "arrow"), syntax = "arrow" ` +
			`})`: knownvalue.ListSizeExact(0),
	})
}

func TestAccFunction_selectBinding(t *testing.T) {
	t.Parallel()
	selected := func(name knownvalue.Check, action, reason string) knownvalue.Check {
		return knownvalue.ObjectExact(map[string]knownvalue.Check{
			"name": name, "action": knownvalue.StringExact(action), "reason": knownvalue.StringRegexp(regexp.MustCompile(reason)),
		})
	}
	a, b := knownvalue.StringExact("a"), knownvalue.StringExact("b")
	outputs(t, map[string]knownvalue.Check{ // the table of ADR 005
		`provider::hap::select_binding([{ name = "a", clusters = 150 }], 200)`: selected(a, "reuse",
			"150 of 200"),
		`provider::hap::select_binding([{ name = "a", clusters = 200 }], 200)`: selected(knownvalue.Null(),
			"claim", "another one has to be claimed"),
		`provider::hap::select_binding([{ name = "a", clusters = 200 }, { name = "b", clusters = 150 }], 200)`: selected(b, "reuse",
			"150 of 200"),
		`provider::hap::select_binding([{ name = "a", clusters = 199 }, { name = "b", clusters = 150 }], 200)`: selected(a, "reuse",
			"199 of 200"),
		`provider::hap::select_binding([{ name = "a", clusters = 250 }], 180).action`: knownvalue.StringExact("claim"),
		`provider::hap::select_binding([{ name = "a", clusters = 179 }], 180).name`:   a,
		`provider::hap::select_binding([], 180)`:                                      selected(knownvalue.Null(), "claim", "No account is held"),
	})
}

// Wrong arguments are errors that name the key.
func TestAccFunction_wrongArguments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		expression string
		words      []string
	}{
		"unknown key": {`provider::hap::validate_rules({ rulez = ["aws"] })`,
			[]string{`rule_set: there is no key "rulez"`, `Did you mean "rules"?`}},
		"wrong type": {`provider::hap::validate_rules({ rules = "aws" })`, []string{"rule_set.rules: a list is needed, not a string"}},
		"wrong element": {`provider::hap::validate_rules({ rules = ["aws", 7] })`,
			[]string{"rule_set.rules[1]: a string is needed, not a number"}},
		"null element": {`provider::hap::validate_rules({ rules = ["aws", null] })`,
			[]string{"rule_set.rules[1]: a string is needed, not null"}},
		"no object": {`provider::hap::validate_rules("aws")`, []string{"rule_set: an object is needed, not a string"}},
		"unknown legacy key": {`provider::hap::convert_rules({ legacy = { shared = "trial" } }, "arrow")`,
			[]string{`rule_set.legacy: there is no key "shared"`, "shared_rule"}},
		"no equal": {`provider::hap::convert_rules({ rules = ["trial", "trial(PR=eu) -> S"], syntax = "arrow" }, "attribute")`,
			[]string{"The rule set cannot be converted", "Entry 2", "trial(PR=eu) -> S", "an entry adds each region that it matches"}},
		"no equal of a property": {`provider::hap::convert_rules({ legacy = { shared_rule = "trial:eu" } }, "attribute")`,
			[]string{"shared_rule", "trial:eu"}},
		"convert an invalid set": {`provider::hap::convert_rules({ rules = ["aws", "aws"] }, "arrow")`,
			[]string{"The rule set cannot be used", "Entry 2"}},
		"convert to no syntax": {`provider::hap::convert_rules({ rules = ["aws"] }, "legacy")`,
			[]string{`"syntax" parameter`, `expected "attribute" or "arrow"`}},
		"invalid set": {`provider::hap::match_rules({ rules = ["aws", "aws"] }, { plan = "aws" })`,
			[]string{"The rule set cannot be used", "Entry 2"}},
		"no match": {`provider::hap::match_rules({ rules = ["aws"] }, { plan = "gcp" })`, []string{"No entry for plan gcp"}},
		"no plan":  {`provider::hap::match_rules({ rules = ["aws"] }, {})`, []string{"request: the key plan is needed"}},
		"unknown request key": {`provider::hap::match_rules({ rules = ["aws"] }, { plan = "aws", region = "x" })`,
			[]string{`request: there is no key "region"`}},
		"wrong flag": {`provider::hap::match_rules({ rules = ["aws"] }, { plan = "aws", eu_access = "yes" })`,
			[]string{"request.eu_access: true or false is needed, not a string"}},
		"limit of zero": {`provider::hap::select_binding([], 0)`, []string{"limit: a whole number from 1 on is needed, not 0"}},
		"clusters missing": {`provider::hap::select_binding([{ name = "a" }], 3)`,
			[]string{"bindings[0].clusters: a number is needed, not null"}},
		"half a limit": {`provider::hap::select_binding([], 1.5)`, []string{"limit: a whole number from 1 on is needed, not 1.5"}},
		"a huge limit": {`provider::hap::select_binding([], 1e30)`, []string{"limit: a number of 2147483647 at most is needed, not 1e+30"}},
		"null hyperscaler": {`provider::hap::convert_rules({ rules = ["aws"], plans = { aws = [null] } }, "arrow")`,
			[]string{`rule_set.plans.aws[0]: a string is needed, not null`}},
		"half a cluster": {`provider::hap::select_binding([{ name = "a", clusters = 1.5 }], 3)`,
			[]string{"bindings[0].clusters: a whole number from 0 on is needed, not 1.5"}},
		"the same account twice": {`provider::hap::select_binding([{ name = "a", clusters = 1 }, { name = "a", clusters = 2 }], 3)`,
			[]string{`bindings[1]: each account needs a name of its own; "a" is there twice`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, c.expression, c.words...)
		})
	}
}
