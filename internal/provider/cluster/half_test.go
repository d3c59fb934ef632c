package cluster_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// An update whose change is refused after the protection was written says so, and the state has the protection: a configuration that takes
// the change back takes the annotation away.
func TestAccCluster_protectedBeforeARefusal(t *testing.T) {
	t.Parallel()
	l := acceptance.NewOwnLandscape(t)
	protected := func(want string) func() {
		return func() {
			live, err := l.Live("Cluster", "one")
			if err != nil {
				t.Fatal(err)
			}
			if now := live.GetAnnotations()[kube.ProtectionAnnotation]; now != want {
				t.Errorf("the annotation is %q, want %q", now, want)
			}
		}
	}
	config := func(attributes ...string) string { return l.Provider() + acceptance.ClusterOf(attributes...) }
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{Config: config("deletion_protection = false")},
			{
				PreConfig: protected(""), Config: config("deletion_protection = true", `labels = { stage = "a b" }`),
				ExpectError: acceptance.ErrorLike("", "deletion_protection = true was written, and is in the state. Nothing else was written."),
			}, {
				PreConfig: protected("true"), Config: config("deletion_protection = false"),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.ClusterOne, plancheck.ResourceActionUpdate)},
				},
			}, {
				PreConfig: protected(""), Config: config("deletion_protection = false", `labels = { stage = "b" }`),
			}, {
				Config:      config("deletion_protection = false", `labels = { stage = "a b" }`),
				ExpectError: acceptance.ErrorLike("", "Nothing was written."),
			},
		},
	})
}
