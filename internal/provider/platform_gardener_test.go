package provider

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// newGardenerPlatform is a platform cluster that a test has to itself, with a cluster provider that makes Shoots in the project of a pool
// and knows the landscape canary alone.
func newGardenerPlatform(t *testing.T, accounts ...testbed.AccountSpec) acceptance.ProfileLandscape {
	t.Helper()
	return newGardenerPlatformOn(t, acceptance.NewClusterLandscape(t, accounts...))
}

// newGardenerPlatformOn is newGardenerPlatform with a gardenlet that a test has made.
func newGardenerPlatformOn(t *testing.T, on acceptance.ClusterLandscape) acceptance.ProfileLandscape {
	t.Helper()
	l := acceptance.ProfileLandscape{Landscape: on.Landscape, PlatformCluster: openmcp.Own(t)}
	l.Requests = l.PlatformCluster.NewNamespace(t)
	l.Config = "blue-" + l.Requests
	var roles [][]byte
	for _, name := range []string{"platform.yaml", "platform-builtin.yaml", "platform-profiles.yaml", "platform-clusters.yaml"} {
		roles = append(roles, testbed.RoleExample(t, name))
	}
	l.PlatformUser = l.PlatformCluster.ServiceAccount(t, l.Requests, "hap", bytes.Join(roles, []byte("\n---\n")))
	provider := &openmcp.Provider{Platform: l.PlatformCluster, Garden: l.Landscape.Namespace, Landscape: "canary"}
	stop := provider.Start(context.Background())
	t.Cleanup(func() {
		if stop(); t.Failed() && provider.Err() != nil {
			t.Error(provider.Err())
		}
	})
	return l
}

// refreshed applies a configuration again, once the cluster provider is done with these ProviderConfigs, so that the state says so. Before,
// a plan does not refuse what they may still come to serve.
func refreshed(t *testing.T, l acceptance.ProfileLandscape, config string, names ...string) resource.TestStep {
	t.Helper()
	return resource.TestStep{
		PreConfig: func() { awaitPublished(t, l, names...) }, Config: config, ConfigPlanChecks: acceptance.EmptyAfterwards,
	}
}

// awaitPublished waits until the cluster provider is done with these ProviderConfigs.
func awaitPublished(t *testing.T, l acceptance.ProfileLandscape, names ...string) {
	t.Helper()
	for _, name := range names {
		of := l
		of.Config = name
		for of.At("status", "phase") != "Ready" {
			if t.Context().Err() != nil {
				t.Fatalf("ProviderConfig %s is not ready", name)
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
}

// awaitVersion waits until each Cluster runs a version of Kubernetes and is ready.
func awaitVersion(t *testing.T, l acceptance.ProfileLandscape, version string) {
	t.Helper()
	for t.Context().Err() == nil {
		all := stagedLandscape{platform: l.PlatformCluster}.of(t, "Cluster")
		if !slices.ContainsFunc(all, func(c unstructured.Unstructured) bool {
			phase, _, _ := unstructured.NestedString(c.Object, "status", "phase")
			return c.GetLabels()["clusters.openmcp.cloud/k8sversion"] != version || phase != "Ready"
		}) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// requestsOn writes requests of the built-in scheduler with a trait that the profile of the ProviderConfig one alone has.
func requestsOn(labels []string, extra ...string) string {
	text := ""
	for _, label := range labels {
		text += fmt.Sprintf("resource \"hap_cluster_request\" %q {\n  name     = %q\n  purposes = [\"work\"]\n"+
			"  purpose_definitions = { work = {} }\n  traits = [{ trait = \"infrastructure/vendor/aws\" }]\n"+
			"  depends_on = [hap_gardener_provider_config.one]\n  deletion_protection = false\n  %s\n}\n",
			label, label, strings.Join(extra, "\n  "))
	}
	return text
}

// The cluster provider of Gardener takes the version of a Shoot from the template of the profile alone, whatever versions it publishes: a
// request for another one is denied, and none is promised what it does not get. Requests of one apply with the profile find it.
func TestAccBuiltin_versionOfTheTemplate(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t)
	clusters := func(want int) resource.TestCheckFunc {
		return func(*terraform.State) error {
			all := stagedLandscape{platform: l.PlatformCluster}.of(t, "Cluster")
			if len(all) != want {
				return fmt.Errorf("there are %d Clusters, not %d", len(all), want)
			}
			return nil
		}
	}
	base := l.Builtin() + l.Workerless()
	fitting := requestsOn([]string{"one", "two"}, `kubernetes_version_wanted = "1.33"`)
	same := statecheck.CompareValuePairs("hap_cluster_request.one", tfjsonpath.New("cluster"), "hap_cluster_request.two",
		tfjsonpath.New("cluster"), compare.ValuesSame())
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             clusters(0),
		Steps: []resource.TestStep{
			{
				Config: base + fitting, ConfigPlanChecks: acceptance.EmptyAfterwards, Check: clusters(1),
				ConfigStateChecks: []statecheck.StateCheck{same, acceptance.RequestValue("kubernetes_version", knownvalue.StringExact("1.33.2"))},
			},
			{
				Config:      base + fitting + requestsOn([]string{"newer"}, `kubernetes_version_wanted = "1.34"`),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryDenied, "(UnsupportedVersion)"),
			},
			{Config: base + fitting, Check: clusters(1)},
		},
	})
}

// An apply waits for the profile of a ProviderConfig, and says by the provider's own condition why there is none.
func TestAccProviderConfig_notPublished(t *testing.T) {
	t.Parallel()
	l := newGardenerPlatform(t)
	short := `timeouts = { create = "20s" }`
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{
				Config: l.Builtin() + l.Workerless(`environment = "prod"`, short),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryProfileUnpublished,
					"published the profile of ProviderConfig "+l.Config+" as test.gardener."+l.Config+", not as prod.gardener."+l.Config),
			},
			{Config: l.Builtin() + l.Workerless(), ConfigPlanChecks: acceptance.EmptyAfterwards},
			{
				Config:      l.Builtin() + l.Workerless(`landscape_ref = "cannary"`, short, `name = "red-`+l.Requests+`"`),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryProfileUnpublished, "LandscapeManagement is False: UnknownLandscape Landscape 'cannary' not found"),
			},
			{Config: l.Builtin() + l.Workerless(`landscape_ref = "cannary"`, `wait_for_profile = false`, `name = "red-`+l.Requests+`"`)},
		},
	})
}
