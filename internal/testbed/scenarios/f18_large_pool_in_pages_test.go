package scenarios

import (
	"fmt"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// F18: a pool of 1,200 accounts with 1,200 clusters is read in pages, and all of them count. Half of the clusters
// would give another answer: the fullest account below the limit is on the last page, and its neighbour is full.
func TestF18LargePool(t *testing.T) {
	t.Parallel()
	accounts := make([]testbed.AccountSpec, 1200)
	for i := range accounts {
		accounts[i] = testbed.AccountSpec{Name: fmt.Sprintf("aws-%04d", i+1), HyperscalerType: "aws"}
		if i+1 == 1150 || i+1 == 1160 {
			accounts[i].Tenant = "ga-1"
		}
	}
	s := newStage(t, accounts...)
	s.Shoots(t, "aws-1150", 700)
	s.Shoots(t, "aws-1160", 500)
	c := s.configure(t)
	c.write(t, `multi_account = { allowed_global_accounts = ["ga-1"], limits = { default = 600 } }`, `
data "hap_binding_selection" "next" {
  rule_set       = local.rules
  plan           = "aws"
  global_account = "ga-1"
}`)
	c.apply(t)
	next := c.State(t).Resource("data.hap_binding_selection.next").Values
	for name, want := range map[string]any{"action": "reuse", "binding_name": "aws-1160", "unclaimed": 1198.0} {
		if next[name] != want {
			t.Errorf("%s = %v, want %v (%v)", name, next[name], want, next["reason"])
		}
	}
	pages := map[string]int{}
	for _, x := range s.proxy.Log() {
		if isUs(x.Client) {
			pages[x.Verb+" "+x.Resource]++
		}
	}
	// Shoots come by 500, 500 and 200: one list and two pages that go on. Accounts are their metadata alone and come at once.
	for resource, more := range map[string]int{"credentialsbindings": 0, "shoots": 2} {
		lists := pages["list "+resource]
		if lists == 0 || pages["page "+resource] != more*lists {
			t.Errorf("%s were read in other pages than %d: %v", resource, more+1, pages)
		}
	}
}
