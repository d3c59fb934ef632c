package scenarios

import (
	"slices"
	"sync/atomic"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A deletion hangs until timeouts.delete is over: the error says how far it is, which finalizers are left and whose they are, and how to go
// on. The claim stays with it, and the next destroy waits on without another write.
func TestClusterDeletionHangs(t *testing.T) {
	t.Parallel()
	var stuck atomic.Bool
	s := newClusterStage(t, stuckWhile(&stuck), awsAccounts(2)...)
	c := s.configureCluster(t, `timeouts = { delete = "40s" }`)
	c.apply(t)
	s.hold(t, "gardener.cloud/reference-protection", true)
	stuck.Store(true)
	c.fails(t, destroying, "Cluster is still being deleted", "Destroying cluster blue", "Delete 33 %", "held by the finalizers", "gardener.cloud/reference-protection (Gardener's, as long as", "Run the same command again to wait on",
		"timeouts.delete")
	if c.State(t).Resource(clusterAddress) == nil || c.account(t, "blue") == "" {
		t.Errorf("the state has %q", c.State(t).Addresses())
	}
	written := len(s.clusterWrites())
	stuck.Store(false)
	c.fails(t, destroying, "Cluster is still being deleted", "Delete 100 %",
		"held by the finalizer gardener.cloud/reference-protection (Gardener's, as long as another object refers to it)")
	s.hold(t, "gardener.cloud/reference-protection", false)
	c.takenDown(t)
	if now := s.clusterWrites(); len(now) != written {
		t.Errorf("the destroy that waits on has written: %q", now[written:])
	}
}

// hold puts a finalizer on the only Shoot, or takes it off.
func (s clusterStage) hold(t *testing.T, finalizer string, on bool) {
	t.Helper()
	shoot := s.only(t)
	base := shoot.DeepCopy()
	shoot.Finalizers = slices.DeleteFunc(shoot.Finalizers, func(f string) bool { return f == finalizer })
	if on {
		shoot.Finalizers = append(shoot.Finalizers, finalizer)
	}
	if err := s.Garden().AdminClient().Patch(t.Context(), shoot, client.MergeFrom(base)); err != nil {
		t.Fatal(err)
	}
}
