package scenarios

import "testing"

// The API server gets another URL. A cluster that is found behind it with its UID is the same, and the URL is taken over. One that is
// not found there is not taken for gone: the provider may lead elsewhere.
func TestClusterBehindAnotherURL(t *testing.T) {
	t.Parallel()
	s := newClusterStage(t, nil, awsAccounts(1)...)
	c := s.configureCluster(t)
	c.apply(t)
	uid := c.wantCluster(t, true, "")
	before, after := s.proxy.Kubeconfig(t, s.user), s.user.Kubeconfig(t)
	c.Setenv("KUBE_CONFIG_PATH", after)
	c.succeeds(t, "plan", "-detailed-exitcode")
	c.want(t, more)
	c.apply(t)
	c.wantCluster(t, true, uid)
	c.Setenv("KUBE_CONFIG_PATH", before)
	s.removed(t)
	c.fails(t, planning, "Provider leads elsewhere", "API server")
	c.Setenv("KUBE_CONFIG_PATH", after)
	c.apply(t)
	if anew := c.wantCluster(t, true, ""); anew == uid {
		t.Error("the cluster that was deleted is there")
	}
	c.takenDown(t)
}
