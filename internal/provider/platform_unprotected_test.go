package provider

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// To take the protection off a cluster that does not get ready waits for nothing: it is on its way out.
func TestAccProtection_takenOffWhileUnready(t *testing.T) {
	t.Parallel()
	l := acceptance.NewHeldLandscape(t)
	testbed.SharedProvider().Set(l.Namespace, "", testbed.Course{Never: true, Says: "the quota is used up"})
	soon := `timeouts = { create = "` + acceptance.OperatorSees + `" }`
	var begun time.Time
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{
				Config:             l.Provider() + acceptance.ClusterOf(`timeouts = { create = "12s" }`, "deletion_protection = true") + acceptance.RequestOf("one", "mcp", soon, "deletion_protection = true"),
				ExpectNonEmptyPlan: true,
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.ClusterValue("ready", knownvalue.Bool(false)), acceptance.RequestValue("ready", knownvalue.Bool(false)),
				},
			}, {
				PreConfig: func() { begun = time.Now() },
				Config:    l.Provider() + acceptance.ClusterOf() + acceptance.RequestOf("one", "mcp", soon),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(acceptance.ClusterOne, plancheck.ResourceActionUpdate),
					plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionUpdate),
					// A postcondition on ready that is known to fail would stop the plan.
					plancheck.ExpectUnknownValue(acceptance.ClusterOne, tfjsonpath.New("ready")), plancheck.ExpectUnknownValue(acceptance.ClusterOne, tfjsonpath.New("shoot")),
					plancheck.ExpectUnknownValue(acceptance.RequestOne, tfjsonpath.New("ready")), plancheck.ExpectUnknownValue(acceptance.RequestOne, tfjsonpath.New("shoot")),
				}},
				ExpectNonEmptyPlan: true, // which waits on
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.ClusterValue("deletion_protection", knownvalue.Bool(false)), acceptance.RequestValue("deletion_protection", knownvalue.Bool(false)),
				},
				Check: func(*terraform.State) error {
					if took := time.Since(begun); took > 5*time.Minute { // timeouts.update is 45 minutes
						return fmt.Errorf("it took %s", took)
					}
					return nil
				},
			},
		},
	})
}

// A Cluster that is protected, and that goes with its last request, is not lost with a request that is not protected: the plan of the
// Cluster refuses it where it comes after that of the request.
func TestAccCluster_protectedAfterItsRequest(t *testing.T) {
	t.Parallel()
	l := acceptance.NewHeldLandscape(t)
	name := "mcp-" + operator.NameHash(l.Namespace, "one")
	cluster := acceptance.ClusterOf(fmt.Sprintf("name = %q", name), `purposes = ["mcp"]`, "deletion_protection = true")
	var uid string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{
				Config: l.Provider() + acceptance.RequestOf("one", "mcp"),
				Check: func(*terraform.State) error {
					uid = l.UID(t, "Cluster", name)
					return nil
				},
			},
			{
				Config: l.Provider() + acceptance.RequestOf("one", "mcp") + cluster + fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", acceptance.ClusterOne,
					l.Namespace+"/"+name),
				ExpectNonEmptyPlan: true, // which writes the annotation: the import has not
			},
			{
				Config: l.Provider() + acceptance.RequestOf("one", "workload") + cluster,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryShootProtected, "Cluster "+l.Namespace+"/"+name+" has deletion_protection = true in the state",
					"this plan withdraws all requests that hold it, with which it goes"),
			}, {
				Config: l.Provider() + acceptance.RequestOf("one", "mcp") + acceptance.ClusterOf(fmt.Sprintf("name = %q", name), `purposes = ["mcp"]`),
				Check:  func(*terraform.State) error { return acceptance.Equal("uid", l.UID(t, "Cluster", name), uid) },
			},
		},
	})
}

// A denial that is foreseen is no error where the same plan makes a profile: none is reported where that has what the request needs, and a
// warning where it has not. Where the plan makes none it is an error.
func TestAccBuiltin_deniedBesideANewProfile(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t)
	ear := acceptance.NewEar(nil)
	fits := requestsOn([]string{"one"})
	misfit := strings.ReplaceAll(requestsOn([]string{"two"}), "vendor/aws", "vendor/gcp")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		Steps: []resource.TestStep{
			{Config: l.Builtin() + l.Workerless() + fits, PlanOnly: true, ExpectNonEmptyPlan: true},
			{
				PreConfig: func() {
					if err := ear.Silent(diagnose.SummaryDenied); err != nil {
						t.Error(err)
					}
				},
				Config: l.Builtin() + l.Workerless() + misfit, PlanOnly: true, ExpectNonEmptyPlan: true,
			}, {
				PreConfig: func() {
					ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryDenied, "purposes", "the apply will fail, unless this run",
						"infrastructure/vendor/gcp")
				},
				Config: l.Builtin() + l.Workerless() + fits, ConfigPlanChecks: acceptance.EmptyAfterwards,
			},
			refreshed(t, l, l.Builtin()+l.Workerless()+fits, l.Config),
			{
				Config: l.Builtin() + l.Workerless() + fits + misfit, PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryDenied, "vendor/gcp"),
			},
		},
	})
}
