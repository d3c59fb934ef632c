package provider

import (
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// A key with a typing error is no limit of a hyperscaler that only this landscape has, and the other way round.
func TestLimitKeys(t *testing.T) {
	t.Parallel()
	for key, meant := range map[string]string{
		"default": "", "aws": "", "openstack": "", "stackit": "", "aws-cn": "", "edge": "", "ionos": "",
		"awss": "aws", "AWS": "aws", "azrue": "azure", "defualt": "default", "aws_cf-eu11": "aws", "openstack_eu-de-1": "openstack",
	} {
		if got := meantLimit(key, limitKeys()); got != meant {
			t.Errorf("%q is taken for %q, want %q", key, got, meant)
		}
	}
}

func TestStrayLimits(t *testing.T) {
	t.Parallel()
	limits := map[string]int{"default": 1, "gdch": 1, "stackit": 1, "ionos": 1, "edge": 1}
	if got := strayLimits(limits, []string{"aws", "stackit"}); !slices.Equal(got, []string{"edge", "ionos"}) {
		t.Errorf("limits that apply to nothing are %q, want edge and ionos", got)
	}
}

// A hyperscaler of a rule set's own plans has a limit of its own.
func TestAccSelection_limitOfOwnPlans(t *testing.T) {
	t.Parallel()
	account := func(name string) testbed.AccountSpec {
		return testbed.AccountSpec{Name: name, HyperscalerType: "stackit_cf-eu10", Tenant: "ga-1"}
	}
	l := newLandscape(t, account("full"), account("next"))
	l.Shoots(t, "full", 2)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{{
			Config: l.provider(`multi_account = { allowed_global_accounts = ["ga-1"], limits = { default = 9, stackit = 2 } }`) + `
data "hap_binding_selection" "next" {
  rule_set        = { rules = ["edge(PR=*)"], plans = { edge = ["stackit"] } }
  plan            = "edge"
  platform_region = "cf-eu10"
  global_account  = "ga-1"
}
`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(selectionNext, tfjsonpath.New("limit"), knownvalue.Int64Exact(2)),
				statecheck.ExpectKnownValue(selectionNext, tfjsonpath.New("binding_name"), knownvalue.StringExact("next")),
			},
		}},
	})
}
