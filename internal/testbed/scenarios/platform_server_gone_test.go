package scenarios

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// gone spoils all requests after the first write of a kind: its answer arrives. The returned function has the API server come back.
func (s platformStage) gone(of platformKind) (back func()) {
	write, begun := platformWrite(of), false
	return s.proxy.Spoil(fault.Rule{Fault: fault.Unavailable(0), When: func(x fault.Exchange) bool {
		was := begun
		begun = begun || x.Resource == write.Resource && write.When(x)
		return was
	}})
}

// The API server does not come back before the time of an apply is over: the request can be neither seen nor withdrawn, and by then it is
// granted. It is kept untainted, and the next apply finds its cluster.
func TestPlatformServerGoneBeyondTheWait(t *testing.T) {
	t.Parallel()
	s := newPlatformStage(t, fault.ProxyOptions{})
	c := s.configure(t, platformRequest("blue", "mcp", `timeouts = { create = "10s" }`))
	back := s.gone(requestKind)
	result := c.succeeds(t, applying...)
	back()
	warns(t, result, "Request is not granted", "could not be withdrawn", "It is kept", "the next apply waits on")
	uid := c.wantStanding(t)[platformBlue]
	if ready := c.State(t).Attribute(platformBlue, "ready"); ready != false {
		t.Errorf("ready is %v", ready)
	}
	c.succeeds(t, applying...)
	c.wantReady(t, uid)
	c.takenDown(t)
}
