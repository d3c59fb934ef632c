package clusterrequest_test

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
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// recorded checks that a prefix is the one that the grant on the Cluster has.
func recorded(l acceptance.PlatformLandscape, request string) knownvalue.Check {
	return knownvalue.StringFunc(func(prefix string) error {
		object, err := l.Live("ClusterRequest", request)
		if err != nil || object == nil {
			return fmt.Errorf("%v, %w", object, err)
		}
		name, _, _ := unstructured.NestedString(object.Object, "status", "cluster", "name")
		cluster, err := l.Live("Cluster", name)
		if err != nil || cluster == nil {
			return fmt.Errorf("%v, %w", cluster, err)
		}
		grant := cluster.GetAnnotations()["grant.hap-project.io/"+string(object.GetUID())]
		if prefix == "" || !strings.Contains(grant, `"prefix":"`+prefix+`"`) {
			return fmt.Errorf("%q is reported, and the grant is %s", prefix, grant)
		}
		return nil
	})
}

// Requests share a Cluster that the provider has made, each with a prefix of its own; other definitions change nothing of what they have;
// a request that asks for something else is another; and the Cluster goes with the last.
func TestAccBuiltin_life(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	second := l.ADRRequest("two", `prefix_proposal = "foo-bar-"`, "depends_on = [hap_cluster_request.one]")
	var cluster, uid string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{
				Config: l.Builtin() + l.ADRRequest("one", `prefix_proposal = "foo-"`) + second, ConfigPlanChecks: acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.RequestValue("phase", knownvalue.StringExact("Granted")),
					acceptance.RequestValue("ready", knownvalue.Bool(true)),
					acceptance.RequestValue("tenancy", knownvalue.StringExact("Shared")),
					acceptance.RequestValue("purpose", knownvalue.StringExact(l.Own())),
					acceptance.RequestValue("prefix", knownvalue.StringExact("foo-")),
					acceptance.RequestValue("prefix_source", knownvalue.StringExact("granted")),
					statecheck.ExpectKnownValue("hap_cluster_request.two", tfjsonpath.New("prefix"), recorded(l, "two")),
					statecheck.ExpectKnownValue("hap_cluster_request.two", tfjsonpath.New("prefix_source"), knownvalue.StringExact("granted")),
				},
				Check: resource.ComposeTestCheckFunc(
					resource.TestCheckResourceAttrPair(acceptance.RequestOne, "cluster.name", "hap_cluster_request.two", "cluster.name"),
					func(s *terraform.State) error {
						cluster = s.RootModule().Resources[acceptance.RequestOne].Primary.Attributes["cluster.name"]
						uid = s.RootModule().Resources[acceptance.RequestOne].Primary.ID
						return nil
					}),
			}, {
				ResourceName: acceptance.RequestOne, ImportState: true, ImportStateId: l.Namespace + "/one", ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{"labels", "tenants", "timeouts", "wait_for", "purpose_definitions", "deletion_protection"},
			}, {
				Config: l.Builtin() + strings.Replace(l.ADRRequest("one", `prefix_proposal = "foo-"`), "= {} }",
					`= { traits = [{ trait = "infrastructure/vendor/moon" }] } }`, 1) + second,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.RequestValue("id", knownvalue.StringFunc(func(id string) error {
						if id != uid {
							return fmt.Errorf("it was made anew: %s", id)
						}
						return nil
					})),
					acceptance.RequestValue("prefix", knownvalue.StringExact("foo-")),
				},
			}, {
				Config: l.Builtin() + l.ADRRequest("one", "dedicated = true") + second,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionDestroyBeforeCreate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.RequestValue("prefix", knownvalue.StringExact("")), acceptance.RequestValue("tenancy", knownvalue.StringExact("Exclusive")),
				},
				Check: func(*terraform.State) error {
					object, err := l.Live("Cluster", cluster)
					if err != nil || object == nil || object.GetDeletionTimestamp() != nil {
						return fmt.Errorf("the Cluster did not stay for the other request: %v, %w", object, err)
					}
					return nil
				},
			},
		},
	})
}

// The operator adopts what the built-in scheduler has granted: in the configuration the purpose replaces purposes, and the plan
// changes in place. The Cluster and the status of the request stay as they are; prefixes stay. A second plan is empty, and a request of the
// operator is not handed back.
func TestAccBuiltin_handover(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	granted := "resource \"hap_cluster_request\" \"one\" {\n  name = \"one\"\n  purposes = [\"mcp\", \"audit\"]\n  prefix_proposal = \"kept-\"\n" +
		"  purpose_definitions = { mcp = {}, audit = {} }\n  deletion_protection = false\n}\n"
	var cluster, version, status string
	look := func() error {
		object, err := l.Live("Cluster", cluster)
		request, failed := l.Live("ClusterRequest", "one")
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
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{
				Config: l.Builtin() + granted, ConfigPlanChecks: acceptance.EmptyAfterwards,
				Check: func(s *terraform.State) error {
					cluster = s.RootModule().Resources[acceptance.RequestOne].Primary.Attributes["cluster.name"]
					return look()
				},
			}, {
				Config: l.Provider() + acceptance.RequestOf("one", "mcp"),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.RequestValue("prefix", knownvalue.StringExact("kept-")), acceptance.RequestValue("prefix_source", knownvalue.StringExact("granted")),
					acceptance.RequestValue("purposes", knownvalue.Null()), acceptance.RequestValue("ready", knownvalue.Bool(true)),
				},
				Check: func(*terraform.State) error {
					request, err := l.Live("ClusterRequest", "one")
					if err != nil || fmt.Sprint(request.GetFinalizers()) != "[clusters.openmcp.cloud/request]" {
						return fmt.Errorf("the operator has not taken it: %v, %w", request.GetFinalizers(), err)
					}
					return look()
				},
			}, {
				Config: l.Builtin() + granted, ExpectError: acceptance.ErrorLike(diagnose.SummaryOperatorRuns, "cannot be handed back"),
			},
		},
	})
}

// Each scheduler refuses at plan what only the other one knows, and nothing is written. A denial says what no profile meets, is written
// into the status, and the next apply decides anew.
func TestAccBuiltin_refused(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	none := func(*terraform.State) error { return l.None("ClusterRequest", "one") }
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{Config: l.Provider() + l.ADRRequest("one"), PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryOtherScheduler, "the openmcp-operator knows one purpose alone")},
			{Config: l.Builtin() + acceptance.RequestOf("one", "mcp"), PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryOtherScheduler, "The attribute purpose is not heard here")},
			{Config: l.Builtin() + l.ADRRequest("one", `purpose = "mcp"`), PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryOtherScheduler, "one scheduler serves a request")},
			{Config: l.Builtin() + `resource "hap_cluster_request" "one" { name = "one" }`, PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryOtherScheduler, "needs to say what its cluster is for")},
			{Config: l.Builtin() + l.ADRRequest("one", `prefix_proposal = "-x"`), PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryADRRequest, "cannot begin a DNS name")},
			{Config: l.Builtin() + l.ADRRequest("one", `annotations = { "openmcp.cloud/operation" = "ignore" }`), PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryReservedKey, "the operator from a request until the handover")},
			{
				PreConfig: func() {
					if err := none(nil); err != nil {
						t.Error(err)
					}
				},
				Config:      l.Builtin() + l.ADRRequest("one", `traits = [{ trait = "infrastructure/vendor/moon" }]`),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryDenied, "would be denied (UnsupportedTrait): No deployed profile meets the trait", "vendor/moon"),
			}, {
				PreConfig: func() {
					if err := none(nil); err != nil {
						t.Error(err)
					}
				},
				Config:      l.Builtin() + strings.Replace(l.ADRRequest("one"), "purposes = [", `purposes = ["nowhere", `, 1),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryDenied, "(UnknownPurpose): The purpose nowhere is not defined", "Define the purpose"),
			}, {
				PreConfig: func() {
					if err := none(nil); err != nil {
						t.Error(err)
					}
				}, // beside a Cluster that is made a denial is not certain: the plan passes, and the apply decides
				Config: l.Builtin() + acceptance.ClusterOf() + l.ADRRequest("one", `traits = [{ trait = "infrastructure/vendor/moon" }]`,
					"depends_on = [hap_cluster.one]"),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryDenied, "is denied (UnsupportedTrait): No deployed profile meets the trait", "vendor/moon"),
			}, {
				PreConfig: func() {
					denied, err := l.Live("ClusterRequest", "one")
					if err != nil || !strings.Contains(fmt.Sprint(denied.Object["status"]), "phase:Denied") {
						t.Errorf("%v, %v", denied, err)
					}
				},
				Config:            l.Builtin() + l.ADRRequest("one"),
				ConfigPlanChecks:  acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{acceptance.RequestValue("phase", knownvalue.StringExact("Granted"))},
			},
		},
	})
}

// Where what an existing request asks for is known only after an apply, the plan refuses: the request might be withdrawn with its cluster.
func TestAccBuiltin_unknown(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	later := "resource \"terraform_data\" \"later\" { input = timestamp() }\n"
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{Config: l.Builtin() + l.ADRRequest("one", "dedicated = false")},
			{
				Config:      l.Builtin() + later + l.ADRRequest("one", `dedicated = terraform_data.later.output == ""`),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryRequestUnknown, l.Namespace+"/one", "known only after an apply"),
			}, {
				Config: l.Builtin() + later + strings.Replace(l.ADRRequest("one", "dedicated = false"), `name     = "one"`,
					`name = terraform_data.later.output == "" ? "two" : "one"`, 1),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryRequestUnknown, l.Namespace+"/one", "known only after an apply"),
			},
		},
	})
}

// A Cluster that was deleted by hand under its request is made anew by an apply, under its name, with a prefix again.
func TestAccBuiltin_deletedByHand(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	var cluster string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{
				Config: l.Builtin() + l.ADRRequest("one", `prefix_proposal = "kept-"`),
				Check: func(s *terraform.State) error {
					cluster = s.RootModule().Resources[acceptance.RequestOne].Primary.Attributes["cluster.name"]
					return nil
				},
			}, {
				PreConfig: func() { l.LoseCluster(t, cluster) },
				Config:    l.Builtin() + l.ADRRequest("one", `prefix_proposal = "kept-"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.RequestValue("ready", knownvalue.Bool(true)), acceptance.RequestValue("prefix", knownvalue.StringExact("kept-")),
					acceptance.RequestValue("cluster", knownvalue.ObjectExact(map[string]knownvalue.Check{
						"namespace": knownvalue.StringExact(l.Namespace), "name": knownvalue.StringFunc(func(name string) error {
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
// again. The prefix in the state is what was granted. A request that waits for nothing is granted all the same.
func TestAccBuiltin_lostUnderTwo(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	one, two := l.ADRRequest("one", `prefix_proposal = "team-"`), l.ADRRequest("two", `wait_for = "none"`, "depends_on = [hap_cluster_request.one]")
	var cluster string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{
				Config: l.Builtin() + one + two, ConfigPlanChecks: acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("hap_cluster_request.two", tfjsonpath.New("prefix"), recorded(l, "two")),
				},
				Check: func(s *terraform.State) error {
					cluster = s.RootModule().Resources[acceptance.RequestOne].Primary.Attributes["cluster.name"]
					return nil
				},
			}, {
				PreConfig: func() {
					l.LoseCluster(t, cluster)
					regrant(t, l, "two")
				},
				Config: l.Builtin() + one + two,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.RequestValue("ready", knownvalue.Bool(true)), acceptance.RequestValue("tenants", knownvalue.Int64Exact(2)),
					acceptance.RequestValue("prefix", recorded(l, "one")),
					statecheck.ExpectKnownValue("hap_cluster_request.two", tfjsonpath.New("prefix"), recorded(l, "two")),
				},
			},
		},
	})
}

// regrant has a request of the built-in scheduler granted again, as an apply of another configuration does.
func regrant(t *testing.T, l acceptance.PlatformLandscape, name string) {
	t.Helper()
	p, err := openmcp.New(l.Config(), l.Namespace)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Objects.Requests.Get(t.Context(), api.Ref{Namespace: l.Namespace, Name: name})
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
	l := acceptance.NewPlatformLandscape(t)
	var uid string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{Config: l.Builtin() + l.ADRRequest("one")},
			{
				PreConfig: func() {
					uid = l.UID(t, "ClusterRequest", "one")
					if err := l.Client().Delete(t.Context(), testbed.New("ClusterRequest", l.Namespace, "one")); err != nil {
						t.Error(err)
					}
				},
				Config: l.Builtin() + l.ADRRequest("one"),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.RequestOne, plancheck.ResourceActionDestroyBeforeCreate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.RequestValue("ready", knownvalue.Bool(true)), acceptance.RequestValue("uid", knownvalue.StringFunc(func(now string) error {
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
	l := acceptance.NewPlatformLandscape(t)
	provider := testbed.SharedProvider()
	provider.Set(l.Namespace, "", testbed.Course{Never: true, Says: "the quota is used up"})
	config := l.Builtin() + l.ADRRequest("one", `timeouts = { create = "15s" }`)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{
				Config: config, ExpectNonEmptyPlan: true,
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.RequestValue("phase", knownvalue.StringExact("Granted")), acceptance.RequestValue("ready", knownvalue.Bool(false)),
				},
			}, {
				PreConfig:         func() { provider.Set(l.Namespace, "", testbed.Course{}) },
				Config:            config,
				ConfigPlanChecks:  acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{acceptance.RequestValue("ready", knownvalue.Bool(true))},
			},
		},
	})
}
