package scenarios

import (
	"slices"
	"testing"
)

// F7: the label tenantName is removed by hand. The plan says so and who could take the account; an apply makes the claim
// again, on the same account.
func TestF07LabelRemoved(t *testing.T) {
	t.Parallel()
	s, c, account := newClaimed(t)
	s.strip(t, account, "tenantName")
	before := s.versions(t)
	warns(t, c.succeeds(t, planning...), "Claimed account has changed", account, "was claimed for Global Account ga-1",
		"no Global Account holds it any more: the next claim of any Global Account may take it", "makes the claim again on the same account")
	s.unwritten(t, before)

	c.apply(t)
	if got := c.account(t, "blue"); got != account || s.sole(t, "ga-1") != account {
		t.Errorf("the claim is on %q, accounts held %v; want %s again", got, s.holders(t), account)
	}
	if !slices.Equal(s.committed(), []string{account, account}) {
		t.Errorf("written: %v, want %s twice: claimed and claimed again", s.committed(), account)
	}
	if result := c.Run(t, "plan", "-detailed-exitcode"); result.ExitCode != 0 {
		t.Errorf("something is left to do:\n%s", result.Output)
	}
}

// The Global Account has got another account meanwhile. The same account comes first all the same; the plan and the apply say
// that it holds two then, and the way to one is what they say it is.
func TestF07TakenBackBesideAnotherAccount(t *testing.T) {
	t.Parallel()
	const two = "may have one account of pool aws and holds "
	t.Run("taken back", func(t *testing.T) {
		t.Parallel()
		s, c, account := newClaimed(t)
		s.strip(t, account, "tenantName")
		s.label(t, other(account), "tenantName", "ga-1")
		wantWarning(t, c.succeeds(t, planning...).Output, "Claimed account has changed", "makes the claim again on the same account",
			"Global Account ga-1 "+two+other(account), "no binding_name, goes to the account that is held with -replace instead")
		wantWarning(t, c.apply(t).Output, "Global Account ga-1 holds several accounts of pool aws", account, other(account))
		s.wantLabels(t, account, "ga-1", "")
		s.wantLabels(t, other(account), "ga-1", "")
	})
	t.Run("replaced", func(t *testing.T) {
		t.Parallel()
		s, c, account := newClaimed(t)
		s.strip(t, account, "tenantName")
		s.label(t, other(account), "tenantName", "ga-1")
		c.succeeds(t, "apply", "-auto-approve", "-replace=hap_credentials_binding_claim.blue")
		if got := c.account(t, "blue"); got != other(account) || s.sole(t, "ga-1") != other(account) {
			t.Errorf("the claim is on %q, accounts held %v; want %s alone", got, s.holders(t), other(account))
		}
	})
}

// A destroy of a claim whose account no tenant holds gives up the claim. The account stays free, and the record goes that the
// claim has left on it: it would count again should the same tenant be given the account once more.
func TestF07LabelRemovedAndDestroyed(t *testing.T) {
	t.Parallel()
	s, c, account := newClaimed(t)
	s.strip(t, account, "tenantName")
	warns(t, c.destroy(t), "Account was left as it is", account, "Global Account ga-1 does not hold it any more")
	s.wantLabels(t, account, "", "")
	if records := s.records(t, account); len(records) > 0 {
		t.Errorf("the free account bears %v", records)
	}
	if !slices.Equal(s.committed(), []string{account, account}) {
		t.Errorf("written: %v, want %s twice: claimed, and rid of its record", s.committed(), account)
	}
	c.wantState(t)
}

// Another tenant has the account by now: an error, and nothing is written. A destroy takes the claim's own record along.
func TestF07AnotherTenantHasTaken(t *testing.T) {
	t.Parallel()
	s := newStage(t, twoFree()...)
	c := s.configure(t, claim("blue", "ga-1", `owner = "me"`))
	c.apply(t)
	account := s.sole(t, "ga-1")
	s.strip(t, account, "tenantName")
	s.label(t, account, "tenantName", "ga-2")
	before := s.versions(t)
	warns(t, c.succeeds(t, planning...), "Claimed account has changed", "Global Account ga-2 holds it",
		"an apply that changes the claim fails", "two tenants share one account")
	c.fails(t, applying, "Account is held by another Global Account", account+" is held by Global Account ga-2, not by ga-1", "Nothing was written.")
	c.wantState(t, "blue")
	s.unwritten(t, before)
	s.wantOnlyRecordGone(t, account, s.key("blue", "ga-1", nil), func() {
		warns(t, c.destroy(t), "Account was left as it is", account, "Global Account ga-1 does not hold it any more")
	})
	s.wantLabels(t, account, "ga-2", "")
	s.wantLabels(t, other(account), "", "")
	c.wantState(t)
}
