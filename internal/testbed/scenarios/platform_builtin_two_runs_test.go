package scenarios

import (
	"strings"
	"sync"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// Two configurations are applied at the same moment, with requests that fit on one Cluster: both would make it, and one does. Then both
// are destroyed at the same moment. No plan says that the Cluster goes, so the last request stays on it, until a plan says so.
func TestPlatformBuiltinTwoConfigurations(t *testing.T) {
	t.Parallel()
	s := newBuiltinStage(t)
	one, two := s.configure(t), s.configure(t)
	s.builtin(t, one, "blue", "green")
	s.builtin(t, two, "red", "yellow")

	for _, result := range s.together(t, applying, founded, one, two) {
		if result.ExitCode != 0 {
			t.Fatalf("exit code %d:\n%s", result.ExitCode, result.Output)
		}
	}
	s.wantShared(t, byBuiltin, []string{"blue", "green", "red", "yellow"}, one, two)
	for _, c := range []platformConfiguration{one, two} {
		c.succeeds(t, "plan", "-detailed-exitcode")
	}
	s.mayLose(t, true)
	refused := 0
	for _, result := range s.together(t, destroying, shared, one, two) {
		if result.ExitCode != 0 {
			refused++
			if !strings.Contains(result.Output, "Plan does not say that the Cluster goes") {
				t.Errorf("exit code %d:\n%s", result.ExitCode, result.Output)
			}
		}
	}
	if left := s.live(t, ownKind); refused == 0 || len(left) != 1 {
		t.Errorf("%d destroys are refused, and the Clusters left are %v", refused, left)
	}
	for _, c := range []platformConfiguration{one, two} {
		c.succeeds(t, destroying...)
	}
	s.destroyed(t, one, two)
}

// together runs a command in both configurations. Their first writes of a kind meet: each is sent when both are decided on.
func (s builtinStage) together(t *testing.T, command []string, of write, one, two platformConfiguration) []cli.Result {
	t.Helper()
	meet := fault.BlockBefore()
	defer s.proxy.Spoil(of.met(0, meet.Fault))()
	results := make([]cli.Result, 2)
	var wg sync.WaitGroup
	for i, c := range []platformConfiguration{one, two} {
		running := c.Start(t, command...)
		wg.Go(func() { <-running.Ended(); results[i] = running.Wait(t) })
	}
	for range results {
		meet.Wait(t)
	}
	meet.Release()
	wg.Wait()
	return results
}
