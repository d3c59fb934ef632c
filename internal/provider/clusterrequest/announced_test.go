package clusterrequest_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// unannounced is what an apply says that would take a Cluster along of which the plan has said nothing.
const unannounced = "and the plan does not say that the Cluster goes"

// schedules are the provider blocks of both schedulers, with what makes a request of theirs. All requests of one of them share a Cluster.
func schedules(l acceptance.PlatformLandscape) map[string]struct {
	block   string
	request func(label string, extra ...string) string
} {
	return map[string]struct {
		block   string
		request func(label string, extra ...string) string
	}{
		"operator": {l.Provider(), func(label string, extra ...string) string { return acceptance.RequestOf(label, "onboarding", extra...) }},
		"builtin":  {l.Builtin(), l.ADRRequest},
	}
}

// Two provider blocks are two processes, and the plan of one does not see what that of the other withdraws. The Cluster of a protected
// request does not go with an unprotected one of the other block; the next plan says that it goes.
func TestAccClusterRequest_twoProviderBlocks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"operator", "builtin"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewPlatformLandscape(t)
			s, c := schedules(l)[name], cli.New(t)
			other := strings.Replace(s.block, "provider \"hap\" {\n", "provider \"hap\" {\n  alias = \"b\"\n", 1)
			c.Write(t, required+s.block+other+s.request("one", "deletion_protection = true", "depends_on = [hap_cluster_request.two]")+
				s.request("two", "deletion_protection = false", "provider = hap.b"))
			run(t, c, 0, "Apply complete", "apply", "-auto-approve")
			cluster, uid := clusterOf(t, l)
			run(t, c, 1, unannounced, "destroy", "-auto-approve")
			stays(t, l, cluster, uid)
			if two, err := l.Live("ClusterRequest", "two"); err != nil || two == nil || two.GetDeletionTimestamp() != nil {
				t.Errorf("the request is going, or gone: %v, %v", two, err)
			}
			run(t, c, 0, diagnose.SummaryClusterEnds, "destroy", "-auto-approve")
			if err := l.NoRequests(nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// A plan that withdraws a request says nothing of its Cluster, which another state's request holds. That one is withdrawn before the apply:
// the Cluster stays, and the request on it.
func TestAccClusterRequest_othersLeftSinceThePlan(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		scheduler string
		before    []string
		plan      []string
	}{
		"a destroy":                     {"operator", nil, []string{"-destroy"}},
		"a replacement":                 {"operator", nil, []string{"-replace=hap_cluster_request.two"}},
		"a tainted one":                 {"operator", []string{"taint", "hap_cluster_request.two"}, nil},
		"a destroy, with builtin":       {"builtin", nil, []string{"-destroy"}},
		"a tainted one, with builtin":   {"builtin", []string{"taint", "hap_cluster_request.two"}, nil},
		"without a refresh, in builtin": {"builtin", nil, []string{"-destroy", "-refresh=false"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewPlatformLandscape(t)
			s, first, second := schedules(l)[test.scheduler], cli.New(t), cli.New(t)
			first.Write(t, required+s.block+s.request("one"))
			second.Write(t, required+s.block+s.request("two"))
			run(t, first, 0, "Apply complete", "apply", "-auto-approve")
			run(t, second, 0, "Apply complete", "apply", "-auto-approve")
			cluster, uid := clusterOf(t, l)
			if test.before != nil {
				run(t, second, 0, "", test.before...)
			}
			run(t, second, 0, "p", append([]string{"plan", "-out=p"}, test.plan...)...)
			run(t, first, 0, "Destroy complete", "destroy", "-auto-approve")
			stays(t, l, cluster, uid)
			run(t, second, 1, unannounced, "apply", "p")
			stays(t, l, cluster, uid)
			says := diagnose.SummaryClusterEnds
			if name == "a replacement" { // the programs do not show the warnings of its plan
				says = "Apply complete"
			}
			run(t, second, 0, says, append([]string{"apply", "-auto-approve"}, test.plan...)...)
			if now, err := l.Live("Cluster", cluster); err != nil || now != nil && string(now.GetUID()) == uid {
				t.Errorf("the Cluster was not ended: %v", err)
			}
			run(t, second, 0, "", "destroy", "-auto-approve")
			if err := l.NoRequests(nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// The other request leaves the Cluster at the moment in which the first one is withdrawn.
func TestAccBuiltin_unprotectedLastMeanwhile(t *testing.T) {
	t.Parallel()
	l := acceptance.NewPlatformLandscape(t)
	var cluster string
	var once sync.Once
	block := atDeletion(t, l, "one", func() { once.Do(func() { leave(t, l, "two", cluster) }) })
	first, second := cli.New(t), cli.New(t)
	first.Write(t, required+block+l.ADRRequest("one"))
	second.Write(t, required+l.Builtin()+l.ADRRequest("two"))
	run(t, first, 0, "Apply complete", "apply", "-auto-approve")
	run(t, second, 0, "Apply complete", "apply", "-auto-approve")
	cluster, uid := clusterOf(t, l)
	run(t, first, 1, "and the plan does not say so. The Cluster was not deleted", "destroy", "-auto-approve")
	stays(t, l, cluster, uid)
	run(t, first, 0, diagnose.SummaryClusterEnds, "destroy", "-auto-approve")
	if err := l.NoRequests(nil); err != nil {
		t.Error(err)
	}
}

// A saved plan that withdraws all requests of a Cluster takes it along, in whatever order they leave it, and whichever of them the plan has
// come to last.
func TestAccClusterRequest_announcedTogether(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"operator", "builtin"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := acceptance.NewPlatformLandscape(t)
			s, c := schedules(l)[name], cli.New(t)
			for _, order := range [][]string{{"one", "two", "three"}, {"three", "two", "one"}, nil} {
				var all strings.Builder
				for i, label := range []string{"one", "two", "three"} {
					extra := []string{}
					if order != nil {
						if label = order[i]; i > 0 {
							extra = append(extra, "depends_on = [hap_cluster_request."+order[i-1]+"]")
						}
					}
					all.WriteString(s.request(label, extra...))
				}
				c.Write(t, required+s.block+all.String())
				run(t, c, 0, "Apply complete", "apply", "-auto-approve")
				run(t, c, 0, diagnose.SummaryClusterEnds, "plan", "-destroy", "-out=p")
				run(t, c, 0, "Apply complete", "apply", "p")
				if err := l.NoRequests(nil); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
