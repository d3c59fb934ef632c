package provider

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	gardens "github.com/hap-project/terraform-provider-hap/internal/testbed"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

const clusterOne = "hap_cluster.one"

// newOwnLandscape is a namespace on a platform cluster, whose user has the documented rights on Clusters and nothing else.
func newOwnLandscape(t *testing.T) platformLandscape {
	t.Helper()
	l := newPlatformLandscape(t)
	l.kubeconfig = l.ServiceAccount(t, l.namespace, "hap", gardens.RoleExample(t, "platform-clusters.yaml")).Kubeconfig
	return l
}

// newHeldLandscape is newOwnLandscape with the rights on requests beside.
func newHeldLandscape(t *testing.T) platformLandscape {
	t.Helper()
	l := newPlatformLandscape(t)
	l.kubeconfig = l.ServiceAccount(t, l.namespace, "hap", slices.Concat(
		gardens.RoleExample(t, "platform-clusters.yaml"), []byte("\n---\n"), gardens.RoleExample(t, "platform.yaml"))).Kubeconfig
	return l
}

// clusterOf writes the Cluster one; attributes, each a line, win over these, and an empty value takes one away.
func clusterOf(attributes ...string) string {
	lines := map[string]string{"name": `"one"`, "profile": fmt.Sprintf("%q", testbed.WorkerlessProfile)}
	for _, a := range attributes {
		name, value, _ := strings.Cut(a, "=")
		lines[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	text := "resource \"hap_cluster\" \"one\" {\n"
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		if lines[name] != "" {
			text += fmt.Sprintf("  %s = %s\n", name, lines[name])
		}
	}
	return text + "}\n"
}

func clusterValue(attribute string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(clusterOne, tfjsonpath.New(attribute), check)
}

// has checks a value of an object of openMCP; empty = there is none.
func (l platformLandscape) has(kind, name, want string, at ...string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		object, err := l.live(kind, name)
		if err != nil || object == nil {
			return fmt.Errorf("%s %s: %v, %w", kind, name, object, err)
		}
		value, found, _ := unstructured.NestedFieldNoCopy(object.Object, at...)
		got := fmt.Sprint(value)
		if !found {
			got = ""
		}
		return equal(strings.Join(at, "."), got, want)
	}
}

// A Cluster is made with the documented rights, is ready, changes in place, and goes.
func TestAccCluster_life(t *testing.T) {
	t.Parallel()
	l := newOwnLandscape(t)
	var uid string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{
				Config:           l.provider() + clusterOf(`purposes = ["platform", "onboarding"]`, `tenancy = "Shared"`, `labels = { stage = "dev" }`),
				ConfigPlanChecks: emptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{
					clusterValue("id", knownvalue.StringExact(l.namespace+"/one")),
					clusterValue("namespace", knownvalue.StringExact(l.namespace)),
					clusterValue("phase", knownvalue.StringExact("Ready")),
					clusterValue("ready", knownvalue.Bool(true)),
					clusterValue("conditions", knownvalue.MapExact(map[string]knownvalue.Check{"ShootReady": knownvalue.StringExact("True")})),
					clusterValue("running_version", knownvalue.StringExact(testbed.Version)),
					clusterValue("requests", knownvalue.ListExact(nil)),
					clusterValue("endpoints", knownvalue.MapExact(map[string]knownvalue.Check{
						"apiserver-external": knownvalue.StringExact(l.Config().Host),
					})),
				},
			}, {
				PreConfig: func() { uid = l.uid(t, "Cluster", "one") },
				Config: l.provider() + clusterOf(`purposes = ["platform", "mcp"]`, `kubernetes_version = "1.33.4"`, `labels = { stage = "live" }`,
					`annotations = { owner = "me" }`, `cluster_config_refs = ["small", "private"]`),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(clusterOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: resource.ComposeTestCheckFunc(
					func(*terraform.State) error { return equal("uid", l.uid(t, "Cluster", "one"), uid) },
					l.has("Cluster", "one", "[platform mcp]", "spec", "purposes"), l.has("Cluster", "one", "Exclusive", "spec", "tenancy"),
					l.has("Cluster", "one", "1.33.4", "spec", "kubernetes", "version"), l.has("Cluster", "one", "live", "metadata", "labels", "stage"),
					l.has("Cluster", "one", "[map[name:small] map[name:private]]", "spec", "clusterConfigs"),
					l.has("Cluster", "one", "me", "metadata", "annotations", "owner"),
				),
			}, {
				Config:           l.provider() + clusterOf(),
				ConfigPlanChecks: emptyAfterwards,
				Check: resource.ComposeTestCheckFunc(
					l.has("Cluster", "one", "", "spec", "purposes"), l.has("Cluster", "one", "", "spec", "kubernetes"),
					l.has("Cluster", "one", "", "spec", "clusterConfigs"), l.has("Cluster", "one", "", "metadata", "labels", "stage"),
					l.has("Cluster", "one", "", "metadata", "annotations", "owner"),
				),
			}, {
				Config: l.provider() + clusterOf(fmt.Sprintf("profile = %q", testbed.WorkerProfile), `wait_for = "created"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(clusterOne, plancheck.ResourceActionDestroyBeforeCreate)},
				},
				Check: l.has("Cluster", "one", testbed.WorkerProfile, "spec", "profile"),
			},
		},
	})
}

// Requests that hold a Cluster keep it: it is neither destroyed nor replaced, loses none of its purposes, and does not become exclusive.
// Both go together where the plan withdraws the requests too.
func TestAccCluster_held(t *testing.T) {
	t.Parallel()
	l := newHeldLandscape(t)
	shared := clusterOf(`purposes = ["workload", "spare"]`, `tenancy = "Shared"`)
	two := requestOf("r1", "workload", "depends_on = [hap_cluster.one]") + requestOf("r2", "workload", "depends_on = [hap_cluster.one]")
	var uid string
	refused := func(config string, says ...string) resource.TestStep {
		return resource.TestStep{Config: l.provider() + config + two, PlanOnly: true,
			ExpectError: errorLike(diagnose.SummaryClusterHeld, append([]string{"Cluster " + l.namespace + "/one is held by 2 requests"}, says...)...)}
	}
	names := l.namespace + "/r1"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{Config: l.provider() + shared},
			{
				Config: l.provider() + shared + two,
				Check: func(*terraform.State) error {
					uid = l.uid(t, "Cluster", "one")
					return nil
				},
			},
			refused(clusterOf(`purposes = ["workload", "spare"]`), "it cannot become Exclusive", names),
			refused(clusterOf(`purposes = ["workload"]`, `tenancy = "Shared"`), `its purposes cannot lose ["spare"]`, names),
			refused(clusterOf(`purposes = ["workload", "spare"]`, `tenancy = "Shared"`, fmt.Sprintf("profile = %q", testbed.WorkerProfile)),
				"it cannot be replaced by another", names),
			{
				Config:      l.provider() + strings.ReplaceAll(two, "depends_on = [hap_cluster.one]", ""),
				PlanOnly:    true,
				ExpectError: errorLike(diagnose.SummaryClusterHeld, "it cannot be deleted", names),
			}, {
				Config: l.provider() + clusterOf(`purposes = ["workload", "spare", "more"]`, `tenancy = "Shared"`) + two,
				Check: func(*terraform.State) error {
					return equal("uid", l.uid(t, "Cluster", "one"), uid)
				},
				ConfigPlanChecks:  emptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{clusterValue("requests", knownvalue.ListSizeExact(2))},
			}, {
				Config: l.provider() + "# all go\n", Destroy: false,
				Check: func(*terraform.State) error { return l.none("Cluster", "one") },
			},
			{Config: l.provider() + clusterOf(`purposes = ["workload"]`, `tenancy = "Shared"`) + two},
		},
	})
}
