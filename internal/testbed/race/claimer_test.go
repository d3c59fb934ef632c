package race

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/testbed"
)

// claimer is one pipeline: it claims, uses, and releases, over and over.
type claimer struct {
	*round
	number int
	rng    *rand.Rand
	open   []pending // what the claimer does not know the end of
}

// pending is a claim and what its state says of it.
type pending struct {
	request   protocol.ClaimRequest
	account   string // where it was when it was last known; "" = it was never acknowledged
	uid       string
	claimedAt time.Time
	used      bool // a cluster was on it, or may have been
}

func (r *round) identity(req protocol.ClaimRequest) account.Identity {
	return account.Identity{Namespace: r.Name, GlobalAccount: req.GlobalAccount, Pool: req.Target.String(), Name: req.Name}
}

// run works until the round's attempts are used up.
func (c *claimer) run(t *testing.T) {
	t.Helper()
	for n := 0; c.left.Add(-1) >= 0; n++ {
		p := c.request(n, c.tenant(c.rng))
		claimed := c.seen.succeeded()
		if !c.live(t, &p) {
			c.open = append(c.open, p)
		}
		if c.seen.succeeded() == claimed { // nothing left: give others the time to bring something back
			pause(t.Context(), time.Duration(c.rng.IntN(200))*time.Millisecond)
		}
	}
}

// request is the claimer's next claim.
func (c *claimer) request(n int, globalAccount string) pending {
	return pending{request: protocol.ClaimRequest{
		Name: fmt.Sprintf("claim-%d-%d", c.number, n), GlobalAccount: globalAccount, Target: account.Target{HyperscalerType: "aws"},
		Details: account.Details{Owner: "race", ClusterName: fmt.Sprintf("s-%d-%d", c.number, n), ReleaseMode: c.ending()},
	}}
}

// ending is what becomes of the account in the end.
func (c *claimer) ending() account.Mode {
	mode := []account.Mode{account.MarkDirty, account.MarkDirty, account.ReturnToPool, account.Keep}[c.rng.IntN(4)]
	if mode == account.ReturnToPool && c.mixed { // clusters of the broker come and go unseen on the accounts of our tenants
		return account.MarkDirty
	}
	return mode
}

// live is the life of one claim; false = how it ended is unknown.
func (c *claimer) live(t *testing.T, p *pending) bool {
	t.Helper()
	claimed, known := c.claim(t, c.claiming[c.rng.IntN(len(c.claiming))], p)
	if !claimed {
		return known
	}
	if c.rng.IntN(wanderers) == 0 {
		return c.wander(t, p)
	}
	if c.rng.IntN(4) == 0 && !c.use(t, p) {
		return false
	}
	mode := p.request.ReleaseMode
	if mode != account.Keep {
		return c.release(t, p, mode)
	}
	// The account stays with its tenant: the next claim finds it there.
	if !c.release(t, p, mode) {
		return false
	}
	p.account, p.request.Name = "", p.request.Name+"-again"
	if claimed, known = c.claim(t, c.claiming[0], p); !claimed {
		return known
	}
	return c.release(t, p, account.MarkDirty)
}

// claim makes the claim, and adds to the history what it heard.
func (c *claimer) claim(t *testing.T, process *pool.Pool, p *pending) (claimed, known bool) {
	t.Helper()
	wait := patience
	if c.faults > 0 && c.rng.IntN(50) == 0 {
		wait = time.Duration(5+c.rng.IntN(200)) * time.Millisecond // the user presses Ctrl-C
	}
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	began := time.Now()
	claim, err := process.Claim(ctx, p.request)
	c.seen.attempt(time.Since(began), claim.Adopted, err)
	if err != nil {
		if errors.As(err, new(*account.ExhaustedError)) || errors.As(err, new(*account.ConflictError)) {
			return false, true
		}
		c.Unknown(c.identity(p.request).Key())
		return false, false
	}
	if claim.Account.Tenant != p.request.GlobalAccount {
		t.Errorf("%s was answered that it has %s, which is %q's", claim.Identity, claim.Account.Name, claim.Account.Tenant)
	}
	c.acknowledge(p, claim)
	return true, true
}

func (r *round) acknowledge(p *pending, claim protocol.Claim) {
	p.account, p.uid, p.claimedAt, p.used = claim.Account.Name, claim.Account.UID, claim.Record.ClaimedAt, p.used || claim.Used
	r.Acknowledge(claim.Identity.Key(), p.account, claim.Account.Version)
}

// use puts a cluster on the account, and sees that no release succeeds meanwhile.
func (c *claimer) use(t *testing.T, p *pending) bool {
	t.Helper()
	shoot := testbed.ShootSpec{Name: p.request.ClusterName, Account: p.account}
	if err := c.MakeShoots(t.Context(), shoot); err != nil {
		t.Errorf("creating the Shoot: %v", err)
	}
	defer c.DeleteShoot(t, shoot.Name)
	p.used = true
	outcome, err := c.attempt(t, p, account.MarkDirty)
	var inUse *account.InUseError
	switch {
	case errors.As(err, &inUse):
		return true
	case err == nil && outcome != protocol.OutcomeDirtied && outcome != protocol.OutcomeReturned:
		c.Released(c.identity(p.request).Key(), p.account) // another claim is on it, or it is lost already
		return false
	case err == nil:
		t.Errorf("%s was released (%s) under the Shoot %s", p.account, outcome, shoot.Name)
	}
	return false
}

// release ends the claim; false = whether it has ended is unknown.
func (c *claimer) release(t *testing.T, p *pending, mode account.Mode) bool {
	t.Helper()
	_, err := c.attempt(t, p, mode)
	if errors.As(err, new(*protocol.ReturnRefusedError)) {
		_, err = c.attempt(t, p, account.MarkDirty)
	}
	c.released(p, mode)
	if err == nil {
		return true
	}
	c.Unknown(c.identity(p.request).Key())
	return false
}

// released adds a release to the history.
func (r *round) released(p *pending, mode account.Mode) {
	tell := r.Released
	if mode == account.Keep {
		tell = r.Kept
	}
	tell(r.identity(p.request).Key(), p.account)
}

func (c *claimer) attempt(t *testing.T, p *pending, mode account.Mode) (protocol.Outcome, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	outcome, err := c.releasing[c.rng.IntN(len(c.releasing))].Release(ctx, c.releaseOf(p, mode, grace))
	c.seen.release(err)
	return outcome, err
}

// releaseOf is the destroy of a claim by what its state says.
func (r *round) releaseOf(p *pending, mode account.Mode, grace time.Duration) protocol.ReleaseRequest {
	return protocol.ReleaseRequest{
		Identity: r.identity(p.request), Account: p.account, UID: p.uid, Mode: mode, Owner: p.request.Owner, Grace: grace,
		Used: p.used, Recorded: true, ClaimedAt: p.claimedAt,
	}
}

// calm brings to an end what the storm has left open: the same call again finds what is left, and releases it.
func (r *round) calm(t *testing.T, claimers []*claimer) {
	t.Helper()
	claiming, releasing := r.process(t), r.process(t)
	for _, c := range claimers {
		for _, p := range c.open {
			known := p.account != ""
			if !known && !r.findAgain(t, claiming, &p) {
				continue
			}
			mode := account.MarkDirty
			_, err := releasing.Release(t.Context(), r.releaseOf(&p, mode, 0))
			if errors.As(err, new(*account.InUseError)) { // the broker's last Shoot
				mode = account.Keep
				_, err = releasing.Release(t.Context(), r.releaseOf(&p, mode, 0))
			}
			r.released(&p, mode)
			switch {
			case err != nil:
				t.Errorf("in calm weather: releasing %s from %s: %v", r.identity(p.request), p.account, err)
			case known: // else it may have been on another account before, which no state knows of
				r.Settled(r.identity(p.request).Key())
			}
		}
	}
}

// findAgain makes a claim again whose outcome is unknown.
func (r *round) findAgain(t *testing.T, process *pool.Pool, p *pending) bool {
	t.Helper()
	claim, err := process.Claim(t.Context(), p.request)
	if err == nil {
		r.acknowledge(p, claim)
		return true
	}
	if !errors.As(err, new(*account.ExhaustedError)) && !errors.As(err, new(*protocol.UnusableError)) {
		t.Errorf("in calm weather: claiming %s: %v", r.identity(p.request), err)
	}
	return false
}
