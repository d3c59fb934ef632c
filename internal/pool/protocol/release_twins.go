package protocol

import (
	"fmt"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// heldTwins are the other bindings of the cloud account that say that it is the tenant's, of those with one of the given states; none given
// = of all.
func (r *Releasing) heldTwins(of ...account.Dirt) (held []*account.Account) {
	for _, twin := range r.whole.Twins() {
		if twin.Tenant == r.Identity.GlobalAccount && !twin.Shared && (len(of) == 0 || slices.Contains(of, twin.Dirty)) {
			held = append(held, twin)
		}
	}
	return held
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
