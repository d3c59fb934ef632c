package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// F8: the account is deleted. The claim leaves the state with a warning, and the next apply claims another account.
func TestF08AccountDeleted(t *testing.T) {
	t.Parallel()
	s, c, account := newClaimed(t)
	s.DeleteAccount(t, account)
	before := s.versions(t)
	result := c.succeeds(t, planning...)
	warns(t, result, "Claimed account is gone", account, "does not exist any more", "the next apply claims another account")
	if !strings.Contains(result.Output, "1 to add, 0 to change, 0 to destroy") {
		t.Errorf("the plan does not claim another account:\n%s", result.Output)
	}
	s.unwritten(t, before)
	c.apply(t)
	if got := c.account(t, "blue"); got != other(account) {
		t.Errorf("the claim is on %q, want %s", got, other(account))
	}
}

func TestF08AccountDeletedAndDestroyed(t *testing.T) {
	t.Parallel()
	for _, refresh := range []bool{true, false} {
		t.Run(fmt.Sprintf("refresh %t", refresh), func(t *testing.T) {
			t.Parallel()
			s, c, account := newClaimed(t)
			s.DeleteAccount(t, account)
			before := s.versions(t)
			c.succeeds(t, append(destroying, fmt.Sprintf("-refresh=%t", refresh))...)
			s.unwritten(t, before)
			c.wantState(t)
		})
	}
}

// An account that is made anew under the name of the old one is another account: it is not the claim's, whichever tenant holds it.
func TestF08AccountMadeAnew(t *testing.T) {
	t.Parallel()
	for name, tenant := range map[string]string{"free": "", "of another tenant": "ga-2", "of the same tenant": "ga-1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
			c := s.configure(t, claim("blue", "ga-1"))
			c.apply(t)
			uid := s.GetAccount(t, "aws-1").UID
			s.DeleteAccount(t, "aws-1")
			s.Account(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: tenant})
			before := s.versions(t)
			result := c.succeeds(t, planning...)
			warns(t, result, "Claimed account is gone", "aws-1 was deleted and made anew", string(uid))
			if !strings.Contains(result.Output, "1 to add, 0 to change, 0 to destroy") {
				t.Errorf("the plan does not claim an account:\n%s", result.Output)
			}
			// Even a destroy that trusts its state leaves the new account alone.
			c.succeeds(t, "destroy", "-auto-approve", "-refresh=false")
			s.unwritten(t, before)
			s.wantLabels(t, "aws-1", tenant, "")
			c.wantState(t)
		})
	}
}

// An account that is being deleted while it is held stays in the state, with a warning, and is not written by an apply.
func TestF08HeldAccountTerminates(t *testing.T) {
	t.Parallel()
	s, c, account := newClaimed(t)
	s.DeleteAccountHeld(t, account)
	before := s.versions(t)
	result := c.apply(t)
	warns(t, result, "Claimed account has changed", account, "is being deleted", "stays in the state until it is gone", "takes no new clusters")
	s.unwritten(t, before)
	c.wantState(t, "blue")

	// A second claim of the tenant goes elsewhere.
	c.write(t, "", claim("blue", "ga-1"), claim("green", "ga-1"))
	c.apply(t)
	if got := c.account(t, "green"); got != other(account) {
		t.Errorf("the second claim is on %q, want %s", got, other(account))
	}
	c.destroy(t)
	if got := len(s.records(t, account)) + len(s.records(t, other(account))); got > 0 {
		t.Errorf("%d records are left", got)
	}
	c.wantState(t)
}

// A free account that is being deleted is never chosen.
func TestF08TerminatingIsNeverSelected(t *testing.T) {
	t.Parallel()
	s := newStage(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws"})
	s.DeleteAccountHeld(t, "aws-1")
	before := s.versions(t)
	c := s.configure(t, claim("blue", "ga-1"))
	warns(t, c.succeeds(t, planning...), "Pool has no free account", "deleting 1")
	c.fails(t, applying, "No free account", "free 0", "deleting 1", "Nothing was claimed.")
	s.unwritten(t, before)
}
