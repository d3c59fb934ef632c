package pool

import (
	"context"
	"errors"
	"fmt"
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
	Used      bool // clusters were counted on the account since the claim was made, or may have been
	// Recorded says that the claim's record was seen on the account, or written there. Without it the account is not the
	// claim's any more.
	Recorded bool
	// Grace is the grace period between the fence and the last look: a broker that chose the account a moment before the
	// fence may still bring a cluster to it. 0 = no wait.
	Grace time.Duration
	Tell  func(Progress) // is told of each pause in which the release waits for clusters; nil = nothing is
}

// Release ends a claim: nothing is marked or freed while a cluster uses the account, and a fence keeps new clusters away
// between the last look and the mark. Whatever a crash leaves behind, the same call finishes.
//
// Where every user of the account is a Shoot that is being deleted, Release waits for that, until shortly before the deadline
// of the context; without a deadline it does not wait. No fence stands meanwhile: one that an earlier call has left is taken down.
// A look that gets no answer ends the release before the first pause, and none of the wait.
//
// Errors: [InUseError], [ReturnRefusedError], [OwnerError], [TimeoutError], [WaitError], those of [Store] and [Counter]; after an error
// the claim is recorded as before, at worst with the fence still up ([FenceLeftError]), which the next call takes on.
func (p *Pool) Release(ctx context.Context, req ReleaseRequest) (Outcome, error) {
	op := newOperation(ctx)
	defer op.end()
	r := releasing{ReleaseRequest: req, operation: op, pool: p, key: req.Identity.Key()}
	outcome, err := r.run()
	if errors.Is(err, errGone) {
		return OutcomeNotHeld, nil
	}
	return outcome, op.result(err)
}

var (
	// errGone says that the account is gone. What a [Counter] cannot find is something else.
	errGone = errors.New("the account is gone")
	// errGrace says that the fence is up and its grace period has to pass.
	errGrace = errors.New("the fence has just been put up")
)

// releasing is one release on its way. Its steps return no outcome and no error where the account has changed meanwhile: it
// is read and judged anew then.
type releasing struct {
	ReleaseRequest
	*operation
	pool   *Pool
	key    string
	waited bool      // the grace period is over
	fenced time.Time // since when the fence was up for which it was waited; zero = its record does not say
	up     bool      // the fence of this claim may be up: no error leaves the release then without a try to take it down
	own    bool      // this call has put the fence up, or may have
	late   string    // the version of the account at which a fence was sent that may still arrive; empty = none was
	// ended says whether the write that was to end the release is on an account; nil = none was sent.
	ended   func(now Account) bool
	outcome Outcome // of that write
}

func (r *releasing) run() (Outcome, error) {
	patience := r.patience(r.Grace, r.Tell)
	for tries := 0; tries < maxTries; tries++ {
		outcome, err := r.round()
		var inUse *InUseError
		switch {
		case errors.Is(err, errGrace):
			err = r.wait()
		case !r.up && errors.As(err, &inUse) && inUse.deleting():
			tries = 0 // this was no lost write; the deadline bounds the wait
			err = r.awaitDeletion(inUse, patience)
		case r.up && !r.own && errors.As(err, &inUse) && inUse.deleting():
			tries = 0
			if outcome, err = r.awaitUnfenced(inUse, patience); outcome != "" || err != nil {
				return outcome, err
			}
		case !r.up && err != nil:
			tries = 0
			err = patience.retry(err)
		}
		switch {
		case err != nil && r.up && !errors.Is(err, errGone):
			return r.abandon(err)
		case outcome != "" || err != nil:
			return outcome, err
		}
	}
	conflict := r.conflict(r.Account)
	if r.up {
		return r.abandon(conflict)
	}
	return "", conflict
}

// round reads the account anew and does what remains to be done. It holds the lock of the tenant, which no wait does.
func (r *releasing) round() (Outcome, error) {
	unlock, err := r.pool.lockTenant(r.operation, r.Identity.GlobalAccount)
	if err != nil {
		return "", err
	}
	defer unlock()
	if account, made := r.pool.cache.placement(r.key); made && account == r.Account {
		return OutcomeReplaced, nil
	}
	account, err := r.read()
	if err != nil {
		return "", err
	}
	return r.step(account)
}

// read reads the account anew.
func (r *releasing) read() (Account, error) {
	defer r.timed("reading account " + r.Account)()
	ctx, cancel := r.reading()
	defer cancel()
	account, err := r.pool.read(ctx, r.Account)
	if errors.As(err, new(*NotFoundError)) {
		err = errGone
	}
	return account, err
}

// wait lets the grace period pass, in which other claims of the tenant go on.
func (r *releasing) wait() error {
	r.waited = true
	select {
	case <-time.After(r.Grace):
		return nil
	case <-r.ctx.Done():
	}
	return fmt.Errorf("interrupted while the fence on account %s stood for its grace time of %s: %w", r.Account, r.Grace, context.Cause(r.ctx))
}

// awaitDeletion pauses until the next look at clusters that are being deleted. All is judged anew then: the account, and
// whether a cluster has come back. An account that has had clusters does not go back to the pool unwiped: that is not waited for.
func (r *releasing) awaitDeletion(inUse *InUseError, patience *patience) error {
	if r.Mode == ReturnToPool {
		return &ReturnRefusedError{Account: r.Account, Used: true}
	}
	what := fmt.Sprintf("the end of %s on account %s: %s", inUse.total(), r.Account, inUse.users())
	return patience.wait(what, func(waited time.Duration) error {
		inUse.Waited = waited
		return inUse
	})
}

// awaitUnfenced is awaitDeletion behind a fence that an earlier call has left, which was killed. The fence is taken down first: an
// account that only waits is open to the other clusters of its tenant, as it is before a first release.
func (r *releasing) awaitUnfenced(inUse *InUseError, patience *patience) (Outcome, error) {
	if outcome, err := r.abandon(inUse); !errors.As(err, new(*FenceLoweredError)) {
		return outcome, err
	}
	r.up, r.waited = false, false
	if err := r.awaitDeletion(inUse, patience); err != nil {
		return "", &FenceLoweredError{err}
	}
	return "", nil
}

// step judges the account as it is and does what remains to be done.
func (r *releasing) step(a Account) (Outcome, error) {
	switch {
	case a.UID == r.UID && a.Shared, targetOf(r.Identity.Pool).Shared: // nothing was ever written for it
		return OutcomeShared, nil
	case r.leftBehind(a):
		return r.write(a, r.withoutRecord(), OutcomeNotHeld)
	case !r.holds(a):
		return OutcomeNotHeld, nil
	}
	record, recorded := a.Holds(r.key)
	if recorded && record.Owner != r.Owner {
		return "", &OwnerError{Identity: r.Identity, Account: a.Name, Recorded: record.Owner, Mine: r.Owner, Since: record.ClaimedAt}
	}
	others := len(a.Claims())
	if recorded {
		others--
	}
	switch {
	case a.Internal:
		return r.dropRecord(a, OutcomeInternal)
	case others > 0 || r.Mode == Keep:
		return r.dropRecord(a, OutcomeKept)
	case a.Dirty != Clean && a.Dirty != Releasing:
		return r.dropRecord(a, OutcomeAlreadyDirty)
	case r.Recorded && !recorded:
		return OutcomeUnrecorded, nil
	}
	return r.giveBack(a, record)
}

// giveBack does what is next for an account that no other claim is on: fence, wait, or finish.
func (r *releasing) giveBack(a Account, record Record) (Outcome, error) {
	r.up = r.up || a.Dirty == Releasing
	switch {
	case r.Mode == ReturnToPool && (!record.NewlyClaimed || r.Used):
		return "", &ReturnRefusedError{Account: a.Name, Used: record.NewlyClaimed}
	case a.Dirty == Clean:
		return r.fence(a)
	case r.Grace > 0 && (!r.waited || !record.ReleasingSince.Equal(r.fenced)): // not yet, or that was another fence
		r.fenced = record.ReleasingSince
		return "", errGrace
	}
	return r.finish(a)
}

// withoutRecord is the change that takes the claim's own record away, and nothing else.
func (r *releasing) withoutRecord() Change { return Change{Records: map[string]*Record{r.key: nil}} }

// dropRecord removes the claim's own record. A fence goes with it: the account stays in use, and the release that has set
// the fence finds it gone before it marks anything. All else stays.
func (r *releasing) dropRecord(a Account, outcome Outcome) (Outcome, error) {
	change := r.withoutRecord()
	if a.Dirty == Releasing {
		clean := Clean
		change.Dirty = &clean
	} else if _, ok := a.Records[r.key]; !ok {
		return outcome, nil
	}
	return r.write(a, change, outcome)
}

// write makes the change that ends the release.
func (r *releasing) write(a Account, change Change, outcome Outcome) (Outcome, error) {
	r.ended, r.outcome = func(now Account) bool { return change.arrivedOn(a, now) }, outcome
	result, _, err := r.pool.commit(r.ctx, r.operation, a, change)
	switch {
	case err != nil:
		return "", err
	case result == gone:
		return "", errGone
	case result != committed: // it did not arrive, and never will
		r.ended = nil
		return "", nil
	}
	return outcome, nil
}

// unused looks at all sources and returns an error where something uses the account, or where that is not known.
func (r *releasing) unused(account string, afterFence bool) error {
	defer r.timed("looking for clusters")()
	ctx, cancel := r.reading()
	defer cancel()
	users, err := r.pool.counter.Users(ctx, account)
	switch {
	case err != nil:
		return fmt.Errorf("whether clusters are on account %s is not known: %w", account, err)
	case len(users) > 0:
		return &InUseError{Account: account, Users: users, AfterFence: afterFence}
	}
	return nil
}

// fence makes sure that nothing uses the account, and stops new clusters from coming: KEB passes over an account with
// a dirty label, and the clean-up job waits for "true". Behind it the account is judged again as it is then.
func (r *releasing) fence(a Account) (Outcome, error) {
	if err := r.pool.mayWrite(r.operation); err != nil {
		return "", err
	}
	if err := r.unused(a.Name, false); err != nil {
		return "", err
	}
	result, fenced, err := r.sendFence(r.ctx, a)
	switch {
	case err != nil:
		return "", err
	case result == gone:
		return "", errGone
	case result != committed:
		return "", nil
	}
	r.waited = false // this is a new fence, whatever became of an earlier one
	return r.step(fenced)
}

// sendFence puts the fence up, and remembers that it may be up or still arrive.
func (r *releasing) sendFence(ctx context.Context, a Account) (commitResult, Account, error) {
	result, fenced, err := r.pool.commit(ctx, r.operation, a, r.mark(a, Releasing))
	if errors.As(err, new(*UnknownOutcomeError)) || result == unknown {
		r.late = a.Version
	}
	r.own = r.own || result == committed || r.late != ""
	r.up = r.up || r.own
	return result, fenced, err
}

// mark is the change that puts the fence up (Releasing) or takes it down (Clean), and notes since when it is up.
func (r *releasing) mark(a Account, dirt Dirt) Change {
	change := Change{Dirty: &dirt}
	if record, ok := a.Holds(r.key); ok && record.Version <= RecordVersion { // a newer one may say more than can be kept
		record.ReleasingSince = time.Time{}
		if dirt == Releasing {
			record.ReleasingSince = time.Now().UTC().Truncate(time.Second)
		}
		change.Records = map[string]*Record{r.key: &record}
	}
	return change
}

// finish looks once more, now that no new cluster can come, and then marks or frees the account.
func (r *releasing) finish(a Account) (Outcome, error) {
	if err := r.unused(a.Name, true); err != nil {
		return "", err
	}
	change, outcome := r.withoutRecord(), OutcomeDirtied
	dirt := Dirtied
	if r.Mode == ReturnToPool {
		dirt, outcome = Clean, OutcomeReturned
		unclaimed := ""
		change.Tenant = &unclaimed
	}
	change.Dirty = &dirt
	return r.write(a, change, outcome)
}

// abandon takes the fence down when the release cannot go on, also for a caller that has given up, and returns why it cannot.
// The account is looked at before each write; one that cannot be looked at keeps its fence. A last write that is there after
// all ends the release.
func (r *releasing) abandon(cause error) (Outcome, error) {
	r.lost = min(r.lost, retryBudget-3) // some answers may be lost on this way, too
	r.refused = 0
	for range maxTries {
		a, err := r.pool.look(r.operation, r.Account)
		switch {
		case errors.As(err, new(*NotFoundError)):
			return "", cause
		case err != nil:
			return "", r.fenceLeft(cause, err)
		case r.ended != nil && r.ended(a):
			return r.outcome, nil
		case !r.holds(a) || a.Dirty != Releasing && (a.Dirty != Clean || a.Version != r.late):
			return "", cause
		}
		ctx := r.detached()
		down, err := r.lower(ctx, a)
		if down {
			return "", &FenceLoweredError{cause}
		}
		if err != nil && (ctx != r.ctx || r.ctx.Err() == nil) {
			return "", r.fenceLeft(cause, err)
		}
	}
	return "", r.fenceLeft(cause, r.conflict(r.Account))
}

// fenceLeft says that the fence stays, or, where the answer to the last write was lost, that this is not known.
func (r *releasing) fenceLeft(cause, err error) error {
	lost := r.lastErr != nil || errors.As(cause, new(*UnknownOutcomeError))
	return &FenceLeftError{Account: r.Account, Cause: cause, Err: err, Ended: r.ended != nil && lost}
}

// lower takes the fence down; true = it is. Where a fence may still arrive at the version of a clean account, one is put up
// first: only one of the two takes effect.
func (r *releasing) lower(ctx context.Context, a Account) (down bool, err error) {
	if a.Dirty == Clean {
		_, _, err := r.sendFence(ctx, a)
		return false, err
	}
	result, _, err := r.pool.commit(ctx, r.operation, a, r.mark(a, Clean))
	return result == committed || result == gone, err
}

// leftBehind reports whether the claim's own record lies on an account that its tenant has lost. It must not come alive
// again should the same tenant be given the account once more.
func (r *releasing) leftBehind(a Account) bool {
	return a.UID == r.UID && a.strays(r.key, r.Owner) && a.Records[r.key].ClaimedAt.Unix() == r.ClaimedAt.Unix()
}

// holds reports whether the account is still the one that the claim was made on, and its tenant's.
func (r *releasing) holds(a Account) bool {
	return a.UID == r.UID && !a.Shared && a.Tenant == r.Identity.GlobalAccount
}
