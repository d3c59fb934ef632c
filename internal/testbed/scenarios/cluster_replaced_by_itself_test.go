package scenarios

import "testing"

// With create_before_destroy a replacement finds the cluster that it is to replace: two clusters cannot have one name. The cluster
// is neither destroyed by that run nor by the next, and the message leads out.
func TestClusterIsReplacedByItself(t *testing.T) {
	t.Parallel()
	s := newClusterStage(t, nil, awsAccounts(1)...)
	c := s.configureCluster(t, "lifecycle { create_before_destroy = true }")
	c.apply(t)
	uid := c.wantCluster(t, true, "")
	c.fails(t, append([]string{"apply", "-auto-approve"}, "-replace="+clusterAddress), "Cluster is kept and destroyed", uid, "create_before_destroy",
		"state rm")
	for _, command := range [][]string{planning, applying} {
		c.fails(t, command, "Cluster is kept and destroyed", uid)
	}
	c.want(t)
	c.succeeds(t, "state", "rm", clusterAddress)
	c.succeeds(t, "import", clusterAddress, "blue")
	c.apply(t)
	c.wantCluster(t, true, uid)
	c.settled(t)
}
