package adr_test

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

// A Cluster of another namespace is shared in the scope cluster alone, and one that another scheduler serves never: it is a candidate with
// that reason, and a denial names it.
func TestSchedule_borders(t *testing.T) {
	t.Parallel()
	served := func(by adr.Server, prefix string) adr.Cluster {
		c := shared("a", "aws", "platform", prefix)
		c.Ref.Namespace, c.Grants[0].Server = "bar", by
		return c
	}
	elsewhere := shared("a", "aws", "platform", "x-")
	nameless := served(adr.ServedByOperator, "")
	nameless.Grants[0].Request = ref("", " (UID 1)")
	for name, test := range map[string]struct {
		cluster              adr.Cluster
		scope                adr.Scope
		want, reason, denial string
	}{
		"all Clusters, where nothing is said": {elsewhere, "", "reuse clusters/a", "chosen", ""},
		"another namespace, cluster":          {elsewhere, adr.ScopeCluster, "reuse clusters/a", "chosen", ""},
		"another namespace, namespaced": {elsewhere, adr.ScopeNamespaced, "create aws 1.20.3",
			"the scheduler looks in namespace bar alone (scope namespaced)", " Passed over is clusters/a (the scheduler looks in namespace bar alone"},
		"the same namespace, namespaced": {served(adr.ServedHere, "x-"), adr.ScopeNamespaced, "reuse bar/a", "chosen", ""},
		"of the operator": {served(adr.ServedByOperator, "x-"), adr.ScopeCluster, "create aws 1.20.3",
			"the openmcp-operator serves it: tenant-a/r0 holds a grant on it", " Passed over is bar/a (the openmcp-operator serves it"},
		"of the operator, without a name": {nameless, adr.ScopeNamespaced, "create aws 1.20.3",
			"the openmcp-operator serves it: it has granted it to a request", " Passed over is bar/a (the openmcp-operator serves it"},
		"of a request that cannot be read": {served(adr.ServedUnknown, "x-"), adr.ScopeCluster, "create aws 1.20.3",
			"it is not known whether the openmcp-operator serves it", " Passed over is bar/a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := proposedLandscape(test.cluster)
			l.Scope = test.scope
			d := schedule(t, asked("platform"), l)
			if outcome(d) != test.want {
				t.Errorf("%s: %s; want %s", outcome(d), d.Message, test.want)
			}
			contains(t, candidate(d, "a"), test.reason)
			checkCandidates(t, d, l)
			l.Profiles[0].Versions, l.Profiles[1].Versions = nil, nil // so that nothing is on offer
			d = schedule(t, asked("platform", wantsVersion("1.20.3")), l)
			if test.denial != "" {
				contains(t, d.Message, test.denial)
			} else if d.Cluster != test.cluster.Ref {
				t.Errorf("%s: %s", outcome(d), d.Message)
			}
		})
	}
}

// A grant is for life, whatever borders there are by now.
func TestSchedule_heldAcrossBorders(t *testing.T) {
	t.Parallel()
	c := shared("a", "aws", "platform", "x-")
	c.Grants[0].Request, c.Grants[0].Server = ref("bar", "foo"), adr.ServedByOperator
	l := proposedLandscape(c)
	l.Scope = adr.ScopeNamespaced
	if d := schedule(t, asked("platform"), l); d.Cluster != c.Ref {
		t.Errorf("%s: %s", outcome(d), d.Message)
	}
}
