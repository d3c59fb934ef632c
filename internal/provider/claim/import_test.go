package claim_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// importing is an import block for the claim blue.
func importing(format string, values ...any) string {
	return "import {\n  to = hap_credentials_binding_claim.blue\n  " + fmt.Sprintf(format, values...) + "\n}\n"
}

// brokerHeld makes a pool in which the broker has claimed aws-1 for ga-1.
func brokerHeld(t *testing.T) acceptance.Landscape {
	t.Helper()
	return acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
}

// An account that the broker has claimed is taken into the state as it is: nothing to change, nothing written, for as
// long as nothing is asked for that has to be recorded. The next write records the claim.
func TestAccClaimImport_heldByTheBroker(t *testing.T) {
	t.Parallel()
	l := brokerHeld(t)
	before := l.Versions(t)
	config := func(extra ...string) string {
		return l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", append(extra, `platform_region = "cf-eu10"`)...)
	}
	unwritten := func(*terraform.State) error {
		if now := l.Versions(t); fmt.Sprint(now) != fmt.Sprint(before) {
			return fmt.Errorf("accounts were written: %v, before %v", now, before)
		}
		return nil
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: l.Provider() + acceptance.RulesAWS},
			{
				Config: config() + importing("id = %q", "ga-1/aws-1/blue"),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.ClaimBlue, plancheck.ResourceActionNoop)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: resource.ComposeAggregateTestCheckFunc(unwritten,
					resource.TestCheckResourceAttr(acceptance.ClaimBlue, "plan", ""),
					resource.TestCheckResourceAttr(acceptance.ClaimBlue, "newly_claimed", "false"),
					resource.TestCheckNoResourceAttr(acceptance.ClaimBlue, "claimed_at")),
			},
			// The rules lead elsewhere by now: the claim stays.
			{
				Config: strings.Replace(config(), `rules = ["aws", `, `rules = ["aws(PR=cf-eu10)", `, 1),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.ClaimBlue,
					plancheck.ResourceActionNoop)}},
				Check: unwritten,
			},
			{
				Config: config(`owner = "team-a"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.ClaimBlue,
					plancheck.ResourceActionUpdate)}},
				Check: func(s *terraform.State) error {
					r := l.Recorded(t, "aws-1", "blue")
					if r == nil || r.Owner != "team-a" || r.NewlyClaimed || r.Request.Plan != "aws" || r.Request.PlatformRegion != "cf-eu10" {
						return fmt.Errorf("recorded: %+v", r)
					}
					return resource.ComposeAggregateTestCheckFunc(
						resource.TestCheckResourceAttr(acceptance.ClaimBlue, "plan", "aws"),
						resource.TestCheckResourceAttr(acceptance.ClaimBlue, "platform_region", "cf-eu10"),
						resource.TestCheckNoResourceAttr(acceptance.ClaimBlue, "hyperscaler_region"),
						resource.TestCheckResourceAttrSet(acceptance.ClaimBlue, "claimed_at"))(s)
				},
			},
		},
	})
}

// A claim of ours is imported with all that its configuration says, on_destroy included.
func TestAccClaimImport_ours(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	config := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `on_destroy = "return_to_pool"`, `owner = "team-a"`, `cluster_name = "c1"`,
		`hyperscaler_region = "eu-central-1"`)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: config},
			{
				Config: config, ResourceName: acceptance.ClaimBlue, ImportState: true, ImportStateId: "ga-1/aws-1/blue",
				ImportStateKind: resource.ImportBlockWithID, // fails unless the plan is empty
			},
		},
	})
}

func TestAccClaimImport_byIdentity(t *testing.T) {
	t.Parallel()
	l := brokerHeld(t)
	config := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1")
	inprocess.Test(t, resource.TestCase{
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: l.Provider() + acceptance.RulesAWS},
			{
				Config: config + importing(`identity = { namespace = "garden-other", global_account = "ga-1", binding_name = "aws-1", name = `+
					`"blue" }`),
				ExpectError: acceptance.ErrorLike(diagnose.SummarySettingsChanged, "the namespace of the claim is garden-other", "the provider's is "+l.Name),
			},
			{
				Config:      config + importing(`identity = { global_account = "ga-1", binding_name = "", name = "blue" }`),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryInvalidImport, `The identity's binding_name is ""`),
			},
			{
				Config: config + importing(`identity = { namespace = %q, global_account = "ga-1", binding_name = "aws-1", name = "blue" `+
					`}`, l.Name),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.ClaimBlue,
					plancheck.ResourceActionNoop)}},
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectIdentity(acceptance.ClaimBlue, map[string]knownvalue.Check{
					"namespace": knownvalue.StringExact(l.Name), "global_account": knownvalue.StringExact("ga-1"),
					"binding_name": knownvalue.StringExact("aws-1"), "name": knownvalue.StringExact("blue"),
				})},
			},
			{Config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `owner = "team-a"`)}, // an update keeps the identity
			{Config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `owner = "team-a"`, `plan = "gcp"`),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryExhausted)},
		},
	})
}

// The identity says where a claim was made: a provider that leads elsewhere finds nothing there, and must not take that
// for "gone".
func TestAccClaim_otherNamespace(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	other := acceptance.NewLandscape(t)
	config := acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1")
	wrong := acceptance.ErrorLike(diagnose.SummarySettingsChanged, "the namespace of the claim is "+l.Name, "the provider's is "+other.Name)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: l.Provider() + config},
			{Config: other.Provider() + config, ExpectError: wrong},
			{Config: other.Provider() + acceptance.RulesAWS, ExpectError: wrong},
			{Config: l.Provider() + config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		},
	})
}
