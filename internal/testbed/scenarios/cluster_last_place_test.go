package scenarios

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// contender is a configuration with a claim and a cluster of its own name, on the one account of their tenant, which takes one cluster.
// Its cluster is planned, and nothing of it is made yet.
func (s clusterStage) contender(t *testing.T, name string) clusterConfiguration {
	t.Helper()
	settings := `multi_account = { allowed_global_accounts = ["*"], limits = { default = 1 } }`
	c := clusterConfiguration{s.configure(t), s}
	c.write(t, settings, claim(name, "ga-1"))
	c.apply(t)
	c.write(t, settings, claim(name, "ga-1"), strings.ReplaceAll(cluster(), "blue", name))
	return c
}

// Two clusters of two configurations want the last place of an account, and both were planned. The one that comes second is refused
// before its POST, also where the place was free a moment ago. Two that are applied at the same moment may both be made, for a Shoot is no
// write of the account: to be safe from that, the claims name their clusters (cluster_name), and a claim is a write of the account.
func TestClusterLastPlace(t *testing.T) {
	t.Parallel()
	s := newClusterStage(t, nil, awsAccounts(1)...)
	one, two := s.contender(t, "blue"), s.contender(t, "green")
	for _, c := range []clusterConfiguration{one, two} {
		c.succeeds(t, "plan", "-out=saved")
	}
	block := fault.BlockAfter()
	lift := s.proxy.Spoil(clusterChecked(block.Fault))
	running := two.Start(t, "apply", "saved")
	block.Wait(t) // the place was free by its check
	lift()
	one.succeeds(t, "apply", "saved")
	block.Release()
	result := running.Wait(t)
	two.tell(t)
	if result.ExitCode == 0 {
		t.Errorf("the second cluster was made:\n%s", result.Output)
	}
	wantMessage(t, result.Output, "Error: Account has no room for the cluster", "this is cluster 2 of limit 1", "Make another claim")
	one.wantCluster(t, true, "")
	two.fails(t, planning, "Account has no room for the cluster", "this is cluster 2 of limit 1")
}

// The same where the first one's POST is still under way: this is what two runs at the same moment can do. Neither cluster is
// lost, and each is in the state of its own configuration.
func TestClusterLastPlaceAtTheSameMoment(t *testing.T) {
	t.Parallel()
	s := newClusterStage(t, nil, awsAccounts(1)...)
	one, two := s.contender(t, "blue"), s.contender(t, "green")
	two.succeeds(t, "plan", "-out=saved") // the POST of the other one is not held for that long
	block := fault.BlockBefore()
	rule := clusterWrite()
	rule.Fault = block.Fault
	lift := s.proxy.Spoil(rule)
	running := one.Start(t, applying...)
	block.Wait(t)
	two.succeeds(t, "apply", "saved")
	lift()
	block.Release()
	if result := running.Wait(t); result.ExitCode != 0 {
		t.Errorf("exit code %d:\n%s", result.ExitCode, result.Output)
	}
	one.tell(t)
	for name, c := range map[string]clusterConfiguration{"blue": one, "green": two} {
		if r := c.State(t).Resource("hap_shoot." + name); r == nil || r.Tainted || r.Values["ready"] != true {
			t.Errorf("the state has %+v of cluster %s", r, name)
		}
	}
	if all := s.live(t); len(all) != 2 {
		t.Errorf("%d Shoots, want both", len(all))
	}
}
