package ruleset_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// checked writes a rule set with this pool_check and these rules; further attributes go into it.
func checked(poolCheck string, rules []string, extra ...string) string {
	list, _ := json.Marshal(rules) // texts cannot fail
	return fmt.Sprintf("resource \"hap_rule_set\" \"r\" {\n rules = %s\n pool_check = %q\n%s\n}\n", list, poolCheck, strings.Join(extra, "\n"))
}

// The first apply checks at apply: until then the pools may be made.
func TestAccRuleSet_poolCheckOfTheFirstApply(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-9"})
	with := func(check string) string { return l.Provider() + checked(check, []string{"aws", "gcp", "azure(PR=*)"}) }
	e := acceptance.NewEar(nil)
	missing := []string{
		`no account for rule 2, "gcp" in namespace`, "hyperscalerType=gcp (without euAccess and shared)", "Add one to the pool",
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: e.Factories(),
		Steps: []resource.TestStep{
			{Config: with("error"), PlanOnly: true, ExpectNonEmptyPlan: true},
			{Config: with("error"), ExpectError: acceptance.ErrorLike(diagnose.SummaryPoolMissing, missing...)},
			{Config: with("warn")},
			{PreConfig: func() { l.Accounts(t, testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp"}) }, Config: with("error")},
		},
	})
	e.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryPoolMissing, "rules[1]", missing...)
	e.Want(t, tfprotov6.DiagnosticSeverityError, diagnose.SummaryPoolMissing, "rules[1]", missing...)
}

// An entry with the * of a region warns where it has no pool at all; euAccess=* needs its two pools; legacy properties lack a pool once, at
// the property and with the element that the user wrote.
func TestAccRuleSet_poolCheckOfVariations(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t,
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "azure-1", HyperscalerType: "azure_cf-eu20"})
	config := l.Provider() + checked("error", []string{"aws(euAccess=*)", "azure(PR=*)", "gcp(CR=*, shared)"})
	legacy := l.Provider() + `
resource "hap_rule_set" "r" {
  legacy = { eu_access_rule = "aws:cf-eu11" }
}
`
	noGCP := []string{`no account for any pool of rule 3, "gcp(CR=*, shared)"`,
		"hyperscalerType=gcp_<hyperscaler_region>, shared=true (without euAccess)"}
	noEU := []string{`no account for rule 1, "aws(euAccess=*)" in namespace`, "hyperscalerType=aws, euAccess=true (without shared)"}
	noElement := []string{`no account for "aws:cf-eu11" of eu_access_rule in namespace`, "hyperscalerType=aws, euAccess=true (without shared)"}
	e := acceptance.NewEar(nil)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: e.Factories(),
		Steps: []resource.TestStep{
			{Config: config, ExpectError: acceptance.ErrorLike(diagnose.SummaryPoolMissing, noEU...)},
			{Config: legacy, ExpectError: acceptance.ErrorLike(diagnose.SummaryPoolMissing, noElement...)},
			{PreConfig: func() { l.Accounts(t, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", EUAccess: true}) }, Config: config},
			{Config: legacy},
		},
	})
	e.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryPoolMissing, "rules[2]", noGCP...)
	e.Want(t, tfprotov6.DiagnosticSeverityError, diagnose.SummaryPoolMissing, "rules[0]", noEU...)
	e.Want(t, tfprotov6.DiagnosticSeverityError, diagnose.SummaryPoolMissing, "legacy.eu_access_rule", noElement...)
	if n := e.Warnings(diagnose.SummaryPoolMissing, "azure(PR=*)"); n > 0 {
		t.Errorf("an entry with one of its pools has %d warnings", n)
	}
}

// A plan on several hyperscalers needs the pool on each of them.
func TestAccRuleSet_poolCheckOnEachHyperscaler(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t,
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Shared: true}, testbed.AccountSpec{Name: "azure-1", HyperscalerType: "azure"})
	config := l.Provider() + checked("error", []string{"trial(shared)", "azure"})
	own := l.Provider() + checked("error", []string{"edge -> S"}, `plans = { edge = ["aws", "stackit", "gdch"] }`, `syntax = "arrow"`)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: config, ExpectError: acceptance.ErrorLike(diagnose.SummaryPoolMissing, `no account for rule 1, "trial(shared)" on azure in namespace`,
				"hyperscalerType=azure, shared=true (without euAccess).",
				"Plan trial runs on several hyperscalers, and needs the pool on each of them.")},
			{Config: own, ExpectError: acceptance.ErrorLike(diagnose.SummaryPoolMissing, `no account for rule 1, "edge -> S" on stackit and on gdch in `+
				`namespace`,
				"hyperscalerType=stackit, shared=true (without euAccess), nor hyperscalerType=gdch, shared=true (without euAccess).")},
			{PreConfig: func() { l.Accounts(t, testbed.AccountSpec{Name: "azure-2", HyperscalerType: "azure", Shared: true}) }, Config: config},
		},
	})
}

// An existing rule set fails at plan when a pool has vanished, without a change too. What is new in the plan only warns.
func TestAccRuleSet_poolCheckOfAVanishedPool(t *testing.T) {
	t.Parallel()
	gcp := testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp"}
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, gcp)
	with := func(check string, rules ...string) string {
		return l.Provider() + checked(check, append([]string{"aws", "gcp"}, rules...))
	}
	vanished := []string{
		`no account for rule 2, "gcp" in namespace`, "with -target", "To destroy, use -refresh=false", `set pool_check = "warn"`,
	}
	atPlan := acceptance.ErrorLike(diagnose.SummaryPoolMissing, vanished...)
	empty := resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	newEntry := []string{`no account for rule 3, "alicloud" in namespace`, "Add one to the pool"}
	e := acceptance.NewEar(nil)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: e.Factories(),
		Steps: []resource.TestStep{
			{Config: with("error"), ConfigPlanChecks: empty},
			{PreConfig: func() { l.DeleteAccount(t, "gcp-1") }, Config: with("error"), PlanOnly: true, ExpectError: atPlan},
			{Config: with("error", "alicloud"), PlanOnly: true, ExpectNonEmptyPlan: true, ExpectError: atPlan},
			{Config: with("warn"), PlanOnly: true, ExpectNonEmptyPlan: true},
			{PreConfig: func() { l.Accounts(t, gcp) }, Config: with("error"), PlanOnly: true},
			{Config: with("error", "alicloud"), PlanOnly: true, ExpectNonEmptyPlan: true},
			{Config: with("error", "alicloud"), ExpectError: acceptance.ErrorLike(diagnose.SummaryPoolMissing, newEntry...)},
		},
	})
	e.Want(t, tfprotov6.DiagnosticSeverityError, diagnose.SummaryPoolMissing, "rules[1]", vanished...)
	e.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryPoolMissing, "rules[2]", newEntry...)
}
