package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// What goes wrong while accounts are put into the pool, changed and taken out: claims that come in between, lost answers, and
// processes that die.

// owner is the pipeline that fills the pool, with the Role for it.
type owner struct {
	configuration
	t *testing.T
}

// newOwner begins it. The account is spare of pool aws.
func newOwner(t *testing.T, s stage, attributes ...string) owner {
	t.Helper()
	s.AllowSupply(isUs)
	s.Secret(t, "spare", nil)
	c := s.configure(t)
	user := s.ServiceAccount(t, "supply", testbed.RoleExample(t, "role-supply.yaml"))
	c.kubeconfig = s.proxy.Kubeconfig(t, user)
	c.Setenv("KUBE_CONFIG_PATH", c.kubeconfig)
	o := owner{c, t}
	o.says(attributes...)
	return o
}

// says writes the configuration anew.
func (o owner) says(attributes ...string) {
	o.t.Helper()
	o.write(o.t, "", fmt.Sprintf(`resource "hap_account" "spare" {
  name             = "spare"
  provider_type    = "aws"
  hyperscaler_type = "aws"
  credentials_ref  = { name = "spare" }
  %s
}
`, strings.Join(attributes, "\n  ")))
}

// has reports whether the state has the account.
func (o owner) has() bool {
	o.t.Helper()
	return o.State(o.t).Attribute("hap_account.spare", "uid") != nil
}

// creates is how many accounts our requests have made.
func (s stage) creates() (n int) {
	for _, x := range s.proxy.Log() {
		if isUs(x.Client) && x.Verb == "create" && x.Resource == "credentialsbindings" && x.Committed() {
			n++
		}
	}
	return n
}

// A claim comes between the judgement of the account and the write that would make it shared: the write is refused by its
// precondition, the account is judged anew, and it stays its tenant's.
func TestSupplyClaimComesBeforeShared(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	o := newOwner(t, s)
	o.apply(t)
	tenant := s.configure(t, claim("blue", "ga-1"))
	s.proxy.Spoil(fault.Rule{Verb: "patch", Nth: 1, Fault: fault.Do(func() { tenant.apply(t) }, nil)})
	o.says("shared = true")
	o.fails(t, applying, "Account is held", "account spare is held by Global Account ga-1, and its flag shared cannot change",
		"Nothing was written")
	tenant.wantClaimed(t, "blue", "ga-1")
	if labels := s.GetAccount(t, "spare").Labels; labels["shared"] != "" {
		t.Errorf("labels are %v", labels)
	}
	o.says()
	o.apply(t)
	tenant.destroy(t)
}

// A claim comes between the judgement of the account and its deletion: it is not deleted.
func TestSupplyClaimComesBeforeTheDelete(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	o := newOwner(t, s)
	o.apply(t)
	tenant := s.configure(t, claim("blue", "ga-1"))
	s.proxy.Spoil(fault.Rule{Verb: "delete", Nth: 1, Fault: fault.Do(func() { tenant.apply(t) }, nil)})
	o.fails(t, destroying, "Account is held", "account spare bears 1 claim of Global Account ga-1 (blue)")
	tenant.wantClaimed(t, "blue", "ga-1")
	tenant.destroy(t)
}

// The process is killed after the server has made the account and before the state says so: the next apply finds an account that
// it does not know, says how to take it over, and an import does so with an empty plan.
func TestSupplyKilledAfterTheCreate(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	o := newOwner(t, s)
	rule := fault.Rule{Verb: "create", Resource: "credentialsbindings", Nth: 1}
	o.stopped(t, applying, rule, fault.BlockAfter(), (*cli.Running).Kill)
	if o.has() || s.find(t, "spare") == nil {
		t.Fatal("the process was not killed between the two")
	}
	since := s.versions(t)
	o.fails(t, applying, "Account exists already", "just as it was to be made", "import ID is its name, spare")
	o.succeeds(t, "import", "hap_account.spare", "spare")
	o.succeeds(t, "plan", "-detailed-exitcode")
	s.unwritten(t, since)
	o.destroy(t)
}
