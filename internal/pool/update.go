package pool

import (
	"context"
	"time"
)

// UpdateRequest changes what is recorded of a claim.
type UpdateRequest struct {
	Identity Identity
	// Account and UID are those of the account the claim was made on.
	Account, UID string
	WasOwner     string // the owner as this side knows it; a record of another owner is left alone
	// Instance is that of the [Mark] of this side. Anew says that its state has kept none, so that this one was made for the update: the
	// record gets it with the next change. Lost is as in [Keeper]; Run is the run that this process takes part in.
	Instance   string
	Anew, Lost bool
	Run        Run
	Details         // what shall be recorded
	Reclaim    bool // takes the same account again where no tenant holds it any more
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
	u := newUpdating(req)
	if err := p.engine(op, req.Identity.GlobalAccount, 0, nil).run(u); err != nil {
		return Status{}, op.result(err)
	}
	return p.status(u.written(), req.Identity.GlobalAccount, targetOf(req.Identity.Pool), req.Identity.Name), nil
}

// change says what is to be written on the account as it is, or why nothing may.
func (r UpdateRequest) change(account Account, now time.Time) (Change, error) {
	key, ga := r.Identity.Key(), r.Identity.GlobalAccount
	record, recorded := account.Holds(key)
	verdict := Verdict(account.unusable(ga))
	if account.Target().String() != r.Identity.Pool {
		verdict = VerdictMoved
	}
	released := !recorded && !r.ClaimedAt.IsZero() && account.unwiped() && account.Dirty != Releasing
	switch {
	case account.UID != r.UID:
		return Change{}, &NotFoundError{Account: r.Account}
	case account.Tenant == ga && account.garbles(key):
		return Change{}, account.unreadable(r.Identity)
	case account.Tenant != ga && (account.Tenant != "" || !r.Reclaim):
		return Change{}, &TakenError{Account: account.Name, Tenant: account.Tenant, Wanted: ga}
	case account.Tenant == "" && verdict != "", released:
		return Change{}, &UnusableError{Identity: r.Identity, Account: account.Name, Verdict: verdict}
	case recorded && !r.mayChange(record):
		return Change{}, r.ownerError(account, record)
	case !recorded:
		record = r.recordAnew(account, now)
	}
	return r.recorded(account, record, recorded, now)
}

// recorded is the change that brings a record up to date.
func (r UpdateRequest) recorded(account Account, record Record, recorded bool, now time.Time) (Change, error) {
	key, ga, before := r.Identity.Key(), r.Identity.GlobalAccount, record
	record.Name, record.GlobalAccount, record.Pool, record.Version = r.Identity.Name, ga, r.Identity.Pool, max(record.Version, RecordVersion)
	record.Details = r.Details
	if record.Version > RecordVersion && !record.sameAs(before) {
		return Change{}, &NewerRecordError{Identity: r.Identity, Account: account.Name, Version: record.Version}
	}
	if !recorded || !record.sameAs(before) { // neither is worth a write of its own
		r.sign(&record, before.Owner, recorded, now)
	}
	change := Change{Records: map[string]*Record{key: &record}}
	if account.Tenant == "" {
		change.Tenant = &ga
	}
	return change, nil
}

// mayChange reports whether a record is this side's by its owner: the one that it knows, or the one that it is about to record.
func (r UpdateRequest) mayChange(record Record) bool {
	known := r.Instance
	if r.Anew {
		known = ""
	}
	return record.Owner == r.Owner || Keeper{r.WasOwner, known, r.Lost}.owns(record)
}

// sign notes in a record that is about to be written what its owner was, and leaves the mark of this side: where there is no other, or
// where this side does not know that it is another's.
func (r UpdateRequest) sign(record *Record, was string, recorded bool, now time.Time) {
	record.FormerOwner = FormerOwner{}
	if recorded && was != record.Owner {
		record.FormerOwner = FormerOwner{Owner: was, Known: true}
	}
	if r.Instance != "" && record.Mark.Instance != r.Instance && (r.Anew || record.Mark.Instance == "") {
		record.Mark = Mark{Instance: r.Instance, Run: r.Run.ID, At: now.UTC().Truncate(time.Second)}
	}
}

// recordAnew is what a claim without a record is recorded from. It keeps the time by which a later release knows the record as its
// own: a caller that is killed before it has heard of this write has no other. An account that is taken back was the tenant's
// before, and does not come from the pool.
func (r UpdateRequest) recordAnew(account Account, now time.Time) Record {
	if r.ClaimedAt.IsZero() {
		return Record{ClaimedAt: now.UTC().Truncate(time.Second)}
	}
	return Record{ClaimedAt: r.ClaimedAt, NewlyClaimed: r.NewlyClaimed && account.Tenant != ""}
}

func (r UpdateRequest) ownerError(a Account, record Record) error {
	return &OwnerError{Identity: r.Identity, Account: a.Name, Recorded: record.Owner, Mine: r.WasOwner, Since: record.ClaimedAt}
}
