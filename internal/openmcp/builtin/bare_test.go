package builtin_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/edit"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// Another party takes finalizers of requests off the Cluster that they share. One of them is destroyed: the Cluster stays for the other,
// which lives and was granted it, with its record. No other request gets the prefix of that one meanwhile. Then the other is granted the
// Cluster again, or not; the Cluster goes with it.
func TestBuiltin_finalizersTakenOffShared(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		off   func(leaves, stays *api.ClusterRequest) []*api.ClusterRequest // none = all
		apply bool                                                          // the one that stays is granted again before it goes
	}{
		"all":               {func(_, _ *api.ClusterRequest) []*api.ClusterRequest { return nil }, true},
		"all, no apply":     {func(_, _ *api.ClusterRequest) []*api.ClusterRequest { return nil }, false},
		"other's":           {func(_, s *api.ClusterRequest) []*api.ClusterRequest { return []*api.ClusterRequest{s} }, true},
		"other's, no apply": {func(_, s *api.ClusterRequest) []*api.ClusterRequest { return []*api.ClusterRequest{s} }, false},
		"its own":           {func(l, _ *api.ClusterRequest) []*api.ClusterRequest { return []*api.ClusterRequest{l} }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, ns := platform(t)
			proposed := asked(own(ns))
			proposed.Prefix = "foo-"
			stays, leaves := grantedBy(t, p, "stays", proposed), grantedBy(t, p, "leaves", asked(own(ns)))
			c, _ := clusterOf(t, p, stays)
			takeOff(t, c, test.off(leaves, stays)...)
			if ends, err := p.Requests.LastHold(t.Context(), leaves, nothing); ends != nil || err != nil {
				t.Errorf("it says that %v ends, %v", ends, err)
			}
			both := func(uid string) bool { return uid == string(stays.UID) || uid == string(leaves.UID) }
			if ends, err := p.Requests.LastHold(t.Context(), leaves, both); ends == nil || err != nil {
				t.Errorf("it does not say that it ends with both, %v", err)
			}
			withdrawn(t, p, leaves)
			live, _ := clusterOf(t, p, stays)
			if live.UID != c.UID || live.DeletionTimestamp != nil || live.Annotations["grant.hap-project.io/"+string(stays.UID)] == "" ||
				live.Annotations["grant.hap-project.io/"+string(leaves.UID)] != "" {
				t.Fatalf("the Cluster is %s, not %s, deleted %v, annotations %q", live.UID, c.UID, live.DeletionTimestamp, live.Annotations)
			}
			third := grantedBy(t, p, "third", proposed)
			if _, held := clusterOf(t, p, third); held.Prefix == "foo-" || held.Prefix == "" {
				t.Errorf("another request holds %+v", held)
			}
			withdrawn(t, p, third)
			if test.apply {
				again, err := p.Requests.AwaitGranted(t.Context(), stays, quiet)
				if err != nil {
					t.Fatal(err)
				}
				if same, held := clusterOf(t, p, again); same.UID != c.UID || held.Prefix != "foo-" {
					t.Errorf("%s in place of %s, %+v", same.UID, c.UID, held)
				}
			}
			next, _ := process(t, ns, 0, false) // what the first has seen is kept for all of its refresh
			if ends, err := next.Requests.LastHold(t.Context(), stays, nothing); ends == nil || err != nil {
				t.Errorf("it does not say that it ends, %v", err)
			}
			withdrawn(t, p, stays)
			awaitNoClusters(t, p)
		})
	}
}

// forbidding refuses what lies in a namespace that the rights do not reach.
type forbidding struct {
	next      http.RoundTripper
	namespace string
}

func (f forbidding) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.Contains(r.URL.Path, "/namespaces/"+f.namespace+"/") {
		return f.next.RoundTrip(r)
	}
	return &http.Response{
		StatusCode: http.StatusForbidden, Request: r, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}`)),
	}, nil
}

// A Cluster bears the record of a request that does not hold it: it goes with its last request where that one is gone, and stays where it
// cannot be read whether it lives.
func TestBuiltin_recordOfAnother(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		record string
		stays  bool
	}{
		"gone":       {`{"request":{"namespace":"default","name":"gone"},"prefix":"gone-"}`, false},
		"forbidden":  {`{"request":{"namespace":"elsewhere","name":"other"},"prefix":"other-"}`, true},
		"unreadable": {"?", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			needsPlatform(t)
			ns := testbed.Shared(t).NewNamespace(t)
			config := rest.CopyConfig(testbed.Shared(t).Config())
			config.Wrap(func(next http.RoundTripper) http.RoundTripper { return forbidding{next, "elsewhere"} })
			p, err := openmcp.New(config, ns)
			if err != nil {
				t.Fatal(err)
			}
			r := grantedBy(t, p, "one", asked(own(ns)))
			c, _ := clusterOf(t, p, r)
			patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"annotations":{"grant.hap-project.io/u":%q}}}`, test.record))
			if err := testbed.Shared(t).Client().Patch(t.Context(), testbed.New("Cluster", ns, c.Name), patch); err != nil {
				t.Fatal(err)
			}
			ends, err := p.Requests.LastHold(t.Context(), r, nothing)
			if err != nil || (ends == nil) != test.stays {
				t.Errorf("it says that %v ends, %v", ends, err)
			}
			withdrawn(t, p, r)
			if !test.stays {
				awaitNoClusters(t, p)
				return
			}
			live, err := p.Objects.Clusters.Get(t.Context(), c.Ref())
			if err != nil || live.DeletionTimestamp != nil || len(api.Tenants(live)) > 0 || live.Annotations["grant.hap-project.io/u"] != test.record {
				t.Errorf("the Cluster is %+v, %v", live, err)
			}
		})
	}
}

func nothing(string) bool { return false }

// The Cluster of a request is gone, and one that does not fit has its name: preview and apply deny the request, and say that it stays
// denied. That Cluster was never granted to it, and stays after its destroy. Once it is gone, both say that a Cluster of the name is made
// anew, also where another name would be free.
func TestBuiltin_nameTaken(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	admin := testbed.Shared(t).Client()
	s := asked(own(ns))
	s.Definitions[own(ns)] = adr.Purpose{Dedicated: true}
	w := builtin.Wanted{Ref: api.Ref{Namespace: ns, Name: "one"}, ADR: s}
	first, err := p.Requests.PreviewADR(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	foreign := func(name, tenancy string) *api.Cluster {
		t.Helper()
		object := testbed.New("Cluster", ns, name)
		object.SetLabels(map[string]string{api.DeletedWithoutRequests: "true"})
		object.Object["spec"] = map[string]any{"profile": testbed.WorkerlessProfile, "tenancy": tenancy, "purposes": []any{"foreign-" + ns}}
		if err := admin.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
		c, err := p.Objects.Clusters.Get(t.Context(), api.Ref{Namespace: ns, Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	lose := func(of api.Ref) {
		t.Helper()
		object, gone := testbed.New("Cluster", of.Namespace, of.Name), new(*api.GoneError)
		_ = admin.Delete(t.Context(), object)
		for deadline := time.Now().Add(operatorTime); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			if _, err := p.Objects.Clusters.Get(t.Context(), of); errors.As(err, gone) {
				return
			}
			if admin.Get(t.Context(), client.ObjectKeyFromObject(object), object) == nil && len(object.GetFinalizers()) > 0 {
				object.SetFinalizers(nil) // by force
				_ = admin.Update(t.Context(), object)
			}
		}
		t.Fatalf("Cluster %s stays", of)
	}
	occupant := foreign(first.Cluster.Name, "Shared")
	r := grantedBy(t, p, "one", s)
	name := *r.Status.Cluster
	lose(occupant.Ref())
	lose(name)
	preview := func(action clusters.Action, reason clusters.Reason) {
		t.Helper()
		d, err := p.Requests.PreviewADR(t.Context(), w)
		if err != nil || d.Action != action || d.Reason != reason || action != clusters.Deny && api.Ref(d.Cluster) != name {
			t.Errorf("the preview says %s %s %v, %v", d.Action, d.Reason, d.Cluster, err)
		}
	}
	preview(clusters.Create, clusters.ReasonNew)
	for _, tenancy := range []string{"Shared", "Exclusive"} {
		foreign(name.Name, tenancy)
		preview(clusters.Deny, builtin.ReasonNameTaken)
		r, err = p.Requests.AwaitGranted(t.Context(), r, quiet)
		var denied *builtin.DeniedError
		if !errors.As(err, &denied) || denied.Reason != builtin.ReasonNameTaken || !strings.Contains(denied.Message, "Passed over is "+name.String()) {
			t.Errorf("beside a %s one the apply says %v", tenancy, err)
		}
		lose(name)
		preview(clusters.Create, clusters.ReasonNew)
	}
	if again, err := p.Requests.AwaitGranted(t.Context(), r, quiet); err != nil || *again.Status.Cluster != name {
		t.Fatalf("it is granted %+v, %v", again.Status, err)
	}
	lose(name)
	other := foreign(name.Name, "Exclusive")
	withdrawn(t, p, r)
	if c, err := p.Objects.Clusters.Get(t.Context(), name); err != nil || c.UID != other.UID || c.DeletionTimestamp != nil {
		t.Errorf("the Cluster of another party is gone: %v, %v; Clusters %q", c, err, slices.Sorted(slices.Values(clusterNames(t, p))))
	}
}

// A person removes a request by force: its Cluster, with what runs there, stays. Neither a request that has another Cluster nor one that
// shares it takes it down when it is destroyed: no plan has said so.
func TestBuiltin_removedByForce(t *testing.T) {
	t.Parallel()
	for name, shares := range map[string]bool{"beside": false, "shared": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, ns := platform(t)
			proposed := asked(own(ns))
			removed := grantedBy(t, p, "removed", proposed)
			c, _ := clusterOf(t, p, removed)
			if !shares {
				proposed = asked("other-" + ns)
			}
			leaves := grantedBy(t, p, "leaves", proposed)
			if other, _ := clusterOf(t, p, leaves); (other.UID == c.UID) != shares {
				t.Fatalf("the other request is on Cluster %s, and this one is %s", other.Ref(), c.Ref())
			}
			admin, object := testbed.Shared(t).Client(), testbed.New("ClusterRequest", removed.Namespace, removed.Name)
			edit.Object(t, admin, object, func(object *unstructured.Unstructured) { object.SetFinalizers(nil) })
			if err := admin.Delete(t.Context(), object); err != nil {
				t.Fatal(err)
			}
			later, _ := process(t, ns, 0, false) // which has no list of before
			withdrawn(t, later, leaves)
			live, err := p.Objects.Clusters.Get(t.Context(), c.Ref())
			if err != nil || live.UID != c.UID || live.DeletionTimestamp != nil {
				t.Fatalf("the Cluster of the request that was removed by force: %+v, %v", live, err)
			}
			if g, held := api.GrantOf(live, string(removed.UID)); !held || !g.Recorded {
				t.Errorf("its grant is gone: %+v", live.ObjectMeta)
			}
		})
	}
}
