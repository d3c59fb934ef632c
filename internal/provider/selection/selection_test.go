package selection_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

func TestAccSelection_overflowToANewAccount(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, acceptance.AccountWith("full"), testbed.AccountSpec{Name: "stuck", HyperscalerType: "aws", Tenant: "ga-1", Dirty: true},
		testbed.AccountSpec{Name: "free", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "taken", HyperscalerType: "aws", Tenant: "ga-2"},
		testbed.AccountSpec{Name: "own", HyperscalerType: "aws", Internal: true})
	l.Shoots(t, "full", 3)
	before := l.Versions(t)
	multi := "multi_account = {\n allowed_global_accounts = [\"ga-1\"]\n limits = { default = 3 }\n}"
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{{
			Config: l.Provider(multi) + acceptance.RulesAWS + acceptance.SelectionBlock(),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(acceptance.SelectionNext, tfjsonpath.New("action"), knownvalue.StringExact("claim")),
				statecheck.ExpectKnownValue(acceptance.SelectionNext, tfjsonpath.New("binding_name"), knownvalue.StringExact("free")),
				statecheck.ExpectKnownValue(acceptance.SelectionNext, tfjsonpath.New("unclaimed"), knownvalue.Int64Exact(1)),
				statecheck.ExpectKnownValue(acceptance.SelectionNext, tfjsonpath.New("multi_account_enabled"), knownvalue.Bool(true)),
				statecheck.ExpectKnownValue(acceptance.SelectionNext, tfjsonpath.New("limit"), knownvalue.Int64Exact(3)),
				statecheck.ExpectKnownValue(acceptance.SelectionNext, tfjsonpath.New("label_selector"),
					knownvalue.StringExact("hyperscalerType=aws,!euAccess,shared!=true,!dirty,tenantName=ga-1")),
				statecheck.ExpectKnownValue(acceptance.SelectionNext, tfjsonpath.New("claim_label_selector"),
					knownvalue.StringExact("hyperscalerType=aws,!euAccess,shared!=true,!dirty,!tenantName")),
				statecheck.ExpectKnownValue(acceptance.SelectionNext, tfjsonpath.New("entry"), knownvalue.ObjectExact(map[string]knownvalue.Check{
					"number": knownvalue.Int64Exact(1), "text": knownvalue.StringExact("aws"),
				})),
				statecheck.ExpectKnownValue(acceptance.SelectionNext, tfjsonpath.New("candidates"), knownvalue.ListExact([]knownvalue.Check{
					candidate("full", 3, "full"), candidate("stuck", 0, "dirty"), candidate("free", 0, "chosen"),
				})),
			},
		}},
	})
	if after := l.Versions(t); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("a selection wrote: versions were %v, are %v", before, after)
	}
}

func candidate(name string, clusters int64, verdict string) knownvalue.Check {
	return knownvalue.ObjectPartial(map[string]knownvalue.Check{
		"name": knownvalue.StringExact(name), "clusters": knownvalue.Int64Exact(clusters), "verdict": knownvalue.StringExact(verdict),
		"why": knownvalue.NotNull(),
	})
}

// A connection that is known only after apply must not lead to calls, and not to a crash either.
func TestAccSelection_unknownConnection(t *testing.T) {
	t.Parallel()
	l := acceptance.NewLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	text := fmt.Sprintf(`
resource "terraform_data" "later" { input = %q }
provider "hap" {
  kubernetes    = { config_path = terraform_data.later.output }
  release_grace = "0s"
}
`, l.Kubeconfig)
	literal := strings.Replace(acceptance.SelectionBlock(), "hap_rule_set.r", `{ rules = ["aws"] }`, 1)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: text + literal, ExpectError: acceptance.ErrorLike(diagnose.SummaryUnknownConnection, "kubernetes.config_path will be known only after "+
				"apply", "-target")},
			{
				Config: text + acceptance.RulesAWS + acceptance.ClaimOf("blue", "ga-1"), // the claim is planned without a call
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(acceptance.ClaimBlue, tfjsonpath.New("binding_name"), knownvalue.StringExact("aws-1")),
				},
			},
		},
	})
}

// A hyperscaler of a rule set's own plans has a limit of its own.
func TestAccSelection_limitOfOwnPlans(t *testing.T) {
	t.Parallel()
	account := func(name string) testbed.AccountSpec {
		return testbed.AccountSpec{Name: name, HyperscalerType: "stackit_cf-eu10", Tenant: "ga-1"}
	}
	l := acceptance.NewLandscape(t, account("full"), account("next"))
	l.Shoots(t, "full", 2)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{{
			Config: l.Provider(`multi_account = { allowed_global_accounts = ["ga-1"], limits = { default = 9, stackit = 2 } }`) + `
data "hap_binding_selection" "next" {
  rule_set        = { rules = ["edge(PR=*)"], plans = { edge = ["stackit"] } }
  plan            = "edge"
  platform_region = "cf-eu10"
  global_account  = "ga-1"
}
`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(acceptance.SelectionNext, tfjsonpath.New("limit"), knownvalue.Int64Exact(2)),
				statecheck.ExpectKnownValue(acceptance.SelectionNext, tfjsonpath.New("binding_name"), knownvalue.StringExact("next")),
			},
		}},
	})
}
