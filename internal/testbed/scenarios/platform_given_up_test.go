package scenarios

import (
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// A run is interrupted and killed while it withdraws a request that was not granted: no state has it, and the next run takes it over and
// withdraws it.
func TestPlatformKilledWhileGivingUp(t *testing.T) {
	t.Parallel()
	for name, block := range sampled(t, map[string]*fault.Block{"before": fault.BlockBefore(), "after": fault.BlockAfter()}) {
		t.Run(name+" the commit", func(t *testing.T) {
			t.Parallel()
			s := newPlatformStage(t, fault.ProxyOptions{})
			c := s.configure(t)
			w := c.notGranted(platformRequest("blue", "mcp"))
			w.begin(t)
			lift := s.proxy.Spoil(fault.Rule{Verb: "delete", Resource: requestKind.resource, Fault: block.Fault})
			running := c.Start(t, applying...)
			w.until(t, 0)
			running.Interrupt()
			block.Wait(t)
			running.Kill()
			running.Wait(t)
			lift()
			s.awaitWithdrawn(t)

			if err := os.Rename(filepath.Join(c.Folder, "trace"), filepath.Join(c.Folder, "trace-before")); err != nil {
				t.Fatal(err)
			}
			running = c.Start(t, applying...)
			w.until(t, 0)
			running.Interrupt()
			wantMessage(t, running.Wait(t).Output, w.says()[0], w.says()[1:]...)
			c.wantStanding(t)
			s.wantNothing(t, "withdrawn")

			w.end(t)
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
	c := s.configure(t, platformRequest("blue", "mcp", ignored, `timeouts = { create = "10s" }`))
	s.proxy.Spoil(fault.Rule{Verb: "delete", Resource: requestKind.resource, Nth: 1, Fault: fault.Do(func() {
		request := openmcp.New("ClusterRequest", s.namespace, "blue")
		free := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"openmcp.cloud/operation":null}}}`))
		if err := s.Client().Patch(t.Context(), request, free); err != nil {
			t.Error(err)
		}
		s.awaitGranted(t) // and no longer: the withdrawal has a short time of its own
	}, nil)})
	c.succeeds(t, applying...)
	c.write(t, platformRequest("blue", "mcp"))
	c.succeeds(t, applying...)
	c.wantReady(t, "")
	c.takenDown(t)
}
