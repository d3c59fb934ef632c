package status_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/postgres"
)

// annotated returns the annotations of an account on which a claim has left its record.
func annotated(t *testing.T, record account.Record) map[string]string {
	t.Helper()
	value, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{account.AnnotationPrefix + "0123456789abcdef0123456789abcdef01234567": string(value)}
}

// trouble is one of the problems, by the account and what it is.
func trouble(account string, kind overview.ProblemKind, text string) knownvalue.Check {
	return knownvalue.ObjectPartial(map[string]knownvalue.Check{
		"account": knownvalue.StringExact(account), "kind": knownvalue.StringExact(string(kind)),
		"text": knownvalue.StringRegexp(regexp.MustCompile(text)), "remedy": knownvalue.NotNull(),
	})
}

func TestAccPoolStatus(t *testing.T) {
	t.Parallel()
	fenced := account.Record{
		Name: "old", GlobalAccount: "ga-2", Pool: "gcp", ClaimedAt: time.Now().Add(-100 * 24 * time.Hour),
		ReleasingSince: time.Now().Add(-75 * time.Hour), Version: 1,
	}
	l := acceptance.NewLandscape(t, acceptance.AccountWith("aws-1"), acceptance.AccountWith("aws-2"),
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "aws-4", HyperscalerType: "aws", Labels: map[string]string{"dirty": "false"}},
		testbed.AccountSpec{Name: "aws-5", HyperscalerType: "aws", Labels: map[string]string{"tenantName": ""},
			Annotations: annotated(t, account.Record{Name: "gone", GlobalAccount: "ga-9"})},
		testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp", Tenant: "ga-2", Labels: map[string]string{"dirty": "releasing"},
			Annotations: annotated(t, fenced)},
		testbed.AccountSpec{Name: "trial-1", HyperscalerType: "aws", Shared: true})
	l.Shoots(t, "aws-1", 3)
	l.Shoots(t, "aws-2", 1)
	l.Shoots(t, "trial-1", 2)
	multi := "multi_account = {\n allowed_global_accounts = [\"ga-1\"]\n limits = { default = 2 }\n}"
	claim := acceptance.ClaimOf("blue", "ga-1", `cluster_name = "blue"`, `owner = "pipeline"`, `on_destroy = "keep"`)
	var before map[string]string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{
				Config: l.Provider(multi) + acceptance.RulesAWS + claim + acceptance.StatusBlock("depends_on = [hap_credentials_binding_claim.blue]"),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(acceptance.StatusNow, tfjsonpath.New("accounts").AtSliceIndex(1), knownvalue.ObjectExact(map[string]knownvalue.Check{
						"name": knownvalue.StringExact("aws-2"), "hyperscaler_type": knownvalue.StringExact("aws"),
						"global_account": knownvalue.StringExact("ga-1"),
						"shared":         knownvalue.Bool(false), "eu_access": knownvalue.Bool(false), "dirty": knownvalue.Bool(false),
						"releasing": knownvalue.Bool(false), "class": knownvalue.StringExact("held"), "dirty_since": knownvalue.Null(),
						"quarantine": knownvalue.Null(), "free_since": knownvalue.Null(), "cools_until": knownvalue.Null(),
						"internal": knownvalue.Bool(false), "deleting": knownvalue.Bool(false), "clusters": knownvalue.Int64Exact(1),
						"reserved": knownvalue.Int64Exact(1),
						"shoots":   knownvalue.Int64Exact(1), "instances": knownvalue.Null(), "own_instances": knownvalue.Null(),
						"other_instances": knownvalue.Null(),
						"suspended":       knownvalue.Null(), "limit": knownvalue.Int64Exact(2), "problems": knownvalue.ListExact([]knownvalue.Check{}),
						"claims": knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectExact(map[string]knownvalue.Check{
							"name": knownvalue.StringExact("blue"), "owner": knownvalue.StringExact("pipeline"),
							"cluster_name": knownvalue.StringExact("blue"), "claimed_at": knownvalue.NotNull(),
							"expires_at": knownvalue.Null(), "expired": knownvalue.Bool(false),
						})}),
					})),
					acceptance.StatusOf("accounts", knownvalue.ListSizeExact(7)),
					acceptance.StatusOf("pools", knownvalue.ListExact([]knownvalue.Check{
						knownvalue.ObjectPartial(acceptance.Numbers(map[string]int64{"total": 5,
							"claimed": 2, "unclaimed": 1, "dirty": 0, "occupied": 0, "unclear": 0, "duplicate": 0, "unreachable": 2, "clusters": 4, "reserved": 1})),
						knownvalue.ObjectPartial(acceptance.Numbers(map[string]int64{"total": 1, "claimed": 0, "unclaimed": 0, "clusters": 2})),
						knownvalue.ObjectPartial(acceptance.Numbers(map[string]int64{"total": 1, "claimed": 0, "unclaimed": 0, "dirty": 1})),
					})),
					acceptance.StatusOf("global_accounts", knownvalue.ListExact([]knownvalue.Check{
						knownvalue.ObjectExact(map[string]knownvalue.Check{
							"global_account": knownvalue.StringExact("ga-1"), "accounts": knownvalue.Int64Exact(2), "clusters": knownvalue.Int64Exact(4),
							"reserved": knownvalue.Int64Exact(1), "capacity_left": knownvalue.Int64Exact(0),
							"hyperscaler_types": knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectExact(map[string]knownvalue.Check{
								"hyperscaler_type": knownvalue.StringExact("aws"), "accounts": knownvalue.Int64Exact(2), "clusters": knownvalue.Int64Exact(4),
								"reserved": knownvalue.Int64Exact(1), "capacity_left": knownvalue.Int64Exact(0),
							})}),
						}),
						knownvalue.ObjectPartial(map[string]knownvalue.Check{"global_account": knownvalue.StringExact("ga-2"),
							"capacity_left": knownvalue.Null()}),
					})),
					acceptance.StatusOf("problems", knownvalue.ListExact([]knownvalue.Check{
						trouble("aws-4", overview.ProblemUnreachable, "bears dirty=false"),
						trouble("aws-5", overview.ProblemUnreachable, "bears tenantName="),
						trouble("gcp-1", overview.ProblemFence, `\(3 days\)`),
						trouble("aws-1", overview.ProblemOverLimit, "3 of 2 places"),
						trouble("aws-5", overview.ProblemVoidClaim, "gone of ga-9"),
						trouble("gcp-1", overview.ProblemVoidClaim, "old of ga-2 lies under a key that is not its own"),
					})),
					acceptance.StatusOf("prometheus",
						knownvalue.StringRegexp(regexp.MustCompile(`(?m)^keb_shoots_per_credentials_binding\{credentials_binding="aws-1",`+
							`global_account_id="ga-1",hyperscaler_type="aws"\} 3$`))),
					acceptance.StatusOf("report", knownvalue.StringRegexp(regexp.MustCompile(`(?m)^\| aws-2 .*█████▒▒▒▒▒ 100 %`))),
				},
			},
			{ // the same pool gives the same report
				PreConfig:        func() { before = l.Versions(t) },
				Config:           l.Provider(multi) + acceptance.RulesAWS + claim + acceptance.StatusBlock("depends_on = [hap_credentials_binding_claim.blue]"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
			{
				Config: l.Provider(multi) + acceptance.RulesAWS + claim + acceptance.StatusBlock(`hyperscaler_type = "gcp"`),
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.StatusOf("accounts", knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectPartial(map[string]knownvalue.Check{
						"name": knownvalue.StringExact("gcp-1"), "dirty": knownvalue.Bool(true), "releasing": knownvalue.Bool(true),
						"problems": knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("fence"), knownvalue.StringExact("void_claim")}),
					})})),
					acceptance.StatusOf("pools", knownvalue.ListSizeExact(1)),
				},
			},
			{
				Config:      l.Provider(multi) + acceptance.RulesAWS + claim + acceptance.StatusBlock(`global_account = "not/a label"`),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryInvalidGA),
			},
			{
				PreConfig: func() {
					if after := l.Versions(t); fmt.Sprint(before) != fmt.Sprint(after) {
						t.Errorf("a status wrote: versions were %v, are %v", before, after)
					}
				},
				Config: l.Provider(multi) + acceptance.RulesAWS + claim + acceptance.StatusBlock(`global_account = "ga-9"`),
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.StatusOf("accounts", knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectPartial(map[string]knownvalue.Check{
						"name": knownvalue.StringExact("aws-5"), "global_account": knownvalue.Null(),
					})})),
					acceptance.StatusOf("global_accounts", knownvalue.ListExact([]knownvalue.Check{})),
				},
			},
		},
	})
}

// An account that a Global Account holds by another binding of its Secret is that Global Account's in each output, and counts once.
func TestAccPoolStatus_heldByAnotherBinding(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	l.Accounts(t, testbed.AccountSpec{Name: "aws-1", Kind: testbed.SecretBinding, Secret: "aws-1", Tenant: "ga-1"})
	l.Shoots(t, "aws-1", 1)
	multi := "multi_account = {\n allowed_global_accounts = [\"ga-1\"]\n limits = { default = 3 }\n}"
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{{
		Config: l.Provider(multi) + acceptance.StatusBlock(""),
		ConfigStateChecks: []statecheck.StateCheck{
			acceptance.StatusOf("accounts", knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectPartial(map[string]knownvalue.Check{
				"name": knownvalue.StringExact("aws-1"), "class": knownvalue.StringExact("held"), "global_account": knownvalue.StringExact("ga-1"),
				"limit": knownvalue.Int64Exact(3),
			})})),
			acceptance.StatusOf("pools", knownvalue.ListExact([]knownvalue.Check{
				knownvalue.ObjectPartial(acceptance.Numbers(map[string]int64{"total": 1, "claimed": 1, "clusters": 1})),
			})),
			acceptance.StatusOf("global_accounts", knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectPartial(map[string]knownvalue.Check{
				"global_account": knownvalue.StringExact("ga-1"), "accounts": knownvalue.Int64Exact(1), "capacity_left": knownvalue.Int64Exact(2),
			})})),
			acceptance.StatusOf("problems", knownvalue.ListExact([]knownvalue.Check{
				trouble("aws-1", overview.ProblemSameCredentials, "SecretBinding aws-1 is held by Global Account ga-1"),
			})),
			acceptance.StatusOf("prometheus", knownvalue.StringRegexp(regexp.MustCompile(`(?m)^keb_credentials_bindings_per_ga\{`+
				`global_account_id="ga-1"\} 1$`))),
			acceptance.StatusOf("report", knownvalue.StringRegexp(regexp.MustCompile(`(?m)^\| aws-1 +\| ga-1 `))),
		},
	}}})
}

// What another binding of the credentials bears is a problem of the account, with the age of its label, and no command is printed for it. A
// binding that says no more than that the account is its tenant's, as a move leaves it, hides no command.
func TestAccPoolStatus_markedByAnotherBinding(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws", Tenant: "ga-1"},
		testbed.AccountSpec{Name: "aws-3", HyperscalerType: "aws", Tenant: "ga-1", Dirty: true},
		testbed.AccountSpec{Name: "aws-4", HyperscalerType: "aws", Tenant: "ga-1", Dirty: true})
	beside := func(name, tenant, dirty string) testbed.AccountSpec {
		return testbed.AccountSpec{Name: name, Kind: testbed.SecretBinding, Secret: name, Tenant: tenant, Labels: map[string]string{"dirty": dirty}}
	}
	moved := testbed.AccountSpec{Name: "aws-4", Kind: testbed.SecretBinding, Secret: "aws-4", HyperscalerType: "aws", Tenant: "ga-1"}
	l.Accounts(t, beside("aws-1", "ga-1", "releasing"), beside("aws-2", "ga-1", "true"), beside("aws-3", "ga-2", "false"), moved)
	for _, name := range []string{"aws-1", "aws-2", "aws-3", "aws-4"} {
		l.Shoots(t, name, 1)
	}
	said := func(account string, kind overview.ProblemKind, text string) knownvalue.Check {
		return knownvalue.ObjectPartial(map[string]knownvalue.Check{
			"account": knownvalue.StringExact(account), "kind": knownvalue.StringExact(string(kind)),
			"text": knownvalue.StringRegexp(regexp.MustCompile(text)), "command": knownvalue.Null(),
		})
	}
	inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: acceptance.Factories, Steps: []resource.TestStep{{
		Config: l.Provider() + acceptance.StatusBlock(""),
		ConfigStateChecks: []statecheck.StateCheck{acceptance.StatusOf("problems", knownvalue.ListExact([]knownvalue.Check{
			said("aws-2", overview.ProblemDirtyInUse, "1 cluster is counted on it, and SecretBinding aws-2, which has the same credentials, is marked"),
			said("aws-3", overview.ProblemDirtyInUse, "1 cluster is counted on it, and it is marked"),
			knownvalue.ObjectPartial(map[string]knownvalue.Check{
				"account": knownvalue.StringExact("aws-4"), "kind": knownvalue.StringExact(string(overview.ProblemDirtyInUse)),
				"command": knownvalue.StringRegexp(regexp.MustCompile(" aws-4 dirty-$")),
			}),
			said("aws-1", overview.ProblemSameCredentials, "SecretBinding aws-1"),
			said("aws-2", overview.ProblemSameCredentials, "SecretBinding aws-2"),
			said("aws-3", overview.ProblemSameCredentials, "SecretBinding aws-3 is held by Global Account ga-2"),
			said("aws-4", overview.ProblemSameCredentials, "SecretBinding aws-4"),
			said("aws-1", overview.ProblemFence, `^The fence \(dirty=releasing\) of SecretBinding aws-1, .* at least since .* \(less than an hour\)`),
		}))},
	}}})
}

// With the broker's database beside Gardener the status shows both numbers, whose clusters they are, and where they differ.
func TestAccPoolStatus_database(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, acceptance.AccountWith("aws-1"), testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	l.Shoots(t, "aws-1", 2)
	database := postgres.Shared(t).NewDatabase(t)
	database.Insert(t,
		postgres.InstanceRow{GlobalAccount: "ga-1", Account: "aws-1"}, postgres.InstanceRow{GlobalAccount: "ga-1", Account: "aws-1",
			Suspended: true},
		postgres.InstanceRow{GlobalAccount: "ga-2", Account: "aws-1"}, postgres.InstanceRow{GlobalAccount: "ga-1", Account: "aws-1"},
		postgres.InstanceRow{GlobalAccount: "ga-3", Account: "aws-2"}, postgres.InstanceRow{GlobalAccount: "ga-1"})
	both := fmt.Sprintf("database = { url = %q }\ncluster_count = { source = \"both\" }", database.ReaderURL())
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{{
			Config: l.Provider(both) + acceptance.StatusBlock(""),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(acceptance.StatusNow, tfjsonpath.New("accounts").AtSliceIndex(0), knownvalue.ObjectPartial(acceptance.Numbers(map[string]int64{
					"clusters": 4, "shoots": 2, "instances": 4, "own_instances": 3, "other_instances": 1, "suspended": 1,
				}))),
				acceptance.StatusOf("problems", knownvalue.ListExact([]knownvalue.Check{
					trouble("aws-2", overview.ProblemOccupied, `ga-3 \(1\)`),
					trouble("aws-1", overview.ProblemForeignRows, `ga-1 holds it, and 1 row .* belongs to others: ga-2 \(1\)`),
					trouble("aws-1", overview.ProblemCountDiffers, "2 Shoots, the broker's database 4 rows, 1 of them suspended"),
					trouble("aws-2", overview.ProblemCountDiffers, "0 Shoots, the broker's database 1 row,"),
					knownvalue.ObjectPartial(map[string]knownvalue.Check{"account": knownvalue.Null(), "kind": knownvalue.StringExact("unassigned_rows")}),
				})),
				acceptance.StatusOf("report", knownvalue.StringRegexp(regexp.MustCompile("counted by Gardener and the broker's database"))),
			},
		}},
	})
}
