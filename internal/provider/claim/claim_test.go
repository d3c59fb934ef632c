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
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

func TestAccClaim_takesAFreeAccountAndStaysOnIt(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	config := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `owner = "test"`)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("hyperscaler_type"), knownvalue.StringExact("aws")),
					plancheck.ExpectUnknownValue(acceptance.ClaimBlue, tfjsonpath.New("binding_name")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("binding_name"), knownvalue.StringExact("aws-1")),
					statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("newly_claimed"), knownvalue.Bool(true)),
					statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("id"), knownvalue.StringExact("ga-1/aws-1/blue")),
					statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("provider_type"), knownvalue.StringExact("aws")),
					statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("rule_set"), knownvalue.Null()),
					statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("limit"), knownvalue.Null()),
					statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("credentials_ref"), knownvalue.ObjectPartial(map[string]knownvalue.Check{
						"kind": knownvalue.StringExact("Secret"), "namespace": knownvalue.StringExact(l.Name),
					})),
				},
				Check: func(*terraform.State) error {
					return acceptance.Equal("tenant of aws-1", l.Tenant(t, "aws-1"), "ga-1")
				},
			},
			{Config: config, PlanOnly: true}, // an empty plan
			{
				Config: config, ResourceName: acceptance.ClaimBlue, ImportState: true, ImportStateId: "ga-1/aws-1/blue", ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{"rule_set"},
			},
			{
				Config: config, ResourceName: acceptance.ClaimBlue, ImportState: true, ImportStateId: "ga-1/aws-1/blue",
				ImportStateKind: resource.ImportBlockWithID, // fails unless the plan is empty
			},
		},
		CheckDestroy: func(*terraform.State) error {
			return acceptance.Equal("label dirty of aws-1 after destroy", l.GetAccount(t, "aws-1").Labels["dirty"], "true")
		},
	})
	if n := l.Records(t, "aws-1"); n != 0 {
		t.Errorf("%d claim records are left on aws-1", n)
	}
}

func TestAccClaim_fillsTheMostPopulatedBelowTheLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		clusters map[string]int
		limit    int
		want     string
	}{
		"A 150":             {map[string]int{"a": 150}, 200, "a"},
		"A 200":             {map[string]int{"a": 200}, 200, "free"},
		"A 200, B 150":      {map[string]int{"a": 200, "b": 150}, 200, "b"},
		"A 199, B 150":      {map[string]int{"a": 199, "b": 150}, 200, "a"},
		"A 250, limit 180":  {map[string]int{"a": 250}, 180, "free"},
		"A 179, limit 180":  {map[string]int{"a": 179}, 180, "a"},
		"A 5, B 5, by name": {map[string]int{"b": 5, "a": 5}, 180, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "free", HyperscalerType: "aws"})
			for account, n := range c.clusters {
				l.Accounts(t, acceptance.AccountWith(account))
				l.Shoots(t, account, n)
			}
			multi := fmt.Sprintf("multi_account = {\n allowed_global_accounts = [\"ga-1\"]\n limits = { default = 1, aws = %d }\n}", c.limit)
			config := l.Provider(multi) + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `on_destroy = "keep"`) + acceptance.SelectionBlock()
			want := knownvalue.StringExact(c.want)
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				Steps: []resource.TestStep{{
					Config: config,
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("binding_name"), want),
						statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("newly_claimed"), knownvalue.Bool(c.want == "free")),
						statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("limit"), knownvalue.Int64Exact(int64(c.limit))),
						statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("cluster_count"), knownvalue.Int64Exact(int64(c.clusters[c.want]))),
						statecheck.ExpectKnownValue(acceptance.SelectionNext, tfjsonpath.New("binding_name"), want),
					},
				}},
			})
			for _, a := range l.ListAccounts(t) {
				if a.Name != c.want && a.Annotations != nil {
					t.Errorf("account %s, which was not chosen, bears %v", a.Name, a.Annotations)
				}
			}
		})
	}
}

func TestAccClaim_withoutMultiAccountTheFirstByName(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, acceptance.AccountWith("b"), acceptance.AccountWith("a"), testbed.AccountSpec{Name: "free", HyperscalerType: "aws"})
	l.Shoots(t, "b", 3)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{{
			Config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1"),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("binding_name"), knownvalue.StringExact("a")),
				statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("newly_claimed"), knownvalue.Bool(false)),
			},
		}},
	})
	if got := l.Tenant(t, "free"); got != "" {
		t.Errorf("the free account was claimed by %s", got)
	}
}

func TestAccClaim_sharedIsTheLeastUsedAndNeverWritten(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t,
		testbed.AccountSpec{Name: "trial-1", HyperscalerType: "aws", Shared: true},
		testbed.AccountSpec{Name: "trial-2", HyperscalerType: "aws", Shared: true},
		testbed.AccountSpec{Name: "cc-1", HyperscalerType: "openstack_eu-de-1", Shared: true},
	)
	l.Shoots(t, "trial-1", 2)
	l.Shoots(t, "trial-2", 1)
	before := l.Versions(t)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{{
			Config: l.Provider() + acceptance.RulesAWS +
				acceptance.ClaimOf("blue", "ga-1", `plan = "trial"`, `hyperscaler = "aws"`) +
				acceptance.ClaimOf("red", "ga-2", `plan = "sap-converged-cloud"`, `hyperscaler_region = "eu-de-1"`),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("binding_name"), knownvalue.StringExact("trial-2")),
				statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("shared"), knownvalue.Bool(true)),
				statecheck.ExpectKnownValue("hap_credentials_binding_claim.red", tfjsonpath.New("binding_name"), knownvalue.StringExact("cc-1")),
				statecheck.ExpectKnownValue("hap_credentials_binding_claim.red", tfjsonpath.New("hyperscaler_type"),
					knownvalue.StringExact("openstack_eu-de-1")),
			},
		}},
	})
	if after := l.Versions(t); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("shared accounts were written: versions were %v, are %v", before, after)
	}
}

func TestAccClaim_euAccessHasAPoolOfItsOwn(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t,
		testbed.AccountSpec{Name: "plain", HyperscalerType: "azure"},
		testbed.AccountSpec{Name: "eu", HyperscalerType: "azure", EUAccess: true},
	)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{{
			Config: l.Provider() + acceptance.RulesAWS +
				acceptance.ClaimOf("blue", "ga-1", `plan = "azure"`, `platform_region = "cf-ch20"`) +
				acceptance.ClaimOf("red", "ga-1", `plan = "azure"`, `platform_region = "cf-eu20"`),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("binding_name"), knownvalue.StringExact("eu")),
				statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("eu_access"), knownvalue.Bool(true)),
				statecheck.ExpectKnownValue("hap_credentials_binding_claim.red", tfjsonpath.New("binding_name"), knownvalue.StringExact("plain")),
			},
		}},
	})
}

func TestAccClaim_twoOnOneFreeAccount(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "only", HyperscalerType: "aws"})
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{{
			Config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1") + acceptance.ClaimOf("red", "ga-2"),
			ExpectError: acceptance.ErrorLike(diagnose.SummaryExhausted, "pool aws has no account left", "free 0, held 1, dirty 0, internal 0",
				"Nothing was claimed."),
		}},
		CheckDestroy: func(*terraform.State) error { return nil },
	})
	if n := l.Records(t, "only"); n != 0 {
		t.Errorf("%d claim records are left after the destroy at the end of the test", n)
	}
	if got := l.Tenant(t, "only"); got != "ga-1" && got != "ga-2" {
		t.Errorf("the account is held by %q, want the one that won", got)
	}
}

func TestAccClaim_destroyIsRefusedUnderALiveShoot(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	config := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig:   func() { l.Shoot(t, "live", "aws-1") },
				Config:      config,
				Destroy:     true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryInUse, "account aws-1 is used by 1 cluster: Shoot live", "Delete the clusters first"),
			},
			{
				PreConfig: func() {
					labels := l.GetAccount(t, "aws-1").Labels
					if labels["dirty"] != "" || labels["tenantName"] != "ga-1" {
						t.Errorf("the refused destroy left the labels %v", labels)
					}
				},
				Config: config, PlanOnly: true, // the claim is as before
			},
			{
				PreConfig: func() { l.DeleteShoot(t, "live") },
				Config:    config,
				Destroy:   true,
			},
		},
	})
	if got := l.GetAccount(t, "aws-1").Labels["dirty"]; got != "true" {
		t.Errorf("after the destroy dirty is %q, want true", got)
	}
}

func TestAccClaim_destroyWhileAnotherClaimRemains(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	both := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1") + acceptance.ClaimOf("red", "ga-1")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: both, Check: func(*terraform.State) error {
				return acceptance.Equal("number of claim records", fmt.Sprint(l.Records(t, "aws-1")), "2")
			}},
			{Config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1"), Check: func(*terraform.State) error {
				labels := l.GetAccount(t, "aws-1").Labels
				if labels["dirty"] != "" || labels["tenantName"] != "ga-1" || l.Records(t, "aws-1") != 1 {
					return fmt.Errorf("after one of two claims went: labels %v, %d records", labels, l.Records(t, "aws-1"))
				}
				return nil
			}},
		},
	})
}

func TestAccClaim_onDestroy(t *testing.T) {
	t.Parallel()
	t.Run("return_to_pool frees an account that was taken", func(t *testing.T) {
		t.Parallel()
		l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
		inprocess.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: acceptance.Factories,
			Steps: []resource.TestStep{{Config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue",
				"ga-1", `on_destroy = "return_to_pool"`)}},
		})
		a := l.GetAccount(t, "aws-1")
		if a.Labels["tenantName"] != "" || a.Labels["dirty"] != "" || len(a.Annotations) != 1 || a.Annotations[account.LastHeldAnnotation] == "" {
			t.Errorf("after the destroy: labels %v, annotations %v", a.Labels, a.Annotations)
		}
	})
	t.Run("return_to_pool is refused for one that was held before", func(t *testing.T) {
		t.Parallel()
		l := acceptance.NewLandscape(t, acceptance.AccountWith("aws-1"))
		config := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `on_destroy = "return_to_pool"`)
		inprocess.Test(t, resource.TestCase{
			ProtoV6ProviderFactories: acceptance.Factories,
			Steps: []resource.TestStep{
				{Config: config},
				{Config: config, Destroy: true, ExpectError: acceptance.ErrorLike(diagnose.SummaryReturnRefused, "was not taken from the pool by this "+
					"claim", `on_destroy = "mark_dirty"`)},
				{Config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `on_destroy = "keep"`), ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.ClaimBlue, plancheck.ResourceActionUpdate)},
				}},
			},
		})
		if a := l.GetAccount(t, "aws-1"); a.Labels["tenantName"] != "ga-1" || a.Labels["dirty"] != "" || len(a.Annotations) != 0 {
			t.Errorf("after a destroy with keep: labels %v, annotations %v", a.Labels, a.Annotations)
		}
	})
}

func TestAccClaim_changedRulesLeaveItAlone(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t,
		testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp"},
		testbed.AccountSpec{Name: "gcp-sa-1", HyperscalerType: "gcp_cf-sa30"},
	)
	with := func(rules string, extra ...string) string {
		return l.Provider() + fmt.Sprintf("resource \"hap_rule_set\" \"r\" {\n rules = [%s]\n pool_check = \"off\"\n}\n", rules) +
			acceptance.ClaimOf("blue", "ga-1", append([]string{`plan = "gcp"`}, extra...)...)
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: with(`"gcp"`, `platform_region = "cf-eu10"`)},
			{
				// The rules lead elsewhere now, the request is the same.
				Config: with(`"gcp(PR=*)"`, `platform_region = "cf-eu10"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(acceptance.ClaimBlue, plancheck.ResourceActionNoop),
				}},
			},
			{
				// No rule matches any more.
				Config: with(`"aws"`, `platform_region = "cf-eu10"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(acceptance.ClaimBlue, plancheck.ResourceActionNoop),
				}},
			},
			{
				// Another region, the same pool: in place.
				Config: with(`"gcp", "gcp(PR=cf-sa30)"`, `platform_region = "cf-eu20"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(acceptance.ClaimBlue, plancheck.ResourceActionUpdate),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("binding_name"), knownvalue.StringExact("gcp-1")),
				},
			},
			{
				// Another region, another pool: replaced.
				Config: with(`"gcp", "gcp(PR=cf-sa30)"`, `platform_region = "cf-sa30"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(acceptance.ClaimBlue, plancheck.ResourceActionDestroyBeforeCreate),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("binding_name"), knownvalue.StringExact("gcp-sa-1")),
				},
			},
		},
	})
	if got := l.GetAccount(t, "gcp-1").Labels["dirty"]; got != "true" {
		t.Errorf("the account that was left has dirty=%q, want true", got)
	}
}

func TestAccClaim_updateInPlace(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	update := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.ClaimBlue,
		plancheck.ResourceActionUpdate)}}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `cluster_name = "c1"`, `owner = "one"`),
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("reserved"),
					knownvalue.Int64Exact(1))}},
			{Config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `owner = "two"`, "timeouts = { delete = \"1m\" }"), ConfigPlanChecks: update,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("reserved"), knownvalue.Int64Exact(0)),
					statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("owner"), knownvalue.StringExact("two")),
				},
				Check: func(*terraform.State) error {
					for _, text := range l.GetAccount(t, "aws-1").Annotations {
						if !strings.Contains(text, `"owner":"two"`) || strings.Contains(text, "clusterName") {
							return fmt.Errorf("the record on the account is %s", text)
						}
					}
					return nil
				}},
		},
	})
}
