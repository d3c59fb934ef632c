package explore

import (
	"context"
	"os"
	"runtime"
	"sync"
	"time"
)

// Fate is what becomes of a call.
type Fate int

// The fates of calls.
const (
	Served     Fate = iota
	Unanswered      // a read that fails
	WriteLost       // a write that never arrives, and whose answer is lost
	AnswerLost      // a write that takes effect, and whose answer is lost
	WriteLate       // a write whose answer is lost, and which arrives later
	DiesBefore      // the process dies before it sends the write
	DiesAfter       // the process dies when the write has taken effect
	DiesLate        // the process dies, and the write arrives later
	Refused         // a write that the server does not allow
	killed          // the process has died by another call of its
)

// What can become of a write, of one whose precondition does not hold any more, of a read, and of a write of a user who loses rights.
var (
	WriteFaults  = []Fate{WriteLost, AnswerLost, WriteLate, DiesBefore, DiesAfter, DiesLate}
	MootFaults   = []Fate{WriteLost, DiesBefore}
	ReadFaults   = []Fate{Unanswered}
	RightsFaults = []Fate{Refused}
)

var fateTexts = map[Fate]string{
	Served: "", Unanswered: "no answer comes", WriteLost: "it never arrives, and no answer comes",
	AnswerLost: "it takes effect, and its answer is lost", WriteLate: "no answer comes, and it is still on its way",
	DiesBefore: "the process dies before it is sent", DiesAfter: "it takes effect, and the process dies",
	DiesLate: "the process dies, and it is still on its way", Refused: "the server refuses it", killed: "its process is dead",
}

func (f Fate) kills() bool { return f == DiesBefore || f == DiesAfter || f == DiesLate }

// Actor is one party of a schedule: an operation of a process of ours, or another party.
type Actor struct {
	Name string
	Run  func(*Actor)
	Life int  // how often its process died before
	Idle bool // it waits for what others do, and for no time to pass

	stage   *Stage
	id      int
	proc    *Process // nil = another party, which has no faults here
	ended   bool
	learned Sum // see Learns
}

// Process is one process of ours: operations in it die together, and begin anew in another one.
type Process struct {
	actors []*Actor
	start  func()
	dead   bool
	ctx    context.Context //nolint:containedctx // it ends with the process
	cancel context.CancelFunc

	mu      sync.Mutex
	learned Sum    // since its start, see Learns
	now     moment // and what is not in learned yet
}

// NewProcess puts operations into one process. Start makes what they share, whenever such a process starts.
func NewProcess(start func(), actors ...*Actor) {
	p := &Process{actors: actors, start: start}
	for _, a := range actors {
		a.proc = p
	}
	p.rise()
}

func (p *Process) rise() {
	p.dead = false
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.start()
}

type actorKey struct{}

// Context is that of the actor's process. Calls of the world find the actor in it.
func (a *Actor) Context() context.Context { return context.WithValue(a.proc.ctx, actorKey{}, a) }

// ActorOf returns the actor whose call it is; nil = none of the schedule's.
func ActorOf(ctx context.Context) *Actor {
	a, _ := ctx.Value(actorKey{}).(*Actor)
	return a
}

// Aside returns a context whose calls are not the actor's, and are served at once: for what waits in the background, and only looks.
func Aside(ctx context.Context) context.Context {
	return context.WithValue(ctx, actorKey{}, (*Actor)(nil))
}

// Call is a call of an actor that waits for the explorer.
type Call struct {
	What   func() string // for the story
	Faults []Fate
	Until  time.Time // when it must be over; zero = it has time

	by     *Actor
	resume chan Fate
	end    bool // the actor has ended
}

// Late is a write on its way.
type Late struct {
	By     *Actor
	What   string
	Stands func() bool // whether its precondition still holds
	Arrive func()
	Sum    Sum // of all that it may change

	since int // the step at which it was sent
	life  int // of its actor
}

// live runs the actor, and says when it has ended.
func (a *Actor) live() {
	defer func() { a.stage.arrived <- &Call{by: a, end: true} }()
	growStack()
	a.Run(a)
}

// growStack has the stack of the goroutine grow once, while it is empty: by the way of an operation it would grow, and be copied, several
// times.
//
//go:noinline
func growStack() byte {
	var frame [12 << 10]byte
	return frame[len(os.Args)]
}

// Call stops the actor until the explorer lets it go on, and returns what is to become of the call. Where the process dies before the call
// is sent it does not return.
func (a *Actor) Call(c Call) Fate {
	dead := a.proc != nil && a.proc.dead
	switch {
	case dead:
		runtime.Goexit()
	case a.stage == nil || a.stage.calm:
		return Served
	}
	c.by, c.resume = a, make(chan Fate)
	a.stage.arrived <- &c
	f := <-c.resume
	if a.proc == nil {
		a.Learns(0)
	}
	if f == killed || f == DiesBefore {
		runtime.Goexit()
	}
	return f
}

// Dead reports whether the actor's process has died.
func (a *Actor) Dead() bool { return a.proc != nil && a.proc.dead }

// Park keeps a write that is on its way. Where the process of the actor has died it does not return.
func (a *Actor) Park(l Late) {
	l.By, l.since, l.life = a, a.stage.step, a.Life
	a.stage.lates = append(a.stage.lates, &l)
	if a.Dead() {
		runtime.Goexit()
	}
}
