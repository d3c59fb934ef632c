package scenarios

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// F1: killed between the commit of the claim and the state. The next apply takes up the claim that stands: no second
// account, and not one write.
func TestF01CrashAfterTheClaim(t *testing.T) {
	t.Parallel()
	s := newStage(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"}, testbed.AccountSpec{Name: "aws-2", HyperscalerType: "aws"})
	c := s.configure(t, claim("blue", "ga-1"))
	block := fault.BlockAfter()
	lift := s.proxy.Spoil(fault.Rule{Verb: "patch", Nth: 1, Fault: block.Fault})
	running := c.Start(t, applying...)
	account := block.Wait(t).Name
	running.Kill()
	running.Wait(t)
	lift()

	before := s.versions(t)
	warns(t, c.apply(t), "Claim existed already", account, "with the same owner")
	if now := s.versions(t); now[account] != before[account] || len(s.committed()) != 1 {
		t.Errorf("the claim was written again: %v, before %v, writes %v", now, before, s.committed())
	}
	if got := c.account(t, "blue"); got != account || len(s.holders(t)) != 1 {
		t.Errorf("claim on %q, accounts held %v, want %s alone", got, s.holders(t), account)
	}
}
