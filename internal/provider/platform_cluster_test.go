package provider

import (
	"context"
	"fmt"
	"maps"
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
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	gardens "github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/inprocess"
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
	for _, a := range unprotected(attributes) {
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

// has checks a value of the Cluster one; empty = there is none.
func (l platformLandscape) has(want string, at ...string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		object, err := l.live("Cluster", "one")
		if err != nil || object == nil {
			return fmt.Errorf("the Cluster is %v, %w", object, err)
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
					l.has("[platform mcp]", "spec", "purposes"), l.has("Exclusive", "spec", "tenancy"),
					l.has("1.33.4", "spec", "kubernetes", "version"), l.has("live", "metadata", "labels", "stage"),
					l.has("[map[name:small] map[name:private]]", "spec", "clusterConfigs"),
					l.has("me", "metadata", "annotations", "owner"),
				),
			}, {
				Config:           l.provider() + clusterOf(),
				ConfigPlanChecks: emptyAfterwards,
				Check: resource.ComposeTestCheckFunc(
					l.has("", "spec", "purposes"), l.has("", "spec", "kubernetes"),
					l.has("", "spec", "clusterConfigs"), l.has("", "metadata", "labels", "stage"),
					l.has("", "metadata", "annotations", "owner"),
				),
			}, {
				Config: l.provider() + clusterOf(fmt.Sprintf("profile = %q", testbed.WorkerProfile), `wait_for = "created"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(clusterOne, plancheck.ResourceActionDestroyBeforeCreate)},
				},
				Check: l.has(testbed.WorkerProfile, "spec", "profile"),
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
	inprocess.Test(t, resource.TestCase{
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

// An import takes the whole spec over, by ID and by identity, and changes nothing; what others have added stays theirs.
func TestAccCluster_imported(t *testing.T) {
	t.Parallel()
	l := newOwnLandscape(t)
	object := testbed.New("Cluster", l.namespace, "one")
	object.SetLabels(map[string]string{"other": "party"})
	object.Object["spec"] = map[string]any{
		"profile": testbed.WorkerProfile, "tenancy": "Shared", "purposes": []any{"b", "a", "b"}, "kubernetes": map[string]any{"version": "1.33.4"},
		"clusterConfigs": []any{map[string]any{"name": "small"}},
	}
	if err := l.Client().Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	config := l.provider() + clusterOf(fmt.Sprintf("profile = %q", testbed.WorkerProfile), `tenancy = "Shared"`, `purposes = ["a", "b"]`,
		`kubernetes_version = "1.33.4"`, `cluster_config_refs = ["small"]`)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{
				Config:      l.provider() + clusterOf(fmt.Sprintf("profile = %q", testbed.WorkerProfile)),
				ExpectError: errorLike(diagnose.SummaryShootExists, "there is a Cluster "+l.namespace+"/one already", `import block with the id`),
			}, {
				Config:           config + fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", clusterOne, l.namespace+"/one"),
				ConfigPlanChecks: emptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{
					clusterValue("uid", knownvalue.StringExact(string(object.GetUID()))), clusterValue("labels", knownvalue.Null()),
				},
				Check: l.has("[b a b]", "spec", "purposes"),
			}, {
				ResourceName: clusterOne, ImportState: true, ImportStateId: l.namespace + "/one", ImportStateVerify: true,
				ImportStateVerifyIgnore: []string{"timeouts", "deletion_protection"},
			}, {
				Config: config + "import {\n  to = hap_cluster.none\n  id = \"none\"\n}\n" +
					strings.NewReplacer(`"one" {`, `"none" {`, `name = "one"`, `name = "none"`).Replace(clusterOf()),
				ExpectError: errorLike(diagnose.SummaryImportMissing, "there is no Cluster "+l.namespace+"/none", "The import ID is <namespace>/<name>"),
			},
		},
	})
}

// A Cluster is imported by its identity, where the program can do that.
func TestAccCluster_byIdentity(t *testing.T) {
	t.Parallel()
	l := newOwnLandscape(t)
	config := l.provider() + clusterOf(fmt.Sprintf("profile = %q", testbed.WorkerProfile), "deletion_protection = true")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{Config: config},
			{Config: config, ResourceName: clusterOne, ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
			{Config: l.provider() + clusterOf(fmt.Sprintf("profile = %q", testbed.WorkerProfile))},
		},
	})
}

// A Cluster that is slow is kept: a warning, then an update in place that waits on.
func TestAccCluster_slow(t *testing.T) {
	t.Parallel()
	l := newOwnLandscape(t)
	provider := testbed.SharedProvider()
	provider.Set(l.namespace, "", testbed.Course{Never: true, Says: "the quota is used up"})
	slow := clusterOf(`timeouts = { create = "5s", update = "5s" }`)
	guarded := strings.Replace(slow, "{\n", "{\n  lifecycle {\n    postcondition {\n      condition = self.ready\n      "+
		"error_message = \"not ready yet\"\n    }\n  }\n", 1)
	var uid string
	same := func(*terraform.State) error { return equal("uid", l.uid(t, "Cluster", "one"), uid) }
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{Config: l.provider() + guarded, ExpectError: regexp.MustCompile("not ready yet")},
			{
				PreConfig: func() { uid = l.uid(t, "Cluster", "one") },
				Config:    l.provider() + slow,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(clusterOne, plancheck.ResourceActionUpdate),
						plancheck.ExpectUnknownValue(clusterOne, tfjsonpath.New("ready")),
					},
				},
				ExpectNonEmptyPlan: true,
				ConfigStateChecks: []statecheck.StateCheck{
					clusterValue("ready", knownvalue.Bool(false)), clusterValue("phase", knownvalue.StringExact("Not Ready")),
					clusterValue("conditions", knownvalue.MapExact(map[string]knownvalue.Check{"ShootReady": knownvalue.StringExact("False")})),
				},
				Check: same,
			}, {
				Config:           l.provider() + clusterOf(`wait_for = "created"`), // nothing is waited for
				ConfigPlanChecks: emptyAfterwards,
			}, {
				PreConfig:         func() { provider.Set(l.namespace, "", testbed.Course{}) },
				Config:            l.provider() + clusterOf(),
				ConfigPlanChecks:  emptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{clusterValue("ready", knownvalue.Bool(true))},
				Check:             same,
			},
		},
	})
}

// A Cluster that a run has made which was cut short is taken into the state.
func TestAccCluster_adopted(t *testing.T) {
	t.Parallel()
	l := newOwnLandscape(t)
	platform, err := openmcp.New(l.Config(), l.namespace)
	if err != nil {
		t.Fatal(err)
	}
	made, _, err := platform.Clusters.Make(t.Context(), clusters.Wanted{
		Ref: api.Ref{Namespace: l.namespace, Name: "one"}, Profile: testbed.WorkerlessProfile, Tenancy: api.Exclusive,
		Purposes: []string{"a", "b"}, Labels: map[string]string{}, Annotations: map[string]string{},
	})
	if err != nil {
		t.Fatal(err)
	}
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{Config: l.provider() + clusterOf(`purposes = ["a"]`), ExpectError: errorLike(diagnose.SummaryShootExists, "mark of this very")},
			{
				Config:            l.provider() + clusterOf(`purposes = ["b", "a"]`),
				ConfigPlanChecks:  emptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{clusterValue("uid", knownvalue.StringExact(string(made.UID)))},
			},
		},
	})
}

// What the operator or the server would answer by taking the Cluster away is refused before anything is written, at its attribute.
func TestAccCluster_refused(t *testing.T) {
	t.Parallel()
	l := newOwnLandscape(t)
	t.Cleanup(func() {
		if err := l.noRequests(nil); err != nil {
			t.Error(err)
		}
	})
	with := func(attribute string) string { return l.provider() + clusterOf(attribute) }
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
			errorLike(diagnose.SummaryReservedKey, "deletes the Cluster behind its last request")},
		"the provider's label": {with(`labels = { "clusters.openmcp.cloud/k8sversion" = "1.33.4" }`), false,
			errorLike(diagnose.SummaryReservedKey, "clusters.openmcp.cloud/k8sversion is written by")},
		"a grant": {with(`annotations = { "grant.hap-project.io/uid" = "{}" }`), false,
			errorLike(diagnose.SummaryReservedKey, "grant.hap-project.io/uid is written by")},
		"the mark": {with(`annotations = { "hap-project.io/made-by" = "me" }`), false,
			errorLike(diagnose.SummaryReservedKey, "hap-project.io/made-by is written by")},
		"twice": {l.provider() + clusterOf() + strings.Replace(clusterOf(), `"one" {`, `"two" {`, 1), false,
			errorLike(diagnose.SummaryShootTwice, l.namespace+"/one stands twice")},
		"no platform": {"provider \"hap\" {\n}\n" + clusterOf(), false,
			errorLike(diagnose.SummaryNoPlatform, "Planning Cluster one: the provider block has no platform")},
		"no rights": {newPlatformLandscape(t).as(t, "platform.yaml") + clusterOf(), true,
			errorLike(diagnose.SummaryPlatformForbidden, `Grant the verb "create" on clusters`, "platform-clusters.yaml")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inprocess.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: factories,
				Steps:                    []resource.TestStep{{Config: test.config, PlanOnly: !test.applies, ExpectError: test.want}},
			})
		})
	}
}

// as is the provider block of a user with the rights of a file.
func (l platformLandscape) as(t *testing.T, roles string) string {
	t.Helper()
	l.kubeconfig = l.ServiceAccount(t, l.namespace, "other", gardens.RoleExample(t, roles)).Kubeconfig
	return l.provider()
}

// What others change of what the configuration names is drift; what they add is not. A Cluster that is gone leaves the state, and the next
// apply makes it again.
func TestAccCluster_drift(t *testing.T) {
	t.Parallel()
	l := newOwnLandscape(t)
	config := l.provider() + clusterOf(`purposes = ["a", "b"]`, `tenancy = "Shared"`, `kubernetes_version = "1.33.4"`, `labels = { stage = "dev" }`)
	edit := func(change func(*unstructured.Unstructured)) func() {
		return func() {
			object, err := l.live("Cluster", "one")
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
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
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
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(clusterOne, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: resource.ComposeTestCheckFunc(
					l.has("[theirs b a]", "spec", "purposes"), l.has("Shared", "spec", "tenancy"),
					l.has("1.33.4", "spec", "kubernetes", "version"),
					l.has("[map[name:theirs]]", "spec", "clusterConfigs"),
				),
			}, {
				PreConfig: func() { l.loseCluster(t, "one") },
				Config:    config,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(clusterOne, plancheck.ResourceActionCreate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
			},
		},
	})
}

// A profile that no ClusterProfile has is told at plan, and again where the Cluster is not ready; not where this plan makes what publishes it.
// A Cluster that a run has left which was cut short is told when it is taken.
func TestAccCluster_warnings(t *testing.T) {
	t.Parallel()
	l := newOwnLandscape(t)
	testbed.SharedProvider().Set(l.namespace, "", testbed.Course{Never: true, Says: "there is no such profile"})
	c := cli.New(t)
	block := "terraform {\n  required_providers {\n    hap = { source = \"hap-project/hap\" }\n  }\n}\n" + l.provider()
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
	typo := clusterOf(`profile = "test.gardener.typo"`, `timeouts = { create = "5s" }`)
	says(typo, true, unknown, "plan")
	says(clusterOf(), false, "No ClusterProfile", "plan")
	says(typo, true, unknown, "apply", "-auto-approve")
	says(typo, true, "there is no such profile", "apply", "-auto-approve", "-replace="+clusterOne)
	says("", false, "Error", "destroy", "-auto-approve")

	platform, err := openmcp.New(l.Config(), l.namespace)
	if err == nil {
		_, _, err = platform.Clusters.Make(t.Context(), clusters.Wanted{
			Ref: api.Ref{Namespace: l.namespace, Name: "one"}, Profile: testbed.WorkerlessProfile, Tenancy: api.Exclusive,
			Labels: map[string]string{}, Annotations: map[string]string{},
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	says(clusterOf(`wait_for = "created"`), true, "a run that was cut short has left it", "apply", "-auto-approve")
	says("", false, "Error", "destroy", "-auto-approve")
	if err := l.noRequests(nil); err != nil {
		t.Error(err)
	}
}

// A user who may not list requests reads who holds a Cluster by their UIDs; those of the built-in scheduler are told with their names. An
// apply refuses a grant that its plan could not see.
func TestAccCluster_holders(t *testing.T) {
	t.Parallel()
	l := newOwnLandscape(t)
	config := l.provider() + clusterOf(`purposes = ["a"]`, `tenancy = "Shared"`)
	hold := func() {
		ctx := context.Background()
		for {
			object, err := l.live("Cluster", "one")
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
		if cluster, _ := l.live("Cluster", "one"); cluster != nil {
			l.loseCluster(t, "one")
		}
	})
	first, second := tfjsonpath.New("requests").AtSliceIndex(0), tfjsonpath.New("requests").AtSliceIndex(1)
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []resource.TestStep{
			{Config: config},
			{
				PreConfig: hold, Config: config, ConfigPlanChecks: emptyAfterwards,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(clusterOne, first, knownvalue.ObjectExact(map[string]knownvalue.Check{
						"namespace": knownvalue.Null(), "name": knownvalue.Null(), "uid": knownvalue.StringExact("u1"), "prefix": knownvalue.Null(),
					})),
					statecheck.ExpectKnownValue(clusterOne, second, knownvalue.ObjectExact(map[string]knownvalue.Check{
						"namespace": knownvalue.StringExact("n"), "name": knownvalue.StringExact("r"), "uid": knownvalue.StringExact("u2"),
						"prefix": knownvalue.StringExact("foo-"),
					})),
				},
			}, {
				Config: l.provider(), PlanOnly: true,
				ExpectError: errorLike(diagnose.SummaryClusterHeld, "one with the UID u1, n/r"),
			}, {
				Config: "resource \"terraform_data\" \"later\" { input = \"b\" }\n" +
					l.provider() + clusterOf(`purposes = [terraform_data.later.output]`, `tenancy = "Shared"`),
				ExpectError: errorLike(diagnose.SummaryClusterHeld, `its purposes cannot lose ["a"]`),
			}, {
				PreConfig: func() { l.loseCluster(t, "one") },
				Config:    l.provider() + "# gone\n",
			},
		},
	})
}

// A profile that is known only after an apply replaces nothing: where it turns out to be the same nothing happens, and another one
// stops the apply before it touches the Cluster.
func TestAccCluster_profileKnownLater(t *testing.T) {
	t.Parallel()
	l := newOwnLandscape(t)
	of := func(profile string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"later\" { input = %q }\n", profile) + l.provider() +
			clusterOf(`profile = split("#", terraform_data.later.output)[0]`)
	}
	var uid string
	same := func(*terraform.State) error { return equal("uid", l.uid(t, "Cluster", "one"), uid) }
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{
				Config: of(testbed.WorkerProfile), ConfigPlanChecks: emptyAfterwards,
				Check: func(*terraform.State) error { uid = l.uid(t, "Cluster", "one"); return nil },
			}, {
				Config: of(testbed.WorkerProfile + "#again"), Check: same,
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(clusterOne, plancheck.ResourceActionUpdate),
						plancheck.ExpectUnknownValue(clusterOne, tfjsonpath.New("profile")),
					},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
			}, {
				Config:      of(testbed.WorkerlessProfile),
				ExpectError: errorLike(diagnose.SummaryTurnedOut, "profile", "-refresh=false"),
			}, {
				PreConfig: func() {
					if err := same(nil); err != nil {
						t.Error(err)
					}
				},
				Config: of(testbed.WorkerlessProfile),
				Check:  l.has(testbed.WorkerlessProfile, "spec", "profile"),
			},
		},
	})
}

// A provider block that leads to a platform cluster only after an apply plans the Cluster all the same.
func TestAccCluster_platformKnownLater(t *testing.T) {
	t.Parallel()
	l := newOwnLandscape(t)
	config := fmt.Sprintf("resource \"terraform_data\" \"kubeconfig\" { input = %q }\n", l.kubeconfig) +
		"provider \"hap\" { platform = { config_path = terraform_data.kubeconfig.output } }\n" + clusterOf(`purposes = ["a"]`)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{{
			Config: config,
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply:             []plancheck.PlanCheck{plancheck.ExpectUnknownValue(clusterOne, tfjsonpath.New("namespace"))},
				PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
			},
		}},
	})
}

// A destroy that runs out of time says so; the next one waits on.
func TestAccCluster_goesSlowly(t *testing.T) {
	t.Parallel()
	l := newOwnLandscape(t)
	config := l.provider() + clusterOf(`timeouts = { delete = "5s" }`)
	provider := testbed.SharedProvider()
	provider.Set(l.namespace, "", testbed.Course{Deletes: time.Hour})
	inprocess.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: factories,
		CheckDestroy:             l.noRequests,
		Steps: []resource.TestStep{
			{Config: config},
			{
				Config: config, Destroy: true,
				ExpectError: errorLike(diagnose.SummaryShootStays, "until it is deleted has ended", "Its phase is In Deletion"),
			}, {
				PreConfig: func() { provider.Set(l.namespace, "", testbed.Course{}) },
				Config:    config, Destroy: true,
			},
		},
	})
}
