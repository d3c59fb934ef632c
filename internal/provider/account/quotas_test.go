package account_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// quotasNow are the names of the quotas of the account aws-1.
func quotasNow(t *testing.T, l acceptance.Landscape) (names []string) {
	t.Helper()
	for _, q := range l.GetAccount(t, "aws-1").Quotas {
		names = append(names, q.Kind+" "+q.Namespace+"/"+q.Name)
	}
	return names
}

// Quotas are written with the account, come with an import, and are compared: other ones make the account anew, while no Global Account holds it.
func TestAccAccount_quotas(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1")
	quotas := func(names ...string) string {
		var all []string
		for _, name := range names {
			all = append(all, fmt.Sprintf("{ namespace = %q, name = %q }", l.Name, name))
		}
		return "quotas = [" + strings.Join(all, ", ") + "]"
	}
	has := func(want ...string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			for i, name := range want {
				want[i] = "Quota " + l.Name + "/" + strings.TrimPrefix(name, "Quota "+l.Name+"/")
			}
			return acceptance.Equal("quotas", fmt.Sprint(quotasNow(t, l)), fmt.Sprint(want))
		}
	}
	empty := resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	anew := wantAction(plancheck.ResourceActionDestroyBeforeCreate)
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{Config: l.Provider() + acceptance.AccountOf(quotas("one")), Check: has("one"), ConfigPlanChecks: empty},
		{ResourceName: acceptance.AccountOne, ImportState: true, ImportStateId: "aws-1", ImportStateVerify: true,
			ImportStateVerifyIdentifierAttribute: "name", ImportStateVerifyIgnore: []string{"rule_set"}},
		{Config: l.Provider() + acceptance.AccountOf(), Check: has("one"), ConfigPlanChecks: wantAction(plancheck.ResourceActionNoop)}, // left alone
		{Config: l.Provider() + acceptance.AccountOf(quotas("one", "two")), Check: has("one", "two"), ConfigPlanChecks: anew},
		{Config: l.Provider() + acceptance.AccountOf(quotas("two", "one")), ConfigPlanChecks: wantAction(plancheck.ResourceActionNoop)},
		{Config: l.Provider() + acceptance.AccountOf(quotas("one", "two"), `hyperscaler_type = "aws_cf-eu11"`), Check: has("one", "two"), ConfigPlanChecks: anew},
		{PreConfig: func() { l.PatchLabels(t, "aws-1", map[string]*string{"tenantName": new("ga-1")}) },
			Config:   l.Provider() + acceptance.AccountOf(quotas("three"), `hyperscaler_type = "aws_cf-eu11"`),
			PlanOnly: true, ExpectError: acceptance.ErrorLike(diagnose.SummaryAccountHeld, "quotas", "held by Global Account ga-1")},
		{PreConfig: func() { l.PatchLabels(t, "aws-1", map[string]*string{"tenantName": nil}) },
			Config: l.Provider() + acceptance.AccountOf(`quotas = []`), Check: has(), ConfigPlanChecks: anew},
		{Config: l.Provider() + acceptance.AccountOf(), Check: has(), ConfigPlanChecks: wantAction(plancheck.ResourceActionNoop)},
	}})
}

// An account with quotas that the configuration leaves out is not made anew, by a change or by -replace: its quotas would be lost.
func TestAccAccount_quotasAreNotLost(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "other")
	l.Accounts(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Quotas: []string{"one"}})
	uid := l.GetAccount(t, "aws-1").UID
	folder := acceptance.NewFolder(t, l)
	write := func(attributes ...string) {
		acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.AccountOf(attributes...))
	}
	write()
	acceptance.Run(t, folder, "import", "hap_account.one", "aws-1")
	if out := acceptance.Run(t, folder, "plan").Output; !strings.Contains(out, "No changes") {
		t.Errorf("the plan after the import is not empty:\n%s", out)
	}
	refused := acceptance.ErrorLike(diagnose.SummaryQuotasLost, fmt.Sprintf("1 quota (%s/one)", l.Name), "so write them into the configuration")
	for what, attribute := range map[string]string{
		"another type": `hyperscaler_type = "aws_cf-eu11"`, "another provider": `provider_type = "gcp"`, "other credentials": `credentials_ref = { name = "other" }`,
	} {
		write(attribute)
		if result := folder.Run(t, "apply", "-auto-approve"); result.ExitCode == 0 || !refused.MatchString(result.Output) {
			t.Errorf("%s: exit code %d:\n%s", what, result.ExitCode, result.Output)
		}
	}
	write()
	if result := folder.Run(t, "apply", "-auto-approve", "-replace=hap_account.one"); result.ExitCode == 0 || !refused.MatchString(result.Output) {
		t.Errorf("-replace: exit code %d:\n%s", result.ExitCode, result.Output)
	}
	if now := l.GetAccount(t, "aws-1"); now.UID != uid || len(now.Quotas) != 1 {
		t.Errorf("the account is %s with quotas %v, was %s", now.UID, now.Quotas, uid)
	}
	write(fmt.Sprintf("quotas = [{ namespace = %q, name = \"one\" }]", l.Name), `hyperscaler_type = "aws_cf-eu11"`)
	acceptance.Run(t, folder, "apply", "-auto-approve")
	if now := l.GetAccount(t, "aws-1"); now.UID == uid || fmt.Sprint(quotasNow(t, l)) != "[Quota "+l.Name+"/one]" {
		t.Errorf("the account is %s with quotas %v", now.UID, quotasNow(t, l))
	}
}

// The configuration that takes a pool over has the quotas, and leaves out what hap_account does not take.
func TestAccPoolStatusImportConfig_quotasAndInternalSecrets(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t)
	l.Accounts(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Quotas: []string{"one", "two"}},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Credentials: "InternalSecret"},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws"})
	l.WorkloadIdentityAccount(t, testbed.AccountSpec{Name: "aws-4", HyperscalerType: "aws"})
	c := l.Folder(t)
	text := l.ImportConfig(t, c, "")
	if want := "# Account aws-2 has credentials of kind InternalSecret, which hap_account does not take.\n"; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
	l.TakenOver(t, c, 3)
	if n := len(quotasNow(t, l)); n != 2 {
		t.Errorf("aws-1 has %d quotas, want 2", n)
	}
}
