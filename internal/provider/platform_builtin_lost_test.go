package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// newLonelyLandscape is a namespace on a platform cluster without an operator and without a cluster provider.
func newLonelyLandscape(t *testing.T) platformLandscape {
	t.Helper()
	needsGarden(t)
	return newPlatformLandscapeOn(t, testbed.Own(t))
}

// A handover is killed when the request has left the built-in scheduler, and the provider block says "builtin" again: the plan tells so,
// and the apply takes the request back as it is. A denial of a request that stands says that it is not tainted. A Cluster of another party
// that has the name of its own, lost, one has it denied by each apply, which says that only another request helps; that one leaves the other
// party's Cluster alone.
func TestAccBuiltin_handoverCutShort(t *testing.T) {
	t.Parallel()
	l := newLonelyLandscape(t)
	config := l.builtin() + l.adrRequest("one", `prefix_proposal = "kept-"`, `wait_for = "granted"`)
	update := resource.ConfigPlanChecks{
		PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(requestOne, plancheck.ResourceActionUpdate)},
		PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
	}
	var cluster string
	ear := newEar(nil)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.factories(),
		CheckDestroy:             func(*terraform.State) error { return l.none("ClusterRequest", "one") },
		Steps: []resource.TestStep{
			{
				Config: config, ConfigPlanChecks: emptyAfterwards,
				Check: func(s *terraform.State) error {
					cluster = s.RootModule().Resources[requestOne].Primary.Attributes["cluster.name"]
					return nil
				},
			}, {
				PreConfig: func() {
					l.patch(t, "ClusterRequest", "one", `{"metadata":{"finalizers":null,"annotations":{"openmcp.cloud/operation":null}}}`)
				},
				Config: config, ConfigPlanChecks: update,
				ConfigStateChecks: []statecheck.StateCheck{requestValue("prefix", knownvalue.StringExact("kept-"))},
				Check: func(*terraform.State) error {
					request, err := l.live("ClusterRequest", "one")
					if err != nil || fmt.Sprint(request.GetFinalizers()) != "[hap-project.io/builtin-scheduler]" ||
						request.GetAnnotations()[api.OperationAnnotation] != api.OperationIgnore {
						return fmt.Errorf("it is not taken back: %v, %w", request, err)
					}
					ear.want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryUnserved, "", l.namespace+"/one", "was cut short")
					return nil
				},
			}, {
				PreConfig: func() { l.patch(t, "Cluster", cluster, `{"metadata":{"finalizers":null}}`) },
				Config:    config, ConfigPlanChecks: update,
				Check: func(*terraform.State) error {
					ear.want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryGrantLost, "", cluster+" stands", l.namespace+"/one")
					return nil
				},
			}, {
				PreConfig: func() { l.loseCluster(t, cluster) },
				Config:    strings.Replace(config, "= {} }", `= { traits = [{ trait = "infrastructure/vendor/moon" }] } }`, 1),
				ExpectError: errorLike(diagnose.SummaryDenied, "(UnsupportedTrait)", "The request stands, untainted", "the next apply decides on "+
					"it again"),
			}, {
				PreConfig: func() {
					other := testbed.New("Cluster", l.namespace, cluster)
					other.SetLabels(map[string]string{api.DeletedWithoutRequests: "true"})
					other.Object["spec"] = map[string]any{"profile": testbed.WorkerlessProfile, "tenancy": "Shared", "purposes": []any{"theirs"}}
					if err := l.Client().Create(t.Context(), other); err != nil {
						t.Fatal(err)
					}
				},
				Config: config, ExpectError: errorLike(diagnose.SummaryDenied, "(NameTaken)", "Apply with -replace for this request, or destroy it"),
			}, {
				Config:      config + "\n",
				ExpectError: errorLike(diagnose.SummaryDenied, "(NameTaken)", "Apply with -replace for this request, or destroy it"),
			}, {
				Taint: []string{requestOne}, Config: config,
				ConfigPlanChecks: emptyAfterwards,
				Check: func(s *terraform.State) error {
					theirs, err := l.live("Cluster", cluster)
					name := s.RootModule().Resources[requestOne].Primary.Attributes["cluster.name"]
					if err != nil || theirs == nil || theirs.GetDeletionTimestamp() != nil || name == cluster {
						return fmt.Errorf("the Cluster of the other party is %v, and the request has %s, %w", theirs, name, err)
					}
					return nil
				},
			},
		},
	})
}
