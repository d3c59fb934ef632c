package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
)

// The version of a Cluster of Gardener is that of the profile's template. A plan says that another one is not delivered, and each plan
// says so as long as the Cluster runs another one than the wanted one.
func TestAccCluster_versionOfTheTemplate(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t)
	ear := acceptance.NewEar(nil)
	base := l.Builtin() + l.Workerless()
	hears := func(summary string, words ...string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			ear.Want(t, tfprotov6.DiagnosticSeverityWarning, summary, "kubernetes_version", words...)
			return nil
		}
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		Steps: []resource.TestStep{
			{Config: base},
			{
				Config: base + l.ClusterOn(`kubernetes_version = "1.34"`),
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.ClusterValue("running_version", knownvalue.StringExact("1.33.2")), acceptance.ClusterValue("ready", knownvalue.Bool(true)),
				},
				Check: resource.ComposeTestCheckFunc(
					hears(diagnose.SummaryVersionUndelivered, "Kubernetes 1.34 is wanted", "gets Kubernetes 1.33.2, as its Shoot template says"),
					hears(diagnose.SummaryVersionOther, "runs Kubernetes 1.33.2, and 1.34 is wanted"),
				),
			}, {
				PreConfig: ear.Forget,
				Config:    base + l.ClusterOn(`kubernetes_version = "1.34"`), ConfigPlanChecks: acceptance.EmptyAfterwards,
				Check: hears(diagnose.SummaryVersionOther, "runs Kubernetes 1.33.2, and 1.34 is wanted"),
			}, {
				Config: base + l.ClusterOn(`kubernetes_version = "1.33"`), ConfigPlanChecks: acceptance.EmptyAfterwards,
			}, {
				PreConfig: ear.Forget,
				Config:    base + l.ClusterOn(`kubernetes_version = "1.33"`),
				Check: func(*terraform.State) error {
					if err := ear.Silent(diagnose.SummaryVersionOther); err != nil {
						return err
					}
					return ear.Silent(diagnose.SummaryVersionUndelivered)
				},
			},
		},
	})
}

// A request whose Cluster is raised to another version than the wanted one says so in each plan.
func TestAccBuiltin_versionRaised(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t)
	ear := acceptance.NewEar(nil)
	request := requestsOn([]string{"one"}, `kubernetes_version_wanted = "1.33"`)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		Steps: []resource.TestStep{
			{
				Config: l.Builtin() + l.Workerless() + request, ConfigPlanChecks: acceptance.EmptyAfterwards,
				Check: func(*terraform.State) error { return ear.Silent(diagnose.SummaryVersionOther) },
			}, {
				PreConfig: func() {
					l.Edit(t, `{"spec": {"shootTemplate": {"spec": {"kubernetes": {"version": "1.34.1"}}}}}`)
					awaitVersion(t, l, "1.34.1")
				},
				Config: l.Builtin() + l.WorkerlessAt("1.34.1") + request, ConfigPlanChecks: acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{acceptance.RequestValue("kubernetes_version", knownvalue.StringExact("1.34.1"))},
				Check: func(*terraform.State) error {
					ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryVersionOther, "kubernetes_version_wanted",
						"runs Kubernetes 1.34.1, and 1.33 is wanted", "Every plan says so")
					return nil
				},
			},
		},
	})
}

// The preview of the operator's decision shows the version that a new Cluster gets, and says that the wanted one is not delivered.
func TestAccClusterSchedule_versionOfTheTemplate(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t)
	ear := acceptance.NewEar(nil)
	preview := fmt.Sprintf(`
data "hap_cluster_schedule" "one" {
  engine  = "openmcp"
  name    = "one"
  purpose = "mcp"
  scheduler_config = yamlencode({ scheduler = { purposeMappings = { mcp = { template = { spec = {
    profile = "test.gardener.%s", tenancy = "Exclusive", kubernetes = { version = "1.34.1" }
  } } } } } })
  depends_on = [hap_gardener_provider_config.one]
}
`, l.Config)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		Steps: []resource.TestStep{{
			Config: l.Builtin() + l.Workerless() + preview,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.hap_cluster_schedule.one", tfjsonpath.New("kubernetes_version"), knownvalue.StringExact("1.33.2")),
			},
			Check: func(*terraform.State) error {
				ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryVersionUndelivered, "purpose", "Kubernetes 1.34.1 is wanted")
				return nil
			},
		}},
	})
}
