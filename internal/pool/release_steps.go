package pool

import (
	"errors"
	"fmt"
	"time"
)

// releasing is what a release has seen so far; [releasing.next] says what it does then.
type releasing struct {
	ReleaseRequest
	record string // the key of the claim's record
	now    time.Time

	account *Account // the claim's account as it was read or written last; nil = it has to be read
	last    Account  // the same, also while it has to be read anew; zero = it was never read
	gone    bool     // there is no such account any more
	placed  bool     // this run has made the same claim anew on the account
	allowed bool     // accounts may be written

	// whole is the account with the other bindings of its credentials, by a list as fresh as one by which a free account is taken; nil = it
	// has to be listed. bindings are the names by which its clusters name it.
	whole    *Account
	bindings []string
	users    []User // what uses the account
	counted  bool   // the users are known, as of after the account was read or written last

	fence   fence
	marked  bool         // the account is marked by this release, and bears its record until the other bindings are marked, too
	ending  *lastWrite   // the write that ends the release, once it is sent
	outcome Outcome      // of the release; empty = it goes on
	others  []OtherClaim // for which the account is kept

	failure error       // of the last step
	stop    error       // ends the release for good
	cause   error       // why the release cannot go on: what it has put up is taken down; nil = it goes on
	lowered bool        // the fence is down again because of that
	waits   *InUseError // the clusters that are being deleted, for whose end it waits, once its fence is down; nil = it does not
}

// fence is what a release knows of the fence on its account.
type fence struct {
	up      bool      // it may be up: no error leaves the release then without a try to take it down
	own     bool      // this release has put it up, or may have
	seen    bool      // it was seen on the account
	doubtAt string    // the version of the account at which it was sent and may still arrive; empty = it will not
	waited  bool      // its grace time is over
	since   time.Time // since when it was up by its record, when that grace time began; zero = the record does not say
}

// lastWrite is a write that ends a release.
type lastWrite struct {
	judged  Account
	change  Change
	outcome Outcome
}

// newReleasing returns the steps of a release.
func newReleasing(req ReleaseRequest) *releasing {
	return &releasing{ReleaseRequest: req, record: req.Identity.Key()}
}

// ended returns how the release has ended, once the steps have ended without an error, and the claims for which the account is kept.
func (r *releasing) ended() (Outcome, []OtherClaim) {
	if r.outcome != OutcomeKept {
		return r.outcome, nil
	}
	return r.outcome, r.others
}

func (r *releasing) key() string    { return r.record }
func (r *releasing) cleansUp() bool { return r.cause != nil }

// next says what the release does: it reads the account, judges it as it is, and does what remains to be done.
func (r *releasing) next(v view) step {
	r.now = v.now
	if err := r.failure; err != nil {
		r.failure = nil
		if r.cause != nil {
			return r.leaveFence(err)
		}
		return r.fail(err)
	}
	switch {
	case r.outcome != "" || r.stop != nil:
		return stepDone{err: r.stop}
	case r.cause != nil:
		return r.undo()
	case r.waits != nil:
		return r.awaitDeletion()
	case r.gone: // the cloud account has no other bindings that could keep a fence
		return r.openTwins(func() step { return r.done(OutcomeNotHeld) })
	case r.account == nil:
		return stepRead{r.Account}
	case r.placed:
		return r.done(OutcomeReplaced)
	}
	return r.judge(*r.account)
}

// judge says what remains to be done on the account as it is.
func (r *releasing) judge(a Account) step {
	switch {
	case a.UID == r.UID && a.Shared, targetOf(r.Identity.Pool).Shared: // nothing was ever written for it
		return r.done(OutcomeShared)
	case r.leftBehind(a):
		return r.end(a, r.withoutRecord(), OutcomeNotHeld)
	case !r.holds(a):
		return r.done(OutcomeNotHeld)
	}
	record, recorded := a.Holds(r.key())
	if recorded {
		if err := r.mayEnd(a, record); err != nil {
			return r.fail(err)
		}
	}
	if err := a.unreadable(r.Identity); err != nil {
		return r.fail(err)
	}
	marked := a.Dirty != Clean && a.Dirty != Releasing
	switch {
	case a.Internal:
		return r.dropRecord(a, OutcomeInternal)
	case r.Mode == Keep:
		return r.dropRecord(a, OutcomeKept)
	case len(a.claimsBut(r.key())) > 0:
		r.others = a.claimsBut(r.key())
		return r.dropRecord(a, OutcomeKept)
	case marked && r.marked:
		return r.dropRecord(a, OutcomeDirtied)
	case marked:
		return r.dropRecord(a, OutcomeAlreadyDirty)
	case r.Recorded && !recorded:
		return r.done(OutcomeUnrecorded)
	}
	return r.giveBack(a, record)
}

// giveBack says what is next for an account that no other claim is on: look for clusters, fence, wait, look again, and mark or free. It
// goes by all bindings of the cloud account.
func (r *releasing) giveBack(a Account, record Record) step {
	if a.Dirty == Releasing {
		r.fence.up, r.fence.seen = true, true
	}
	if r.Mode == ReturnToPool && (!record.NewlyClaimed || r.Used) {
		return r.fail(&ReturnRefusedError{Account: a.Name, Used: record.NewlyClaimed})
	}
	if r.whole == nil {
		return r.list()
	}
	open := r.heldTwins(Clean)
	switch intruder := r.whole.intruder(a.Tenant); {
	case intruder != nil:
		return r.fail(&TwinError{Account: a.Name, Twin: intruder.Name, Tenant: intruder.Tenant, Shared: intruder.Shared})
	case r.whole.internalBy() != nil:
		return r.dropRecord(a, OutcomeInternal)
	case r.whole.ClaimsOnTwins() > 0:
		r.others = r.whole.keptFor(r.key())
		return r.dropRecord(a, OutcomeKept)
	case r.Mode == ReturnToPool && len(r.heldTwins()) > 0: // another binding was the tenant's: whether it was used is not known
		return r.fail(&ReturnRefusedError{Account: a.Name, Used: true})
	case a.Dirty == Clean:
		return r.unused(a, func() step { return r.write(a, writeFence, r.mark(a, Releasing)) })
	case len(open) > 0:
		return r.writeTwin(open[0], Releasing)
	case r.Grace > 0 && !(r.fence.waited && record.ReleasingSince.Equal(r.fence.since)): // not yet, or that was another fence
		return stepGrace{a.Name, r.Grace}
	}
	return r.unused(a, func() step { return r.finish(a) })
}

// list waits for a list as fresh as one by which a free account is taken.
func (r *releasing) list() step { return stepList{r.now.Add(-maxFreeAge)} }

// unused is what has to be known, or waited for, before a write that nothing may use the account for; then that write.
func (r *releasing) unused(a Account, then func() step) step {
	inUse := &InUseError{Account: a.Name, Users: r.users, AfterFence: a.Dirty == Releasing}
	switch {
	case a.Dirty == Clean && !r.allowed:
		return stepAllowed{}
	case !r.counted:
		return stepUsers{r.bindings}
	case len(r.users) == 0:
		return then()
	case inUse.deleting() && !r.fence.up:
		r.waits = inUse
		return r.awaitDeletion()
	case inUse.deleting() && !r.fence.own: // an earlier call has left the fence. An account that only waits is open to its tenant's clusters
		r.waits = inUse
	}
	return r.fail(inUse)
}

// awaitDeletion waits for clusters that are being deleted. An account that has had clusters does not go back to the pool unwiped: that is
// not waited for.
func (r *releasing) awaitDeletion() step {
	if r.Mode == ReturnToPool {
		return stepDone{err: &ReturnRefusedError{Account: r.Account, Used: true}}
	}
	inUse := r.waits
	what := fmt.Sprintf("the end of %s on account %s: %s", inUse.total(), r.Account, inUse.users())
	return stepAwait{what, func(waited time.Duration) error {
		inUse.Waited = waited
		return inUse
	}}
}

// finish marks or frees an account behind its fence. Where the tenant holds other bindings of it, the account is marked first, and keeps
// the record of the claim until they are marked, too: so a release that is killed between is finished by the next one, and no claim or
// cluster comes meanwhile.
func (r *releasing) finish(a Account) step {
	if len(r.heldTwins(Releasing)) > 0 {
		return r.write(a, writeMark, r.mark(a, Dirtied))
	}
	change, dirt := r.withoutRecord(), Dirtied
	change.Dirty = &dirt
	if r.Mode != ReturnToPool {
		return r.end(a, change, OutcomeDirtied)
	}
	unclaimed, clean := "", Clean
	change.Tenant, change.Dirty = &unclaimed, &clean
	return r.end(a, change, OutcomeReturned)
}

// dropRecord removes the claim's own record. A fence goes with it: the account stays in use, and the release that has set
// the fence finds it gone before it marks anything. What this release, or one that was killed, has put on other bindings goes before the
// record does: to a mark where the account is marked, else away. All else stays.
func (r *releasing) dropRecord(a Account, outcome Outcome) step {
	change, clean := r.withoutRecord(), Clean
	_, recorded := a.Records[r.key()]
	switch {
	case a.Dirty == Clean && !recorded:
		return r.done(outcome)
	case a.Dirty == Clean:
		return r.end(a, change, outcome)
	case a.Dirty == Releasing:
		change.Dirty = &clean
		return r.settleTwins(Clean, func() step { return r.end(a, change, outcome) })
	}
	dirt := Dirtied
	if a.Dirty == Quarantined {
		dirt = Clean
	}
	return r.refence(a, func() step {
		return r.settleTwins(dirt, func() step {
			if !recorded {
				return r.done(outcome)
			}
			return r.end(a, change, outcome)
		})
	})
}

func (r *releasing) write(a Account, to purpose, change Change) step {
	after := settle
	if to == writeEnd || to == writeMark { // a cluster may have come although it should not
		after = rejudge
	}
	return stepWrite{judged: a, change: change, to: to, after: after}
}

// end makes the change that ends the release.
func (r *releasing) end(a Account, change Change, outcome Outcome) step {
	r.ending = &lastWrite{a, change, outcome}
	return r.write(a, writeEnd, change)
}

// done ends the release without a write.
func (r *releasing) done(outcome Outcome) step {
	r.outcome = outcome
	return stepDone{}
}

// fail ends the release with an error. Where its fence may be up it is taken down first.
func (r *releasing) fail(err error) step {
	if !r.fence.up {
		return stepDone{err: err, again: true}
	}
	r.cause = err
	return r.undo()
}

// undo takes the fence down when the release cannot go on, and ends with why it cannot. An account that cannot be read keeps its fence. A
// last write that is there after all ends the release.
func (r *releasing) undo() step {
	switch {
	case r.gone:
		return r.openTwins(r.giveUp)
	case r.account == nil:
		return stepRead{r.Account}
	}
	a := *r.account
	switch e := r.ending; {
	case e != nil && e.change.arrivedOn(e.judged, a):
		return r.done(e.outcome)
	case !r.holds(a):
		return r.giveUp()
	case a.Dirty == Releasing:
		return r.write(a, writeOpen, r.mark(a, Clean))
	case a.Dirty != Clean && r.whole == nil:
		return stepList{}
	case a.Dirty != Clean && len(r.fencedTwins()) > 0:
		return r.leaveFence(errMarked)
	case a.Dirty == Dirtied && r.marked: // all bindings are: the record alone is left
		return r.dropRecord(a, OutcomeDirtied)
	case a.Dirty != Clean:
		return r.giveUp()
	case a.Version == r.fence.doubtAt: // it may still arrive: only one of the two takes effect
		return r.write(a, writeFence, r.mark(a, Releasing))
	}
	return r.openTwins(r.giveUp)
}

// giveUp ends the release with the cause of that; one that waits for clusters begins anew when they are gone.
func (r *releasing) giveUp() step {
	switch {
	case r.lowered && r.waits != nil:
		r.cause, r.fence = nil, fence{}
		return r.awaitDeletion()
	case r.lowered:
		return stepDone{err: &FenceLoweredError{r.cause}}
	}
	return stepDone{err: r.cause}
}

// leaveFence ends the release with its fence up, or, where the answer to a write was lost, in doubt about it.
func (r *releasing) leaveFence(err error) step {
	cause := r.cause
	if r.lowered {
		cause = &FenceLoweredError{cause}
	}
	inDoubt := errors.As(cause, new(*UnknownOutcomeError)) || errors.As(err, new(*UnknownOutcomeError))
	return stepDone{err: &FenceLeftError{Account: r.Account, Cause: cause, Err: err, Ended: r.ending != nil && inDoubt, Unseen: !r.fence.seen}}
}

// learn takes in what came back of a step.
func (r *releasing) learn(did step, came answer) {
	r.failure = came.err
	switch s := did.(type) {
	case stepAllowed:
		r.allowed = came.err == nil
	case stepRead:
		r.placed = came.placed
		r.see(came)
	case stepList:
		r.listed(came)
	case stepUsers:
		r.users, r.counted = came.users, came.err == nil
		if came.err != nil {
			r.failure = fmt.Errorf("whether clusters are on account %s is not known: %w", r.Account, came.err)
		}
	case stepGrace:
		r.fence.waited, r.fence.since, r.account = came.err == nil, r.account.Records[r.key()].ReleasingSince, nil
	case stepAwait:
		r.awaited(came.err)
	case stepDone: // it begins anew
		r.account = nil
	case stepWrite:
		if s.judged.Name == r.Account {
			r.wrote(s, came)
		} else {
			r.wroteTwin(s, came)
		}
	}
}

// see takes in the account as it is now. What was known of its users and of other bindings is older.
func (r *releasing) see(came answer) {
	r.gone, r.account = came.gone, nil
	r.whole, r.users, r.counted = nil, nil, false
	if came.err != nil || came.gone {
		return
	}
	now := came.account
	r.account = &now
	if now.UID == r.UID {
		r.last = now
	}
}

func (r *releasing) listed(came answer) {
	switch {
	case came.err == nil:
		base := r.last
		if r.account != nil {
			base = *r.account
		}
		r.whole, r.bindings = came.list.whole(&base), came.list.bindings(&base)
	case r.cause != nil || r.gone || r.account.Dirty != Clean:
		r.failure = fmt.Errorf("whether a fence is on other bindings of the credentials of account %s is not known: %w", r.Account, came.err)
	default:
		r.failure = fmt.Errorf("whether other bindings refer to the credentials of account %s is not known: %w", r.Account, came.err)
	}
}

// awaited begins anew after a wait: all is judged as it is then, and whether a cluster has come back.
func (r *releasing) awaited(failed error) {
	if failed != nil && r.lowered {
		failed = &FenceLoweredError{failed}
	}
	if failed != nil {
		r.failure, r.stop = nil, failed
	}
	r.waits, r.lowered, r.account = nil, false, nil
}

// wrote takes in what became of a write on the claim's account.
func (r *releasing) wrote(s stepWrite, came answer) {
	switch {
	case came.err != nil && s.to == writeFence && errors.As(came.err, new(*UnknownOutcomeError)):
		r.fence.up, r.fence.own, r.fence.doubtAt = true, true, s.judged.Version
	case came.err != nil || came.unknown:
	case came.gone || came.changed:
		if s.to == writeEnd {
			r.ending = nil
		}
	case s.to == writeFence:
		r.fence = fence{up: true, own: true, seen: true}
	case s.to == writeOpen:
		r.lowered = true
	case s.to == writeMark:
		r.marked = true
	case s.to == writeEnd:
		r.outcome = r.ending.outcome
	}
	r.see(came)
}

// withoutRecord is the change that takes the claim's own record away, and nothing else.
func (r *releasing) withoutRecord() Change { return Change{Records: map[string]*Record{r.key(): nil}} }

// mark is the change that puts the fence up (Releasing), takes it down (Clean) or marks the account (Dirtied), and notes since when the
// fence is up.
func (r *releasing) mark(a Account, dirt Dirt) Change {
	change := Change{Dirty: &dirt}
	if record, ok := a.Holds(r.key()); ok && record.Version <= RecordVersion { // a newer one may say more than can be kept
		record.ReleasingSince = time.Time{}
		if dirt == Releasing {
			record.ReleasingSince = r.now.UTC().Truncate(time.Second)
		}
		change.Records = map[string]*Record{r.key(): &record}
	}
	return change
}

// mayEnd says why the claim that is recorded on an account must not be ended by this side.
func (r *releasing) mayEnd(a Account, record Record) error {
	switch {
	case !(Keeper{r.Owner, r.Instance, r.Lost}).owns(record):
		return &OwnerError{Identity: r.Identity, Account: a.Name, Recorded: record.Owner, Mine: r.Owner, Since: record.ClaimedAt}
	case record.Mark.ForeignTo(r.Instance):
		return &OtherStateError{Identity: r.Identity, Account: a.Name, Since: record.Mark.At}
	}
	return nil
}

// leftBehind reports whether the claim's own record lies on an account that its tenant has lost. Otherwise the record would count again if
// the tenant regained the account.
func (r *releasing) leftBehind(a Account) bool {
	record := a.Records[r.key()]
	return a.UID == r.UID && a.hasVoid(r.key(), record.Owner) && r.mayEnd(a, record) == nil && record.ClaimedAt.Unix() == r.ClaimedAt.Unix()
}

// holds reports whether the account is still the one that the claim was made on, and its tenant's.
func (r *releasing) holds(a Account) bool {
	return a.UID == r.UID && !a.Shared && a.Tenant == r.Identity.GlobalAccount
}
