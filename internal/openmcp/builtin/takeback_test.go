package builtin_test

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/edit"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// A handover is killed when the request has left the built-in scheduler, and no operator takes the request: the built-in scheduler serves it
// again, granted or not, in an update and where a create finds it. It does not where the operator has taken the request, or another of the
// namespace.
func TestTakeBack(t *testing.T) {
	t.Parallel()
	needsPlatform(t)
	cluster := testbed.Own(t)
	ns := cluster.NewNamespace(t)
	p, err := openmcp.New(cluster.Config(), ns)
	if err != nil {
		t.Fatal(err)
	}
	bearing := func(name string, finalizers ...string) *api.ClusterRequest {
		t.Helper()
		edit.Object(t, cluster.Client(), testbed.New("ClusterRequest", ns, name), func(object *unstructured.Unstructured) {
			object.SetFinalizers(finalizers)
			annotations := object.GetAnnotations()
			delete(annotations, api.OperationAnnotation)
			object.SetAnnotations(annotations)
		})
		r, err := p.Objects.Requests.Get(t.Context(), api.Ref{Namespace: ns, Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	granted := grantedBy(t, p, "granted", asked(own(ns)))
	_, held := clusterOf(t, p, granted)
	wanted := builtin.Wanted{Ref: api.Ref{Namespace: ns, Name: "pending"}, ADR: asked(own(ns))}
	pending, _, err := p.Requests.Make(t.Context(), wanted)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*api.ClusterRequest{granted, pending} {
		left := bearing(r.Name)
		back, err := p.Requests.TakeBack(t.Context(), left)
		if err != nil || !builtin.IsUnserved(left) || !builtin.Serves(back) || !api.LeftAlone(back) {
			t.Fatalf("%s: %v, %+v", r.Name, err, back)
		}
		again, err := p.Requests.AwaitGranted(t.Context(), back, quiet)
		if err != nil || *again.Status.Cluster != *granted.Status.Cluster {
			t.Errorf("%s: %v, %+v", r.Name, err, again.Status)
		}
	}
	if _, now := clusterOf(t, p, granted); now != held {
		t.Errorf("%+v in place of %+v", now, held)
	}
	bearing("pending")
	if found, was, err := p.Requests.Make(t.Context(), wanted); err != nil || !was || !builtin.Serves(found) {
		t.Errorf("found %t: %+v, %v", was, found, err)
	}
	const operators = "clusters.openmcp.cloud/request"
	left := bearing("granted")
	for _, served := range []string{"pending", "granted"} {
		bearing(served, operators)
		next, err := openmcp.New(cluster.Config(), ns) // the list of a refresh serves all of a run
		if err == nil {
			_, err = next.Requests.TakeBack(t.Context(), left)
		}
		if runs, ok := errors.AsType[*builtin.OperatorRunsError](err); !ok || runs.Served.Name != served {
			t.Errorf("the operator serves %s: %v", served, err)
		}
		bearing(served)
	}
	withdrawn(t, p, granted)
	withdrawn(t, p, pending)
	holds(t, p, 0)
}
