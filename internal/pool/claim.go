package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// maxTries bounds how often one claim or release is judged anew after it lost a write to somebody else.
const maxTries = 256

// ClaimRequest asks for an account for one claim.
type ClaimRequest struct {
	// Name is the claim's own name.
	Name string
	// GlobalAccount is the tenant.
	GlobalAccount string
	// Target is the pool that the rules lead to.
	Target Target
	// Pin names exactly this account; empty = any.
	Pin string
	// ClusterName is the Shoot to reserve a place for; empty = none.
	ClusterName string
	// Owner is recorded on the account.
	Owner string
	// Request is recorded on the account, so that an import finds it again; so is OnDestroy.
	Request   Request
	OnDestroy Mode
}

// Claim is a claim that stands.
type Claim struct {
	Identity Identity
	// Account is the account as it stood when the claim was last written or read, with its Credentials.
	Account Account
	// Record is what stands on the account; for a shared account, where nothing is written, what would.
	Record Record
	// Clusters and Reserved are the clusters counted on the account and the places reserved beside them.
	Clusters, Reserved int
	// Limit is the most clusters the account may have; 0 = none applies.
	Limit int
	// Adopted says that the claim stood already: somebody made it and lost the answer.
	Adopted bool
	// Reason says in one sentence why this account.
	Reason string
	// Warnings are things the user should know although the claim stands; Doubts are what is in doubt about the count
	// behind it, see [Counts.Doubts]. What concerns all claims of a run alike is told to one of them.
	Warnings, Doubts []string
}

// Claim finds an account for the request and makes the claim stand on it. A claim of the
// same identity that stands already is adopted. When it returns an error nothing is left behind, except after an
// [UnknownOutcomeError], when the next call with the same identity finds what stands.
//
// Errors: those of [Select] and of [Store]; [OwnerError], [DuplicateError], [UnusableError], [NewerRecordError],
// [ConflictError].
func (p *Pool) Claim(ctx context.Context, req ClaimRequest) (Claim, error) {
	ctx, cancel := within(ctx)
	defer cancel()
	id := p.Identity(req.GlobalAccount, req.Target, req.Name)
	unlock, err := p.tenants.lock(ctx, req.GlobalAccount)
	if err != nil {
		return Claim{}, err
	}
	defer unlock()
	if account, twice := p.madeHere(id); twice {
		return Claim{}, &DuplicateError{Identity: id, Account: account}
	}
	if !req.Target.Shared {
		if err := p.mayWrite(ctx); err != nil {
			return Claim{}, err
		}
	}
	c := claiming{Pool: p, id: id, key: id.Key(), req: req, start: time.Now()}
	claim, err := c.run(ctx)
	if err == nil {
		p.mu.Lock()
		p.made[c.key] = claim.Account.Name
		p.mu.Unlock()
	}
	return claim, err
}

// madeHere returns the account of a claim that this process has made or adopted before.
func (p *Pool) madeHere(id Identity) (account string, made bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	account, made = p.made[id.Key()]
	return account, made
}

// claiming is one claim on its way: judge, write, and judge again after each lost write.
type claiming struct {
	*Pool
	id    Identity
	key   string
	req   ClaimRequest
	start time.Time
}

// actionAdopt: the claim stands already.
const actionAdopt Action = "adopt"

func (c *claiming) run(ctx context.Context) (Claim, error) {
	if err := c.view.recent(ctx); err != nil {
		return Claim{}, err
	}
	last := ""
	for range maxTries {
		d, release, err := c.judge(ctx)
		if err != nil {
			return Claim{}, err
		}
		last = d.Account.Name
		claim, ok, err := c.settle(ctx, d)
		release()
		if ok || err != nil {
			return claim, err
		}
		if err := c.relist(ctx, d.Account); err != nil {
			return Claim{}, err
		}
	}
	return Claim{}, &ConflictError{Account: last, Tries: maxTries}
}

// relist lists the accounts anew where somebody else got the one that was chosen: with a list that has grown old a claim
// would lose one account after the other.
func (c *claiming) relist(ctx context.Context, chosen Account) error {
	now, exists := c.view.get(chosen.Name)
	if exists && now.UID == chosen.UID && now.Tenant == chosen.Tenant {
		return nil
	}
	return c.view.relist(ctx, time.Now())
}

// judge chooses an account as things stand: the one that bears the claim already, else what the selection says. The
// account is kept from the other claims of this process until release is called.
func (c *claiming) judge(ctx context.Context) (d Decision, release func(), err error) {
	q := Query{Target: c.req.Target, GlobalAccount: c.req.GlobalAccount, Pin: c.req.Pin}
	for {
		if account, ok := c.view.findClaim(c.key); ok {
			return Decision{Action: actionAdopt, Account: account}, func() {}, nil
		}
		d, release, busy, err := c.view.decide(q, c.key, c.policy)
		switch {
		case err == nil && busy == nil:
			return d, release, nil
		case err == nil:
			// Another claim of this process is about to take the very account. It may not get it; and who went on to the
			// next one could miss a claim of the same tenant elsewhere, which is to end on this one too.
			err = c.await(ctx, busy)
		case c.view.olderThan(c.start): // refused by a list that is older than the claim
			err = c.view.load(ctx, c.start)
		}
		if err != nil {
			return Decision{}, nil, err
		}
	}
}

func (c *claiming) await(ctx context.Context, changed <-chan struct{}) error {
	select {
	case <-changed:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// settle makes the claim stand on the account that was chosen; false = it has changed, judge again.
func (c *claiming) settle(ctx context.Context, d Decision) (Claim, bool, error) {
	switch d.Action {
	case actionAdopt:
		return c.adopt(ctx, d.Account.Name)
	case ActionShare:
		return c.share(ctx, d)
	}
	return c.take(ctx, d)
}

// take writes the claim on the account that was chosen.
func (c *claiming) take(ctx context.Context, d Decision) (Claim, bool, error) {
	record := c.record(d.Action == ActionClaim)
	record.Used = d.Action == ActionClaim && d.Account.remembers(c.req.GlobalAccount) // it was the tenant's before
	change := Change{Records: beside(d.Account, c.req.GlobalAccount, c.key)}
	change.Records[c.key] = &record
	if d.Action == ActionClaim {
		change.Tenant = &c.req.GlobalAccount
		c.view.forgetMoved(d.Account, c.key, change)
	}
	now, ok, err := c.put(ctx, d.Account, change)
	if !ok || err != nil {
		return Claim{}, false, err
	}
	if d.Action == ActionClaim && c.req.OnDestroy == ReturnToPool {
		now = c.lookAtTaken(ctx, now)
	}
	record = now.Records[c.key]
	return c.standing(now, record, d), true, nil
}

// beside is what becomes of the other records on an account that a claim of a tenant comes to. What other tenants have
// left there is void and goes: it would come alive should the account be theirs once more. The tenant's own learn that
// they are not alone, so that none of them returns the account to the pool as never used.
func beside(a Account, globalAccount, claim string) map[string]*Record {
	records := map[string]*Record{}
	for key, record := range a.Records {
		switch {
		case record.GlobalAccount != globalAccount:
			records[key] = nil
		case key != claim && record.NewlyClaimed && !record.Used && record.Version <= RecordVersion:
			record.Used = true
			records[key] = &record
		}
	}
	return records
}

// put is write for a claim. An account that is gone is judged again like a changed one. A change that was lost and may
// still be on its way is sent again as long as the account is, to the version, what was judged: one of the two then
// takes effect. A claim that went elsewhere instead could end on two accounts.
func (c *claiming) put(ctx context.Context, judged Account, change Change) (Account, bool, error) {
	own := Change{Tenant: &c.req.GlobalAccount, Records: map[string]*Record{c.key: change.Records[c.key]}} // the others' go on
	var lost error
	var losses losses
	for range maxTries {
		now, stands, lostNow, err := c.send(ctx, judged, change)
		var gone *NotFoundError
		switch {
		case errors.As(err, &gone):
			return Account{}, false, nil
		case err != nil:
			return Account{}, false, fmt.Errorf("writing %s: %w", c.id, errors.Join(lost, err))
		case stands:
			return now, true, nil
		case lostNow != nil:
			lost = lostNow
		}
		if lostNow != nil && !own.standsOn(now) && now.UID == judged.UID && now.Version == judged.Version {
			if err := losses.pause(ctx, lostNow); err != nil {
				return Account{}, false, fmt.Errorf("writing %s: %w", c.id, err)
			}
		}
		switch {
		case lost == nil || now.UID != judged.UID:
			return now, false, nil
		case own.standsOn(now): // the lost one has arrived
			return now, true, nil
		case now.Version != judged.Version:
			return now, false, nil
		}
	}
	return Account{}, false, fmt.Errorf("writing %s: %w", c.id, lost)
}

// share takes a shared account: nothing is written on it. A list knows the labels alone; the whole account is read
// first, and judged once more.
func (c *claiming) share(ctx context.Context, d Decision) (Claim, bool, error) {
	if d.Account.Credentials == nil {
		_, err := c.read(ctx, d.Account.Name)
		var gone *NotFoundError
		if errors.As(err, &gone) {
			err = nil
		}
		return Claim{}, false, err
	}
	return c.standing(d.Account, c.record(false), d), true, nil
}

// adopt takes up the claim that stands already, and brings its record up to date where the request has changed since.
// What the view says of it may be old: it counts as the account is now.
func (c *claiming) adopt(ctx context.Context, name string) (Claim, bool, error) {
	account, err := c.read(ctx, name)
	var gone *NotFoundError
	if errors.As(err, &gone) {
		return Claim{}, false, nil
	}
	if err != nil {
		return Claim{}, false, err
	}
	record, ok := account.Holds(c.key)
	if !ok {
		return Claim{}, false, nil
	}
	verdict := account.unusable(c.req.GlobalAccount)
	if account.Target() != c.req.Target {
		verdict = VerdictMoved
	}
	switch {
	case record.Owner != c.req.Owner:
		return Claim{}, false, &OwnerError{Identity: c.id, Account: account.Name, Recorded: record.Owner, Mine: c.req.Owner, Since: record.ClaimedAt}
	case verdict != "":
		return Claim{}, false, &UnusableError{Identity: c.id, Account: account.Name, Verdict: verdict}
	case c.req.Pin != "" && c.req.Pin != account.Name:
		return Claim{}, false, &PinError{Account: c.req.Pin, Why: fmt.Sprintf("%s stands on account %s since %s and has to be released first",
			c.id, account.Name, record.ClaimedAt.UTC().Format(time.RFC3339))}
	}
	adopted := c.record(record.NewlyClaimed)
	adopted.ClaimedAt, adopted.Version, adopted.ReleasingSince = record.ClaimedAt, record.Version, record.ReleasingSince
	adopted.Used = record.Used
	if !adopted.sameAs(record) {
		if record.Version > RecordVersion {
			return Claim{}, false, &NewerRecordError{Identity: c.id, Account: account.Name, Version: record.Version}
		}
		account, ok, err = c.put(ctx, account, Change{Records: map[string]*Record{c.key: &adopted}})
		if !ok || err != nil {
			return Claim{}, false, err
		}
		adopted, _ = account.Holds(c.key)
	}
	claim := c.standing(account, adopted, Decision{Limit: c.policy.Limit(c.req.GlobalAccount, c.req.Target)})
	claim.Adopted = true
	claim.Reason = fmt.Sprintf("The claim stood on %s already, since %s.", account.Name, record.ClaimedAt.UTC().Format(time.RFC3339))
	return claim, true, nil
}

func (c *claiming) record(newly bool) Record {
	return Record{
		Name: c.req.Name, GlobalAccount: c.req.GlobalAccount, Pool: c.id.Pool, ClusterName: c.req.ClusterName, Owner: c.req.Owner,
		ClaimedAt: c.start.UTC().Truncate(time.Second), Version: RecordVersion, NewlyClaimed: newly, Request: c.req.Request, OnDestroy: c.req.OnDestroy,
	}
}

func (c *claiming) standing(account Account, record Record, d Decision) Claim {
	claim := Claim{Identity: c.id, Account: account, Record: record, Limit: d.Limit, Reason: d.Reason, Warnings: d.Warnings}
	claim.Clusters, claim.Reserved = c.view.use(&account)
	claim.Doubts = slices.Concat(d.Doubts, c.view.doubts())
	return claim
}
