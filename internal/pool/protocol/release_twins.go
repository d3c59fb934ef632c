package protocol

import (
	"fmt"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// The other bindings of the cloud account in a release: they are fenced and marked with the account.

// heldTwins are the other bindings of the cloud account that say that it is the tenant's, of those with one of the given states; none given
// = of all.
func (r *Releasing) heldTwins(of ...account.Dirt) (held []*account.Account) {
	for _, twin := range r.whole.Twins() {
		if twin.Tenant == r.Identity.GlobalAccount && !twin.Shared && twin.Outside == "" && (len(of) == 0 || slices.Contains(of, twin.Dirty)) {
			held = append(held, twin)
		}
	}
	return held
}

// contests are the labels under other keys for which the account is neither marked nor freed. By them a Global Account holds another
// binding of it, which gets neither fence nor mark; or all share it, or it is internal. One that may be dirty does not go back to the pool.
func (r *Releasing) contests() []string {
	says := []account.Class{account.ClassHeld, account.ClassShared, account.ClassInternal}
	if r.Mode == account.ReturnToPool {
		says = append(says, account.ClassDirty)
	}
	return r.whole.Contests("", says...)
}

// fencedTwins are those of them that bear a fence without a claim: the fences are this release's, or were left by one that was killed.
func (r *Releasing) fencedTwins() []*account.Account {
	return slices.DeleteFunc(r.heldTwins(account.Releasing), func(twin *account.Account) bool { return twin.Claimed() })
}

// settleTwins brings the other bindings that bear a fence to a mark, or to none, and goes on then.
func (r *Releasing) settleTwins(dirt account.Dirt, then func() Step) Step {
	if r.whole == nil {
		return r.list()
	}
	for _, twin := range r.fencedTwins() {
		return r.writeTwin(twin, dirt)
	}
	return then()
}

// openTwins takes the fences from the other bindings, once that of the account is down for good, or the account is gone.
func (r *Releasing) openTwins(then func() Step) Step {
	if r.last.UID == "" {
		return then()
	}
	return r.settleTwins(account.Clean, then)
}

// refence fences and marks the other bindings that are open beside the account, which this release has marked: a write that an earlier run
// of it had sent has arrived meanwhile, and has taken a fence away.
func (r *Releasing) refence(a account.Account, then func() Step) Step {
	if r.marked && a.Dirty == account.Dirtied && r.whole != nil {
		for _, open := range r.heldTwins(account.Clean) {
			if !open.Claimed() {
				return r.writeTwin(open, account.Releasing)
			}
		}
	}
	return then()
}

// writeTwin changes the label dirty of another binding.
func (r *Releasing) writeTwin(twin *account.Account, dirt account.Dirt) Step {
	return r.write(*twin, ToTwin, account.Change{Dirty: &dirt})
}

// wroteTwin takes in what became of a write on another binding. The list shows the binding as it is now, whatever that is. The grace time
// begins with the last of the fences.
func (r *Releasing) wroteTwin(s Write, came Answer) {
	r.whole = nil
	if s.To == ToDepart {
		if came.Err == nil && !came.Gone && !came.Changed {
			r.off = s.Judged.Name
		}
		if came.Err != nil {
			r.failure = fmt.Errorf("taking the record of the claim from %s, which has the credentials of account %s: %w", s.Judged.Name, r.Account,
				came.Err)
		}
		return
	}
	r.fence.waited = r.fence.waited && *s.Change.Dirty != account.Releasing
	took := came.Err == nil && !came.Changed && !came.Gone && !came.Unknown
	r.marked = r.marked || took && *s.Change.Dirty == account.Dirtied // else by an earlier run of this release
	if came.Err != nil {
		what := "writing"
		if *s.Change.Dirty == account.Releasing {
			what = "putting the fence on"
		}
		r.failure = fmt.Errorf("%s %s, which has the credentials of account %s: %w", what, s.Judged.Name, r.Account, came.Err)
	}
}

// ownOnTwins returns the other bindings of the cloud account that bear the claim's own record, too: a move has been interrupted between its
// writes. None = none does, or the other bindings are not known. Such a record would count for another claim, and keep the account for
// ever.
func (r *Releasing) ownOnTwins() (bearers []*account.Account) {
	if r.whole == nil {
		return nil
	}
	for _, twin := range r.whole.Twins() {
		if _, bears := twin.Holds(r.Key()); bears && twin.Outside == "" {
			bearers = append(bearers, twin)
		}
	}
	return bearers
}

// movedFrom reports whether another binding is where a move of the claim came from: it is no account of the pool, and the claim's is one.
func (r *Releasing) movedFrom(twin *account.Account) bool {
	here, _ := account.BindingName(r.Account)
	return here == "" && twin.Sibling
}

// endOnTwins takes the own record off bindings that are no accounts of the pool, before the account is given back. Between two accounts of
// the pool it is not known which one the move was to go to, and whether it is still on its way: it has to be finished first.
func (r *Releasing) endOnTwins(bearers []*account.Account) Step {
	for _, twin := range bearers {
		if err := r.mayEnd(*twin, twin.Records[r.Key()]); err != nil {
			return r.fail(err)
		}
		if !r.movedFrom(twin) {
			return r.fail(&UnfinishedMoveError{Identity: r.Identity, Account: r.Account, Other: twin.Name})
		}
	}
	return r.write(*bearers[0], ToDepart, r.withoutRecord())
}

// unrecorded ends the release of a claim whose record is gone, unless it is still where a move was to take it from that was interrupted
// before its first write.
func (r *Releasing) unrecorded() Step {
	if r.whole == nil {
		return r.list()
	}
	for _, twin := range r.ownOnTwins() {
		if r.movedFrom(twin) && r.mayEnd(*twin, twin.Records[r.Key()]) == nil {
			return r.fail(&UnfinishedMoveError{Identity: r.Identity, Account: r.Account, Other: twin.Name, There: true})
		}
	}
	return r.done(OutcomeUnrecorded)
}
