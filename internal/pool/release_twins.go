package pool

import (
	"errors"
	"fmt"
	"slices"
)

// TwinError says that a cloud account cannot be released because others use it by another binding of the same credentials.
type TwinError struct {
	Account string // the account whose claim was to be released
	Twin    string // the other binding, with its kind where that is another one
	Tenant  string // the Global Account that holds it; empty where it is Shared
	Shared  bool   // all Global Accounts share it
}

func (e *TwinError) Error() string {
	whose := "Global Account " + e.Tenant + " holds it"
	if e.Shared {
		whose = "all Global Accounts share it"
	}
	return fmt.Sprintf("%s refers to the credentials of account %s, so both are one cloud account, and %s", e.Twin, e.Account, whose)
}

// errMarked says that a release has marked the account, and could not end: other bindings of it keep their fences.
var errMarked = errors.New("the account is marked dirty already, and other bindings of the same credentials are still to be marked")

// heldTwins are the other bindings of the cloud account that say that it is the tenant's, of those with one of the given states; none given
// = of all.
func (r *releasing) heldTwins(of ...Dirt) (held []*Account) {
	for _, twin := range r.whole.Twins() {
		if twin.Tenant == r.Identity.GlobalAccount && !twin.Shared && (len(of) == 0 || slices.Contains(of, twin.Dirty)) {
			held = append(held, twin)
		}
	}
	return held
}

// fencedTwins are those of them that bear a fence without a claim: the fences are this release's, or were left by one that was killed.
func (r *releasing) fencedTwins() []*Account {
	return slices.DeleteFunc(r.heldTwins(Releasing), func(twin *Account) bool { return twin.claimed() })
}

// settleTwins brings the other bindings that bear a fence to a mark, or to none, and goes on then.
func (r *releasing) settleTwins(dirt Dirt, then func() step) step {
	if r.whole == nil {
		return r.list()
	}
	for _, twin := range r.fencedTwins() {
		return r.writeTwin(twin, dirt)
	}
	return then()
}

// openTwins takes the fences from the other bindings, once that of the account is down for good, or the account is gone.
func (r *releasing) openTwins(then func() step) step {
	if r.last.UID == "" {
		return then()
	}
	return r.settleTwins(Clean, then)
}

// refence fences and marks the other bindings that are open beside the account, which this release has marked: a write that an earlier run
// of it had sent has arrived meanwhile, and has taken a fence away.
func (r *releasing) refence(a Account, then func() step) step {
	if r.marked && a.Dirty == Dirtied && r.whole != nil {
		for _, open := range r.heldTwins(Clean) {
			if !open.claimed() {
				return r.writeTwin(open, Releasing)
			}
		}
	}
	return then()
}

// writeTwin changes the label dirty of another binding.
func (r *releasing) writeTwin(twin *Account, dirt Dirt) step {
	return r.write(*twin, writeTwin, Change{Dirty: &dirt})
}

// wroteTwin takes in what became of a write on another binding. The list shows the binding as it is now, whatever that is. The grace time
// begins with the last of the fences.
func (r *releasing) wroteTwin(s stepWrite, came answer) {
	r.whole = nil
	r.fence.waited = r.fence.waited && *s.change.Dirty != Releasing
	took := came.err == nil && !came.changed && !came.gone && !came.unknown
	r.marked = r.marked || took && *s.change.Dirty == Dirtied // else by an earlier run of this release
	if came.err != nil {
		what := "writing"
		if *s.change.Dirty == Releasing {
			what = "putting the fence on"
		}
		r.failure = fmt.Errorf("%s %s, which has the credentials of account %s: %w", what, s.judged.Name, r.Account, came.err)
	}
}
