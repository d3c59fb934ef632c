package cluster_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	gardens "github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// has checks a value of the Cluster one; empty = there is none.
func has(l acceptance.PlatformLandscape, want string, at ...string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		object, err := l.Live("Cluster", "one")
		if err != nil || object == nil {
			return fmt.Errorf("the Cluster is %v, %w", object, err)
		}
		value, found, _ := unstructured.NestedFieldNoCopy(object.Object, at...)
		got := fmt.Sprint(value)
		if !found {
			got = ""
		}
		return acceptance.Equal(strings.Join(at, "."), got, want)
	}
}

// A Cluster is made with the documented rights, is ready, changes in place, and goes.
func TestAccCluster_life(t *testing.T) {
	t.Parallel()
	l := acceptance.NewOwnLandscape(t)
	var uid string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{
				Config:           l.Provider() + acceptance.ClusterOf(`purposes = ["platform", "onboarding"]`, `tenancy = "Shared"`, `labels = { stage = "dev" }`),
				ConfigPlanChecks: acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.ClusterValue("id", knownvalue.StringExact(l.Namespace+"/one")),
					acceptance.ClusterValue("namespace", knownvalue.StringExact(l.Namespace)),
					acceptance.ClusterValue("phase", knownvalue.StringExact("Ready")),
					acceptance.ClusterValue("ready", knownvalue.Bool(true)),
					acceptance.ClusterValue("conditions", knownvalue.MapExact(map[string]knownvalue.Check{"ShootReady": knownvalue.StringExact("True")})),
					acceptance.ClusterValue("running_version", knownvalue.StringExact(testbed.Version)),
					acceptance.ClusterValue("requests", knownvalue.ListExact(nil)),
					acceptance.ClusterValue("endpoints", knownvalue.MapExact(map[string]knownvalue.Check{
						"apiserver-external": knownvalue.StringExact(l.Config().Host),
					})),
				},
			}, {
				PreConfig: func() { uid = l.UID(t, "Cluster", "one") },
				Config: l.Provider() + acceptance.ClusterOf(`purposes = ["platform", "mcp"]`, `kubernetes_version = "1.33.4"`, `labels = { stage = "live" }`,
					`annotations = { owner = "me" }`, `cluster_config_refs = ["small", "private"]`),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.ClusterOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: resource.ComposeTestCheckFunc(
					func(*terraform.State) error { return acceptance.Equal("uid", l.UID(t, "Cluster", "one"), uid) },
					has(l, "[platform mcp]", "spec", "purposes"), has(l, "Exclusive", "spec", "tenancy"),
					has(l, "1.33.4", "spec", "kubernetes", "version"), has(l, "live", "metadata", "labels", "stage"),
					has(l, "[map[name:small] map[name:private]]", "spec", "clusterConfigs"),
					has(l, "me", "metadata", "annotations", "owner"),
				),
			}, {
				Config:           l.Provider() + acceptance.ClusterOf(),
				ConfigPlanChecks: acceptance.EmptyAfterwards,
				Check: resource.ComposeTestCheckFunc(
					has(l, "", "spec", "purposes"), has(l, "", "spec", "kubernetes"),
					has(l, "", "spec", "clusterConfigs"), has(l, "", "metadata", "labels", "stage"),
					has(l, "", "metadata", "annotations", "owner"),
				),
			}, {
				Config: l.Provider() + acceptance.ClusterOf(fmt.Sprintf("profile = %q", testbed.WorkerProfile), `wait_for = "created"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.ClusterOne, plancheck.ResourceActionDestroyBeforeCreate)},
				},
				Check: has(l, testbed.WorkerProfile, "spec", "profile"),
			},
		},
	})
}

// Requests that hold a Cluster keep it: it is neither destroyed nor replaced, loses none of its purposes, and does not become exclusive.
// Both go together where the plan withdraws the requests too.
func TestAccCluster_held(t *testing.T) {
	t.Parallel()
	l := acceptance.NewHeldLandscape(t)
	shared := acceptance.ClusterOf(`purposes = ["workload", "spare"]`, `tenancy = "Shared"`)
	two := acceptance.RequestOf("r1", "workload", "depends_on = [hap_cluster.one]") + acceptance.RequestOf("r2", "workload", "depends_on = [hap_cluster.one]")
	var uid string
	refused := func(config string, says ...string) resource.TestStep {
		return resource.TestStep{Config: l.Provider() + config + two, PlanOnly: true,
			ExpectError: acceptance.ErrorLike(diagnose.SummaryClusterHeld, append([]string{"Cluster " + l.Namespace + "/one is held by 2 requests"}, says...)...)}
	}
	names := l.Namespace + "/r1"
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{Config: l.Provider() + shared},
			{
				Config: l.Provider() + shared + two,
				Check: func(*terraform.State) error {
					uid = l.UID(t, "Cluster", "one")
					return nil
				},
			},
			refused(acceptance.ClusterOf(`purposes = ["workload", "spare"]`), "it cannot become Exclusive", names),
			refused(acceptance.ClusterOf(`purposes = ["workload"]`, `tenancy = "Shared"`), `its purposes cannot lose ["spare"]`, names),
			refused(acceptance.ClusterOf(`purposes = ["workload", "spare"]`, `tenancy = "Shared"`, fmt.Sprintf("profile = %q", testbed.WorkerProfile)),
				"it cannot be replaced by another", names),
			{
				Config:      l.Provider() + strings.ReplaceAll(two, "depends_on = [hap_cluster.one]", ""),
				PlanOnly:    true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryClusterHeld, "it cannot be deleted", names),
			}, {
				Config: l.Provider() + acceptance.ClusterOf(`purposes = ["workload", "spare", "more"]`, `tenancy = "Shared"`) + two,
				Check: func(*terraform.State) error {
					return acceptance.Equal("uid", l.UID(t, "Cluster", "one"), uid)
				},
				ConfigPlanChecks:  acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{acceptance.ClusterValue("requests", knownvalue.ListSizeExact(2))},
			}, {
				Config: l.Provider() + "# all go\n", Destroy: false,
				Check: func(*terraform.State) error { return l.None("Cluster", "one") },
			},
			{Config: l.Provider() + acceptance.ClusterOf(`purposes = ["workload"]`, `tenancy = "Shared"`) + two},
		},
	})
}

// An import takes the whole spec over, by ID and by identity, and changes nothing; what others have added stays theirs.
func TestAccCluster_imported(t *testing.T) {
	t.Parallel()
	l := acceptance.NewOwnLandscape(t)
	object := testbed.New("Cluster", l.Namespace, "one")
	object.SetLabels(map[string]string{"other": "party"})
	object.Object["spec"] = map[string]any{
		"profile": testbed.WorkerProfile, "tenancy": "Shared", "purposes": []any{"b", "a", "b"}, "kubernetes": map[string]any{"version": "1.33.4"},
		"clusterConfigs": []any{map[string]any{"name": "small"}},
	}
	if err := l.Client().Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	config := l.Provider() + acceptance.ClusterOf(fmt.Sprintf("profile = %q", testbed.WorkerProfile), `tenancy = "Shared"`, `purposes = ["a", "b"]`,
		`kubernetes_version = "1.33.4"`, `cluster_config_refs = ["small"]`)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{
				Config:      l.Provider() + acceptance.ClusterOf(fmt.Sprintf("profile = %q", testbed.WorkerProfile)),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryShootExists, "there is a Cluster "+l.Namespace+"/one already", `import block with the id`),
			}, {
				Config:           config + fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", acceptance.ClusterOne, l.Namespace+"/one"),
				ConfigPlanChecks: acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.ClusterValue("uid", knownvalue.StringExact(string(object.GetUID()))), acceptance.ClusterValue("labels", knownvalue.Null()),
				},
				Check: has(l, "[b a b]", "spec", "purposes"),
			}, {
				ResourceName: acceptance.ClusterOne, ImportState: true, ImportStateId: l.Namespace + "/one", ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{"timeouts", "deletion_protection"},
			}, {
				Config: config + "import {\n  to = hap_cluster.none\n  id = \"none\"\n}\n" +
					strings.NewReplacer(`"one" {`, `"none" {`, `name = "one"`, `name = "none"`).Replace(acceptance.ClusterOf()),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryImportMissing, "there is no Cluster "+l.Namespace+"/none", "The import ID is <namespace>/<name>"),
			},
		},
	})
}

// A Cluster is imported by its identity, where the program can do that.
func TestAccCluster_byIdentity(t *testing.T) {
	t.Parallel()
	l := acceptance.NewOwnLandscape(t)
	config := l.Provider() + acceptance.ClusterOf(fmt.Sprintf("profile = %q", testbed.WorkerProfile), "deletion_protection = true")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{Config: config},
			{Config: config, ResourceName: acceptance.ClusterOne, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
			{Config: l.Provider() + acceptance.ClusterOf(fmt.Sprintf("profile = %q", testbed.WorkerProfile))},
		},
	})
}

// A Cluster that is slow is kept: a warning, then an update in place that waits on.
func TestAccCluster_slow(t *testing.T) {
	t.Parallel()
	l := acceptance.NewOwnLandscape(t)
	provider := testbed.SharedProvider()
	provider.Set(l.Namespace, "", testbed.Course{Never: true, Says: "the quota is used up"})
	slow := acceptance.ClusterOf(`timeouts = { create = "15s", update = "15s" }`)
	guarded := strings.Replace(slow, "{\n", "{\n  lifecycle {\n    postcondition {\n      condition = self.ready\n      "+
		"error_message = \"not ready yet\"\n    }\n  }\n", 1)
	var uid string
	same := func(*terraform.State) error { return acceptance.Equal("uid", l.UID(t, "Cluster", "one"), uid) }
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{Config: l.Provider() + guarded, ExpectError: regexp.MustCompile("not ready yet")},
			{
				PreConfig: func() { uid = l.UID(t, "Cluster", "one") },
				Config:    l.Provider() + slow,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(acceptance.ClusterOne, plancheck.ResourceActionUpdate),
						plancheck.ExpectUnknownValue(acceptance.ClusterOne, tfjsonpath.New("ready")),
					},
				},
				ExpectNonEmptyPlan: true,
				ConfigStateChecks: []statecheck.StateCheck{
					acceptance.ClusterValue("ready", knownvalue.Bool(false)), acceptance.ClusterValue("phase", knownvalue.StringExact("Not Ready")),
					acceptance.ClusterValue("conditions", knownvalue.MapExact(map[string]knownvalue.Check{"ShootReady": knownvalue.StringExact("False")})),
				},
				Check: same,
			}, {
				Config:           l.Provider() + acceptance.ClusterOf(`wait_for = "created"`), // nothing is waited for
				ConfigPlanChecks: acceptance.EmptyAfterwards,
			}, {
				PreConfig:         func() { provider.Set(l.Namespace, "", testbed.Course{}) },
				Config:            l.Provider() + acceptance.ClusterOf(),
				ConfigPlanChecks:  acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{acceptance.ClusterValue("ready", knownvalue.Bool(true))},
				Check:             same,
			},
		},
	})
}

// A Cluster that a run has made which was cut short is taken into the state.
func TestAccCluster_adopted(t *testing.T) {
	t.Parallel()
	l := acceptance.NewOwnLandscape(t)
	platform, err := openmcp.New(l.Config(), l.Namespace)
	if err != nil {
		t.Fatal(err)
	}
	made, _, err := platform.Clusters.Make(t.Context(), clusters.Wanted{
		Ref: api.Ref{Namespace: l.Namespace, Name: "one"}, Profile: testbed.WorkerlessProfile, Tenancy: api.Exclusive,
		Purposes: []string{"a", "b"}, Labels: map[string]string{}, Annotations: map[string]string{},
	})
	if err != nil {
		t.Fatal(err)
	}
	planned := func(purposes string) *acceptance.Ear {
		ear := acceptance.NewEar(nil)
		inprocess.Test(t, resource.TestCase{ProtoV6ProviderFactories: ear.Factories(), Steps: []resource.TestStep{
			{Config: l.Provider() + acceptance.ClusterOf(purposes), PlanOnly: true, ExpectNonEmptyPlan: true},
		}})
		return ear
	}
	planned(`purposes = ["b", "a"]`).Want(t, tfprotov6.DiagnosticSeverityWarning, diagnose.SummaryShootAdopts, "name", l.Namespace+"/one",
		string(made.UID), "is not in this state", "a destroy from here destroys it there")
	if n := planned(`purposes = ["a"]`).Warnings(diagnose.SummaryShootAdopts, ""); n != 0 {
		t.Errorf("another configuration, which is refused, is said %d times to take it up", n)
	}
	own := acceptance.NewEar(nil)
	defer func() {
		if n := own.Warnings(diagnose.SummaryShootAdopts, "is not in this state"); n == 0 || n > 2 { // by the first apply alone, which plans twice
			t.Errorf("the plans say %d times that they take it up", n)
		}
	}()
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: own.Factories(),
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{Config: l.Provider() + acceptance.ClusterOf(`purposes = ["a"]`), ExpectError: acceptance.ErrorLike(diagnose.SummaryShootExists, "mark of this very")},
			{
				Config:            l.Provider() + acceptance.ClusterOf(`purposes = ["b", "a"]`),
				ConfigPlanChecks:  acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{acceptance.ClusterValue("uid", knownvalue.StringExact(string(made.UID)))},
			},
			{Config: l.Provider() + acceptance.ClusterOf(`purposes = ["b", "a"]`), Taint: []string{acceptance.ClusterOne}},
		},
	})
}

// What the operator or the server would answer by taking the Cluster away is refused before anything is written, at its attribute.
func TestAccCluster_refused(t *testing.T) {
	t.Parallel()
	l := acceptance.NewOwnLandscape(t)
	t.Cleanup(func() {
		if err := l.NoRequests(nil); err != nil {
			t.Error(err)
		}
	})
	with := func(attribute string) string { return l.Provider() + acceptance.ClusterOf(attribute) }
	for name, test := range map[string]struct {
		config  string
		applies bool
		want    *regexp.Regexp
	}{
		"no purpose":              {with(`purposes = []`), false, regexp.MustCompile(`(?s)purposes.*at least 1`)},
		"a tenancy":               {with(`tenancy = "Dedicated"`), false, regexp.MustCompile(`(?s)tenancy.*"Shared"`)},
		"wait_for":                {with(`wait_for = "cluster_ready"`), false, regexp.MustCompile(`(?s)wait_for.*"ready"`)},
		"a bad name":              {with(`name = "One"`), false, regexp.MustCompile(`must be small letters, digits, - and \.`)},
		"an empty part of a name": {with(`name = "a..b"`), false, regexp.MustCompile(`(?s)both ends of each part.*a\.\.b`)},
		"deleted by a label": {with(`labels = { "clusters.openmcp.cloud/delete-without-requests" = "true" }`), false,
			acceptance.ErrorLike(diagnose.SummaryReservedKey, "deletes the Cluster after its last request")},
		"the provider's label": {with(`labels = { "clusters.openmcp.cloud/k8sversion" = "1.33.4" }`), false,
			acceptance.ErrorLike(diagnose.SummaryReservedKey, "clusters.openmcp.cloud/k8sversion is written by")},
		"a grant": {with(`annotations = { "grant.hap-project.io/uid" = "{}" }`), false,
			acceptance.ErrorLike(diagnose.SummaryReservedKey, "grant.hap-project.io/uid is written by")},
		"the mark": {with(`annotations = { "hap-project.io/made-by" = "me" }`), false,
			acceptance.ErrorLike(diagnose.SummaryReservedKey, "hap-project.io/made-by is written by")},
		"twice": {l.Provider() + acceptance.ClusterOf() + strings.Replace(acceptance.ClusterOf(), `"one" {`, `"two" {`, 1), false,
			acceptance.ErrorLike(diagnose.SummaryShootTwice, l.Namespace+"/one is declared twice")},
		"no platform": {"provider \"hap\" {\n}\n" + acceptance.ClusterOf(), false,
			acceptance.ErrorLike(diagnose.SummaryNoPlatform, "Planning Cluster one: the provider block has no platform")},
		"no rights": {as(t, acceptance.NewPlatformLandscape(t), "platform.yaml") + acceptance.ClusterOf(), true,
			acceptance.ErrorLike(diagnose.SummaryPlatformForbidden, `Grant the verb "create" on clusters`, "platform-clusters.yaml")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: acceptance.Factories,
				Steps:                    []resource.TestStep{{Config: test.config, PlanOnly: !test.applies, ExpectError: test.want}},
			})
		})
	}
}

// as is the provider block of a user with the rights of a file.
func as(t *testing.T, l acceptance.PlatformLandscape, roles string) string {
	t.Helper()
	l.Kubeconfig = l.ServiceAccount(t, l.Namespace, "other", gardens.RoleExample(t, roles)).Kubeconfig
	return l.Provider()
}

// What others change of what the configuration names is drift; what they add is not. A Cluster that is gone leaves the state, and the next
// apply makes it again.
func TestAccCluster_drift(t *testing.T) {
	t.Parallel()
	l := acceptance.NewOwnLandscape(t)
	config := l.Provider() + acceptance.ClusterOf(`purposes = ["a", "b"]`, `tenancy = "Shared"`, `kubernetes_version = "1.33.4"`, `labels = { stage = "dev" }`)
	edit := func(change func(*unstructured.Unstructured)) func() {
		return func() {
			object, err := l.Live("Cluster", "one")
			if err == nil {
				base := object.DeepCopy()
				change(object)
				err = l.Client().Patch(context.Background(), object, client.MergeFrom(base))
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
	spec := func(o *unstructured.Unstructured) map[string]any {
		spec, ok := o.Object["spec"].(map[string]any)
		if !ok {
			t.Fatalf("%v has no spec", o.Object)
		}
		return spec
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: edit(func(o *unstructured.Unstructured) {
					spec(o)["purposes"] = []any{"a", "b", "theirs"}
					spec(o)["clusterConfigs"] = []any{map[string]any{"name": "theirs"}}
					o.SetAnnotations(map[string]string{"their": "own"})
				}),
				Config: config, PlanOnly: true,
			}, {
				PreConfig: edit(func(o *unstructured.Unstructured) {
					spec(o)["purposes"] = []any{"theirs", "b"}
					spec(o)["tenancy"] = "Exclusive"
					delete(spec(o), "kubernetes")
				}),
				Config: config,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.ClusterOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: resource.ComposeTestCheckFunc(
					has(l, "[theirs b a]", "spec", "purposes"), has(l, "Shared", "spec", "tenancy"),
					has(l, "1.33.4", "spec", "kubernetes", "version"),
					has(l, "[map[name:theirs]]", "spec", "clusterConfigs"),
				),
			}, {
				PreConfig: func() { l.LoseCluster(t, "one") },
				Config:    config,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(acceptance.ClusterOne, plancheck.ResourceActionCreate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
			},
		},
	})
}

// A profile that no ClusterProfile has is reported at plan, and again where the Cluster is not ready; not where this plan makes what
// publishes it. A warning says that the apply has found a Cluster which an earlier run that was cut short had made.
func TestAccCluster_warnings(t *testing.T) {
	t.Parallel()
	l := acceptance.NewOwnLandscape(t)
	testbed.SharedProvider().Set(l.Namespace, "", testbed.Course{Never: true, Says: "there is no such profile"})
	c := cli.New(t)
	block := "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n" + l.Provider()
	says := func(config string, wanted bool, words string, arguments ...string) {
		t.Helper()
		c.Write(t, block+config)
		result := c.Run(t, append(arguments, "-no-color")...)
		said := strings.Contains(strings.Join(strings.Fields(strings.ReplaceAll(result.Output, "│", " ")), " "), words)
		if result.ExitCode != 0 || said != wanted {
			t.Errorf("%s says %q: %t, want %t\n%s", arguments[0], words, said, wanted, result.Output)
		}
	}
	unknown := `No ClusterProfile is called "test.gardener.typo"`
	typo := acceptance.ClusterOf(`profile = "test.gardener.typo"`, `timeouts = { create = "12s" }`)
	says(typo, true, unknown, "plan")
	says(acceptance.ClusterOf(), false, "No ClusterProfile", "plan")
	says(typo, true, unknown, "apply", "-auto-approve")
	says(typo, true, "there is no such profile", "apply", "-auto-approve", "-replace="+acceptance.ClusterOne)
	live, err := l.Live("Cluster", "one")
	if err != nil {
		t.Fatal(err)
	}
	c.Write(t, block+acceptance.ClusterOf(`profile = "test.gardener.another"`))
	refused := c.Run(t, "apply", "-auto-approve", "-no-color")
	text := strings.Join(strings.Fields(strings.ReplaceAll(refused.Output, "│", " ")), " ")
	if now, err := l.Live("Cluster", "one"); err != nil || now == nil || now.GetUID() != live.GetUID() || refused.ExitCode != 1 ||
		!strings.Contains(text, `called "test.gardener.another"`) || !strings.Contains(text, "would destroy Cluster "+l.Namespace+"/one for one that never") {
		t.Errorf("a Cluster is replaced for a profile that is not published (%v): %s", err, text)
	}
	says("", false, "Error", "destroy", "-auto-approve")

	platform, err := openmcp.New(l.Config(), l.Namespace)
	if err == nil {
		_, _, err = platform.Clusters.Make(t.Context(), clusters.Wanted{
			Ref: api.Ref{Namespace: l.Namespace, Name: "one"}, Profile: testbed.WorkerlessProfile, Tenancy: api.Exclusive,
			Labels: map[string]string{}, Annotations: map[string]string{},
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	says(acceptance.ClusterOf(`wait_for = "created"`), true, "The apply takes it into this state as it is", "plan")
	says(acceptance.ClusterOf(`wait_for = "created"`), true, "a run that was cut short has left it", "apply", "-auto-approve")
	says("", false, "Error", "destroy", "-auto-approve")
	if err := l.NoRequests(nil); err != nil {
		t.Error(err)
	}
}

// A user who may not list requests reads who holds a Cluster by their UIDs; those of the built-in scheduler have their names. An
// apply refuses a grant that its plan could not see.
func TestAccCluster_holders(t *testing.T) {
	t.Parallel()
	l := acceptance.NewOwnLandscape(t)
	config := l.Provider() + acceptance.ClusterOf(`purposes = ["a"]`, `tenancy = "Shared"`)
	hold := func() {
		ctx := context.Background()
		for {
			object, err := l.Live("Cluster", "one")
			if err != nil {
				t.Error(err)
				return
			}
			base := object.DeepCopy()
			object.SetFinalizers(append(object.GetFinalizers(), "request.clusters.openmcp.cloud/u1", "request.clusters.openmcp.cloud/u2"))
			object.SetAnnotations(map[string]string{"grant.hap-project.io/u2": `{"request":{"namespace":"n","name":"r"},"prefix":"foo-"}`})
			if l.Client().Patch(ctx, object, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{})) == nil {
				return
			}
		}
	}
	t.Cleanup(func() {
		if cluster, _ := l.Live("Cluster", "one"); cluster != nil {
			l.LoseCluster(t, "one")
		}
	})
	first, second := tfjsonpath.New("requests").AtSliceIndex(0), tfjsonpath.New("requests").AtSliceIndex(1)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: hold, Config: config, ConfigPlanChecks: acceptance.EmptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(acceptance.ClusterOne, first, knownvalue.ObjectExact(map[string]knownvalue.Check{
						"namespace": knownvalue.Null(), "name": knownvalue.Null(), "uid": knownvalue.StringExact("u1"), "prefix": knownvalue.Null(),
					})),
					statecheck.ExpectKnownValue(acceptance.ClusterOne, second, knownvalue.ObjectExact(map[string]knownvalue.Check{
						"namespace": knownvalue.StringExact("n"), "name": knownvalue.StringExact("r"), "uid": knownvalue.StringExact("u2"),
						"prefix": knownvalue.StringExact("foo-"),
					})),
				},
			}, {
				Config: l.Provider(), PlanOnly: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryClusterHeld, "one with the UID u1, n/r"),
			}, {
				Config: "resource \"terraform_data\" \"later\" { input = \"b\" }\n" +
					l.Provider() + acceptance.ClusterOf(`purposes = [terraform_data.later.output]`, `tenancy = "Shared"`),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryClusterHeld, `its purposes cannot lose ["a"]`),
			}, {
				PreConfig: func() { l.LoseCluster(t, "one") },
				Config:    l.Provider() + "# gone\n",
			},
		},
	})
}

// A profile that is known only after an apply replaces nothing: where it turns out to be the same nothing happens, and another one
// stops the apply before it touches the Cluster.
func TestAccCluster_profileKnownLater(t *testing.T) {
	t.Parallel()
	l := acceptance.NewOwnLandscape(t)
	of := func(profile string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"later\" { input = %q }\n", profile) + l.Provider() +
			acceptance.ClusterOf(`profile = split("#", terraform_data.later.output)[0]`)
	}
	var uid string
	same := func(*terraform.State) error { return acceptance.Equal("uid", l.UID(t, "Cluster", "one"), uid) }
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{
				Config: of(testbed.WorkerProfile), ConfigPlanChecks: acceptance.EmptyAfterwards,
				Check: func(*terraform.State) error { uid = l.UID(t, "Cluster", "one"); return nil },
			}, {
				Config: of(testbed.WorkerProfile + "#again"), Check: same,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(acceptance.ClusterOne, plancheck.ResourceActionUpdate),
						plancheck.ExpectUnknownValue(acceptance.ClusterOne, tfjsonpath.New("profile")),
					},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
			}, {
				Config:      of(testbed.WorkerlessProfile),
				ExpectError: acceptance.ErrorLike(diagnose.SummaryTurnedOut, "profile", "-refresh=false"),
			}, {
				PreConfig: func() {
					if err := same(nil); err != nil {
						t.Error(err)
					}
				},
				Config: of(testbed.WorkerlessProfile),
				Check:  has(l, testbed.WorkerlessProfile, "spec", "profile"),
			},
		},
	})
}

// A provider block that leads to a platform cluster only after an apply plans the Cluster all the same.
func TestAccCluster_platformKnownLater(t *testing.T) {
	t.Parallel()
	acceptance.NewOwnLandscape(t).KnownLater(t, acceptance.ClusterOne, acceptance.ClusterOf(`purposes = ["a"]`))
}

// A destroy that runs out of time says so; the next one waits on.
func TestAccCluster_goesSlowly(t *testing.T) {
	t.Parallel()
	l := acceptance.NewOwnLandscape(t)
	config := l.Provider() + acceptance.ClusterOf(`timeouts = { delete = "12s" }`)
	provider := testbed.SharedProvider()
	provider.Set(l.Namespace, "", testbed.Course{Deletes: time.Hour})
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		CheckDestroy:             l.NoRequests,
		Steps: []resource.TestStep{
			{Config: config},
			{
				Config: config, Destroy: true,
				ExpectError: acceptance.ErrorLike(diagnose.SummaryShootStays, "until it is deleted has ended", "Its phase is In Deletion"),
			}, {
				PreConfig: func() { provider.Set(l.Namespace, "", testbed.Course{}) },
				Config:    config, Destroy: true,
			},
		},
	})
}

// A protected Cluster that another party has deleted is made again: what is gone is not protected.
func TestAccCluster_protectedAndGone(t *testing.T) {
	t.Parallel()
	l := acceptance.NewOwnLandscape(t)
	config := l.Provider() + acceptance.ClusterOf("deletion_protection = true", `wait_for = "created"`)
	var uid string
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acceptance.Factories,
		Steps: []resource.TestStep{
			{Config: config, Check: func(*terraform.State) error { uid = l.UID(t, "Cluster", "one"); return nil }},
			{
				PreConfig: func() {
					live, err := l.Live("Cluster", "one")
					if err == nil {
						err = l.Client().Delete(t.Context(), live)
					}
					for err == nil && live != nil && t.Context().Err() == nil { // its provider has a finalizer on it
						live, err = l.Live("Cluster", "one")
					}
					if err != nil {
						t.Fatal(err)
					}
				},
				Config: config,
				Check: func(*terraform.State) error {
					if now := l.UID(t, "Cluster", "one"); now == uid {
						t.Errorf("the Cluster is that of before: %s", now)
					}
					return nil
				},
			},
			{Config: l.Provider() + acceptance.ClusterOf(`wait_for = "created"`)},
		},
	})
}
