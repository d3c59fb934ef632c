package scenarios

import (
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// The answers to the writes of the built-in scheduler are lost, each once, also those of the handover: the same run finds out what was written,
// and goes on. Nothing is granted twice, and nothing is left over.
func TestPlatformBuiltinAnswerLost(t *testing.T) {
	t.Parallel()
	for name, faults := range sampled(t, map[string][]fault.Fault{
		"cut before the commit": {fault.CutBefore()},
		"cut after the commit":  {fault.CutAfter()},
		"502":                   {fault.LoseAfter(http.StatusBadGateway)},
		// The first request comes behind the read and before the second one.
		"committed late": {fault.CommitLate(500 * time.Millisecond), fault.Delay(1500 * time.Millisecond)},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newBuiltinStage(t)
			c := s.configure(t)
			names := []string{"blue", "green"}
			play := func(command []string, writes ...write) {
				t.Helper()
				for _, w := range writes {
					for i, f := range faults {
						s.proxy.Spoil(w.met(i+1, f))
					}
				}
				begun, lost := len(s.proxy.Log()), 0
				c.succeeds(t, command...)
				for _, x := range s.proxy.Log()[begun:] {
					if x.Fault == faults[0].String() {
						lost++
					}
				}
				s.proxy.Lift()
				if lost != len(writes) {
					t.Errorf("%s: %d answers were lost, want %d", command[0], lost, len(writes))
				}
			}
			s.builtin(t, c, names...)
			play(applying, made("blue"), founded, told("blue"), made("green"), shared, told("green"))
			before := s.wantShared(t, byBuiltin, names, c)
			c.succeeds(t, "plan", "-detailed-exitcode")

			c.write(t, s.operatorsRequests(names...)...)
			play(applying, released("blue"), released("green"))
			if after := s.wantShared(t, byOperator, names, c); !maps.Equal(before, after) {
				t.Errorf("the requests have %v, before %v", after, before)
			}
			s.mayLose(t, true)
			c.succeeds(t, destroying...)
			s.wantNothing(t, "handed over and destroyed")

			s.builtin(t, c, names...)
			c.succeeds(t, applying...)
			play(destroying, withdrawn("green"), shared, released("green"), withdrawn("blue"), emptied, released("blue"))
			s.destroyed(t, c)
		})
	}
}
