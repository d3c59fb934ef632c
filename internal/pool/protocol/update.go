package protocol

import (
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// UpdateRequest changes what is recorded of a claim.
type UpdateRequest struct {
	Identity account.Identity
	// Account and UID are those of the account the claim was made on.
	Account, UID string
	WasOwner     string // the owner as this side knows it; a record of another owner is left alone
	// Instance is that of the [account.Mark] of this side. Anew says that its state has kept none, so that this one was made for the update:
	// the record gets it with the next change. Lost is as in [account.Keeper]; Run is the run that this process takes part in.
	Instance        string
	Anew, Lost      bool
	Run             account.Run
	Sources         account.Sources // of this process
	account.Details                 // what shall be recorded
	Reclaim         bool            // takes the same account again where no tenant holds it any more
	// ClaimedAt and NewlyClaimed are as this side knows them, recorded where the record was lost; NewlyClaimed only while the
	// tenant still holds the account. A zero ClaimedAt = unknown.
	ClaimedAt    time.Time
	NewlyClaimed bool
}

// change says what is to be written on the account as it is, or why nothing may.
func (r UpdateRequest) change(a account.Account, now time.Time) (account.Change, error) {
	key, ga := r.Identity.Key(), r.Identity.GlobalAccount
	record, recorded := a.Holds(key)
	verdict := account.Verdict(a.Unusable(ga))
	if a.Target().String() != r.Identity.Pool {
		verdict = account.VerdictMoved
	}
	released := !recorded && !r.ClaimedAt.IsZero() && a.Unwiped() && a.Dirty != account.Releasing
	switch {
	case a.UID != r.UID:
		return account.Change{}, &account.NotFoundError{Account: r.Account}
	case a.Tenant == ga && a.HasUnreadable(key):
		return account.Change{}, a.UnreadableRecord(r.Identity)
	case a.Tenant != ga && (a.Tenant != "" || !r.Reclaim):
		return account.Change{}, &account.TakenError{Account: a.Name, Tenant: a.Tenant, Wanted: ga}
	case a.Tenant == "" && verdict != "", released:
		return account.Change{}, &UnusableError{Identity: r.Identity, Account: a.Name, Verdict: verdict}
	case recorded && !r.mayChange(record):
		return account.Change{}, r.ownerError(a, record)
	case !recorded:
		record = r.recordAnew(a, now)
	}
	return r.recorded(a, record, recorded, now)
}

// recorded is the change that brings a record up to date.
func (r UpdateRequest) recorded(a account.Account, record account.Record, recorded bool, now time.Time) (account.Change, error) {
	key, ga, before := r.Identity.Key(), r.Identity.GlobalAccount, record
	record.Name, record.GlobalAccount, record.Pool, record.Details = r.Identity.Name, ga, r.Identity.Pool, r.Details
	record.Version = max(record.Version, account.RecordVersion)
	if record.Version > account.RecordVersion && !record.SameAs(before) {
		return account.Change{}, &NewerRecordError{Identity: r.Identity, Account: a.Name, Version: record.Version}
	}
	if !recorded || !record.SameAs(before) { // neither is worth a write of its own
		r.sign(&record, before.Owner, recorded, now)
	}
	change := account.Change{Records: map[string]*account.Record{key: &record}}
	if a.Tenant == "" {
		change.Tenant = &ga
	}
	return change, nil
}

// mayChange reports whether a record is this side's by its owner: the one that it knows, or the one that it is about to record.
func (r UpdateRequest) mayChange(record account.Record) bool {
	return record.Owner == r.Owner || account.Keeper{Owner: r.WasOwner, Instance: r.Instance, Lost: r.Lost}.Owns(record)
}

// sign notes in a record that is about to be written what its owner was, and leaves the mark of this side: where there is no other, or
// where this side does not know that it is another's. Its own mark gets the time of this change, by which a state that has imported the
// claim meanwhile sees the change.
func (r UpdateRequest) sign(record *account.Record, was string, recorded bool, now time.Time) {
	record.FormerOwner = account.FormerOwner{}
	if recorded && was != record.Owner {
		record.FormerOwner = account.FormerOwner{Owner: was, Known: true}
	}
	if r.Instance != "" && (r.Anew || record.Mark.Instance == "" || record.Mark.Instance == r.Instance) {
		at := now.UTC().Truncate(time.Second)
		if record.Mark.Instance == r.Instance && !at.After(record.Mark.At) { // two changes within a second, or a clock that was set back
			at = record.Mark.At.Add(time.Second)
		}
		record.Mark = account.Mark{Instance: r.Instance, Run: r.Run.ID, At: at, Sources: record.Mark.Sources}
	}
	record.Mark.Sources = record.Mark.Sources.And(r.Sources)
}

// recordAnew is what a claim without a record is recorded from. It keeps the time by which a later release knows the record as its
// own: a caller that is killed before it has heard of this write has no other. An account that is taken back was the tenant's
// before, and does not come from the pool.
func (r UpdateRequest) recordAnew(a account.Account, now time.Time) account.Record {
	if r.ClaimedAt.IsZero() {
		return account.Record{ClaimedAt: now.UTC().Truncate(time.Second)}
	}
	return account.Record{ClaimedAt: r.ClaimedAt, NewlyClaimed: r.NewlyClaimed && a.Tenant != ""}
}

func (r UpdateRequest) ownerError(a account.Account, record account.Record) error {
	return &OwnerError{Identity: r.Identity, Account: a.Name, Recorded: record.Owner, Mine: r.WasOwner, Since: record.ClaimedAt}
}

// Updating is what an update has seen so far; [Updating.Next] says what it does then.
type Updating struct {
	plain
	UpdateRequest
	record  string    // the key of the claim's record
	started time.Time // zero = it has not begun

	recent    bool             // there is a list and a count to begin with
	listSince time.Time        // since when it waits for a list
	recounts  int              // of the clusters, since the last wait or write
	counting  time.Time        // since when it waits for such a count; zero = it does not
	account   *account.Account // as it was read last; nil = it was not
	gone      bool             // there is no such account
	bearer    *account.Account // another account that the list has the claim on, as it was read last
	void      bool             // the account has a record of this update, and the Global Account has lost it since

	failure error
	ended   bool
}

// NewUpdating returns the steps of an update.
func NewUpdating(req UpdateRequest) *Updating {
	return &Updating{UpdateRequest: req, record: req.Identity.Key()}
}

// Written returns the account with the record, once the steps have ended without an error.
func (u *Updating) Written() *account.Account { return u.account }

// Key is that of the record of the claim.
func (u *Updating) Key() string { return u.record }

// Waited has the clusters be counted anew where other bindings may have led some in meanwhile.
func (u *Updating) Waited() { u.counting, u.recounts = time.Time{}, 0 }

// Next says what the update does: it reads the account, judges it as it is, and writes what is to be recorded.
func (u *Updating) Next(f Facts) Step {
	target := account.ParseTarget(u.Identity.Pool)
	if u.started.IsZero() {
		u.started = f.Now
	}
	switch {
	case u.failure != nil || u.ended:
		return Done{Err: u.failure}
	case !u.recent:
		return Recent{}
	case u.gone:
		return Done{Err: &account.NotFoundError{Account: u.Account}}
	case u.account == nil:
		return Read{u.Account}
	}
	a := *u.account
	switch {
	case u.void:
		return Write{Judged: a, Change: account.Change{Records: map[string]*account.Record{u.Key(): nil}}, To: ToWithdraw, After: Resend}
	case a.UID == u.UID && (a.Shared || target.Shared):
		u.ended = true
		if a.Target() != target { // it was the tenant's alone when the claim was made
			return Done{Err: &UnusableError{Identity: u.Identity, Account: a.Name, Verdict: account.VerdictMoved}}
		}
		return Done{}
	}
	change, err := u.change(*f.Whole(&a), f.Now)
	switch {
	case err != nil:
		return Done{Err: err}
	case change.IsOn(a):
		u.ended = true
		return Done{}
	}
	if first := u.mayRecord(f, a); first != nil {
		return first
	}
	if change.Tenant != nil {
		f.clearVoid(&a, u.Key(), u.Identity.GlobalAccount, change)
	}
	return Write{Judged: a, Change: change, To: ToRecord, After: Rejudge}
}

// mayRecord is what has to be found out, or the end of the update, before a claim is recorded on an account that does not have it. It may
// be recorded on another one, by a run whose caller got no answer. Or no tenant holds this one, and clusters are on it that may be
// another tenant's. Nil = it may be recorded.
func (u *Updating) mayRecord(f Facts, a account.Account) Step {
	id, own := u.Identity, false
	if a.Tenant == "" {
		var first Step
		if own, first = u.knowUnlabelled(f, &a); first != nil {
			return first
		}
	}
	if _, recorded := a.Holds(id.Key()); recorded {
		return nil
	}
	if bearer := f.Claim(id.Key()); bearer != nil && bearer.Name != a.Name {
		if u.bearer == nil || u.bearer.Name != bearer.Name {
			return Read{bearer.Name}
		}
		if record, recorded := u.bearer.Holds(id.Key()); recorded && !u.mayChange(record) {
			return Done{Err: u.ownerError(*u.bearer, record)}
		} else if recorded {
			return Done{Err: &ElsewhereError{Identity: id, Account: a.Name, Other: bearer.Name}}
		}
	}
	class := f.Whole(&a).Unusable(id.GlobalAccount) // by the list of now
	switch {
	case a.Tenant != "":
		return nil
	case class == "" && !f.mayReturn(&a, id.GlobalAccount) && (!own || a.RemembersOthers(id.GlobalAccount)):
		class = account.ClassOccupied
	case class == "":
		return nil
	}
	return Done{Err: &UnusableError{Identity: id, Account: a.Name, Verdict: account.Verdict(class)}}
}

// knowUnlabelled is what has to be found out of an account without the label of a tenant before it is taken back: the pool is listed anew
// where the list is too old to take a free account by. While another of its bindings says that it is the tenant's own, it is not free, and
// no count has to show that it was. Nil = nothing.
func (u *Updating) knowUnlabelled(f Facts, a *account.Account) (own bool, first Step) {
	if u.listSince.IsZero() {
		u.listSince = f.Now
	}
	if !f.fresh(u.listSince) {
		u.listSince = f.Now
		return false, List{f.Now}
	}
	if holder, _ := f.Whole(a).Holder(); holder == u.Identity.GlobalAccount {
		return true, nil
	}
	if first = f.knowFree(a, u.started.Add(-MaxFreeAge), u.counting); first == nil {
		return false, nil
	}
	if u.recounts++; u.recounts > maxRecounts {
		return false, GiveUp{a.Name, maxRecounts}
	}
	if u.counting.IsZero() {
		u.counting = f.Now
	}
	return false, first
}

// Learn takes in what came back of a step.
func (u *Updating) Learn(did Step, came Answer) {
	u.failure = came.Err
	now := came.Account
	switch s := did.(type) {
	case Recent:
		u.recent = came.Err == nil
	case Read:
		if s.Account == u.Account {
			u.account, u.gone = &now, came.Gone
		} else if u.bearer = &now; came.Gone {
			u.bearer = &account.Account{Name: s.Account}
		}
	case Write:
		u.Waited() // a write can take as long
		u.account, u.gone = &now, came.Gone
		u.void = came.Changed && (s.Change.VoidOn(now) || s.To == ToWithdraw && now.HasVoid(u.Key(), s.Judged.Records[u.Key()].Owner))
		if came.Err != nil && s.To == ToWithdraw {
			u.failure = withdrawError(s.Judged, came.Err)
		}
		u.ended = !came.Gone && !came.Changed && !came.Unknown && s.To == ToRecord
	}
}
