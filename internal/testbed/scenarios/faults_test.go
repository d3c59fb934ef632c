package scenarios

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// life is a pipeline with the objects of one family, from their making to their end: what a fault needs to know of a family to be played
// on it.
type life struct {
	runner
	proxy      *fault.Proxy
	kubeconfig string // the file by which the provider reaches the server
	folder     string // that of the configuration, its state, its plans and its log
	phases     []phase
}

// runner runs the commands of a pipeline.
type runner interface {
	Start(t testing.TB, arguments ...string) *cli.Running
	succeeds(t *testing.T, arguments ...string) cli.Result
	Setenv(name, value string)
	tell(t *testing.T) // adds to the history what the state has by now
}

// phase is one command of a life.
type phase struct {
	name    string
	prepare func(*testing.T) // brings about what the command is for; nil = nothing is missing
	command []string
	writes  []write // the writes of ours, in their order
	// found is what a run says that finds the object of a run that was killed; "" = it says nothing. named is how it names the object.
	found, named string
	// check checks what there is when the command has come to its end. adopted says that a run that was killed had made the object, and no
	// state had it.
	check func(t *testing.T, adopted bool)
	// refuses says that a run refuses the object of a run that was killed: it cannot tell whose it is.
	refuses bool
	// fails says that the command may fail where the answers to its writes are lost: its next run goes on.
	fails bool
}

// write is one of the writes of our provider. A verb or a name of "" is any.
type write struct{ verb, resource, name string }

// met is a rule for the nth of such writes.
func (w write) met(nth int, f fault.Fault) fault.Rule {
	return fault.Rule{Verb: w.verb, Resource: w.resource, Name: w.name, Nth: nth, Fault: f, When: func(x fault.Exchange) bool {
		return x.Writes() && !x.DryRun && isUs(x.Client)
	}}
}

// kill is how a run dies at a write.
type kill struct {
	committed bool // the server has committed the write by then
	alone     bool // the provider dies, and the program goes on to its end, without private state
}

func (k kill) block() *fault.Block {
	if k.committed {
		return fault.BlockAfter()
	}
	return fault.BlockBefore()
}

func (k kill) die(t *testing.T, r *cli.Running) {
	t.Helper()
	if k.alone {
		r.KillProvider(t)
	} else {
		r.Kill()
	}
}

// A run is killed at each write of a command, one after the other, before the server has committed the write or behind that, and then runs to
// its end: that is the same as if nothing had happened. The object that a killed run has made is found, and said to be found.
func TestKilledAtEachWrite(t *testing.T) {
	t.Parallel()
	type row struct {
		family
		kill
	}
	rows := map[string]row{}
	for name, f := range families() {
		rows[name+", before the commit"] = row{f, kill{}}
		rows[name+", after the commit"] = row{f, kill{committed: true}}
		if f.alone {
			rows[name+", the provider alone, before the commit"] = row{f, kill{alone: true}}
			rows[name+", the provider alone, after the commit"] = row{f, kill{alone: true, committed: true}}
		}
	}
	for name, row := range sampled(t, rows) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.begin(t, fault.ProxyOptions{}).killed(t, row.kill)
		})
	}
}

// killed plays a life whose runs are killed.
func (l life) killed(t *testing.T, k kill) {
	t.Helper()
	for _, p := range l.phases {
		if p.prepare != nil {
			p.prepare(t)
		}
		if p.refuses {
			p.writes = nil
		}
		for i, w := range p.writes {
			nth := 1
			if i > 0 && !k.committed && p.writes[i-1] == w { // the last one is written first
				nth = 2
			}
			l.killedAt(t, p, w.met(nth, fault.Fault{}), k)
		}
		result := l.succeeds(t, p.command...)
		switch said := strings.Contains(result.Output, p.found) && strings.Contains(result.Output, p.named); {
		case p.found == "":
		case k.committed && len(p.writes) == 1: // else another run before has said it
			warns(t, result, p.found)
		case said && !k.committed && len(p.writes) == 1:
			t.Errorf("%s: nothing was made before:\n%s", p.name, result.Output)
		}
		p.ended(t, l, k.committed && len(p.writes) > 0)
	}
}

// killedAt runs the command of a phase, which dies at a write.
func (l life) killedAt(t *testing.T, p phase, at fault.Rule, k kill) {
	t.Helper()
	held := k.block()
	at.Fault = held.Fault
	defer l.proxy.Spoil(at)()
	running := l.Start(t, p.command...)
	select {
	case <-held.Held():
		k.die(t, running)
	case <-running.Ended():
		t.Fatalf("%s: it ends without the write %v:\n%s", p.name, at, running.Output())
	}
	if result := running.Wait(t); result.ExitCode == 0 {
		t.Fatalf("%s: it was killed and succeeds:\n%s", p.name, result.Output)
	}
	l.tell(t)
}

// ended checks the end of a phase: nothing is left to do.
func (p phase) ended(t *testing.T, l life, adopted bool) {
	t.Helper()
	p.check(t, adopted)
	if p.command[0] == applying[0] {
		l.succeeds(t, "plan", "-detailed-exitcode")
	}
}

// The answers to the writes of a command are lost, each once: the same run finds out what was written, and goes on. Nothing is made twice, and
// nothing is said of an object that was made before.
func TestAnswersLost(t *testing.T) {
	t.Parallel()
	type row struct {
		family
		faults []fault.Fault
	}
	rows := map[string]row{}
	for name, f := range families() {
		for how, faults := range map[string][]fault.Fault{
			"cut before the commit": {fault.CutBefore()},
			"cut after the commit":  {fault.CutAfter()},
			"cut within the answer": {fault.CutWithin()},
			"502":                   {fault.LoseAfter(http.StatusBadGateway)},
			// The first request comes behind the read and before the second one.
			"committed late": {fault.CommitLate(time.Second), fault.Delay(3 * time.Second)},
		} {
			rows[name+", "+how] = row{f, faults}
		}
	}
	for name, row := range sampled(t, rows) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.begin(t, fault.ProxyOptions{HTTP1: randomSeed(t)%2 == 0}).unanswered(t, row.faults)
		})
	}
}

// unanswered plays a life whose writes get no answer.
func (l life) unanswered(t *testing.T, faults []fault.Fault) {
	t.Helper()
	for _, p := range l.phases {
		if p.prepare != nil {
			p.prepare(t)
		}
		spoilt := map[write]bool{}
		for _, w := range p.writes {
			if !spoilt[w] {
				for i, f := range faults {
					l.proxy.Spoil(w.met(i+1, f))
				}
			}
			spoilt[w] = true
		}
		begun := len(l.proxy.Log())
		running := l.Start(t, p.command...)
		result := running.Wait(t)
		l.tell(t)
		if result.ExitCode != 0 && !p.fails {
			t.Fatalf("%s: exit code %d:\n%s", p.name, result.ExitCode, result.Output)
		}
		if p.found != "" && strings.Contains(result.Output, p.found) { // whatever it names
			t.Errorf("%s: the object is this run's own:\n%s", p.name, result.Output)
		}
		lost := 0
		for _, x := range l.proxy.Log()[begun:] {
			if x.Fault == faults[0].String() {
				lost++
			}
		}
		l.proxy.Lift()
		if lost != len(spoilt) {
			t.Errorf("%s: %d answers were lost, want %d", p.name, lost, len(spoilt))
		}
		if result.ExitCode != 0 {
			l.succeeds(t, p.command...)
		}
		p.ended(t, l, false)
	}
}

// requestsOfAToken is for how many requests a token is good.
const requestsOfAToken = 4

// Tokens end after some requests, and at the first watch of each kind: the program that prints tokens is run again, and each command succeeds
// at once. No token is in a state, a plan or a log, though the program and the provider log all they can.
func TestTokensEnd(t *testing.T) {
	t.Parallel()
	for name, f := range sampled(t, families()) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f.begin(t, fault.ProxyOptions{}).renewed(t)
		})
	}
}

// renewed plays a life whose tokens end.
func (l life) renewed(t *testing.T) {
	t.Helper()
	runs, tokens := l.byProgram(t)
	trace := filepath.Join(l.folder, "trace")
	l.Setenv("TF_LOG", "TRACE")
	l.Setenv("TF_LOG_PATH", trace)
	refused := 0
	for _, p := range l.phases {
		if p.prepare != nil {
			p.prepare(t)
		}
		used, known, watched := 0, runs(), map[string]bool{}
		lift := l.proxy.Spoil(fault.Rule{Fault: fault.Unauthorized(), When: func(x fault.Exchange) bool {
			if !isUs(x.Client) {
				return false
			}
			if now := runs(); now != known {
				used, known = 0, now
			}
			if used++; x.Verb == "watch" && !watched[x.Resource] {
				used, watched[x.Resource] = requestsOfAToken+1, true
			}
			if used > requestsOfAToken {
				refused++
				return true
			}
			return false
		}})
		if result := l.succeeds(t, p.command...); strings.Contains(result.Output, "is not ready") {
			t.Errorf("%s: it was not waited for:\n%s", p.name, result.Output)
		}
		lift()
		p.check(t, false)
	}
	if refused == 0 {
		t.Error("no request was refused: the test tests nothing")
	}
	if log, err := os.ReadFile(trace); err != nil || !strings.Contains(string(log), "terraform-provider-hap") {
		t.Errorf("the log of %d bytes says nothing of the provider: %v", len(log), err)
	}
	tokens.keptQuietIn(t, l.folder)
}

// byProgram has a program print the tokens of the kubeconfig, and returns how often it was run, and the tokens.
func (l life) byProgram(t *testing.T) (runs func() int, tokens secrets) {
	t.Helper()
	config, err := clientcmd.LoadFromFile(l.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "runs")
	tokens = secrets{}
	for name, user := range config.AuthInfos {
		tokens["token of "+name] = user.Token
		program := writeProgram(t, "echo run >> "+log+"\necho '"+execCredential("v1", user.Token)+"'")
		user.Token = ""
		user.Exec = &clientcmdapi.ExecConfig{
			APIVersion: "client.authentication.k8s.io/v1", Command: program, InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
		}
	}
	if err := clientcmd.WriteToFile(*config, l.kubeconfig); err != nil {
		t.Fatal(err)
	}
	return func() int {
		content, _ := os.ReadFile(log)
		return strings.Count(string(content), "run")
	}, tokens
}

// awayFor is how many reads get no answer.
const awayFor = 4

// The API server is gone from the answer to the first write of a command on: by turns it answers 503 and cuts the connection. The command goes on
// when the server is back, and succeeds.
func TestServerGone(t *testing.T) {
	t.Parallel()
	for name, f := range sampled(t, families()) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f.begin(t, fault.ProxyOptions{}).outlasts(t)
		})
	}
}

// outlasts plays a life whose server is gone for some time.
func (l life) outlasts(t *testing.T) {
	t.Helper()
	for _, p := range l.phases {
		if p.prepare != nil {
			p.prepare(t)
		}
		if len(p.writes) > 0 {
			var gone atomic.Bool
			l.proxy.Spoil(p.writes[0].met(1, fault.Do(nil, func() { gone.Store(true) })))
			for n := 1; n <= awayFor; n++ {
				away := []fault.Fault{fault.Unavailable(0), fault.CutBefore()}[n%2]
				l.proxy.Spoil(fault.Rule{Nth: n, Fault: away, When: func(x fault.Exchange) bool { return gone.Load() && isUs(x.Client) && !x.Writes() }})
			}
		}
		if result := l.succeeds(t, p.command...); strings.Contains(result.Output, "is not ready") {
			t.Errorf("%s: it was not waited for:\n%s", p.name, result.Output)
		}
		l.proxy.Lift()
		p.check(t, false)
	}
}
