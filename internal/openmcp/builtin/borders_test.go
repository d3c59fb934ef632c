package builtin_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
)

func meta(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}

// operate has the operator serve a request, as after a handover.
func operate(t *testing.T, p *openmcp.Platform, r *api.ClusterRequest) {
	t.Helper()
	kind, err := p.Objects.Requests.In(r.Namespace)
	if err == nil {
		_, err = kind.Merge(t.Context(), r, map[string]any{"metadata": map[string]any{
			"finalizers": []string{api.RequestFinalizer}, "annotations": map[string]any{api.OperationAnnotation: nil},
		}})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A request comes to Clusters of its own namespace; with the scope cluster to those of others too, unless the operator serves a request
// there, or the request cannot be seen. The preview names the reason, and says what the apply does. Nothing is written to the Cluster of the
// other namespace.
func TestBuiltin_borders(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		wide, served bool
		shares       bool
		reason       string // of the Cluster of the other namespace
	}{
		"namespaced":                 {reason: "the scheduler looks in namespace land2 alone (scope namespaced)"},
		"namespaced, the operator's": {served: true, reason: "the scheduler looks in namespace land2 alone"},
		"cluster":                    {wide: true, shares: true, reason: "chosen"},
		"cluster, the operator's":    {wide: true, served: true, reason: "the openmcp-operator serves it: land/a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMemory(t, "small")
			theirs := m.in(t, "land")
			a := grantedBy(t, theirs, "a", asked("work"))
			if test.served {
				operate(t, theirs, a)
			}
			cluster, _ := clusterOf(t, theirs, a)
			p := m.in(t, "land2")
			p.Requests.ClusterWide = test.wide
			wanted := builtin.Wanted{Ref: api.Ref{Namespace: "land2", Name: "b"}, ADR: asked("work")}
			d, err := p.Requests.PreviewADR(t.Context(), wanted)
			if err != nil {
				t.Fatal(err)
			}
			if said := candidateOf(d, cluster.Ref()); !strings.Contains(said, test.reason) {
				t.Errorf("the preview says of the Cluster: %s", said)
			}
			b := grantedBy(t, p, "b", asked("work"))
			if got := *b.Status.Cluster; (got == cluster.Ref()) != test.shares || got != api.Ref(d.Cluster) {
				t.Errorf("%s beside %s, and the preview says %v", got, cluster.Ref(), d.Cluster)
			}
			after, _ := clusterOf(t, theirs, a)
			if (after.ResourceVersion != cluster.ResourceVersion) != test.shares {
				t.Errorf("the Cluster is at %s, and was at %s", after.ResourceVersion, cluster.ResourceVersion)
			}
		})
	}
}

// candidateOf is what a decision says of a Cluster.
func candidateOf(d adr.Decision, of api.Ref) string {
	for _, c := range d.Candidates {
		if c.Kind == clusters.CandidateCluster && api.Ref(c.Ref) == of {
			return c.Reason
		}
	}
	return ""
}

// A Cluster that the operator has given to a request of this namespace, or of another one, is passed over, and the denial says so.
func TestBuiltin_deniedAtABorder(t *testing.T) {
	t.Parallel()
	m := newMemory(t, "small")
	theirs, p := m.in(t, "land"), m.in(t, "land2")
	p.Requests.ClusterWide = true
	a := grantedBy(t, theirs, "a", asked("work"))
	operate(t, theirs, a)
	cluster, _ := clusterOf(t, theirs, a)
	if _, err := p.Objects.Clusters.Create(t.Context(), metav1.ObjectMeta{
		Namespace: "land2", Name: "operators", Finalizers: []string{api.TenantFinalizer + "other"},
		Labels: map[string]string{api.VersionLabel: "1.31.1"},
	}, api.ClusterSpec{Profile: "small", Tenancy: api.Shared, Purposes: []string{"work"}}); err != nil {
		t.Fatal(err)
	}
	s := asked("work")
	s.KubernetesVersion = "1.31" // which no profile offers any more
	_, err := tryGrant(t.Context(), p, "b", s)
	if err == nil || !strings.Contains(err.Error(), "Passed over is land2/operators (the openmcp-operator serves it") {
		t.Errorf("%v", err)
	}
	if after, _ := clusterOf(t, theirs, a); after.ResourceVersion != cluster.ResourceVersion {
		t.Error("the Cluster of the other namespace has changed")
	}
}
