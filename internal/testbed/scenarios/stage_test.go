package scenarios

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/history"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

func TestMain(m *testing.M) {
	code := testbed.Main(m)
	if err := openmcp.StopShared(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// acceptance skips a scenario unless acceptance tests are asked for.
func acceptance(t *testing.T) {
	t.Helper()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("an acceptance test, it needs the local Garden and the real provider: set TF_ACC=1 (make testacc does)")
	}
}

// stage is one pool in the real Garden with the proxy before it and the history of all that happens to it.
type stage struct {
	*testbed.Namespace
	*history.History
	user  *testbed.User
	proxy *fault.Proxy
}

// newStage makes a pool of these accounts. At the end of the test the history is checked.
func newStage(t *testing.T, accounts ...testbed.AccountSpec) stage {
	t.Helper()
	return newStageBehind(t, fault.ProxyOptions{}, accounts...)
}

// newStageBehind is newStage with a proxy of its own kind.
func newStageBehind(t *testing.T, options fault.ProxyOptions, accounts ...testbed.AccountSpec) stage {
	t.Helper()
	acceptance(t)
	return newStageIn(t, testbed.Shared(t), options, accounts...)
}

// newStageIn is newStageBehind in a Garden of its own kind.
func newStageIn(t *testing.T, g *testbed.Garden, options fault.ProxyOptions, accounts ...testbed.AccountSpec) stage {
	t.Helper()
	ns := g.NewNamespace(t)
	ns.Accounts(t, accounts...)
	s := stage{Namespace: ns, user: ns.ServiceAccount(t, "provider", testbed.DocumentedRole(t)), proxy: fault.NewProxy(t, g, options)}
	s.History = history.Follow(t, ns)
	t.Cleanup(func() {
		s.End(t)
		s.MustHold(t, s.proxy.Log(), isUs)
	})
	return s
}

// isUs recognises the provider by its User-Agent.
func isUs(client string) bool { return strings.Contains(client, "terraform-provider-hap") }

// configuration is one pipeline: a folder with a configuration and a state of its own.
type configuration struct {
	*cli.CLI
	stage      stage
	kubeconfig string // the file by which the provider reaches the Garden
	// standing are the claims that the state had when it was last read, by annotation key.
	standing map[string]standing
}

// standing is a claim of a state.
type standing struct {
	account string
	keeps   bool // a destroy leaves the account to its tenant
}

// ended adds to the history that a claim is destroyed.
func (s stage) ended(key string, was standing) {
	if was.keeps {
		s.Kept(key, was.account)
		return
	}
	s.Released(key, was.account)
}

// configure begins a pipeline whose configuration is a provider block, the rules, and these resources.
func (s stage) configure(t *testing.T, resources ...string) configuration {
	t.Helper()
	kubeconfig := s.proxy.Kubeconfig(t, s.user)
	c := configuration{cli.New(t, "KUBE_CONFIG_PATH="+kubeconfig), s, kubeconfig, map[string]standing{}}
	c.write(t, "", resources...)
	return c
}

// write writes the configuration anew; settings go into the provider block.
func (c configuration) write(t *testing.T, settings string, resources ...string) {
	t.Helper()
	if !strings.Contains(settings, "release_grace") {
		settings += "\n  release_grace = \"0s\""
	}
	c.Write(t, fmt.Sprintf(`terraform {
  required_providers {
    hap = { source = "hap-project/hap" }
  }
}
provider "hap" {
  %s
}
locals {
  rules = { rules = ["aws", "gcp", "azure(euAccess=*)", "trial(shared)"], pool_check = "off" }
}
%s
`, settings, strings.Join(resources, "\n")))
}

// claim writes a claim of a Global Account on plan aws; extra attributes go into it. Its address is [address].
func claim(label, ga string, extra ...string) string {
	attributes := strings.Join(extra, "\n  ")
	if !regexp.MustCompile(`(?m)^\s*plan\s*=`).MatchString(attributes) {
		attributes += "\n  plan = \"aws\""
	}
	return fmt.Sprintf(`resource "hap_credentials_binding_claim" %[1]q {
  rule_set       = local.rules
  name           = %[1]q
  global_account = %[2]q
  %[3]s
}
`, label, ga, attributes)
}

// address is the address of a claim.
func address(label string) string { return "hap_credentials_binding_claim." + label }

// apply applies the configuration, which has to succeed.
func (c configuration) apply(t *testing.T) cli.Result {
	return c.succeeds(t, "apply", "-auto-approve")
}

// destroy destroys all, which has to succeed.
func (c configuration) destroy(t *testing.T) cli.Result {
	return c.succeeds(t, "destroy", "-auto-approve")
}

func (c configuration) succeeds(t *testing.T, arguments ...string) cli.Result {
	t.Helper()
	result := c.Run(t, arguments...)
	c.tell(t)
	if result.ExitCode != 0 {
		t.Fatalf("%s: exit code %d:\n%s", strings.Join(arguments, " "), result.ExitCode, result.Output)
	}
	return result
}

// fails runs a command that has to fail with this summary and these words in its message, in this order.
func (c configuration) fails(t *testing.T, arguments []string, summary string, words ...string) cli.Result {
	t.Helper()
	result := c.Run(t, arguments...)
	c.tell(t)
	if result.ExitCode == 0 {
		t.Fatalf("%s should have failed:\n%s", strings.Join(arguments, " "), result.Output)
	}
	wantMessage(t, result.Output, "Error: "+summary, words...)
	return result
}

// tell adds to the history what the pipeline knows by now: the claims in its state, and those that do not any
// more. A run that was killed, or whose claims may be made although the state does not know, calls Unknown beside.
func (c configuration) tell(t *testing.T) {
	t.Helper()
	state, seen := c.State(t), map[string]bool{}
	for _, label := range state.Addresses() {
		r := state.Resource(label)
		if r.Type != "hap_credentials_binding_claim" || r.Values["shared"] == true {
			continue
		}
		id := strings.SplitN(fmt.Sprint(r.Values["id"]), "/", 3)
		key, accountName := c.stage.key(id[2], id[0], r.Values), id[1]
		seen[key] = true
		// A record counts only while its tenant holds the account: what hands have made void counts no more.
		if now := c.stage.find(t, accountName); now != nil && now.Annotations[key] != "" && now.Labels["tenantName"] == id[0] {
			if was := c.standing[key]; was.account != "" && was.account != accountName { // a replacement
				c.stage.ended(key, was)
			}
			c.stage.Acknowledge(key, accountName, now.ResourceVersion)
			c.standing[key] = standing{accountName, r.Values["on_destroy"] == string(account.Keep)}
		}
	}
	for key, was := range c.standing {
		if !seen[key] {
			c.stage.ended(key, was)
			delete(c.standing, key)
		}
	}
}

// key is the annotation key of a claim on the pool that these attributes of a state, or nil for plan aws, name.
func (s stage) key(name, ga string, values map[string]any) string {
	target := account.Target{HyperscalerType: "aws"}
	if values != nil {
		target.HyperscalerType = fmt.Sprint(values["hyperscaler_type"])
		target.EUAccess = values["eu_access"] == true
	}
	return account.Identity{Namespace: s.Name, GlobalAccount: ga, Pool: target.String(), Name: name}.Key()
}

// find returns an account that may be gone.
func (s stage) find(t *testing.T, name string) *securityv1alpha1.CredentialsBinding {
	t.Helper()
	for _, a := range s.ListAccounts(t) {
		if a.Name == name {
			return &a
		}
	}
	return nil
}

// warns checks that a command that went well has said this.
func warns(t *testing.T, result cli.Result, summary string, words ...string) {
	t.Helper()
	wantMessage(t, result.Output, "Warning: "+summary, words...)
}

// wantMessage finds words in their order; the program breaks lines where it likes.
func wantMessage(t *testing.T, output, first string, words ...string) {
	t.Helper()
	pattern := ""
	for i, phrase := range append([]string{first}, words...) {
		if i > 0 {
			pattern += `[\s\S]*?`
		}
		parts := strings.Fields(phrase)
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		pattern += strings.Join(parts, `[\s│]+`)
	}
	if !regexp.MustCompile(pattern).MatchString(output) {
		t.Errorf("no message like %q with %q in:\n%s", first, words, output)
	}
}

var (
	applying   = []string{"apply", "-auto-approve"}
	destroying = []string{"destroy", "-auto-approve"}
	planning   = []string{"plan"}
)

// account returns the account that a claim has by its state; "" = it is not in the state.
func (c configuration) account(t *testing.T, label string) string {
	t.Helper()
	name, _ := c.State(t).Attribute(address(label), "binding_name").(string)
	return name
}

// tenant returns who holds an account, by its label.
func (s stage) tenant(t *testing.T, account string) string {
	t.Helper()
	return s.GetAccount(t, account).Labels["tenantName"]
}

// dirt returns the label dirty of an account.
func (s stage) dirt(t *testing.T, account string) string {
	t.Helper()
	return s.GetAccount(t, account).Labels["dirty"]
}

// records returns the annotation keys of the claim records on an account, sorted.
func (s stage) records(t *testing.T, accountName string) []string {
	t.Helper()
	var keys []string
	for key := range s.GetAccount(t, accountName).Annotations {
		if strings.HasPrefix(key, account.AnnotationPrefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// holders returns the tenant of each account that has one.
func (s stage) holders(t *testing.T) map[string]string {
	t.Helper()
	tenants := map[string]string{}
	for _, a := range s.ListAccounts(t) {
		if tenant := a.Labels["tenantName"]; tenant != "" {
			tenants[a.Name] = tenant
		}
	}
	return tenants
}

// versions returns the resourceVersion of every account, to see what was written.
func (s stage) versions(t *testing.T) map[string]string {
	t.Helper()
	versions := map[string]string{}
	for _, a := range s.ListAccounts(t) {
		versions[a.Name] = a.ResourceVersion
	}
	return versions
}

// settle waits until the proxy has noted the answers to our writes: the Garden shows a write before the proxy has its answer, and a client
// that is killed then does not wait for it.
func (s stage) settle() {
	underWay := func(x fault.Exchange) bool { return isUs(x.Client) && x.Writes() && x.Ended.IsZero() }
	for deadline := time.Now().Add(time.Minute); slices.ContainsFunc(s.proxy.Log(), underWay) && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
}

// committed returns the accounts that our writes have changed, in order.
func (s stage) committed() []string {
	accounts := []string{}
	for _, x := range s.proxy.Log() {
		if isUs(x.Client) && x.Resource == "credentialsbindings" && x.Committed() {
			accounts = append(accounts, x.Name)
		}
	}
	return accounts
}

// awsAccounts are free accounts aws-1, aws-2 and so on.
func awsAccounts(n int) []testbed.AccountSpec {
	specs := make([]testbed.AccountSpec, n)
	for i := range specs {
		specs[i] = testbed.AccountSpec{Name: fmt.Sprintf("aws-%d", i+1), HyperscalerType: "aws"}
	}
	return specs
}

// stopped starts a command, waits until the block holds a request that the rule picks, and stops the command then: with
// (*cli.Running).Kill, for example.
func (c configuration) stopped(
	t *testing.T, arguments []string, rule fault.Rule, block *fault.Block, stop func(*cli.Running),
) fault.Exchange {
	t.Helper()
	rule.Fault = block.Fault
	lift := c.stage.proxy.Spoil(rule)
	defer lift()
	running := c.Start(t, arguments...)
	held := block.Wait(t)
	stop(running)
	running.Wait(t)
	c.tell(t)
	return held
}

// destroyInGrace starts a destroy and does something to it, or to the landscape, once the fence is on the account.
func (c configuration) destroyInGrace(t *testing.T, account string, do func(*cli.Running)) cli.Result {
	t.Helper()
	running := c.Start(t, destroying...)
	c.stage.awaitDirt(t, account, "releasing")
	do(running)
	result := running.Wait(t)
	c.tell(t)
	return result
}

// wantWrites checks how many writes of ours the Garden has done since the stage began.
func (s stage) wantWrites(t *testing.T, when string, want int) {
	t.Helper()
	s.settle()
	if got := s.committed(); len(got) != want {
		t.Errorf("%s: %d writes %v, want %d", when, len(got), got, want)
	}
}

// wantClaimed checks that the claim of the state is on one account, its Global Account's only one, with one record.
func (c configuration) wantClaimed(t *testing.T, label, ga string) string {
	t.Helper()
	name := c.account(t, label)
	var held []string
	for account, tenant := range c.stage.holders(t) {
		if tenant == ga {
			held = append(held, account)
		}
	}
	if len(held) != 1 || held[0] != name {
		t.Fatalf("the claim is on %q, and %s holds %q", name, ga, held)
	}
	if records := c.stage.records(t, name); len(records) != 1 || records[0] != c.stage.key(label, ga, nil) {
		t.Errorf("records on %s: %q", name, records)
	}
	return name
}
