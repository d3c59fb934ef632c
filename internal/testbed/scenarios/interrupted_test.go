package scenarios

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// wait is what a command waits for.
type wait struct {
	command []string              // nil = that of the phase
	begin   func(*testing.T)      // has the command wait
	until   func(*testing.T, int) // returns when the command waits; so many requests were made before it
	says    func() []string       // what the run says that is interrupted then, its title first
	check   func(*testing.T)      // what there is then; nil = what there was
	end     func(*testing.T)      // has the next command go on
	kept    bool                  // all is written by then: the next run waits on, and writes nothing
}

// A run is interrupted (Ctrl-C) at each of its writes, before the server has committed the write or after that, and while it waits; or at one
// of its reads. It ends with a state that has what there is, untainted, and begins no other write, but to take back what it cannot finish. The
// next run goes on: no write is done twice, and no object is found that no state has.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	type row struct {
		family
		play func(life, *testing.T)
	}
	rows := map[string]row{}
	for name, f := range families() {
		rows[name+", before its writes"] = row{f, func(l life, t *testing.T) { t.Helper(); l.interrupted(t, kill{}) }}
		rows[name+", after its writes and while it waits"] = row{f, func(l life, t *testing.T) { t.Helper(); l.interrupted(t, kill{committed: true}) }}
		rows[name+", at a read"] = row{f, life.interruptedAtReads}
	}
	for name, row := range sampled(t, rows) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.play(row.begin(t, fault.ProxyOptions{}), t)
		})
	}
}

// interrupted plays a life whose runs are interrupted at their writes, and after these while they wait.
func (l life) interrupted(t *testing.T, k kill) {
	t.Helper()
	for _, p := range l.phases {
		if p.prepare != nil {
			p.prepare(t)
		}
		var kept []wait
		for _, w := range p.waits {
			switch {
			case !k.committed:
			case w.kept:
				w.begin(t)
				kept = append(kept, w)
			default:
				w.begin(t)
				l.interruptedWaiting(t, p, w)
				w.end(t)
			}
		}
		begun := len(l.proxy.Log())
		l.interruptedAtWrites(t, p, k, len(kept) > 0)
		for _, w := range kept {
			l.interruptedWaiting(t, p, w)
			w.end(t)
		}
		written := len(l.written(p, begun))
		l.goesOn(t, p)
		if now := l.written(p, begun); len(kept) > 0 && len(now) != written {
			t.Errorf("%s: the run that waits on has written: %v", p.name, now[written:])
		}
		l.wroteOnce(t, p, begun)
	}
}

// interruptedAtWrites interrupts the command of a phase at each of its writes, or at one of them, where the next run waits after it.
func (l life) interruptedAtWrites(t *testing.T, p phase, k kill, waits bool) {
	t.Helper()
	first, last := 0, len(p.writes)-1
	if waits && last > 0 {
		first = int(randomSeed(t) % uint64(len(p.writes))) //nolint:gosec // a small number
		last = first
	}
	for i := first; i <= last; i++ {
		w, nth := p.writes[i], 1
		switch same := func(before write) bool { return before == w }; {
		case p.undoes || i == first: // what comes before is written in this run
			nth += count(p.writes[:i], same)
		case !k.committed && same(p.writes[i-1]):
			nth = 2
		}
		// The run before may have done it, or may have left nothing to do.
		if !l.interruptedAt(t, p, w.met(nth, fault.Fault{}), k) && i == first {
			t.Errorf("%s: it ends without %v", p.name, w)
		}
	}
}

// wroteOnce checks that what a phase makes and deletes was made and deleted once, however many runs it took.
func (l life) wroteOnce(t *testing.T, p phase, begun int) {
	t.Helper()
	if p.undoes {
		return
	}
	for _, w := range p.writes {
		is := w.met(0, fault.Fault{})
		done := count(l.written(p, begun), func(x fault.Exchange) bool {
			return x.Verb == w.verb && x.Resource == w.resource && (w.name == "" || w.name == x.Name) && is.When(x)
		})
		if want := count(p.writes, func(other write) bool { return other == w }); done != want && (w.verb == "create" || w.verb == "delete") {
			t.Errorf("%s: %v was done %d times, want %d", p.name, w, done, want)
		}
	}
}

// count returns of how many elements it is true.
func count[T any](all []T, is func(T) bool) (n int) {
	for _, one := range all {
		if is(one) {
			n++
		}
	}
	return n
}

// written are the writes of ours since so many requests that the server has done, of what the phase writes.
func (l life) written(p phase, begun int) []fault.Exchange {
	return slices.DeleteFunc(l.proxy.Log()[begun:], func(x fault.Exchange) bool {
		return !isWrite(x) || !x.Committed() || !slices.ContainsFunc(p.writes, func(w write) bool { return w.resource == x.Resource })
	})
}

// isWrite says that a request of ours changes something.
func isWrite(x fault.Exchange) bool {
	return isUs(x.Client) && x.Writes() && !x.DryRun && !strings.HasPrefix(x.Resource, "selfsubject")
}

// isRead says that a request of ours changes nothing.
func isRead(x fault.Exchange) bool { return isUs(x.Client) && !isWrite(x) }

// isAwaited says that a request of ours is a read whose answer the run waits for. A watch is none: it begins beside its list, and where the
// list shows that all is done, the run ends without it and succeeds.
func isAwaited(x fault.Exchange) bool { return isRead(x) && x.Verb != "watch" }

// goesOn runs the command of a phase to its end, and checks what there is.
func (l life) goesOn(t *testing.T, p phase) {
	t.Helper()
	if result := l.succeeds(t, p.command...); p.found != "" && strings.Contains(result.Output, p.found) {
		t.Errorf("%s: the state had it:\n%s", p.name, result.Output)
	}
	p.ended(t, l, past{interrupted: true})
}

// answeredAfter is how long the read of an interrupted run is held: a plan is not interrupted in it.
const answeredAfter = 4 * time.Second

// interruptedAt interrupts the command of a phase at a request, and reports whether it came to that.
func (l life) interruptedAt(t *testing.T, p phase, at fault.Rule, k kill) bool {
	t.Helper()
	held := k.block()
	at.Fault = held.Fault
	defer l.proxy.Spoil(at)()
	running := l.Start(t, p.command...)
	select {
	case x := <-held.Held():
		if !isWrite(x) { // the answer comes when the run was interrupted, and nothing is begun by it
			defer time.AfterFunc(answeredAfter, held.Release).Stop()
		}
		l.interrupts(t, p, running, x)
		return true
	case <-running.Ended():
		l.tell(t)
		if result := running.Wait(t); result.ExitCode != 0 {
			t.Fatalf("%s: exit code %d:\n%s", p.name, result.ExitCode, result.Output)
		}
		return false
	case <-time.After(operatorTime):
		t.Fatalf("%s: the request %v does not come:\n%s", p.name, at, running.Output())
		return false
	}
}

// interruptedWaiting interrupts the command of a phase while it waits.
func (l life) interruptedWaiting(t *testing.T, p phase, w wait) {
	t.Helper()
	if w.command != nil {
		p.command = w.command
	}
	begun := len(l.proxy.Log())
	running := l.Start(t, p.command...)
	w.until(t, begun)
	result := l.interrupts(t, p, running, fault.Exchange{})
	says := w.says()
	wantMessage(t, result.Output, says[0], says[1:]...)
	if w.check != nil {
		w.check(t)
	}
}

// interrupts interrupts a run that has sent a request, and checks with what it ends.
func (l life) interrupts(t *testing.T, p phase, running *cli.Running, sent fault.Exchange) cli.Result {
	t.Helper()
	before := l.proxy.Log()
	running.Interrupt()
	result := running.Wait(t)
	l.tell(t)
	if isRead(sent) { // what it has written before, it may take back
		for i := len(before) - 1; i >= 0 && !isWrite(sent); i-- {
			sent = before[i]
		}
	}
	for _, x := range l.proxy.Log()[len(before):] {
		// A write that may still come is sent again: then it is known what became of it. Claims are made one after the other.
		again := x.Verb == sent.Verb && x.Resource == sent.Resource && (x.Resource != accountWrite.resource || x.Name == sent.Name)
		if isWrite(x) && !again && !p.undoes {
			t.Errorf("%s: it was interrupted, and writes: %s\n%s", p.name, x, result.Output)
		}
	}
	if result.ExitCode == 0 {
		t.Errorf("%s: it was interrupted, and succeeds:\n%s", p.name, result.Output)
	}
	if p.found != "" && strings.Contains(result.Output, p.found) {
		t.Errorf("%s: no run was killed:\n%s", p.name, result.Output)
	}
	l.agrees(t, p.command[0] == destroying[0])
	return result
}

// interruptedAtReads plays a life whose runs are interrupted at one of their reads; at each of them, one after the other, where all is played.
func (l life) interruptedAtReads(t *testing.T) {
	t.Helper()
	dice := rand.New(rand.NewPCG(randomSeed(t), 0)) //nolint:gosec // no secret depends on it
	met := 0
	for i, p := range l.phases {
		if p.prepare != nil {
			p.prepare(t)
		}
		first, last := 1, readsOfACommand
		if os.Getenv(wholeVariable) == "" {
			first = 1 + dice.IntN(readsOfACommand)
			if i == len(l.phases)-1 && met == 0 { // the commands before had fewer reads than that; each has one
				first = 1
			}
			last = first
		}
		for n := first; n <= last; n++ {
			if !l.interruptedAt(t, p, fault.Rule{Nth: n, When: isAwaited}, kill{}) {
				break
			}
			met++
		}
		l.goesOn(t, p)
	}
	if met == 0 {
		t.Error("no run was interrupted: the test tests nothing")
	}
}

// sent returns when a command has sent so many requests of ours with a verb for a resource.
func sent(proxy *fault.Proxy, verb, resource string, times int) func(*testing.T, int) {
	return func(t *testing.T, begun int) {
		t.Helper()
		is := func(x fault.Exchange) bool { return isUs(x.Client) && x.Verb == verb && x.Resource == resource }
		for deadline := time.Now().Add(operatorTime); count(proxy.Log()[begun:], is) < times; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("the command does not send %d times %s %s", times, verb, resource)
			}
		}
	}
}
