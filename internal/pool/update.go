package pool

import (
	"context"
	"errors"
	"time"
)

// UpdateRequest changes what is recorded of a claim.
type UpdateRequest struct {
	Identity Identity
	// Account and UID are those of the account the claim was made on.
	Account, UID string
	WasOwner     string // the owner as this side knows it; a record of another owner is left alone
	Details             // what shall be recorded
	Reclaim      bool   // takes the same account again where no tenant holds it any more
	// ClaimedAt and NewlyClaimed are as this side knows them, recorded where the record was lost; NewlyClaimed only while the
	// tenant still holds the account. A zero ClaimedAt = unknown.
	ClaimedAt    time.Time
	NewlyClaimed bool
}

// Update rewrites the claim's record. A claim that has none yet (the account was held before it was imported) gets
// one. A shared account is never written. An account that no tenant holds any more is taken back by a list as fresh as one
// by which a claim takes a free account, and the [Status] names what else the tenant holds by then: the same account comes
// first (F7), also where another claim, or the broker, has got the tenant a second one meanwhile.
//
// Errors: those of [Store]; [OwnerError], [TakenError], [UnusableError], [ElsewhereError], [NewerRecordError],
// [NotFoundError], [ConflictError], [BusyError], [TimeoutError].
func (p *Pool) Update(ctx context.Context, req UpdateRequest) (Status, error) {
	op := newOperation(ctx)
	defer op.end()
	status, err := p.update(op, req)
	return status, op.result(err)
}

func (p *Pool) update(op *operation, req UpdateRequest) (Status, error) {
	unlock, err := p.lockTenant(op, req.Identity.GlobalAccount)
	if err != nil {
		return Status{}, err
	}
	defer unlock()
	if err := p.recent(op); err != nil {
		return Status{}, err
	}
	account, err := p.read(op.ctx, req.Account)
	if err != nil {
		return Status{}, err
	}
	id, target := req.Identity, targetOf(req.Identity.Pool)
	status := func(a Account) Status { return p.status(&a, id.GlobalAccount, target, id.Name) }
	for range maxTries {
		if account.UID == req.UID && (account.Shared || target.Shared) {
			if account.Target() != target { // it was the tenant's alone when the claim was made
				return Status{}, &UnusableError{Identity: id, Account: account.Name, Verdict: VerdictMoved}
			}
			return status(account), nil
		}
		change, err := req.change(account)
		if err != nil {
			return Status{}, err
		}
		if change.isOn(account) {
			return status(account), nil
		}
		if err := p.mayRecord(op, req, account); err != nil {
			return Status{}, op.withLost(err)
		}
		if change.Tenant != nil {
			p.cache.snapshot().clearVoid(&account, id.Key(), id.GlobalAccount, change)
		}
		result, now, err := p.commit(op.ctx, op, account, change)
		switch {
		case err != nil:
			return Status{}, err
		case result == committed:
			return status(now), nil
		case result == gone:
			return Status{}, &NotFoundError{Account: account.Name}
		}
		if change.strays(now) {
			if now, err = p.withdraw(op, id.Key(), now); err != nil {
				return Status{}, err
			}
		}
		account = now
	}
	return Status{}, op.conflict(req.Account)
}

// listForFree makes sure that the newest list may decide on a free account.
func (p *Pool) listForFree(op *operation) error {
	waiting := time.Now()
	if p.cache.fresh(waiting) {
		return nil
	}
	return p.relist(op, waiting)
}

// mayRecord says why a claim must not be recorded on an account that does not bear it: it is recorded on another one, by a
// run that could not tell its caller; or no tenant holds this one, and clusters are on it
// that may be another tenant's. The pool is listed anew first where the account is free and the list too old to take one by.
func (p *Pool) mayRecord(op *operation, req UpdateRequest, account Account) error {
	id := req.Identity
	if account.Tenant == "" {
		if err := p.listForFree(op); err != nil {
			return err
		}
	}
	if _, recorded := account.Holds(id.Key()); recorded {
		return nil
	}
	s := p.cache.snapshot()
	if bearer := s.claim(id.Key()); bearer != nil && bearer.Name != account.Name {
		other, err := p.read(op.ctx, bearer.Name)
		if err != nil && !errors.As(err, new(*NotFoundError)) {
			return err
		}
		record, recorded := other.Holds(id.Key())
		switch {
		case err != nil || !recorded:
		case record.Owner != req.WasOwner && record.Owner != req.Owner:
			return req.ownerError(other, record)
		default:
			return &ElsewhereError{Identity: id, Account: account.Name, Other: other.Name}
		}
	}
	if account.Tenant == "" && !s.mayReturn(&account, id.GlobalAccount) {
		return &UnusableError{Identity: id, Account: account.Name, Verdict: Verdict(ClassOccupied)}
	}
	return nil
}

// change says what is to be written on the account as it is, or why nothing may.
func (r UpdateRequest) change(account Account) (Change, error) {
	key, ga := r.Identity.Key(), r.Identity.GlobalAccount
	record, recorded := account.Holds(key)
	verdict := Verdict(account.unusable(ga))
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
		return Change{}, r.ownerError(account, record)
	case !recorded:
		record = r.recordAnew(account)
	}
	before := record
	record.Name, record.GlobalAccount, record.Pool, record.Version = r.Identity.Name, ga, r.Identity.Pool, max(record.Version, RecordVersion)
	record.Details = r.Details
	if record.Version > RecordVersion && !record.sameAs(before) {
		return Change{}, &NewerRecordError{Identity: r.Identity, Account: account.Name, Version: record.Version}
	}
	change := Change{Records: map[string]*Record{key: &record}}
	if account.Tenant == "" {
		change.Tenant = &ga
	}
	return change, nil
}

// recordAnew is what a claim without a record is recorded from. It keeps the time by which a later release knows the record as its
// own: a caller that is killed before it has heard of this write has no other. An account that is taken back was the tenant's
// before, and does not come from the pool.
func (r UpdateRequest) recordAnew(account Account) Record {
	if r.ClaimedAt.IsZero() {
		return Record{ClaimedAt: time.Now().UTC().Truncate(time.Second)}
	}
	return Record{ClaimedAt: r.ClaimedAt, NewlyClaimed: r.NewlyClaimed && account.Tenant != ""}
}

func (r UpdateRequest) ownerError(a Account, record Record) error {
	return &OwnerError{Identity: r.Identity, Account: a.Name, Recorded: record.Owner, Mine: r.WasOwner, Since: record.ClaimedAt}
}
