package provider

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// What does not pass by itself is told: accounts that stay dirty, with their age by the server, objects that are no accounts, claims
// beyond their lease, pools that no rule leads to.
func TestAccPoolStatus_stuck(t *testing.T) {
	t.Parallel()
	l := newLandscape(t)
	expired := pool.Record{Name: "blue", GlobalAccount: "ga-1", Pool: "gcp", ClaimedAt: time.Now().Add(-3 * time.Hour),
		Details: pool.Details{Owner: "pipeline-7", Lease: "2h"}}
	l.Accounts(t,
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Dirty: true},
		testbed.AccountSpec{Name: "cc-1", HyperscalerType: "openstack_eu-de-1", Dirty: true},
		testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp", Tenant: "ga-1", Annotations: l.claimed(t, expired)},
		testbed.AccountSpec{Name: "gcp-2", HyperscalerType: "gcp", Labels: map[string]string{"eu-access": "true"}},
		testbed.AccountSpec{Name: "lost", Labels: map[string]string{"hyperscaler-type": "aws"}})
	since := func(i int, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(statusNow, tfjsonpath.New("accounts").AtSliceIndex(i).AtMapKey("dirty_since"), check)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{
				Config: l.provider() + rulesAWS + statusBlock(`rule_set = { rules = ["aws", "sap-converged-cloud(CR=*)"] }`),
				ConfigStateChecks: []statecheck.StateCheck{
					statusOf("problems", knownvalue.ListExact([]knownvalue.Check{
						trouble("gcp-2", overview.ProblemStray, "eu-access looks like euAccess"),
						trouble("lost", overview.ProblemStray, "lacks the label hyperscalerType.*hyperscaler-type looks like hyperscalerType"),
						trouble("cc-1", overview.ProblemStranded, `provider type openstack: .* at least since .* \(less than an hour\)`),
						trouble("gcp-1", overview.ProblemExpired, `blue \(owner pipeline-7\) since .* \(1 hour\)`),
						knownvalue.ObjectPartial(map[string]knownvalue.Check{"account": knownvalue.Null(),
							"kind": knownvalue.StringExact("unused_pool")}),
						trouble("aws-1", overview.ProblemDirty, `at least since .* \(less than an hour\)`),
					})),
					since(0, knownvalue.NotNull()), since(1, knownvalue.NotNull()), since(2, knownvalue.Null()),
					statusOf("unused_pools", knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectExact(map[string]knownvalue.Check{
						"hyperscaler_type": knownvalue.StringExact("gcp"), "shared": knownvalue.Bool(false), "eu_access": knownvalue.Bool(false),
						"total": knownvalue.Int64Exact(2), "unclaimed": knownvalue.Int64Exact(1),
					})})),
				},
			},
			{
				Config: l.provider("clean_up_types = [\"openstack\"]") + rulesAWS + statusBlock(`hyperscaler_type = "aws"`),
				ConfigStateChecks: []statecheck.StateCheck{
					statusOf("problems", knownvalue.ListExact([]knownvalue.Check{
						trouble("aws-1", overview.ProblemStranded, "provider type aws"),
					})),
				},
			},
			{
				Config: l.provider() + rulesAWS + statusBlock("expired_claims = true"),
				ConfigStateChecks: []statecheck.StateCheck{
					statusOf("accounts", knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectPartial(map[string]knownvalue.Check{
						"name": knownvalue.StringExact("gcp-1"), "claims": knownvalue.ListExact([]knownvalue.Check{
							knownvalue.ObjectPartial(map[string]knownvalue.Check{"expired": knownvalue.Bool(true), "expires_at": knownvalue.NotNull()}),
						}),
					})})),
				},
			},
		},
	})
}
