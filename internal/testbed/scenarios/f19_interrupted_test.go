package scenarios

import (
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// interruption is a Ctrl-C while a request is held.
type interruption struct {
	arguments []string
	at        fault.Rule
	block     *fault.Block
	// writes of ours there are then, and again after the next run.
	writes, again int
}

// nth picks a request of the rule.
func nth(rule fault.Rule, n int) fault.Rule {
	rule.Nth = n
	return rule
}

// F19: Ctrl-C while a claim is made. What was not sent is not written; what was, is in the state.
func TestF19InterruptedClaim(t *testing.T) {
	t.Parallel()
	list, patch := fault.Rule{Verb: "list", Resource: "credentialsbindings"}, fault.Rule{Verb: "patch"}
	rights := fault.Rule{Verb: "create", Resource: "selfsubjectaccessreviews"}
	for name, x := range map[string]interruption{
		"while the plan lists the accounts":   {applying, nth(list, 1), fault.BlockBefore(), 0, 1},
		"while the apply lists the accounts":  {applying, nth(list, 2), fault.BlockBefore(), 0, 1},
		"while the claim asks for its rights": {applying, rights, fault.BlockBefore(), 0, 1},
		"before the claim is written":         {applying, nth(patch, 1), fault.BlockBefore(), 0, 1},
		"after the claim is written":          {applying, nth(patch, 1), fault.BlockAfter(), 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(2)...)
			c := s.configure(t, claim("blue", "ga-1"))
			_, result := c.stopped(t, x.arguments, x.at, x.block, (*cli.Running).Interrupt)
			s.wantWrites(t, "interrupted", x.writes)
			if x.writes == 0 {
				if result.ExitCode == 0 || c.account(t, "blue") != "" || len(s.holders(t)) != 0 {
					t.Errorf("exit code %d, claim on %q, accounts held %v:\n%s", result.ExitCode, c.account(t, "blue"), s.holders(t), result.Output)
				}
			} else {
				c.wantClaimed(t, "blue", "ga-1")
			}

			c.apply(t)
			s.wantWrites(t, "run again", x.again)
			c.wantClaimed(t, "blue", "ga-1")
		})
	}
}

// F19: Ctrl-C at the second of two claims. The first is saved.
func TestF19InterruptedAtTheSecondClaim(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(3)...)
	c := s.configure(t, claim("blue", "ga-1"), claim("green", "ga-2"))
	c.stopped(t, []string{"apply", "-auto-approve", "-parallelism=1"}, fault.Rule{Verb: "patch", Nth: 2}, fault.BlockBefore(), (*cli.Running).Interrupt)
	s.wantWrites(t, "interrupted", 1)
	if saved := c.State(t).Len(); saved != 1 {
		t.Errorf("the state has %d claims, want the first alone", saved)
	}

	c.apply(t)
	s.wantWrites(t, "run again", 2)
	c.wantClaimed(t, "blue", "ga-1")
	c.wantClaimed(t, "green", "ga-2")
}

// F19: the second Ctrl-C ends everything at once, as a crash does: the next apply takes up the claim.
func TestF19InterruptedTwice(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(2)...)
	c := s.configure(t, claim("blue", "ga-1"))
	looks := fault.BlockBefore() // of the interrupted provider, which wants to know what was written
	s.proxy.Spoil(fault.Rule{Verb: "get", Resource: "credentialsbindings", Fault: looks.Fault})
	_, result := c.stopped(t, applying, fault.Rule{Verb: "patch"}, fault.BlockAfter(), func(r *cli.Running) {
		r.Interrupt()
		looks.Wait(t)
		r.Interrupt()
	})
	if result.ExitCode == 0 || c.account(t, "blue") != "" {
		t.Errorf("exit code %d, claim on %q:\n%s", result.ExitCode, c.account(t, "blue"), result.Output)
	}
	s.wantWrites(t, "interrupted twice", 1)

	s.proxy.Lift()
	warns(t, c.apply(t), "Claim existed already")
	s.wantWrites(t, "run again", 2) // with the mark of the state that adopts it
	c.wantClaimed(t, "blue", "ga-1")
}

// F19: Ctrl-C while an account is released. Before it is marked the claim goes on and the fence is taken back; once it
// is marked the claim has ended.
func TestF19InterruptedRelease(t *testing.T) {
	t.Parallel()
	look := fault.Rule{Verb: "list", Resource: "shoots"}
	patch := fault.Rule{Verb: "patch"}
	for name, x := range sampled(t, map[string]interruption{
		"while it looks for clusters": {destroyingBlind, nth(look, 1), fault.BlockBefore(), 1, 3},
		// The fence may be on its way. It is put up and taken down, so that it cannot arrive when the run is over.
		"before the fence":                {destroying, nth(patch, 1), fault.BlockBefore(), 3, 5},
		"after the fence":                 {destroying, nth(patch, 1), fault.BlockAfter(), 3, 5},
		"while it looks behind the fence": {destroyingBlind, nth(look, 2), fault.BlockBefore(), 3, 5},
		"before the account is marked":    {destroying, nth(patch, 2), fault.BlockBefore(), 3, 5},
		"after the account is marked":     {destroying, nth(patch, 2), fault.BlockAfter(), 3, 3},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(2)...)
			c := s.configure(t, claim("blue", "ga-1"))
			c.apply(t)
			account := c.account(t, "blue")
			_, result := c.stopped(t, x.arguments, x.at, x.block, (*cli.Running).Interrupt)
			s.wantWrites(t, "interrupted", x.writes)
			if x.writes == x.again {
				s.wantMarked(t, account)
			} else {
				c.wantUnfenced(t, account, result)
			}

			c.destroy(t)
			s.wantWrites(t, "run again", x.again)
			s.wantMarked(t, account)
		})
	}
}

// F19: Ctrl-C in the grace time. The fence is taken down at once, and the claim goes on.
func TestF19InterruptedInTheGraceTime(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(2)...)
	c := s.configure(t)
	c.write(t, `release_grace = "10m"`, claim("blue", "ga-1"))
	c.apply(t)
	account := c.account(t, "blue")
	result := c.destroyInGrace(t, account, (*cli.Running).Interrupt)
	wantMessage(t, result.Output, "Error: ", "interrupted while the fence on account "+account+" stood")
	c.wantUnfenced(t, account, result)
	s.wantWrites(t, "interrupted", 3)

	c.write(t, "", claim("blue", "ga-1"))
	c.destroy(t)
	s.wantWrites(t, "run again", 5)
	s.wantMarked(t, account)
}

// wantMarked checks that an account was released: dirty, with its tenant, without a record.
func (s stage) wantMarked(t *testing.T, account string) {
	t.Helper()
	if s.tenant(t, account) != "ga-1" || s.dirt(t, account) != "true" || len(s.records(t, account)) != 0 {
		t.Errorf("%s has the tenant %q, dirty=%q, and the records %q", account, s.tenant(t, account), s.dirt(t, account), s.records(t, account))
	}
}

// wantUnfenced checks that a release has failed and the claim is as before.
func (c configuration) wantUnfenced(t *testing.T, account string, failed cli.Result) {
	t.Helper()
	if failed.ExitCode == 0 {
		t.Errorf("exit code 0:\n%s", failed.Output)
	}
	if now := c.wantClaimed(t, "blue", "ga-1"); now != account {
		t.Errorf("the claim is on %s now, before on %s", now, account)
	}
	if dirt := c.stage.dirt(t, account); dirt != "" {
		t.Errorf("the fence stays: dirty=%q\n%s", dirt, failed.Output)
	}
}

// awaitDirt waits until the label dirty of an account has this value.
func (s stage) awaitDirt(t *testing.T, account, want string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); s.dirt(t, account) != want; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s does not become dirty=%q", account, want)
		}
	}
}
