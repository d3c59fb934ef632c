package acceptance

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// KnownLater applies the configuration of an object below a provider block that leads to the platform cluster only after an apply. The
// object is planned all the same, its namespace unknown, and a second plan is empty.
func (l PlatformLandscape) KnownLater(t *testing.T, address, config string) {
	t.Helper()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{{
			Config: fmt.Sprintf("resource \"terraform_data\" \"kubeconfig\" { input = %q }\n", l.Kubeconfig) +
				"provider \"hap\" { platform = { config_path = terraform_data.kubeconfig.output } }\n" + config,
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply:             []plancheck.PlanCheck{plancheck.ExpectUnknownValue(address, tfjsonpath.New("namespace"))},
				PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
			},
		}},
	})
}
