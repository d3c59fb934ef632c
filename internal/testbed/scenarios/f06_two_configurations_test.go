package scenarios

import (
	"testing"
)

// F6: one tenant, two configurations, one account. Each has a record of its own, and the account is released with the
// last of them.
func TestF06TwoConfigurationsOneAccount(t *testing.T) {
	t.Parallel()
	s := newStage(t, twoFree()...)
	first, second := s.configure(t, claim("blue", "ga-1")), s.configure(t, claim("green", "ga-1"))
	first.apply(t)
	second.apply(t)
	account := s.sole(t, "ga-1")
	blue, green := s.key("blue", "ga-1", nil), s.key("green", "ga-1", nil)
	if got := second.account(t, "green"); got != account || len(s.records(t, account)) != 2 {
		t.Fatalf("the second claim is on %s, and %s bears %v; want one account with two records", got, account, s.records(t, account))
	}

	first.destroy(t)
	s.wantLabels(t, account, "ga-1", "")
	if records := s.records(t, account); len(records) != 1 || records[0] != green {
		t.Errorf("after the first destroy the records are %v, want %s alone and not %s", records, green, blue)
	}
	second.destroy(t)
	s.wantLabels(t, account, "ga-1", "true")
	if records := s.records(t, account); len(records) > 0 {
		t.Errorf("after the second destroy the records are %v", records)
	}
	s.wantLabels(t, other(account), "", "")
}

// One claim in two configurations with the same owner, which is what a lost state looks like: it is taken up, with a
// warning, and nothing is written. A destroy in either ends it for both.
func TestF06SameClaimTwiceOfOneOwner(t *testing.T) {
	t.Parallel()
	s := newStage(t, twoFree()...)
	blue := claim("blue", "ga-1", `owner = "pipeline-7"`)
	first, second := s.configure(t, blue), s.configure(t, blue)
	first.apply(t)
	account, before := s.sole(t, "ga-1"), s.versions(t)
	warns(t, second.apply(t), "Claim existed already", account, "with the same owner", "if another configuration has this claim too")
	s.unwritten(t, before)
	if got := second.account(t, "blue"); got != account {
		t.Errorf("taken up on %s, it stands on %s", got, account)
	}

	second.destroy(t)
	s.wantLabels(t, account, "ga-1", "true")
	before = s.versions(t)
	warns(t, first.destroy(t), "Account was left as it is", account, "was marked dirty already")
	s.unwritten(t, before)
	first.wantState(t)
}

func TestF06SameClaimTwiceOfTwoOwners(t *testing.T) {
	t.Parallel()
	s := newStage(t, twoFree()...)
	first, second := s.configure(t, claim("blue", "ga-1", `owner = "first"`)), s.configure(t, claim("blue", "ga-1", `owner = "second"`))
	first.apply(t)
	account, before := s.sole(t, "ga-1"), s.versions(t)
	second.fails(t, applying, "Claim belongs to another owner", `claim "blue" of Global Account ga-1`, account,
		`recorded by owner "first", not by owner "second"`, "Nothing was written.")
	s.unwritten(t, before)
	second.wantState(t)
	if result := first.Run(t, "plan", "-detailed-exitcode"); result.ExitCode != 0 {
		t.Errorf("the first configuration has something to do:\n%s", result.Output)
	}
}
