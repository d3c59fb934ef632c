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
	pools     map[*explore.Actor]*Pool
	cancels   map[*explore.Actor]context.CancelFunc
	callsFail bool
	began     time.Time
}

func (sc *scenario) play(t *testing.T, run *explore.Stage) {
	t.Helper()
	w := &world{memStore: newStore(sc.accounts()...), counter: newCounter(), policy: sc.policy}
	w.users = w.counter.on
	s := &stage{Stage: run, world: w, truth: newTruth(), pools: map[*explore.Actor]*Pool{}, callsFail: sc.callsFail,
		cancels: map[*explore.Actor]context.CancelFunc{}, began: time.Now()}
	s.checked, s.Observe = len(s.log), s.checkLog
	s.Play(sc.parties(s)...)
	if sc.check != nil && !s.Broken() {
		sc.check(s)
	}
	if !s.Broken() && s.NewEnd(s.end()) {
		s.finish(t)
	}
}

func TestExplore(t *testing.T) {
	t.Parallel()
	all := scenarios()
	explored := make([]explore.Scenario, len(all))
	for i := range all {
		explored[i] = explore.Scenario{Name: all[i].name, Bound: all[i].bound, Play: all[i].play}
	}
	explore.Run(t, "claims", "../../EXPLORED.md", explored)
}
