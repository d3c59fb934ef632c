package scenarios

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// The answer to the POST of a cluster is lost: the apply finds out what was written, and goes on. There is one cluster, and nothing is said
// of one that was made before.
func TestClusterAnswerLost(t *testing.T) {
	t.Parallel()
	for name, faults := range sampled(t, map[string][]fault.Fault{
		"cut before the commit": {fault.CutBefore()},
		"cut after the commit":  {fault.CutAfter()},
		"502":                   {fault.LoseAfter(http.StatusBadGateway)},
		// The first request comes behind the read and before the second one.
		"committed late": {fault.CommitLate(time.Second), fault.Delay(3 * time.Second)},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newClusterStage(t, nil, awsAccounts(2)...)
			c := s.configureCluster(t)
			for i, f := range faults {
				rule := clusterWrite(i + 1)
				rule.Fault = f
				s.proxy.Spoil(rule)
			}
			if result := c.apply(t); strings.Contains(result.Output, "Cluster was made before") {
				t.Errorf("the cluster is this run's own:\n%s", result.Output)
			}
			uid := c.wantCluster(t, true, "")
			// What was written next belongs to the same cluster, whose fields have one owner: a field that is named no longer goes.
			c.want(t, "template:  purpose: evaluation\n=>", `labels = { team = "a" }`)
			c.apply(t)
			c.wantCluster(t, true, uid)
			if made := slices.DeleteFunc(s.clusterWrites(), func(verb string) bool { return verb != "create" }); len(made) != 1 {
				t.Errorf("%d POSTs were done", len(made))
			}
			c.settled(t)
		})
	}
}

// The answers to the other writes of a cluster are lost: the run, or the next one, comes to the same end.
func TestClusterAnswersOfChangesAreLost(t *testing.T) {
	t.Parallel()
	s := newClusterStage(t, nil, awsAccounts(2)...)
	c := s.configureCluster(t)
	lose := func(n int) {
		rule := clusterWrite(n)
		rule.Fault = fault.CutAfter()
		s.proxy.Spoil(rule)
	}
	lose(2) // who owns the fields
	c.apply(t)
	uid := c.wantCluster(t, true, "")

	s.proxy.Lift()
	lose(1) // the change
	c.want(t, more)
	if result := c.Run(t, applying...); result.ExitCode != 0 {
		c.apply(t)
	}
	c.wantCluster(t, true, uid)
	c.succeeds(t, "plan", "-detailed-exitcode")

	s.proxy.Lift()
	lose(1) // the confirmation
	lose(2) // the deletion
	c.takenDown(t)
}
