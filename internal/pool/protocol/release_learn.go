package protocol

import (
	"errors"
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Learn takes in what came back of a step.
func (r *Releasing) Learn(did Step, came Answer) {
	r.failure = came.Err
	switch s := did.(type) {
	case AskRight:
		r.allowed = came.Err == nil
		r.blameCount(came.Err)
	case Read:
		r.placed = came.Placed
		r.see(came)
		r.blameCount(came.Err)
	case Count:
		r.begin(came)
		if r.Mode != account.Keep { // which counts nothing
			r.uncounted = came.Err
		}
	case List:
		if r.begun {
			r.learnBindings(came)
		} else {
			r.begin(came)
		}
	case FindUsers:
		r.users, r.counted, r.uncounted = came.Users, came.Err == nil, nil
		if came.Err != nil {
			r.failure = r.unknown(came.Err)
		}
	case AwaitGrace:
		r.fence.waited, r.fence.since = came.Err == nil, r.account.Records[r.Key()].ReleasingSince
		r.forget() // another binding may have come meanwhile
	case Await:
		r.awaited(came.Err)
	case Done: // it begins anew
		r.account = nil
	case Write:
		if s.Judged.Name == r.Account {
			r.wrote(s, came)
		} else {
			r.wroteTwin(s, came)
		}
	}
}

// blameCount names the first count where it has failed, and a read after it got no answer: the count took the time for the read, too.
func (r *Releasing) blameCount(err error) {
	if r.uncounted != nil && r.cause == nil && errors.As(err, new(*account.UnreachableError)) {
		r.failure = r.unknown(r.uncounted)
	}
}

// unknown is the error of a count of clusters that has failed.
func (r *Releasing) unknown(err error) error {
	return fmt.Errorf("whether clusters are on account %s is not known: %w", r.Account, err)
}

// see takes in the account as it is now. What was known of its users and of other bindings is older.
func (r *Releasing) see(came Answer) {
	r.begun, r.listed = true, false
	r.gone, r.account = came.Gone, nil
	r.forget()
	if came.Err != nil || came.Gone {
		return
	}
	now := came.Account
	r.account = &now
	if now.UID == r.UID {
		r.last = now
	}
}

// forget drops what was found out about the users and the other bindings: it has to be found out anew.
func (r *Releasing) forget() { r.whole, r.users, r.counted = nil, nil, false }

// Waited drops what a mark or the end of a claim goes by: the other bindings and, once the fence is up, the users. A count before the
// fence decides nothing.
func (r *Releasing) Waited() {
	r.whole = nil
	if r.fence.up {
		r.forget()
	}
}

// begin takes the account from a list, where it is the claim's and nothing is odd about it: else it is read. The count beside the list may
// say that no cluster is on it. That decides nothing: it saves a count before the fence, and the clusters are counted again after it.
func (r *Releasing) begin(came Answer) {
	r.begun, r.failure = true, nil
	if came.Err != nil {
		return
	}
	a := came.List.Account(r.Account)
	if a == nil || !r.holds(*a) || a.Dirty != account.Clean {
		return
	}
	now := *a
	r.account, r.last, r.listed = &now, now, true
	r.learnBindings(came)
	r.counted = r.countsAll && came.List.Counts.Unused(r.bindings) && came.List.UnknownBindings(came.List.Counts) == nil
}

// learnBindings takes the other bindings of the cloud account from a list.
func (r *Releasing) learnBindings(came Answer) {
	switch {
	case came.Err == nil:
		base := r.last
		if r.account != nil {
			base = *r.account
		}
		r.whole, r.bindings = came.List.Whole(&base), came.List.bindings(&base)
	case r.cause != nil || r.gone || r.account.Dirty != account.Clean:
		r.failure = fmt.Errorf("whether a fence is on other bindings of the credentials of account %s is not known: %w", r.Account, came.Err)
	default:
		r.failure = fmt.Errorf("whether other bindings refer to the credentials of account %s is not known: %w", r.Account, came.Err)
		r.blameCount(came.Err)
	}
}

// awaited begins anew after a wait: all is judged as it is then, and whether a cluster has come back.
func (r *Releasing) awaited(failed error) {
	if failed != nil && r.lowered {
		failed = &FenceLoweredError{failed}
	}
	if failed != nil {
		r.failure, r.stop = nil, failed
	}
	r.waits, r.lowered, r.account = nil, false, nil
}

// wrote takes in what became of a write on the claim's account.
func (r *Releasing) wrote(s Write, came Answer) {
	if s.To == ToEnd {
		sent := r.final
		r.ending = &sent
	}
	switch {
	case came.Err != nil && s.To == ToFence && errors.As(came.Err, new(*account.UnknownOutcomeError)):
		r.fence.up, r.fence.own, r.fence.doubtAt = true, true, s.Judged.Version
	case came.Err != nil || came.Unknown:
	case came.Gone || came.Changed:
		if s.To == ToEnd {
			r.ending = nil
		}
	case s.To == ToFence:
		r.fence = fence{up: true, own: true, seen: true}
	case s.To == ToOpen:
		r.lowered = true
	case s.To == ToMark:
		r.marked = true
	case s.To == ToEnd:
		r.outcome = r.ending.outcome
	}
	r.see(came)
}
