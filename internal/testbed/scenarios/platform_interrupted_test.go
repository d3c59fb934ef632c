package scenarios

import (
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// Ctrl-C while an apply waits for a cluster: the request is in the state, untainted, and the next apply waits on.
func TestPlatformInterruptedBehindTheGrant(t *testing.T) {
	t.Parallel()
	s := newPlatformStage(t, fault.ProxyOptions{})
	s.provider.Set(s.namespace, "", openmcp.Course{Never: true, Says: "the quota is used up"})
	c := s.configure(t, platformRequest("blue", "mcp"))
	running := c.Start(t, applying...)
	s.awaitWatches(t, "clusters", 1)
	s.awaitPhase(t, "Not Ready")
	running.Interrupt()
	warns(t, running.Wait(t), "Requested cluster is not ready", "the quota is used up", "the next apply waits on")
	uid := c.wantStanding(t)[platformBlue]

	s.provider.Set(s.namespace, "", openmcp.Course{})
	c.succeeds(t, applying...)
	c.wantReady(t, uid)
	c.takenDown(t)
}

// Ctrl-C while an apply waits for a grant: the request is withdrawn, and nothing is left.
func TestPlatformInterruptedBeforeTheGrant(t *testing.T) {
	t.Parallel()
	s := newPlatformStage(t, fault.ProxyOptions{})
	c := s.configure(t, platformRequest("blue", "nonsense"))
	running := c.Start(t, applying...)
	s.awaitWatches(t, requestKind.resource, 1)
	time.Sleep(time.Second) // the operator sees it
	running.Interrupt()
	wantMessage(t, running.Wait(t).Output, "Error: Request is not granted", `no Cluster has the purpose "nonsense"`, "The request was withdrawn")
	c.wantStanding(t)
	s.wantNothing(t, "interrupted")
}

// A run is killed while it withdraws a request that was not granted: no state has it, and the next run takes it over and withdraws it.
func TestPlatformKilledWhileGivingUp(t *testing.T) {
	t.Parallel()
	for name, block := range map[string]*fault.Block{"before": fault.BlockBefore(), "after": fault.BlockAfter()} {
		t.Run(name+" the commit", func(t *testing.T) {
			t.Parallel()
			s := newPlatformStage(t, fault.ProxyOptions{})
			hopeless := platformRequest("blue", "nonsense", `timeouts = { create = "2s" }`)
			c := s.configure(t, hopeless)
			lift := s.proxy.Spoil(fault.Rule{Verb: "delete", Resource: requestKind.resource, Fault: block.Fault})
			running := c.Start(t, applying...)
			block.Wait(t)
			running.Kill()
			running.Wait(t)
			lift()
			c.fails(t, applying, "Request is not granted", `no Cluster has the purpose "nonsense"`, "The request was withdrawn")
			c.wantStanding(t)
			s.wantNothing(t, "withdrawn")

			c.write(t, platformRequest("blue", "mcp"))
			c.succeeds(t, applying...)
			c.wantReady(t, "")
			c.takenDown(t)
		})
	}
}
