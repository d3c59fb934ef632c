package access_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/access"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/apiserver"
)

// served is a platform cluster in memory without an operator, with a Cluster that a request of land holds.
type served struct {
	*api.Objects
	*access.Accesses
}

var (
	heldCluster = api.Ref{Namespace: "land", Name: "c"}
	holder      = api.Ref{Namespace: "land", Name: "r"}
	idle        = api.Ref{Namespace: "land", Name: "idle"}
)

func newServed(t *testing.T) served {
	t.Helper()
	return newServedBy(t, apiserver.New(apiserver.OpenMCP()...))
}

func newServedBy(t *testing.T, transport http.RoundTripper) served {
	t.Helper()
	objects, err := api.New(&rest.Config{Host: "https://memory.invalid", Transport: transport, QPS: -1}, "land")
	if err != nil {
		t.Fatal(err)
	}
	s := served{objects, access.New(objects)}
	s.Builtin = true
	ctx := t.Context()
	requests, err := objects.Requests.In("land")
	if err != nil {
		t.Fatal(err)
	}
	_, err = objects.Profiles.Create(ctx, metav1.ObjectMeta{Name: "small"}, api.ProfileSpec{ProviderRef: api.Ref{Name: "gardener"}})
	if err == nil {
		_, err = requests.Create(ctx, metav1.ObjectMeta{Namespace: "land", Name: idle.Name}, api.RequestSpec{Purpose: "work"})
	}
	var r *api.ClusterRequest
	if err == nil {
		r, err = requests.Create(ctx, metav1.ObjectMeta{Namespace: "land", Name: holder.Name}, api.RequestSpec{Purpose: "work"})
	}
	if err == nil {
		_, err = objects.Clusters.Create(ctx, metav1.ObjectMeta{
			Namespace: "land", Name: heldCluster.Name, Finalizers: []string{api.TenantFinalizer + string(r.UID)},
		}, api.ClusterSpec{Profile: "small", Tenancy: api.Shared})
	}
	if err == nil {
		_, err = requests.MergeStatus(ctx, r, map[string]any{"phase": api.Granted, "cluster": heldCluster},
			func(*api.ClusterRequest) (bool, error) { return false, nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asks makes an AccessRequest.
func (s served) asks(t *testing.T, namespace string, cluster, request *api.Ref) *api.AccessRequest {
	t.Helper()
	made, _, err := s.Make(t.Context(), access.Wanted{
		Ref: api.Ref{Namespace: namespace, Name: "a"}, ClusterRef: cluster, RequestRef: request, Token: json.RawMessage(`{"roleRefs":[]}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// An AccessRequest to what lies in its namespace gets what the operator would give it: the labels of provider and profile, the Cluster, and
// the phase in which the cluster provider begins. One of another namespace is denied with the reason, and the reason says nothing of what
// is in that namespace; nor does one get anything that refers to a request and to another Cluster than that of the request, by which the
// cluster provider would go. What refers to no Cluster yet stays as it is.
func TestServe(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		namespace        string
		cluster, request *api.Ref
		phase, reason    string
	}{
		"a Cluster":                 {"land", &heldCluster, nil, api.Pending, ""},
		"a request":                 {"land", nil, &holder, api.Pending, ""},
		"a Cluster elsewhere":       {"land2", &heldCluster, nil, api.Denied, "OtherNamespace"},
		"a request elsewhere":       {"land2", nil, &holder, api.Denied, "OtherNamespace"},
		"a request and its Cluster": {"land", &heldCluster, &holder, api.Pending, ""},
		"a request, and another Cluster": {
			"land", &api.Ref{Namespace: "land", Name: "other"}, &holder, api.Denied, "OtherCluster",
		},
		"no Cluster":                   {"land", &api.Ref{Namespace: "land", Name: "none"}, nil, "", ""},
		"a request that holds nothing": {"land", nil, &idle, "", ""},
		"no request":                   {"land", nil, &api.Ref{Namespace: "land", Name: "none"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServed(t)
			made := s.asks(t, test.namespace, test.cluster, test.request)
			r, err := s.Serve(t.Context(), made, false)
			if err != nil {
				t.Fatal(err)
			}
			live, err := s.Objects.Accesses.Get(t.Context(), r.Ref())
			if err != nil || live.Status.Phase != test.phase || test.phase != "" && live.Status.ObservedGeneration != live.Generation {
				t.Fatalf("%+v of generation %d, %v", live.Status, live.Generation, err)
			}
			handed := live.Labels[api.ProviderLabel] == "gardener" && live.Labels[api.ProfileLabel] == "small" &&
				live.Spec.ClusterRef != nil && *live.Spec.ClusterRef == heldCluster
			if handed != (test.phase == api.Pending) || !handed && len(live.Labels) > 0 {
				t.Errorf("labels %q, Cluster %v", live.Labels, live.Spec.ClusterRef)
			}
			if test.reason == "" {
				return
			}
			if c := live.Status.Conditions[0]; c.Reason != test.reason || c.Status != metav1.ConditionFalse || c.Message == "" {
				t.Errorf("%+v", c)
			}
			if again, err := s.Serve(t.Context(), r, false); err != nil || again.ResourceVersion != r.ResourceVersion {
				t.Errorf("a second decision writes: %s, %v", again.ResourceVersion, err)
			}
		})
	}
}

// With the operator there the provider keeps out of it, and it leaves alone what says so.
func TestServe_notItsOwn(t *testing.T) {
	t.Parallel()
	s := newServed(t)
	made := s.asks(t, "land", &heldCluster, nil)
	s.Builtin = false
	if r, err := s.Serve(t.Context(), made, true); err != nil || r.ResourceVersion != made.ResourceVersion {
		t.Errorf("beside the operator: %+v, %v", r, err)
	}
	s.Builtin = true
	ignored := *made
	ignored.Annotations = map[string]string{api.OperationAnnotation: api.OperationIgnore}
	if r, err := s.Serve(t.Context(), &ignored, true); err != nil || r.ResourceVersion != made.ResourceVersion {
		t.Errorf("one that is to be left alone: %+v, %v", r, err)
	}
}

// One that waits is served as soon as its request holds a Cluster, and ends with its context.
func TestServe_waits(t *testing.T) {
	t.Parallel()
	s := newServed(t)
	made := s.asks(t, "land", nil, &idle)
	short, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if r, err := s.Serve(short, made, true); err != nil || r.Status.Phase != "" || short.Err() == nil {
		t.Errorf("%+v, %v", r.Status, err)
	}
}

// mute is a server that answers so many more reads and then no other.
type mute struct {
	http.RoundTripper
	reads atomic.Int64
}

func (m *mute) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet || m.reads.Add(-1) >= 0 {
		return m.RoundTripper.RoundTrip(r)
	}
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// One that waits ends with its context also where that cuts off a read, which a busy server has not answered yet. It is an error where
// none was answered.
func TestServe_cutOff(t *testing.T) {
	t.Parallel()
	for answered, fails := range map[int64]bool{1: false, 0: true} {
		t.Run(fmt.Sprint(answered), func(t *testing.T) {
			t.Parallel()
			server := &mute{RoundTripper: apiserver.New(apiserver.OpenMCP()...)}
			server.reads.Store(1000)
			s := newServedBy(t, server)
			made := s.asks(t, "land", nil, &idle)
			server.reads.Store(answered)
			short, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			r, err := s.Serve(short, made, true)
			if (err != nil) != fails || r.Status.Phase != "" || server.reads.Load() >= 0 {
				t.Errorf("%+v, %v", r.Status, err)
			}
		})
	}
}

// granted plays the cluster provider, which has granted an AccessRequest and holds it.
func (s served) granted(t *testing.T, r *api.AccessRequest) *api.AccessRequest {
	t.Helper()
	kind, err := s.Objects.Accesses.In(r.Namespace)
	if err == nil {
		r, err = kind.Merge(t.Context(), r, map[string]any{"metadata": map[string]any{"finalizers": []string{"provider/holds"}}})
	}
	if err == nil {
		r, err = kind.MergeStatus(t.Context(), r, map[string]any{"phase": api.Granted, "observedGeneration": r.Generation},
			func(*api.AccessRequest) (bool, error) { return false, nil })
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// An AccessRequest that was changed after its grant, and one that is being deleted, are pending again: the cluster provider works on
// neither before. What is granted as it is stays.
func TestServe_again(t *testing.T) {
	t.Parallel()
	s := newServed(t)
	r, err := s.Serve(t.Context(), s.asks(t, "land", &heldCluster, nil), false)
	if err != nil {
		t.Fatal(err)
	}
	r = s.granted(t, r)
	if same, err := s.Serve(t.Context(), r, false); err != nil || same.ResourceVersion != r.ResourceVersion {
		t.Errorf("what is granted changes: %v", err)
	}
	wanted := access.Wanted{Ref: r.Ref(), ClusterRef: &heldCluster, Token: json.RawMessage(`{"roleRefs":[{"kind":"ClusterRole","name":"view"}]}`)}
	if r, err = s.Change(t.Context(), r, wanted, wanted); err == nil {
		r, err = s.Serve(t.Context(), r, false)
	}
	if err != nil || r.Status.Phase != api.Pending || r.Status.ObservedGeneration != r.Generation {
		t.Fatalf("after a change: %+v of generation %d, %v", r.Status, r.Generation, err)
	}
	r = s.granted(t, r)
	kind, err := s.Objects.Accesses.In(r.Namespace)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	gone := make(chan error, 1)
	go func() { gone <- s.Withdraw(ctx, r.Ref(), string(r.UID), func(string) {}) }()
	for ctx.Err() == nil {
		live, err := kind.Get(ctx, r.Ref())
		if err != nil {
			break
		}
		if live.DeletionTimestamp != nil && live.Status.Phase == api.Pending { // the cluster provider lets it go
			_, _ = kind.Merge(ctx, live, map[string]any{"metadata": map[string]any{"finalizers": []string{}}})
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := <-gone; err != nil {
		t.Errorf("the deletion hangs: %v", err)
	}
}
