package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

const (
	// opTimeout is the timeout of each operation below, which answers of a busy server do not use up.
	opTimeout = 15 * time.Second
	// connectTimeout is that of operations without a connection: a second try would come after 10 seconds.
	connectTimeout = 9 * time.Second
	// previewPatience is what a plan spends on its read of the pool; an apply plans a claim once more before it makes it.
	previewPatience = 10 * time.Second
	// deadlineSlack is what an operation may take beyond its timeout.
	deadlineSlack = 5 * time.Second
	// startSlack is what the program may take to start and to end on a busy machine.
	startSlack = 40 * time.Second
)

// allIn are the timeouts of a claim.
func allIn(d time.Duration) string {
	return fmt.Sprintf("timeouts = { create = %[1]q, read = %[1]q, update = %[1]q, delete = %[1]q }", d)
}

// hung is one place where an API that never answers is met.
type hung struct {
	rules []fault.Rule
	// words are what the message says: the tries, and the last cause.
	words []string
	// writes are how many writes have come through.
	writes int
}

func (s stage) hang(rules []fault.Rule) {
	for _, rule := range rules {
		rule.Client = "Terraform/"
		s.proxy.Spoil(rule)
	}
}

// before hangs the requests from the nth on, before they are carried out.
func before(verb, resource string, nth int) fault.Rule {
	return fault.Rule{Verb: verb, Resource: resource, From: nth, Fault: fault.HangBefore()}
}

// after hangs the nth request, which is carried out.
func after(verb string, nth int) fault.Rule {
	return fault.Rule{Verb: verb, Resource: "credentialsbindings", Nth: nth, Fault: fault.HangAfter()}
}

// A claim and a release against an API that stops to answer end by their timeouts, and the next run finishes: here where the message has most
// to say. TestServerGoesSilent of internal/pool shows it at each request.
func TestF14EndsByItsDeadline(t *testing.T) {
	t.Parallel()
	const accounts, shoots = "credentialsbindings", "shoots"
	for name, test := range map[string]struct {
		hung
		release bool
	}{
		"claim, check after a lost patch": {hung{
			[]fault.Rule{after("patch", 1), before("get", accounts, 1)},
			[]string{"the answer to a write on account aws-1 was lost", "no answer to get credentialsbindings after 1 try", "deadline exceeded"}, 1,
		}, false},
		"release, second count of clusters": {hung{
			[]fault.Rule{before("list", shoots, 2)},
			[]string{"whether clusters are on account aws-1 is not known: no answer to list shoots after 1 try", "deadline exceeded"}, 3,
		}, true},
		"release, taking the fence down": {hung{
			[]fault.Rule{before("list", shoots, 2), before("patch", accounts, 2)},
			[]string{"account aws-1 stays fenced", "write on account aws-1 was lost", "no answer to list shoots after 1 try", "deadline exceeded"}, 2,
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(1)...)
			c := s.configure(t, claim("blue", "ga-1", allIn(opTimeout)))
			if test.release {
				c.apply(t)
				s.hang(test.rules)
				s.endsInTime(t, c, destroyingBlind, opTimeout, test.hung)
				s.proxy.Lift()
				c.destroy(t)
				s.wantLabels(t, "aws-1", "ga-1", "true")
				return
			}
			c.succeeds(t, "plan", "-out=saved")
			s.hang(test.rules)
			s.Unknown(s.key("blue", "ga-1", nil))
			result := s.endsInTime(t, c, []string{"apply", "saved"}, previewPatience+opTimeout, test.hung)
			wantMessage(t, result.Output, "Error: Outcome of a write is unknown", "may have taken effect", "Run the same command again")
			if account := c.account(t, "blue"); account != "" {
				t.Errorf("the state has the claim on %s, and the run cannot know whether it is there", account)
			}
			s.proxy.Lift()
			warns(t, c.apply(t), "Claim existed already")
			s.wantWrites(t, "run again", 2) // with the mark of the state that adopts it
			c.wantClaimed(t, "blue", "ga-1")
		})
	}
}

// endsInTime checks a command that has to fail: when its requests were over, what was said, what was written.
func (s stage) endsInTime(t *testing.T, c configuration, command []string, timeout time.Duration, test hung) cli.Result {
	t.Helper()
	from := len(s.proxy.Log())
	result := c.Run(t, command...)
	if result.ExitCode == 0 {
		t.Fatalf("nothing went wrong:\n%s", result.Output)
	}
	s.lasted(t, from, timeout)
	wantWords(t, result.Output, test.words...)
	s.wantWrites(t, "when the time was up", test.writes)
	return result
}

// lasted checks by the log how long the provider's requests went on, since the first one that was spoilt.
func (s stage) lasted(t *testing.T, from int, timeout time.Duration) {
	t.Helper()
	log := s.proxy.Log()[from:]
	first := slices.IndexFunc(log, func(x fault.Exchange) bool { return isUs(x.Client) && x.Fault != "" })
	if first < 0 {
		t.Fatalf("no request hung: %+v", log)
	}
	for _, x := range log[first:] {
		if took := x.Ended.Sub(log[first].Began); isUs(x.Client) && took > timeout+deadlineSlack {
			t.Errorf("%s %s ended %s after the first request that hung, the timeouts are %s", x.Verb, x.Resource, took, timeout)
		}
	}
}

// wantWords finds words in their order, wherever the program broke the lines.
func wantWords(t *testing.T, output string, words ...string) {
	t.Helper()
	wantMessage(t, output, "Error: ", words...)
}

// Where not even a connection comes about, claim, refresh, update and release end by their timeouts as well.
func TestF14NoConnection(t *testing.T) {
	t.Parallel()
	for name, dead := range sampled(t, map[string]func(*testing.T) string{"connect": blackHole, "TLS handshake": mute}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(1)...)
			nowhere := s.kubeconfigTo(t, dead(t))
			c := s.configure(t, claim("blue", "ga-1", allIn(connectTimeout)))
			c.succeeds(t, "plan", "-out=saved")
			good := s.proxy.Kubeconfig(t, s.user)
			vain := func(timeout time.Duration, words string, arguments ...string) {
				t.Helper()
				c.Setenv("KUBE_CONFIG_PATH", nowhere)
				began := time.Now()
				result := c.Run(t, arguments...)
				if took := time.Since(began); took > timeout+deadlineSlack+startSlack {
					t.Errorf("%v took %s", arguments, took)
				}
				wantMessage(t, result.Output, "Error: Garden not reachable", words, "after 1 try")
				if result.ExitCode == 0 || strings.Contains(result.Output, "panic") {
					t.Errorf("%v: exit code %d:\n%s", arguments, result.ExitCode, result.Output)
				}
				c.Setenv("KUBE_CONFIG_PATH", good)
			}
			vain(previewPatience+connectTimeout, "no answer to", "apply", "saved")
			s.wantWrites(t, "without a connection", 0)
			c.write(t, "", claim("blue", "ga-1", `timeouts = { read = "9s", delete = "9s" }`)) // the claim itself has its time
			c.apply(t)
			vain(connectTimeout, "Reading account aws-1", "plan")
			c.write(t, "", claim("blue", "ga-1", allIn(connectTimeout), `owner = "pipeline"`))
			vain(connectTimeout, "Changing account aws-1", "apply", "-auto-approve", "-refresh=false")
			vain(connectTimeout, "Releasing account aws-1", "destroy", "-auto-approve", "-refresh=false")
			s.wantWrites(t, "without a connection", 1)
			c.destroy(t)
		})
	}
}

// A plan does not hang on an API that never answers: its reads of the pool are a courtesy.
func TestF14PlanDoesNotHang(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(1)...)
	c := s.configure(t, `resource "hap_rule_set" "all" { rules = ["aws", "gcp"] }`, claim("blue", "ga-1"), claim("green", "ga-2"))
	control := time.Now()
	c.succeeds(t, planning...)
	usual := time.Since(control)
	c.Setenv("KUBE_CONFIG_PATH", s.kubeconfigTo(t, mute(t)))
	began := time.Now()
	c.succeeds(t, planning...)
	if took := time.Since(began) - usual; took > 2*previewPatience+deadlineSlack+startSlack {
		t.Errorf("the plan took %s longer than usual", took)
	}
}
