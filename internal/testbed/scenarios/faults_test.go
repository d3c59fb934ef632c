package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

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
	// agrees checks that the state has what there is, untainted, and nothing else; after a destroy it may have what is gone.
	agrees func(t *testing.T, destroyed bool)
	// issued are the secrets that were issued, or are in what the life has to do with; nil = none are but the tokens of the kubeconfig.
	issued func(*testing.T) secrets
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
	// check checks what there is when the command has come to its end.
	check func(*testing.T, past)
	// refuses says that a run refuses the object of a run that was killed: it cannot determine whose it is.
	refuses bool
	// fails says that the command may fail where the answers to its writes are lost: its next run goes on.
	fails bool
	// undoes says that a run that is interrupted takes back what it has written, unless that was the last write.
	undoes bool
	waits  []wait // what the command waits for
}

// past says what came before the run that has ended a phase.
type past struct {
	adopted     bool // a run that was killed had made the object, and no state had it
	interrupted bool // the runs before it were interrupted
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
	twice     bool // it is interrupted, and once more while the provider finds out what it has written
}

func (k kill) block() *fault.Block {
	if k.committed {
		return fault.BlockAfter()
	}
	return fault.BlockBefore()
}

func (k kill) die(t *testing.T, r *cli.Running, proxy *fault.Proxy) {
	t.Helper()
	switch {
	case k.alone:
		r.KillProvider(t)
	case k.twice:
		held := fault.BlockBefore()
		defer proxy.Spoil(fault.Rule{Fault: held.Fault, When: func(x fault.Exchange) bool { return isUs(x.Client) }})()
		r.Interrupt()
		select {
		case <-held.Held():
			r.Interrupt()
		case <-r.Ended():
			t.Errorf("it has not found out what it has written:\n%s", r.Output())
		}
	default:
		r.Kill()
	}
}

// A run is killed at each write of a command, one after the other, before the server has committed the write or after that, and then runs
// to its end: that is the same as if nothing had happened. The object that a killed run has made is found, and said to be found. The second
// Ctrl-C kills a run as well.
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
		if f.found {
			rows[name+", interrupted twice"] = row{f, kill{committed: true, twice: true}}
		}
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
		// OpenTofu that is interrupted twice within a change leaves an empty terraform.tfstate beside its backup: only what is made is found.
		if p.refuses || k.twice && p.found == "" {
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
		p.ended(t, l, past{adopted: k.committed && len(p.writes) > 0})
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
		k.die(t, running, l.proxy)
	case <-running.Ended():
		t.Fatalf("%s: it ends without the write %v:\n%s", p.name, at, running.Output())
	}
	if result := running.Wait(t); result.ExitCode == 0 {
		t.Fatalf("%s: it was killed and succeeds:\n%s", p.name, result.Output)
	}
	l.tell(t)
}

// ended checks the end of a phase: nothing is left to do.
func (p phase) ended(t *testing.T, l life, before past) {
	t.Helper()
	p.check(t, before)
	if p.command[0] == applying[0] {
		l.succeeds(t, "plan", "-detailed-exitcode")
	}
}

// requestsOfAToken is for how many requests a token is good.
const requestsOfAToken = 4

// Tokens end after some requests, and at the first watch of each kind: the program that prints tokens is run again, and each command
// succeeds at once. No token is in a state, a plan or a log, though the program and the provider log all they can.
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
		p.check(t, past{})
	}
	if refused == 0 {
		t.Error("no request was refused: the test tests nothing")
	}
	tokens.keptQuietInLog(t, trace)
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
	tokens = l.tokens(t)
	for _, user := range config.AuthInfos {
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

// The API server is gone from the answer to the first write of a command on: by turns it answers 503 and cuts the connection. The command
// goes on when the server is back, and succeeds.
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
		p.check(t, past{})
	}
}
