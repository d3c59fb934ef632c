package scenarios

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// A cluster that a killed run has made is in no state, and yet it is not lost: its account is not released under it, and what is
// planned next finds it, or says how to import it where the configuration has changed.
func TestClusterOfAKilledRunIsNotLost(t *testing.T) {
	t.Parallel()
	s := newClusterStage(t, nil, awsAccounts(2)...)
	c := s.configureCluster(t)
	c.stopped(t, applying, clusterWrite(), fault.BlockAfter(), (*cli.Running).Kill)
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

// A cluster whose deletion was only confirmed lives, and an apply keeps it.
func TestClusterKilledBeforeItsDeletion(t *testing.T) {
	t.Parallel()
	s := newClusterStage(t, nil, awsAccounts(2)...)
	c := s.configureCluster(t)
	c.apply(t)
	uid := c.wantCluster(t, true, "")
	c.stopped(t, destroying, clusterWrite(), fault.BlockAfter(), (*cli.Running).Kill)
	c.wantCluster(t, true, uid)
	c.apply(t)
	c.wantCluster(t, true, uid)
	c.takenDown(t)
}
