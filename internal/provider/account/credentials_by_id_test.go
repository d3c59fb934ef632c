package account_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// The credentials that the configuration makes are referred to by their id. Before they exist it is unknown, and the plan of a new account
// says nothing about that; the plan afterwards is empty, and so is that of an import.
func TestAccAccount_credentialsByID(t *testing.T) {
	t.Parallel()
	l := acceptance.NewSupply(t, "aws-1", "other")
	const made = `resource "terraform_data" "secret" { input = %q }` + "\n"
	id := l.Name + "/aws-1"
	byID := fmt.Sprintf(made, id) + acceptance.AccountOf(`credentials_ref = { id = terraform_data.secret.output }`)
	if out := planned(t, l, byID); strings.Contains(out, diagnose.SummaryAccountUnknown) || !strings.Contains(out, "2 to add") {
		t.Errorf("the plan of a new account is not quiet:\n%s", out)
	}
	fields := func(id string) resource.TestCheckFunc {
		return resource.ComposeAggregateTestCheckFunc(
			resource.TestCheckResourceAttr(acceptance.AccountOne, "credentials_ref.kind", "Secret"),
			resource.TestCheckResourceAttr(acceptance.AccountOne, "credentials_ref.namespace", l.Name),
			resource.TestCheckResourceAttr(acceptance.AccountOne, "credentials_ref.name", "aws-1"),
			resource.TestCheckResourceAttr(acceptance.AccountOne, "credentials_ref.id", id))
	}
	empty := resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	inPlace := wantAction(plancheck.ResourceActionUpdate)
	inPlace.PostApplyPostRefresh = empty.PostApplyPostRefresh
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{Config: l.Provider() + byID, ConfigPlanChecks: empty, Check: fields(id)},
		{Config: l.Provider() + acceptance.AccountOf(), ConfigPlanChecks: empty, Check: fields(id)}, // by its name
		{Config: l.Provider() + acceptance.AccountOf(`credentials_ref = { id = "aws-1" }`), ConfigPlanChecks: inPlace, Check: fields("aws-1")},
		{
			Config: l.Provider() + acceptance.AccountOf(fmt.Sprintf(`credentials_ref = { id = %q }`, id)), ResourceName: acceptance.AccountOne, ImportState: true,
			ImportStateId: "aws-1", ImportStateVerify: true, ImportStateVerifyIdentifierAttribute: "name",
			ImportStateVerifyIgnore: []string{"credentials_ref.id"}, // as it was written before
		},
		{
			Config: l.Provider() + acceptance.AccountOf(`credentials_ref = { id = "other" }`), Check: resource.TestCheckResourceAttr(acceptance.AccountOne,
				"credentials_ref.name", "other"), ConfigPlanChecks: wantAction(plancheck.ResourceActionReplace),
		},
	}})
	for name, test := range map[string]struct{ reference, want string }{
		"with a name":      {`{ id = "aws-1", name = "aws-1" }`, "Invalid Attribute Combination"},
		"with a namespace": {`{ id = "aws-1", namespace = "x" }`, "Invalid Attribute Combination"},
		"three parts":      {`{ id = "a/b/c" }`, "Invalid Attribute Value Match"},
		"not there":        {`{ id = "lost" }`, diagnose.SummaryNoCredentials},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{{
				Config: l.Provider() + acceptance.AccountOf(`name = "new"`, "credentials_ref = "+test.reference), PlanOnly: true,
				ExpectError: acceptance.ErrorLike(test.want, "credentials_ref"),
			}}})
		})
	}
}

// A provider block whose pool is known only after an apply plans the reference as it is configured: what it leaves out is unknown.
func TestAccAccount_poolKnownLater(t *testing.T) {
	t.Parallel()
	acceptance.NeedsGarden(t)
	const later = "resource \"terraform_data\" \"k\" {\n  input = \"CredentialsBinding\"\n}\n"
	for name, test := range map[string]struct{ pool, ref string }{
		"the kind, a name":      {"pool = { kind = terraform_data.k.output }", `credentials_ref = { name = "aws-1" }`},
		"the kind, all of it":   {"pool = { kind = terraform_data.k.output }", `credentials_ref = { kind = "Secret", name = "aws-1" }`},
		"the kind, an id":       {"pool = { kind = terraform_data.k.output }", `credentials_ref = { id = "aws-1" }`},
		"all of it, and a name": {`pool = terraform_data.k.output == "" ? null : { kind = terraform_data.k.output }`, `credentials_ref = { name = "aws-1" }`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewSupply(t, "aws-1")
			resource.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{{
				Config: l.Provider(test.pool) + later + acceptance.AccountOf(test.ref),
				Check:  resource.TestCheckResourceAttr(acceptance.AccountOne, "credentials_ref.name", "aws-1"),
			}}})
		})
	}
}
