package provider

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// project is the project of the landscape.
func project(l acceptance.ProfileLandscape) string { return strings.TrimPrefix(l.Name, "garden-") }

// inRegion is a template for clusters without workers in a region.
func inRegion(region string) string {
	return "spec:\n  cloudProfile: { kind: CloudProfile, name: aws }\n  region: " + region +
		"\n  kubernetes: { version: \"1.33.2\" }\n  provider: { type: aws }"
}

// A template that Gardener refuses is an error at plan, also of a change, and nothing is written.
func TestAccProviderConfig_refusedByGardener(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t)
	config := func(region string) string {
		return l.Builtin() + l.ConfigOf(inRegion(region), "credentials_binding_name=", "global_account=", "wait_for_profile=",
			fmt.Sprintf("project = %q", project(l)))
	}
	refused := acceptance.ErrorLike(diagnose.SummaryShootRefused, "Gardener refuses Shoots of ProviderConfig "+l.Config, "spec.region: Unsupported value")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.Gone,
		Steps: []resource.TestStep{
			{Config: config("nowhere"), PlanOnly: true, ExpectError: refused},
			{Config: config("region-1"), ConfigPlanChecks: acceptance.EmptyAfterwards},
			{Config: config("nowhere"), ExpectError: refused},
			{Config: config("region-1"), PlanOnly: true, Check: l.Has("region-1", "spec", "shootTemplate", "spec", "region")},
		},
	})
}

// A template on an account that the same run claims is checked by the apply, before anything is written, and by each later plan.
func TestAccProviderConfig_refusedByGardenerAtApply(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	config := func(machine string) string {
		return l.Builtin() + acceptance.RulesAWS + acceptance.ClaimOf("one", "ga-1") + l.ConfigOf(acceptance.TemplateWith("type: medium", "type: "+machine),
			"wait_for_profile=", fmt.Sprintf("project = %q", project(l)))
	}
	refused := acceptance.ErrorLike(diagnose.SummaryShootRefused, "machine.type: Unsupported value: \"huge\"")
	nothing := func() {
		if err := l.Gone(nil); err != nil {
			t.Error(err)
		}
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.Gone,
		Steps: []resource.TestStep{
			{Config: config("huge"), ExpectError: refused},
			{PreConfig: nothing, Config: config("huge"), PlanOnly: true, ExpectError: refused},
			{Config: config("medium"), ConfigPlanChecks: acceptance.EmptyAfterwards, Check: l.Has("aws-1", "spec", "shootTemplate", "spec", "credentialsBindingName")},
		},
	})
}

// What Gardener refuses of a template that is there already hinders no change of the rest: live clusters keep it. It is a warning, and what
// the change adds to it is the error, alone.
func TestAccProviderConfig_refusedAlready(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t)
	unchecked := l // Gardener is not asked by who may not create Shoots
	unchecked.Kubeconfig = l.ServiceAccount(t, "claims", testbed.DocumentedRole(t)).Kubeconfig(t)
	config := func(l acceptance.ProfileLandscape, version string) string {
		return l.Builtin() + l.ConfigOf(strings.Replace(inRegion("nowhere"), "1.33.2", version, 1), "credentials_binding_name=", "global_account=",
			fmt.Sprintf("project = %q", project(l)))
	}
	at := func(version string) resource.TestCheckFunc {
		return l.Has(version, "spec", "shootTemplate", "spec", "kubernetes", "version")
	}
	ear := acceptance.NewEar(nil)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		CheckDestroy:             l.Gone,
		Steps: []resource.TestStep{
			{Config: config(unchecked, "1.33.2"), Check: at("1.33.2")},
			{
				Config: config(l, "1.34.1"), ConfigPlanChecks: acceptance.EmptyAfterwards,
				Check: func(s *terraform.State) error {
					ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryTemplate, "shoot_template", "spec.region: Unsupported value",
						"It refuses this of the template as it is now, too")
					return at("1.34.1")(s)
				},
			},
			{
				Config:      config(l, "1.99.0"),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryShootRefused, "spec.kubernetes.version: Unsupported value"),
			},
			{Config: config(l, "1.34.1"), PlanOnly: true, Check: at("1.34.1")},
		},
	})
	for _, refusal := range ear.Details(tfprotov6.DiagnosticSeverityError) {
		if strings.Contains(refusal, "spec.region") {
			t.Errorf("the error names what exists already: %s", refusal)
		}
	}
}

// A user who may not create Shoots is warned that Gardener was not asked, and the ProviderConfig is made all the same.
func TestAccProviderConfig_gardenerNotAsked(t *testing.T) {
	t.Parallel()
	l := acceptance.NewProfileLandscape(t)
	ear := acceptance.NewEar(nil)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		CheckDestroy:             l.Gone,
		Steps: []resource.TestStep{{
			Config: l.On(l.PlatformUser) + l.ConfigOf(inRegion("nowhere"), "credentials_binding_name=", "global_account=",
				fmt.Sprintf("project = %q", project(l))),
			ConfigPlanChecks: acceptance.EmptyAfterwards,
			Check: func(*terraform.State) error {
				ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryShootUnchecked, "", "ProviderConfig "+l.Config,
					"examples/rbac/role-clusters.yaml")
				return nil
			},
		}},
	})
}

// theirs makes a ProviderConfig as another party does, with a template that Gardener may refuse.
func theirs(t *testing.T, l acceptance.ProfileLandscape, region string) {
	t.Helper()
	object := openmcp.New("ProviderConfig", "", l.Config)
	object.SetAPIVersion("gardener.clusters.openmcp.cloud/v1alpha1")
	object.Object["spec"] = map[string]any{
		"providerRef": map[string]any{"name": "gardener"}, "landscapeRef": map[string]any{"name": "canary"}, "project": project(l),
		"shootTemplate": map[string]any{"spec": map[string]any{
			"cloudProfile": map[string]any{"kind": "CloudProfile", "name": "aws"}, "region": region,
			"kubernetes": map[string]any{"version": "1.33.2"}, "provider": map[string]any{"type": "aws"},
		}},
	}
	if err := l.PlatformCluster.Client().Create(context.Background(), object); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.PlatformCluster.Client().Delete(context.Background(), object); err != nil {
			t.Error(err)
		}
	})
}

// A Cluster whose Shoot Gardener refuses ends the wait at once, with what Gardener says, and is kept. When the template is mended the next
// apply waits until it is ready, which it is not before its Shoot is.
func TestAccCluster_refusedByGardener(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t)
	theirs(t, l, "nowhere")
	ear := acceptance.NewEar(nil)
	config := l.Builtin() + acceptance.ClusterOf(fmt.Sprintf("profile = \"test.gardener.%s\"", l.Config)) +
		strings.Replace(requestsOn([]string{"two"}), "  depends_on = [hap_gardener_provider_config.one]\n", "", 1)
	var begun time.Time
	says := func(words ...string) {
		t.Helper()
		ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryShootNotReady, "",
			append([]string{"Gardener refuses the Shoot of Cluster " + l.Requests + "/one", "spec.region: Unsupported value"}, words...)...)
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		Steps: []resource.TestStep{
			{
				PreConfig:          func() { begun = time.Now() },
				Config:             config,
				ExpectNonEmptyPlan: true,
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.ClusterValue("ready", knownvalue.Bool(false)),
					statecheck.ExpectKnownValue("hap_cluster_request.two", tfjsonpath.New("ready"), knownvalue.Bool(false)),
				},
				Check: func(*terraform.State) error {
					if took := time.Since(begun); took > 5*time.Minute { // timeouts.create is far longer
						t.Errorf("the wait took %s", took)
					}
					says("time alone does not help")
					ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryClusterUnready, "", "Gardener refuses the Shoot of Cluster")
					return nil
				},
			}, {
				PreConfig: func() {
					time.Sleep(3 * time.Second) // a wait knows by the age of the Cluster, in whole seconds, that a refusal may be from before it
					l.Edit(t, `{"spec": {"shootTemplate": {"spec": {"region": "region-1"}}}}`)
				},
				Config: config, ConfigPlanChecks: acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.ClusterValue("ready", knownvalue.Bool(true)), acceptance.ClusterValue("endpoints", knownvalue.MapSizeExact(1)),
					acceptance.ClusterValue("conditions", knownvalue.MapPartial(map[string]knownvalue.Check{
						"Gardener_APIServerAvailable": knownvalue.StringExact("True"),
					})),
				},
			},
		},
	})
}

// A Cluster whose Shoot was just made is not ready, although its cluster provider says so.
func TestAccCluster_readyWithItsShoot(t *testing.T) {
	t.Parallel()
	var up atomic.Bool
	l := newGardenerPlatformOn(t, acceptance.WithGardenlet(t, acceptance.NewLandscape(t), func(*gardencore.Shoot) gardenlet.Course {
		return gardenlet.Course{Steps: 2, Stuck: !up.Load()}
	}))
	ear := acceptance.NewEar(nil)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.Factories(),
		Steps: []resource.TestStep{
			{
				Config:             l.Builtin() + l.Workerless() + l.ClusterOn(`timeouts = { create = "15s" }`),
				ExpectNonEmptyPlan: true,
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.ClusterValue("ready", knownvalue.Bool(false)), acceptance.ClusterValue("phase", knownvalue.StringExact("Ready")),
				},
				Check: func(*terraform.State) error {
					ear.Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryShootNotReady, "", "neither conditions nor addresses of the Shoot")
					return nil
				},
			}, {
				PreConfig: func() { up.Store(true) },
				Config:    l.Builtin() + l.Workerless() + l.ClusterOn(), ConfigPlanChecks: acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{acceptance.ClusterValue("ready", knownvalue.Bool(true))},
			},
		},
	})
}
