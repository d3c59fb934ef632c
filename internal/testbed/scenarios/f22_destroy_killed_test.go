package scenarios

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/cli"
)

// fencedWrites are the writes of a claim and its release: claim, fence, end.
const fencedWrites = 3

// F22b: killed within the grace time. The fence stays, a plan says so, and the next destroy waits its own time.
func TestF22DestroyKilledInTheGraceTime(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(2)...)
	c := s.configure(t)
	c.write(t, `release_grace = "10s"`, claim("blue", "ga-1"))
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
