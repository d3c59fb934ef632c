package pool

import (
	"context"
	"errors"
	"fmt"
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
	// Request is recorded on the account, so that an import finds it again.
	Request Request
}

// Claim is a claim that stands.
type Claim struct {
	Identity Identity
	// Account is the account as it stood when the claim was last written or read.
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
	// Warnings are things the user should know although the claim stands.
	Warnings []string
}

// Claim finds an account for the request and makes the claim stand on it (pool.md, The claim record). A claim of the
// same identity that stands already is adopted. When it returns an error nothing is left behind, except after an
// [UnknownOutcomeError], when the next call with the same identity finds what stands.
//
// Errors: those of [Select] and of [Store]; [OwnerError], [DuplicateError], [UnusableError], [ConflictError].
func (p *Pool) Claim(ctx context.Context, req ClaimRequest) (Claim, error) {
	id := p.Identity(req.GlobalAccount, req.Target, req.Name)
	unlock, err := p.tenants.lock(ctx, req.GlobalAccount)
	if err != nil {
		return Claim{}, err
	}
	defer unlock()
	if account, twice := p.madeHere(id); twice {
		return Claim{}, &DuplicateError{Identity: id, Account: account}
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

func (c *claiming) run(ctx context.Context) (Claim, error) {
	if err := c.view.load(ctx, time.Time{}); err != nil {
		return Claim{}, err
	}
	q := Query{Target: c.req.Target, GlobalAccount: c.req.GlobalAccount, Pin: c.req.Pin, Key: c.key}
	last := ""
	for range maxTries {
		if account, ok := c.view.findClaim(c.key); ok {
			return c.adopt(ctx, account)
		}
		d, release, changed, err := c.view.decide(q, c.policy)
		if err != nil {
			again, waitErr := c.reconsider(ctx, err, changed)
			if waitErr != nil {
				return Claim{}, waitErr
			}
			if again {
				continue
			}
			return Claim{}, err
		}
		if d.Action == ActionShare {
			return c.share(ctx, d)
		}
		last = d.Account.Name
		claim, ok, err := c.take(ctx, d)
		release()
		if ok || err != nil {
			return claim, err
		}
	}
	return Claim{}, &ConflictError{Account: last, Tries: maxTries}
}

// reconsider says whether a refusal should be looked at again: it was judged on a list that is older than the claim,
// or the missing account is in the hands of another claim of this process that may not get it.
func (c *claiming) reconsider(ctx context.Context, refusal error, changed <-chan struct{}) (bool, error) {
	if c.view.olderThan(c.start) {
		return true, c.view.load(ctx, c.start)
	}
	var exhausted *ExhaustedError
	if !errors.As(refusal, &exhausted) || exhausted.Tally.Free == 0 {
		return false, nil
	}
	select {
	case <-changed:
		return true, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// take writes the claim on the account that was chosen.
func (c *claiming) take(ctx context.Context, d Decision) (Claim, bool, error) {
	record := c.record(d.Action == ActionClaim)
	change := Change{Records: map[string]*Record{c.key: &record}}
	if d.Action == ActionClaim {
		change.Tenant = &c.req.GlobalAccount
	}
	now, ok, err := c.write(ctx, d.Account, change)
	var gone *NotFoundError
	switch {
	case errors.As(err, &gone):
		return Claim{}, false, nil // judged again without it; a pinned account is then reported as missing
	case err != nil:
		return Claim{}, false, fmt.Errorf("writing %s: %w", c.id, err)
	case !ok:
		return Claim{}, false, nil
	}
	return c.standing(now, record, d), true, nil
}

// share takes a shared account: nothing is written on it.
func (c *claiming) share(ctx context.Context, d Decision) (Claim, error) {
	account, err := c.withCredentials(ctx, d.Account)
	if err != nil {
		return Claim{}, err
	}
	return c.standing(account, c.record(false), d), nil
}

// adopt takes up the claim that stands already, and brings its record up to date where the request has changed since.
func (c *claiming) adopt(ctx context.Context, account Account) (Claim, error) {
	record, _ := account.Holds(c.key)
	switch verdict := account.unusable(c.req.GlobalAccount); {
	case record.Owner != c.req.Owner:
		return Claim{}, &OwnerError{Identity: c.id, Account: account.Name, Recorded: record.Owner, Mine: c.req.Owner, Since: record.ClaimedAt}
	case verdict != "":
		return Claim{}, &UnusableError{Identity: c.id, Account: account.Name, Verdict: verdict}
	case c.req.Pin != "" && c.req.Pin != account.Name:
		return Claim{}, &PinError{Account: c.req.Pin, Why: fmt.Sprintf("%s stands on account %s since %s and has to be released first",
			c.id, account.Name, record.ClaimedAt.UTC().Format(time.RFC3339))}
	}
	adopted := c.record(record.NewlyClaimed)
	adopted.ClaimedAt = record.ClaimedAt
	adopted.Version = record.Version
	if !adopted.sameAs(record) {
		revised, err := c.revise(ctx, account, c.key, func(Record, bool) (Record, error) { return adopted, nil })
		if err != nil {
			return Claim{}, err
		}
		account = revised
	}
	account, err := c.withCredentials(ctx, account)
	if err != nil {
		return Claim{}, err
	}
	claim := c.standing(account, adopted, Decision{Limit: c.policy.Limit(c.req.GlobalAccount, c.req.Target)})
	claim.Adopted = true
	claim.Reason = fmt.Sprintf("The claim stood on %s already, since %s.", account.Name, record.ClaimedAt.UTC().Format(time.RFC3339))
	return claim, nil
}

func (c *claiming) record(newly bool) Record {
	return Record{
		Name: c.req.Name, GlobalAccount: c.req.GlobalAccount, Pool: c.id.Pool, ClusterName: c.req.ClusterName, Owner: c.req.Owner,
		ClaimedAt: c.start.UTC().Truncate(time.Second), Version: RecordVersion, NewlyClaimed: newly, Request: c.req.Request,
	}
}

func (c *claiming) standing(account Account, record Record, d Decision) Claim {
	claim := Claim{Identity: c.id, Account: account, Record: record, Limit: d.Limit, Reason: d.Reason, Warnings: d.Warnings}
	claim.Clusters, claim.Reserved = c.view.use(&account)
	return claim
}

// withCredentials reads the account anew where only its metadata is known yet.
func (p *Pool) withCredentials(ctx context.Context, account Account) (Account, error) {
	if account.Credentials != nil {
		return account, nil
	}
	return p.read(ctx, account.Name)
}

// revise rewrites one claim's record, and nothing else, on the account as it stands at that moment. The function gets
// the record that stands, if one does, and returns what shall stand.
func (p *Pool) revise(ctx context.Context, account Account, key string, to func(have Record, ok bool) (Record, error)) (Account, error) {
	for range maxTries {
		have, ok := account.Holds(key)
		want, err := to(have, ok)
		if err != nil {
			return Account{}, err
		}
		if ok && have.sameAs(want) {
			return account, nil
		}
		now, stands, err := p.write(ctx, account, Change{Records: map[string]*Record{key: &want}})
		if err != nil || stands {
			return now, err
		}
		if now.UID != account.UID {
			return Account{}, &NotFoundError{Account: account.Name}
		}
		if now.Tenant != account.Tenant {
			return Account{}, &TakenError{Account: now.Name, Tenant: now.Tenant, Wanted: account.Tenant}
		}
		account = now
	}
	return Account{}, &ConflictError{Account: account.Name, Tries: maxTries}
}

// UpdateRequest changes what a claim that stands has recorded.
type UpdateRequest struct {
	Identity Identity
	// Account and UID are those of the account the claim stands on.
	Account, UID string
	// WasOwner is the owner as this side knows it; a record by anybody else is left alone.
	WasOwner string
	// Owner, ClusterName and Request are what shall be recorded.
	Owner, ClusterName string
	Request            Request
}

// Update rewrites the claim's record. A claim that has none yet (the account was held before it was imported) gets
// one. A shared account is never written.
//
// Errors: those of [Store]; [OwnerError], [TakenError], [NotFoundError], [ConflictError].
func (p *Pool) Update(ctx context.Context, req UpdateRequest) (Status, error) {
	unlock, err := p.tenants.lock(ctx, req.Identity.GlobalAccount)
	if err != nil {
		return Status{}, err
	}
	defer unlock()
	account, err := p.read(ctx, req.Account)
	if err != nil {
		return Status{}, err
	}
	key := req.Identity.Key()
	switch {
	case account.UID != req.UID:
		return Status{}, &NotFoundError{Account: req.Account}
	case account.Shared:
		return p.status(account, key), nil
	case account.Tenant != req.Identity.GlobalAccount:
		return Status{}, &TakenError{Account: account.Name, Tenant: account.Tenant, Wanted: req.Identity.GlobalAccount}
	}
	account, err = p.revise(ctx, account, key, func(have Record, ok bool) (Record, error) {
		if ok && have.Owner != req.WasOwner && have.Owner != req.Owner {
			return Record{}, &OwnerError{Identity: req.Identity, Account: account.Name, Recorded: have.Owner, Mine: req.WasOwner, Since: have.ClaimedAt}
		}
		if !ok {
			have = Record{ClaimedAt: time.Now().UTC().Truncate(time.Second)}
		}
		have.Name, have.GlobalAccount, have.Pool = req.Identity.Name, req.Identity.GlobalAccount, req.Identity.Pool
		have.Owner, have.ClusterName, have.Request, have.Version = req.Owner, req.ClusterName, req.Request, RecordVersion
		return have, nil
	})
	if err != nil {
		return Status{}, err
	}
	return p.status(account, key), nil
}
