package scenarios

import (
	"maps"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// builtinKills are where a run is killed: before the commit of a write, or behind it.
var builtinKills = map[string]func() *fault.Block{"before": fault.BlockBefore, "after": fault.BlockAfter}

// Two requests of the built-in scheduler share a Cluster, and a run is killed at each write by which they are made and destroyed: the next
// one goes on where that was killed.
func TestPlatformBuiltinKilledAtEachWrite(t *testing.T) {
	t.Parallel()
	for when, block := range builtinKills {
		t.Run(when+" the commit", func(t *testing.T) {
			t.Parallel()
			s := newBuiltinStage(t)
			c := s.configure(t)
			names := []string{"blue", "green"}
			s.builtin(t, c, names...)
			c.killedAtEach(t, applying, block, made("blue"), founded, told("blue"), made("green"), shared, told("green"))
			s.wantShared(t, byBuiltin, names, c)
			c.succeeds(t, "plan", "-detailed-exitcode")
			s.mayLose(t, true)
			c.killedAtEach(t, destroying, block, withdrawn("green"), shared, released("green"),
				withdrawn("blue"), emptied, shared, released("blue"))
			s.destroyed(t, c)
		})
	}
}

// The same where both requests are handed over to the real operator: it takes the same requests with what they have, and takes them down.
func TestPlatformHandOverKilledAtEachWrite(t *testing.T) {
	t.Parallel()
	for when, block := range builtinKills {
		t.Run(when+" the commit", func(t *testing.T) {
			t.Parallel()
			s := newBuiltinStage(t)
			c := s.configure(t)
			names := []string{"blue", "green"}
			s.builtin(t, c, names...)
			c.succeeds(t, applying...)
			before := s.wantShared(t, byBuiltin, names, c)

			c.write(t, s.operatorsRequests(names...)...)
			c.killedAtEach(t, applying, block, released("blue"), released("green"))
			if after := s.wantShared(t, byOperator, names, c); !maps.Equal(before, after) {
				t.Errorf("the requests have %v, before %v", after, before)
			}
			c.succeeds(t, "plan", "-detailed-exitcode")
			s.mayLose(t, true)
			c.killedAtEach(t, destroying, block, withdrawn("green"), withdrawn("blue"))
			s.destroyed(t, c)
		})
	}
}
