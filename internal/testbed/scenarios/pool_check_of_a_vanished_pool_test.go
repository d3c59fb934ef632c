package scenarios

import (
	"fmt"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

const vanishedPool = "Rule leads to a pool without accounts"

// checkedRules is a rule set with two pools, and something beside it that may be what makes the accounts.
func checkedRules(poolCheck, account string) string {
	return fmt.Sprintf(`resource "hap_rule_set" "r" {
  rules      = ["aws", "gcp"]
  pool_check = %q
}
resource "terraform_data" "account" { input = %q }
`, poolCheck, account)
}

// A rule set that stands fails at plan when a pool has vanished. That stops the apply that would put the account back, and
// a destroy, so the message names what goes past it, and each of these does.
func TestPoolCheckOfAVanishedPool(t *testing.T) {
	t.Parallel()
	acceptance(t)
	for name, program := range programs(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gcp := testbed.AccountSpec{Name: "gcp-1", HyperscalerType: "gcp"}
			s := newStage(t, append(awsAccounts(1), gcp)...)
			c := s.configureFor(t, program)
			c.write(t, "", checkedRules("error", "made"))
			c.apply(t)
			s.DeleteAccount(t, "gcp-1")
			for _, command := range [][]string{planning, applying, destroying} {
				c.fails(t, command, vanishedPool, `no account for rule 2, "gcp" in namespace `+s.Name,
					"apply the account alone first, with -target.", "To destroy, use -refresh=false.", `set pool_check = "warn".`)
			}

			c.write(t, "", checkedRules("error", "made again"))
			c.fails(t, applying, vanishedPool)
			c.succeeds(t, "apply", "-auto-approve", "-target=terraform_data.account")
			if got := c.State(t).Attribute("terraform_data.account", "input"); fmt.Sprint(got) != "map[type:string value:made again]" {
				t.Errorf("-target has applied %q", got)
			}
			s.Accounts(t, gcp)
			c.succeeds(t, planning...)
			s.DeleteAccount(t, "gcp-1")

			c.succeeds(t, "plan", "-refresh=false")
			c.write(t, "", checkedRules("warn", "made again"))
			warns(t, c.apply(t), vanishedPool, `no account for rule 2, "gcp"`)
			c.destroy(t)
			c.wantState(t)

			s.Accounts(t, gcp)
			c.write(t, "", checkedRules("error", "made"))
			c.apply(t)
			s.DeleteAccount(t, "gcp-1")
			c.fails(t, destroying, vanishedPool)
			c.succeeds(t, "destroy", "-auto-approve", "-refresh=false")
			c.wantState(t)
		})
	}
}
