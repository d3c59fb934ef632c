package provider

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

const requestOne = "hap_cluster_request.one"

// platformLandscape is a namespace on a platform cluster with the real operator.
type platformLandscape struct {
	*testbed.Platform
	namespace  string
	kubeconfig string
}

func newPlatformLandscape(t *testing.T) platformLandscape {
	t.Helper()
	needsGarden(t)
	return newPlatformLandscapeOn(t, testbed.Shared(t))
}

// newPlatformLandscapeOn is a namespace on a platform cluster.
func newPlatformLandscapeOn(t *testing.T, p *testbed.Platform) platformLandscape {
	t.Helper()
	l := platformLandscape{Platform: p, namespace: p.NewNamespace(t), kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	content, err := p.Kubeconfig(l.namespace)
	if err == nil {
		err = os.WriteFile(l.kubeconfig, content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// provider is the provider block that leads to the platform cluster, and to no Garden.
func (l platformLandscape) provider() string {
	return fmt.Sprintf("provider \"hap\" {\n  platform = { config_path = %q }\n}\n", l.kubeconfig)
}

// requestOf writes a request; extra attributes go into it. It is not protected, unless they say so.
func requestOf(label, purpose string, extra ...string) string {
	return fmt.Sprintf("resource \"hap_cluster_request\" %q {\n  name    = %q\n  purpose = %q\n  %s\n}\n", label, label, purpose,
		strings.Join(unprotected(extra), "\n  "))
}

// unprotected are the attributes of an object that goes with its test, unless they say otherwise.
func unprotected(attributes []string) []string {
	if slices.ContainsFunc(attributes, func(a string) bool { return strings.HasPrefix(a, "deletion_protection") }) {
		return attributes
	}
	return append(slices.Clone(attributes), "deletion_protection = false")
}

func requestValue(attribute string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(requestOne, tfjsonpath.New(attribute), check)
}

// live returns an object of openMCP as the server has it; nil = there is none.
func (l platformLandscape) live(kind, name string) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	object := testbed.New(kind, l.namespace, name)
	err := l.Client().Get(ctx, client.ObjectKeyFromObject(object), object)
	if apierrors.IsNotFound(err) {
		return nil, nil //nolint:nilnil // as documented
	}
	return object, err
}

// none fails where an object of openMCP is there.
func (l platformLandscape) none(kind, name string) error {
	object, err := l.live(kind, name)
	if err == nil && object != nil {
		return fmt.Errorf("%s %s is there", kind, name)
	}
	return err
}

func (l platformLandscape) uid(t *testing.T, kind, name string) string {
	t.Helper()
	object, err := l.live(kind, name)
	if err != nil || object == nil {
		t.Fatalf("%s %s: %v, %v", kind, name, object, err)
	}
	return string(object.GetUID())
}

// noRequests fails where a request or a Cluster of the namespace is left.
func (l platformLandscape) noRequests(*terraform.State) error {
	for _, kind := range []string{"ClusterRequest", "Cluster"} {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(testbed.New(kind+"List", "", "").GroupVersionKind())
		if err := l.Client().List(context.Background(), list, client.InNamespace(l.namespace)); err != nil {
			return err
		}
		if len(list.Items) > 0 {
			return fmt.Errorf("%d of kind %s are left, the first is %s", len(list.Items), kind, list.Items[0].GetName())
		}
	}
	return nil
}

var emptyAfterwards = resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}

// A landscape's clusters are requested, are ready, are shared as their purposes say, change in place, and go with their requests.
func TestAccClusterRequest_life(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	all := func(labels string) string {
		return l.provider() + requestOf("one", "workload", labels) + requestOf("w2", "workload", "depends_on = [hap_cluster_request.one]") +
			requestOf("w3", "workload", "depends_on = [hap_cluster_request.w2]") + requestOf("platform", "platform") +
			requestOf("onboarding", "onboarding") + requestOf("mcp1", "mcp") + requestOf("mcp2", "mcp")
	}
	own := "workload-" + operator.NameHash(l.namespace, "one")
	clusterName := tfjsonpath.New("cluster").AtMapKey("name")
	var uid string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{
				Config: all(""), ConfigPlanChecks: emptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{
					requestValue("id", knownvalue.StringExact(l.namespace+"/one")),
					requestValue("namespace", knownvalue.StringExact(l.namespace)),
					requestValue("phase", knownvalue.StringExact("Granted")),
					requestValue("cluster_phase", knownvalue.StringExact("Ready")),
					requestValue("ready", knownvalue.Bool(true)),
					requestValue("tenancy", knownvalue.StringExact("Shared")),
					requestValue("profile", knownvalue.StringExact(testbed.WorkerProfile)),
					requestValue("cluster_provider", knownvalue.StringExact(testbed.ProviderName)),
					requestValue("kubernetes_version", knownvalue.StringExact(testbed.Version)),
					requestValue("prefix", knownvalue.StringExact(operator.NameHash(l.namespace, "one")+"-")),
					requestValue("prefix_source", knownvalue.StringExact("derived")),
					requestValue("endpoints", knownvalue.MapExact(map[string]knownvalue.Check{
						"apiserver-external": knownvalue.StringExact(l.Config().Host),
					})),
					statecheck.ExpectKnownValue(requestOne, clusterName, knownvalue.StringExact(own)),
					statecheck.ExpectKnownValue("hap_cluster_request.w2", clusterName, knownvalue.StringExact(own)),
					statecheck.ExpectKnownValue("hap_cluster_request.w3", clusterName,
						knownvalue.StringExact("workload-"+operator.NameHash(l.namespace, "w3"))),
					statecheck.ExpectKnownValue("hap_cluster_request.platform", clusterName, knownvalue.StringExact("platform")),
					statecheck.ExpectKnownValue("hap_cluster_request.mcp1", tfjsonpath.New("tenancy"), knownvalue.StringExact("Exclusive")),
					statecheck.ExpectKnownValue("hap_cluster_request.mcp1", tfjsonpath.New("prefix"), knownvalue.StringExact("")),
					statecheck.ExpectKnownValue("hap_cluster_request.mcp1", tfjsonpath.New("prefix_source"), knownvalue.Null()),
				},
			}, {
				PreConfig: func() { uid = l.uid(t, "ClusterRequest", "one") },
				Config:    all(`labels = { stage = "dev" }`),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(requestOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: func(*terraform.State) error {
					object, err := l.live("ClusterRequest", "one")
					if err != nil || string(object.GetUID()) != uid || object.GetLabels()["stage"] != "dev" {
						return fmt.Errorf("%v, %w", object, err)
					}
					return nil
				},
			}, {
				ResourceName: requestOne, ImportState: true, ImportStateId: l.namespace + "/one", ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{"labels", "timeouts", "wait_for", "deletion_protection"},
			}, {
				Config: l.provider() + requestOf("mcp1", "mcp"),
				Check:  func(*terraform.State) error { return l.none("Cluster", own) },
			},
		},
	})
}

// Another purpose withdraws the request with its cluster, and makes another.
func TestAccClusterRequest_anotherPurpose(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	before := "mcp-" + operator.NameHash(l.namespace, "one")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{Config: l.provider() + requestOf("one", "mcp")},
			{
				Config: l.provider() + requestOf("one", "onboarding"),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(requestOne, plancheck.ResourceActionDestroyBeforeCreate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: func(*terraform.State) error { return l.none("Cluster", before) },
			},
		},
	})
}

// operatorSees is how long an apply or a destroy has where the operator must do its part before a wait ends in vain: the operator's client
// sends five requests a second of each kind, for all tests together.
const operatorSees = "20s"

// A cluster that is slow keeps its request and its cluster: a warning, then an update in place that waits on.
func TestAccClusterRequest_slowCluster(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	provider := testbed.SharedProvider()
	provider.Set(l.namespace, "", testbed.Course{Never: true, Says: "the quota is used up"})
	slow := `timeouts = { create = "` + operatorSees + `", update = "3s" }`
	guarded := slow + "\n  lifecycle {\n    postcondition {\n      condition = self.ready\n      error_message = \"not ready yet\"\n    }\n  }"
	name := "mcp-" + operator.NameHash(l.namespace, "one")
	var uid string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{
				Config:      l.provider() + requestOf("one", "mcp", guarded),
				ExpectError: regexp.MustCompile("not ready yet"),
			}, {
				PreConfig: func() { uid = l.uid(t, "Cluster", name) },
				Config:    l.provider() + requestOf("one", "mcp", slow),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(requestOne, plancheck.ResourceActionUpdate),
						plancheck.ExpectUnknownValue(requestOne, tfjsonpath.New("ready")),
					},
				},
				ExpectNonEmptyPlan: true,
				ConfigStateChecks: []statecheck.StateCheck{
					requestValue("ready", knownvalue.Bool(false)), requestValue("cluster_phase", knownvalue.StringExact("Not Ready")),
				},
			}, {
				PreConfig:        func() { provider.Set(l.namespace, "", testbed.Course{}) },
				Config:           l.provider() + requestOf("one", "mcp"),
				ConfigPlanChecks: emptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{
					requestValue("ready", knownvalue.Bool(true)),
				},
				Check: func(*terraform.State) error {
					if now := l.uid(t, "Cluster", name); now != uid {
						return fmt.Errorf("the cluster is another one: %s, before %s", now, uid)
					}
					return nil
				},
			},
		},
	})
}

// What keeps a request from being granted is told, as far as it can be seen; nothing is left where no scheduler has seen it.
func TestAccClusterRequest_notGranted(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	short, seen := `timeouts = { create = "2s" }`, `timeouts = { create = "`+operatorSees+`" }`
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{
				Config: l.provider() + requestOf("one", "nonsense", seen),
				ExpectError: errorLike(diagnose.SummaryNotGranted, l.namespace+"/one", "is not granted, it is", "(the time is over: timeouts.create)",
					`no Cluster has the purpose "nonsense"`, "The operator says why in its log alone"),
			}, {
				Config: l.provider() + requestOf("two", "mcp", short, `annotations = { "openmcp.cloud/operation" = "ignore" }`),
				ExpectError: errorLike(diagnose.SummaryNoScheduler, "openmcp.cloud/operation: ignore", "leaves it alone",
					"Take the annotation away"),
			}, {
				Config: l.provider() + requestOf("three", "mcp"),
				Check:  func(*terraform.State) error { return l.none("ClusterRequest", "two") },
			},
		},
	})
}

// A name that another request's Cluster has is told; the request that was not granted leaves nothing behind, and that Cluster stays.
func TestAccClusterRequest_nameConflict(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	foreign := testbed.New("Cluster", l.namespace, "platform")
	foreign.SetFinalizers([]string{"request.clusters.openmcp.cloud/" + l.otherRequest(t)})
	foreign.Object["spec"] = map[string]any{"profile": testbed.WorkerProfile, "tenancy": "Shared", "purposes": []any{"other"}}
	if err := l.Client().Create(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{{
			Config: l.provider() + requestOf("one", "platform", `timeouts = { create = "`+operatorSees+`" }`),
			ExpectError: errorLike(diagnose.SummaryNotGranted, "Cluster "+l.namespace+"/platform has the name that the request's own would get",
				"1 other request holds it"),
		}},
	})
	if err := l.none("ClusterRequest", "one"); err != nil {
		t.Error(err)
	}
	if l.uid(t, "Cluster", "platform") != string(foreign.GetUID()) {
		t.Error("the Cluster of the other request is another one")
	}
}

// otherRequest makes a request that is left alone, and returns its uid.
func (l platformLandscape) otherRequest(t *testing.T) string {
	t.Helper()
	other := testbed.New("ClusterRequest", l.namespace, "other")
	other.SetAnnotations(map[string]string{api.OperationAnnotation: api.OperationIgnore})
	other.Object["spec"] = map[string]any{"purpose": "other"}
	if err := l.Client().Create(context.Background(), other); err != nil {
		t.Fatal(err)
	}
	return string(other.GetUID())
}

// A Cluster that another party has deleted is told, and an apply has the scheduler make it anew.
func TestAccClusterRequest_clusterDeletedByHand(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	name := "mcp-" + operator.NameHash(l.namespace, "one")
	config := l.provider() + requestOf("one", "mcp")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() { l.loseCluster(t, name) },
				Config:    config,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(requestOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{requestValue("ready", knownvalue.Bool(true))},
			},
		},
	})
}

// A request that the configuration has the scheduler leave alone is left alone, also where its Cluster is gone.
func TestAccClusterRequest_ignoredWithoutCluster(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	config := l.provider() + requestOf("one", "mcp", `annotations = { "openmcp.cloud/operation" = "ignore" }`, `timeouts = { update = "3s" }`)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{Config: l.provider() + requestOf("one", "mcp")},
			{Config: config},
			{
				PreConfig: func() { l.loseCluster(t, "mcp-"+operator.NameHash(l.namespace, "one")) },
				Config:    config, ExpectNonEmptyPlan: true,
				ConfigStateChecks: []statecheck.StateCheck{requestValue("ready", knownvalue.Bool(false))},
				Check: func(*terraform.State) error {
					object, err := l.live("ClusterRequest", "one")
					if err != nil || object == nil || object.GetAnnotations()[api.OperationAnnotation] != api.OperationIgnore {
						return fmt.Errorf("%v, %w", object, err)
					}
					return nil
				},
			},
			{Config: l.provider() + requestOf("one", "mcp")},
		},
	})
}

// loseCluster deletes a Cluster under its request, by taking all finalizers away.
func (l platformLandscape) loseCluster(t *testing.T, name string) {
	t.Helper()
	cluster, err := l.live("Cluster", name)
	if err != nil || cluster == nil {
		t.Fatalf("%v, %v", cluster, err)
	}
	ctx := context.Background()
	if err := l.Client().Delete(ctx, cluster.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		cluster, err = l.live("Cluster", name)
		if err == nil && cluster == nil {
			return
		}
		if err == nil {
			base := cluster.DeepCopy()
			cluster.SetFinalizers(nil)
			_ = l.Client().Patch(ctx, cluster, client.MergeFrom(base)) // the provider writes at the same time
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the Cluster does not go")
}

// Inputs that are wrong are refused before anything is written, at their attribute.
func TestAccClusterRequest_wrongInputs(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	t.Cleanup(func() {
		if err := l.noRequests(nil); err != nil {
			t.Error(err)
		}
	})
	for name, test := range map[string]struct {
		config string
		want   *regexp.Regexp
	}{
		"no platform": {"provider \"hap\" {\n}\n" + requestOf("one", "mcp"),
			errorLike(diagnose.SummaryNoPlatform, "Planning ClusterRequest one: the provider block has no platform", "Write platform = {")},
		"no server": {"provider \"hap\" {\n  platform = { namespace = \"x\" }\n}\n" + requestOf("one", "mcp"),
			errorLike(diagnose.SummaryNoPlatform, "Name the API server in platform of the provider block")},
		"two kubeconfigs": {"provider \"hap\" {\n  platform = { config_path = \"a\", config_raw = \"b\" }\n}\n" + requestOf("one", "mcp"),
			errorLike(diagnose.SummaryBadConnection, "config_path")},
		"bad name": {l.provider() + `resource "hap_cluster_request" "one" {
  name = "Blue_1"
  purpose = "mcp"
}`, regexp.MustCompile(`must be small letters, digits, - and \.`)},
		"an empty part of a name": {l.provider() + `resource "hap_cluster_request" "one" {
  name = "a..b"
  purpose = "mcp"
}`, regexp.MustCompile(`(?s)letter or a\s+digit at both ends of each part.*a\.\.b`)},
		"a namespace with a dot": {l.provider() + requestOf("one", "mcp", `namespace = "a.b"`), regexp.MustCompile(`small\s+letters, digits and -`)},
		"wait_for":               {l.provider() + requestOf("one", "mcp", `wait_for = "ready"`), regexp.MustCompile(`(?s)wait_for.*"cluster_ready"`)},
		"the provider's own annotation": {l.provider() + requestOf("one", "mcp", `annotations = { "hap-project.io/made-by" = "me" }`),
			errorLike(diagnose.SummaryReservedKey, "hap-project.io/made-by is written by")},
		"an operation that is carried out once": {l.provider() + requestOf("one", "mcp", `annotations = { "openmcp.cloud/operation" = "reconcile" }`),
			errorLike(diagnose.SummaryReservedKey, "carried out once")},
		"twice": {l.provider() + requestOf("one", "mcp") + strings.Replace(requestOf("two", "mcp"), `name    = "two"`, `name = "one"`, 1),
			errorLike(diagnose.SummaryRequestTwice, l.namespace+"/one stands twice")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: factories,
				Steps:                    []resource.TestStep{{Config: test.config, PlanOnly: true, ExpectError: test.want}},
			})
		})
	}
}

// A platform cluster without openMCP, and one that is not there, are told as what they are.
func TestAccClusterRequest_otherServers(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	garden := newLandscape(t)
	for name, test := range map[string]struct {
		block string
		want  *regexp.Regexp
	}{
		"a Garden": {fmt.Sprintf("config_path = %q", garden.adminKubeconfig(t)),
			errorLike(diagnose.SummaryNoOpenMCP, "install the openmcp-operator")},
		"no rights": {fmt.Sprintf("host = %q, insecure = true, namespace = %q, token = \"nonsense\"", l.Config().Host, l.namespace),
			errorLike(diagnose.SummaryPlatformUnauthorized, "renew it")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: factories,
				Steps: []resource.TestStep{{
					Config:      "provider \"hap\" {\n  platform = { " + test.block + " }\n}\n" + requestOf("one", "mcp"),
					ExpectError: test.want,
				}},
			})
		})
	}
}

// adminKubeconfig is the path of the administrator's kubeconfig of the Garden.
func (l landscape) adminKubeconfig(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "garden")
	if err := l.Garden().WriteKubeconfig(path, l.Name); err != nil {
		t.Fatal(err)
	}
	return path
}

// A provider block that leads to a platform cluster only after an apply plans the request all the same.
func TestAccClusterRequest_platformKnownLater(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	config := fmt.Sprintf(`
resource "terraform_data" "kubeconfig" { input = %q }
provider "hap" { platform = { config_path = terraform_data.kubeconfig.output } }
`, l.kubeconfig) + requestOf("one", "onboarding")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{{
			Config: config,
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply:             []plancheck.PlanCheck{plancheck.ExpectUnknownValue(requestOne, tfjsonpath.New("namespace"))},
				PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
			},
		}},
	})
}

// What a request that stands asks for, or its name, may be known only after an apply: where it is the same nothing happens, and where it is
// another one the apply stops, and the request keeps its cluster.
func TestAccClusterRequest_purposeKnownLater(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	of := func(later, name, purpose string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"later\" { input = %q }\n", later) + l.provider() +
			fmt.Sprintf("resource \"hap_cluster_request\" \"one\" {\n  name = %s\n  purpose = %s\n  deletion_protection = false\n}\n", name, purpose)
	}
	const output = `split("#", terraform_data.later.output)[0]`
	var request, cluster string
	named := func(s *terraform.State) string {
		return s.RootModule().Resources[requestOne].Primary.Attributes["cluster.name"]
	}
	same := func() error {
		l.uid(t, "Cluster", cluster) // it is there
		return equal("uid of the request", l.uid(t, "ClusterRequest", "one"), request)
	}
	unknown := func(attribute string) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{
			PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(requestOne, plancheck.ResourceActionUpdate),
				plancheck.ExpectUnknownValue(requestOne, tfjsonpath.New(attribute)),
			},
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
		}
	}
	stays := func(*terraform.State) error { return same() }
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{
				Config: of("mcp", `"one"`, output), ConfigPlanChecks: emptyAfterwards,
				Check: func(s *terraform.State) error {
					request, cluster = l.uid(t, "ClusterRequest", "one"), named(s)
					return nil
				},
			},
			{Config: of("mcp#again", `"one"`, output), ConfigPlanChecks: unknown("purpose"), Check: stays},
			{Config: of("one", output, `"mcp"`), ConfigPlanChecks: unknown("name"), Check: stays},
			{Config: of("mcp", `"one"`, output), ConfigPlanChecks: unknown("purpose"), Check: stays},
			{Config: of("workload", `"one"`, output), ExpectError: errorLike(diagnose.SummaryTurnedOut, "purpose", "-refresh=false")},
			{
				PreConfig: func() {
					if err := same(); err != nil {
						t.Error(err)
					}
				},
				Config: of("workload", `"one"`, output),
				Check: func(*terraform.State) error {
					if l.uid(t, "ClusterRequest", "one") == request {
						return errors.New("the request was not replaced")
					}
					return nil
				},
			},
		},
	})
}

// A request that stands is left as it is, and the error says how to import it; an import takes it over.
func TestAccClusterRequest_existsAlready(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	object := testbed.New("ClusterRequest", l.namespace, "one")
	object.Object["spec"] = map[string]any{"purpose": "mcp"}
	if err := l.Client().Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	uid := string(object.GetUID())
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{
				Config: l.provider() + requestOf("one", "mcp"),
				ExpectError: errorLike(diagnose.SummaryRequestExists, "there is a ClusterRequest "+l.namespace+"/one already",
					"Nothing was written", l.namespace+"/one"),
			}, {
				Config:            l.provider() + requestOf("one", "mcp") + fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", requestOne, l.namespace+"/one"),
				ConfigPlanChecks:  emptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{requestValue("uid", knownvalue.StringExact(uid))},
			},
		},
	})
}
