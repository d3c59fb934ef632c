package openmcp_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

const tenant = "request.clusters.openmcp.cloud/"

// madeCluster makes a Cluster.
func madeCluster(t *testing.T, p *openmcp.Platform, w clusters.Wanted) *api.Cluster {
	t.Helper()
	made, found, err := p.Clusters.Make(t.Context(), w)
	if err != nil || found {
		t.Fatalf("making %s: found %t, %v", w.Ref, found, err)
	}
	return made
}

func wantedCluster(namespace, name string, purposes ...string) clusters.Wanted {
	return clusters.Wanted{
		Ref: api.Ref{Namespace: namespace, Name: name}, Profile: testbed.WorkerProfile, Tenancy: api.Shared, Purposes: purposes,
	}
}

// The answer to the POST of a Cluster is lost: there is one Cluster, which is this run's own; one of another configuration is not touched.
func TestMakeCluster_answerLost(t *testing.T) {
	t.Parallel()
	b := newBehind(t)
	for name, lost := range map[string]fault.Fault{
		"before": fault.CutBefore(), "after": fault.CutAfter(), "gateway": fault.LoseAfter(http.StatusBadGateway),
	} {
		b.proxy.Spoil(fault.Rule{Verb: "create", Resource: "clusters", Name: name, Nth: 1, Fault: lost})
		w := wantedCluster(b.Objects.Namespace, name, "a")
		made := madeCluster(t, b.Platform, w)
		again, found, err := b.Clusters.Make(t.Context(), w)
		if err != nil || !found || again.UID != made.UID {
			t.Errorf("%s: the next run found %t, %v", name, found, err)
		}
		w.Purposes = []string{"b"}
		if _, _, err := b.Clusters.Make(t.Context(), w); !errors.As(err, new(*api.ExistsError)) {
			t.Errorf("%s: another configuration got %v", name, err)
		}
	}
}

// granted has a request hold a Cluster, as a scheduler does.
func (b behind) granted(t *testing.T, name, uid string) func() {
	t.Helper()
	return func() {
		object := testbed.New("Cluster", b.Objects.Namespace, name)
		err := b.admin.Get(context.Background(), client.ObjectKeyFromObject(object), object)
		if err == nil {
			base := object.DeepCopy()
			object.SetFinalizers(append(object.GetFinalizers(), tenant+uid))
			err = b.admin.Patch(context.Background(), object, client.MergeFrom(base))
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// A grant that comes between the read of a Cluster and its deletion keeps the Cluster, and is named; without it the Cluster goes.
func TestRemoveCluster_grantedMeanwhile(t *testing.T) {
	t.Parallel()
	b := newBehind(t)
	made := madeCluster(t, b.Platform, wantedCluster(b.Objects.Namespace, "own", "a"))
	uid := b.other(t, "late")
	b.proxy.Spoil(fault.Rule{Verb: "delete", Resource: "clusters", Name: "own", Nth: 1, Fault: fault.Do(b.granted(t, "own", uid), nil)})
	err := b.Clusters.Remove(t.Context(), made.Ref(), string(made.UID), quiet)
	held, ok := errors.AsType[*clusters.HeldError](err)
	if !ok || len(held.Holders) != 1 || held.Holders[0].Request.Name != "late" {
		t.Fatalf("it was granted meanwhile, and the deletion says %v", err)
	}
	live, err := b.Objects.Clusters.Get(t.Context(), made.Ref())
	if err != nil || live.DeletionTimestamp != nil || live.UID != made.UID {
		t.Fatalf("the Cluster is %+v, %v", live, err)
	}
	b.ungranted(t, "own")
	b.proxy.Spoil(fault.Rule{Verb: "delete", Resource: "clusters", Name: "own", Nth: 1, Fault: fault.CutAfter()})
	if err := b.Clusters.Remove(t.Context(), made.Ref(), string(made.UID), quiet); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Objects.Clusters.Get(t.Context(), made.Ref()); !errors.As(err, new(*api.GoneError)) {
		t.Errorf("the Cluster is not gone: %v", err)
	}
	if err := b.Clusters.Remove(t.Context(), made.Ref(), string(made.UID), quiet); err != nil {
		t.Errorf("one that is gone: %v", err)
	}
}

// ungranted takes all requests off a Cluster. Its provider writes at the same time.
func (b behind) ungranted(t *testing.T, name string) {
	t.Helper()
	object := testbed.New("Cluster", b.Objects.Namespace, name)
	for range 50 {
		err := b.admin.Get(t.Context(), client.ObjectKeyFromObject(object), object)
		if err == nil {
			base := object.DeepCopy()
			object.SetFinalizers(slices.DeleteFunc(object.GetFinalizers(), func(f string) bool { return strings.HasPrefix(f, tenant) }))
			err = b.admin.Patch(t.Context(), object, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
		}
		if err == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the requests do not go")
}

// A grant that comes between the read of a Cluster and a change that would take from it is seen: the change is refused. One that takes
// nothing goes through, on the Cluster as it is then.
func TestChangeCluster_grantedMeanwhile(t *testing.T) {
	t.Parallel()
	b := newBehind(t)
	w := wantedCluster(b.Objects.Namespace, "own", "a", "b")
	made := madeCluster(t, b.Platform, w)
	b.proxy.Spoil(fault.Rule{Verb: "patch", Resource: "clusters", Name: "own", Nth: 1, Fault: fault.Do(b.granted(t, "own", "u1"), nil)})
	less := w
	less.Purposes = []string{"a"}
	_, err := b.Clusters.Change(t.Context(), string(made.UID), less, w)
	held, ok := errors.AsType[*clusters.HeldError](err)
	if !ok || held.Attribute != "purposes" || held.Holders[0].UID != "u1" {
		t.Fatalf("it was granted meanwhile, and the change says %v", err)
	}
	b.proxy.Spoil(fault.Rule{Verb: "patch", Resource: "clusters", Name: "own", Nth: 1, Fault: fault.CutAfter()})
	more := w
	more.Purposes, more.Labels = []string{"a", "b", "c"}, map[string]string{"x": "y"}
	changed, err := b.Clusters.Change(t.Context(), string(made.UID), more, w)
	if err != nil || !slices.Equal(changed.Spec.Purposes, more.Purposes) || changed.Labels["x"] != "y" || len(api.Grants(changed)) != 1 {
		t.Errorf("%+v, %v", changed, err)
	}
	if _, err := b.Clusters.Change(t.Context(), "another", more, w); !errors.As(err, new(*api.GoneError)) {
		t.Errorf("another UID: %v", err)
	}
	b.ungranted(t, "own")
}

// A wait for a Cluster whose spec was changed does not take the readiness of before for that of now; a Cluster that is replaced by another
// under the wait is gone.
func TestAwaitReady(t *testing.T) {
	t.Parallel()
	b := newBehind(t)
	w := wantedCluster(b.Objects.Namespace, "own", "a")
	made := madeCluster(t, b.Platform, w)
	ctx, cancel := context.WithTimeout(t.Context(), operatorTime)
	defer cancel()
	if ready, err := b.Clusters.AwaitReady(ctx, made, quiet); err != nil || !api.IsReady(ready) {
		t.Fatalf("%+v, %v", ready, err)
	}
	testbed.SharedProvider().Set(b.Objects.Namespace, "own", testbed.Course{Never: true, Says: "the quota is used up"})
	more := w
	more.Version = "1.33.4"
	changed, err := b.Clusters.Change(ctx, string(made.UID), more, w)
	if err != nil {
		t.Fatal(err)
	}
	short, stop := context.WithTimeout(ctx, shortTime)
	defer stop()
	last, err := b.Clusters.AwaitReady(short, changed, quiet)
	wait, ok := errors.AsType[*api.WaitError](err)
	if !ok || last.Generation < changed.Generation || !strings.Contains(wait.Error(), "the quota is used up") {
		t.Errorf("the wait ends with %v", err)
	}
	gone := &api.Cluster{ObjectMeta: metav1.ObjectMeta{Namespace: b.Objects.Namespace, Name: "own", UID: "another"}}
	if _, err = b.Clusters.AwaitReady(ctx, gone, quiet); !errors.As(err, new(*api.GoneError)) {
		t.Errorf("another Cluster has the name: %v", err)
	}
}
