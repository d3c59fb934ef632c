package scenarios

import (
	"strings"
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

// One claim in two configurations with the same owner, which is the case after a lost state: it is taken up, with a
// warning, and the state that took it up leaves its mark in the record. A destroy from the other state is refused.
func TestF06SameClaimTwiceOfOneOwner(t *testing.T) {
	t.Parallel()
	s := newStage(t, twoFree()...)
	blue := claim("blue", "ga-1", `owner = "pipeline-7"`)
	first, second := s.configure(t, blue), s.configure(t, blue)
	first.apply(t)
	account, before := s.sole(t, "ga-1"), s.versions(t)
	warns(t, second.apply(t), "Claim existed already", account, "with the same owner", "if another configuration has this claim too")
	s.wantWrites(t, "taken up", 2)
	if got := second.account(t, "blue"); got != account {
		t.Errorf("taken up on %s, it is on %s", got, account)
	}
	if now := s.versions(t); now[other(account)] != before[other(account)] {
		t.Errorf("the other account was written")
	}

	before = s.versions(t)
	warns(t, first.Run(t, planning...), "Claim belongs to another state", account, "A destroy from here is refused.")
	first.fails(t, destroying, "Claim belongs to another state", account, "was taken up by another state", "Nothing was written.",
		"`state rm`", "import it as ga-1/"+account+"/blue")
	s.unwritten(t, before)
	s.wantLabels(t, account, "ga-1", "")
	if result := second.Run(t, "plan", "-detailed-exitcode"); result.ExitCode != 0 {
		t.Errorf("the second configuration has something to do:\n%s", result.Output)
	}

	second.destroy(t)
	s.wantLabels(t, account, "ga-1", "true")
	before = s.versions(t)
	warns(t, first.destroy(t), "Account was left as it is", account, "was marked dirty already")
	s.unwritten(t, before)
	first.wantState(t)
}

// The state that took the claim up is lost as well: an import makes the claim one that can be destroyed, as the message says.
func TestF06SameClaimIsImportedAgain(t *testing.T) {
	t.Parallel()
	s := newStage(t, twoFree()...)
	blue := claim("blue", "ga-1", `owner = "pipeline-7"`)
	first, second := s.configure(t, blue), s.configure(t, blue)
	first.apply(t)
	second.apply(t)
	account := s.sole(t, "ga-1")
	first.succeeds(t, "state", "rm", address("blue"))
	first.succeeds(t, "import", address("blue"), "ga-1/"+account+"/blue")
	first.destroy(t)
	s.wantLabels(t, account, "ga-1", "true")
}

// Two providers with aliases lead to one pool, and each makes the same claim: they are two processes of one run, so that no plan sees it.
// At apply the second one is refused, and the claim is made once.
func TestF06SameClaimUnderTwoAliases(t *testing.T) {
	t.Parallel()
	s := newStage(t, twoFree()...)
	c := s.configure(t)
	second := strings.Replace(claim("second", "ga-1", "provider = hap.second"), `name           = "second"`, `name = "first"`, 1)
	c.write(t, "", "provider \"hap\" {\n  alias = \"second\"\n  release_grace = \"0s\"\n}\n", claim("first", "ga-1"), second)
	c.fails(t, applying, "Claim declared twice", `claim "first" of Global Account ga-1`, "made twice in this run")
	account := s.sole(t, "ga-1")
	s.wantWrites(t, "refused", 1)
	if addresses := c.State(t).Addresses(); len(addresses) != 1 {
		t.Errorf("the state has %v", addresses)
	}
	c.destroy(t)
	s.wantLabels(t, account, "ga-1", "true")
}

// The process of the second provider may start long after the claim, here because its block waits for it. It takes part in the run all the
// same.
func TestF06SameClaimUnderALateAlias(t *testing.T) {
	t.Parallel()
	s := newStage(t, twoFree()...)
	c := s.configure(t)
	second := strings.Replace(claim("second", "ga-1", "provider = hap.second"), `name           = "second"`, `name = "first"`, 1)
	c.write(t, "", `resource "terraform_data" "later" {
  input = "0s"
  provisioner "local-exec" {
    command = "sleep 2"
  }
  depends_on = [`+address("first")+`]
}

provider "hap" {
  alias         = "second"
  release_grace = terraform_data.later.output
}
`, claim("first", "ga-1"), second)
	c.fails(t, applying, "Claim declared twice", `claim "first" of Global Account ga-1`, "made twice in this run")
	s.sole(t, "ga-1")
	s.wantWrites(t, "refused", 1)
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
