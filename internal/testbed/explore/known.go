package explore

import (
	"encoding/binary"
	"hash/maphash"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"
)

// A walk need not go on from a state that it has met before: what follows is the same. The state of a run is that of its world, of its
// parties, and of what is on its way. A process cannot be summed up by what is in its memory; but all that it does follows from what it has
// learned since its start, and when, because nothing is left to chance: so its state is the sum of what it has learned. Schedules that
// order independent steps in another way come to the same state (two reads, writes to different objects), and so do those that have a
// process die before a write, or after the one before.
//
// What may still happen depends on the faults and the preemptions that are left, too: they are a part of the state. So as many schedules
// go on from a state each time that it is met, and the walk counts them all, although it plays them once.

// known are the states that a walk has met, with how many schedules go on from each; 0 = the walk is at it.
type known map[Sum]int

// met is a state that a run was the first to come to.
type met struct {
	at    int // decisions before it
	state Sum
	after int // the schedules that the walk had counted before
}

// leave takes in how many schedules go on from the states that the walk has been at, and leaves for good with its next decision.
func (k known) leave(on []met, counted, next int) []met {
	for len(on) > 0 && on[len(on)-1].at > next {
		last := on[len(on)-1]
		k[last.state], on = counted-last.after, on[:len(on)-1]
	}
	return on
}

// moment is what the parts of a process learn while the explorer waits for them. They run at once, and which of them is first is chance: so
// each has a sum of its own.
type moment struct {
	at   time.Duration
	from map[string]*maphash.Hash
}

// add adds what one of them has learned.
func (m *moment) add(from string, text []byte) {
	h := m.from[from]
	if h == nil {
		h = &maphash.Hash{}
		h.SetSeed(seed)
		if m.from == nil {
			m.from = map[string]*maphash.Hash{}
		}
		m.from[from] = h
	}
	_, _ = h.Write(text)
}

// endMoment has what a process has learned be known in its order from here on. Its caller holds the lock.
func (p *Process) endMoment() {
	if len(p.now.from) == 0 {
		return
	}
	var all Sum // in any order
	for from, h := range p.now.from {
		all += Sum(0).Text(from).With(Sum(h.Sum64()))
	}
	p.learned, p.now.from = p.learned.With(all).Number(int(p.now.at)), nil
}

// Learns adds what the actor has learned to what its process knows.
func (a *Actor) Learns(what Sum) {
	switch {
	case a.stage == nil:
	case a.proc != nil:
		a.LearnsBeside(a.Name, binary.BigEndian.AppendUint64(nil, uint64(what)))
	default:
		a.learned = a.learned.With(what).Number(int(time.Since(a.stage.begun)))
	}
}

// LearnsBeside adds what a part of the actor's process has learned that runs beside the actor, such as a watch; in how many pieces makes no
// difference.
func (a *Actor) LearnsBeside(part string, text []byte) {
	if a.stage == nil {
		return
	}
	p := a.proc
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := time.Since(a.stage.begun); at != p.now.at {
		p.endMoment()
		p.now.at = at
	}
	p.now.add(part, text)
}

// known is what the process has learned so far.
func (p *Process) known() Sum {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endMoment()
	return p.learned
}

// ended reports whether all operations of the process have ended: then what it has learned makes no difference any more.
func (p *Process) ended() bool {
	return !slices.ContainsFunc(p.actors, func(a *Actor) bool { return !a.ended })
}

// Forgets says that what the actor has learned before makes no difference any more.
func (a *Actor) Forgets() { a.learned = 0 }

// Compare visits scenarios up to a smaller bound, with heed to the states that are known and without: both have to come to the same last
// states, and to count as many schedules. With the flag -explore it compares all scenarios, otherwise one by chance.
func Compare(t *testing.T, scenarios []Scenario) {
	t.Helper()
	if *whole && os.Getenv(alone) == "" {
		eachAlone(t, scenarios, nil, func(string, string) {})
		return
	}
	oneAtATime(t)
	b := Bound{1, 1}
	if !*whole {
		i := rand.IntN(len(scenarios)) //nolint:gosec // chance, not a secret
		b, scenarios = Bound{1, 0}, scenarios[i:i+1]
	}
	for i := range scenarios {
		sc := &scenarios[i]
		t.Run(sc.Name, func(t *testing.T) {
			t.Parallel()
			all, some := sc.compare(t, b)
			t.Logf("%d schedules, of which %d come to all last states", all.Schedules, some.Played)
		})
	}
}

// compare returns what was visited without heed to what is known, and with it.
func (sc *Scenario) compare(t *testing.T, b Bound) (all, some Visited) {
	t.Helper()
	heeds := map[Sum]bool{}
	sc.plain, sc.last = false, heeds
	some = sc.visit(t, b, 1<<60)
	sc.plain, sc.last = true, map[Sum]bool{}
	all = sc.visit(t, b, 1<<60)
	if !t.Failed() && !maps.Equal(heeds, sc.last) {
		t.Errorf("with heed to known states there are %d last states, and without %d others", len(heeds), len(sc.last))
	}
	if all.Schedules != some.Schedules {
		t.Errorf("with heed to known states %d schedules are counted, and there are %d", some.Schedules, all.Schedules)
	}
	return all, some
}

// isKnown notes the state of the run, and reports whether its walk has met it before.
func (s *Stage) isKnown() bool {
	if s.known == nil || s.World == nil || s.telling || s.chance != nil {
		return false
	}
	state := s.state().Number(s.faulted, s.preempted)
	n, there := s.known[state]
	switch {
	case n > 0:
		s.schedules = n
	case !there:
		s.known[state] = 0
		s.met = append(s.met, met{at: len(s.decided), state: state})
	}
	return n > 0
}

// state sums up all that decides what may follow, but for the faults and preemptions that are left.
func (s *Stage) state() Sum {
	sum := s.World().Number(int(time.Since(s.begun)))
	for _, a := range s.actors {
		sum = sum.Flag(a.ended, a.Idle).Number(a.Life)
		switch {
		case a.proc != nil && !a.proc.ended():
			sum = sum.With(a.proc.known())
		case !a.ended:
			sum = sum.With(a.learned)
		}
	}
	last := -1
	if s.last != nil && !s.last.ended { // it goes on without a preemption, also where it sleeps now
		last = s.last.id
	}
	sum = sum.Number(last)
	for _, c := range s.pending { // what it asks for follows from what its process knows; what can become of it was judged when it came
		sum = sum.Number(c.by.id, len(c.Faults), int(c.Until.Sub(s.begun)))
	}
	onTheirWay := make([]Sum, len(s.lates))
	for i, l := range s.lates {
		onTheirWay[i] = l.Sum.Number(l.By.id, l.life).Flag(l.since < s.step)
	}
	slices.Sort(onTheirWay)
	for _, one := range onTheirWay {
		sum = sum.With(one)
	}
	return sum
}
