package scenarios

import (
	"fmt"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// F18: a pool of 120 accounts with 120 clusters is read in pages, and all of them count. Half of the clusters
// would give another answer: the fullest account below the limit is on the last page, and its neighbour is full.
func TestF18LargePool(t *testing.T) {
	t.Parallel()
	accounts := make([]testbed.AccountSpec, 120)
	for i := range accounts {
		accounts[i] = testbed.AccountSpec{Name: fmt.Sprintf("aws-%03d", i+1), HyperscalerType: "aws"}
		if i+1 == 115 || i+1 == 116 {
			accounts[i].Tenant = "ga-1"
		}
	}
	s := newStageBehind(t, fault.ProxyOptions{PageLimit: page}, accounts...)
	s.Shoots(t, "aws-115", 70)
	s.Shoots(t, "aws-116", 50)
	c := s.configure(t)
	c.write(t, `multi_account = { allowed_global_accounts = ["ga-1"], limits = { default = 60 } }`, `
data "hap_binding_selection" "next" {
  rule_set       = local.rules
  plan           = "aws"
  global_account = "ga-1"
}`)
	c.apply(t)
	next := c.State(t).Resource("data.hap_binding_selection.next").Values
	for name, want := range map[string]any{"action": "reuse", "binding_name": "aws-116", "unclaimed": 118.0} {
		if next[name] != want {
			t.Errorf("%s = %v, want %v (%v)", name, next[name], want, next["reason"])
		}
	}
	// Shoots are asked for by 500. Accounts are their metadata alone: 5,000 at once.
	for resource, length := range map[string]int{"credentialsbindings": 5000, "shoots": 500} {
		lists, pages := 0, 0
		for _, x := range s.proxy.Log() {
			if !isUs(x.Client) || x.Resource != resource || x.Verb == "get" {
				continue
			}
			if x.Verb == "list" {
				lists++
			} else {
				pages++
			}
			if x.Limit != length {
				t.Errorf("a %s of %s asked for %d at once, want %d", x.Verb, resource, x.Limit, length)
			}
		}
		if lists == 0 || pages != 2*lists { // 50, 50 and 20
			t.Errorf("%s were read by %d lists and %d further pages, want two for each", resource, lists, pages)
		}
	}
}
