package main

import (
	"context"
	"slices"
)

const (
	// tofuRounds is how often the commands of tofu are timed at most: one round takes a minute.
	tofuRounds = 3
	// manyObjects is up to how many objects of a configuration requests are counted in a round of its own. With more of them a round takes a
	// quarter of an hour, of which the count takes a small part: one round is watched and timed.
	manyObjects = 500
)

// steps are the commands that are measured, in this order. A plan fails where something would change.
var steps = []struct {
	name      string
	arguments []string
}{
	{"apply", []string{"apply", "-auto-approve", "-input=false"}},
	{"plan without changes", []string{"plan", "-detailed-exitcode", "-input=false"}},
	{"destroy", []string{"destroy", "-auto-approve", "-input=false"}},
}

// subject is something of which each step is measured.
type subject struct {
	what string
	// run takes all steps and has a row for each. In a round that is watched, requests are counted and memory is measured.
	run func(ctx context.Context, watched bool) ([]row, error)
	// found has a row for each step.
	found []row
}

// round takes all steps. Of the rounds that are timed the fastest counts.
func (s *subject) round(ctx context.Context, watched, timed bool) error {
	now, err := s.run(ctx, watched)
	if err != nil {
		return err
	}
	s.found = slices.Grow(s.found, len(now))[:len(now)]
	for i, now := range now {
		best := &s.found[i]
		if watched {
			best.PeakMemory, best.Requests, best.Details = now.PeakMemory, now.Requests, now.Details
		}
		if timed && (best.Wall == 0 || now.Wall < best.Wall) {
			best.Wall, best.CPU, best.ProviderCPU = now.Wall, now.CPU, now.ProviderCPU
		}
	}
	return nil
}

// timed is how many rounds are timed of configurations of n objects.
func timed(rounds, n int) int {
	if n > manyObjects {
		return 1
	}
	return min(rounds, tofuRounds)
}

// byTurns measures subjects with n objects each by turns, so that a slow moment of the machine does not hit one of them alone, and cleans
// up after each round. The first round counts the requests and measures the memory, both of which take time; the others are timed, or this
// one too where there are more than manyObjects.
func (b *bench) byTurns(ctx context.Context, n int, clean func() error, subjects ...*subject) error {
	first, last := 0, timed(b.rounds, n)
	if n > manyObjects {
		first = last
	}
	for round := first; round <= last; round++ {
		tell("%s, round %d of %d", subjects[len(subjects)-1].what, round, last)
		for _, s := range subjects {
			if err := s.round(ctx, round == first, round > 0); err != nil {
				return err
			}
		}
		if err := clean(); err != nil {
			return err
		}
	}
	return nil
}

// addSteps adds the rows of a floor and of what is beside it, a step after the other.
func (b *bench) addSteps(part string, n int, floor *subject, others ...*subject) {
	for i, step := range steps {
		under := floor.what + ": " + step.name
		for _, s := range append([]*subject{floor}, others...) {
			r := s.found[i]
			r.Part, r.What, r.Objects = part, s.what+": "+step.name, n
			if s != floor {
				r.Floor = under
			}
			b.addRow(r)
		}
	}
}
