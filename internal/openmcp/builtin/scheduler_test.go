package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/requests"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/edit"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// asked is a request of the built-in scheduler for purposes that are all defined, and not dedicated.
func asked(purposes ...string) *builtin.ADRRequest {
	s := &builtin.ADRRequest{Purposes: purposes, Definitions: map[string]adr.Purpose{}}
	for _, name := range purposes {
		s.Definitions[name] = adr.Purpose{}
	}
	return s
}

// own is a purpose that no other test has: a scheduler looks at the Clusters of all namespaces.
func own(namespace string) string { return "own-" + namespace }

// grantedBy makes a request that the built-in scheduler grants.
func grantedBy(t *testing.T, p *openmcp.Platform, name string, s *builtin.ADRRequest) *api.ClusterRequest {
	t.Helper()
	r, err := tryGrant(t.Context(), p, name, s)
	if err != nil {
		t.Fatalf("granting %s: %v", name, err)
	}
	return r
}

func tryGrant(ctx context.Context, p *openmcp.Platform, name string, s *builtin.ADRRequest) (*api.ClusterRequest, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, operatorTime)
		defer cancel()
	}
	made, _, err := p.Requests.Make(ctx, builtin.Wanted{Ref: api.Ref{Namespace: p.Objects.Namespace, Name: name}, ADR: s})
	if err != nil {
		return made, err
	}
	return p.Requests.AwaitGranted(ctx, made, quiet)
}

// clusterOf reads the Cluster of a request, and what the request holds of it.
func clusterOf(t *testing.T, p *openmcp.Platform, r *api.ClusterRequest) (*api.Cluster, api.Grant) {
	t.Helper()
	c, err := p.Objects.Clusters.Get(t.Context(), *r.Status.Cluster)
	if err != nil {
		t.Fatal(err)
	}
	g, _ := api.GrantOf(c, string(r.UID))
	return c, g
}

func withdrawn(t *testing.T, p *openmcp.Platform, r *api.ClusterRequest) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), operatorTime)
	defer cancel()
	if err := p.Requests.Withdraw(ctx, r.Ref(), string(r.UID), quiet); err != nil {
		t.Fatalf("withdrawing %s: %v", r.Ref(), err)
	}
}

// Two requests share a Cluster: one gets the prefix that it proposes, the other a drawn one, because its own begins with the first (ADR
// 015). Each leaves alone, and the Cluster goes with the last.
func TestBuiltin_shared(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	foo, bar := asked(own(ns)), asked(own(ns))
	foo.Prefix, bar.Prefix = "foo-", "foo-bar-"
	a, b := grantedBy(t, p, "a", foo), grantedBy(t, p, "b", bar)
	cluster, of := clusterOf(t, p, a)
	_, second := clusterOf(t, p, b)
	if *a.Status.Cluster != *b.Status.Cluster || cluster.Spec.Tenancy != api.Shared ||
		!slices.Equal(cluster.Spec.Purposes, []string{own(ns)}) {
		t.Errorf("%v and %v, %+v", a.Status.Cluster, b.Status.Cluster, cluster.Spec)
	}
	if of.Prefix != "foo-" || of.Request != a.Ref() || !of.Recorded {
		t.Errorf("the first holds %+v", of)
	}
	if second.Prefix == "" || strings.HasPrefix(second.Prefix, "foo-") || !strings.HasSuffix(second.Prefix, "-") {
		t.Errorf("the second holds %+v", second)
	}
	condition := a.Status.Conditions[0]
	if a.Status.Phase != api.Granted || condition.Type != "Scheduled" || condition.Status != metav1.ConditionTrue ||
		condition.Reason != "NewCluster" {
		t.Errorf("status %+v", a.Status)
	}
	withdrawn(t, p, a)
	cluster, _ = clusterOf(t, p, b)
	if got := api.Tenants(cluster); !slices.Equal(got, []string{string(b.UID)}) || cluster.DeletionTimestamp != nil {
		t.Errorf("after the first the Cluster has %q, deleted %v", got, cluster.DeletionTimestamp)
	}
	if c := grantedBy(t, p, "c", foo); true {
		if _, g := clusterOf(t, p, c); g.Prefix != "foo-" {
			t.Errorf("the prefix is not free again: %+v", g)
		}
		withdrawn(t, p, c)
	}
	withdrawn(t, p, b)
	var gone *api.GoneError
	if _, err := p.Objects.Clusters.Get(t.Context(), cluster.Ref()); !errors.As(err, &gone) {
		t.Errorf("the Cluster stays: %v", err)
	}
}

// A dedicated request has its Cluster for itself: it is exclusive, has no prefix, and no purpose by which the operator would give it away.
func TestBuiltin_dedicated(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	s := asked(own(ns))
	s.Definitions[own(ns)] = adr.Purpose{Dedicated: true}
	a, b := grantedBy(t, p, "a", s), grantedBy(t, p, "b", s)
	for _, r := range []*api.ClusterRequest{a, b} {
		c, g := clusterOf(t, p, r)
		if c.Spec.Tenancy != api.Exclusive || len(c.Spec.Purposes) > 0 || g.Prefix != "" || len(api.Tenants(c)) != 1 {
			t.Errorf("%+v, %+v", c.Spec, g)
		}
	}
	if *a.Status.Cluster == *b.Status.Cluster {
		t.Errorf("both have %v", a.Status.Cluster)
	}
}

// A denial is an error with the reason, and is written into the status of the request and its condition. No Cluster is made.
func TestBuiltin_denied(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	s := asked(own(ns))
	s.Traits = []adr.Trait{{Name: "infrastructure/vendor/moon"}}
	_, err := tryGrant(t.Context(), p, "a", s)
	var denied *builtin.DeniedError
	if !errors.As(err, &denied) || denied.Reason != adr.ReasonUnsupportedTrait ||
		!strings.Contains(denied.Message, "infrastructure/vendor/moon") {
		t.Fatalf("%v", err)
	}
	r, err := p.Objects.Requests.Get(t.Context(), api.Ref{Namespace: ns, Name: "a"})
	if err != nil || r.Status.Phase != api.Denied || r.Status.Cluster != nil || r.Status.Conditions[0].Reason != "UnsupportedTrait" ||
		r.Status.Conditions[0].Status != metav1.ConditionFalse || r.Status.ObservedGeneration != r.Generation {
		t.Errorf("%+v, %v", r.Status, err)
	}
	if names := clusterNames(t, p); len(names) > 0 {
		t.Errorf("Clusters %q", names)
	}
	withdrawn(t, p, r)
}

// clusterNames are those of the namespace.
func clusterNames(t *testing.T, p *openmcp.Platform) (names []string) {
	t.Helper()
	all, err := p.Objects.Clusters.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.Namespace == p.Objects.Namespace {
			names = append(names, c.Name)
		}
	}
	return names
}

// The built-in scheduler does not run beside the operator: it would not see what that one decides.
func TestBuiltin_besideTheOperator(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	request(t, p, ns, "operators", "mcp")
	_, err := tryGrant(t.Context(), p, "a", asked(own(ns)))
	var runs *builtin.OperatorRunsError
	if !errors.As(err, &runs) || runs.Served.Name != "operators" {
		t.Fatalf("%v", err)
	}
	if names := clusterNames(t, p); len(names) != 1 {
		t.Errorf("Clusters %q", names)
	}
}

// A request keeps its grant for life, whatever else comes: a second decision writes nothing. A lost status is written again.
func TestBuiltin_decidedTwice(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	r := grantedBy(t, p, "a", asked(own(ns)))
	before, held := clusterOf(t, p, r)
	again, err := p.Requests.AwaitGranted(t.Context(), r, quiet)
	if err != nil || again.ResourceVersion != r.ResourceVersion {
		t.Errorf("the request has changed from %s to %s, %v", r.ResourceVersion, again.ResourceVersion, err)
	}
	lost := *r
	lost.Status = api.RequestStatus{}
	if again, err = p.Requests.AwaitGranted(t.Context(), &lost, quiet); err != nil || *again.Status.Cluster != *r.Status.Cluster {
		t.Errorf("without its status it gets %v, %v", again.Status.Cluster, err)
	}
	after, still := clusterOf(t, p, r)
	if still != held || len(api.Tenants(after)) != 1 || before.Generation != after.Generation {
		t.Errorf("the Cluster has changed: %+v, %+v", held, still)
	}
}

// A Cluster that was deleted under its request is made anew under its name: the API lets a request have no other.
func TestBuiltin_lostCluster(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	r := grantedBy(t, p, "a", asked(own(ns)))
	lost, _ := clusterOf(t, p, r)
	admin := testbed.Shared(t).Client()
	object := testbed.New("Cluster", lost.Namespace, lost.Name)
	if err := admin.Delete(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(operatorTime)
	for err := error(nil); err == nil && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if err = admin.Get(t.Context(), client.ObjectKeyFromObject(object), object); err == nil && len(object.GetFinalizers()) > 0 {
			object.SetFinalizers(nil) // by force
			_ = admin.Update(t.Context(), object)
		}
	}
	again, err := p.Requests.AwaitGranted(t.Context(), r, quiet)
	if err != nil {
		t.Fatal(err)
	}
	anew, held := clusterOf(t, p, again)
	if anew.Ref() != lost.Ref() || anew.UID == lost.UID || !held.Recorded {
		t.Errorf("%s (%s) in place of %s (%s), %+v", anew.Ref(), anew.UID, lost.Ref(), lost.UID, held)
	}
}

// The operator adopts what the built-in scheduler has granted: neither the Cluster nor the status of the request changes, and the operator
// takes the request down.
func TestHandOver(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	s := asked("mcp", own(ns))
	s.Prefix = "kept-"
	r := grantedBy(t, p, "a", s)
	ctx, cancel := context.WithTimeout(t.Context(), operatorTime)
	defer cancel()
	ready, err := p.Requests.AwaitCluster(ctx, *r.Status.Cluster, quiet)
	if err != nil {
		t.Fatal(err)
	}
	p.Requests.Patience = operatorTime
	over, err := p.Requests.HandOver(ctx, r)
	if err != nil || builtin.Serves(over) || api.LeftAlone(over) {
		t.Fatalf("%v, %+v", err, over)
	}
	if fmt.Sprint(over.Status) != fmt.Sprint(r.Status) {
		t.Errorf("the status is %+v, not %+v", over.Status, r.Status)
	}
	after, held := clusterOf(t, p, over)
	if after.ResourceVersion != ready.ResourceVersion {
		t.Errorf("the Cluster has changed: %+v", after)
	}
	if prefix, err := p.Requests.Prefix(ctx, over, after); err != nil || prefix != "kept-" || held.Prefix != "kept-" {
		t.Errorf("prefix %q, %v", prefix, err)
	}
	if len(clusterNames(t, p)) != 1 {
		t.Errorf("Clusters %q", clusterNames(t, p))
	}
	withdrawn(t, p, over)
	if len(clusterNames(t, p)) != 0 {
		t.Errorf("after it %q stay", clusterNames(t, p))
	}
}

// A request whose status does not say yet what it holds gets its status before it is handed over: the operator would make a second Cluster.
// One that is being deleted stays with the built-in scheduler, which alone takes it off its Cluster.
func TestHandOver_unfinished(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	made, _, err := p.Requests.Make(t.Context(), builtin.Wanted{Ref: api.Ref{Namespace: ns, Name: "a"}, ADR: asked("mcp", own(ns))})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Requests.GrantWithoutStatus(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	p.Requests.Patience = operatorTime
	over, err := p.Requests.HandOver(t.Context(), made)
	if err != nil || over.Status.Cluster == nil || len(clusterNames(t, p)) != 1 {
		t.Fatalf("%v, %+v, Clusters %q", err, over.Status, clusterNames(t, p))
	}
	leaving := *over
	now := metav1.Now()
	leaving.DeletionTimestamp = &now
	if _, err := p.Requests.HandOver(t.Context(), &leaving); err == nil || !strings.Contains(err.Error(), "is being deleted") {
		t.Errorf("%v", err)
	}
}

// Where no operator takes a request, the built-in scheduler serves it as before. A request that a handover was cut short on is taken off
// its Cluster by a destroy all the same: no scheduler has it, and it would leave the Cluster behind.
func TestHandOver_withoutAnOperator(t *testing.T) {
	t.Parallel()
	needsPlatform(t)
	cluster := testbed.Own(t)
	ns := cluster.NewNamespace(t)
	p, err := openmcp.New(cluster.Config(), ns)
	if err != nil {
		t.Fatal(err)
	}
	r := grantedBy(t, p, "a", asked("mcp"))
	p.Requests.Patience = shortTime
	back, err := p.Requests.HandOver(t.Context(), r)
	var none *requests.NoSchedulerError
	if !errors.As(err, &none) || !builtin.Serves(back) || !api.LeftAlone(back) {
		t.Fatalf("%v, %+v", err, back)
	}
	object := testbed.New("ClusterRequest", ns, "a")
	if err := cluster.Client().Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		t.Fatal(err)
	}
	if f := object.GetFinalizers(); !slices.Equal(f, back.Finalizers) || object.GetAnnotations()[api.OperationAnnotation] != api.OperationIgnore {
		t.Errorf("it is not taken back: %q, %q", f, object.GetAnnotations())
	}
	edit.Object(t, cluster.Client(), object, func(object *unstructured.Unstructured) {
		object.SetFinalizers(nil)
		object.SetAnnotations(map[string]string{"hap-project.io/request": object.GetAnnotations()["hap-project.io/request"]})
	})
	if err := p.Requests.Withdraw(t.Context(), r.Ref(), string(r.UID), quiet); err != nil {
		t.Fatal(err)
	}
	holds(t, p, 0)
}
