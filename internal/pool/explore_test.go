//go:build !race

package pool

import (
	"context"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/explore"
)

// The protocol on the explorer: see the package explore. The race detector would take hours, and takes what the explorer keeps of a run for
// a race where time alone wakes a party. What is assumed of the world (a write under an old version is refused, one list is
// one moment, the broker is no slower than the grace time) is shown on the real Garden elsewhere.

// scenario is a pool and the parties that work on it at once.
type scenario struct {
	name      string
	bound     explore.Bound
	callsFail bool // reads are not answered, and writes are refused, too
	policy    account.Policy
	accounts  func() []account.Account
	parties   func(s *stage) []*explore.Actor
	check     func(s *stage) // beside the promises, when all parties have ended; nil = nothing
}

// stage is one run of a scenario by one schedule.
type stage struct {
	*explore.Stage
	*world
	truth
	summary
	actors    []*explore.Actor
	pools     map[*explore.Actor]*Pool
	cancels   map[*explore.Actor]context.CancelFunc
	callsFail bool
	began     time.Time
}

func (sc *scenario) play(t *testing.T, run *explore.Stage) {
	t.Helper()
	w := &world{memStore: newStore(sc.accounts()...), counter: newCounter(), policy: sc.policy}
	w.users = w.counter.on
	s := &stage{Stage: run, world: w, truth: newTruth(), summary: newSummary(), pools: map[*explore.Actor]*Pool{}, callsFail: sc.callsFail,
		cancels: map[*explore.Actor]context.CancelFunc{}, began: time.Now()}
	s.actors = sc.parties(s)
	s.checked, s.Observe, s.World = len(s.log), s.checkLog, s.worldNow
	ended := s.Play(s.actors...)
	if sc.check != nil && ended {
		sc.check(s)
	}
	if ended && !s.Broken() && s.NewEnd(s.end()) {
		s.finish(t)
	}
}

func explored() []explore.Scenario {
	all := scenarios()
	explored := make([]explore.Scenario, len(all))
	for i := range all {
		explored[i] = explore.Scenario{Name: all[i].name, Bound: all[i].bound, Play: all[i].play}
	}
	return explored
}

func TestExplore(t *testing.T) { //nolint:paralleltest // it has one processor
	explore.Run(t, "claims", "../../EXPLORED.md", explored())
}

// A schedule that comes to a state which another has come to before is not played further.
func TestExplore_knownStates(t *testing.T) { //nolint:paralleltest // it has one processor
	explore.Compare(t, explored())
}
