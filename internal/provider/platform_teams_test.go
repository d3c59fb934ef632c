package provider

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	gardens "github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// teamsStages is the example of two teams, which is applied in stages.
const teamsStages = "guides/clusters-through-openmcp/teams"

// teamsLandscape is an empty platform cluster with two namespaces, and a pool with an account in each of two pools.
type teamsLandscape struct {
	stagedLandscape
	other string // the namespace of the second team
}

func newTeams(t *testing.T) teamsLandscape {
	t.Helper()
	l := teamsLandscape{stagedLandscape: newStagedLandscape(t, gardens.AccountSpec{Name: "aws-1", HyperscalerType: "aws"},
		gardens.AccountSpec{Name: "aws-eu-1", HyperscalerType: "aws", EUAccess: true})}
	l.other = l.platform.NewNamespace(t)
	for _, profile := range l.of(t, "ClusterProfile") { // only those that the configuration has published
		if err := l.platform.Client().Delete(t.Context(), &profile); err != nil {
			t.Fatal(err)
		}
	}
	folder := filepath.Join(repository(t), "examples", teamsStages)
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text := strings.NewReplacer("team-a", l.namespace, "team-b", l.other).Replace(exampleFile(t, filepath.Join(teamsStages, file.Name())))
		acceptance.WriteFile(t, l.cli, file.Name(), text)
	}
	l.set("garden_kubeconfig", l.Kubeconfig)
	l.set("project", strings.TrimPrefix(l.Name, "garden-"))
	l.become(t, "before", "platform.yaml", "platform-builtin.yaml", "platform-profiles.yaml")
	return l
}

// set gives a variable of the configuration a value.
func (l teamsLandscape) set(name, value string) { l.cli.Setenv("TF_VAR_"+name, value) }

// become has the configuration work as a user with the rights of these files in both namespaces, and nothing else.
func (l teamsLandscape) become(t *testing.T, name string, roles ...string) {
	t.Helper()
	user := l.platform.ServiceAccount(t, l.namespace, name, rolesOf(t, roles...))
	l.platform.AlsoIn(t, l.other, user, rolesOf(t, roles...))
	l.set("platform", user.Kubeconfig)
}

// read reads a file of the configuration.
func (l teamsLandscape) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(l.cli.Folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// apply applies the configuration twice: the first one is summed up so, the second one does nothing, and a plan after it is empty. Neither
// warns.
func (l teamsLandscape) apply(t *testing.T, step, sum string) {
	t.Helper()
	for _, want := range []string{sum, "0 added, 0 changed, 0 destroyed"} {
		said := acceptance.Run(t, l.cli, "apply", "-auto-approve").Output
		const warnings = 1 // the provider is the one just built
		if !strings.Contains(said, "Apply complete! Resources: "+want+".") || strings.Count(said, "Warning: ") != warnings {
			t.Errorf("%s: want %s, and no warning:\n%s", step, want, said)
		}
	}
	if again := acceptance.Run(t, l.cli, "plan").Output; !strings.Contains(again, "\nNo changes.") {
		t.Errorf("%s: a plan after it changes something:\n%s", step, again)
	}
}

// refused sees that a command is refused with each of these texts.
func (l teamsLandscape) refused(t *testing.T, command []string, texts ...string) {
	t.Helper()
	result := l.cli.Run(t, command...)
	if result.ExitCode == 0 {
		t.Fatalf("%v is not refused:\n%s", command, result.Output)
	}
	l.says(t, result, texts...)
}

// says sees that a command has said each of these texts, however it wraps them.
func (l teamsLandscape) says(t *testing.T, result cli.Result, texts ...string) {
	t.Helper()
	said := strings.Join(strings.Fields(strings.NewReplacer("│", "", "╷", "", "╵", "").Replace(result.Output)), " ")
	for _, text := range texts {
		if !strings.Contains(said, text) {
			t.Errorf("want %q in:\n%s", text, result.Output)
		}
	}
}

// there are all objects by kind, namespace and name, each with its UID; a Shoot also with its account.
func (l teamsLandscape) there(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, kind := range []string{"Cluster", "ClusterRequest", "AccessRequest", "ClusterProfile"} {
		for _, one := range l.of(t, kind) {
			all[kind+" "+one.GetNamespace()+"/"+one.GetName()] = string(one.GetUID())
		}
	}
	for name, home := range l.homes(t) {
		all["Shoot "+name] = home
	}
	return all
}

// versions are the versions of all objects of a kind: which of them were written to since.
func (l teamsLandscape) versions(t *testing.T, kind string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, one := range l.of(t, kind) {
		all[one.GetName()] = one.GetResourceVersion()
	}
	return all
}

// expectSame sees that what was there is the same, and nothing beside it.
func expectSame(t *testing.T, step string, was, is map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if is[name] != was[name] {
			t.Errorf("%s: %s was %s, and is %q", step, name, was[name], is[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if was[name] == "" {
			t.Errorf("%s: %s has come", step, name)
		}
	}
}

// spread says of each Cluster its tenancy, its purposes, and the requests that hold it.
func (l teamsLandscape) spread(t *testing.T) string {
	t.Helper()
	names := map[string]string{}
	for _, r := range l.of(t, "ClusterRequest") {
		names[string(r.GetUID())] = r.GetName()
	}
	team := strings.NewReplacer(l.namespace, "team-a", l.other, "team-b")
	var all []string
	for _, c := range l.of(t, "Cluster") {
		var holders []string
		for _, f := range c.GetFinalizers() {
			if uid, is := strings.CutPrefix(f, "request.clusters.openmcp.cloud/"); is {
				holders = append(holders, names[uid])
			}
		}
		slices.Sort(holders)
		tenancy, _, _ := unstructured.NestedString(c.Object, "spec", "tenancy")
		purposes, _, _ := unstructured.NestedStringSlice(c.Object, "spec", "purposes")
		all = append(all, fmt.Sprintf("%s %s %v: %s", team.Replace(c.GetNamespace()), tenancy, purposes, strings.Join(holders, " ")))
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// expectSpread sees which requests share which Cluster, and that each account has two of them: its limit.
func (l teamsLandscape) expectSpread(t *testing.T, step string) {
	t.Helper()
	const want = "team-a Shared [platform]: core\nteam-a Shared [workload]: blue green\n" +
		"team-b Exclusive []: customer-1\nteam-b Shared [workload]: red yellow"
	if got := l.spread(t); got != want {
		t.Errorf("%s: the Clusters are\n%s\nwant\n%s", step, got, want)
	}
	if homes := l.homes(t); len(homes) != 4 || number(homes, "aws-1") != 2 || number(homes, "aws-eu-1") != 2 {
		t.Errorf("%s: the Shoots are %v, want two on each account", step, homes)
	}
	if told := fmt.Sprint(l.cli.State(t).Outputs["accounts"]); told != "map[aws-1:2 aws-eu-1:2]" {
		t.Errorf("%s: the output is %s", step, told)
	}
}

// expectWays sees that the access to each request leads to the Cluster of that request.
func (l teamsLandscape) expectWays(t *testing.T) {
	t.Helper()
	at := map[string]string{}
	for _, r := range l.of(t, "ClusterRequest") {
		ref, _, _ := unstructured.NestedStringMap(r.Object, "status", "cluster")
		at["deploy-"+r.GetName()] = fmt.Sprint(ref)
	}
	for _, a := range l.of(t, "AccessRequest") {
		ref, _, _ := unstructured.NestedStringMap(a.Object, "spec", "clusterRef")
		if fmt.Sprint(ref) != at[a.GetName()] {
			t.Errorf("AccessRequest %s leads to %v, want %s", a.GetName(), ref, at[a.GetName()])
		}
	}
	l.expectAccess(t, len(at))
}

// expectServedBy sees which scheduler serves all requests.
func (l teamsLandscape) expectServedBy(t *testing.T, finalizer string) {
	t.Helper()
	for _, r := range l.of(t, "ClusterRequest") {
		if by := fmt.Sprint(r.GetFinalizers()); by != "["+finalizer+"]" {
			t.Errorf("request %s bears the finalizers %s, want %s", r.GetName(), by, finalizer)
		}
	}
}

// expectMetadata awaits that the Cluster of the customer has the label and the annotation of a stage, and sees that no shared one has any.
func (l teamsLandscape) expectMetadata(t *testing.T, stage string) {
	t.Helper()
	for _, c := range l.of(t, "Cluster") {
		of := func() (labels, annotations map[string]string, err error) {
			return c.GetLabels(), c.GetAnnotations(), nil
		}
		want := [2]string{"map[]", "map[]"}
		if tenancy, _, _ := unstructured.NestedString(c.Object, "spec", "tenancy"); tenancy == "Exclusive" {
			of = metadata(acceptance.PlatformLandscape{Platform: l.platform, Namespace: l.other}, c.GetName())
			want = [2]string{"map[stage:" + stage + "]", "map[contact:" + stage + "@example.com]"}
		}
		if err := metadataOf(of, want[0], want[1])(nil); err != nil {
			t.Errorf("stage %s: Cluster %s: %v", stage, c.GetName(), err)
		}
	}
}

// prefixes are the prefixes of the requests in the state.
func (l teamsLandscape) prefixes(t *testing.T) string {
	t.Helper()
	state, all := l.cli.State(t), map[string]string{}
	for _, name := range []string{"core", "blue", "green", "red", "yellow", "customer-1"} {
		all[name] = fmt.Sprint(state.Attribute(`hap_cluster_request.landscape["`+name+`"]`, "prefix"))
	}
	return fmt.Sprint(all)
}

// From an empty platform cluster: six requests of two teams spread over the accounts up to their limits, a seventh is denied, and each of
// the six gets access. The operator comes and takes all of them over: nothing is made anew, and what changes later arrives. A request that
// leaves a shared Cluster takes nothing along, and what is protected is not destroyed.
func TestAccExamples_teams(t *testing.T) {
	t.Parallel()
	l := newTeams(t)
	l.apply(t, "builtin", "17 added, 0 changed, 0 destroyed")
	l.expectSpread(t, "builtin")
	l.expectServedBy(t, "hap-project.io/builtin-scheduler")
	l.expectWays(t)
	l.expectMetadata(t, "dev")
	const prefixes = "map[blue:blue- core:core- customer-1: green:green- red:red- yellow:yellow-]"
	if got := l.prefixes(t); got != prefixes {
		t.Errorf("the prefixes are %s, want %s", got, prefixes)
	}
	first, clusters := l.there(t), l.versions(t, "Cluster")

	l.set("customers", `["customer-1", "customer-2"]`)
	full := []string{
		diagnose.SummaryDenied, "(NoAccount)", "account aws-1 is full: it has 2 clusters, and its limit is 2",
		"account aws-eu-1 is full: it has 2 clusters, and its limit is 2",
	}
	l.says(t, acceptance.Run(t, l.cli, "plan"), full...)
	expectSame(t, "the plan of a seventh request", first, l.there(t))
	l.refused(t, []string{"apply", "-auto-approve"}, full...)
	l.set("customers", `["customer-1"]`)
	l.apply(t, "without the seventh", "0 added, 0 changed, 1 destroyed")
	expectSame(t, "a seventh request", first, l.there(t))
	expectSame(t, "a seventh request, versions", clusters, l.versions(t, "Cluster"))

	l.operate(t)
	l.set("operator", "true")
	l.apply(t, "handover", "0 added, 6 changed, 0 destroyed")
	l.expectServedBy(t, "clusters.openmcp.cloud/request")
	l.expectSpread(t, "handover")
	expectSame(t, "handover", first, l.there(t))
	expectSame(t, "handover, versions", clusters, l.versions(t, "Cluster"))
	if got := l.prefixes(t); got != prefixes {
		t.Errorf("after the handover the prefixes are %s, want %s", got, prefixes)
	}

	l.become(t, "after", "platform.yaml", "platform-profiles.yaml")
	l.set("stage", "live")
	l.apply(t, "metadata", "0 added, 6 changed, 0 destroyed")
	l.expectMetadata(t, "live")
	l.expectWays(t)
	expectSame(t, "metadata", first, l.there(t))

	whole := l.read(t, "requests.tf")
	acceptance.WriteFile(t, l.cli, "requests.tf", strings.Replace(whole, "      green ", "      # green ", 1))
	l.apply(t, "without green", "0 added, 0 changed, 2 destroyed")
	left := maps.Clone(first)
	delete(left, "ClusterRequest "+l.namespace+"/green")
	delete(left, "AccessRequest "+l.namespace+"/deploy-green")
	expectSame(t, "without green", left, l.there(t))
	acceptance.WriteFile(t, l.cli, "requests.tf", whole)
	l.apply(t, "green again", "2 added, 0 changed, 0 destroyed")
	l.expectSpread(t, "green again")

	before := l.there(t)
	l.refused(t, []string{"destroy", "-auto-approve"}, "deletion_protection")
	expectSame(t, "a destroy", before, l.there(t))
	l.set("deletion_protection", "false")
	l.apply(t, "unprotected", "0 added, 6 changed, 0 destroyed")
	expectSame(t, "unprotected", before, l.there(t))
	acceptance.Run(t, l.cli, "destroy", "-auto-approve")
	l.expectNothing(t)
	for _, a := range l.ListAccounts(t) {
		if a.Labels["dirty"] != "" || a.Labels["tenantName"] != "ga-acme" {
			t.Errorf("account %s has the labels %v, and is to stay with the Global Account", a.Name, a.Labels)
		}
	}
}
