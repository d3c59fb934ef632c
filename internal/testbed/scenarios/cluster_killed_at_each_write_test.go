package scenarios

import (
	"fmt"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// Killed at each write by which a cluster is made: the next apply goes on with the Shoot that exists, and says that it has found it.
func TestClusterKilledWhileItIsMade(t *testing.T) {
	t.Parallel()
	for name, at := range sampled(t, map[string]struct {
		write int
		block func() *fault.Block
		made  bool
		alone bool // the provider is killed, and the program goes on to its end
	}{
		"before the POST":                 {write: 1, block: fault.BlockBefore},
		"after the POST":                  {write: 1, block: fault.BlockAfter, made: true},
		"after the fields are applied":    {write: 2, block: fault.BlockAfter, made: true},
		"after the fields have one owner": {write: 3, block: fault.BlockAfter, made: true},
		"the provider alone":              {write: 1, block: fault.BlockAfter, made: true, alone: true},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newClusterStage(t, nil, awsAccounts(2)...)
			c := s.configureCluster(t)
			kill := (*cli.Running).Kill
			if at.alone {
				kill = func(r *cli.Running) { r.KillProvider(t) }
			}
			if _, result := c.stopped(t, applying, clusterWrite(at.write), at.block(), kill); result.ExitCode == 0 {
				t.Fatalf("the apply was killed and succeeds:\n%s", result.Output)
			}
			uid := ""
			if at.made {
				uid = string(s.only(t).UID)
			} else {
				s.wantNone(t, "killed")
			}

			result := c.apply(t)
			if at.made {
				warns(t, result, "Cluster was made before", uid)
			}
			c.wantCluster(t, true, uid)
			c.settled(t)
		})
	}
}

// A cluster that a killed run has made is in no state, and yet it is not lost: its account is not released under it, and what is
// planned next finds it, or says how to import it where the configuration has changed.
func TestClusterOfAKilledRunIsNotLost(t *testing.T) {
	t.Parallel()
	s := newClusterStage(t, nil, awsAccounts(2)...)
	c := s.configureCluster(t)
	c.stopped(t, applying, clusterWrite(1), fault.BlockAfter(), (*cli.Running).Kill)
	uid := string(s.only(t).UID)
	c.fails(t, destroying, "Account is in use", "Shoot blue", "neither marked nor freed")

	c.want(t, more)
	c.fails(t, applying, "Cluster exists already", "import block with the id", "blue")
	c.succeeds(t, "import", clusterAddress, "blue")
	c.apply(t)
	c.wantCluster(t, true, uid)
	if most := s.only(t).Spec.Provider.Workers[0].Maximum; most != 3 {
		t.Errorf("maximum is %d, want 3", most)
	}
	c.settled(t)
}

// Killed at the write of a change: the next apply ends with the change made, in the same cluster.
func TestClusterKilledWhileItIsChanged(t *testing.T) {
	t.Parallel()
	for name, block := range map[string]func() *fault.Block{"before": fault.BlockBefore, "after": fault.BlockAfter} {
		t.Run(name+" the change is written", func(t *testing.T) {
			t.Parallel()
			s := newClusterStage(t, nil, awsAccounts(2)...)
			c := s.configureCluster(t)
			c.apply(t)
			uid := c.wantCluster(t, true, "")
			c.want(t, more)
			c.stopped(t, applying, clusterWrite(1), block(), (*cli.Running).Kill)
			c.apply(t)
			c.wantCluster(t, true, uid)
			if most := s.only(t).Spec.Provider.Workers[0].Maximum; most != 3 {
				t.Errorf("maximum is %d, want 3", most)
			}
			c.settled(t)
		})
	}
}

// Killed at each write by which a cluster is destroyed: the next destroy goes on. A cluster whose deletion was only confirmed lives,
// and an apply keeps it.
func TestClusterKilledWhileItIsDestroyed(t *testing.T) {
	t.Parallel()
	for _, write := range []int{1, 2} {
		t.Run(fmt.Sprintf("after write %d", write), func(t *testing.T) {
			t.Parallel()
			s := newClusterStage(t, nil, awsAccounts(2)...)
			c := s.configureCluster(t)
			c.apply(t)
			uid := c.wantCluster(t, true, "")
			c.stopped(t, destroying, clusterWrite(write), fault.BlockAfter(), (*cli.Running).Kill)
			if write == 1 {
				c.wantCluster(t, true, uid)
				c.apply(t)
				c.wantCluster(t, true, uid)
			}
			c.takenDown(t)
		})
	}
}
