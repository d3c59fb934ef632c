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
	// before brings about what stands before that apply.
	before func(t *testing.T, s stage, c configuration)
	// writes is how often the account has been written in the end.
	writes int
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
		"a claim": {before: func(*testing.T, stage, configuration) {}, writes: 1},
		"an update": {before: func(t *testing.T, _ stage, c configuration) {
			t.Helper()
			claimed(t, c, "first")
		}, writes: 2},
		"an adoption that updates": {before: func(t *testing.T, _ stage, c configuration) {
			t.Helper()
			c.forCluster(t, "first")
			c.stopped(t, applying, fault.Rule{Verb: "patch"}, fault.BlockAfter(), (*cli.Running).Kill)
		}, writes: 2},
		"a re-claim": {before: func(t *testing.T, s stage, c configuration) {
			t.Helper()
			claimed(t, c, "second")
			s.PatchLabels(t, c.account(t, "blue"), map[string]*string{"tenantName": nil})
		}, writes: 2},
	}
}

// F1: whatever write an apply is killed at, the next one ends as if nothing had happened: on one account, with one
// record, and nothing written twice.
func TestF01KilledAtEachWrite(t *testing.T) {
	t.Parallel()
	for name, crash := range crashes() {
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

// F1: killed at a change of the owner. The record may name the new one, and the state does not know that it is its own: a destroy leaves
// the claim alone and says so, the same apply takes it on, and the destroy goes through then.
func TestF01KilledAtAChangeOfTheOwner(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]struct {
		block  *fault.Block
		writes int
		kill   func(*testing.T, *cli.Running)
	}{
		"before the commit":                    {fault.BlockBefore(), 1, killAll},
		"after the commit":                     {fault.BlockAfter(), 2, killAll},
		"after the commit, the provider alone": {fault.BlockAfter(), 2, killProvider},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(2)...)
			c := s.configure(t, claim("blue", "ga-1", `owner = "first"`))
			c.apply(t)
			account := c.account(t, "blue")
			c.write(t, "", claim("blue", "ga-1", `owner = "second"`))
			c.stopped(t, applying, fault.Rule{Verb: "patch"}, at.block, func(r *cli.Running) { at.kill(t, r) })
			s.wantWrites(t, "killed", at.writes)
			if at.writes == 2 {
				before := s.versions(t)
				c.fails(t, destroying, "Claim belongs to another owner", `recorded by owner "second"`, "run that apply again")
				s.unwritten(t, before)
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
	s.wantWrites(t, "run again", x.writes)
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
		block  *fault.Block
		writes int
	}{"before the commit": {fault.BlockBefore(), 1}, "after the commit": {fault.BlockAfter(), 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(3)...)
			c := s.configure(t, claim("blue", "ga-1"), claim("green", "ga-2"))
			held, _ := c.stopped(t, []string{"apply", "-auto-approve", "-parallelism=1"}, fault.Rule{Verb: "patch", Nth: 2},
				at.block, (*cli.Running).Kill)
			s.wantWrites(t, "killed", at.writes)
			before := s.holders(t)

			c.apply(t)
			s.wantWrites(t, "run again", 2)
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
