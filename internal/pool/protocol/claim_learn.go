package protocol

import (
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Learn takes in what came back of a step.
func (c *Claiming) Learn(did Step, came Answer) {
	c.failure = came.Err
	switch s := did.(type) {
	case AskRight:
		c.allowed = came.Err == nil
	case Recent:
		c.recent = came.Err == nil
	case Await:
		c.failure, c.stop = nil, came.Err
	case Place:
		c.placed = true
	case Read, Share:
		c.account = nil
		if came.Err == nil && !came.Gone {
			now := came.Account
			c.account = &now
		}
	case CheckEmpty:
		c.claim.Used, c.unknown, c.failure = !came.Empty, false, nil
	case Write:
		c.wrote(s, came)
	}
}

// wrote takes in what became of a write. A claim whose record had arrived before the tenant lost the account could end on two: the record
// is taken away before the claim is judged again. A write can take as long as a wait.
func (c *Claiming) wrote(s Write, came Answer) {
	c.Waited()
	c.account = nil
	now := came.Account
	switch {
	case came.Err != nil && s.Aside:
		c.failure = nil
		c.claim.LeftBehind = append(c.claim.LeftBehind, LeftBehind{s.Judged.Name, came.Err})
	case came.Err != nil && s.To == ToWithdraw:
		c.failure = fmt.Errorf("writing %s: %w", c.id, withdrawError(s.Judged, came.Err))
	case came.Err != nil:
		if c.passOver(c.decision, came.Err) {
			c.failure = nil
			return
		}
		c.failure = fmt.Errorf("writing %s: %w", c.id, came.Err)
	case s.To == ToWithdraw:
		c.void = nil
		if came.Changed && now.HasVoid(c.Key(), s.Judged.Records[c.Key()].Owner) {
			c.void = &now
		}
	case came.Gone || came.Changed:
		c.chosen = &c.decision.Account
		if came.Changed && s.Change.VoidOn(now) {
			c.void = &now
		}
	default:
		c.keep(now, now.Records[c.Key()], c.decision)
	}
}

// ends ends the claim on an account.
func (c *Claiming) ends(f Facts, account account.Account, record account.Record, d account.Decision) Step {
	c.keep(account, record, d)
	return c.end(f)
}

func (c *Claiming) keep(a account.Account, record account.Record, d account.Decision) {
	c.claim = &Claim{
		Identity: c.id, Account: a, Record: record, Limit: d.Limit, Reason: d.Reason, Warnings: d.Warnings, Doubts: d.Doubts,
		PassedOver: c.passed, Adopted: d.Action == actionAdopt, Used: d.Action == actionAdopt, // what the account has seen since is not known
	}
	// The count by which the account was chosen is older: a cluster that was left there may be gone when the claim ends.
	c.unknown = d.Action == account.ActionClaim && c.ReleaseMode == account.ReturnToPool
}
