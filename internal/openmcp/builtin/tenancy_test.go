package builtin_test

import (
	"context"
	"fmt"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	testbed "github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// sharedBy is a request for a purpose whose Clusters have so many requests at most.
func sharedBy(count int, purpose string) *builtin.ADRRequest {
	s := asked(purpose)
	s.Definitions[purpose] = adr.Purpose{TenancyCount: count}
	return s
}

// A shared Cluster that has as many requests as its purpose allows takes no further one: another is made, under the name that a preview
// says. A request that leaves makes room.
func TestBuiltin_tenancyCount(t *testing.T) {
	t.Parallel()
	p, ns := platform(t)
	s := sharedBy(2, own(ns))
	a, b := grantedBy(t, p, "a", s), grantedBy(t, p, "b", s)
	if *a.Status.Cluster != *b.Status.Cluster {
		t.Fatalf("%v and %v", a.Status.Cluster, b.Status.Cluster)
	}
	d, err := p.Requests.PreviewADR(t.Context(), builtin.Wanted{Ref: api.Ref{Namespace: ns, Name: "c"}, ADR: s})
	if err != nil || d.Reason != "NewCluster" || d.Candidates[0].Reason == "" {
		t.Fatalf("%+v, %v", d, err)
	}
	c := grantedBy(t, p, "c", s)
	if *c.Status.Cluster != api.Ref(d.Cluster) || *c.Status.Cluster == *a.Status.Cluster || c.Status.Cluster.Name != a.Status.Cluster.Name+"-2" {
		t.Errorf("c has %v, the preview says %v, a has %v", c.Status.Cluster, d.Cluster, a.Status.Cluster)
	}
	withdrawn(t, p, a)
	if e := grantedBy(t, p, "e", sharedBy(1, own(ns))); *e.Status.Cluster == *b.Status.Cluster || *e.Status.Cluster == *c.Status.Cluster {
		t.Errorf("one that allows a single request shares %v", e.Status.Cluster)
	}
	if f := grantedBy(t, p, "f", s); *f.Status.Cluster != *b.Status.Cluster && *f.Status.Cluster != *c.Status.Cluster {
		t.Errorf("there is room, and it has %v", f.Status.Cluster)
	}
}

// Many processes grant requests at once: no Cluster has more of them than the purpose allows, and each request has one.
func TestBuiltin_tenancyCountRaced(t *testing.T) {
	t.Parallel()
	first, ns := platform(t)
	const requests, most = 12, 3
	var all errgroup.Group
	for i := range requests {
		all.Go(func() error {
			p, err := openmcp.New(testbed.Shared(t).Config(), ns) // a process of its own
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(t.Context(), operatorTime)
			defer cancel()
			_, err = tryGrant(ctx, p, fmt.Sprintf("r%d", i), sharedBy(most, own(ns)))
			return err
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	clusters, err := first.Objects.Clusters.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	held, made := 0, 0
	for _, c := range clusters {
		if c.Namespace != ns {
			continue
		}
		n := len(api.Tenants(c))
		if held, made = held+n, made+1; n > most {
			t.Errorf("%s has %d requests", c.Ref(), n)
		}
	}
	if held != requests || made != requests/most {
		t.Errorf("%d requests hold one of %d Clusters, want %d and %d", held, made, requests, requests/most)
	}
}

// A Cluster whose provider has not labelled it yet counts with the only version that its profile offers, not with what it asks for: a
// request for that does not get it. One that runs another version bears that on its label.
func TestBuiltin_versionNotLabelledYet(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.bind(t, "a", "one") // at 1.33.1
	p := m.in(t, "land")
	made, err := p.Objects.Clusters.Create(t.Context(), meta("land", "new"), api.ClusterSpec{
		Profile: "test.gardener.a", Tenancy: api.Shared, Purposes: []string{"work"}, Kubernetes: api.Kubernetes{Version: "1.34.1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	wants := func(when string, decisions map[string]string) {
		t.Helper()
		for version, want := range decisions {
			s := asked("work")
			s.KubernetesVersion = version
			d, err := p.Requests.PreviewADR(t.Context(), builtin.Wanted{Ref: api.Ref{Namespace: "land", Name: "r"}, ADR: s})
			if err != nil || string(d.Action) != want {
				t.Errorf("%s, version %s: %s, %v, want %s", when, version, d.Action, err, want)
			}
		}
	}
	wants("not labelled", map[string]string{"1.33": "reuse", "1.34": "deny"})
	_, err = p.Objects.Clusters.Merge(t.Context(), made, map[string]any{"metadata": map[string]any{
		"labels": map[string]any{api.VersionLabel: "1.34.1"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	wants("labelled", map[string]string{"1.33": "create", "1.34": "reuse"})
}
