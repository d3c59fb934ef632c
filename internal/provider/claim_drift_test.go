package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

func text(s string) *string { return &s }

// twoAccounts is a landscape in which a claim could land on either account, so that staying means something.
func twoAccounts(t *testing.T) (landscape, string) {
	t.Helper()
	l := newLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	return l, l.provider() + rulesAWS + claimOf("blue", "ga-1")
}

// chosen returns the account that ga-1 holds, and the other one.
func (l landscape) chosen(t *testing.T) (account, other string) {
	t.Helper()
	if l.tenant(t, "aws-1") == "ga-1" {
		return "aws-1", "aws-2"
	}
	return "aws-2", "aws-1"
}

func TestAccClaimDrift_tenantLabelRemoved(t *testing.T) {
	t.Parallel()
	l, config := twoAccounts(t)
	var account, other string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() {
					account, other = l.chosen(t)
					l.PatchLabels(t, account, map[string]*string{"tenantName": nil})
				},
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(claimBlue, plancheck.ResourceActionUpdate), // shown, never silent
				}},
				Check: func(*terraform.State) error { // the same account again, and nothing else touched
					if err := equal("tenant of the account", l.tenant(t, account), "ga-1"); err != nil {
						return err
					}
					return equal("tenant of the other account", l.tenant(t, other), "")
				},
			},
		},
	})
}

func TestAccClaimDrift_anotherTenantHoldsIt(t *testing.T) {
	t.Parallel()
	l, config := twoAccounts(t)
	var account, other string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() {
					account, other = l.chosen(t)
					l.PatchLabels(t, account, map[string]*string{"tenantName": text("ga-rival")})
				},
				Config:      config,
				ExpectError: errorLike(diagnose.SummaryTaken, "is held by Global Account ga-rival, not by ga-1"),
			},
			{
				Config:  config,
				Destroy: true, // gives up the claim, touches nothing
				Check: func(*terraform.State) error {
					a := l.GetAccount(t, account)
					if a.Labels["tenantName"] != "ga-rival" || a.Labels["dirty"] != "" {
						return fmt.Errorf("the rival's account was written: labels %v", a.Labels)
					}
					return equal("tenant of the other account", l.tenant(t, other), "")
				},
			},
		},
	})
}

// Nor is the account of a claim that was imported, and never recorded: the label alone says whose it is.
func TestAccClaimDrift_anotherTenantHoldsTheImported(t *testing.T) {
	t.Parallel()
	l := brokerHeld(t)
	config := l.provider() + rulesAWS + claimOf("blue", "ga-1")
	var before map[string]string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: config + importing("id = %q", "ga-1/aws-1/blue")},
			{
				PreConfig: func() {
					l.PatchLabels(t, "aws-1", map[string]*string{"tenantName": text("ga-rival")})
					before = l.versions(t)
				},
				Config:  config,
				Destroy: true,
				Check: func(*terraform.State) error {
					return equal("versions of the accounts", fmt.Sprint(l.versions(t)), fmt.Sprint(before))
				},
			},
		},
	})
}

func TestAccClaimDrift_deleted(t *testing.T) {
	t.Parallel()
	l, config := twoAccounts(t)
	var account, other string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() { account, other = l.chosen(t); l.DeleteAccount(t, account) },
				Config:    config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(claimBlue, plancheck.ResourceActionCreate),
				}},
				Check: func(*terraform.State) error { return equal("tenant of the other account", l.tenant(t, other), "ga-1") },
			},
		},
	})
}

func TestAccClaimDrift_recreatedUnderItsName(t *testing.T) {
	t.Parallel()
	l := newLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	config := l.provider() + rulesAWS + claimOf("blue", "ga-1")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() {
					l.DeleteAccount(t, "aws-1")
					l.Accounts(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-other"})
				},
				Config:      config,
				ExpectError: errorLike(diagnose.SummaryExhausted, "held 1"),
			},
		},
	})
	if got := l.tenant(t, "aws-1"); got != "ga-other" {
		t.Errorf("the new account under the old name is held by %q, want ga-other", got)
	}
	if dirty := l.GetAccount(t, "aws-1").Labels["dirty"]; dirty != "" {
		t.Errorf("the new account was marked dirty=%s by the destroy at the end of the test", dirty)
	}
}

func TestAccClaimDrift_dirtyIsShownAndNeverTakenAway(t *testing.T) {
	t.Parallel()
	l, config := twoAccounts(t)
	var account string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() { account, _ = l.chosen(t); l.PatchLabels(t, account, map[string]*string{"dirty": text("true")}) },
				Config:    config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(claimBlue, plancheck.ResourceActionNoop),
				}},
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(claimBlue, tfjsonpath.New("dirty"), knownvalue.Bool(true))},
				Check: func(*terraform.State) error {
					return equal("label dirty", l.GetAccount(t, account).Labels["dirty"], "true")
				},
			},
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
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: config},
			{
				Config: fmt.Sprintf("provider \"hap\" {\n kubernetes = { config_path = %q }\n}\n",
					weak.Kubeconfig(t)) + rulesAWS + claimOf("blue", "ga-1"),
				ExpectError: errorLike(diagnose.SummaryForbidden, fmt.Sprintf("not allowed to list credentialsbindings in namespace %q", l.Name),
					`Grant the verb "list"`),
			},
			{Config: config, PlanOnly: true},
		},
	})
}
