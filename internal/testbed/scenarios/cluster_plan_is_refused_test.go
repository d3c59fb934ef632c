package scenarios

import "testing"

// A template that Gardener refuses by now stops the plan of a destroy as well: the message says how to go past it, and that works.
func TestClusterDestroyedPastARefusedPlan(t *testing.T) {
	t.Parallel()
	s := newClusterStage(t, nil, awsAccounts(1)...)
	c := s.configureCluster(t)
	c.apply(t)
	uid := c.wantCluster(t, true, "")

	c.want(t, "template:type: medium=>type: huge")
	c.fails(t, destroying, "Gardener refuses the cluster", "Unsupported value", "run destroy with -refresh=false")
	c.wantCluster(t, true, uid)

	c.succeeds(t, destroyingBlind...)
	c.wantGone(t, "destroyed without a refresh")
}
