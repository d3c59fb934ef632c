package scenarios

import (
	"strings"
	"sync/atomic"
	"testing"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/gardenlet"
)

// stuckWhile is the course of clusters of which nothing becomes as long as this holds.
func stuckWhile(is *atomic.Bool) func(*gardencore.Shoot) gardenlet.Course {
	return func(*gardencore.Shoot) gardenlet.Course { return gardenlet.Course{Stuck: is.Load(), Steps: 3} }
}

// Ctrl-C while an apply waits for a cluster, when it is made and when it is changed: the state has it, untainted, and the next apply
// waits on. Ctrl-C while a destroy waits: the next one waits on.
func TestClusterInterruptedWhileWaiting(t *testing.T) {
	t.Parallel()
	var stuck atomic.Bool
	s := newClusterStage(t, stuckWhile(&stuck), awsAccounts(2)...)
	c := s.configureCluster(t)
	uid := ""
	for _, attributes := range [][]string{nil, {more}} {
		stuck.Store(true)
		c.want(t, attributes...)
		result := c.waiting(t, (*cli.Running).Interrupt)
		wantMessage(t, result.Output, "Warning: Cluster is not ready", "The cluster is kept", "the next apply waits on", "self.ready")
		uid = c.wantCluster(t, false, uid)

		written := len(s.clusterWrites())
		stuck.Store(false)
		if result := c.apply(t); strings.Contains(result.Output, "Cluster was made before") {
			t.Errorf("the state had the cluster:\n%s", result.Output)
		}
		c.wantCluster(t, true, uid)
		if now := s.clusterWrites(); len(now) != written {
			t.Errorf("the apply that waits on has written: %q", now[written:])
		}
	}

	stuck.Store(true)
	before := s.proxy.Count("watch", "shoots")
	running := c.Start(t, destroying...)
	s.awaitWatches(t, before+1)
	running.Interrupt()
	result := running.Wait(t)
	c.tell(t)
	if result.ExitCode == 0 || c.State(t).Resource(clusterAddress) == nil || c.account(t, "blue") == "" {
		t.Errorf("exit code %d, and the state has %q:\n%s", result.ExitCode, c.State(t).Addresses(), result.Output)
	}
	stuck.Store(false)
	c.takenDown(t)
}

// Ctrl-C while the POST is under way: what was sent comes into the state.
func TestClusterInterruptedWhileItIsMade(t *testing.T) {
	t.Parallel()
	s := newClusterStage(t, nil, awsAccounts(2)...)
	c := s.configureCluster(t)
	c.stopped(t, applying, clusterWrite(), fault.BlockAfter(), (*cli.Running).Interrupt)
	if state := c.State(t).Resource(clusterAddress); state == nil || state.Tainted || state.Values["uid"] != string(s.only(t).UID) {
		t.Errorf("the state has %v", state)
	}
	c.apply(t)
	c.wantCluster(t, true, "")
	c.settled(t)
}
