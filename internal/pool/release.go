package pool

import (
	"context"
	"time"
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
	OutcomeNotHeld      Outcome = "not held"      // the account is gone, recreated, free or another tenant's; only the own record went
	// OutcomeUnrecorded: the claim's record is gone though the tenant still holds the account: the claim was released
	// before, or the record was removed by hand. Nothing was written.
	OutcomeUnrecorded Outcome = "unrecorded"
	OutcomeReplaced   Outcome = "replaced" // this run has made the same claim anew on this account, so it goes on; nothing was written
)

// ReleaseRequest ends one claim.
type ReleaseRequest struct {
	Identity Identity
	// Account and UID are those of the account that the claim was made on.
	Account, UID string
	Mode         Mode
	Owner        string // the owner as this side knows it; a claim that is recorded by another owner is left alone
	// ClaimedAt is when the claim was made, as this side knows it; zero = unknown. A record that lies on the account of
	// another tenant, or of none, is this claim's own only where it says the same time.
	ClaimedAt time.Time
	// Instance and Lost are as in [Keeper].
	Instance string
	Lost     bool
	Used     bool // clusters were counted on the account since the claim was made, or may have been
	// Recorded says that the claim's record was seen on the account, or written there. Without it the account is not the
	// claim's any more.
	Recorded bool
	// Grace is the grace period between the fence and the last count: a broker that chose the account a moment before the
	// fence may still bring a cluster to it. 0 = no wait.
	Grace time.Duration
	Tell  func(Progress) // is called at each pause in which the release waits for clusters; may be nil
	// Kept is called with the other claims for which the account stays with its Global Account, where the Mode would not leave it there; may
	// be nil.
	Kept func([]OtherClaim)
}

// Release ends a claim: nothing is marked or freed while a cluster uses the account, and a fence keeps new clusters away
// between the last count and the mark. Whatever a crash leaves behind, the same call finishes.
//
// Where every user of the account is a Shoot that is being deleted, Release waits for that, until shortly before the deadline
// of the context; without a deadline it does not wait. There is no fence meanwhile: one that an earlier call has left is taken down.
// A read that gets no answer ends the release before the first pause, and none of the wait.
//
// Errors: [InUseError], [ReturnRefusedError], [OwnerError], [OtherStateError], [UnreadableRecordError], [TimeoutError], [WaitError], those
// of [Store] and [Counter]; after an error the claim is recorded as before, at worst with the fence still up ([FenceLeftError]), which
// the next call takes on.
func (p *Pool) Release(ctx context.Context, req ReleaseRequest) (Outcome, error) {
	op := newOperation(ctx)
	defer op.end()
	r := newReleasing(req)
	if err := p.engine(op, req.Identity.GlobalAccount, req.Grace, req.Tell).run(r); err != nil {
		return "", op.result(err)
	}
	outcome, others := r.ended()
	if len(others) > 0 && req.Kept != nil {
		req.Kept(others)
	}
	return outcome, nil
}
