package provider

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// recorded returns the claim record of that name on an account; nil where there is none.
func (l landscape) recorded(t *testing.T, accountName, name string) *account.Record {
	t.Helper()
	for key, text := range l.GetAccount(t, accountName).Annotations {
		var record account.Record
		if strings.HasPrefix(key, account.AnnotationPrefix) && json.Unmarshal([]byte(text), &record) == nil && record.Name == name {
			return &record
		}
	}
	return nil
}

// importing is an import block for the claim blue.
func importing(format string, values ...any) string {
	return "import {\n  to = hap_credentials_binding_claim.blue\n  " + fmt.Sprintf(format, values...) + "\n}\n"
}

// brokerHeld makes a pool in which the broker has claimed aws-1 for ga-1.
func brokerHeld(t *testing.T) landscape {
	t.Helper()
	return newLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
}

// An account that the broker has claimed is taken into the state as it is: nothing to change, nothing written, for as
// long as nothing is asked for that has to be recorded. The next write records the claim.
func TestAccClaimImport_heldByTheBroker(t *testing.T) {
	t.Parallel()
	l := brokerHeld(t)
	before := l.versions(t)
	config := func(extra ...string) string {
		return l.provider() + rulesAWS + claimOf("blue", "ga-1", append(extra, `platform_region = "cf-eu10"`)...)
	}
	unwritten := func(*terraform.State) error {
		if now := l.versions(t); fmt.Sprint(now) != fmt.Sprint(before) {
			return fmt.Errorf("accounts were written: %v, before %v", now, before)
		}
		return nil
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: l.provider() + rulesAWS},
			{
				Config: config() + importing("id = %q", "ga-1/aws-1/blue"),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(claimBlue, plancheck.ResourceActionNoop)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: resource.ComposeAggregateTestCheckFunc(unwritten,
					resource.TestCheckResourceAttr(claimBlue, "plan", ""),
					resource.TestCheckResourceAttr(claimBlue, "newly_claimed", "false"),
					resource.TestCheckNoResourceAttr(claimBlue, "claimed_at")),
			},
			// The rules lead elsewhere by now: the claim stays.
			{
				Config: strings.Replace(config(), `rules = ["aws", `, `rules = ["aws(PR=cf-eu10)", `, 1),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(claimBlue,
					plancheck.ResourceActionNoop)}},
				Check: unwritten,
			},
			{
				Config: config(`owner = "team-a"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(claimBlue,
					plancheck.ResourceActionUpdate)}},
				Check: func(s *terraform.State) error {
					r := l.recorded(t, "aws-1", "blue")
					if r == nil || r.Owner != "team-a" || r.NewlyClaimed || r.Request.Plan != "aws" || r.Request.PlatformRegion != "cf-eu10" {
						return fmt.Errorf("recorded: %+v", r)
					}
					return resource.ComposeAggregateTestCheckFunc(
						resource.TestCheckResourceAttr(claimBlue, "plan", "aws"),
						resource.TestCheckResourceAttr(claimBlue, "platform_region", "cf-eu10"),
						resource.TestCheckNoResourceAttr(claimBlue, "hyperscaler_region"),
						resource.TestCheckResourceAttrSet(claimBlue, "claimed_at"))(s)
				},
			},
		},
	})
}

// A claim of ours is imported with all that its configuration says, on_destroy included.
func TestAccClaimImport_ours(t *testing.T) {
	t.Parallel()
	l := newLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	config := l.provider() + rulesAWS + claimOf("blue", "ga-1", `on_destroy = "return_to_pool"`, `owner = "team-a"`, `cluster_name = "c1"`,
		`hyperscaler_region = "eu-central-1"`)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: config},
			{
				Config: config, ResourceName: claimBlue, ImportState: true, ImportStateId: "ga-1/aws-1/blue",
				ImportStateKind: resource.ImportBlockWithID, // fails unless the plan is empty
			},
		},
	})
}

func TestAccClaimImport_byIdentity(t *testing.T) {
	t.Parallel()
	l := brokerHeld(t)
	config := l.provider() + rulesAWS + claimOf("blue", "ga-1")
	inprocess.Test(t, resource.TestCase{
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: l.provider() + rulesAWS},
			{
				Config: config + importing(`identity = { namespace = "garden-other", global_account = "ga-1", binding_name = "aws-1", name = `+
					`"blue" }`),
				ExpectError: errorLike(diagnose.SummarySettingsChanged, "the namespace of the claim is garden-other", "the provider's is "+l.Name),
			},
			{
				Config:      config + importing(`identity = { global_account = "ga-1", binding_name = "", name = "blue" }`),
				ExpectError: errorLike(diagnose.SummaryInvalidImport, `The identity's binding_name is ""`),
			},
			{
				Config: config + importing(`identity = { namespace = %q, global_account = "ga-1", binding_name = "aws-1", name = "blue" `+
					`}`, l.Name),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(claimBlue,
					plancheck.ResourceActionNoop)}},
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectIdentity(claimBlue, map[string]knownvalue.Check{
					"namespace": knownvalue.StringExact(l.Name), "global_account": knownvalue.StringExact("ga-1"),
					"binding_name": knownvalue.StringExact("aws-1"), "name": knownvalue.StringExact("blue"),
				})},
			},
			{Config: l.provider() + rulesAWS + claimOf("blue", "ga-1", `owner = "team-a"`)}, // an update keeps the identity
			{Config: l.provider() + rulesAWS + claimOf("blue", "ga-1", `owner = "team-a"`, `plan = "gcp"`),
				ExpectError: errorLike(diagnose.SummaryExhausted)},
		},
	})
}

// The identity says where a claim was made: a provider that leads elsewhere finds nothing there, and must not take that
// for "gone".
func TestAccClaim_otherNamespace(t *testing.T) {
	t.Parallel()
	l := newLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	other := newLandscape(t)
	config := rulesAWS + claimOf("blue", "ga-1")
	wrong := errorLike(diagnose.SummarySettingsChanged, "the namespace of the claim is "+l.Name, "the provider's is "+other.Name)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: l.provider() + config},
			{Config: other.provider() + config, ExpectError: wrong},
			{Config: other.provider() + rulesAWS, ExpectError: wrong},
			{Config: l.provider() + config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}},
		},
	})
}
