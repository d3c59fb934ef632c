package scenarios

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/rivals"
)

// rival is the connection of another party that works on the pool, through the same proxy.
func (s stage) rival(t *testing.T, name string) *rest.Config {
	t.Helper()
	config := s.ServiceAccount(t, name, []byte(rivals.Role)).Config()
	s.proxy.Through(config)
	config.UserAgent = name
	return config
}

// broker is the broker of the landscape.
func (s stage) broker(t *testing.T) *rivals.Broker {
	t.Helper()
	return &rivals.Broker{Config: s.rival(t, "broker"), Namespace: s.Name}
}

// cleanupJob is the clean-up job of the landscape.
func (s stage) cleanupJob(t *testing.T) *rivals.CleanupJob {
	t.Helper()
	return &rivals.CleanupJob{Config: s.rival(t, "cleanup-job"), Namespace: s.Name}
}

// gardenOf is what a process of the provider sees of the Garden through the proxy; its requests have the name.
func (s stage) gardenOf(t *testing.T, name string) *garden.Garden {
	t.Helper()
	config := s.user.Config()
	s.proxy.Through(config)
	config.UserAgent = name + " terraform-provider-hap"
	g, err := garden.New(config, s.Name, garden.DefaultLabelKeys())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// process is the pool as a process of the provider sees it that has just started, without the program around it.
func (s stage) process(t *testing.T, name string) *pool.Pool {
	t.Helper()
	g := s.gardenOf(t, name)
	return pool.New(s.Name, g, g, account.Policy{})
}

// awsPool is the pool of plan aws.
var awsPool = account.Target{HyperscalerType: "aws"}

// held makes a claim of a process, which has to succeed, and adds it to the history.
func (s stage) held(t *testing.T, p *pool.Pool, request protocol.ClaimRequest) protocol.Claim {
	t.Helper()
	got, err := p.Claim(t.Context(), request)
	if err != nil {
		t.Fatalf("claim %s of %s: %v", request.Name, request.GlobalAccount, err)
	}
	if !got.Account.Shared {
		s.Acknowledge(got.Identity.Key(), got.Account.Name, got.Account.Version)
	}
	return got
}

// preferringFirst returns a Global Account whose first choice among the free accounts is aws-1, which is the broker's too.
func (s stage) preferringFirst(t *testing.T) string {
	t.Helper()
	return s.preferring(t, "aws-1")
}

// sole returns the one account that a Global Account holds.
func (s stage) sole(t *testing.T, ga string) string {
	t.Helper()
	var names []string
	for account, tenant := range s.holders(t) {
		if tenant == ga {
			names = append(names, account)
		}
	}
	if len(names) != 1 {
		t.Fatalf("Global Account %s holds %v, want one account", ga, names)
	}
	return names[0]
}

// requestsOf counts the requests of the provider with a verb for the accounts.
func (s stage) requestsOf(verb string) int {
	n := 0
	for _, x := range s.proxy.Log() {
		if isUs(x.Client) && x.Verb == verb && x.Resource == "credentialsbindings" {
			n++
		}
	}
	return n
}

// unwritten checks that since then nothing was written on any account, by any client.
func (s stage) unwritten(t *testing.T, since map[string]string) {
	t.Helper()
	now := s.versions(t)
	for name, version := range since {
		if now[name] != version {
			t.Errorf("account %s was written: version %s, was %s", name, now[name], version)
		}
	}
}

// wantLabels compares the labels tenantName and dirty of an account.
func (s stage) wantLabels(t *testing.T, account, tenant, dirty string) {
	t.Helper()
	if got := s.tenant(t, account); got != tenant {
		t.Errorf("tenant of %s: %q, want %q", account, got, tenant)
	}
	if got := s.dirt(t, account); got != dirty {
		t.Errorf("label dirty of %s: %q, want %q", account, got, dirty)
	}
}

// label sets one label by hand.
func (s stage) label(t *testing.T, account, key, value string) {
	t.Helper()
	s.PatchLabels(t, account, map[string]*string{key: &value})
}

// strip removes labels by hand.
func (s stage) strip(t *testing.T, account string, keys ...string) {
	t.Helper()
	labels := map[string]*string{}
	for _, key := range keys {
		labels[key] = nil
	}
	s.PatchLabels(t, account, labels)
}

// twoFree are two accounts of plan aws, so that staying on one means something.
func twoFree() []testbed.AccountSpec {
	return []testbed.AccountSpec{{Name: "aws-1", HyperscalerType: "aws"}, {Name: "aws-2", HyperscalerType: "aws"}}
}

// newClaimed is a stage of two free accounts, of which the configuration's one claim, blue of ga-1, is on the one named.
func newClaimed(t *testing.T) (s stage, c configuration, account string) {
	t.Helper()
	s = newStage(t, twoFree()...)
	c = s.configure(t, claim("blue", "ga-1"))
	c.apply(t)
	return s, c, s.sole(t, "ga-1")
}

// other returns the other one of twoFree.
func other(account string) string {
	if account == "aws-1" {
		return "aws-2"
	}
	return "aws-1"
}

// brokersTenant is whom the broker claims for.
const brokersTenant = "ga-of-the-broker"

// brokerTakes has the broker claim an account; it has to get this one.
func brokerTakes(ctx context.Context, b *rivals.Broker, account string) error {
	got, err := b.Claim(ctx, brokersTenant, "aws")
	if err == nil && got != account {
		err = fmt.Errorf("the broker has claimed %s, it should have been %s", got, account)
	}
	return err
}

// wantState compares which claims the state has, by their labels.
func (c configuration) wantState(t *testing.T, labels ...string) {
	t.Helper()
	want := []string{}
	for _, label := range labels {
		want = append(want, address(label))
	}
	slices.Sort(want)
	if got := c.State(t).Addresses(); !slices.Equal(got, want) {
		t.Errorf("the state has %v, want %v", got, want)
	}
}

// soleKey is the annotation key of the one claim that the state was last seen with.
func (c configuration) soleKey(t *testing.T) string {
	t.Helper()
	if len(c.standing) != 1 {
		t.Fatalf("the state has the claims %v, want one", c.standing)
	}
	for key := range c.standing {
		return key
	}
	return ""
}

// lastHeld is the key of the time that the last write of a release notes.
const lastHeld = "hap-project.io/last-held"

// wantOnlyRecordGone checks that what runs makes one write on the account, which removes this one record and nothing else.
func (s stage) wantOnlyRecordGone(t *testing.T, account, record string, run func()) {
	t.Helper()
	before, begun := s.GetAccount(t, account), len(s.proxy.Log())
	run()
	var writes []fault.Exchange
	for _, x := range s.proxy.Log()[begun:] {
		if isUs(x.Client) && x.Resource == "credentialsbindings" && x.Committed() {
			writes = append(writes, x)
		}
	}
	if len(writes) != 1 || writes[0].Name != account {
		t.Errorf("%d writes, want one on %s: %v", len(writes), account, writes)
	}
	for _, x := range writes {
		value, named := x.Annotations[record]
		noted := maps.Clone(x.Annotations)
		if before.Labels["dirty"] != "" { // the time of a release that finds the account marked
			delete(noted, lastHeld)
		}
		if x.Verb != "patch" || len(x.Labels) > 0 || len(noted) != 1 || !named || value != nil || x.Version == "" || x.UID == "" {
			t.Errorf("this write should remove the record %s under uid and version and name nothing else: %s", record, x)
		}
	}
	after := s.GetAccount(t, account)
	if !maps.Equal(before.Labels, after.Labels) {
		t.Errorf("labels of %s: %v, were %v", account, after.Labels, before.Labels)
	}
	delete(before.Annotations, record)
	if before.Labels["dirty"] != "" {
		delete(after.Annotations, lastHeld)
	}
	if !maps.Equal(before.Annotations, after.Annotations) {
		t.Errorf("annotations of %s: %v, want %v", account, after.Annotations, before.Annotations)
	}
}

// explain logs what a failure about an account needs to be understood without a second run, see [history.History.Explain].
// The history ends with it.
func (s stage) explain(t *testing.T, account string, requests ...int) {
	t.Helper()
	s.End(t)
	s.Explain(t, s.proxy.Log(), account, requests...)
}

// preferring returns a Global Account whose first choice among the free accounts is this one.
func (s stage) preferring(t *testing.T, account string) string {
	t.Helper()
	p := s.process(t, "fortune-teller")
	for i := range 256 {
		ga := fmt.Sprintf("ga-%d", i+1)
		decision, err := p.Preview(t.Context(), awsPool, ga)
		if err != nil {
			t.Fatal(err)
		}
		if decision.Account.Name == account {
			return ga
		}
	}
	t.Fatalf("no Global Account begins with %s", account)
	return ""
}

// wantWarning checks that one of the warnings has all of these words, in any order.
func wantWarning(t *testing.T, output string, words ...string) {
	t.Helper()
	if !warnsOf(output, words...) {
		t.Errorf("no warning has all of the words %q:\n%s", words, output)
	}
}

// warnsOf reports whether one of the warnings of a command has all of these words.
func warnsOf(output string, words ...string) bool {
	for _, part := range strings.Split(output, "Warning: ")[1:] {
		part, _, _ = strings.Cut(part, "Error: ")
		part = strings.Join(strings.Fields(strings.ReplaceAll(part, "│", " ")), " ")
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(part, word) }) {
			return true
		}
	}
	return false
}

// wantMarked checks that an account was released: dirty, with its tenant, without a record.
func (s stage) wantMarked(t *testing.T, account string) {
	t.Helper()
	if s.tenant(t, account) != "ga-1" || s.dirt(t, account) != "true" || len(s.records(t, account)) != 0 {
		t.Errorf("%s has the tenant %q, dirty=%q, and the records %q", account, s.tenant(t, account), s.dirt(t, account), s.records(t, account))
	}
}

// awaitDirt waits until the label dirty of an account has this value.
func (s stage) awaitDirt(t *testing.T, account, want string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); s.dirt(t, account) != want; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s does not become dirty=%q", account, want)
		}
	}
}

// wantUnfenced checks that a release has failed and the claim is as before.
func (c configuration) wantUnfenced(t *testing.T, account string, failed cli.Result) {
	t.Helper()
	if failed.ExitCode == 0 {
		t.Errorf("exit code 0:\n%s", failed.Output)
	}
	if now := c.wantClaimed(t, "blue", "ga-1"); now != account {
		t.Errorf("the claim is on %s now, before on %s", now, account)
	}
	if dirt := c.stage.dirt(t, account); dirt != "" {
		t.Errorf("the fence stays: dirty=%q\n%s", dirt, failed.Output)
	}
}
