package clusterrequest_test

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
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// newLonelyLandscape is a namespace on a platform cluster without an operator and without a cluster provider.
func newLonelyLandscape(t *testing.T) acceptance.PlatformLandscape {
	t.Helper()
	acceptance.NeedsGarden(t)
	return acceptance.NewPlatformLandscapeOn(t, testbed.Own(t))
}

// A handover is killed when the request has left the built-in scheduler, and the provider block says "builtin" again: the plan says so,
// and the apply takes the request back as it is. A denial of an existing request says that it is not tainted. A Cluster of another party
// that has the name of its own, lost, one has it denied by each apply, which says that only another request helps; that one leaves the
// other party's Cluster alone.
func TestAccBuiltin_handoverCutShort(t *testing.T) {
	t.Parallel()
	l := newLonelyLandscape(t)
	config := l.Builtin() + l.ADRRequest("one", `prefix_proposal = "kept-"`, `wait_for = "granted"`)
	update := resource.ConfigPlanChecks{
		PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionUpdate)},
		PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
	}
	var cluster string
	ear := acceptance.NewEar(nil)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		CheckDestroy:             func(*terraform.State) error { return l.None("ClusterRequest", "one") },
		Steps: []resource.TestStep{
			{
				Config: config, ConfigPlanChecks: acceptance.EmptyAfterwards,
				Check: func(s *terraform.State) error {
					cluster = s.RootModule().Resources[acceptance.RequestOne].Primary.Attributes["cluster.name"]
					return nil
				},
			}, {
				PreConfig: func() {
					patchObject(t, l, "ClusterRequest", "one", `{"metadata":{"finalizers":null,"annotations":{"openmcp.cloud/operation":null}}}`)
				},
				Config: config, ConfigPlanChecks: update,
				ConfigStateChecks: []statecheck.StateCheck{acceptance.RequestValue("prefix", knownvalue.StringExact("kept-"))},
				Check: func(*terraform.State) error {
					request, err := l.Live("ClusterRequest", "one")
					if err != nil || fmt.Sprint(request.GetFinalizers()) != "[hap-project.io/builtin-scheduler]" ||
						request.GetAnnotations()[api.OperationAnnotation] != api.OperationIgnore {
						return fmt.Errorf("it is not taken back: %v, %w", request, err)
					}
					ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryUnserved, "", l.Namespace+"/one", "was cut short")
					return nil
				},
			}, {
				PreConfig: func() { patchObject(t, l, "Cluster", cluster, `{"metadata":{"finalizers":null}}`) },
				Config:    config, ConfigPlanChecks: update,
				Check: func(*terraform.State) error {
					ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryGrantLost, "", cluster+" still exists", l.Namespace+"/one")
					return nil
				},
			}, {
				PreConfig: func() { l.LoseCluster(t, cluster) },
				Config:    strings.Replace(config, "= {} }", `= { traits = [{ trait = "infrastructure/vendor/moon" }] } }`, 1),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryDenied, "(UnsupportedTrait)", "The request still exists, untainted", "the next apply decides on "+
					"it again"),
			}, {
				PreConfig: func() {
					other := testbed.New("Cluster", l.Namespace, cluster)
					other.SetLabels(map[string]string{api.DeletedWithoutRequests: "true"})
					other.Object["spec"] = map[string]any{"profile": testbed.WorkerlessProfile, "tenancy": "Shared", "purposes": []any{"theirs"}}
					if err := l.Client().Create(t.Context(), other); err != nil {
						t.Fatal(err)
					}
				},
				Config: config, ExpectError: acceptance.ErrorLike(diagnose.SummaryDenied, "(NameTaken)", "Apply with -replace for this request, or destroy it"),
			}, {
				Config:      config + "\n",
				ExpectError: acceptance.ErrorLike(diagnose.SummaryDenied, "(NameTaken)", "Apply with -replace for this request, or destroy it"),
			}, {
				Taint: []string{acceptance.RequestOne}, Config: config,
				ConfigPlanChecks: acceptance.EmptyAfterwards,
				Check: func(s *terraform.State) error {
					theirs, err := l.Live("Cluster", cluster)
					name := s.RootModule().Resources[acceptance.RequestOne].Primary.Attributes["cluster.name"]
					if err != nil || theirs == nil || theirs.GetDeletionTimestamp() != nil || name == cluster {
						return fmt.Errorf("the Cluster of the other party is %v, and the request has %s, %w", theirs, name, err)
					}
					return nil
				},
			},
		},
	})
}
