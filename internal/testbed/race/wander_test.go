package race

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/rivals"
)

const (
	// wanderers: one claim of so many loses its account while it exists.
	wanderers = 8
	// wandering is the longest wait between two steps of an account that wanders: the clean-up job needs some 20 ms, and
	// other claimers and the broker take what is free within as much.
	wandering = 400
	// meeting is the longest wait, in milliseconds, between two first claims of one Global Account.
	meeting = 2500
)

// meetingPool is where first claims meet: a pool without other claimers, in which an account that a process has seen free a
// while ago is free still, as in a landscape where seconds pass between two claims.
var meetingPool = account.Target{HyperscalerType: "azure"}

// meetingAccounts is how many accounts it has.
const meetingAccounts = 12

// wander has the account of a claim go behind the claim's back: the broker frees it, the clean-up job strips it, the broker
// and other claimers may take it. The claim is destroyed at any time of that, before or after the next claim of its Global
// Account is made or destroyed, which may be on the same account.
func (c *claimer) wander(t *testing.T, p *pending) (settled bool) {
	t.Helper()
	broker := c.broker[c.rng.IntN(len(c.broker))]
	if err := broker.Free(t.Context(), p.account); err != nil { // then it is a claim like any other
		t.Logf("the broker could not free %s: %v", p.account, err)
	}
	next := *p
	next.account, next.uid, next.used = "", "", false
	next.request.Name += "-next"
	settled, nextSettled := true, true
	destroy := func() { settled = c.release(t, p, p.request.ReleaseMode) }
	claimNext := func() { _, nextSettled = c.claim(t, c.claiming[c.rng.IntN(len(c.claiming))], &next) }
	destroyNext := func() {
		if next.account != "" {
			nextSettled = c.release(t, &next, account.MarkDirty)
		}
	}
	for _, step := range [][]func(){
		{destroy, claimNext, destroyNext}, {claimNext, destroy, destroyNext}, {claimNext, destroyNext, destroy},
	}[c.rng.IntN(3)] {
		pause(t.Context(), time.Duration(c.rng.IntN(wandering))*time.Millisecond)
		step()
	}
	if !nextSettled {
		c.open = append(c.open, next)
	}
	return settled
}

// meet has the broker and two processes make the first claims of one Global Account, one after the other with up to a few
// seconds between them, and again for the next one. The processes have run for a while: what they know of the pool is as
// old as it may be.
func (c *claimer) meet(ctx context.Context, t *testing.T, broker *rivals.Broker) {
	t.Helper()
	processes := []*pool.Pool{c.process(t), c.process(t)}
	for n := 0; ctx.Err() == nil; n++ {
		ga := fmt.Sprintf("ga-first-%d-%d", c.number, n)
		var given string
		var claims []pending
		for _, party := range c.rng.Perm(len(processes) + 1) {
			pause(ctx, time.Duration(c.rng.IntN(meeting))*time.Millisecond)
			if party == len(processes) {
				given, _ = broker.Claim(t.Context(), ga, meetingPool.HyperscalerType) // it may find none
				continue
			}
			p := c.request(n, ga)
			p.request.Name, p.request.Target = fmt.Sprintf("first-%d-%d-%d", c.number, n, party), meetingPool
			claimed, known := c.claim(t, processes[party], &p)
			if claimed {
				claims = append(claims, p)
			} else if !known {
				c.open = append(c.open, p)
			}
		}
		for i := range claims {
			if !c.release(t, &claims[i], account.MarkDirty) {
				c.open = append(c.open, claims[i])
			}
		}
		if given != "" {
			_ = broker.Free(t.Context(), given) // it is dirty already where a claim was on it
		}
	}
}
