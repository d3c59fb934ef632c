package claim_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/config"
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

// recordedBy rewrites the record of the only claim on an account as another pipeline would.
func recordedBy(t *testing.T, l acceptance.Landscape, accountName, from, to string) {
	t.Helper()
	for key, record := range l.GetAccount(t, accountName).Annotations {
		if strings.HasPrefix(key, account.AnnotationPrefix) {
			l.PatchAnnotations(t, accountName, map[string]*string{key: acceptance.Text(strings.Replace(record,
				fmt.Sprintf(`"owner":%q`, from), fmt.Sprintf(`"owner":%q`, to), 1))})
		}
	}
}

// What another owner has recorded is never taken back, and never released.
func TestAccClaim_anotherOwner(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	mine := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `owner = "me"`)
	refused := acceptance.ErrorLike(diagnose.SummaryOwner, `recorded by owner "them", not by owner "me"`, "Nothing was written.")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: mine},
			{PreConfig: func() { recordedBy(t, l, "aws-1", "me", "them") }, Config: mine, ExpectError: refused},
			{Config: mine, Destroy: true, ExpectError: refused},
			{PreConfig: func() { recordedBy(t, l, "aws-1", "them", "me") }, Config: mine},
		},
	})
}

// A second configuration with the same claim and another owner gets an error that names the first.
func TestAccClaim_secondConfigurationOfAnotherOwner(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	claim := func(owner string) string {
		return l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", fmt.Sprintf("owner = %q", owner))
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: claim("first"), Check: func(*terraform.State) error {
				before := l.Versions(t)
				inprocess.Test(t, resource.TestCase{ // a state of its own
					ProtoV6ProviderFactories: acceptance.Factories,
					Steps: []resource.TestStep{{Config: claim("second"),
						ExpectError: acceptance.ErrorLike(diagnose.SummaryOwner, `recorded by owner "first", not by owner "second"`)}},
				})
				if after := l.Versions(t); !maps.Equal(before, after) {
					return fmt.Errorf("the second configuration wrote: versions were %v, are %v", before, after)
				}
				return nil
			}},
		},
	})
}

// A claim whose state was lost is taken up again, with nothing written.
func TestAccClaim_lostStateIsAdopted(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	claim := l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `owner = "me"`, `on_destroy = "keep"`)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: claim, Check: func(state *terraform.State) error {
				before := l.Versions(t)
				first := state.RootModule().Resources[acceptance.ClaimBlue].Primary.Attributes["binding_name"]
				inprocess.Test(t, resource.TestCase{
					ProtoV6ProviderFactories: acceptance.Factories,
					Steps: []resource.TestStep{{
						Config: claim,
						ConfigStateChecks: []statecheck.StateCheck{
							statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("binding_name"), knownvalue.StringExact(first)),
							statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("newly_claimed"), knownvalue.Bool(true)),
						},
						Check: func(*terraform.State) error {
							after := l.Versions(t)
							if after[first] == before[first] { // the state that adopts it leaves its mark in the record
								return fmt.Errorf("the adoption left no mark: versions were %v, are %v", before, after)
							}
							if delete(before, first); !maps.Equal(before, without(after, first)) {
								return fmt.Errorf("the adoption wrote elsewhere: versions were %v, are %v", before, after)
							}
							return nil
						},
					}},
				})
				return nil
			}},
		},
	})
}

// A plan says that another state may have the claim that it is going to take up, before anything is written. The claim of this state, kept,
// tainted or replaced, is none of those, nor is that of another owner.
func TestAccClaim_planSaysWhatItAdopts(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	claim := func(owner string) string {
		return l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", fmt.Sprintf("owner = %q", owner), `on_destroy = "keep"`)
	}
	planned := func(owner string) *acceptance.Ear {
		ear := acceptance.NewEar(nil)
		before := l.Versions(t)
		inprocess.Test(t, resource.TestCase{ // a state of its own
			ProtoV6ProviderFactories: ear.Factories(),
			Steps:                    []resource.TestStep{{Config: claim(owner), PlanOnly: true, ExpectNonEmptyPlan: true}},
		})
		if after := l.Versions(t); !maps.Equal(after, before) {
			t.Errorf("the plan wrote: versions were %v, are %v", before, after)
		}
		return ear
	}
	own := acceptance.NewEar(nil)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: own.Factories(),
		Steps: []resource.TestStep{
			{Config: claim("me"), Check: func(*terraform.State) error {
				planned("me").Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryClaimAdopts, "name",
					"is on account aws-1 already, since", "this run has not read it from the state", "a destroy from here ends it")
				if n := planned("you").Warnings(diagnose.SummaryClaimAdopts, ""); n != 0 {
					return fmt.Errorf("the plan of another owner, which is refused, says %d times that it takes the claim up", n)
				}
				return nil
			}},
			{Config: claim("me"), Taint: []string{acceptance.ClaimBlue}},
			{Config: claim("me")},
		},
	})
	if said := own.DetailsOf(diagnose.SummaryClaimAdopts); len(said) != 0 {
		t.Errorf("of the state's own claim the plan says %q", said)
	}
}

func TestAccClaim_declaredTwice(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"},
		testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	twice := acceptance.ErrorLike(diagnose.SummaryDuplicate, `claim "blue" of Global Account ga-1 on pool aws is declared twice in this configuration`)
	config := func(extra ...string) string {
		return l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", extra...)
	}
	renamed := strings.ReplaceAll(config("count = 1"), `"blue" {`, `"red" {`)
	untouched := func(*terraform.State) error {
		if n := l.Records(t, "aws-1") + l.Records(t, "aws-2"); n != 1 {
			return fmt.Errorf("there are %d records, want 1", n)
		}
		return nil
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: config("count = 2"), PlanOnly: true, ExpectError: twice},
			{Config: config("count = 1"), Check: untouched},
			// A second one beside one that exists.
			{Config: config("count = 2"), ExpectError: twice},
			// The same claim under another address, and a replacement, are no second one.
			{Config: renamed + "moved {\n  from = hap_credentials_binding_claim.blue\n  to   = hap_credentials_binding_claim.red\n}\n",
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}, Check: untouched},
			{Config: renamed, Taint: []string{"hap_credentials_binding_claim.red[0]"}, Check: func(s *terraform.State) error {
				if err := untouched(s); err != nil {
					return err
				}
				return resource.TestCheckResourceAttr("hap_credentials_binding_claim.red.0", "newly_claimed", "true")(s)
			}},
		},
	})
}

// Inputs that are unknown at plan must not replace an existing claim.
func TestAccClaim_unknownInputsLeaveAStandingClaim(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	configuration := l.Provider() + acceptance.RulesAWS + `
variable "run" { type = string }
resource "terraform_data" "later" {
  input            = { ga = "ga-1", name = "blue", plan = "aws", account = "aws-1" }
  triggers_replace = var.run
}
resource "hap_credentials_binding_claim" "blue" {
  rule_set       = hap_rule_set.r
  global_account = terraform_data.later.output.ga
  name           = terraform_data.later.output.name
  plan           = terraform_data.later.output.plan
  binding_name   = terraform_data.later.output.account
  on_destroy     = "keep"
}
`
	run := func(name string) config.Variables { return config.Variables{"run": config.StringVariable(name)} }
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: configuration, ConfigVariables: run("one")},
			{
				Config: configuration, ConfigVariables: run("two"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("terraform_data.later", plancheck.ResourceActionReplace),
					plancheck.ExpectResourceAction(acceptance.ClaimBlue, plancheck.ResourceActionUpdate),
				}},
			},
		},
	})
	if a := l.GetAccount(t, "aws-1"); a.Labels["tenantName"] != "ga-1" || a.Labels["dirty"] != "" {
		t.Errorf("in the end the labels are %v", a.Labels)
	}
}

// The four legacy properties lead a claim to its pool like rules do.
func TestAccClaim_legacyRules(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp"},
		testbed.AccountSpec{Name: "gcp-sa-1", HyperscalerType: "gcp_cf-sa30"})
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{{
			Config: l.Provider() + `
resource "hap_rule_set" "r" {
  legacy     = { platform_region_rule = "gcp:cf-sa30" }
  pool_check = "off"
}
` + acceptance.ClaimOf("blue", "ga-1", `plan = "gcp"`, `platform_region = "cf-sa30"`) + strings.Replace(acceptance.SelectionBlock(`plan = "gcp"`),
				"hap_rule_set.r", `{ legacy = { platform_region_rule = "gcp:cf-sa30" } }`, 1),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("binding_name"), knownvalue.StringExact("gcp-sa-1")),
				statecheck.ExpectKnownValue(acceptance.SelectionNext, tfjsonpath.New("binding_name"), knownvalue.StringExact("gcp-1")),
			},
		}},
	})
}

// Twenty claims in one apply: twenty tenants get twenty accounts, twenty claims of one tenant share one.
func TestAccClaim_twentyInOneApply(t *testing.T) {
	t.Parallel()
	var accounts []testbed.AccountSpec
	for i := range 25 {
		accounts = append(accounts, testbed.AccountSpec{Name: fmt.Sprintf("aws-%d", i), HyperscalerType: "aws"})
	}
	l := acceptance.NewLandscape(t, accounts...)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{{
			Config: l.Provider() + acceptance.RulesAWS + `
resource "hap_credentials_binding_claim" "each" {
  count          = 20
  rule_set       = hap_rule_set.r
  global_account = "ga-${count.index}"
  plan           = "aws"
}
resource "hap_credentials_binding_claim" "one" {
  count          = 20
  rule_set       = hap_rule_set.r
  global_account = "ga-one"
  name           = "claim-${count.index}"
  plan           = "aws"
}
`,
			Check: func(state *terraform.State) error {
				holders := map[string]string{}
				for name, r := range state.RootModule().Resources {
					if r.Type != "hap_credentials_binding_claim" {
						continue
					}
					account, ga := r.Primary.Attributes["binding_name"], r.Primary.Attributes["global_account"]
					if before, ok := holders[account]; ok && before != ga {
						return fmt.Errorf("%s: account %s is %s's already, and %s's", name, account, before, ga)
					}
					if got := l.Tenant(t, account); got != ga {
						return fmt.Errorf("%s: account %s is held by %s, not by %s", name, account, got, ga)
					}
					holders[account] = ga
				}
				if len(holders) != 21 {
					return fmt.Errorf("%d accounts are used, want 21: %v", len(holders), slices.Sorted(maps.Keys(holders)))
				}
				return nil
			},
		}},
	})
}

// An account that is labelled as shared by hand is not written any more, and the apply says so.
func TestAccClaimDrift_becameShared(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `owner = "one"`)},
			{
				PreConfig:   func() { l.PatchLabels(t, "aws-1", map[string]*string{"shared": acceptance.Text("true")}) },
				Config:      l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `owner = "two"`),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryUnusable, "it belongs to another pool by now"),
			},
			{PreConfig: func() { l.PatchLabels(t, "aws-1", map[string]*string{"shared": nil}) },
				Config: l.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1", `owner = "two"`)},
		},
	})
}

// without returns the versions but for those of one account.
func without(versions map[string]string, account string) map[string]string {
	rest := maps.Clone(versions)
	delete(rest, account)
	return rest
}
