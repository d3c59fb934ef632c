package scenarios

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/fault"
)

// F2: the answer never comes. The time that is kept back for it is enough to find out what was written.
func TestF02AnswerNeverComes(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(2)...)
	c := s.configure(t, claim("blue", "ga-1", `timeouts = { create = "12s" }`))
	s.proxy.Spoil(fault.Rule{Verb: "patch", Nth: 1, Fault: fault.HangAfter()})
	c.apply(t)
	s.wantWrites(t, "applied", 1)
	c.wantClaimed(t, "blue", "ga-1")
}

// F2: neither the answer comes nor that to the read after it. The apply ends in time and says that it does not
// know; the next one takes up the claim, without a write.
func TestF02NothingIsAnsweredAfterTheWrite(t *testing.T) {
	t.Parallel()
	s := newStage(t, awsAccounts(2)...)
	c := s.configure(t, claim("blue", "ga-1", `timeouts = { create = "12s" }`))
	s.proxy.Spoil(fault.Rule{Verb: "patch", Nth: 1, Fault: fault.HangAfter()})
	s.proxy.Spoil(fault.Rule{Verb: "get", Resource: "credentialsbindings", Fault: fault.HangBefore()})
	c.fails(t, applying, "Outcome of a write is unknown", "may have taken effect", "Run the same command again")
	s.wantWrites(t, "not answered", 1)
	if account := c.account(t, "blue"); account != "" {
		t.Errorf("the state has the claim on %s, and the run cannot know whether it stands", account)
	}

	s.proxy.Lift()
	warns(t, c.apply(t), "Claim existed already")
	s.wantWrites(t, "run again", 2) // with the mark of the state that adopts it
	c.wantClaimed(t, "blue", "ga-1")
}
