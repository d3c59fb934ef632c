package scenarios

import (
	"testing"

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
	c.awaitTold(t, "now Not Ready")
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
	c.awaitTold(t, "now Pending")
	running.Interrupt()
	wantMessage(t, running.Wait(t).Output, "Error: Request is not granted", `no Cluster has the purpose "nonsense"`, "The request was withdrawn")
	c.wantStanding(t)
	s.wantNothing(t, "interrupted")
}
