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
	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// project is the project of the landscape.
func (l profileLandscape) project() string { return strings.TrimPrefix(l.Name, "garden-") }

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
		return l.builtin() + l.configOf(inRegion(region), "credentials_binding_name=", "global_account=", "wait_for_profile=",
			fmt.Sprintf("project = %q", l.project()))
	}
	refused := errorLike(diagnose.SummaryShootRefused, "Gardener refuses Shoots of ProviderConfig "+l.config, "spec.region: Unsupported value")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.gone,
		Steps: []resource.TestStep{
			{Config: config("nowhere"), PlanOnly: true, ExpectError: refused},
			{Config: config("region-1"), ConfigPlanChecks: emptyAfterwards},
			{Config: config("nowhere"), ExpectError: refused},
			{Config: config("region-1"), PlanOnly: true, Check: l.has("region-1", "spec", "shootTemplate", "spec", "region")},
		},
	})
}

// A template on an account that the same run claims is checked by the apply, before anything is written, and by each later plan.
func TestAccProviderConfig_refusedByGardenerAtApply(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	config := func(machine string) string {
		return l.builtin() + rulesAWS + claimOf("one", "ga-1") + l.configOf(templateWith("type: medium", "type: "+machine),
			"wait_for_profile=", fmt.Sprintf("project = %q", l.project()))
	}
	refused := errorLike(diagnose.SummaryShootRefused, "machine.type: Unsupported value: \"huge\"")
	nothing := func() {
		if err := l.gone(nil); err != nil {
			t.Error(err)
		}
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.gone,
		Steps: []resource.TestStep{
			{Config: config("huge"), ExpectError: refused},
			{PreConfig: nothing, Config: config("huge"), PlanOnly: true, ExpectError: refused},
			{Config: config("medium"), ConfigPlanChecks: emptyAfterwards, Check: l.has("aws-1", "spec", "shootTemplate", "spec", "credentialsBindingName")},
		},
	})
}

// Who may not create Shoots is told that Gardener was not asked, and the ProviderConfig is made all the same.
func TestAccProviderConfig_gardenerNotAsked(t *testing.T) {
	t.Parallel()
	l := newProfileLandscape(t)
	ear := newEar(nil)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.factories(),
		CheckDestroy:             l.gone,
		Steps: []resource.TestStep{{
			Config: l.on(l.user) + l.configOf(inRegion("nowhere"), "credentials_binding_name=", "global_account=",
				fmt.Sprintf("project = %q", l.project())),
			ConfigPlanChecks: emptyAfterwards,
			Check: func(*terraform.State) error {
				ear.want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryShootUnchecked, "", "ProviderConfig "+l.config,
					"examples/rbac/role-clusters.yaml")
				return nil
			},
		}},
	})
}

// theirs makes a ProviderConfig as another party does, with a template that Gardener may refuse.
func (l profileLandscape) theirs(t *testing.T, region string) {
	t.Helper()
	object := openmcp.New("ProviderConfig", "", l.config)
	object.SetAPIVersion("gardener.clusters.openmcp.cloud/v1alpha1")
	object.Object["spec"] = map[string]any{
		"providerRef": map[string]any{"name": "gardener"}, "landscapeRef": map[string]any{"name": "canary"}, "project": l.project(),
		"shootTemplate": map[string]any{"spec": map[string]any{
			"cloudProfile": map[string]any{"kind": "CloudProfile", "name": "aws"}, "region": region,
			"kubernetes": map[string]any{"version": "1.33.2"}, "provider": map[string]any{"type": "aws"},
		}},
	}
	if err := l.platform.Client().Create(context.Background(), object); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.platform.Client().Delete(context.Background(), object); err != nil {
			t.Error(err)
		}
	})
}

// A Cluster whose Shoot Gardener refuses ends the wait at once, with what Gardener says, and is kept. When the template is mended the next
// apply waits until it is ready, which it is not before its Shoot is.
func TestAccCluster_refusedByGardener(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t)
	l.theirs(t, "nowhere")
	ear := newEar(nil)
	config := l.builtin() + clusterOf(fmt.Sprintf("profile = \"test.gardener.%s\"", l.config)) +
		strings.Replace(requestsOn([]string{"two"}), "  depends_on = [hap_gardener_provider_config.one]\n", "", 1)
	var begun time.Time
	says := func(words ...string) {
		t.Helper()
		ear.want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryShootNotReady, "",
			append([]string{"Gardener refuses the Shoot of Cluster " + l.namespace + "/one", "spec.region: Unsupported value"}, words...)...)
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.factories(),
		Steps: []resource.TestStep{
			{
				PreConfig:          func() { begun = time.Now() },
				Config:             config,
				ExpectNonEmptyPlan: true,
				ConfigStateChecks: []statecheck.StateCheck{
					clusterValue("ready", knownvalue.Bool(false)),
					statecheck.ExpectKnownValue("hap_cluster_request.two", tfjsonpath.New("ready"), knownvalue.Bool(false)),
				},
				Check: func(*terraform.State) error {
					if took := time.Since(begun); took > time.Minute {
						t.Errorf("the wait took %s", took)
					}
					says("time alone does not help")
					ear.want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryClusterUnready, "", "Gardener refuses the Shoot of Cluster")
					return nil
				},
			}, {
				PreConfig: func() {
					l.edit(t, `{"spec": {"shootTemplate": {"spec": {"region": "region-1"}}}}`)
				},
				Config: config, ConfigPlanChecks: emptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{
					clusterValue("ready", knownvalue.Bool(true)), clusterValue("endpoints", knownvalue.MapSizeExact(1)),
					clusterValue("conditions", knownvalue.MapPartial(map[string]knownvalue.Check{
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
	l := newGardenerPlatformOn(t, withGardenlet(t, newLandscape(t), func(*gardencore.Shoot) gardenlet.Course {
		return gardenlet.Course{Steps: 2, Stuck: !up.Load()}
	}))
	ear := newEar(nil)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: ear.factories(),
		Steps: []resource.TestStep{
			{
				Config:             l.builtin() + l.workerless() + l.clusterOn(`timeouts = { create = "5s" }`),
				ExpectNonEmptyPlan: true,
				ConfigStateChecks: []statecheck.StateCheck{
					clusterValue("ready", knownvalue.Bool(false)), clusterValue("phase", knownvalue.StringExact("Ready")),
				},
				Check: func(*terraform.State) error {
					ear.want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryShootNotReady, "", "neither conditions nor addresses of the Shoot")
					return nil
				},
			}, {
				PreConfig: func() { up.Store(true) },
				Config:    l.builtin() + l.workerless() + l.clusterOn(), ConfigPlanChecks: emptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{clusterValue("ready", knownvalue.Bool(true))},
			},
		},
	})
}
