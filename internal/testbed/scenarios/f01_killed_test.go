package scenarios

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// F1: the provider alone dies within an update, and the program that goes on keeps no private state. The claim is brought up to date by
// the next apply, and its account does not go back to the pool unwiped: what the refreshes have counted there is forgotten.
func TestF01ProviderAloneKilledAtAnUpdate(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]struct {
		block  *fault.Block
		writes int
	}{"before the commit": {fault.BlockBefore(), 1}, "after the commit": {fault.BlockAfter(), 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(2)...)
			configured := func(cluster string) string {
				return claim("blue", "ga-1", `cluster_name = "`+cluster+`"`, `on_destroy = "return_to_pool"`)
			}
			c := s.configure(t, configured("first"))
			c.apply(t)
			account := c.account(t, "blue")
			s.Shoot(t, "first", account)
			c.apply(t)
			s.DeleteShoot(t, "first")
			c.write(t, "", configured("second"))
			c.stopped(t, applying, fault.Rule{Verb: "patch"}, at.block, func(r *cli.Running) { r.KillProvider(t) })
			s.wantWrites(t, "killed", at.writes)

			c.apply(t)
			s.wantWrites(t, "run again", 2)
			c.wantClaimed(t, "blue", "ga-1")
			before := s.versions(t)
			c.fails(t, destroying, "Account cannot be returned to the pool", account, "or may have been", "Nothing was written.")
			s.unwritten(t, before)
		})
	}
}

// F1: killed at a change of the owner. The record may name the new one, and the state does not know that it is its own. The same apply takes
// it on; a destroy goes through too, with the claim in the configuration or without, because the record knows the former owner.
func TestF01KilledAtAChangeOfTheOwner(t *testing.T) {
	t.Parallel()
	for name, at := range sampled(t, map[string]struct {
		kill
		writes int
		ends   bool // no apply comes between
	}{
		"before the commit":                                      {kill{}, 1, false},
		"after the commit":                                       {kill{committed: true}, 2, false},
		"after the commit, the provider alone":                   {kill{committed: true, alone: true}, 2, false},
		"after the commit, and removed":                          {kill{committed: true}, 2, true},
		"after the commit, the provider alone, and then removed": {kill{committed: true, alone: true}, 2, true},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(2)...)
			c := s.configure(t, claim("blue", "ga-1", `owner = "first"`))
			c.apply(t)
			account := c.account(t, "blue")
			c.write(t, "", claim("blue", "ga-1", `owner = "second"`))
			c.stopped(t, applying, fault.Rule{Verb: "patch"}, at.block(), func(r *cli.Running) { at.die(t, r, s.proxy) })
			s.wantWrites(t, "killed", at.writes)
			if at.ends {
				c.write(t, "")
				c.apply(t)
				s.wantMarked(t, account)
				return
			}
			c.apply(t)
			s.wantWrites(t, "run again", 2)
			c.wantClaimed(t, "blue", "ga-1")
			if result := c.succeeds(t, "plan", "-detailed-exitcode"); strings.Contains(result.Output, "another owner") {
				t.Errorf("the claim is ours, and the plan says:\n%s", result.Output)
			}
			c.destroy(t)
			s.wantMarked(t, account)
		})
	}
}

// F1: killed after the write of a claim, whose configuration changes then. The next apply adopts the claim and brings it up to date.
func TestF01AdoptionThatUpdates(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(2)...)
	c := s.configure(t, claim("blue", "ga-1", `cluster_name = "first"`))
	c.stopped(t, applying, fault.Rule{Verb: "patch"}, fault.BlockAfter(), (*cli.Running).Kill)
	s.wantWrites(t, "killed", 1)
	c.write(t, "", claim("blue", "ga-1", `cluster_name = "second"`))
	c.apply(t)
	s.wantWrites(t, "run again", 2)
	account := c.wantClaimed(t, "blue", "ga-1")
	if record := s.GetAccount(t, account).Annotations[s.key("blue", "ga-1", nil)]; !strings.Contains(record, `"clusterName":"second"`) {
		t.Errorf("the record is not up to date: %s", record)
	}
}
