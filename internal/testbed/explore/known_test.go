package explore

import (
	"strings"
	"testing"
	"time"
)

// register is a world of one number that several parties add to: each reads it, and writes what it has read and one more.
type register struct {
	value, version int
	versioned      bool // a write under an old version is refused
}

func (r *register) read(a *Actor) (value, version int) {
	a.Call(Call{What: func() string { return "reads" }})
	a.Learns(Sum(0).Number(r.value, r.version))
	return r.value, r.version
}

// write reports whether the write has taken effect, as far as the party knows.
func (r *register) write(a *Actor, value, version int) (done bool) {
	f := a.Call(Call{What: func() string { return "writes" }, Faults: []Fate{WriteLost, DiesBefore}})
	if done = f == Served && (!r.versioned || version == r.version); done {
		r.value, r.version = value, r.version+1
	}
	a.Learns(Sum(0).Flag(done))
	return done
}

// adding is three parties that add to a register until they know that they have; each thinks for a while before it writes.
func adding(versioned bool, thought ...time.Duration) *Scenario {
	return &Scenario{Name: "adding", Play: func(_ *testing.T, s *Stage) {
		r := &register{versioned: versioned}
		s.World = func() Sum { return Sum(0).Number(r.value, r.version) }
		actors := make([]*Actor, 3)
		for i := range actors {
			actors[i] = &Actor{Name: "party", Run: func(a *Actor) {
				for {
					value, version := r.read(a)
					if i < len(thought) {
						time.Sleep(thought[i])
					}
					if r.write(a, value+1, version) {
						return
					}
				}
			}}
			NewProcess(func() {}, actors[i])
		}
		if s.Play(actors...) && r.value != len(actors) {
			s.Break("%d parties have added one each, and it is %d", len(actors), r.value)
		}
	}}
}

func TestWalk_knownStates(t *testing.T) {
	t.Parallel()
	b := Bound{Faults: 1, Preemptions: 2}
	adding(true, time.Second, 2*time.Second, time.Second).compare(t, b) // one that sleeps may still be the one that went on last
	if all, some := adding(true).compare(t, b); some.Played >= all.Played {
		t.Errorf("%d schedules heed known states, of %d", some.Played, all.Played)
	}
	for _, plain := range []bool{true, false} {
		sc := adding(false)
		sc.plain = plain
		if _, failed := sc.walk(t, b, 1<<60); failed == nil || !strings.Contains(failed.broken[0], "have added one each") {
			t.Errorf("a register without versions loses no addition (plain: %t): %v", plain, failed)
		}
	}
}
