package pool

import (
	"context"
	"errors"
	"time"
)

// UpdateRequest changes what a claim that stands has recorded.
type UpdateRequest struct {
	Identity Identity
	// Account and UID are those of the account the claim stands on.
	Account, UID string
	// WasOwner is the owner as this side knows it; a record by anybody else is left alone.
	WasOwner string
	// Owner, ClusterName, Request and OnDestroy are what shall be recorded.
	Owner, ClusterName string
	Request            Request
	OnDestroy          Mode
	// Reclaim takes the same account again where no tenant holds it any more.
	Reclaim bool
	// Used says that clusters were seen on the account; it is recorded.
	Used bool
}

// Update rewrites the claim's record. A claim that has none yet (the account was held before it was imported) gets
// one. A shared account is never written.
//
// Errors: those of [Store]; [OwnerError], [TakenError], [UnusableError], [ElsewhereError], [NewerRecordError],
// [NotFoundError], [ConflictError].
func (p *Pool) Update(ctx context.Context, req UpdateRequest) (Status, error) {
	ctx, cancel := within(ctx)
	defer cancel()
	unlock, err := p.tenants.lock(ctx, req.Identity.GlobalAccount)
	if err != nil {
		return Status{}, err
	}
	defer unlock()
	if err := p.view.recent(ctx); err != nil {
		return Status{}, err
	}
	account, err := p.read(ctx, req.Account)
	if err != nil {
		return Status{}, err
	}
	key := req.Identity.Key()
	var losses losses
	for range maxTries {
		if account.UID == req.UID && (account.Shared || targetOf(req.Identity.Pool).Shared) {
			if account.Target().String() != req.Identity.Pool { // it was the tenant's alone when the claim was made
				return Status{}, &UnusableError{Identity: req.Identity, Account: account.Name, Verdict: VerdictMoved}
			}
			return p.status(account, key), nil
		}
		change, err := req.change(account)
		if err != nil {
			return Status{}, err
		}
		if change.standsOn(account) {
			return p.status(account, key), nil
		}
		if err := p.mayStand(ctx, req, account); err != nil {
			return Status{}, err
		}
		if change.Tenant != nil {
			p.view.forgetMoved(account, key, change)
		}
		now, stands, err := p.write(ctx, account, change, &losses)
		if err != nil {
			return Status{}, err
		}
		if stands {
			return p.status(now, key), nil
		}
		account = now
	}
	return Status{}, &ConflictError{Account: req.Account, Tries: maxTries}
}

// mayStand says why an account that does not bear the claim must not be made to: it stands on another one, where a run
// has made it that did not come to write its state; or nobody holds this one, and clusters of others are on it.
func (p *Pool) mayStand(ctx context.Context, req UpdateRequest, account Account) error {
	id := req.Identity
	if _, recorded := account.Holds(id.Key()); recorded {
		return nil
	}
	if other, stands := p.view.findClaim(id.Key()); stands && other.Name != account.Name {
		other, err := p.read(ctx, other.Name)
		var gone *NotFoundError
		if err != nil && !errors.As(err, &gone) {
			return err
		}
		record, stands := other.Holds(id.Key())
		switch {
		case err != nil || !stands:
		case record.Owner != req.WasOwner && record.Owner != req.Owner:
			return &OwnerError{Identity: id, Account: other.Name, Recorded: record.Owner, Mine: req.WasOwner, Since: record.ClaimedAt}
		default:
			return &ElsewhereError{Identity: id, Account: account.Name, Other: other.Name}
		}
	}
	if account.Tenant == "" && p.view.occupied(&account, id.GlobalAccount) {
		return &UnusableError{Identity: id, Account: account.Name, Verdict: VerdictOccupied}
	}
	return nil
}

// change says what is to be written on the account as it stands, or why nothing may.
func (r UpdateRequest) change(account Account) (Change, error) {
	key, ga := r.Identity.Key(), r.Identity.GlobalAccount
	record, recorded := account.Holds(key)
	verdict := account.unusable(ga)
	if account.Target().String() != r.Identity.Pool {
		verdict = VerdictMoved
	}
	switch {
	case account.UID != r.UID:
		return Change{}, &NotFoundError{Account: r.Account}
	case account.Tenant != ga && (account.Tenant != "" || !r.Reclaim):
		return Change{}, &TakenError{Account: account.Name, Tenant: account.Tenant, Wanted: ga}
	case account.Tenant == "" && verdict != "":
		return Change{}, &UnusableError{Identity: r.Identity, Account: account.Name, Verdict: verdict}
	case recorded && record.Owner != r.WasOwner && record.Owner != r.Owner:
		return Change{}, &OwnerError{Identity: r.Identity, Account: account.Name, Recorded: record.Owner, Mine: r.WasOwner, Since: record.ClaimedAt}
	case !recorded: // what is taken back was the tenant's before
		record = Record{ClaimedAt: time.Now().UTC().Truncate(time.Second), NewlyClaimed: account.Tenant == "", Used: account.Tenant == ""}
	}
	before := record
	record.Used = record.Used || r.Used && record.Version <= RecordVersion
	record.Name, record.GlobalAccount, record.Pool, record.Version = r.Identity.Name, ga, r.Identity.Pool, max(record.Version, RecordVersion)
	record.Owner, record.ClusterName, record.Request, record.OnDestroy = r.Owner, r.ClusterName, r.Request, r.OnDestroy
	if record.Version > RecordVersion && !record.sameAs(before) {
		return Change{}, &NewerRecordError{Identity: r.Identity, Account: account.Name, Version: record.Version}
	}
	change := Change{Records: map[string]*Record{}}
	if !recorded {
		change.Records = beside(account, ga, key)
	}
	change.Records[key] = &record
	if account.Tenant == "" {
		change.Tenant = &ga
	}
	return change, nil
}
