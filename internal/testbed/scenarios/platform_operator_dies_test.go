package scenarios

import (
	"context"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

// The real operator dies in the moment in which its finalizer is on a request and the grant is not written. Another one that is started in
// time grants the request, and the apply goes on; without one the request stays in the state until its deletion is over.
func TestPlatformOperatorDies(t *testing.T) {
	t.Parallel()
	acceptance(t)
	platform := openmcp.Own(t)
	provider := &openmcp.Provider{Platform: platform}
	t.Cleanup(provider.Start(context.Background()))
	s := newPlatformStageOn(t, platform, provider, fault.ProxyOptions{})
	before := fault.NewProxy(t, platform.Server(), fault.ProxyOptions{}) // the operator
	through := platform.ServiceAccount(t, s.namespace, "operator", []byte(operatorRole)).Through(t, before.Through)
	start := func() {
		t.Helper()
		if err := platform.StartOperator(t.Context(), openmcp.Usual()); err != nil {
			t.Fatal(err)
		}
	}
	// dies has the operator die after its first write, which is the finalizer.
	dies := func() (dead <-chan struct{}) {
		t.Helper()
		if err := platform.StartOperatorAs(t.Context(), openmcp.Usual(), through); err != nil {
			t.Fatal(err)
		}
		block, killed := fault.BlockAfter(), make(chan struct{})
		before.Spoil(fault.Rule{Resource: requestKind.resource, Fault: block.Fault, When: fault.Exchange.Writes, Nth: 1})
		go func() {
			defer close(killed)
			<-block.Held()
			if err := platform.KillOperator(); err != nil {
				t.Error(err)
			}
			block.Release()
		}()
		return killed
	}
	c := s.configure(t, platformRequest("blue", "mcp"))
	dead := dies()
	running := c.Start(t, applying...)
	awaitDeath(t, dead)
	s.wantSeenByOperator(t)
	start()
	if result := running.Wait(t); result.ExitCode != 0 {
		t.Fatalf("the apply fails:\n%s", result.Output)
	}
	c.wantReady(t, "")
	c.takenDown(t)

	dead = dies()
	c.write(t, platformRequest("blue", "mcp", `timeouts = { create = "45s" }`))
	c.fails(t, applying, "Request is not granted", "it is without a phase")
	awaitDeath(t, dead)
	s.wantSeenByOperator(t)
	if r := c.State(t).Resource(platformBlue); r == nil || !r.Tainted {
		t.Errorf("the state has %+v, want the request that is being deleted", r)
	}
	start()
	c.succeeds(t, applying...)
	c.wantReady(t, "")
	c.takenDown(t)
}

// awaitDeath waits until the operator is dead.
func awaitDeath(t *testing.T, dead <-chan struct{}) {
	t.Helper()
	select {
	case <-dead:
	case <-time.After(operatorTime):
		t.Fatal("the operator has written nothing")
	}
}

// operatorRole has the operator do all it likes.
const operatorRole = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: operator},
  rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]}`

// wantSeenByOperator checks that the operator has seen the only request, and not granted it.
func (s platformStage) wantSeenByOperator(t *testing.T) {
	t.Helper()
	request := s.only(t, requestKind)
	if status, given := request.Object["status"]; len(request.GetFinalizers()) != 1 || given && len(s.live(t, ownKind)) > 0 {
		t.Errorf("the request has the finalizers %v and the status %v", request.GetFinalizers(), status)
	}
}
