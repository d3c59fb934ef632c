package clusterrequest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	gardens "github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// dependents are what a layer makes of a request: a name that begins with its prefix, and access to its Cluster.
const dependents = `
resource "terraform_data" "namespace" {
  triggers_replace = "${hap_cluster_request.one.prefix}apps"
}
resource "hap_access_request" "one" {
  name        = "one"
  cluster_ref = hap_cluster_request.one.cluster
  token       = { role_refs = [{ kind = "ClusterRole", name = "view" }] }
}
`

// forUser is the provider block for a user with the documented rights but for some.
func forUser(t *testing.T, l acceptance.PlatformLandscape, name, without, instead string) string {
	t.Helper()
	role := string(gardens.RoleExample(t, "platform.yaml"))
	less := strings.ReplaceAll(role, without, instead)
	if less == role {
		t.Fatalf("the rights do not say %s", without)
	}
	return fmt.Sprintf("provider \"hap\" {\n  platform = { config_path = %q }\n}\n",
		l.ServiceAccount(t, l.Namespace, name, []byte(less)).Kubeconfig)
}

// awaitPhase waits until a Cluster is in a phase.
func awaitPhase(t *testing.T, l acceptance.PlatformLandscape, name, phase string) {
	t.Helper()
	err := local.Poll(context.Background(), 3*time.Minute, func(context.Context) error {
		cluster, err := l.Live("Cluster", name)
		if err != nil || cluster == nil {
			return fmt.Errorf("%v, %w", cluster, err)
		}
		if now, _, _ := unstructured.NestedString(cluster.Object, "status", "phase"); now != phase {
			return fmt.Errorf("it is %s", now)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What a grant has settled stays known in every plan of an existing request: nothing that depends on it is replaced because a label
// changes, the Cluster is not ready, or cannot be read.
func TestAccClusterRequest_settledStaysKnown(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	own := "workload-" + operator.NameHash(l.Namespace, "one")
	settled := []plancheck.PlanCheck{
		plancheck.ExpectKnownValue(acceptance.RequestOne, tfjsonpath.New("prefix"), knownvalue.StringExact(operator.NameHash(l.Namespace, "one")+"-")),
		plancheck.ExpectKnownValue(acceptance.RequestOne, tfjsonpath.New("prefix_source"), knownvalue.StringExact("derived")),
		plancheck.ExpectKnownValue(acceptance.RequestOne, tfjsonpath.New("cluster").AtMapKey("name"), knownvalue.StringExact(own)),
		plancheck.ExpectKnownValue(acceptance.RequestOne, tfjsonpath.New("tenancy"), knownvalue.StringExact("Shared")),
		plancheck.ExpectKnownValue(acceptance.RequestOne, tfjsonpath.New("profile"), knownvalue.StringExact(testbed.WorkerProfile)),
		plancheck.ExpectKnownValue(acceptance.RequestOne, tfjsonpath.New("cluster_provider"), knownvalue.StringExact(testbed.ProviderName)),
		plancheck.ExpectResourceAction("terraform_data.namespace", plancheck.ResourceActionNoop),
		plancheck.ExpectResourceAction(acceptance.AccessOne, plancheck.ResourceActionNoop),
	}
	updated := append([]plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionUpdate)}, settled...)
	provider := testbed.SharedProvider()
	blind := forUser(t, l, "blind", "resources: [clusters, clusterprofiles]", "resources: [clusterprofiles]")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{Config: l.Provider() + acceptance.RequestOf("one", "workload") + dependents},
			{
				Config: l.Provider() + acceptance.RequestOf("one", "workload", `labels = { stage = "dev" }`) + dependents,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             updated,
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
			}, {
				PreConfig: func() {
					provider.Set(l.Namespace, "", testbed.Course{Never: true})
					awaitPhase(t, l, own, "Not Ready")
				},
				Config: l.Provider() + acceptance.RequestOf("one", "workload", `timeouts = { update = "10s" }`) + dependents,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: append([]plancheck.PlanCheck{plancheck.ExpectUnknownValue(acceptance.RequestOne, tfjsonpath.New("ready"))}, updated...),
				},
				ConfigStateChecks:  []statecheck.StateCheck{acceptance.RequestValue("ready", knownvalue.Bool(false))},
				ExpectNonEmptyPlan: true,
			}, {
				PreConfig: func() { provider.Set(l.Namespace, "", testbed.Course{}) },
				Config:    l.Provider() + acceptance.RequestOf("one", "workload") + dependents,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             updated,
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
			}, {
				Config: blind + acceptance.RequestOf("one", "workload") + dependents, PlanOnly: true,
			}, {
				Config: blind + acceptance.RequestOf("one", "workload", `labels = { stage = "blind" }`) + dependents,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             updated,
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{acceptance.RequestValue("ready", knownvalue.Bool(true))},
			}, {
				Config: l.Provider() + acceptance.RequestOf("one", "workload") + dependents,
			},
		},
	})
}

// Without the right to list requests there is a prefix all the same: it was only not compared with others.
func TestAccClusterRequest_prefixWithoutList(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	blind := forUser(t, l, "listless", "      - list\n      # One watch serves all requests", "      # One watch serves all requests")
	second := testbed.New("ClusterRequest", l.Namespace, "second") // on the same Cluster
	second.Object["spec"] = map[string]any{"purpose": "workload"}
	config := acceptance.RequestOf("one", "workload")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: l.Provider() + config},
			{
				PreConfig: func() {
					if err := l.Client().Create(context.Background(), second); err != nil {
						t.Fatal(err)
					}
					awaitGrant(t, l, "second")
				},
				Config: blind + config, PlanOnly: true,
			},
			{
				Config: blind + acceptance.RequestOf("one", "workload", `timeouts = { read = "1m" }`), // anew, with what a refresh has seen
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.RequestValue("prefix", knownvalue.StringExact(operator.NameHash(l.Namespace, "one")+"-")),
					acceptance.RequestValue("tenants", knownvalue.Int64Exact(2)),
				},
			},
			{Config: l.Provider()}, // a destroy waits by a list
		},
	})
}

func awaitGrant(t *testing.T, l acceptance.PlatformLandscape, name string) {
	t.Helper()
	err := local.Poll(context.Background(), 3*time.Minute, func(context.Context) error {
		request, err := l.Live("ClusterRequest", name)
		if err != nil || request == nil {
			return fmt.Errorf("%v, %w", request, err)
		}
		if now, _, _ := unstructured.NestedString(request.Object, "status", "phase"); now != "Granted" {
			return fmt.Errorf("it is %s", now)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Timeouts alone change nothing on the platform cluster, whatever another request does to the Cluster at the same time.
func TestAccClusterRequest_changedBesideAnother(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{Config: l.Provider() + acceptance.RequestOf("one", "workload")},
			{
				Config: l.Provider() + acceptance.RequestOf("two", "workload") +
					acceptance.RequestOf("one", "workload", `timeouts = { create = "7m" }`, "depends_on = [hap_cluster_request.two]"),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("hap_cluster_request.two", tfjsonpath.New("tenants"), knownvalue.Int64Exact(2)),
				},
			},
		},
	})
}

// An import reads what it takes over: where the platform cluster is known only after an apply, that is an error, and nothing half-known
// comes into the state.
func TestAccClusterRequest_importBeforePlatformIsKnown(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	provider := fmt.Sprintf(`
resource "terraform_data" "kubeconfig" { input = %q }
provider "hap" { platform = { config_path = terraform_data.kubeconfig.output } }
`, l.Kubeconfig)
	for name, test := range map[string]struct{ to, config, id string }{
		"request": {acceptance.RequestOne, acceptance.RequestOf("one", "mcp"), l.Namespace + "/one"},
		"access": {acceptance.AccessOne, `resource "hap_access_request" "one" {
  name        = "one"
  cluster_ref = { name = "x" }
  token       = { role_refs = [{ kind = "ClusterRole", name = "view" }] }
}
`, l.Namespace + "/one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				Steps: []resource.TestStep{{
					Config: provider + test.config + fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", test.to, test.id),
					ExpectError: acceptance.ErrorLike(diagnose.SummaryUnknownConnection, "Importing "+map[string]string{"request": "ClusterRequest", "access": "AccessRequest"}[name]+" one",
						"platform.config_path"),
				}},
			})
		})
	}
}

// A plan that withdraws all requests of a shared Cluster says once that it goes with them; one that leaves a request says nothing.
func TestAccClusterRequest_lastOnesAreTold(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	c := cli.New(t)
	c.Write(t, "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n"+l.Provider()+
		acceptance.RequestOf("one", "workload")+acceptance.RequestOf("two", "workload", "depends_on = [hap_cluster_request.one]"))
	if result := c.Run(t, "apply", "-auto-approve", "-no-color"); result.ExitCode != 0 {
		t.Fatal(result.Output)
	}
	for _, test := range []struct {
		arguments []string
		told      int
	}{{[]string{"-target=hap_cluster_request.two"}, 0}, {nil, 1}} {
		result := c.Run(t, append([]string{"plan", "-destroy", "-no-color"}, test.arguments...)...)
		words := strings.Join(strings.Fields(strings.ReplaceAll(result.Output, "│", " ")), " ")
		if n := strings.Count(words, "is withdrawn with all 2 that hold Cluster "+l.Namespace+"/workload-"); result.ExitCode != 0 || n != test.told {
			t.Errorf("reported %d times, not %d:\n%s", n, test.told, result.Output)
		}
	}
	begun := time.Now()
	testbed.SharedProvider().Set(l.Namespace, "", testbed.Course{Deletes: 3 * time.Second})
	result := c.Run(t, "destroy", "-auto-approve", "-no-color")
	if err := l.NoRequests(nil); result.ExitCode != 0 || err != nil {
		t.Errorf("after a destroy of %v: %v\n%s", time.Since(begun), err, result.Output)
	}
}

// What another party has changed of the labels and annotations is changed back; its own are left alone.
func TestAccClusterRequest_labelsChangedByHand(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	config := l.Provider() + acceptance.RequestOf("one", "mcp", `labels = { stage = "dev" }`, `annotations = { note = "x", owner = "me" }`)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() {
					change(t, l, testbed.New("ClusterRequest", l.Namespace, "one"),
						`{"metadata":{"labels":{"stage":"live","theirs":"y"},"annotations":{"note":null}}}`)
				},
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: func(*terraform.State) error {
					object, err := l.Live("ClusterRequest", "one")
					if err != nil || object == nil {
						return fmt.Errorf("%v, %w", object, err)
					}
					return errors.Join(acceptance.Equal("stage", object.GetLabels()["stage"], "dev"), acceptance.Equal("theirs", object.GetLabels()["theirs"], "y"),
						acceptance.Equal("note", object.GetAnnotations()["note"], "x"))
				},
			},
		},
	})
}

// change changes an object as another party would.
func change(t *testing.T, l acceptance.PlatformLandscape, object client.Object, patch string) {
	t.Helper()
	if err := l.Client().Patch(context.Background(), object, client.RawPatch("application/merge-patch+json", []byte(patch))); err != nil {
		t.Fatal(err)
	}
}

// An import of what is not there says so: no state is spoken of, and no other party.
func TestAccClusterRequest_importOfNothing(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{{
			Config:      l.Provider() + acceptance.RequestOf("one", "mcp") + fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", acceptance.RequestOne, l.Namespace+"/absent"),
			ExpectError: acceptance.ErrorLike(diagnose.SummaryImportMissing, "there is no ClusterRequest "+l.Namespace+"/absent", "The import ID is <namespace>/<name>"),
		}},
	})
}
