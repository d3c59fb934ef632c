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
	case Read:
		r.placed = came.Placed
		r.see(came)
	case List:
		r.listed(came)
	case FindUsers:
		r.users, r.counted = came.Users, came.Err == nil
		if came.Err != nil {
			r.failure = fmt.Errorf("whether clusters are on account %s is not known: %w", r.Account, came.Err)
		}
	case AwaitGrace:
		r.fence.waited, r.fence.since, r.account = came.Err == nil, r.account.Records[r.Key()].ReleasingSince, nil
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

// see takes in the account as it is now. What was known of its users and of other bindings is older.
func (r *Releasing) see(came Answer) {
	r.gone, r.account = came.Gone, nil
	r.whole, r.users, r.counted = nil, nil, false
	if came.Err != nil || came.Gone {
		return
	}
	now := came.Account
	r.account = &now
	if now.UID == r.UID {
		r.last = now
	}
}

func (r *Releasing) listed(came Answer) {
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
