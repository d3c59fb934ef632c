package scenarios

import (
	"slices"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// F1: killed between the commit of the claim and the state. The next apply takes up the claim that exists: no second
// account, and one write, the mark of its state: the run that was killed may not have been the only one with the claim.
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

	warns(t, c.apply(t), "Claim existed already", account, "with the same owner")
	if writes := s.committed(); !slices.Equal(writes, []string{account, account}) {
		t.Errorf("the claim and its mark were to be written, and nothing else: %v", writes)
	}
	if got := c.account(t, "blue"); got != account || len(s.holders(t)) != 1 {
		t.Errorf("claim on %q, accounts held %v, want %s alone", got, s.holders(t), account)
	}
}
