package scenarios

import (
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// waiting is a claim that waits for an account; longer than the deadline of any test, unless a test says otherwise.
func waiting(label, ga, create string) string {
	return claim(label, ga, "wait_for_account = true", `timeouts = { create = "`+create+`" }`)
}

// exhausted is a pool whose one account is dirty, and still another tenant's.
func exhausted(t *testing.T) stage {
	t.Helper()
	return newStage(t, testbed.AccountSpec{Name: "aws-1", HyperscalerType: "aws", Tenant: "ga-before", Dirty: true})
}

// awaitLists waits until we have listed the accounts so many times in all.
func (s stage) awaitLists(t *testing.T, want int) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); s.lists() < want; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d lists, want %d", s.lists(), want)
		}
	}
}

// lists counts our lists of the accounts.
func (s stage) lists() (n int) {
	for _, x := range s.proxy.Log() {
		if isUs(x.Client) && x.Verb == "list" && x.Resource == "credentialsbindings" {
			n++
		}
	}
	return n
}

// F3: a claim that may wait looks at the exhausted pool until the clean-up job returns an account. The plan says that it will.
func TestF03ClaimWaitsForAnAccount(t *testing.T) {
	t.Parallel()
	acceptance(t)
	for name, program := range sampled(t, programs(t)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := exhausted(t)
			c := s.configureFor(t, program)
			c.write(t, "", waiting("blue", "ga-1", "5m"))
			warns(t, c.succeeds(t, planning...), "Pool has no free account", "As it looks now the apply will wait for an account", "dirty 1")
			before := s.lists()
			running := c.Start(t, applying...)
			s.awaitLists(t, before+3) // of the plan, of the claim, and the first read of its wait
			s.wantWrites(t, "while it waits", 0)
			if err := s.cleanupJob(t).Round(t.Context()); err != nil {
				t.Fatal(err)
			}
			result := running.Wait(t)
			c.tell(t)
			if result.ExitCode != 0 {
				t.Fatalf("exit code %d:\n%s", result.ExitCode, result.Output)
			}
			c.wantClaimed(t, "blue", "ga-1")
			s.wantWrites(t, "claimed", 1)
			wantMessage(t, c.succeeds(t, "plan", "-detailed-exitcode").Output, "No changes.")
			c.destroy(t)
		})
	}
}

// F3: an exhausted pool is an error at once where the claim is not to wait, and the error says that it could.
func TestF03ClaimThatDoesNotWait(t *testing.T) {
	t.Parallel()
	s := exhausted(t)
	c := s.configure(t, claim("blue", "ga-1"))
	began := time.Now()
	c.fails(t, applying, "No free account", "dirty 1", "Nothing was claimed.", "wait_for_account = true waits until an account comes back")
	if took := time.Since(began); took > 3*time.Minute { // timeouts.create is 5 minutes
		t.Errorf("refused after %s", took)
	}
	s.wantWrites(t, "refused", 0)
}
