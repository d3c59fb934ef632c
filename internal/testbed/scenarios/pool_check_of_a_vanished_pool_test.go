package scenarios

import (
	"fmt"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

const vanishedPool = "Rule leads to a pool without accounts"

// checkedRules is a rule set with two pools.
func checkedRules(poolCheck string) string {
	return fmt.Sprintf(`resource "hap_rule_set" "r" {
  rules      = ["aws", "gcp"]
  pool_check = %q
}
`, poolCheck)
}

// accountOfGCP is the account of the second pool; further attributes go into it.
func accountOfGCP(attributes string) string {
	return fmt.Sprintf(`resource "hap_account" "gcp" {
  name             = "gcp-1"
  provider_type    = "gcp"
  hyperscaler_type = "gcp"
  credentials_ref  = { name = "gcp-1" }
  %s
}
`, attributes)
}

// A rule set of the state fails at plan when a pool has vanished. That stops the apply that would put the account back, and
// a destroy, so the message names what goes past it, and each of these does. An account that refers to the rule set takes it
// into its target, and cannot go first.
func TestPoolCheckOfAVanishedPool(t *testing.T) {
	t.Parallel()
	acceptance(t)
	for name, program := range sampled(t, programs(t)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(1)...)
			s.AllowSupply(isUs)
			s.Secret(t, "gcp-1", nil)
			c := s.configureFor(t, program)
			c.Setenv("KUBE_CONFIG_PATH", s.proxy.Kubeconfig(t, s.ServiceAccount(t, "supply", testbed.RoleExample(t, "role-supply.yaml"))))
			c.write(t, "", accountOfGCP(""))
			c.apply(t)
			c.write(t, "", accountOfGCP(""), checkedRules("error"))
			c.apply(t)
			s.DeleteAccount(t, "gcp-1")
			for _, command := range [][]string{planning, applying, destroying} {
				c.fails(t, command, vanishedPool, `no account for rule 2, "gcp" in namespace `+s.Name,
					"If this configuration makes the account, and the account does not refer to the rule set,",
					"apply the account alone first, with -target.", "To destroy, use -refresh=false.", `set pool_check = "warn".`)
			}

			alone := []string{"apply", "-auto-approve", "-target=hap_account.gcp"}
			c.write(t, "", accountOfGCP("rule_set = hap_rule_set.r"), checkedRules("error"))
			c.fails(t, alone, vanishedPool)
			c.write(t, "", accountOfGCP(""), checkedRules("error"))
			c.succeeds(t, alone...)
			if s.find(t, "gcp-1") == nil {
				t.Error("-target has not put the account back")
			}
			c.succeeds(t, "plan", "-detailed-exitcode")
			s.DeleteAccount(t, "gcp-1")

			c.succeeds(t, "plan", "-refresh=false")
			c.write(t, "", checkedRules("warn"))
			warns(t, c.apply(t), vanishedPool, `no account for rule 2, "gcp"`)
			c.destroy(t)
			c.wantState(t)

			c.write(t, "", accountOfGCP(""))
			c.apply(t)
			c.write(t, "", accountOfGCP(""), checkedRules("error"))
			c.apply(t)
			s.DeleteAccount(t, "gcp-1")
			c.fails(t, destroying, vanishedPool)
			c.succeeds(t, "destroy", "-auto-approve", "-refresh=false")
			c.wantState(t)
		})
	}
}
