package scenarios

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// stale serves the lists of accounts of our program as of a version: all, or those until it has begun its first write.
func (s stage) stale(version string, untilWritten bool) {
	var written atomic.Bool
	if untilWritten {
		s.proxy.Spoil(fault.Rule{Verb: "patch", Resource: "credentialsbindings", Client: "Terraform/", When: func(fault.Exchange) bool {
			written.Store(true)
			return false
		}})
	}
	s.proxy.Spoil(fault.Rule{
		Verb: "list", Resource: "credentialsbindings", Client: "Terraform/", Fault: fault.Stale(version),
		When: func(fault.Exchange) bool { return !written.Load() },
	})
}

// F15: a list that comes from the past shows an account as free that is not. The write is refused, and the account that
// is free in truth is claimed.
func TestF15StaleListForAClaim(t *testing.T) {
	t.Parallel()
	for name, untilWritten := range map[string]bool{"the plan's and the apply's": true, "all": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			staleListForAClaim(t, untilWritten)
		})
	}
}

// staleListForAClaim makes a claim of which the lists are old: all, or those until its first write.
func staleListForAClaim(t *testing.T, untilWritten bool) {
	t.Helper()
	s := newStage(t, twoFree()...)
	ga := s.preferringFirst(t)
	past := s.Version(t)
	if err := brokerTakes(t.Context(), s.broker(t), "aws-1"); err != nil {
		t.Fatal(err)
	}
	s.stale(past, untilWritten)
	c := s.configure(t, claim("blue", ga))
	c.apply(t)
	if got := c.account(t, "blue"); got != "aws-2" {
		t.Errorf("the claim is on %q, want aws-2", got)
	}
	s.wantLabels(t, "aws-1", brokersTenant, "")
	if s.requestsOf("patch") != 2 || len(s.committed()) != 1 {
		t.Errorf("%d patches, committed %v; want one that is refused, and one", s.requestsOf("patch"), s.committed())
	}
}

// A list from before the claim shows its account as free. A plan may be misled; what an apply writes is judged by the
// account as it is: nothing.
func TestF15StaleListForAPlan(t *testing.T) {
	t.Parallel()
	s := newStage(t, twoFree()...)
	past := s.Version(t)
	c := s.configure(t, claim("blue", "ga-1"))
	c.apply(t)
	account, before := s.sole(t, "ga-1"), s.versions(t)
	s.stale(past, false)
	warns(t, c.succeeds(t, planning...), "Claimed account has changed", "no Global Account holds it any more")
	c.apply(t)
	s.proxy.Lift()
	s.unwritten(t, before)
	if got := c.account(t, "blue"); got != account {
		t.Errorf("the claim is on %q, want %s", got, account)
	}
	if result := c.Run(t, "plan", "-detailed-exitcode"); result.ExitCode != 0 {
		t.Errorf("something is left to do:\n%s", result.Output)
	}
}

// Only the account's own answer says that it is gone: a list from before it was made anew must not drop its claim.
func TestF15StaleListNeverDropsAClaim(t *testing.T) {
	t.Parallel()
	s := newStage(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	past := s.Version(t)
	s.DeleteAccount(t, "aws-1")
	s.Account(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	c := s.configure(t, claim("blue", "ga-1"))
	c.apply(t)
	before := s.versions(t)
	s.stale(past, false)
	result := c.succeeds(t, "apply", "-refresh-only", "-auto-approve")
	c.wantState(t, "blue")
	if strings.Contains(result.Output, "Claimed account is gone") {
		t.Errorf("the account is there:\n%s", result.Output)
	}
	s.unwritten(t, before)
}
