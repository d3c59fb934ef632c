package scenarios

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// fencedWrites are the writes of a claim and its release: claim, fence, end.
const fencedWrites = 3

func killAll(_ *testing.T, r *cli.Running) { r.Kill() }

func killProvider(t *testing.T, r *cli.Running) {
	t.Helper()
	r.KillProvider(t)
}

// F22b: whatever write a destroy is killed at, the next one finishes what it finds, and writes nothing twice.
func TestF22DestroyKilledAtEachWrite(t *testing.T) {
	t.Parallel()
	for name, x := range sampled(t, map[string]struct {
		mode   string
		nth    int
		block  *fault.Block
		writes int
		kill   func(*testing.T, *cli.Running)
	}{
		"before the fence":                     {"mark_dirty", 1, fault.BlockBefore(), 1, killAll},
		"after the fence":                      {"mark_dirty", 1, fault.BlockAfter(), 2, killAll},
		"after the fence, the provider alone":  {"mark_dirty", 1, fault.BlockAfter(), 2, killProvider},
		"before the mark":                      {"mark_dirty", 2, fault.BlockBefore(), 2, killAll},
		"after the mark":                       {"mark_dirty", 2, fault.BlockAfter(), 3, killAll},
		"after the mark, the provider alone":   {"mark_dirty", 2, fault.BlockAfter(), 3, killProvider},
		"after the fence, to be returned":      {"return_to_pool", 1, fault.BlockAfter(), 2, killAll},
		"before the return":                    {"return_to_pool", 2, fault.BlockBefore(), 2, killAll},
		"after the return":                     {"return_to_pool", 2, fault.BlockAfter(), 3, killAll},
		"after the return, the provider alone": {"return_to_pool", 2, fault.BlockAfter(), 3, killProvider},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, awsAccounts(2)...)
			c := s.configure(t, claim("blue", "ga-1", `on_destroy = "`+x.mode+`"`))
			c.apply(t)
			account := c.account(t, "blue")
			c.stopped(t, destroying, fault.Rule{Verb: "patch", Nth: x.nth}, x.block, func(r *cli.Running) { x.kill(t, r) })
			s.wantWrites(t, "killed", x.writes)
			if c.account(t, "blue") != account {
				t.Fatalf("killed before the end of the destroy, and the state has the claim on %q", c.account(t, "blue"))
			}

			c.destroy(t)
			s.wantWrites(t, "run again", fencedWrites)
			if x.mode == "mark_dirty" {
				s.wantMarked(t, account)
			} else {
				s.wantFree(t, account)
			}
		})
	}
}

// F22b: killed within the grace time. The fence stays, a plan says so, and the next destroy waits its own time.
func TestF22DestroyKilledInTheGraceTime(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(2)...)
	c := s.configure(t)
	c.write(t, `release_grace = "3s"`, claim("blue", "ga-1"))
	c.apply(t)
	account := c.account(t, "blue")
	c.destroyInGrace(t, account, (*cli.Running).Kill)
	s.wantWrites(t, "killed", 2)
	warns(t, c.succeeds(t, planning...), "Claimed account has changed",
		account, "it is being released (label dirty=releasing)", "Destroy the claim to have it finished")

	c.destroy(t)
	s.wantWrites(t, "run again", fencedWrites)
	s.wantMarked(t, account)
}

// wantFree checks that an account is back in the pool.
func (s stage) wantFree(t *testing.T, account string) {
	t.Helper()
	if s.tenant(t, account) != "" || s.dirt(t, account) != "" || len(s.records(t, account)) != 0 {
		t.Errorf("%s has the tenant %q, dirty=%q, and the records %q", account, s.tenant(t, account), s.dirt(t, account), s.records(t, account))
	}
}
