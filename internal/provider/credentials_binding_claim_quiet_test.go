package provider

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// A changed owner changes nothing else: the plan shows no attribute as known after apply. Where a place comes to be
// reserved, that number alone is open.
func TestAccClaim_quietUpdate(t *testing.T) {
	t.Parallel()
	l := newLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	multi := l.provider(`multi_account = { allowed_global_accounts = ["*"], limits = { default = 5 } }`)
	known := func(attribute string, value knownvalue.Check) plancheck.PlanCheck {
		return plancheck.ExpectKnownValue(claimBlue, tfjsonpath.New(attribute), value)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: multi + rulesAWS + claimOf("blue", "ga-1", `owner = "one"`)},
			{
				PreConfig: func() { l.Shoots(t, "aws-1", 2) },
				Config:    multi + rulesAWS + claimOf("blue", "ga-1", `owner = "two"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(claimBlue, plancheck.ResourceActionUpdate),
					known("cluster_count", knownvalue.Int64Exact(2)), known("reserved", knownvalue.Int64Exact(0)),
					known("limit", knownvalue.Int64Exact(5)), known("dirty", knownvalue.Bool(false)),
				}},
			},
			{
				Config: multi + rulesAWS + claimOf("blue", "ga-1", `owner = "two"`, `cluster_name = "to-come"`, `on_destroy = "keep"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					known("cluster_count", knownvalue.Int64Exact(2)), plancheck.ExpectUnknownValue(claimBlue, tfjsonpath.New("reserved")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(claimBlue, tfjsonpath.New("reserved"), knownvalue.Int64Exact(1))},
			},
		},
	})
}

// What a plan has promised stands, though a cluster came meanwhile; what it left open is what was found.
func TestClaim_updateKeepsThePlan(t *testing.T) {
	t.Parallel()
	m := claimModel{ClusterCount: types.Int64Value(2), Limit: types.Int64Null(), Dirty: types.BoolValue(false), Reserved: types.Int64Unknown()}
	m.updatedAs(pool.Status{
		Account: pool.Account{Tenant: "ga-1", Dirty: pool.Dirtied}, Recorded: true, Record: pool.Record{ClaimedAt: time.Unix(0, 0)}, Clusters: 3, Reserved: 1, Limit: 9,
	}, "ga-1")
	if !m.ClusterCount.Equal(types.Int64Value(2)) || !m.Limit.IsNull() || m.Dirty.ValueBool() {
		t.Errorf("planned were 2 clusters, no limit, not dirty; came out %s, %s, %s", m.ClusterCount, m.Limit, m.Dirty)
	}
	if !m.Reserved.Equal(types.Int64Value(1)) {
		t.Errorf("reserved is %s, want the 1 that was found", m.Reserved)
	}
}
