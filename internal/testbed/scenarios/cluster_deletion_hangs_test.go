package scenarios

import (
	"sync/atomic"
	"testing"
)

// A deletion hangs until timeouts.delete is over: the error says how far it is and how to go on. The claim stays with it, and the next
// destroy waits on without another write.
func TestClusterDeletionHangs(t *testing.T) {
	t.Parallel()
	var stuck atomic.Bool
	s := newClusterStage(t, stuckWhile(&stuck), awsAccounts(2)...)
	c := s.configureCluster(t, `timeouts = { delete = "10s" }`)
	c.apply(t)
	stuck.Store(true)
	c.fails(t, destroying, "Cluster is still being deleted", "Destroying cluster blue", "Delete 33 %", "Run the same command again to wait on",
		"timeouts.delete")
	if c.State(t).Resource(clusterAddress) == nil || c.account(t, "blue") == "" {
		t.Errorf("the state has %q", c.State(t).Addresses())
	}
	written := len(s.clusterWrites())
	stuck.Store(false)
	c.takenDown(t)
	if now := s.clusterWrites(); len(now) != written {
		t.Errorf("the destroy that waits on has written: %q", now[written:])
	}
}
