package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// builtin is the provider block by which the provider grants requests itself.
func (l platformLandscape) builtin() string {
	return fmt.Sprintf("provider \"hap\" {\n  platform = { config_path = %q, scheduler = \"builtin\" }\n}\n", l.kubeconfig)
}

// own is a purpose that no other test has: the scheduler looks at the Clusters of all namespaces.
func (l platformLandscape) own() string { return "own-" + l.namespace }

// adrRequest writes a request of the built-in scheduler, for this test's own purpose.
func (l platformLandscape) adrRequest(label string, extra ...string) string {
	return fmt.Sprintf("resource \"hap_cluster_request\" %q {\n  name     = %q\n  purposes = [%q]\n  "+
		"purpose_definitions = { %q = {} }\n  %s\n}\n", label, label, l.own(), l.own(), strings.Join(unprotected(extra), "\n  "))
}

// recorded checks that a prefix is the one that the grant on the Cluster has.
func (l platformLandscape) recorded(request string) knownvalue.Check {
	return knownvalue.StringFunc(func(prefix string) error {
		object, err := l.live("ClusterRequest", request)
		if err != nil || object == nil {
			return fmt.Errorf("%v, %w", object, err)
		}
		name, _, _ := unstructured.NestedString(object.Object, "status", "cluster", "name")
		cluster, err := l.live("Cluster", name)
		if err != nil || cluster == nil {
			return fmt.Errorf("%v, %w", cluster, err)
		}
		grant := cluster.GetAnnotations()["grant.hap-project.io/"+string(object.GetUID())]
		if prefix == "" || !strings.Contains(grant, `"prefix":"`+prefix+`"`) {
			return fmt.Errorf("%q is told, and the grant is %s", prefix, grant)
		}
		return nil
	})
}

// Requests share a Cluster that the provider has made, each with a prefix of its own; other definitions change nothing of what they have;
// a request that asks for something else is another; and the Cluster goes with the last.
func TestAccBuiltin_life(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	second := l.adrRequest("two", `prefix_proposal = "foo-bar-"`, "depends_on = [hap_cluster_request.one]")
	var cluster, uid string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{
				Config: l.builtin() + l.adrRequest("one", `prefix_proposal = "foo-"`) + second, ConfigPlanChecks: emptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{
					requestValue("phase", knownvalue.StringExact("Granted")),
					requestValue("ready", knownvalue.Bool(true)),
					requestValue("tenancy", knownvalue.StringExact("Shared")),
					requestValue("purpose", knownvalue.StringExact(l.own())),
					requestValue("prefix", knownvalue.StringExact("foo-")),
					requestValue("prefix_source", knownvalue.StringExact("granted")),
					statecheck.ExpectKnownValue("hap_cluster_request.two", tfjsonpath.New("prefix"), l.recorded("two")),
					statecheck.ExpectKnownValue("hap_cluster_request.two", tfjsonpath.New("prefix_source"), knownvalue.StringExact("granted")),
				},
				Check: resource.ComposeTestCheckFunc(
					resource.TestCheckResourceAttrPair(requestOne, "cluster.name", "hap_cluster_request.two", "cluster.name"),
					func(s *terraform.State) error {
						cluster = s.RootModule().Resources[requestOne].Primary.Attributes["cluster.name"]
						uid = s.RootModule().Resources[requestOne].Primary.ID
						return nil
					}),
			}, {
				ResourceName: requestOne, ImportState: true, ImportStateId: l.namespace + "/one", ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{"labels", "tenants", "timeouts", "wait_for", "purpose_definitions", "deletion_protection"},
			}, {
				Config: l.builtin() + strings.Replace(l.adrRequest("one", `prefix_proposal = "foo-"`), "= {} }",
					`= { traits = [{ trait = "infrastructure/vendor/moon" }] } }`, 1) + second,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(requestOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{
					requestValue("id", knownvalue.StringFunc(func(id string) error {
						if id != uid {
							return fmt.Errorf("it was made anew: %s", id)
						}
						return nil
					})),
					requestValue("prefix", knownvalue.StringExact("foo-")),
				},
			}, {
				Config: l.builtin() + l.adrRequest("one", "dedicated = true") + second,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(requestOne, plancheck.ResourceActionDestroyBeforeCreate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{
					requestValue("prefix", knownvalue.StringExact("")), requestValue("tenancy", knownvalue.StringExact("Exclusive")),
				},
				Check: func(*terraform.State) error {
					object, err := l.live("Cluster", cluster)
					if err != nil || object == nil || object.GetDeletionTimestamp() != nil {
						return fmt.Errorf("the Cluster did not stay for the other request: %v, %w", object, err)
					}
					return nil
				},
			},
		},
	})
}

// The operator adopts what the built-in scheduler has granted: in the configuration the purpose stands in place of purposes, and the plan
// changes in place. The Cluster and the status of the request stay as they are; prefixes stay. A second plan is empty, and a request of the
// operator is not handed back.
func TestAccBuiltin_handover(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	granted := "resource \"hap_cluster_request\" \"one\" {\n  name = \"one\"\n  purposes = [\"mcp\", \"audit\"]\n  prefix_proposal = \"kept-\"\n" +
		"  purpose_definitions = { mcp = {}, audit = {} }\n  deletion_protection = false\n}\n"
	var cluster, version, status string
	look := func() error {
		object, err := l.live("Cluster", cluster)
		request, failed := l.live("ClusterRequest", "one")
		if err != nil || failed != nil || object == nil || request == nil {
			return fmt.Errorf("%v, %v, %w, %w", object, request, err, failed)
		}
		if now := fmt.Sprint(request.Object["status"]); status == "" {
			version, status = object.GetResourceVersion(), now
		} else if version != object.GetResourceVersion() || status != now {
			return fmt.Errorf("the Cluster is at %s, not %s; the status is %s, not %s", object.GetResourceVersion(), version, now, status)
		}
		return nil
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{
				Config: l.builtin() + granted, ConfigPlanChecks: emptyAfterwards,
				Check: func(s *terraform.State) error {
					cluster = s.RootModule().Resources[requestOne].Primary.Attributes["cluster.name"]
					return look()
				},
			}, {
				Config: l.provider() + requestOf("one", "mcp"),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(requestOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{
					requestValue("prefix", knownvalue.StringExact("kept-")), requestValue("prefix_source", knownvalue.StringExact("granted")),
					requestValue("purposes", knownvalue.Null()), requestValue("ready", knownvalue.Bool(true)),
				},
				Check: func(*terraform.State) error {
					request, err := l.live("ClusterRequest", "one")
					if err != nil || fmt.Sprint(request.GetFinalizers()) != "[clusters.openmcp.cloud/request]" {
						return fmt.Errorf("the operator has not taken it: %v, %w", request.GetFinalizers(), err)
					}
					return look()
				},
			}, {
				Config: l.builtin() + granted, ExpectError: errorLike(diagnose.SummaryOperatorRuns, "cannot be handed back"),
			},
		},
	})
}

// Each scheduler refuses at plan what only the other one knows, and nothing is written. A denial says what no profile meets, stands in the
// status, and the next apply decides anew.
func TestAccBuiltin_refused(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	none := func(*terraform.State) error { return l.none("ClusterRequest", "one") }
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{Config: l.provider() + l.adrRequest("one"), PlanOnly: true,
				ExpectError: errorLike(diagnose.SummaryOtherScheduler, "the openmcp-operator knows one purpose alone")},
			{Config: l.builtin() + requestOf("one", "mcp"), PlanOnly: true,
				ExpectError: errorLike(diagnose.SummaryOtherScheduler, "The attribute purpose is not heard here")},
			{Config: l.builtin() + l.adrRequest("one", `purpose = "mcp"`), PlanOnly: true,
				ExpectError: errorLike(diagnose.SummaryOtherScheduler, "one scheduler serves a request")},
			{Config: l.builtin() + `resource "hap_cluster_request" "one" { name = "one" }`, PlanOnly: true,
				ExpectError: errorLike(diagnose.SummaryOtherScheduler, "needs to say what its cluster is for")},
			{Config: l.builtin() + l.adrRequest("one", `prefix_proposal = "-x"`), PlanOnly: true,
				ExpectError: errorLike(diagnose.SummaryADRRequest, "cannot begin a DNS name")},
			{Config: l.builtin() + l.adrRequest("one", `annotations = { "openmcp.cloud/operation" = "ignore" }`), PlanOnly: true,
				ExpectError: errorLike(diagnose.SummaryReservedKey, "the operator from a request until the handover")},
			{
				PreConfig: func() {
					if err := none(nil); err != nil {
						t.Error(err)
					}
				},
				Config:      l.builtin() + l.adrRequest("one", `traits = [{ trait = "infrastructure/vendor/moon" }]`),
				ExpectError: errorLike(diagnose.SummaryDenied, "would be denied (UnsupportedTrait): No deployed profile meets the trait", "vendor/moon"),
			}, {
				PreConfig: func() {
					if err := none(nil); err != nil {
						t.Error(err)
					}
				},
				Config:      l.builtin() + strings.Replace(l.adrRequest("one"), "purposes = [", `purposes = ["nowhere", `, 1),
				ExpectError: errorLike(diagnose.SummaryDenied, "(UnknownPurpose): The purpose nowhere is not defined", "Define the purpose"),
			}, {
				PreConfig: func() {
					if err := none(nil); err != nil {
						t.Error(err)
					}
				}, // beside a Cluster that is made a denial is not certain: the plan passes, and the apply decides
				Config: l.builtin() + clusterOf() + l.adrRequest("one", `traits = [{ trait = "infrastructure/vendor/moon" }]`,
					"depends_on = [hap_cluster.one]"),
				ExpectError: errorLike(diagnose.SummaryDenied, "is denied (UnsupportedTrait): No deployed profile meets the trait", "vendor/moon"),
			}, {
				PreConfig: func() {
					denied, err := l.live("ClusterRequest", "one")
					if err != nil || !strings.Contains(fmt.Sprint(denied.Object["status"]), "phase:Denied") {
						t.Errorf("%v, %v", denied, err)
					}
				},
				Config:            l.builtin() + l.adrRequest("one"),
				ConfigPlanChecks:  emptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{requestValue("phase", knownvalue.StringExact("Granted"))},
			},
		},
	})
}

// Where what a standing request asks for is known only after an apply, the plan refuses: the request might be withdrawn with its cluster.
func TestAccBuiltin_unknown(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	later := "resource \"terraform_data\" \"later\" { input = timestamp() }\n"
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{Config: l.builtin() + l.adrRequest("one", "dedicated = false")},
			{
				Config:      l.builtin() + later + l.adrRequest("one", `dedicated = terraform_data.later.output == ""`),
				ExpectError: errorLike(diagnose.SummaryRequestUnknown, l.namespace+"/one", "known only after an apply"),
			}, {
				Config: l.builtin() + later + strings.Replace(l.adrRequest("one", "dedicated = false"), `name     = "one"`,
					`name = terraform_data.later.output == "" ? "two" : "one"`, 1),
				ExpectError: errorLike(diagnose.SummaryRequestUnknown, l.namespace+"/one", "known only after an apply"),
			},
		},
	})
}

// A Cluster that was deleted by hand under its request is made anew by an apply, under its name, with a prefix again.
func TestAccBuiltin_deletedByHand(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	var cluster string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{
				Config: l.builtin() + l.adrRequest("one", `prefix_proposal = "kept-"`),
				Check: func(s *terraform.State) error {
					cluster = s.RootModule().Resources[requestOne].Primary.Attributes["cluster.name"]
					return nil
				},
			}, {
				PreConfig: func() { l.loseCluster(t, cluster) },
				Config:    l.builtin() + l.adrRequest("one", `prefix_proposal = "kept-"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(requestOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{
					requestValue("ready", knownvalue.Bool(true)), requestValue("prefix", knownvalue.StringExact("kept-")),
					requestValue("cluster", knownvalue.ObjectExact(map[string]knownvalue.Check{
						"namespace": knownvalue.StringExact(l.namespace), "name": knownvalue.StringFunc(func(name string) error {
							if name != cluster {
								return fmt.Errorf("%s, not %s", name, cluster)
							}
							return nil
						}),
					})),
				},
			},
		},
	})
}

// Two requests share a Cluster that is deleted under them, and one makes it anew: the other sees that it holds nothing, and gets its place
// again. What is told as prefix is what was granted. A request that waits for nothing is granted all the same.
func TestAccBuiltin_lostUnderTwo(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	one, two := l.adrRequest("one", `prefix_proposal = "team-"`), l.adrRequest("two", `wait_for = "none"`, "depends_on = [hap_cluster_request.one]")
	var cluster string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{
				Config: l.builtin() + one + two, ConfigPlanChecks: emptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("hap_cluster_request.two", tfjsonpath.New("prefix"), l.recorded("two")),
				},
				Check: func(s *terraform.State) error {
					cluster = s.RootModule().Resources[requestOne].Primary.Attributes["cluster.name"]
					return nil
				},
			}, {
				PreConfig: func() {
					l.loseCluster(t, cluster)
					l.regrant(t, "two")
				},
				Config: l.builtin() + one + two,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(requestOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{
					requestValue("ready", knownvalue.Bool(true)), requestValue("tenants", knownvalue.Int64Exact(2)),
					requestValue("prefix", l.recorded("one")),
					statecheck.ExpectKnownValue("hap_cluster_request.two", tfjsonpath.New("prefix"), l.recorded("two")),
				},
			},
		},
	})
}

// regrant has a request of the built-in scheduler granted again, as an apply of another configuration does.
func (l platformLandscape) regrant(t *testing.T, name string) {
	t.Helper()
	p, err := openmcp.New(l.Config(), l.namespace)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Objects.Requests.Get(t.Context(), api.Ref{Namespace: l.namespace, Name: name})
	if err == nil {
		_, err = p.Requests.AwaitGranted(t.Context(), r, func(string) {})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A request that was deleted by hand hangs in its deletion: the plan says so, and the apply ends that and makes it anew.
func TestAccBuiltin_requestDeletedByHand(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	var uid string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{Config: l.builtin() + l.adrRequest("one")},
			{
				PreConfig: func() {
					uid = l.uid(t, "ClusterRequest", "one")
					if err := l.Client().Delete(t.Context(), testbed.New("ClusterRequest", l.namespace, "one")); err != nil {
						t.Error(err)
					}
				},
				Config: l.builtin() + l.adrRequest("one"),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(requestOne, plancheck.ResourceActionDestroyBeforeCreate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{
					requestValue("ready", knownvalue.Bool(true)), requestValue("uid", knownvalue.StringFunc(func(now string) error {
						if now == uid {
							return fmt.Errorf("it is the same: %s", now)
						}
						return nil
					})),
				},
			},
		},
	})
}

// A cluster that comes up slowly is waited for by the next apply, and is neither lost nor made twice.
func TestAccBuiltin_slow(t *testing.T) {
	t.Parallel()
	l := newPlatformLandscape(t)
	provider := testbed.SharedProvider()
	provider.Set(l.namespace, "", testbed.Course{Never: true, Says: "the quota is used up"})
	config := l.builtin() + l.adrRequest("one", `timeouts = { create = "4s" }`)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{
				Config: config, ExpectNonEmptyPlan: true,
				ConfigStateChecks: []statecheck.StateCheck{
					requestValue("phase", knownvalue.StringExact("Granted")), requestValue("ready", knownvalue.Bool(false)),
				},
			}, {
				PreConfig:         func() { provider.Set(l.namespace, "", testbed.Course{}) },
				Config:            config,
				ConfigPlanChecks:  emptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{requestValue("ready", knownvalue.Bool(true))},
			},
		},
	})
}
