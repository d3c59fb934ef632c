package builtin_test

import (
	"errors"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
)

// A protected Cluster does not go with its last request, and goes once the protection is taken away. While another request holds it, the
// withdrawal of one is no end of it.
func TestWithdraw_protectedCluster(t *testing.T) {
	t.Parallel()
	m := newMemory(t, "prod.gardener.one")
	p := m.in(t, "team")
	made := func(name string) *api.ClusterRequest {
		t.Helper()
		r, _, err := p.Requests.Make(t.Context(), builtin.Wanted{Ref: api.Ref{Namespace: "team", Name: name}, ADR: &builtin.ADRRequest{
			Purposes: []string{"work"}, Definitions: map[string]adr.Purpose{"work": {}},
		}})
		if err == nil {
			r, err = p.Requests.AwaitGranted(t.Context(), r, quiet)
		}
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	one, two := made("one"), made("two")
	of := *one.Status.Cluster
	if *two.Status.Cluster != of {
		t.Fatalf("two Clusters: %s and %s", of, *two.Status.Cluster)
	}
	protect(t, p, of, true)
	withdraw := func(r *api.ClusterRequest) error {
		return p.Requests.Withdraw(t.Context(), r.Ref(), string(r.UID), quiet)
	}
	if err := withdraw(two); err != nil {
		t.Errorf("another one holds it: %v", err)
	}
	err := withdraw(one)
	if kept, is := errors.AsType[*kube.ProtectedError](err); !is || kept.Namespace != of.Namespace || kept.Name != of.Name {
		t.Errorf("the last one: %v", err)
	}
	live, err := p.Objects.Clusters.Get(t.Context(), of)
	if err != nil || live.DeletionTimestamp != nil || !api.Holds(live, one) {
		t.Fatalf("the Cluster is %+v, %v", live, err)
	}
	protect(t, p, of, false)
	if err := withdraw(one); err != nil {
		t.Error(err)
	}
	if _, err := p.Objects.Clusters.Get(t.Context(), of); !api.IsGone(err) {
		t.Errorf("the Cluster is not gone: %v", err)
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
