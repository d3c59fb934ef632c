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

// A request is deleted by another party, and another one made under its name, in the moment in which a destroy deletes it: the other one
// stays.
func TestPlatformMadeAnewBeforeItsDeletion(t *testing.T) {
	t.Parallel()
	s := newPlatformStage(t, fault.ProxyOptions{})
	c := s.configure(t, platformRequest("blue", "mcp"))
	c.succeeds(t, applying...)
	uid := c.wantStanding(t)[platformBlue]
	s.mayLose(t, true)
	other := openmcp.New("ClusterRequest", s.namespace, "blue")
	s.proxy.Spoil(fault.Rule{Verb: "delete", Resource: requestKind.resource, Nth: 1, Fault: fault.Do(func() {
		s.lose(t, s.only(t, requestKind))
		other.SetAnnotations(map[string]string{"openmcp.cloud/operation": "ignore"})
		other.Object["spec"] = map[string]any{"purpose": "mcp"}
		if err := s.Client().Create(t.Context(), other); err != nil {
			t.Error(err)
		}
	}, nil)})
	c.succeeds(t, destroying...)
	if now := s.only(t, requestKind); now.GetUID() != other.GetUID() || string(now.GetUID()) == uid || now.GetDeletionTimestamp() != nil {
		t.Errorf("there is %s, made was %s", now.GetUID(), other.GetUID())
	}
	if left := c.State(t).Addresses(); len(left) > 0 {
		t.Errorf("destroyed: the state has %v", left)
	}
}
