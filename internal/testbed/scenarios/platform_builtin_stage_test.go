package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/history/grants"
)

// builtinStage is a stage whose requests the built-in scheduler grants, with the history of what it has granted.
type builtinStage struct {
	platformStage
	history *grants.History
}

func newBuiltinStage(t *testing.T) builtinStage {
	t.Helper()
	return newBuiltinStageBehind(t, fault.ProxyOptions{})
}

func newBuiltinStageBehind(t *testing.T, options fault.ProxyOptions) builtinStage {
	t.Helper()
	s := newPlatformStage(t, options)
	s.user = s.ServiceAccount(t, s.namespace, "builtin", testbed.RoleExample(t, "platform-builtin.yaml"))
	return builtinStage{s, grants.Follow(t, s.Platform, s.namespace)}
}

// operatorsPurpose is one that the operator has too, for the handover.
const operatorsPurpose = "onboarding"

// builtinRequests writes requests that share a Cluster: their second purpose is no other test's, for the scheduler sees the Clusters of all
// namespaces. They propose the same prefix, and are made one after the other.
func (s builtinStage) builtinRequests(names ...string) (all []string) {
	for i, name := range names {
		own, after := "own-"+s.namespace, ""
		if i > 0 {
			after = "depends_on = [hap_cluster_request." + names[i-1] + "]"
		}
		all = append(all, platformResource(requestKind, name, fmt.Sprintf("name = %q", name), `prefix_proposal = "tenant-"`, after,
			"deletion_protection = false", fmt.Sprintf("purposes = [%q, %q]", operatorsPurpose, own),
			fmt.Sprintf("purpose_definitions = { %q = {}, %q = {} }", operatorsPurpose, own)))
	}
	return all
}

// operatorsRequests are the same requests after the handover.
func (s builtinStage) operatorsRequests(names ...string) (all []string) {
	for i, name := range names {
		after := ""
		if i > 0 {
			after = "depends_on = [hap_cluster_request." + names[i-1] + "]"
		}
		all = append(all, platformRequest(name, operatorsPurpose, after))
	}
	return all
}

// builtin writes a pipeline's requests for the built-in scheduler.
func (s builtinStage) builtin(t *testing.T, c platformConfiguration, names ...string) {
	t.Helper()
	c.writeWith(t, fmt.Sprintf("platform = { config_path = %q, scheduler = \"builtin\" }", c.kubeconfig), s.builtinRequests(names...)...)
}

// wantShared checks that these requests are in the states of pipelines, ready, on one Cluster, which they alone hold, and that a
// scheduler serves them, by its finalizer. It returns what each has, by address.
func (s builtinStage) wantShared(t *testing.T, finalizer string, names []string, of ...platformConfiguration) map[string]string {
	t.Helper()
	cluster, has, prefixes := s.only(t, ownKind), map[string]string{}, map[any]bool{}
	ref := fmt.Sprint(map[string]any{"namespace": cluster.GetNamespace(), "name": cluster.GetName()})
	for _, c := range of {
		state := c.State(t)
		for _, address := range state.Addresses() {
			r := state.Resource(address)
			if r.Tainted || r.Values["ready"] != true || fmt.Sprint(r.Values["cluster"]) != ref || r.Values["prefix_source"] != "granted" {
				t.Errorf("%s: tainted %t, %v", address, r.Tainted, r.Values)
			}
			prefixes[r.Values["prefix"]] = true
			has[address] = fmt.Sprint(r.Values["uid"], " ", r.Values["prefix"])
		}
	}
	if len(has) != len(names) || len(prefixes) != len(names) {
		t.Errorf("%d requests are in the states, with %v, want %d", len(has), prefixes, len(names))
	}
	live := s.live(t, requestKind)
	if held := holdersOf(cluster); len(live) != len(names) || held != len(names) {
		t.Errorf("there are %d requests, and %d hold the Cluster, want %d", len(live), held, len(names))
	}
	for _, o := range live {
		if !slices.Contains(names, o.GetName()) || !slices.Equal(o.GetFinalizers(), []string{finalizer}) {
			t.Errorf("request %s has the finalizers %q, want %s", o.GetName(), o.GetFinalizers(), finalizer)
		}
	}
	return has
}

// The finalizers by which a request says who serves it.
const (
	byBuiltin  = "hap-project.io/builtin-scheduler"
	byOperator = "clusters.openmcp.cloud/request"
)

// destroyed ends a stage: nothing is left over, and the history holds.
func (s builtinStage) destroyed(t *testing.T, of ...platformConfiguration) {
	t.Helper()
	s.wantNothing(t, "destroyed")
	for _, c := range of {
		if left := c.State(t).Addresses(); len(left) > 0 {
			t.Errorf("destroyed: the state has %v", left)
		}
	}
	s.history.MustHold(t)
}

// The writes of the built-in scheduler, in the order of a life.
func made(name string) write      { return write{"create", requestKind.resource, name} }
func answered(name string) write  { return write{"patch", requestKind.resource + "/status", name} }
func released(name string) write  { return write{"patch", requestKind.resource, name} }
func withdrawn(name string) write { return write{"delete", requestKind.resource, name} }

var (
	founded = write{"create", "clusters", ""}
	shared  = write{"patch", "clusters", ""} // a request comes to a Cluster, or leaves it
	emptied = write{"delete", "clusters", ""}
)

// holdersOf counts the requests that hold a Cluster.
func holdersOf(cluster *unstructured.Unstructured) (n int) {
	for _, f := range cluster.GetFinalizers() {
		if strings.HasPrefix(f, "request.") {
			n++
		}
	}
	return n
}
