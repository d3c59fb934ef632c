package provider

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
)

// leadsTo compares the Cluster that an AccessRequest leads to.
func (l platformLandscape) leadsTo(access, cluster string) error {
	object, err := l.live("AccessRequest", access)
	if err != nil || object == nil {
		return fmt.Errorf("%v, %w", object, err)
	}
	to, _, _ := unstructured.NestedString(object.Object, "spec", "clusterRef", "name")
	return equal("Cluster", to, cluster)
}

// Access that was asked for through a request is not granted any more when the request has another Cluster: it is not given out, and an
// apply makes it anew. Access by cluster_ref is made anew with the request.
func TestAccAccessRequest_requestMoved(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	view := `token = { role_refs = [{ kind = "ClusterRole", name = "view" }] }`
	config := func(purpose string) string {
		return l.provider() + requestOf("one", purpose) + fmt.Sprintf(`
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
	after := "mcp-" + operator.NameHash(l.namespace, "one")
	replaced := plancheck.ExpectResourceAction(accessOne, plancheck.ResourceActionDestroyBeforeCreate)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: echoing,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{
				Config: config("onboarding"), ConfigPlanChecks: emptyAfterwards,
				Check: func(*terraform.State) error { return l.leadsTo("one", "onboarding") },
			}, {
				Config: config("mcp"), ExpectNonEmptyPlan: true,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("hap_access_request.two", plancheck.ResourceActionDestroyBeforeCreate),
					},
					PostApplyPostRefresh: []plancheck.PlanCheck{replaced, plancheck.ExpectUnknownValue(accessOne, tfjsonpath.New("access_request_id"))},
				},
				Check: func(*terraform.State) error { return l.leadsTo("two", after) },
			}, {
				Config: l.provider() + opened(fmt.Sprintf("access_request_id = %q", l.namespace+"/one")) + config("mcp")[len(l.provider()):],
				ExpectError: errorLike(diagnose.SummaryAccessMoved, l.namespace+"/one leads to Cluster "+l.namespace+"/onboarding",
					"has "+l.namespace+"/"+after, "Run apply"),
			}, {
				Config: config("mcp"),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{replaced}, PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{accessValue("granted", knownvalue.Bool(true))},
				Check:             func(*terraform.State) error { return l.leadsTo("one", after) },
			},
		},
	})
}

// A plan in which the platform cluster is known only after an apply does not read access that was granted before: that would stop it.
func TestAccClusterAccess_platformUnknownAgain(t *testing.T) {
	t.Parallel()
	l := newAccessLandscape(t)
	config := func(round int) string {
		return fmt.Sprintf(`
resource "terraform_data" "settings" {
  triggers_replace = %d
  input            = %q
}
provider "hap" { platform = { config_path = terraform_data.settings.output } }
`, round, l.user.Kubeconfig) + l.accessOf("one", fmt.Sprintf("namespace = %q", l.namespace)) + opened(openedOne, round)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: echoing,
		CheckDestroy:             l.noAccess,
		Steps: []resource.TestStep{
			{Config: config(1)},
			{
				Config: config(2),
				ConfigPlanChecks: accessPlan(plancheck.ResourceActionUpdate,
					plancheck.ExpectUnknownValue(accessOne, tfjsonpath.New("access_request_id"))),
				ConfigStateChecks: []statecheck.StateCheck{
					accessValue("access_request_id", knownvalue.StringExact(l.namespace+"/one")), openedAs("token", knownvalue.NotNull(), 2),
				},
			},
		},
	})
}
