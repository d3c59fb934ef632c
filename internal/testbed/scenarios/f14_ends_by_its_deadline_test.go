package scenarios

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

const (
	// opTimeout is the timeout of each operation below.
	opTimeout = 5 * time.Second
	// previewPatience is what a plan spends on its read of the pool; an apply plans a claim once more before it makes it.
	previewPatience = 10 * time.Second
	// deadlineSlack is what an operation may take beyond its timeout.
	deadlineSlack = 2 * time.Second
	// startSlack is what the program may take to start and to end on a busy machine.
	startSlack = 20 * time.Second
)

const timeouts = `timeouts = { create = "5s", read = "5s", update = "5s", delete = "5s" }`

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

// A claim against an API that stops to answer, at each request it makes, ends by its timeout.
func TestF14ClaimEndsByItsDeadline(t *testing.T) {
	t.Parallel()
	accounts, shoots, reviews := "credentialsbindings", "shoots", "selfsubjectaccessreviews"
	tests := map[string]hung{
		"list of accounts": {
			[]fault.Rule{before("list", accounts, 1)},
			[]string{"no answer to list credentialsbindings after 1 try", "deadline exceeded"}, 0,
		},
		"list of shoots": {
			[]fault.Rule{before("list", shoots, 1)},
			[]string{"no answer to list shoots after 1 try", "deadline exceeded"}, 0,
		},
		"access review": {
			[]fault.Rule{before("create", reviews, 1)},
			[]string{"no answer to create selfsubjectaccessreviews after 1 try", "deadline exceeded"}, 0,
		},
		"patch, not done": {
			[]fault.Rule{before("patch", accounts, 1)},
			[]string{"the answer to a write on account aws-1 was lost", "deadline exceeded"}, 0,
		},
		"check after a lost patch": {
			[]fault.Rule{after("patch", 1), before("get", accounts, 1)},
			[]string{"the answer to a write on account aws-1 was lost", "no answer to get credentialsbindings after 1 try", "deadline exceeded"}, 1,
		},
	}
	for name, test := range sampled(t, tests) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(1)...)
			c := s.configure(t, claim("blue", "ga-1", timeouts))
			c.succeeds(t, "plan", "-out=saved")
			s.hang(test.rules)
			s.Unknown(s.key("blue", "ga-1", nil))
			result := c.Run(t, "apply", "saved")
			s.endsInTime(t, result, previewPatience+opTimeout, test)
			s.proxy.Lift()
			c.apply(t)
			c.wantClaimed(t, "blue", "ga-1")
		})
	}
}

// A release against an API that stops to answer, at each request it makes, ends by its timeout, and the next one
// finishes.
func TestF14ReleaseEndsByItsDeadline(t *testing.T) {
	t.Parallel()
	accounts, shoots := "credentialsbindings", "shoots"
	tests := map[string]hung{
		"first look at the account": {
			[]fault.Rule{before("get", accounts, 1)},
			[]string{"no answer to get credentialsbindings after 1 try", "deadline exceeded"}, 0,
		},
		"first look for clusters": {
			[]fault.Rule{before("list", shoots, 1)},
			[]string{"whether clusters are on account aws-1 is not known: no answer to list shoots after 1 try", "deadline exceeded"}, 0,
		},
		"fence": {
			[]fault.Rule{before("patch", accounts, 1)},
			[]string{"write on account aws-1 was lost", "deadline exceeded"}, 0,
		},
		"second look for clusters": {
			[]fault.Rule{before("list", shoots, 2)},
			[]string{"whether clusters are on account aws-1 is not known: no answer to list shoots after 1 try", "deadline exceeded"}, 2,
		},
		"mark": {
			[]fault.Rule{before("patch", accounts, 2)},
			[]string{"write on account aws-1 was lost", "deadline exceeded"}, 1,
		},
		"taking the fence down": {
			[]fault.Rule{before("list", shoots, 2), before("patch", accounts, 2)},
			[]string{"account aws-1 stays fenced", "write on account aws-1 was lost", "no answer to list shoots after 1 try", "deadline exceeded"}, 1,
		},
	}
	for name, test := range sampled(t, tests) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(1)...)
			c := s.configure(t, claim("blue", "ga-1", timeouts))
			c.apply(t)
			test.writes++ // the claim
			s.hang(test.rules)
			from := len(s.proxy.Log())
			result := c.Run(t, "destroy", "-auto-approve", "-refresh=false")
			s.endsInTimeFrom(t, from, result, opTimeout, test)
			s.proxy.Lift()
			c.destroy(t)
			s.wantLabels(t, "aws-1", "ga-1", "true")
		})
	}
}

func (s stage) endsInTime(t *testing.T, result cli.Result, timeout time.Duration, test hung) {
	t.Helper()
	s.endsInTimeFrom(t, 0, result, timeout, test)
}

// endsInTimeFrom checks an operation that had to fail: when its requests were over, what was said, what was written.
func (s stage) endsInTimeFrom(t *testing.T, from int, result cli.Result, timeout time.Duration, test hung) {
	t.Helper()
	if result.ExitCode == 0 {
		t.Fatalf("nothing went wrong:\n%s", result.Output)
	}
	s.lasted(t, from, timeout)
	wantWords(t, result.Output, test.words...)
	s.wantWrites(t, "when the time was up", test.writes)
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
	for name, dead := range map[string]func(*testing.T) string{"connect": blackHole, "TLS handshake": mute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(1)...)
			nowhere := s.kubeconfigTo(t, dead(t))
			c := s.configure(t, claim("blue", "ga-1", timeouts))
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
			vain(previewPatience+opTimeout, "no answer to", "apply", "saved")
			s.wantWrites(t, "without a connection", 0)
			c.apply(t)
			vain(opTimeout, "Reading account aws-1", "plan")
			c.write(t, "", claim("blue", "ga-1", timeouts, `owner = "pipeline"`))
			vain(opTimeout, "Changing account aws-1", "apply", "-auto-approve", "-refresh=false")
			vain(opTimeout, "Releasing account aws-1", "destroy", "-auto-approve", "-refresh=false")
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
