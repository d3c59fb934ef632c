package protocol

import (
	"cmp"
	"fmt"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Outcome says how a release ended.
type Outcome string

// The outcomes of a release.
const (
	OutcomeDirtied      Outcome = "dirtied"       // the account is marked dirty
	OutcomeReturned     Outcome = "returned"      // the account is free again
	OutcomeKept         Outcome = "kept"          // the account stays with the tenant, by wish or because other claims are on it
	OutcomeShared       Outcome = "shared"        // the account is shared; nothing was written
	OutcomeAlreadyDirty Outcome = "already dirty" // the account was dirty before; only the record went
	OutcomeInternal     Outcome = "internal"      // the account is internal; only the record went
	OutcomeNotHeld      Outcome = "not held"      // the account is gone, recreated, free or another tenant's; its record was not there
	// OutcomeLeftBehind: the account is free or another tenant's, and had the claim's own record, which went.
	OutcomeLeftBehind Outcome = "not held, and its record was removed"
	// OutcomeUnrecorded: the claim's record is gone though the tenant still holds the account: the claim was released
	// before, or the record was removed by hand. Nothing was written.
	OutcomeUnrecorded Outcome = "unrecorded"
	OutcomeReplaced   Outcome = "replaced" // this run has made the same claim anew on this account, so it goes on; nothing was written
)

// ReleaseRequest ends one claim.
type ReleaseRequest struct {
	Identity account.Identity
	// Account and UID are those of the account that the claim was made on.
	Account, UID string
	Mode         account.Mode
	Owner        string // the owner as this side knows it; a claim that is recorded by another owner is left alone
	// ClaimedAt is when the claim was made, as this side knows it; zero = unknown. A record that lies on the account of
	// another tenant, or of none, is this claim's own only where it says the same time.
	ClaimedAt time.Time
	// Instance, Imported and Lost are as in [account.Keeper].
	Instance string
	Imported *account.Imported
	Lost     bool
	Used     bool // clusters were counted on the account since the claim was made, or may have been
	// Recorded says that the claim's record was seen on the account, or written there. Without it the account is not the
	// claim's any more.
	Recorded bool
	// Grace is the grace period between the fence and the last count: a broker that chose the account a moment before the
	// fence may still bring a cluster to it. 0 = no wait.
	Grace time.Duration
	Tell  func(Progress) // is called at each pause in which the release waits for clusters; may be nil
	// Kept is called with the other claims for which the account stays with its Global Account, where the Mode would not leave it there;
	// may be nil.
	Kept func([]account.OtherClaim)
}

// Releasing is what a release has seen so far; [Releasing.Next] says what it does then.
type Releasing struct {
	ReleaseRequest
	record string // the key of the claim's record
	now    time.Time

	begun   bool             // the account was read, or taken from a list
	account *account.Account // the claim's account as it was read or written last; nil = it has to be read
	last    account.Account  // the same, also while it has to be read anew; zero = it was never read
	gone    bool             // there is no such account any more
	listed  bool             // the account is as a list shows it, which may be [MaxFreeAge] old: it is judged for the next write alone
	placed  bool             // this run has made the same claim anew on the account
	allowed bool             // accounts may be written

	// whole is the account with the other bindings of its credentials, by a list as fresh as one by which a free account is taken; nil = it
	// has to be listed. bindings are the names by which its clusters name it.
	whole     *account.Account
	bindings  []string
	users     []account.User // what uses the account
	counted   bool           // the users are known, as of after the account was read, listed or written last
	countsAll bool           // each source there is counts
	uncounted error          // why the first count has failed; nil = it has not

	fence   fence
	marked  bool                 // the account is marked by this release, and bears its record until the other bindings are marked, too
	final   lastWrite            // the write that is to end the release
	ending  *lastWrite           // the same, once it was sent
	outcome Outcome              // of the release; empty = it goes on
	off     string               // another binding that the claim's record was taken off; empty = none
	others  []account.OtherClaim // for which the account is kept

	failure error               // of the last step
	stop    error               // ends the release for good
	cause   error               // why the release cannot go on: what it has put up is taken down; nil = it goes on
	lowered bool                // the fence is down again because of that
	waits   *account.InUseError // the clusters that are being deleted, for whose end it waits, once its fence is down; nil = it does not
}

// lastWrite is a write that ends a release.
type lastWrite struct {
	judged  account.Account
	change  account.Change
	outcome Outcome
}

// NewReleasing returns the steps of a release.
func NewReleasing(req ReleaseRequest) *Releasing {
	return &Releasing{ReleaseRequest: req, record: req.Identity.Key()}
}

// Ended returns how the release has ended, once the steps have ended without an error, and the claims for which the account is kept.
func (r *Releasing) Ended() (Outcome, []account.OtherClaim) {
	if r.outcome != OutcomeKept {
		return r.outcome, nil
	}
	return r.outcome, r.others
}

// Key is that of the record of the claim.
func (r *Releasing) Key() string { return r.record }

// CleansUp reports whether the fence is to be taken down although the caller may have given up.
func (r *Releasing) CleansUp() bool { return r.cause != nil }

// Next says what the release does: it reads the account, judges it as it is, and does what remains to be done.
func (r *Releasing) Next(f Facts) Step {
	r.now = f.Now
	if err := r.failure; err != nil {
		r.failure = nil
		if r.cause != nil {
			return r.leaveFence(err)
		}
		return r.fail(err)
	}
	switch {
	case r.outcome != "" || r.stop != nil:
		return Done{Err: r.stop}
	case r.cause != nil:
		return r.undo()
	case r.waits != nil:
		return r.awaitDeletion()
	case r.gone: // the cloud account has no other bindings that could keep a fence
		return r.openTwins(func() Step { return r.done(OutcomeNotHeld) })
	case r.account == nil && !r.begun:
		return r.first(f)
	case r.account == nil:
		return Read{r.Account}
	case r.placed:
		return r.done(OutcomeReplaced)
	}
	return r.judgeListed(f)
}

// first is how a release begins: with a list and a count, which all releases of a run share. The count may be a minute old, as it decides
// nothing, see [Releasing.begin]. A claim that leaves its account with the Global Account needs no count.
func (r *Releasing) first(f Facts) Step {
	r.countsAll = f.CountsAll
	switch {
	case account.ParseTarget(r.Identity.Pool).Shared:
		return Read{r.Account}
	case r.Mode != account.Keep && f.Counted.Before(r.now.Add(-MaxAge)):
		return Count{r.now.Add(-MaxFreeAge)}
	}
	return r.list()
}

// judgeListed judges the account. One that a list shows is judged for a write, whose precondition is that the account is still so; where
// the release would end without a write, or the claim is made anew, the account is read first.
func (r *Releasing) judgeListed(f Facts) Step {
	if !r.listed {
		return r.judge(*r.account)
	}
	step := r.judge(*r.account)
	at, made := f.Placed.Account(r.Key())
	if _, ends := step.(Done); ends || made && at == r.Account {
		r.outcome, r.waits, r.account, r.listed = "", nil, nil, false
		return Read{r.Account}
	}
	return step
}

// judge says what remains to be done on the account as it is.
func (r *Releasing) judge(a account.Account) Step {
	switch {
	case a.UID == r.UID && a.Shared, account.ParseTarget(r.Identity.Pool).Shared: // nothing was ever written for it
		return r.done(OutcomeShared)
	case r.leftBehind(a):
		return r.end(a, r.withoutRecord(), OutcomeLeftBehind)
	case !r.holds(a):
		return r.done(OutcomeNotHeld)
	}
	record, recorded := a.Holds(r.Key())
	if recorded {
		if err := r.mayEnd(a, record); err != nil {
			return r.fail(err)
		}
	}
	if err := a.UnreadableRecord(r.Identity); err != nil {
		return r.fail(err)
	}
	marked := a.Dirty != account.Clean && a.Dirty != account.Releasing
	switch {
	case a.Internal:
		return r.dropRecord(a, OutcomeInternal)
	case r.Mode == account.Keep:
		return r.dropRecord(a, OutcomeKept)
	case len(a.OtherClaims(r.Key())) > 0:
		r.others = a.OtherClaims(r.Key())
		return r.dropRecord(a, OutcomeKept)
	case marked && r.marked:
		return r.dropRecord(a, OutcomeDirtied)
	case marked:
		return r.dropRecord(a, OutcomeAlreadyDirty)
	case r.Recorded && !recorded:
		return r.unrecorded()
	}
	return r.giveBack(a, record)
}

// giveBack says what is next for an account that no other claim is on: count the clusters, put the fence up, wait, count again,
// and mark or free it. That is decided by all bindings of the cloud account.
func (r *Releasing) giveBack(a account.Account, record account.Record) Step {
	if a.Dirty == account.Releasing {
		r.fence.up, r.fence.seen = true, true
	}
	if r.Mode == account.ReturnToPool && (!record.NewlyClaimed || r.Used) {
		return r.fail(&ReturnRefusedError{Account: a.Name, Used: record.NewlyClaimed})
	}
	if r.whole == nil {
		return r.list()
	}
	open := r.heldTwins(account.Clean)
	switch intruder, outside, stray := r.whole.IntruderFor(a.Tenant), r.whole.OutsideTwin(), r.whole.StrayByName(); {
	case intruder != nil:
		return r.fail(byTwin(a.Name, intruder))
	case outside != nil:
		return r.fail(byTwin(a.Name, outside))
	case stray != nil:
		return r.fail(&StrayError{Account: a.Name, Stray: stray.Name, SameAs: cmp.Or(stray.SameAs.Name, r.whole.SameAs.Name)})
	case r.whole.InternalBy() != nil:
		return r.dropRecord(a, OutcomeInternal)
	case len(r.whole.OtherClaimsOfAll(r.Key())) > 0:
		r.others = r.whole.OtherClaimsOfAll(r.Key())
		return r.dropRecord(a, OutcomeKept)
	case len(r.contests()) > 0:
		return r.fail(&ContestedError{Account: a.Name, Labels: r.contests()})
	case r.Mode == account.ReturnToPool && len(r.heldTwins()) > 0: // another binding was the tenant's: whether it was used is not known
		return r.fail(&ReturnRefusedError{Account: a.Name, Used: true})
	case len(r.ownOnTwins()) > 0:
		return r.endOnTwins(r.ownOnTwins())
	case a.Dirty == account.Clean:
		return r.unused(a, func() Step { return r.write(a, ToFence, r.mark(a, account.Releasing)) })
	case len(open) > 0:
		return r.writeTwin(open[0], account.Releasing)
	case r.Grace > 0 && !(r.fence.waited && record.ReleasingSince.Equal(r.fence.since)): // not yet, or that was another fence
		return AwaitGrace{a.Name, r.Grace}
	}
	return r.unused(a, func() Step { return r.finish(a) })
}

// list waits for a list as fresh as one by which a free account is taken. After the grace time it is a new one: with the list of before,
// the scenario "a release, and a person who makes another binding of its credentials for its tenant" fails (EXPLORED.md). After the fence
// it is usually the list of before. It is a new one where the fence took long, because a release without a grace time has no later list.
func (r *Releasing) list() Step { return List{r.now.Add(-MaxFreeAge)} }

// unused is what has to be known, or waited for, before a write that nothing may use the account for; then that write.
func (r *Releasing) unused(a account.Account, then func() Step) Step {
	inUse := &account.InUseError{Account: a.Name, Users: r.users, AfterFence: a.Dirty == account.Releasing}
	switch {
	case a.Dirty == account.Clean && !r.allowed:
		return AskRight{}
	case !r.counted:
		return FindUsers{r.bindings}
	case len(r.users) == 0:
		return then()
	case inUse.Deleting() && !r.fence.up:
		r.waits = inUse
		return r.awaitDeletion()
	case inUse.Deleting() && !r.fence.own: // an earlier call has left the fence. An account that only waits is open to its tenant's clusters
		r.waits = inUse
	}
	return r.fail(inUse)
}

// awaitDeletion waits for clusters that are being deleted. An account that has had clusters does not go back to the pool unwiped: that is
// not waited for.
func (r *Releasing) awaitDeletion() Step {
	if r.Mode == account.ReturnToPool {
		return Done{Err: &ReturnRefusedError{Account: r.Account, Used: true}}
	}
	inUse := r.waits
	what := fmt.Sprintf("the end of %s on account %s: %s", inUse.Total(), r.Account, inUse.List())
	return Await{what, time.Time{}, func(waited time.Duration) error {
		inUse.Waited = waited
		return inUse
	}}
}

// finish marks or frees an account whose fence is up. Where the tenant holds other bindings of it, the account is marked first, and keeps
// the record of the claim until they are marked, too: so a release that is killed between is finished by the next one, and no claim or
// cluster comes meanwhile.
func (r *Releasing) finish(a account.Account) Step {
	if len(r.heldTwins(account.Releasing)) > 0 {
		return r.write(a, ToMark, r.mark(a, account.Dirtied))
	}
	change, dirt := r.withoutRecord(), account.Dirtied
	change.Dirty, change.LastHeld = &dirt, r.now
	if r.Mode != account.ReturnToPool {
		return r.end(a, change, OutcomeDirtied)
	}
	unclaimed, clean := "", account.Clean
	change.Tenant, change.Dirty = &unclaimed, &clean
	return r.end(a, change, OutcomeReturned)
}

// dropRecord removes the claim's own record. A fence goes with it: the account stays in use, and the release that has set
// the fence finds it gone before it marks anything. What this release, or one that was killed, has put on other bindings goes before the
// record does: to a mark where the account is marked, else away. So does the claim's record on another binding, see [Releasing.ownOnTwins].
// All else stays.
func (r *Releasing) dropRecord(a account.Account, outcome Outcome) Step {
	record, recorded := a.Records[r.Key()]
	if (recorded || r.Recorded) && r.whole == nil {
		return r.list()
	}
	for _, twin := range r.ownOnTwins() {
		same := !recorded || r.movedFrom(twin) || twin.Records[r.Key()].ClaimedAt.Unix() == record.ClaimedAt.Unix()
		if same && r.mayEnd(*twin, twin.Records[r.Key()]) == nil { // else another state has the claim there
			return r.write(*twin, ToDepart, r.withoutRecord())
		}
	}
	change, clean := r.withoutRecord(), account.Clean
	switch {
	case a.Dirty == account.Clean && !recorded:
		return r.done(outcome)
	case a.Dirty == account.Clean:
		return r.end(a, change, outcome)
	case a.Dirty == account.Releasing:
		change.Dirty = &clean
		return r.settleTwins(account.Clean, func() Step { return r.end(a, change, outcome) })
	}
	change.LastHeld = r.now // it is marked, so it has not come back yet
	dirt := account.Dirtied
	if a.Dirty == account.Quarantined {
		dirt = account.Clean
	}
	return r.refence(a, func() Step {
		return r.settleTwins(dirt, func() Step {
			if !recorded {
				return r.done(outcome)
			}
			return r.end(a, change, outcome)
		})
	})
}

func (r *Releasing) write(a account.Account, to Purpose, change account.Change) Step {
	after := Settle
	if to == ToEnd || to == ToMark { // a cluster may have come although it should not
		after = Rejudge
	}
	return Write{Judged: a, Change: change, To: to, After: after}
}

// end makes the change that ends the release.
func (r *Releasing) end(a account.Account, change account.Change, outcome Outcome) Step {
	r.final = lastWrite{a, change, outcome}
	return r.write(a, ToEnd, change)
}

// done ends the release without a write.
func (r *Releasing) done(outcome Outcome) Step {
	r.outcome = outcome
	return Done{}
}

// withoutRecord is the change that takes the claim's own record away, and nothing else.
func (r *Releasing) withoutRecord() account.Change {
	return account.Change{Records: map[string]*account.Record{r.Key(): nil}}
}

// mayEnd says why the claim that is recorded on an account must not be ended by this side.
func (r *Releasing) mayEnd(a account.Account, record account.Record) error {
	keeper := account.Keeper{Owner: r.Owner, Instance: r.Instance, Imported: r.Imported, Lost: r.Lost}
	switch {
	case !keeper.Owns(record):
		return &OwnerError{Identity: r.Identity, Account: a.Name, Recorded: record.Owner, Mine: r.Owner, Since: record.ClaimedAt}
	case keeper.IsForeign(record.Mark):
		return &OtherStateError{Identity: r.Identity, Account: a.Name, Since: record.Mark.At}
	}
	return nil
}

// leftBehind reports whether the claim's own record lies on an account that its tenant has lost. Otherwise the record would count again if
// the tenant regained the account.
func (r *Releasing) leftBehind(a account.Account) bool {
	record := a.Records[r.Key()]
	return a.UID == r.UID && a.HasVoid(r.Key(), record.Owner) && r.mayEnd(a, record) == nil && record.ClaimedAt.Unix() == r.ClaimedAt.Unix()
}

// holds reports whether the account is still the one that the claim was made on, and its tenant's.
func (r *Releasing) holds(a account.Account) bool {
	return a.UID == r.UID && !a.Shared && a.Tenant == r.Identity.GlobalAccount
}
