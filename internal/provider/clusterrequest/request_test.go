package clusterrequest_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/operator"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// A landscape's clusters are requested, are ready, are shared as their purposes say, change in place, and go with their requests.
func TestAccClusterRequest_life(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	all := func(labels string) string {
		return l.Provider() + acceptance.RequestOf("one", "workload", labels) + acceptance.RequestOf("w2", "workload", "depends_on = [hap_cluster_request.one]") +
			acceptance.RequestOf("w3", "workload", "depends_on = [hap_cluster_request.w2]") + acceptance.RequestOf("platform", "platform") +
			acceptance.RequestOf("onboarding", "onboarding") + acceptance.RequestOf("mcp1", "mcp") + acceptance.RequestOf("mcp2", "mcp")
	}
	own := "workload-" + operator.NameHash(l.Namespace, "one")
	clusterName := tfjsonpath.New("cluster").AtMapKey("name")
	var uid string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{
				Config: all(""), ConfigPlanChecks: acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.RequestValue("id", knownvalue.StringExact(l.Namespace+"/one")),
					acceptance.RequestValue("namespace", knownvalue.StringExact(l.Namespace)),
					acceptance.RequestValue("phase", knownvalue.StringExact("Granted")),
					acceptance.RequestValue("cluster_phase", knownvalue.StringExact("Ready")),
					acceptance.RequestValue("ready", knownvalue.Bool(true)),
					acceptance.RequestValue("tenancy", knownvalue.StringExact("Shared")),
					acceptance.RequestValue("profile", knownvalue.StringExact(testbed.WorkerProfile)),
					acceptance.RequestValue("cluster_provider", knownvalue.StringExact(testbed.ProviderName)),
					acceptance.RequestValue("kubernetes_version", knownvalue.StringExact(testbed.Version)),
					acceptance.RequestValue("prefix", knownvalue.StringExact(operator.NameHash(l.Namespace, "one")+"-")),
					acceptance.RequestValue("prefix_source", knownvalue.StringExact("derived")),
					acceptance.RequestValue("endpoints", knownvalue.MapExact(map[string]knownvalue.Check{
						"apiserver-external": knownvalue.StringExact(l.Config().Host),
					})),
					statecheck.ExpectKnownValue(acceptance.RequestOne, clusterName, knownvalue.StringExact(own)),
					statecheck.ExpectKnownValue("hap_cluster_request.w2", clusterName, knownvalue.StringExact(own)),
					statecheck.ExpectKnownValue("hap_cluster_request.w3", clusterName,
						knownvalue.StringExact("workload-"+operator.NameHash(l.Namespace, "w3"))),
					statecheck.ExpectKnownValue("hap_cluster_request.platform", clusterName, knownvalue.StringExact("platform")),
					statecheck.ExpectKnownValue("hap_cluster_request.mcp1", tfjsonpath.New("tenancy"), knownvalue.StringExact("Exclusive")),
					statecheck.ExpectKnownValue("hap_cluster_request.mcp1", tfjsonpath.New("prefix"), knownvalue.StringExact("")),
					statecheck.ExpectKnownValue("hap_cluster_request.mcp1", tfjsonpath.New("prefix_source"), knownvalue.Null()),
				},
			}, {
				PreConfig: func() { uid = l.UID(t, "ClusterRequest", "one") },
				Config:    all(`labels = { stage = "dev" }`),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: func(*terraform.State) error {
					object, err := l.Live("ClusterRequest", "one")
					if err != nil || string(object.GetUID()) != uid || object.GetLabels()["stage"] != "dev" {
						return fmt.Errorf("%v, %w", object, err)
					}
					return nil
				},
			}, {
				ResourceName: acceptance.RequestOne, ImportState: true, ImportStateId: l.Namespace + "/one", ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{"labels", "timeouts", "wait_for", "deletion_protection"},
			}, {
				Config: l.Provider() + acceptance.RequestOf("mcp1", "mcp"),
				Check:  func(*terraform.State) error { return l.None("Cluster", own) },
			},
		},
	})
}

// Another purpose withdraws the request with its cluster, and makes another.
func TestAccClusterRequest_anotherPurpose(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	before := "mcp-" + operator.NameHash(l.Namespace, "one")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{Config: l.Provider() + acceptance.RequestOf("one", "mcp")},
			{
				Config: l.Provider() + acceptance.RequestOf("one", "onboarding"),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionDestroyBeforeCreate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: func(*terraform.State) error { return l.None("Cluster", before) },
			},
		},
	})
}

// A cluster that is slow keeps its request and its cluster: a warning, then an update in place that waits on.
func TestAccClusterRequest_slowCluster(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	provider := testbed.SharedProvider()
	provider.Set(l.Namespace, "", testbed.Course{Never: true, Says: "the quota is used up"})
	slow := `timeouts = { create = "` + acceptance.OperatorSees + `", update = "10s" }`
	guarded := slow + "\n  lifecycle {\n    postcondition {\n      condition = self.ready\n      error_message = \"not ready yet\"\n    }\n  }"
	name := "mcp-" + operator.NameHash(l.Namespace, "one")
	var uid string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{
				Config:      l.Provider() + acceptance.RequestOf("one", "mcp", guarded),
				ExpectError: regexp.MustCompile("not ready yet"),
			}, {
				PreConfig: func() { uid = l.UID(t, "Cluster", name) },
				Config:    l.Provider() + acceptance.RequestOf("one", "mcp", slow),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionUpdate),
						plancheck.ExpectUnknownValue(acceptance.RequestOne, tfjsonpath.New("ready")),
					},
				},
				ExpectNonEmptyPlan: true,
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.RequestValue("ready", knownvalue.Bool(false)), acceptance.RequestValue("cluster_phase", knownvalue.StringExact("Not Ready")),
				},
			}, {
				PreConfig:        func() { provider.Set(l.Namespace, "", testbed.Course{}) },
				Config:           l.Provider() + acceptance.RequestOf("one", "mcp"),
				ConfigPlanChecks: acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.RequestValue("ready", knownvalue.Bool(true)),
				},
				Check: func(*terraform.State) error {
					if now := l.UID(t, "Cluster", name); now != uid {
						return fmt.Errorf("the cluster is another one: %s, before %s", now, uid)
					}
					return nil
				},
			},
		},
	})
}

// The error says what keeps a request from being granted, as far as it can be seen; nothing is left where no scheduler has seen it.
func TestAccClusterRequest_notGranted(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	short, seen := `timeouts = { create = "10s" }`, `timeouts = { create = "`+acceptance.OperatorSees+`" }`
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{
				Config: l.Provider() + acceptance.RequestOf("one", "nonsense", seen),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryNotGranted, l.Namespace+"/one", "is not granted, it is",
					`no Cluster has the purpose "nonsense"`, "The operator says why in its log alone"),
			}, {
				Config: l.Provider() + acceptance.RequestOf("two", "mcp", short, `annotations = { "openmcp.cloud/operation" = "ignore" }`),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryNoScheduler, "openmcp.cloud/operation: ignore", "leaves it alone",
					"Take the annotation away"),
			}, {
				Config: l.Provider() + acceptance.RequestOf("three", "mcp"),
				Check:  func(*terraform.State) error { return l.None("ClusterRequest", "two") },
			},
		},
	})
}

// A name that another request's Cluster has is reported; the request that was not granted leaves nothing behind, and that Cluster stays.
func TestAccClusterRequest_nameConflict(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	foreign := testbed.New("Cluster", l.Namespace, "platform")
	foreign.SetFinalizers([]string{"request.clusters.openmcp.cloud/" + otherRequest(t, l)})
	foreign.Object["spec"] = map[string]any{"profile": testbed.WorkerProfile, "tenancy": "Shared", "purposes": []any{"other"}}
	if err := l.Client().Create(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{{
			Config: l.Provider() + acceptance.RequestOf("one", "platform", `timeouts = { create = "`+acceptance.OperatorSees+`" }`),
			ExpectError: acceptance.ErrorLike(diagnose.SummaryNotGranted, "Cluster "+l.Namespace+"/platform has the name that the request's own would get",
				"1 other request holds it"),
		}},
	})
	if err := l.None("ClusterRequest", "one"); err != nil {
		t.Error(err)
	}
	if l.UID(t, "Cluster", "platform") != string(foreign.GetUID()) {
		t.Error("the Cluster of the other request is another one")
	}
}

// otherRequest makes a request that is left alone, and returns its uid.
func otherRequest(t *testing.T, l acceptance.PlatformLandscape) string {
	t.Helper()
	other := testbed.New("ClusterRequest", l.Namespace, "other")
	other.SetAnnotations(map[string]string{api.OperationAnnotation: api.OperationIgnore})
	other.Object["spec"] = map[string]any{"purpose": "other"}
	if err := l.Client().Create(context.Background(), other); err != nil {
		t.Fatal(err)
	}
	return string(other.GetUID())
}

// A Cluster that another party has deleted is reported, and an apply has the scheduler make it anew.
func TestAccClusterRequest_clusterDeletedByHand(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	name := "mcp-" + operator.NameHash(l.Namespace, "one")
	config := l.Provider() + acceptance.RequestOf("one", "mcp")
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: func() { l.LoseCluster(t, name) },
				Config:    config,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{acceptance.RequestValue("ready", knownvalue.Bool(true))},
			},
		},
	})
}

// A request that the configuration has the scheduler leave alone is left alone, also where its Cluster is gone.
func TestAccClusterRequest_ignoredWithoutCluster(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	config := l.Provider() + acceptance.RequestOf("one", "mcp", `annotations = { "openmcp.cloud/operation" = "ignore" }`, `timeouts = { update = "10s" }`)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{Config: l.Provider() + acceptance.RequestOf("one", "mcp")},
			{Config: config},
			{
				PreConfig: func() { l.LoseCluster(t, "mcp-"+operator.NameHash(l.Namespace, "one")) },
				Config:    config, ExpectNonEmptyPlan: true,
				ConfigStateChecks: []statecheck.StateCheck{acceptance.RequestValue("ready", knownvalue.Bool(false))},
				Check: func(*terraform.State) error {
					object, err := l.Live("ClusterRequest", "one")
					if err != nil || object == nil || object.GetAnnotations()[api.OperationAnnotation] != api.OperationIgnore {
						return fmt.Errorf("%v, %w", object, err)
					}
					return nil
				},
			},
			{Config: l.Provider() + acceptance.RequestOf("one", "mcp")},
		},
	})
}

// Inputs that are wrong are refused before anything is written, at their attribute.
func TestAccClusterRequest_wrongInputs(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	t.Cleanup(func() {
		if err := l.NoRequests(nil); err != nil {
			t.Error(err)
		}
	})
	for name, test := range map[string]struct {
		config string
		want   *regexp.Regexp
	}{
		"no platform": {"provider \"hap\" {\n}\n" + acceptance.RequestOf("one", "mcp"),
			acceptance.ErrorLike(diagnose.SummaryNoPlatform, "Planning ClusterRequest one: the provider block has no platform", "Write platform = {")},
		"no server": {"provider \"hap\" {\n  platform = { namespace = \"x\" }\n}\n" + acceptance.RequestOf("one", "mcp"),
			acceptance.ErrorLike(diagnose.SummaryNoPlatform, "Name the API server in platform of the provider block")},
		"two kubeconfigs": {"provider \"hap\" {\n  platform = { config_path = \"a\", config_raw = \"b\" }\n}\n" + acceptance.RequestOf("one", "mcp"),
			acceptance.ErrorLike(diagnose.SummaryBadConnection, "config_path")},
		"bad name": {l.Provider() + `resource "hap_cluster_request" "one" {
  name = "Blue_1"
  purpose = "mcp"
}`, regexp.MustCompile(`must be small letters, digits, - and \.`)},
		"an empty part of a name": {l.Provider() + `resource "hap_cluster_request" "one" {
  name = "a..b"
  purpose = "mcp"
}`, regexp.MustCompile(`(?s)letter or a\s+digit at both ends of each part.*a\.\.b`)},
		"a namespace with a dot": {l.Provider() + acceptance.RequestOf("one", "mcp", `namespace = "a.b"`), regexp.MustCompile(`small\s+letters, digits and -`)},
		"wait_for":               {l.Provider() + acceptance.RequestOf("one", "mcp", `wait_for = "ready"`), regexp.MustCompile(`(?s)wait_for.*"cluster_ready"`)},
		"the provider's own annotation": {l.Provider() + acceptance.RequestOf("one", "mcp", `annotations = { "hap-project.io/made-by" = "me" }`),
			acceptance.ErrorLike(diagnose.SummaryReservedKey, "hap-project.io/made-by is written by")},
		"an operation that is carried out once": {l.Provider() + acceptance.RequestOf("one", "mcp", `annotations = { "openmcp.cloud/operation" = "reconcile" }`),
			acceptance.ErrorLike(diagnose.SummaryReservedKey, "carried out once")},
		"twice": {l.Provider() + acceptance.RequestOf("one", "mcp") + strings.Replace(acceptance.RequestOf("two", "mcp"), `name    = "two"`, `name = "one"`, 1),
			acceptance.ErrorLike(diagnose.SummaryRequestTwice, l.Namespace+"/one is declared twice")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				Steps:                    []resource.TestStep{{Config: test.config, PlanOnly: true, ExpectError: test.want}},
			})
		})
	}
}

// A platform cluster without openMCP, and one that is not there, each have an error of their own.
func TestAccClusterRequest_otherServers(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	garden := acceptance.NewLandscape(t)
	for name, test := range map[string]struct {
		block string
		want  *regexp.Regexp
	}{
		"a Garden": {fmt.Sprintf("config_path = %q", garden.AdminKubeconfig(t)),
			acceptance.ErrorLike(diagnose.SummaryNoOpenMCP, "install the openmcp-operator")},
		"no rights": {fmt.Sprintf("host = %q, insecure = true, namespace = %q, token = \"nonsense\"", l.Config().Host, l.Namespace),
			acceptance.ErrorLike(diagnose.SummaryPlatformUnauthorized, "renew it")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				Steps: []resource.TestStep{{
					Config:      "provider \"hap\" {\n  platform = { " + test.block + " }\n}\n" + acceptance.RequestOf("one", "mcp"),
					ExpectError: test.want,
				}},
			})
		})
	}
}

// A provider block that leads to a platform cluster only after an apply plans the request all the same.
func TestAccClusterRequest_platformKnownLater(t *testing.T) {
	t.Parallel()
	acceptance.NewPlatformLandscape(t).KnownLater(t, acceptance.RequestOne, acceptance.RequestOf("one", "onboarding"))
}

// What an existing request asks for, or its name, may be known only after an apply: where it is the same nothing happens, and where it is
// another one the apply stops, and the request keeps its cluster.
func TestAccClusterRequest_purposeKnownLater(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	of := func(later, name, purpose string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"later\" { input = %q }\n", later) + l.Provider() +
			fmt.Sprintf("resource \"hap_cluster_request\" \"one\" {\n  name = %s\n  purpose = %s\n  deletion_protection = false\n}\n", name, purpose)
	}
	const output = `split("#", terraform_data.later.output)[0]`
	var request, cluster string
	named := func(s *terraform.State) string {
		return s.RootModule().Resources[acceptance.RequestOne].Primary.Attributes["cluster.name"]
	}
	same := func() error {
		l.UID(t, "Cluster", cluster) // it is there
		return acceptance.Equal("uid of the request", l.UID(t, "ClusterRequest", "one"), request)
	}
	unknown := func(attribute string) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{
			PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionUpdate),
				plancheck.ExpectUnknownValue(acceptance.RequestOne, tfjsonpath.New(attribute)),
			},
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
		}
	}
	stays := func(*terraform.State) error { return same() }
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{
				Config: of("mcp", `"one"`, output), ConfigPlanChecks: acceptance.EmptyAfterwards,
				Check: func(s *terraform.State) error {
					request, cluster = l.UID(t, "ClusterRequest", "one"), named(s)
					return nil
				},
			},
			{Config: of("mcp#again", `"one"`, output), ConfigPlanChecks: unknown("purpose"), Check: stays},
			{Config: of("one", output, `"mcp"`), ConfigPlanChecks: unknown("name"), Check: stays},
			{Config: of("mcp", `"one"`, output), ConfigPlanChecks: unknown("purpose"), Check: stays},
			{Config: of("workload", `"one"`, output), ExpectError: acceptance.ErrorLike(diagnose.SummaryTurnedOut, "purpose", "-refresh=false")},
			{
				PreConfig: func() {
					if err := same(); err != nil {
						t.Error(err)
					}
				},
				Config: of("workload", `"one"`, output),
				Check: func(*terraform.State) error {
					if l.UID(t, "ClusterRequest", "one") == request {
						return errors.New("the request was not replaced")
					}
					return nil
				},
			},
		},
	})
}

// A request that exists is left as it is, and the error says how to import it; an import takes it over.
func TestAccClusterRequest_existsAlready(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	object := testbed.New("ClusterRequest", l.Namespace, "one")
	object.Object["spec"] = map[string]any{"purpose": "mcp"}
	if err := l.Client().Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	uid := string(object.GetUID())
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{
				Config: l.Provider() + acceptance.RequestOf("one", "mcp"),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryRequestExists, "there is a ClusterRequest "+l.Namespace+"/one already",
					"Nothing was written", l.Namespace+"/one"),
			}, {
				Config:            l.Provider() + acceptance.RequestOf("one", "mcp") + fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", acceptance.RequestOne, l.Namespace+"/one"),
				ConfigPlanChecks:  acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{acceptance.RequestValue("uid", knownvalue.StringExact(uid))},
			},
		},
	})
}
