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
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// To take the protection off a cluster that does not get ready waits for nothing: it is on its way out.
func TestAccProtection_takenOffWhileUnready(t *testing.T) {
	t.Parallel()
	l := newHeldLandscape(t)
	testbed.SharedProvider().Set(l.namespace, "", testbed.Course{Never: true, Says: "the quota is used up"})
	soon := `timeouts = { create = "` + operatorSees + `" }`
	var begun time.Time
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{
				Config:             l.provider() + clusterOf(`timeouts = { create = "5s" }`, "deletion_protection = true") + requestOf("one", "mcp", soon, "deletion_protection = true"),
				ExpectNonEmptyPlan: true,
				ConfigStateChecks: []statecheck.StateCheck{
					clusterValue("ready", knownvalue.Bool(false)), requestValue("ready", knownvalue.Bool(false)),
				},
			}, {
				PreConfig: func() { begun = time.Now() },
				Config:    l.provider() + clusterOf() + requestOf("one", "mcp", soon),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(clusterOne, plancheck.ResourceActionUpdate),
					plancheck.ExpectResourceAction(requestOne, plancheck.ResourceActionUpdate),
					// A postcondition on ready that is known to fail would stop the plan.
					plancheck.ExpectUnknownValue(clusterOne, tfjsonpath.New("ready")), plancheck.ExpectUnknownValue(clusterOne, tfjsonpath.New("shoot")),
					plancheck.ExpectUnknownValue(requestOne, tfjsonpath.New("ready")), plancheck.ExpectUnknownValue(requestOne, tfjsonpath.New("shoot")),
				}},
				ExpectNonEmptyPlan: true, // which waits on
				ConfigStateChecks: []statecheck.StateCheck{
					clusterValue("deletion_protection", knownvalue.Bool(false)), requestValue("deletion_protection", knownvalue.Bool(false)),
				},
				Check: func(*terraform.State) error {
					if took := time.Since(begun); took > time.Minute { // timeouts.update is 45 minutes
						return fmt.Errorf("it took %s", took)
					}
					return nil
				},
			},
		},
	})
}

// A Cluster that is protected, and that goes with its last request, is not lost with a request that is not protected: the plan of the
// Cluster refuses it where it comes behind that of the request.
func TestAccCluster_protectedBehindItsRequest(t *testing.T) {
	t.Parallel()
	l := newHeldLandscape(t)
	name := "mcp-" + operator.NameHash(l.namespace, "one")
	cluster := clusterOf(fmt.Sprintf("name = %q", name), `purposes = ["mcp"]`, "deletion_protection = true")
	var uid string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{
				Config: l.provider() + requestOf("one", "mcp"),
				Check: func(*terraform.State) error {
					uid = l.uid(t, "Cluster", name)
					return nil
				},
			},
			{Config: l.provider() + requestOf("one", "mcp") + cluster + fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", clusterOne,
				l.namespace+"/"+name)},
			{
				Config: l.provider() + requestOf("one", "workload") + cluster,
				ExpectError: errorLike(diagnose.SummaryShootProtected, "Cluster "+l.namespace+"/"+name+" has deletion_protection = true in the state",
					"this plan withdraws all requests that hold it, with which it goes"),
			}, {
				Config: l.provider() + requestOf("one", "mcp") + clusterOf(fmt.Sprintf("name = %q", name), `purposes = ["mcp"]`),
				Check:  func(*terraform.State) error { return equal("uid", l.uid(t, "Cluster", name), uid) },
			},
		},
	})
}

// A denial that is foreseen is no error where the same plan makes a profile: none is told where that has what the request needs, and a
// warning where it has not. Where the plan makes none it is an error.
func TestAccBuiltin_deniedBesideANewProfile(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t)
	ear := newEar(nil)
	fits := requestsOn([]string{"one"})
	misfit := strings.ReplaceAll(requestsOn([]string{"two"}), "vendor/aws", "vendor/gcp")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.factories(),
		Steps: []resource.TestStep{
			{Config: l.builtin() + l.workerless() + fits, PlanOnly: true, ExpectNonEmptyPlan: true},
			{
				PreConfig: func() {
					if err := ear.silent(diagnose.SummaryDenied); err != nil {
						t.Error(err)
					}
				},
				Config: l.builtin() + l.workerless() + misfit, PlanOnly: true, ExpectNonEmptyPlan: true,
			}, {
				PreConfig: func() {
					ear.want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryDenied, "purposes", "the apply will fail, unless this run",
						"infrastructure/vendor/gcp")
				},
				Config: l.builtin() + l.workerless() + fits, ConfigPlanChecks: emptyAfterwards,
			},
			{Config: l.builtin() + l.workerless() + fits + misfit, PlanOnly: true, ExpectError: errorLike(diagnose.SummaryDenied, "vendor/gcp")},
		},
	})
}
