package claim_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// twoAccounts is a landscape in which a claim could land on either account, so that staying means something.
func twoAccounts(t *testing.T) (acceptance.Landscape, string) {
	t.Helper()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	return l, l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1")
}

// The account of a claim that was imported, and never recorded, is not written when it is another tenant's: the label alone says whose it is.
func TestAccClaimDrift_anotherTenantHoldsTheImported(t *testing.T) {
	t.Parallel()
	l := brokerHeld(t)
	config := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1")
	var before map[string]string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: config + importing("id = %q", "ga-1/aws-1/blue")},
			{
				PreConfig: func() {
					l.PatchLabels(t, "aws-1", map[string]*string{"tenantName": acceptance.Text("ga-rival")})
					before = l.Versions(t)
				},
				Config:  config,
				Destroy: true,
				Check: func(*terraform.State) error {
					return acceptance.Equal("versions of the accounts", fmt.Sprint(l.Versions(t)), fmt.Sprint(before))
				},
			},
		},
	})
}

// A configuration that ignores changes of global_account gives the provider the Global Account of the label in place of its own. Where
// another party changes the label, the claim stays where its clusters are all the same.
func TestAccClaimDrift_ignoredTenant(t *testing.T) {
	t.Parallel()
	l, _ := twoAccounts(t)
	config := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `binding_name = "aws-1"`,
		"lifecycle {\n ignore_changes = [global_account]\n}")
	labelled := func(tenant *string) resource.TestStep {
		return resource.TestStep{
			PreConfig: func() { l.PatchLabels(t, "aws-1", map[string]*string{"tenantName": tenant}) }, Config: config, PlanOnly: true,
		}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: config}, labelled(acceptance.Text("ga-2")), labelled(acceptance.Text("ga-1")),
		},
	})
}

func TestAccClaimDrift_aForbiddenReadNeverDropsTheClaim(t *testing.T) {
	t.Parallel()
	l, config := twoAccounts(t)
	weak := l.ServiceAccount(t, "weak", []byte(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: weak}
rules:
- {apiGroups: [core.gardener.cloud], resources: [shoots], verbs: [list]}
`))
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: config},
			{
				Config: fmt.Sprintf("provider \"hap\" {\n kubernetes = { config_path = %q }\n}\n",
					weak.Kubeconfig(t)) + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1"),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryForbidden, fmt.Sprintf("not allowed to list credentialsbindings in namespace %q", l.Name),
					`Grant the verb "list"`),
			},
			{Config: config, PlanOnly: true},
		},
	})
}
