package cluster_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// A cluster that would get the name of another party's object is not destroyed for it: the apply could not make the other one then. The plan
// refuses that, also where the server would not take the other one, and plans a name that is free.
func TestAccRenamed_ontoAnothers(t *testing.T) {
	t.Parallel()
	garden := acceptance.NewClusterLandscape(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	own, asked := acceptance.NewOwnLandscape(t), acceptance.NewPlatformLandscape(t)
	anothers := func(l acceptance.PlatformLandscape, kind string, spec map[string]any) func(*testing.T) {
		return func(t *testing.T) {
			t.Helper()
			it := &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "clusters.openmcp.cloud/v1alpha1", "kind": kind, "spec": spec,
				"metadata": map[string]any{"namespace": l.Namespace, "name": "taken"},
			}}
			if err := l.Client().Create(t.Context(), it); err != nil {
				t.Error(err)
			}
		}
	}
	for name, test := range map[string]struct {
		address string
		config  func(name string, more ...string) string
		exists  string
		take    func(*testing.T) // the name "taken"
	}{
		"a Shoot": {acceptance.ShootOne, func(name string, more ...string) string {
			return garden.Provider() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1", `on_destroy = "keep"`) +
				acceptance.ShootOf(acceptance.TemplateWith(), append(more, `on_immutable_change = "replace"`, fmt.Sprintf("name = %q", name))...)
		}, diagnose.SummaryShootExists, func(t *testing.T) { t.Helper(); garden.ShootBy(t, "taken", testbed.CredentialsBinding, "aws-1") }},
		"a Cluster": {acceptance.ClusterOne, func(name string, more ...string) string {
			return own.Provider() + acceptance.ClusterOf(append(more, fmt.Sprintf("name = %q", name))...)
		}, diagnose.SummaryShootExists, anothers(own, "Cluster", map[string]any{
			"profile": openmcp.WorkerlessProfile, "tenancy": "Exclusive", "purposes": []any{"x"}, "kubernetes": map[string]any{}})},
		"a request": {acceptance.RequestOne, func(name string, more ...string) string {
			return asked.Provider() + strings.Replace(acceptance.RequestOf("one", "mcp", more...), `= "one"`, fmt.Sprintf("= %q", name), 1)
		}, diagnose.SummaryRequestExists, anothers(asked, "ClusterRequest", map[string]any{"purpose": "none-offers-this"})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var uid string
			same := func(s *terraform.State) error {
				now := s.RootModule().Resources[test.address].Primary.Attributes["uid"]
				if uid == "" {
					uid = now
				}
				return acceptance.Equal("uid", now, uid)
			}
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				Steps: []resource.TestStep{
					{Config: test.config("one"), Check: same},
					{PreConfig: func() { test.take(t) }, Config: test.config("taken"), ExpectError: acceptance.ErrorLike(test.exists, "taken", "Nothing was written")},
					{Config: test.config("free", `labels = { stage = "a b" }`), ExpectError: acceptance.ErrorLike("", "a b", "Nothing was written")},
					{Config: test.config("one"), Check: same, ConfigPlanChecks: acceptance.EmptyAfterwards},
					{
						Config: test.config("free"),
						ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
							plancheck.ExpectResourceAction(test.address, plancheck.ResourceActionReplace)}},
					},
				},
			})
		})
	}
}
