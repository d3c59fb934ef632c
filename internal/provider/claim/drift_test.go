package claim_test

import (
	"fmt"
	"strings"
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

// A configuration that names the Global Account which the label of a claimed account names by now makes no claim for it, and each plan says so.
// What else it changes is refused before a write, also where the label was put back and nothing was read since. -replace makes that claim.
func TestAccClaimDrift_followedByTheConfiguration(t *testing.T) {
	t.Parallel()
	l, _ := twoAccounts(t)
	folder := acceptance.NewFolder(t, l)
	write := func(tenant string, extra ...string) {
		acceptance.WriteFile(t, folder, "main.tf", acceptance.Requiring+l.Provider()+acceptance.RulesAWS+acceptance.ClaimOf("one", tenant, extra...))
	}
	label := func(tenant string) { l.PatchLabels(t, "aws-1", map[string]*string{"tenantName": &tenant}) }
	says := func(exit int, args ...string) {
		t.Helper()
		versions := fmt.Sprint(l.Versions(t))
		got := folder.Run(t, args...)
		text := strings.Join(strings.Fields(strings.ReplaceAll(got.Output, "│", " ")), " ")
		if got.ExitCode != exit || !strings.Contains(text, "and there is no claim of ga-2 here") {
			t.Errorf("%v ends with %d: %s", args, got.ExitCode, text)
		}
		if now := fmt.Sprint(l.Versions(t)); now != versions {
			t.Errorf("%v has written: %s, before %s", args, now, versions)
		}
	}
	write("ga-1", `binding_name = "aws-1"`)
	acceptance.Run(t, folder, "apply", "-auto-approve")
	label("ga-2")
	write("ga-2", `binding_name = "aws-1"`)
	says(0, "plan", "-detailed-exitcode")
	says(0, "apply", "-auto-approve")
	write("ga-2", `binding_name = "aws-1"`, `owner = "me"`)
	says(1, "apply", "-auto-approve")
	acceptance.Run(t, folder, "apply", "-auto-approve", "-refresh-only")
	label("ga-1")
	says(1, "apply", "-auto-approve", "-refresh=false")
	write("ga-1", `binding_name = "aws-1"`, `owner = "me"`)
	acceptance.Run(t, folder, "apply", "-auto-approve")
	label("ga-2")
	write("ga-2", `owner = "me"`)
	acceptance.Run(t, folder, "apply", "-auto-approve", "-replace", "hap_credentials_binding_claim.one")
	if got := l.GetAccount(t, "aws-1").Labels["tenantName"]; got != "ga-2" || l.Records(t, "aws-1") != 1 {
		t.Errorf("aws-1 is held by %q, with %d records", got, l.Records(t, "aws-1"))
	}
	acceptance.Run(t, folder, "destroy", "-auto-approve")
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
