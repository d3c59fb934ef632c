package scenarios

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/rivals"
)

// F22: a cluster comes while its account is being released. The destroy is refused and the account is as it was; the
// clean-up job, which works all the time, never touches it. Once the cluster is gone the destroy succeeds.
func TestF22NewClusterDuringDestroy(t *testing.T) {
	t.Parallel()
	for name, come := range map[string]struct {
		grace string
		// destroy runs one during which the cluster comes.
		destroy func(t *testing.T, s stage, c configuration, cluster func()) cli.Result
	}{
		"between the first count and the fence": {"0s", func(t *testing.T, s stage, c configuration, cluster func()) cli.Result {
			t.Helper()
			s.proxy.Spoil(fault.Rule{Verb: "patch", Nth: 1, Fault: fault.Do(cluster, nil)})
			return c.Run(t, destroying...)
		}},
		"between the fence and the second count": {"0s", func(t *testing.T, s stage, c configuration, cluster func()) cli.Result {
			t.Helper()
			s.proxy.Spoil(fault.Rule{Verb: "patch", Nth: 1, Fault: fault.Do(nil, cluster)})
			return c.Run(t, destroying...)
		}},
		"in the grace time": {"15s", func(t *testing.T, _ stage, c configuration, cluster func()) cli.Result {
			t.Helper()
			return c.destroyInGrace(t, c.account(t, "blue"), func(*cli.Running) { cluster() })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(2)...)
			job := s.cleaning(t)
			c := s.configure(t)
			c.write(t, `release_grace = "`+come.grace+`"`, claim("blue", "ga-1"))
			c.apply(t)
			account := c.account(t, "blue")

			refused := come.destroy(t, s, c, func() { s.Shoot(t, "newcomer", account) })
			c.tell(t)
			wantMessage(t, refused.Output, "Error: Account is in use", account, "Shoot newcomer", "it is as it was before, and the claim still exists")
			c.wantUnfenced(t, account, refused)
			if record := s.GetAccount(t, account).Annotations[s.key("blue", "ga-1", nil)]; strings.Contains(record, "releasingSince") {
				t.Errorf("the record still notes a release: %s", record)
			}
			s.wantWrites(t, "refused", 3)
			if wiped := job.Wiped(); len(wiped) != 0 {
				t.Fatalf("the clean-up job has wiped %+v", wiped)
			}

			s.DeleteShoot(t, "newcomer")
			c.write(t, "", claim("blue", "ga-1"))
			c.destroy(t)
			s.wantWrites(t, "run again", 5)
			s.awaitFree(t, account)
			if wiped := job.Wiped(); len(wiped) != 1 || wiped[0].Account != account {
				t.Errorf("the clean-up job has wiped %+v", wiped)
			}
		})
	}
}

// F22: a cluster comes after the fence, and from then on nothing can be written, or nothing is answered at all: the
// fence stays. The message says so; the next destroy takes the fence down while the cluster is there, and the one after
// finishes.
func TestF22FenceStays(t *testing.T) {
	t.Parallel()
	for name, dead := range sampled(t, map[string]fault.Rule{
		"nothing can be written": {Verb: "patch", From: 2, Fault: fault.CutBefore()},
		"nothing is answered":    {Verb: "patch", From: 2, Fault: fault.HangBefore()},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(2)...)
			job := s.cleaning(t)
			c := s.configure(t, claim("blue", "ga-1", `timeouts = { delete = "40s" }`))
			c.apply(t)
			account := c.account(t, "blue")
			dead.When = func(x fault.Exchange) bool { return isUs(x.Client) }
			s.proxy.Spoil(fault.Rule{When: dead.When, Verb: "patch", Nth: 1, Fault: fault.Do(nil, func() { s.Shoot(t, "newcomer", account) })})
			s.proxy.Spoil(dead)
			refused := c.fails(t, destroying, "Fence of a release stays", "is used by 1 cluster: Shoot newcomer")
			s.wantWrites(t, "refused", 2)
			if dirt := s.dirt(t, account); dirt != "releasing" {
				t.Errorf("dirty=%q", dirt)
			}
			c.wantClaimed(t, "blue", "ga-1")
			t.Run("message", func(t *testing.T) {
				t.Parallel()
				wantFenceReported(t, account, refused.Output)
			})

			s.proxy.Lift()
			again := c.fails(t, destroying, "Account is in use", "Shoot newcomer")
			c.wantUnfenced(t, account, again)
			s.wantWrites(t, "refused again", 3)
			if wiped := job.Wiped(); len(wiped) != 0 {
				t.Fatalf("the clean-up job has wiped %+v", wiped)
			}
			s.DeleteShoot(t, "newcomer")
			c.destroy(t)
			s.wantWrites(t, "run again", 5)
			s.awaitFree(t, account)
		})
	}
}

// wantFenceReported checks that a refusal says that the fence stays, and nothing to the contrary.
func wantFenceReported(t *testing.T, account, output string) {
	t.Helper()
	wantMessage(t, output, "Error: Fence of a release stays", account+" stays fenced (label dirty=releasing) until the claim is released again", "Shoot newcomer")
	if strings.Contains(strings.Join(strings.Fields(output), " "), "it is as it was before") {
		t.Errorf("the message says that the account is as before:\n%s", output)
	}
}

// cleaning has the clean-up job work until the test ends.
func (s stage) cleaning(t *testing.T) *rivals.CleanupJob {
	t.Helper()
	job := s.cleanupJob(t)
	job.Interval = 50 * time.Millisecond
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		job.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return job
}

// awaitFree waits until the clean-up job has given an account back to the pool.
func (s stage) awaitFree(t *testing.T, account string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); s.tenant(t, account) != ""; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s is not freed", account)
		}
	}
	s.wantFree(t, account)
}
