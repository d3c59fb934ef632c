package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// A limit that neither a plan nor an account gives a meaning is reported once in a run, whatever is selected in it.
func TestLimitThatAppliesToNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t, append(awsAccounts(3), testbed.AccountSpec{Name: "ionos-1", HyperscalerType: "ionos_cf-eu10"})...)
	c := s.configure(t)
	selections := `data "hap_binding_selection" "next" {
  count          = 3
  rule_set       = { rules = ["aws", "edge"], plans = { aws = ["aws"], edge = ["edge"] } }
  plan           = "aws"
  global_account = "ga-${count.index}"
}
`
	const summary = "Limit without effect"
	limits := func(keys string) string {
		return fmt.Sprintf("multi_account = { allowed_global_accounts = [\"*\"], limits = { default = 3, gdch = 2, %s } }", keys)
	}
	c.write(t, limits("edge = 1, ionos = 1"), selections)
	if result := c.succeeds(t, planning...); strings.Contains(result.Output, summary) {
		t.Errorf("each limit is for a plan or an account:\n%s", result.Output)
	}
	c.write(t, limits("edge = 1, ionos = 1, stackit = 1"), selections)
	result := c.succeeds(t, planning...)
	warns(t, result, summary, "apply to nothing: stackit.", "in namespace "+s.Name)
	if times := strings.Count(result.Output, summary); times != 1 || strings.Contains(result.Output, "similar warning") {
		t.Errorf("reported %d times, or more often and left out:\n%s", times, result.Output)
	}
	c.write(t, limits("stackit = 1"), claim("blue", "ga-1"), claim("green", "ga-2"))
	result = c.succeeds(t, planning...)
	warns(t, result, summary, "apply to nothing: stackit.")
	if strings.Contains(result.Output, "similar warning") {
		t.Errorf("reported more than once:\n%s", result.Output)
	}
}
