package clusteraccess_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// leadsTo compares the Cluster that an AccessRequest leads to.
func leadsTo(l acceptance.PlatformLandscape, access, cluster string) error {
	object, err := l.Live("AccessRequest", access)
	if err != nil || object == nil {
		return fmt.Errorf("%v, %w", object, err)
	}
	to, _, _ := unstructured.NestedString(object.Object, "spec", "clusterRef", "name")
	return acceptance.Equal("Cluster", to, cluster)
}

// Access that was asked for through a request is not granted any more when the request has another Cluster: it is not given out, and an
// apply makes it anew. Access by cluster_ref is made anew with the request.
func TestAccAccessRequest_requestMoved(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	view := `token = { role_refs = [{ kind = "ClusterRole", name = "view" }] }`
	config := func(purpose string) string {
		return l.Provider() + acceptance.RequestOf("one", purpose) + fmt.Sprintf(`
resource "hap_access_request" "one" {
  name        = "one"
  request_ref = { name = hap_cluster_request.one.name }
  %s
}
resource "hap_access_request" "two" {
  name        = "two"
  cluster_ref = hap_cluster_request.one.cluster
  %s
}
`, view, view)
	}
	after := "mcp-" + operator.NameHash(l.Namespace, "one")
	replaced := plancheck.ExpectResourceAction(acceptance.AccessOne, plancheck.ResourceActionDestroyBeforeCreate)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Echoing,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{
				Config: config("onboarding"), ConfigPlanChecks: acceptance.EmptyAfterwards,
				Check: func(*terraform.State) error { return leadsTo(l, "one", "onboarding") },
			}, {
				Config: config("mcp"), ExpectNonEmptyPlan: true,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("hap_access_request.two", plancheck.ResourceActionDestroyBeforeCreate),
					},
					PostApplyPostRefresh: []plancheck.PlanCheck{replaced, plancheck.ExpectUnknownValue(acceptance.AccessOne, tfjsonpath.New("access_request_id"))},
				},
				Check: func(*terraform.State) error { return leadsTo(l, "two", after) },
			}, {
				Config: l.Provider() + opened(fmt.Sprintf("access_request_id = %q", l.Namespace+"/one")) + config("mcp")[len(l.Provider()):],
				ExpectError: acceptance.ErrorLike(diagnose.SummaryAccessMoved, l.Namespace+"/one leads to Cluster "+l.Namespace+"/onboarding",
					"has "+l.Namespace+"/"+after, "Run apply"),
			}, {
				Config: config("mcp"),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{replaced}, PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{acceptance.AccessValue("granted", knownvalue.Bool(true))},
				Check:             func(*terraform.State) error { return leadsTo(l, "one", after) },
			},
		},
	})
}

// A plan in which the platform cluster is known only after an apply does not read access that was granted before: that would stop it.
func TestAccClusterAccess_platformUnknownAgain(t *testing.T) {
	t.Parallel()
	l := acceptance.NewAccessLandscape(t)
	config := func(round int) string {
		return fmt.Sprintf(`
resource "terraform_data" "settings" {
  triggers_replace = %d
  input            = %q
}
provider "hap" { platform = { config_path = terraform_data.settings.output } }
`, round, l.User.Kubeconfig) + l.AccessOf("one", fmt.Sprintf("namespace = %q", l.Namespace)) + opened(openedOne, round)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Echoing,
		CheckDestroy:             l.NoAccess,
		Steps: []resource.TestStep{
			{Config: config(1)},
			{
				Config: config(2),
				ConfigPlanChecks: accessPlan(plancheck.ResourceActionUpdate,
					plancheck.ExpectUnknownValue(acceptance.AccessOne, tfjsonpath.New("access_request_id"))),
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.AccessValue("access_request_id", knownvalue.StringExact(l.Namespace+"/one")), openedAs("token", knownvalue.NotNull(), 2),
				},
			},
		},
	})
}
