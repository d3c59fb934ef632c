package pool

import "time"

// updating is what an update has seen so far; [updating.next] says what it does then.
type updating struct {
	UpdateRequest
	record  string    // the key of the claim's record
	started time.Time // zero = it has not begun

	recent    bool      // there is a list and a count to begin with
	listSince time.Time // since when it waits for a list
	recounts  int       // of the clusters
	account   *Account  // as it was read last; nil = it was not
	gone      bool      // there is no such account
	bearer    *Account  // another account that the list has the claim on, as it was read last
	void      bool      // the account has a record of this update, and the Global Account has lost it since

	failure error
	ended   bool
}

// newUpdating returns the steps of an update.
func newUpdating(req UpdateRequest) *updating {
	return &updating{UpdateRequest: req, record: req.Identity.Key()}
}

// written returns the account with the record, once the steps have ended without an error.
func (u *updating) written() *Account { return u.account }

func (u *updating) key() string    { return u.record }
func (u *updating) cleansUp() bool { return false }

// next says what the update does: it reads the account, judges it as it is, and writes what is to be recorded.
func (u *updating) next(v view) step {
	target := targetOf(u.Identity.Pool)
	if u.started.IsZero() {
		u.started = v.now
	}
	switch {
	case u.failure != nil || u.ended:
		return stepDone{err: u.failure}
	case !u.recent:
		return stepRecent{}
	case u.gone:
		return stepDone{err: &NotFoundError{Account: u.Account}}
	case u.account == nil:
		return stepRead{u.Account}
	}
	a := *u.account
	switch {
	case u.void:
		return stepWrite{judged: a, change: Change{Records: map[string]*Record{u.key(): nil}}, to: writeWithdraw, after: resend}
	case a.UID == u.UID && (a.Shared || target.Shared):
		u.ended = true
		if a.Target() != target { // it was the tenant's alone when the claim was made
			return stepDone{err: &UnusableError{Identity: u.Identity, Account: a.Name, Verdict: VerdictMoved}}
		}
		return stepDone{}
	}
	change, err := u.change(*v.whole(&a), v.now)
	switch {
	case err != nil:
		return stepDone{err: err}
	case change.isOn(a):
		u.ended = true
		return stepDone{}
	}
	if first := u.mayRecord(v, a); first != nil {
		return first
	}
	if change.Tenant != nil {
		v.clearVoid(&a, u.key(), u.Identity.GlobalAccount, change)
	}
	return stepWrite{judged: a, change: change, to: writeRecord, after: rejudge}
}

// mayRecord is what has to be found out, or the end of the update, before a claim is recorded on an account that does not have it. It may
// be recorded on another one, by a run whose caller got no answer. Or no tenant holds this one, and clusters are on it that may be
// another tenant's: then the pool is listed anew first where the list is too old to take a free account by. Nil = it may be recorded.
func (u *updating) mayRecord(v view, a Account) step {
	id := u.Identity
	if a.Tenant == "" {
		if u.listSince.IsZero() {
			u.listSince = v.now
		}
		if !v.fresh(u.listSince) {
			u.listSince = v.now
			return stepList{v.now}
		}
		if first := v.knowFree(&a, u.started.Add(-maxFreeAge)); first != nil {
			if u.recounts++; u.recounts > maxRecounts {
				return stepConflict{a.Name}
			}
			return first
		}
	}
	if _, recorded := a.Holds(id.Key()); recorded {
		return nil
	}
	if bearer := v.claim(id.Key()); bearer != nil && bearer.Name != a.Name {
		if u.bearer == nil || u.bearer.Name != bearer.Name {
			return stepRead{bearer.Name}
		}
		if record, recorded := u.bearer.Holds(id.Key()); recorded && !u.mayChange(record) {
			return stepDone{err: u.ownerError(*u.bearer, record)}
		} else if recorded {
			return stepDone{err: &ElsewhereError{Identity: id, Account: a.Name, Other: bearer.Name}}
		}
	}
	class := v.whole(&a).unusable(id.GlobalAccount) // by the list of now
	switch {
	case a.Tenant != "":
		return nil
	case class == "" && !v.mayReturn(&a, id.GlobalAccount):
		class = ClassOccupied
	case class == "":
		return nil
	}
	return stepDone{err: &UnusableError{Identity: id, Account: a.Name, Verdict: Verdict(class)}}
}

// learn takes in what came back of a step.
func (u *updating) learn(did step, came answer) {
	u.failure = came.err
	now := came.account
	switch s := did.(type) {
	case stepRecent:
		u.recent = came.err == nil
	case stepRead:
		if s.account == u.Account {
			u.account, u.gone = &now, came.gone
		} else if u.bearer = &now; came.gone {
			u.bearer = &Account{Name: s.account}
		}
	case stepWrite:
		u.account, u.gone = &now, came.gone
		u.void = came.changed && (s.change.voidOn(now) || s.to == writeWithdraw && now.hasVoid(u.key(), s.judged.Records[u.key()].Owner))
		if came.err != nil && s.to == writeWithdraw {
			u.failure = withdrawError(s.judged, came.err)
		}
		u.ended = !came.gone && !came.changed && !came.unknown && s.to == writeRecord
	}
}
