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

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// purposesOf writes a request of the built-in scheduler for purposes that all are defined.
func purposesOf(purposes []string, extra ...string) string {
	defined := ""
	for _, purpose := range purposes {
		if one := fmt.Sprintf("%q = {}", purpose); !strings.Contains(defined, one) {
			defined += one + "\n"
		}
	}
	return fmt.Sprintf("resource \"hap_cluster_request\" \"one\" {\n  name = \"one\"\n  purposes = [%s]\n  purpose_definitions = {\n%s  }\n  %s\n}\n",
		`"`+strings.Join(purposes, `", "`)+`"`, defined, strings.Join(acceptance.Unprotected(extra), "\n  "))
}

// Edits that the Cluster of a request serves as well leave the request as it is: purposes in another order or twice are no change, and
// purposes that the Cluster has, a trait that it meets and another proposed prefix are an update in place. What it does not serve would
// make another request, which protection refuses, and the plan says why.
func TestAccBuiltin_harmlessEdits(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	x, y, z := l.Own(), l.Own()+"-y", l.Own()+"-z"
	cluster := acceptance.ClusterOf(fmt.Sprintf("purposes = [%q, %q]", x, y), `tenancy = "Shared"`)
	on := func(purposes []string, extra ...string) string {
		return l.Builtin() + cluster + purposesOf(purposes, append(extra, "depends_on = [hap_cluster.one]", "deletion_protection = true")...)
	}
	proposed := `prefix_proposal = "abcd-"`
	var uid string
	same := func(*terraform.State) error { return acceptance.Equal("uid", l.UID(t, "ClusterRequest", "one"), uid) }
	inPlace := func(config string, checks ...statecheck.StateCheck) resource.TestStep {
		return resource.TestStep{Config: config, Check: same, ConfigStateChecks: checks, ConfigPlanChecks: resource.ConfigPlanChecks{
			PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionUpdate)},
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
		}}
	}
	unchanged := func(config string) resource.TestStep {
		return resource.TestStep{Config: config, Check: same, ConfigPlanChecks: resource.ConfigPlanChecks{
			PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
		}}
	}
	refused := func(config string) resource.TestStep {
		return resource.TestStep{Config: config, PlanOnly: true, ExpectError: acceptance.ErrorLike(diagnose.SummaryShootProtected, "is the last that holds")}
	}
	ear := acceptance.NewEar(nil)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{
				Config: on([]string{x}, proposed),
				Check: func(*terraform.State) error {
					uid = l.UID(t, "ClusterRequest", "one")
					return nil
				},
			},
			unchanged(on([]string{x, x}, proposed)),
			inPlace(on([]string{x, y}, proposed), acceptance.RequestValue("purpose", knownvalue.StringExact(x))),
			unchanged(on([]string{y, x, y}, proposed)),
			inPlace(on([]string{x}, proposed)),
			inPlace(on([]string{y, x}, proposed), acceptance.RequestValue("purpose", knownvalue.StringExact(x))),
			inPlace(on([]string{x, y}, `prefix_proposal = "abcde-"`), acceptance.RequestValue("prefix", knownvalue.StringExact("abcd-"))),
			inPlace(on([]string{x, y}, `prefix_proposal = "abcde-"`, "dedicated = false",
				`traits = [{ trait = "infrastructure/vendor/moon", negated = true }]`)),
			refused(on([]string{x, y, z}, proposed)),
			refused(on([]string{y}, proposed)),
			refused(on([]string{x, y}, proposed, "dedicated = true")),
			refused(on([]string{x, y}, proposed, `traits = [{ trait = "infrastructure/vendor/moon" }]`)),
			{Config: l.Builtin() + cluster + purposesOf([]string{x, y}, `prefix_proposal = "abcde-"`, "dedicated = false",
				`traits = [{ trait = "infrastructure/vendor/moon", negated = true }]`, "depends_on = [hap_cluster.one]"), Check: same},
		},
	})
	ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryPrefixKept, "prefix_proposal", `was granted the prefix "abcd-"`, "-replace")
	ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryRequestAnew, "purposes", "it lacks the purpose "+z)
	ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryRequestAnew, "dedicated", "it is shared, and the request is dedicated")
}

// A dedicated Cluster is for its request alone, so it serves other purposes of that as well.
func TestAccBuiltin_purposesOfADedicatedCluster(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	x, y := l.Own(), l.Own()+"-y"
	var cluster string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{Config: l.Builtin() + purposesOf([]string{x}, "dedicated = true"), Check: func(s *terraform.State) error {
				cluster = s.RootModule().Resources[acceptance.RequestOne].Primary.Attributes["cluster.name"]
				return nil
			}},
			{
				Config: l.Builtin() + purposesOf([]string{x, y}, "dedicated = true"),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: func(s *terraform.State) error {
					return acceptance.Equal("cluster", s.RootModule().Resources[acceptance.RequestOne].Primary.Attributes["cluster.name"], cluster)
				},
			},
		},
	})
}

// Where purposes disagree about a trait, the plan says so; required against required as well.
func TestAccBuiltin_purposesDisagree(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	ear := acceptance.NewEar(nil)
	torn := strings.NewReplacer(`= {}`, `= { traits = [{ trait = "some/trait", negated = true }] }`).Replace(l.ADRRequest("one"))
	torn = strings.Replace(torn, "purposes = [", `purposes = ["wants", `, 1)
	torn = strings.Replace(torn, "purpose_definitions = { ", `purpose_definitions = { wants = { traits = [{ trait = "some/trait" }] }, `, 1)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		Steps: []resource.TestStep{{
			Config: l.Builtin() + torn, PlanOnly: true, ExpectError: acceptance.ErrorLike(diagnose.SummaryDenied, "some/trait"),
		}},
	})
	ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryTraitsDisagree, "purposes", "Trait some/trait: wants wants it present",
		"the first purpose in the list counts")
	if err := l.None("ClusterRequest", "one"); err != nil {
		t.Error(err)
	}
}

// A Cluster that has the name of one of its purposes is made, imported, and used by the operator as it is. One that has the name of a
// purpose for which requests wait, and not the purpose, is reported: the operator would overwrite it.
func TestAccCluster_namedAsAPurpose(t *testing.T) {
	t.Parallel()
	l := acceptance.NewHeldLandscape(t)
	named := acceptance.ClusterOf(`name = "onboarding"`, `purposes = ["onboarding", "spare"]`, `tenancy = "Shared"`)
	ear := acceptance.NewEar(nil)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{Config: l.Provider() + named, ConfigPlanChecks: acceptance.EmptyAfterwards},
			{
				ResourceName: acceptance.ClusterOne, ImportState: true, ImportStateId: l.Namespace + "/onboarding", ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{"timeouts", "deletion_protection"},
			}, {
				Config: l.Provider() + named + acceptance.RequestOf("one", "onboarding", "depends_on = [hap_cluster.one]"), ConfigPlanChecks: acceptance.EmptyAfterwards,
				Check:             resource.TestCheckResourceAttr(acceptance.RequestOne, "cluster.name", "onboarding"),
				ConfigStateChecks: []statecheck.StateCheck{acceptance.ClusterValue("purposes", knownvalue.SetSizeExact(2))},
			},
		},
	})
	if told := ear.Summaries(tfprotov6.DiagnosticSeverityWarning); strings.Contains(fmt.Sprint(told), diagnose.SummaryClusterName) {
		t.Errorf("it is reported: %q", told)
	}
	waits := testbed.New("ClusterRequest", l.Namespace, "waits")
	waits.Object["spec"] = map[string]any{"purpose": "nonsense"}
	if err := l.Client().Create(t.Context(), waits); err != nil {
		t.Fatal(err)
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		Steps:                    []resource.TestStep{{Config: l.Provider() + acceptance.ClusterOf(`name = "nonsense"`), PlanOnly: true, ExpectNonEmptyPlan: true}},
	})
	ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryClusterName, "name", `"nonsense" is a purpose of 1 request (`+
		l.Namespace+"/waits), and none of this Cluster's", "overwrites its spec")
	if err := l.Client().Delete(t.Context(), waits); err != nil {
		t.Error(err)
	}
}
