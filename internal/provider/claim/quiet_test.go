package claim_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// A changed owner changes nothing else: the plan shows no attribute as known after apply. Where a place comes to be
// reserved, that number alone is open.
func TestAccClaim_quietUpdate(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	multi := l.Provider(`multi_account = { allowed_global_accounts = ["*"], limits = { default = 5 } }`)
	known := func(attribute string, value knownvalue.Check) plancheck.PlanCheck {
		return plancheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New(attribute), value)
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: multi + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `owner = "one"`)},
			{
				PreConfig: func() { l.Shoots(t, "aws-1", 2) },
				Config:    multi + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `owner = "two"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(acceptance.ClaimBlue, plancheck.ResourceActionUpdate),
					known("cluster_count", knownvalue.Int64Exact(2)), known("reserved", knownvalue.Int64Exact(0)),
					known("limit", knownvalue.Int64Exact(5)), known("dirty", knownvalue.Bool(false)),
				}},
			},
			{
				Config: multi + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `owner = "two"`, `cluster_name = "to-come"`, `on_destroy = "keep"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					known("cluster_count", knownvalue.Int64Exact(2)), plancheck.ExpectUnknownValue(acceptance.ClaimBlue, tfjsonpath.New("reserved")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("reserved"),
					knownvalue.Int64Exact(1))},
			},
		},
	})
}
