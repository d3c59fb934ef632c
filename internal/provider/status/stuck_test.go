package status_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// Accounts of no use are problems: dirty ones without a Secret, those in the pool of another provider type, and claims whose Shoot has
// not come in time. A Shoot that is there ends the wait, whatever the time.
func TestAccPoolStatus_accountsOfNoUse(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t)
	l.WorkloadIdentityAccount(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Dirty: true})
	waiting := func(name, cluster string, age time.Duration) map[string]string {
		return claimed(t, l, account.Record{Name: name, GlobalAccount: "ga-1", Pool: "azure", ClaimedAt: time.Now().Add(-age),
			Details: account.Details{ClusterName: cluster}})
	}
	claims := waiting("late", "c1", 25*time.Hour)
	maps.Copy(claims, waiting("young", "c2", 23*time.Hour))
	maps.Copy(claims, waiting("served", "c3", 100*time.Hour))
	l.Accounts(t, testbed.AccountSpec{Name: "azure-1", HyperscalerType: "azure", Tenant: "ga-1", Annotations: claims},
		testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp_cf-sa30", ProviderType: "aws"},
		testbed.AccountSpec{Name: "internal-1", HyperscalerType: "aws", Credentials: "InternalSecret", Dirty: true})
	l.Shoot(t, "c3", "azure-1")
	before := fmt.Sprint(l.Versions(t))
	lasting := []knownvalue.Check{
		trouble("gcp-1", overview.ProblemMisplaced, "of provider type aws, and the clusters of pool gcp_cf-sa30 are of gcp"),
		trouble("aws-1", overview.ProblemStranded, "credentials are of kind WorkloadIdentity"),
		trouble("internal-1", overview.ProblemStranded, "credentials are of kind InternalSecret"),
	}
	step := func(attribute, waits string) resource.TestStep {
		problems := slices.Clone(lasting)
		if waits != "" {
			problems = append(problems, trouble("azure-1", overview.ProblemWaiting, waits))
		}
		return resource.TestStep{Config: l.Provider() + acceptance.RulesAWS + acceptance.StatusBlock(attribute),
			ConfigStateChecks: []statecheck.StateCheck{acceptance.StatusOf("problems", knownvalue.ListExact(problems))}}
	}
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		step("", `^1 claim of ga-1 waits .*: late \(no owner is recorded\) for c1 since .* \(25 hours\)\.$`),
		step(`cluster_overdue_after = "26h"`, ""),
		step(`cluster_overdue_after = "22h30m"`, "^2 claims of ga-1 wait .* late .* young "),
		{Config: l.Provider() + acceptance.RulesAWS},
		{Config: l.Provider() + acceptance.RulesAWS + acceptance.StatusBlock(`cluster_overdue_after = "0s"`), PlanOnly: true,
			ExpectError: acceptance.ErrorLike(diagnose.SummaryInvalidTimeout, "1m")},
		{Config: l.Provider() + acceptance.RulesAWS},
	}})
	if after := fmt.Sprint(l.Versions(t)); after != before {
		t.Errorf("accounts were %s, and are %s", before, after)
	}
}

// A label shared or internal that is not true by the letter is a problem: a claim takes the account, as the broker does. Neither true nor
// false is one.
func TestAccPoolStatus_misspeltFlags(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Labels: map[string]string{"internal": "True"}},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Labels: map[string]string{"shared": "yes", "internal": "false"}},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws", Labels: map[string]string{"shared": "False"}},
		testbed.AccountSpec{Name: "aws-4", HyperscalerType: "aws", Internal: true}, testbed.AccountSpec{Name: "aws-5", HyperscalerType: "aws", Shared: true})
	before := fmt.Sprint(l.Versions(t))
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{{
		Config: l.Provider() + acceptance.StatusBlock(""),
		ConfigStateChecks: []statecheck.StateCheck{acceptance.StatusOf("problems", knownvalue.ListExact([]knownvalue.Check{
			trouble("aws-1", overview.ProblemMisspelt, "^It bears internal=True. .* without the label.$"),
			trouble("aws-2", overview.ProblemMisspelt, "^It bears shared=yes. "),
		}))},
	}}})
	if after := fmt.Sprint(l.Versions(t)); after != before {
		t.Errorf("accounts were %s, and are %s", before, after)
	}
}

// poolTrouble is one of the problems that concern a pool. It has no command.
func poolTrouble(kind overview.ProblemKind, text string) knownvalue.Check {
	return knownvalue.ObjectExact(map[string]knownvalue.Check{
		"account": knownvalue.Null(), "kind": knownvalue.StringExact(string(kind)), "text": knownvalue.StringExact(text),
		"remedy": knownvalue.StringExact(kind.Remedy()), "command": knownvalue.Null(),
	})
}

// A pool that rules name is in the lists without an account, and the metrics have its series.
func TestAccPoolStatus_poolsOfRules(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	config := l.Provider() + acceptance.StatusBlock(`rule_set = { rules = ["aws", "gcp(euAccess=*)", "azure(PR=*)"] }`)
	missing := func(pool, rule string) knownvalue.Check {
		return poolTrouble(overview.ProblemMissingPool, "No account is in "+pool+", to which "+rule+" leads.")
	}
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{
		{Config: config, ConfigStateChecks: []statecheck.StateCheck{
			acceptance.StatusOf("problems", knownvalue.ListExact([]knownvalue.Check{
				missing("pool gcp", `rule 2, "gcp(euAccess=*)"`), missing("pool gcp,euAccess", `rule 2, "gcp(euAccess=*)"`),
				missing("any pool azure_<platform_region>", `rule 3, "azure(PR=*)"`),
			})),
			acceptance.StatusOf("pools", knownvalue.ListExact([]knownvalue.Check{
				knownvalue.ObjectPartial(acceptance.Numbers(map[string]int64{"total": 1, "unclaimed": 1})),
				knownvalue.ObjectPartial(acceptance.Numbers(map[string]int64{"total": 0, "unclaimed": 0})),
				knownvalue.ObjectPartial(acceptance.Numbers(map[string]int64{"total": 0, "unclaimed": 0})),
			})),
			acceptance.StatusOf("unused_pools", knownvalue.ListExact([]knownvalue.Check{})),
			acceptance.StatusOf("prometheus", knownvalue.StringRegexp(regexp.MustCompile(
				`(?s)keb_available_credentials_bindings\{eu_access="true",hyperscaler_type="gcp"\} 0\n.*`+
					`hap_accounts\{class="free",eu_access="true",hyperscaler_type="gcp",namespace="`+l.Name+`"\} 0\n.*`+
					`hap_problems\{kind="missing_pool",namespace="`+l.Name+`"\} 3\n`))),
		}},
		{PreConfig: func() {
			l.Accounts(t, testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp", Tenant: "ga-1"},
				testbed.AccountSpec{Name: "gcp-2", HyperscalerType: "gcp", EUAccess: true}, testbed.AccountSpec{Name: "azure-1", HyperscalerType: "azure_x"})
			l.Shoot(t, "one", "gcp-1")
		}, Config: config, ConfigStateChecks: []statecheck.StateCheck{acceptance.StatusOf("problems", knownvalue.ListExact([]knownvalue.Check{
			poolTrouble(overview.ProblemEmptyPool, "Pool gcp has 1 account, and none is free: held 1."),
		}))}},
	}})
}

// What does not pass by itself is reported: accounts that stay dirty, with their age by the server, objects that are no accounts, claims
// beyond their lease, pools that no rule leads to.
func TestAccPoolStatus_stuck(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t)
	expired := account.Record{Name: "blue", GlobalAccount: "ga-1", Pool: "gcp", ClaimedAt: time.Now().Add(-3 * time.Hour),
		Details: account.Details{Owner: "pipeline-7", Lease: "2h"}}
	l.Accounts(t,
		testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Dirty: true},
		testbed.AccountSpec{Name: "cc-1", HyperscalerType: "openstack_eu-de-1", Dirty: true},
		testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp", Tenant: "ga-1", Annotations: claimed(t, l, expired)},
		testbed.AccountSpec{Name: "gcp-2", HyperscalerType: "gcp", Labels: map[string]string{"eu-access": "true"}},
		testbed.AccountSpec{Name: "lost", Labels: map[string]string{"hyperscaler-type": "aws"}})
	since := func(i int, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(acceptance.StatusNow, tfjsonpath.New("accounts").AtSliceIndex(i).AtMapKey("dirty_since"), check)
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{
				Config: l.Provider() + acceptance.RulesAWS + acceptance.StatusBlock(`rule_set = { rules = ["aws", "sap-converged-cloud(CR=*)"] }`),
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.StatusOf("problems", knownvalue.ListExact([]knownvalue.Check{
						poolTrouble(overview.ProblemEmptyPool, "Pool aws has 1 account, and none is free: dirty 1."),
						poolTrouble(overview.ProblemEmptyPool, "Pool openstack_eu-de-1 has 1 account, and none is free: dirty 1."),
						trouble("gcp-2", overview.ProblemStray, "eu-access looks like euAccess"),
						trouble("lost", overview.ProblemStray, "lacks the label hyperscalerType.*hyperscaler-type looks like hyperscalerType"),
						trouble("cc-1", overview.ProblemStranded, `provider type openstack: .* at least since .* \(less than an hour\)`),
						trouble("gcp-1", overview.ProblemExpired, `blue \(owner pipeline-7\) since .* \(1 hour\)`),
						poolTrouble(overview.ProblemUnusedPool, "No rule of the rule set leads to pool gcp, which has 2 accounts, 1 of them free."),
						trouble("aws-1", overview.ProblemDirty, `at least since .* \(less than an hour\)`),
					})),
					since(0, knownvalue.NotNull()), since(1, knownvalue.NotNull()), since(2, knownvalue.Null()),
					acceptance.StatusOf("unused_pools", knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectExact(map[string]knownvalue.Check{
						"hyperscaler_type": knownvalue.StringExact("gcp"), "shared": knownvalue.Bool(false), "eu_access": knownvalue.Bool(false),
						"total": knownvalue.Int64Exact(2), "unclaimed": knownvalue.Int64Exact(1),
					})})),
				},
			},
			{
				Config: l.Provider("clean_up_types = [\"openstack\"]") + acceptance.RulesAWS + acceptance.StatusBlock(`hyperscaler_type = "aws"`),
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.StatusOf("problems", knownvalue.ListExact([]knownvalue.Check{
						trouble("aws-1", overview.ProblemStranded, "provider type aws"),
					})),
				},
			},
			{
				Config: l.Provider() + acceptance.RulesAWS + acceptance.StatusBlock("expired_claims = true"),
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.StatusOf("accounts", knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectPartial(map[string]knownvalue.Check{
						"name": knownvalue.StringExact("gcp-1"), "claims": knownvalue.ListExact([]knownvalue.Check{
							knownvalue.ObjectPartial(map[string]knownvalue.Check{"expired": knownvalue.Bool(true), "expires_at": knownvalue.NotNull()}),
						}),
					})})),
				},
			},
		},
	})
}
