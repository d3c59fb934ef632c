package explore

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"
)

// Bound says how far the explorer goes. A preemption is a party that waits although it could go on, while another goes on or time passes.
type Bound struct{ Faults, Preemptions int }

// Stage is one run of the parties by one schedule.
type Stage struct {
	Bound
	// Observe is called whenever the world may have changed; nil = nothing is.
	Observe func()
	// World is the sum of all that decides what may follow beside what the parties know: a walk does not go on from a state that it has met
	// before then. nil = it plays each schedule to its end.
	World func() Sum
	// Over is closed when a run ends early.
	Over chan struct{}

	actors  []*Actor
	arrived chan *Call
	pending []*Call
	lates   []*Late
	last    *Actor // that went on last
	step    int
	begun   time.Time

	schedule  []int // the decisions to repeat
	decided   []int
	widths    []int           // how many choices there were at each decision
	chance    func(n int) int // decides after the end of the schedule; nil = always the first
	faulted   int
	preempted int
	calm      bool
	known     known        // of the walk
	lasts     map[Sum]bool // of the scenario
	met       []met        // that no run of the walk has come to before
	cut       bool         // the run has come to a known state
	schedules int          // that the run counts for

	ends    map[uint64]bool // of the scenario
	telling bool

	mu     sync.Mutex // actors that one moment, or one answer, wakes run side by side until they come to a call
	story  []string
	broken []string
}

// Noting does what an actor notes of itself while no other actor notes anything; note comes to no call.
func (s *Stage) Noting(note func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	note()
}

// Faulted returns how many faults there were so far.
func (s *Stage) Faulted() int { return s.faulted }

// Broken reports whether a promise was broken.
func (s *Stage) Broken() (broken bool) {
	s.Noting(func() { broken = len(s.broken) > 0 })
	return broken
}

// Break notes that a promise was broken. The run ends soon then.
func (s *Stage) Break(format string, args ...any) {
	s.Noting(func() { s.broken = append(s.broken, fmt.Sprintf(format, args...)) })
}

// NewEnd reports whether no schedule of the scenario has come to this end before. What follows an end is the same each time, and need not
// be played again.
func (s *Stage) NewEnd(end uint64) bool {
	if s.ends[end] {
		return false
	}
	s.ends[end] = true
	return true
}

// Telling reports whether the story is wanted.
func (s *Stage) Telling() bool { return s.telling }

// Tell adds a line to the story, where it is wanted. By is nil for what happens after the end.
func (s *Stage) Tell(by *Actor, what string) {
	s.Noting(func() { s.tell(by, what) })
}

func (s *Stage) tell(by *Actor, what string) {
	switch {
	case !s.telling:
	case by == nil:
		s.story = append(s.story, "     in the end: "+what)
	default:
		s.story = append(s.story, fmt.Sprintf("%3d  %8s  %s%s: %s", len(s.story)+1, time.Since(s.begun).Round(time.Millisecond), by.Name,
			strings.Repeat("'", by.Life), strings.TrimSuffix(what, ": ")))
	}
}

// Calm has all calls from now on served at once: what follows is no part of the schedule.
func (s *Stage) Calm() { s.calm = true }

// Play runs the parties to their end, and reports whether they have come to it: a run ends early where a promise is broken, and where it
// comes to a state from which the walk has gone on before.
func (s *Stage) Play(actors ...*Actor) (ended bool) {
	s.actors = actors
	for i, a := range actors {
		a.stage, a.id = s, i
	}
	for _, a := range actors {
		s.begin(a)
	}
	for !s.Broken() && !s.cut {
		s.settle()
		if s.allEnded() {
			if s.lasts != nil {
				s.lasts[s.state()] = true
			}
			return !s.Broken()
		}
		options := s.options()
		switch {
		case len(options) == 0 && len(s.pending) == 0:
			s.pass()
		case len(options) == 0:
			s.Break("the explorer has no way to go on")
		default:
			if s.cut = len(s.decided) >= len(s.schedule) && s.isKnown(); s.cut {
				break
			}
			s.step++ // before the party goes on, beside this
			options[s.decide(len(options))]()
		}
	}
	s.stop()
	return false
}

// begin has an actor come to its first call, before another one begins: which of two operations of a process gets its lock must not be
// left to chance.
func (s *Stage) begin(a *Actor) {
	go a.live()
	s.settle()
}

// settle waits until each actor has come to a call, sleeps, waits for another, or has ended.
func (s *Stage) settle() {
	synctest.Wait()
	for {
		select {
		case c := <-s.arrived:
			s.note(c)
		default:
			for _, a := range s.actors {
				if a.proc != nil {
					a.proc.known()
				}
			}
			if s.Observe != nil {
				s.Observe()
			}
			return
		}
	}
}

func (s *Stage) note(c *Call) {
	if c.end {
		c.by.ended = true
		return
	}
	i, _ := slices.BinarySearchFunc(s.pending, c, func(a, b *Call) int { return a.by.id - b.by.id })
	s.pending = slices.Insert(s.pending, i, c)
}

func (s *Stage) allEnded() bool {
	return !slices.ContainsFunc(s.actors, func(a *Actor) bool { return !a.ended })
}

// stop ends a run early: each process dies.
func (s *Stage) stop() {
	s.calm = true
	close(s.Over)
	for _, a := range s.actors {
		if a.proc != nil {
			a.proc.dead = true
			a.proc.cancel()
		}
	}
	for !s.allEnded() {
		for _, c := range s.pending {
			c.resume <- killed
		}
		s.pending = nil
		s.note(<-s.arrived)
	}
}

// options are the ways to go on from here, the one without fault and preemption first.
func (s *Stage) options() (all []func()) {
	now := time.Now()
	for _, c := range s.pending {
		if !c.Until.IsZero() && !now.Before(c.Until) {
			return []func(){func() { s.serve(c, Served) }}
		}
	}
	running := s.last != nil && slices.ContainsFunc(s.pending, func(c *Call) bool { return c.by == s.last })
	mayPreempt := s.preempted < s.Preemptions
	for _, c := range s.inOrder() {
		cost := 0
		if running && c.by != s.last {
			cost = 1
		}
		if cost > 0 && !mayPreempt {
			continue
		}
		all = append(all, func() { s.preempted += cost; s.serve(c, Served) })
		for _, f := range c.Faults {
			if s.faulted < s.Faults {
				all = append(all, func() { s.preempted += cost; s.faulted++; s.serve(c, f) })
			}
		}
	}
	s.lates = slices.DeleteFunc(s.lates, func(l *Late) bool { return !l.Stands() })
	for _, l := range s.lates {
		if l.since < s.step || len(s.pending) == 0 { // at once it is a lost answer
			all = append(all, func() { s.arrive(l) })
		}
	}
	if s.sleeping() > 0 && len(s.pending) > 0 && mayPreempt {
		all = append(all, func() { s.preempted++; s.pass() })
	}
	if len(s.pending) == 0 && len(all) > 0 { // or nothing arrives before time passes
		all = append([]func(){s.pass}, all...)
	}
	return all
}

// inOrder are the calls that wait, the one of the actor that went on last first.
func (s *Stage) inOrder() []*Call {
	order := slices.Clone(s.pending)
	slices.SortStableFunc(order, func(a, b *Call) int {
		switch {
		case a.by == s.last && b.by != s.last:
			return -1
		case b.by == s.last && a.by != s.last:
			return 1
		}
		return 0
	})
	return order
}

// sleeping is how many actors wait for time to pass, or for another actor.
func (s *Stage) sleeping() (n int) {
	for _, a := range s.actors {
		if !a.ended && !a.Idle && !slices.ContainsFunc(s.pending, func(c *Call) bool { return c.by == a }) {
			n++
		}
	}
	return n
}

func (s *Stage) decide(n int) int {
	if n == 1 {
		return 0
	}
	choice, i := 0, len(s.decided)
	switch {
	case i < len(s.schedule):
		choice = s.schedule[i]
	case s.chance != nil:
		choice = s.chance(n)
	}
	if choice >= n {
		s.Break("decision %d of the schedule has %d choices, not %d: the run is not the one that made the schedule", i+1, n, choice+1)
		choice = 0
	}
	s.decided, s.widths = append(s.decided, choice), append(s.widths, n)
	return choice
}

// serve lets a call go on.
func (s *Stage) serve(c *Call, f Fate) {
	s.pending = slices.DeleteFunc(s.pending, func(other *Call) bool { return other == c })
	s.last = c.by
	if s.telling {
		s.Tell(c.by, c.What()+": "+fateTexts[f])
	}
	if f.kills() {
		c.by.proc.dead = true
	}
	c.resume <- f
	if c.by.proc != nil && c.by.proc.dead {
		s.bury(c.by.proc)
	}
}

// bury ends all that runs in a process that has died, and begins its operations anew.
func (s *Stage) bury(p *Process) {
	p.cancel()
	for {
		s.settle()
		mates := slices.DeleteFunc(slices.Clone(s.pending), func(c *Call) bool { return c.by.proc != p })
		s.pending = slices.DeleteFunc(s.pending, func(c *Call) bool { return c.by.proc == p })
		for _, c := range mates {
			c.resume <- killed
		}
		switch {
		case p.ended():
			p.rise()
			for _, a := range p.actors {
				a.Life++
				a.ended = false
			}
			p.learned, p.now = Sum(0).Number(int(time.Since(s.begun))), moment{}
			for _, a := range p.actors {
				s.begin(a)
			}
			s.last = nil
			return
		case len(mates) == 0: // one pauses before it would clean up
			s.note(<-s.arrived)
		}
	}
}

// arrive delivers a late write.
func (s *Stage) arrive(l *Late) {
	s.lates = slices.DeleteFunc(s.lates, func(other *Late) bool { return other == l })
	s.Tell(l.By, "what was on its way arrives: "+l.What)
	l.Arrive()
}

// pass lets time pass until an actor comes to a call.
func (s *Stage) pass() {
	const day = 24 * time.Hour
	wait := day
	for _, c := range s.pending {
		if !c.Until.IsZero() {
			wait = min(wait, time.Until(c.Until))
		}
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case c := <-s.arrived:
		s.note(c)
	case <-timer.C:
		if wait == day {
			s.Break("nothing happens for a day")
		}
	}
}
