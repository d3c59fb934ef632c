package explore

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

var (
	whole  = flag.Bool("explore", false, "visit all schedules of each scenario")
	repeat = flag.String("schedule", "", "the schedule to repeat, such as 1.2:0.2.1; with -run for its scenario")
)

// Scenario is a world and the parties that work on it at once.
type Scenario struct {
	Name  string
	Bound Bound
	// Costly says that a schedule takes some milliseconds: the sample of them is small.
	Costly bool
	// Play makes the world, plays the parties on it, and says what was broken ([Stage.Break]).
	Play func(t *testing.T, s *Stage)

	ends  map[uint64]bool // that were met, see [Stage.NewEnd]
	known known           // states that the walk has met; nil = each schedule is played to its end
	plain bool            // no walk heeds what is known
	last  map[Sum]bool    // the states in which the parties have ended; nil = these are not noted
}

// played is what has come of one schedule.
type played struct {
	decided, widths []int
	broken, story   []string
	met             []met
	schedules       int
}

func (sc *Scenario) run(t *testing.T) Visited {
	t.Helper()
	switch {
	case *repeat != "":
		sc.repeat(t, *repeat)
		return Visited{}
	case *whole:
		v := sc.visit(t, sc.Bound, 1<<60)
		v.Ends = len(sc.ends)
		sc.wander(t, Bound{sc.Bound.Faults + 1, sc.Bound.Preemptions + 2}, 2000)
		return v
	case sc.Costly:
		v := sc.visit(t, Bound{1, 0}, 60).and(sc.visit(t, Bound{0, 1}, 30))
		sc.wander(t, sc.Bound, 10)
		return v
	}
	played := 120
	if os.Getenv("HAP_WHOLE") != "" {
		played = 300
	}
	v := sc.visit(t, Bound{1, 1}, played).and(sc.visit(t, Bound{2, 0}, played))
	v.Ends = len(sc.ends)
	sc.wander(t, Bound{3, 4}, 30)
	return v
}

// play runs the scenario once.
func (sc *Scenario) play(t *testing.T, b Bound, schedule []int, chance func(int) int, telling bool) played {
	t.Helper()
	if sc.ends == nil {
		sc.ends = map[uint64]bool{}
	}
	var s *Stage
	synctest.Test(t, func(t *testing.T) { // each run has the same times
		s = &Stage{
			Bound: b, ends: sc.ends, arrived: make(chan *Call, 64), begun: time.Now(), schedule: schedule, chance: chance, telling: telling,
			known: sc.known, lasts: sc.last, Over: make(chan struct{}), schedules: 1,
		}
		sc.Play(t, s)
	})
	return played{s.decided, s.widths, s.broken, s.story, s.met, s.schedules}
}

// walk visits all schedules of the bound, depth first; it ends early at the first that breaks a promise, and returns it.
func (sc *Scenario) walk(t *testing.T, b Bound, limit int) (v Visited, failed *played) {
	t.Helper()
	if !sc.plain {
		sc.known = known{}
		defer func() { sc.known = nil }()
	}
	var schedule []int
	var on []met
	for v.Played < limit {
		p := sc.play(t, b, schedule, nil, false)
		for _, m := range p.met {
			m.after = v.Schedules
			on = append(on, m)
		}
		v.Played++
		v.Schedules += p.schedules
		v.Depth = max(v.Depth, len(p.decided))
		if len(p.broken) > 0 {
			return v, &p
		}
		next := len(p.decided) - 1
		for next >= 0 && p.decided[next]+1 == p.widths[next] {
			next--
		}
		if next < 0 {
			return v, nil
		}
		on = sc.known.leave(on, v.Schedules, next)
		schedule = slices.Concat(p.decided[:next], []int{p.decided[next] + 1})
	}
	return v, nil
}

// visit walks through the schedules of a bound, up to a limit of their number, and reports what it finds.
func (sc *Scenario) visit(t *testing.T, b Bound, limit int) Visited {
	t.Helper()
	if t.Failed() {
		return Visited{}
	}
	v, failed := sc.walk(t, b, limit)
	if failed != nil {
		sc.report(t, b, failed)
	}
	return v
}

// wander plays schedules at random beyond the bound.
func (sc *Scenario) wander(t *testing.T, b Bound, n int) {
	t.Helper()
	for range n {
		if t.Failed() {
			return
		}
		seed := rand.Uint64()                  //nolint:gosec // chance, not a secret
		dice := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // chance, not a secret
		p := sc.play(t, b, nil, func(n int) int {
			if dice.IntN(3) > 0 {
				return 0
			}
			return dice.IntN(n)
		}, false)
		if len(p.broken) > 0 {
			t.Logf("random seed %d", seed)
			sc.report(t, b, &p)
		}
	}
}

// report fails the test with the story of the simplest schedule that breaks a promise.
func (sc *Scenario) report(t *testing.T, b Bound, failed *played) {
	t.Helper()
	sc.ends = nil
	for f := range b.Faults + 1 {
		for p := range b.Preemptions + 1 {
			smaller := Bound{f, p}
			if smaller == b {
				continue
			}
			if _, found := sc.walk(t, smaller, 100_000); found != nil {
				sc.story(t, smaller, found)
				return
			}
		}
	}
	sc.story(t, b, failed)
}

// story plays a schedule again, and tells what happens. Where it breaks no promise this time, chance is at play, which is a fault of the
// scenario: then it says what was broken before.
func (sc *Scenario) story(t *testing.T, b Bound, failed *played) {
	t.Helper()
	sc.ends = nil
	p := sc.play(t, b, failed.decided, nil, true)
	if len(p.broken) == 0 {
		p.broken = append([]string{"played again it breaks no promise; before it did:"}, failed.broken...)
	}
	t.Errorf("with %d faults and %d preemptions:\n%s\n%s\nrepeat it with -run '%s' -schedule %d.%d:%s", b.Faults, b.Preemptions,
		strings.Join(p.story, "\n"), strings.Join(p.broken, "\n"), t.Name(), b.Faults, b.Preemptions, written(failed.decided))
}

func written(schedule []int) string {
	texts := make([]string, len(schedule))
	for i, choice := range schedule {
		texts[i] = strconv.Itoa(choice)
	}
	return strings.Join(texts, ".")
}

// repeat plays one schedule and tells its story.
func (sc *Scenario) repeat(t *testing.T, text string) {
	t.Helper()
	head, list, _ := strings.Cut(text, ":")
	var b Bound
	if _, err := fmt.Sscanf(head, "%d.%d", &b.Faults, &b.Preemptions); err != nil {
		t.Fatal(err)
	}
	var schedule []int
	for part := range strings.SplitSeq(list, ".") {
		if choice, err := strconv.Atoi(part); err == nil {
			schedule = append(schedule, choice)
		}
	}
	p := sc.play(t, b, schedule, nil, true)
	t.Logf("\n%s\n%s", strings.Join(p.story, "\n"), strings.Join(p.broken, "\n"))
}
