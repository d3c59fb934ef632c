package scenarios

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// spoil is what becomes of the first tries of a write.
type spoil struct {
	faults  []fault.Fault
	refused bool // nothing is written, and the run may end
}

// spoils are all that can become of a write, but that it hangs.
var spoils = []spoil{
	{faults: []fault.Fault{fault.CutBefore()}}, {faults: []fault.Fault{fault.CutAfter()}}, {faults: []fault.Fault{fault.CutWithin()}},
	{faults: []fault.Fault{fault.LoseAfter(http.StatusBadGateway)}},
	// The first request comes after the read and before the second one.
	{faults: []fault.Fault{fault.CommitLate(time.Second), fault.Delay(3 * time.Second)}},
	{[]fault.Fault{fault.TooManyRequests(time.Second)}, true}, {[]fault.Fault{fault.InternalError()}, true}, {[]fault.Fault{fault.Unavailable(0)}, true},
}

// readsOfACommand is up to which read of a command one is spoilt, or the run is interrupted there, by chance.
const readsOfACommand = 8

// Each write of a command is spoilt, and one of its reads. Where an answer is lost, the same run finds out what was written, and goes on. One
// that is turned away may end the run: then the next run goes on. Nothing is made twice, and nothing is said of an object that was made
// before. The spoils go round: which of them comes first is chance.
func TestAnyFault(t *testing.T) {
	t.Parallel()
	dice := rand.New(rand.NewPCG(randomSeed(t), 0)) //nolint:gosec // no secret depends on it
	for name, f := range families() {
		first, last := 0, len(spoils)-1
		if os.Getenv(wholeVariable) == "" {
			first = dice.IntN(len(spoils))
			last = first
		}
		for ; first <= last; first++ {
			seed := dice.Uint64()
			t.Run(fmt.Sprintf("%s, from %s on", name, spoils[first].faults[0]), func(t *testing.T) {
				t.Parallel()
				of := append(slices.Clone(spoils[first:]), spoils[:first]...)
				f.begin(t, fault.ProxyOptions{HTTP1: seed%2 == 0}).spoilt(t, of, rand.New(rand.NewPCG(seed, 0))) //nolint:gosec // as above
			})
		}
	}
}

// spoilt plays a life whose writes are spoilt, one after the other, and some of its reads.
func (l life) spoilt(t *testing.T, all []spoil, dice *rand.Rand) {
	t.Helper()
	next := 0
	for _, p := range l.phases {
		if p.prepare != nil {
			p.prepare(t)
		}
		expected, mayEnd := map[write]fault.Fault{}, p.fails // writes that are alike are spoilt once, the first of them
		for _, w := range p.writes {
			if _, done := expected[w]; done {
				continue
			}
			of := all[next%len(all)]
			next++
			for i, f := range of.faults {
				l.proxy.Spoil(w.met(i+1, f))
			}
			expected[w] = of.faults[0]
			mayEnd = mayEnd || of.refused
		}
		read := []fault.Fault{fault.TooManyRequests(time.Second), fault.InternalError(), fault.Unavailable(0), fault.CutBefore(), fault.CutWithin()}
		l.proxy.Spoil(fault.Rule{Nth: 1 + dice.IntN(readsOfACommand), Fault: read[dice.IntN(len(read))], When: isRead})
		begun := len(l.proxy.Log())
		for try := 0; ; try++ {
			running := l.Start(t, p.command...)
			result := running.Wait(t)
			l.tell(t)
			if p.found != "" && strings.Contains(result.Output, p.found) { // whatever it names
				t.Errorf("%s: the object is this run's own:\n%s", p.name, result.Output)
			}
			if result.ExitCode == 0 {
				break
			}
			if !mayEnd || try > len(p.writes) {
				t.Fatalf("%s: exit code %d:\n%s", p.name, result.ExitCode, result.Output)
			}
			l.agrees(t, p.command[0] == destroying[0])
		}
		for w, f := range expected {
			is := w.met(0, f)
			if !slices.ContainsFunc(l.proxy.Log()[begun:], func(x fault.Exchange) bool { return is.When(x) && x.Fault == f.String() }) {
				t.Errorf("%s: %v did not meet %s", p.name, w, f)
			}
		}
		l.proxy.Lift()
		p.ended(t, l, past{})
	}
}
