package scenarios

import (
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// crash is an apply that writes once, and is killed around that write.
type crash struct {
	// before brings about the state of the pool before that apply.
	before func(t *testing.T, s stage, c configuration)
	// writes is how often the account has been written in the end.
	writes int
	// adopts says that the next apply finds the claim and has no state of it: it leaves its mark in the record, which is one more write.
	adopts bool
}

// forCluster configures the claim of these tests for a cluster.
func (c configuration) forCluster(t *testing.T, name string) {
	t.Helper()
	c.write(t, "", claim("blue", "ga-1", `cluster_name = "`+name+`"`))
}

func crashes() map[string]crash {
	claimed := func(t *testing.T, c configuration, cluster string) {
		t.Helper()
		c.forCluster(t, cluster)
		c.apply(t)
	}
	return map[string]crash{
		"a claim": {before: func(*testing.T, stage, configuration) {}, writes: 1, adopts: true},
		"an update": {before: func(t *testing.T, _ stage, c configuration) {
			t.Helper()
			claimed(t, c, "first")
		}, writes: 2},
		"an adoption that updates": {before: func(t *testing.T, _ stage, c configuration) {
			t.Helper()
			c.forCluster(t, "first")
			c.stopped(t, applying, fault.Rule{Verb: "patch"}, fault.BlockAfter(), (*cli.Running).Kill)
		}, writes: 2, adopts: true},
		"a re-claim": {before: func(t *testing.T, s stage, c configuration) {
			t.Helper()
			claimed(t, c, "second")
			s.PatchLabels(t, c.account(t, "blue"), map[string]*string{"tenantName": nil})
		}, writes: 2},
	}
}

// F1: whatever write an apply is killed at, the next one ends as if nothing had happened: on one account, with one
// record, and nothing written twice but the mark of a state that adopts it.
func TestF01KilledAtEachWrite(t *testing.T) {
	t.Parallel()
	for name, crash := range sampled(t, crashes()) {
		t.Run(name+" killed before the commit", func(t *testing.T) {
			t.Parallel()
			crash.play(t, fault.BlockBefore(), crash.writes-1, (*cli.Running).Kill)
		})
		t.Run(name+" killed after the commit", func(t *testing.T) {
			t.Parallel()
			crash.play(t, fault.BlockAfter(), crash.writes, (*cli.Running).Kill)
		})
	}
}

// The same where the provider alone dies and the program goes on to its end.
func TestF01ProviderAloneKilledAtTheClaim(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]struct {
		block  *fault.Block
		writes int
	}{"before the commit": {fault.BlockBefore(), 0}, "after the commit": {fault.BlockAfter(), 1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			crashes()["a claim"].play(t, at.block, at.writes, func(r *cli.Running) { r.KillProvider(t) })
		})
	}
}

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
		block  *fault.Block
		writes int
		kill   func(*testing.T, *cli.Running)
		ends   bool // no apply comes between
	}{
		"before the commit":                                      {fault.BlockBefore(), 1, killAll, false},
		"after the commit":                                       {fault.BlockAfter(), 2, killAll, false},
		"after the commit, the provider alone":                   {fault.BlockAfter(), 2, killProvider, false},
		"after the commit, and removed":                          {fault.BlockAfter(), 2, killAll, true},
		"after the commit, the provider alone, and then removed": {fault.BlockAfter(), 2, killProvider, true},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(2)...)
			c := s.configure(t, claim("blue", "ga-1", `owner = "first"`))
			c.apply(t)
			account := c.account(t, "blue")
			c.write(t, "", claim("blue", "ga-1", `owner = "second"`))
			c.stopped(t, applying, fault.Rule{Verb: "patch"}, at.block, func(r *cli.Running) { at.kill(t, r) })
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

// play kills the apply, by when there have been so many writes, and runs it again.
func (x crash) play(t *testing.T, block *fault.Block, written int, kill func(*cli.Running)) {
	t.Helper()
	s := newStage(t, awsAccounts(2)...)
	c := s.configure(t)
	x.before(t, s, c)
	c.forCluster(t, "second")
	if _, result := c.stopped(t, applying, fault.Rule{Verb: "patch"}, block, kill); result.ExitCode == 0 {
		t.Fatalf("the apply was killed and succeeds:\n%s", result.Output)
	}
	s.wantWrites(t, "killed", written)

	c.apply(t)
	again := x.writes
	if x.adopts && written == x.writes {
		again++
	}
	s.wantWrites(t, "run again", again)
	account := c.wantClaimed(t, "blue", "ga-1")
	key := s.key("blue", "ga-1", nil)
	if record := s.GetAccount(t, account).Annotations[key]; !strings.Contains(record, `"clusterName":"second"`) {
		t.Errorf("the record is not up to date: %s", record)
	}
	c.succeeds(t, "plan", "-detailed-exitcode")
}

// F1: killed during the second of two claims. A program that saves its state now and then may know of neither; both are
// found.
func TestF01KilledAtTheSecondClaim(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]struct {
		block         *fault.Block
		writes, again int
	}{"before the commit": {fault.BlockBefore(), 1, 3}, "after the commit": {fault.BlockAfter(), 2, 4}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(3)...)
			c := s.configure(t, claim("blue", "ga-1"), claim("green", "ga-2"))
			held, _ := c.stopped(t, []string{"apply", "-auto-approve", "-parallelism=1"}, fault.Rule{Verb: "patch", Nth: 2},
				at.block, (*cli.Running).Kill)
			s.wantWrites(t, "killed", at.writes)
			before := s.holders(t)

			c.apply(t)
			s.wantWrites(t, "run again", at.again) // a claim that is adopted gets the mark of its state
			accounts := []string{c.wantClaimed(t, "blue", "ga-1"), c.wantClaimed(t, "green", "ga-2")}
			if !slices.Contains(accounts, held.Name) {
				t.Errorf("killed at the claim of %s, and the claims are on %q", held.Name, accounts)
			}
			for account, tenant := range before {
				if s.tenant(t, account) != tenant {
					t.Errorf("%s was of %s and is of %q", account, tenant, s.tenant(t, account))
				}
			}
		})
	}
}
