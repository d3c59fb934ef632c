package clusters_test

import (
	"context"
	"errors"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/apiserver"
)

// The protection of a Cluster is written with it, and changes by itself: what else is configured stays, and a run that was cut short finds
// the Cluster with either value. The deletion goes by the Cluster as it is right before.
func TestCluster_protection(t *testing.T) {
	t.Parallel()
	p, err := openmcp.New(&rest.Config{Host: "https://memory.invalid", Transport: apiserver.New(apiserver.OpenMCP()...), QPS: -1}, "team")
	if err != nil {
		t.Fatal(err)
	}
	w := clusters.Wanted{Ref: api.Ref{Namespace: "team", Name: "own"}, Profile: "prod.gardener.one", Tenancy: api.Shared, Protected: true,
		Annotations: map[string]string{"note": "kept"}}
	made, _, err := p.Clusters.Make(t.Context(), w)
	if err != nil || !kube.IsProtected(made.Annotations) {
		t.Fatalf("%+v, %v", made, err)
	}
	remove := func() error { return p.Clusters.Remove(t.Context(), w.Ref, string(made.UID), func(string) {}) }
	if err := remove(); !errors.As(err, new(*kube.ProtectedError)) {
		t.Errorf("it is protected: %v", err)
	}
	w.Protected = false
	found, again, err := p.Clusters.Make(t.Context(), w)
	if err != nil || !again || found.UID != made.UID {
		t.Errorf("the next run found %t, %v", again, err)
	}
	w.Annotations = map[string]string{"note": "changed"}
	changed, err := p.Clusters.Change(t.Context(), string(made.UID), w, w)
	if err != nil || !kube.IsProtected(changed.Annotations) || changed.Annotations["note"] != "changed" {
		t.Errorf("a change of something else: %+v, %v", changed, err)
	}
	protect(t, p, w.Ref, false)
	protect(t, p, w.Ref, false)
	if live, err := p.Objects.Clusters.Get(t.Context(), w.Ref); err != nil || live.Annotations["note"] != "changed" {
		t.Errorf("%+v, %v", live, err)
	}

	// Another state protects it between the read and the deletion.
	stale, err := p.Objects.Clusters.Get(t.Context(), w.Ref)
	if err != nil {
		t.Fatal(err)
	}
	protect(t, p, w.Ref, true)
	if err := p.Objects.Clusters.Remove(context.Background(), stale); api.Reason(err) != kube.Conflict {
		t.Errorf("deleted as it was judged before: %v", err)
	}
	if err := remove(); !errors.As(err, new(*kube.ProtectedError)) {
		t.Errorf("it is protected again: %v", err)
	}
	protect(t, p, w.Ref, false)
	if err := remove(); err != nil {
		t.Error(err)
	}
	if _, err := p.Clusters.Protect(t.Context(), changed, false); !api.IsGone(err) {
		t.Errorf("one that is gone: %v", err)
	}
}

func protect(t *testing.T, p *openmcp.Platform, of api.Ref, on bool) {
	t.Helper()
	live, err := p.Objects.Clusters.Get(t.Context(), of)
	if err == nil {
		live, err = p.Clusters.Protect(t.Context(), live, on)
	}
	if err != nil || kube.IsProtected(live.Annotations) != on {
		t.Fatalf("the Cluster is %+v, %v", live, err)
	}
}
