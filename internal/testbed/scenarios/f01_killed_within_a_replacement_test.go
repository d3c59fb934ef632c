package scenarios

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// replacing is an apply that replaces the claim of these tests.
var replacing = []string{"apply", "-auto-approve", "-replace=" + address("blue")}

// F1: a replacement that is killed between the end of the old claim and the new one. Replaced again, the old account has
// been released once, and the new claim was made once.
func TestF01KilledWithinAReplacement(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]struct {
		write         int // fence, mark, claim
		block         *fault.Block
		writes, again int
	}{
		"before the old account is marked":  {2, fault.BlockBefore(), 2, 4},
		"after the old account is marked":   {2, fault.BlockAfter(), 3, 4},
		"before the new account is claimed": {3, fault.BlockBefore(), 3, 4},
		"after the new account is claimed":  {3, fault.BlockAfter(), 4, 5}, // with the mark of the state that adopts it
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(2)...)
			c := s.configure(t, claim("blue", "ga-1"))
			c.apply(t)
			old := c.account(t, "blue")
			c.stopped(t, replacing, fault.Rule{Verb: "patch", Nth: at.write}, at.block, (*cli.Running).Kill)
			s.wantWrites(t, "killed", at.writes)
			s.Released(s.key("blue", "ga-1", nil), old)

			c.succeeds(t, replacing...)
			s.wantWrites(t, "run again", at.again)
			now := c.account(t, "blue")
			if now == old || now == "" {
				t.Fatalf("the claim is on %q, before on %q", now, old)
			}
			s.wantMarked(t, old)
			if s.dirt(t, now) != "" || len(s.records(t, now)) != 1 {
				t.Errorf("the new account has dirty=%q and the records %q", s.dirt(t, now), s.records(t, now))
			}
		})
	}
}

// F1: with create_before_destroy the new claim is the old one, taken up. Killed in between, the claim is as it was,
// and the next apply leaves it so.
func TestF01KilledWithinAReplacementThatCreatesFirst(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(2)...)
	c := s.configure(t, claim("blue", "ga-1", createFirst))
	c.apply(t)
	old := c.account(t, "blue")
	c.stopped(t, replacing, fault.Rule{Verb: "get", Resource: "credentialsbindings"}, fault.BlockAfter(), (*cli.Running).Kill)
	s.wantWrites(t, "killed", 1)

	c.apply(t)
	s.wantWrites(t, "run again", 1)
	if now := c.wantClaimed(t, "blue", "ga-1"); now != old || s.dirt(t, now) != "" {
		t.Errorf("the claim is on %q with dirty=%q, before on %q", now, s.dirt(t, now), old)
	}
}

// createFirst makes a resource's replacement create before it destroys.
const createFirst = "lifecycle { create_before_destroy = true }"

// F1: the replacement stops between the two because something else fails, so the old claim is left in the state beside
// the new one, and both are the same claim. A plan that would destroy the one under the other is refused.
func TestF01ReplacementThatCreatesFirstStopsHalfWay(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(2)...)
	c := s.configure(t, claim("blue", "ga-1", createFirst))
	c.apply(t)
	old := c.account(t, "blue")
	c.write(t, "", claim("blue", "ga-1", createFirst),
		claim("green", "ga-1", `plan = "gcp"`, "depends_on = ["+address("blue")+"]"))
	c.fails(t, replacing, "No free account")
	s.wantWrites(t, "stopped half way", 2) // the new object has left its mark

	c.write(t, "", claim("blue", "ga-1", createFirst))
	c.fails(t, applying, "Claim is kept and destroyed", "state rm", "import it as ga-1/"+old+"/blue")
	s.wantWrites(t, "run again", 2)
	c.succeeds(t, "state", "rm", address("blue"))
	c.succeeds(t, "import", address("blue"), "ga-1/"+old+"/blue")
	c.apply(t)
	s.wantWrites(t, "mended", 2)
	if now := c.wantClaimed(t, "blue", "ga-1"); now != old || s.dirt(t, now) != "" {
		t.Errorf("the claim is on %q with dirty=%q, before on %q", now, s.dirt(t, now), old)
	}
}

// killedReplacement is a configuration whose claim was moved from an account to another one by a run that was killed before
// it wrote its state.
func killedReplacement(t *testing.T) (c configuration, old, now string) {
	t.Helper()
	s := newStage(t, awsAccounts(2)...)
	c = s.configure(t, claim("blue", "ga-1"))
	c.apply(t)
	old = c.account(t, "blue")
	held := c.stopped(t, replacing, fault.Rule{Verb: "patch", Nth: 3}, fault.BlockAfter(), (*cli.Running).Kill)
	s.Released(s.key("blue", "ga-1", nil), old)
	s.Acknowledge(s.key("blue", "ga-1", nil), held.Name, s.GetAccount(t, held.Name).ResourceVersion)
	return c, old, held.Name
}

// F1: a replacement that is killed after the new claim, and a destroy after it. The state knows the old account alone, and
// no process can determine whether another state holds the new one: the destroy names it, and how to get rid of it.
func TestF01DestroyAfterAKilledReplacement(t *testing.T) {
	t.Parallel()
	c, old, held := killedReplacement(t)
	s := c.stage
	s.Released(s.key("blue", "ga-1", nil), held)

	wantMessage(t, c.destroy(t).Output, "Warning: Claim is on another account", held, "import it as ga-1/"+held+"/blue")
	s.wantMarked(t, old)
	c.succeeds(t, "import", address("blue"), "ga-1/"+held+"/blue")
	c.destroy(t)
	s.wantMarked(t, held)
}

// F1: the same, and an apply after it, when the old account is free again. The claim does not end up on both.
func TestF01ApplyAfterAKilledReplacement(t *testing.T) {
	t.Parallel()
	c, old, held := killedReplacement(t)
	s := c.stage
	s.PatchLabels(t, old, map[string]*string{"tenantName": nil, "dirty": nil}) // the clean-up job

	before := s.versions(t)
	c.fails(t, applying, "Claim is on another account", "was to be recorded on account "+old+", and is on account "+held, "Nothing was written.",
		"import it as ga-1/"+held+"/blue")
	s.unwritten(t, before)
	c.succeeds(t, "state", "rm", address("blue"))
	c.succeeds(t, "import", address("blue"), "ga-1/"+held+"/blue")
	before = s.versions(t)
	c.unchanged(t, before)
}
