package protocol

import (
	"errors"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// fence is what a release knows of the fence on its account.
type fence struct {
	up      bool      // it may be up: no error leaves the release then without a try to take it down
	own     bool      // this release has put it up, or may have
	seen    bool      // it was seen on the account
	doubtAt string    // the version of the account at which it was sent and may still arrive; empty = it will not
	waited  bool      // its grace time is over
	since   time.Time // since when it was up by its record, when that grace time began; zero = the record does not say
}

// fail ends the release with an error. Where its fence may be up it is taken down first.
func (r *Releasing) fail(err error) Step {
	if r.off != "" {
		err = &RecordTakenError{From: r.off, Err: err}
	}
	if !r.fence.up {
		return Done{Err: err, Again: true}
	}
	r.cause = err
	return r.undo()
}

// undo takes the fence down when the release cannot go on, and ends with why it cannot. An account that cannot be read keeps its fence. A
// last write that is there after all ends the release.
func (r *Releasing) undo() Step {
	switch {
	case r.gone:
		return r.openTwins(r.giveUp)
	case r.account == nil:
		return Read{r.Account}
	}
	a := *r.account
	switch e := r.ending; {
	case e != nil && e.change.ArrivedOn(e.judged, a):
		return r.done(e.outcome)
	case !r.holds(a):
		return r.giveUp()
	case a.Dirty == account.Releasing:
		return r.write(a, ToOpen, r.mark(a, account.Clean))
	case a.Dirty != account.Clean && r.whole == nil:
		return List{}
	case a.Dirty != account.Clean && len(r.fencedTwins()) > 0:
		return r.leaveFence(errMarked)
	case a.Dirty == account.Dirtied && r.marked: // all bindings are: the record alone is left
		return r.dropRecord(a, OutcomeDirtied)
	case a.Dirty != account.Clean:
		return r.giveUp()
	case a.Version == r.fence.doubtAt: // it may still arrive: only one of the two takes effect
		return r.write(a, ToFence, r.mark(a, account.Releasing))
	}
	return r.openTwins(r.giveUp)
}

// giveUp ends the release with the cause of that; one that waits for clusters begins anew when they are gone.
func (r *Releasing) giveUp() Step {
	switch {
	case r.lowered && r.waits != nil:
		r.cause, r.fence = nil, fence{}
		return r.awaitDeletion()
	case r.lowered:
		return Done{Err: &FenceLoweredError{r.cause}}
	}
	return Done{Err: r.cause}
}

// leaveFence ends the release with its fence up, or, where the answer to a write was lost, in doubt about it.
func (r *Releasing) leaveFence(err error) Step {
	cause := r.cause
	if r.lowered {
		cause = &FenceLoweredError{cause}
	}
	inDoubt := errors.As(cause, new(*account.UnknownOutcomeError)) || errors.As(err, new(*account.UnknownOutcomeError))
	return Done{Err: &FenceLeftError{Account: r.Account, Cause: cause, Err: err, Ended: r.ending != nil && inDoubt, Unseen: !r.fence.seen}}
}

// mark is the change that puts the fence up (Releasing), takes it down (Clean) or marks the account (Dirtied), and notes since when the
// fence is up.
func (r *Releasing) mark(a account.Account, dirt account.Dirt) account.Change {
	change := account.Change{Dirty: &dirt}
	if record, ok := a.Holds(r.Key()); ok && record.Version <= account.RecordVersion { // a newer one may say more than can be kept
		record.ReleasingSince = time.Time{}
		if dirt == account.Releasing {
			record.ReleasingSince = r.now.UTC().Truncate(time.Second)
		}
		change.Records = map[string]*account.Record{r.Key(): &record}
	}
	return change
}

// errMarked says that a release has marked the account, and could not end: other bindings of it keep their fences.
var errMarked = errors.New("the account is marked dirty already, and other bindings of the same credentials are still to be marked")
