package clusteraccess_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	gardens "github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// newServedLandscape is openMCP without an operator, with the user of the documented roles.
func newServedLandscape(t *testing.T) acceptance.PlatformLandscape {
	t.Helper()
	l := acceptance.NewOwnPlatform(t)
	l.Kubeconfig = l.ServiceAccount(t, l.Namespace, "hap", bytes.Join([][]byte{
		gardens.RoleExample(t, "platform.yaml"), gardens.RoleExample(t, "platform-builtin.yaml"),
	}, []byte("\n---\n"))).Kubeconfig
	return l
}

// Access without an operator: the provider hands the AccessRequest to the cluster provider as the operator would, through a Cluster and
// through a request; a change is granted anew, and a destroy ends. An AccessRequest for another namespace is refused before it is made, also
// where the namespace is known only within the apply.
func TestAccAccessRequest_builtin(t *testing.T) {
	t.Parallel()
	l := newServedLandscape(t)
	base := l.Builtin() + l.ADRRequest("one")
	accessTo := func(ref, verbs string, extra ...string) string {
		return fmt.Sprintf("resource \"hap_access_request\" \"one\" {\n  name = \"one\"\n  %s\n  %s\n  %s\n}\n", ref, acceptance.Allowing(verbs),
			strings.Join(extra, "\n  "))
	}
	const byCluster, byRequest = "cluster_ref = hap_cluster_request.one.cluster",
		"request_ref = { name = hap_cluster_request.one.name }\n  depends_on = [hap_cluster_request.one]"
	granted := []statecheck.StateCheck{
		acceptance.AccessValue("granted", knownvalue.Bool(true)), acceptance.AccessValue("phase", knownvalue.StringExact("Granted")),
		acceptance.AccessValue("secret_ref", knownvalue.NotNull()),
	}
	handed := func(*terraform.State) error {
		object, err := l.Live("AccessRequest", "one")
		cluster, failed := l.Live("ClusterRequest", "one")
		if err != nil || failed != nil || object == nil || cluster == nil {
			return fmt.Errorf("%v, %v, %w, %w", object, cluster, err, failed)
		}
		spec, _ := object.Object["spec"].(map[string]any)
		status, _ := cluster.Object["status"].(map[string]any)
		labels := object.GetLabels()
		if labels["clusters.openmcp.cloud/provider"] != "gardener" || labels["clusters.openmcp.cloud/profile"] == "" ||
			fmt.Sprint(spec["clusterRef"]) != fmt.Sprint(status["cluster"]) {
			return fmt.Errorf("labels %q, Cluster %v, and that of the request is %v", labels, spec["clusterRef"], status["cluster"])
		}
		return nil
	}
	elsewhere := fmt.Sprintf("cluster_ref = { namespace = %q, name = \"theirs\" }", "land-of-others")
	later := "resource \"terraform_data\" \"late\" {\n  input = \"land-of-others\"\n}\n"
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             func(*terraform.State) error { return l.None("AccessRequest", "one") },
		Steps: []resource.TestStep{
			{Config: base + accessTo(byCluster, `"list"`), ConfigPlanChecks: acceptance.EmptyAfterwards, ConfigStateChecks: granted, Check: handed},
			{
				Config: base + accessTo(byCluster, `"list", "get"`), ConfigStateChecks: granted, Check: handed,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.AccessOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
			},
			{Config: base},
			{Config: base + accessTo(byRequest, `"list"`), ConfigPlanChecks: acceptance.EmptyAfterwards, ConfigStateChecks: granted, Check: handed},
			{Config: base},
			{
				Config: base + accessTo(elsewhere, `"list"`),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryAccessNotGranted,
					"access would be denied (OtherNamespace): The Cluster land-of-others/theirs lies in another namespace"),
			},
			{
				Config:      base + later + accessTo("cluster_ref = { namespace = terraform_data.late.output, name = \"theirs\" }", `"list"`),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryAccessNotGranted, "access would be denied (OtherNamespace)"),
			},
		},
	})
}
