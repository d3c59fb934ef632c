package scenarios

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// A run is killed while it withdraws a request that was not granted: no state has it, and the next run takes it over and withdraws it.
func TestPlatformKilledWhileGivingUp(t *testing.T) {
	t.Parallel()
	for name, block := range map[string]*fault.Block{"before": fault.BlockBefore(), "after": fault.BlockAfter()} {
		t.Run(name+" the commit", func(t *testing.T) {
			t.Parallel()
			s := newPlatformStage(t, fault.ProxyOptions{})
			hopeless := platformRequest("blue", "nonsense", `timeouts = { create = "20s" }`) // the operator has to see it on a busy machine too
			c := s.configure(t, hopeless)
			lift := s.proxy.Spoil(fault.Rule{Verb: "delete", Resource: requestKind.resource, Fault: block.Fault})
			running := c.Start(t, applying...)
			block.Wait(t)
			running.Kill()
			running.Wait(t)
			lift()
			s.awaitWithdrawn(t)
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

// A request is granted in the moment in which it is withdrawn because its time is over: the withdrawal is refused by its version, and the
// request stays with its cluster, without an error.
func TestPlatformGrantedWhileGivenUp(t *testing.T) {
	t.Parallel()
	s := newPlatformStage(t, fault.ProxyOptions{})
	ignored := `annotations = { "openmcp.cloud/operation" = "ignore" }`
	c := s.configure(t, platformRequest("blue", "mcp", ignored, `timeouts = { create = "2s" }`))
	s.proxy.Spoil(fault.Rule{Verb: "delete", Resource: requestKind.resource, Nth: 1, Fault: fault.Do(func() {
		request := openmcp.New("ClusterRequest", s.namespace, "blue")
		free := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"openmcp.cloud/operation":null}}}`))
		if err := s.Client().Patch(t.Context(), request, free); err != nil {
			t.Error(err)
		}
		s.awaitPhase(t, "Ready")
	}, nil)})
	c.succeeds(t, applying...)
	c.wantReady(t, "")
	c.write(t, platformRequest("blue", "mcp"))
	c.succeeds(t, applying...)
	c.wantReady(t, "")
	c.takenDown(t)
}
