package pool

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Mode says what becomes of the account when its last claim ends.
type Mode string

// The modes of a release.
const (
	// MarkDirty: the account keeps its tenant and is marked dirty; the clean-up job wipes it and frees it.
	MarkDirty Mode = "mark_dirty"
	// ReturnToPool: the account is free at once; only for one that this claim itself took and that nobody has seen used.
	ReturnToPool Mode = "return_to_pool"
	// Keep: the account stays with the tenant; only the claim's own record goes.
	Keep Mode = "keep"
)

// Outcome says how a release ended.
type Outcome string

// The outcomes of a release.
const (
	// OutcomeDirtied: the account is marked dirty.
	OutcomeDirtied Outcome = "dirtied"
	// OutcomeReturned: the account is free again.
	OutcomeReturned Outcome = "returned"
	// OutcomeKept: the account stays with the tenant, by wish or because other claims stand on it.
	OutcomeKept Outcome = "kept"
	// OutcomeShared: the account is shared; nothing was written.
	OutcomeShared Outcome = "shared"
	// OutcomeAlreadyDirty: the account was dirty before; only the record went.
	OutcomeAlreadyDirty Outcome = "already dirty"
	// OutcomeNotHeld: the account is gone, recreated, free or another tenant's; nothing was written but that the claim's
	// void record went from a free one.
	OutcomeNotHeld Outcome = "not held"
	// OutcomeUnrecorded: the claim's record is gone though the tenant still holds the account: the claim was released
	// before, or somebody has removed the record. Nothing was written.
	OutcomeUnrecorded Outcome = "unrecorded"
	// OutcomeReplaced: this run has made the same claim anew on this account, so it goes on; nothing was written.
	OutcomeReplaced Outcome = "replaced"
)

// ReleaseRequest ends one claim.
type ReleaseRequest struct {
	Identity Identity
	// Account and UID are those of the account that the claim stands on.
	Account, UID string
	Mode         Mode
	// Owner is the owner as this side knows it; a claim recorded by anybody else is left alone.
	Owner string
	// Used says that clusters were seen on the account while the claim stood.
	Used bool
	// Recorded says that the claim's record was seen on the account, or written there. Without it the account is not the
	// claim's any more, whoever holds it.
	Recorded bool
	// Grace is how long the fence stands before the last look: whoever chose the account a moment before the fence may
	// still bring a cluster to it. 0 = no wait.
	Grace time.Duration
}

// Release ends a claim: nothing is marked or freed while a cluster uses the account, and between
// the last look and the mark stands a fence. Whatever a crash leaves behind, the same call finishes.
//
// Errors: [InUseError], [ReturnRefusedError], [OwnerError], those of [Store] and [Counter]; after an error the claim stands as
// before, at worst with the fence still up, which the next call takes on.
func (p *Pool) Release(ctx context.Context, req ReleaseRequest) (Outcome, error) {
	ctx, cancel := within(ctx)
	defer cancel()
	r := releasing{pool: p, ReleaseRequest: req, key: req.Identity.Key()}
	for range maxTries {
		outcome, done, err := r.round(ctx)
		switch {
		case errors.Is(err, errGone):
			return OutcomeNotHeld, nil
		case errors.Is(err, errGrace):
			if outcome, err = r.wait(ctx); err != nil {
				return outcome, err
			}
		case done || err != nil:
			return outcome, err
		}
	}
	return "", &ConflictError{Account: req.Account, Tries: maxTries}
}

var (
	// errGone says that the account is gone. What a [Counter] cannot find is something else.
	errGone = errors.New("the account is gone")
	// errGrace says that the fence stands and has to stand for a while.
	errGrace = errors.New("the fence has just been put up")
)

// releasing is one release on its way.
type releasing struct {
	ReleaseRequest
	pool   *Pool
	key    string
	waited bool      // the grace time is over
	fenced time.Time // since when the fence stood for which it was waited; zero = its record does not say
	losses losses
}

// round reads the account anew and does what remains to be done.
func (r *releasing) round(ctx context.Context) (Outcome, bool, error) {
	unlock, err := r.pool.tenants.lock(ctx, r.Identity.GlobalAccount)
	if err != nil {
		return "", false, err
	}
	defer unlock()
	if account, made := r.pool.madeHere(r.Identity); made && account == r.Account {
		return OutcomeReplaced, true, nil
	}
	account, err := r.pool.read(ctx, r.Account)
	var gone *NotFoundError
	if errors.As(err, &gone) {
		err = errGone
	}
	if err != nil {
		return "", false, err
	}
	return r.step(ctx, account)
}

// wait lets the grace time pass, in which other claims of the tenant go on. Whoever gives up meanwhile gets the fence
// taken down again.
func (r *releasing) wait(ctx context.Context) (Outcome, error) {
	r.waited = true
	select {
	case <-time.After(r.Grace):
		return "", nil
	case <-ctx.Done():
	}
	cause := fmt.Errorf("interrupted while the fence on account %s stood for its grace time of %s: %w", r.Account, r.Grace, context.Cause(ctx))
	account, err := r.pool.readAnyway(ctx, r.Account)
	if err != nil {
		return "", r.stuck(err, cause)
	}
	outcome, _, err := r.unfence(ctx, account, cause)
	return outcome, err
}

// step judges the account as it stands and does what remains to be done. When a write is lost to somebody else it
// returns false, and the account is read and judged anew.
func (r *releasing) step(ctx context.Context, a Account) (Outcome, bool, error) {
	switch {
	case a.UID == r.UID && a.Shared, targetOf(r.Identity.Pool).Shared: // nothing was ever written for it
		return OutcomeShared, true, nil
	case r.leftBehind(a):
		return r.dropRecord(ctx, a, OutcomeNotHeld)
	case !r.holds(a):
		return OutcomeNotHeld, true, nil
	}
	record, recorded := a.Holds(r.key)
	if recorded && record.Owner != r.Owner {
		return "", false, &OwnerError{Identity: r.Identity, Account: a.Name, Recorded: record.Owner, Mine: r.Owner, Since: record.ClaimedAt}
	}
	others := len(a.Claims())
	if recorded {
		others--
	}
	switch {
	case others > 0 || r.Mode == Keep:
		return r.dropRecord(ctx, a, OutcomeKept)
	case a.Dirty != Clean && a.Dirty != Releasing:
		return r.dropRecord(ctx, a, OutcomeAlreadyDirty)
	case r.Recorded && !recorded:
		return OutcomeUnrecorded, true, nil
	case r.Mode == ReturnToPool && (!record.NewlyClaimed || record.Used || r.Used):
		refusal := &ReturnRefusedError{Account: a.Name, Used: record.NewlyClaimed}
		if a.Dirty == Releasing {
			return r.unfence(ctx, a, refusal)
		}
		return "", false, refusal
	case a.Dirty == Clean:
		return r.fence(ctx, a)
	case r.Grace > 0 && (!r.waited || !record.ReleasingSince.Equal(r.fenced)): // not yet, or that was another fence
		r.fenced = record.ReleasingSince
		return "", false, errGrace
	}
	return r.finish(ctx, a)
}

// dropRecord removes the claim's own record. A fence goes with it: the account stays in use, and whoever has set the
// fence finds it gone before anything is marked. All else stays.
func (r *releasing) dropRecord(ctx context.Context, a Account, outcome Outcome) (Outcome, bool, error) {
	change := Change{Records: map[string]*Record{r.key: nil}}
	if a.Dirty == Releasing {
		clean := Clean
		change.Dirty = &clean
	} else if _, ok := a.Records[r.key]; !ok {
		return outcome, true, nil
	}
	if _, ok, err := r.write(ctx, a, change); err != nil || !ok {
		return "", false, err
	}
	return outcome, true, nil
}

// fence makes sure that nothing uses the account, and stops new clusters from coming: KEB passes over an account with
// a dirty label, and the clean-up job waits for "true". Behind it the account is judged again as it stands then.
func (r *releasing) fence(ctx context.Context, a Account) (Outcome, bool, error) {
	if err := r.pool.mayWrite(ctx); err != nil {
		return "", false, err
	}
	users, err := r.users(ctx, a.Name)
	if err != nil {
		return "", false, err
	}
	if len(users) > 0 {
		r.pool.noteUsed(ctx, a, r.key, &r.losses) // also where its end is to be another one by then
		return "", false, &InUseError{Account: a.Name, Users: users}
	}
	fenced, ok, err := r.write(ctx, a, r.mark(a, Releasing))
	if err != nil || !ok {
		return "", false, err
	}
	r.waited = false // this is a new fence, whatever became of an earlier one
	return r.step(ctx, fenced)
}

// finish looks once more, now that no new cluster can come, and then marks or frees the account.
func (r *releasing) finish(ctx context.Context, a Account) (Outcome, bool, error) {
	users, err := r.users(ctx, a.Name)
	if err != nil {
		return r.unfence(ctx, a, err)
	}
	if len(users) > 0 {
		r.Used = true
		return r.unfence(ctx, a, &InUseError{Account: a.Name, Users: users, AfterFence: true})
	}
	change, outcome := Change{Records: map[string]*Record{r.key: nil}}, OutcomeDirtied
	dirt := Dirtied
	if r.Mode == ReturnToPool {
		dirt, outcome = Clean, OutcomeReturned
		nobody := ""
		change.Tenant = &nobody
	}
	change.Dirty = &dirt
	_, ok, err := r.write(ctx, a, change)
	if err != nil && !errors.Is(err, errGone) {
		return r.unfence(ctx, a, err)
	}
	return outcome, ok, err
}

// unfence takes the fence back when the release cannot go on, also for a caller who has given up. It returns the cause.
func (r *releasing) unfence(ctx context.Context, a Account, cause error) (Outcome, bool, error) {
	for range maxTries {
		if !r.holds(a) || a.Dirty != Releasing {
			return "", false, cause
		}
		still := lasting(ctx)
		now, ok, err := r.write(still, a, r.mark(a, Clean))
		switch {
		case ok, errors.Is(err, errGone):
			return "", false, cause
		case err != nil && (still != ctx || ctx.Err() == nil):
			return "", false, r.stuck(err, cause)
		case now.UID != "": // somebody else wrote in between, or the call ended and its tail is left
			a = now
		}
	}
	return "", false, r.stuck(&ConflictError{Account: a.Name, Tries: maxTries}, cause)
}

// mark is the change that puts the fence up (Releasing) or takes it down (Clean), and notes since when it stands.
func (r *releasing) mark(a Account, dirt Dirt) Change {
	change := Change{Dirty: &dirt}
	if record, ok := a.Holds(r.key); ok && record.Version <= RecordVersion { // a newer one may say more than can be kept
		record.ReleasingSince, record.Used = time.Time{}, record.Used || r.Used
		if dirt == Releasing {
			record.ReleasingSince = time.Now().UTC().Truncate(time.Second)
		}
		change.Records = map[string]*Record{r.key: &record}
	}
	return change
}

// stuck says that the fence could not be taken down, and why the release had not gone on before.
func (r *releasing) stuck(err, cause error) error {
	return errors.Join(&FenceLeftError{Account: r.Account, Err: err}, cause)
}

func (r *releasing) write(ctx context.Context, judged Account, change Change) (Account, bool, error) {
	now, ok, err := r.pool.write(ctx, judged, change, &r.losses)
	var gone *NotFoundError
	if errors.As(err, &gone) {
		err = errGone
	}
	return now, ok, err
}

// leftBehind reports whether the claim's void record lies on an account that was stripped of its labels. It must not
// come alive again should the same tenant be given the account once more.
func (r *releasing) leftBehind(a Account) bool {
	record, ok := a.Records[r.key]
	return ok && a.UID == r.UID && !a.Shared && a.Tenant == "" && a.Dirty == Clean && record.GlobalAccount == r.Identity.GlobalAccount && record.Owner == r.Owner
}

// holds reports whether the account is still the one that the claim stands on, and its tenant's.
func (r *releasing) holds(a Account) bool {
	return a.UID == r.UID && !a.Shared && a.Tenant == r.Identity.GlobalAccount
}

func (r *releasing) users(ctx context.Context, account string) ([]User, error) {
	users, err := r.pool.counter.Users(ctx, account)
	if err != nil {
		return nil, fmt.Errorf("nobody knows whether clusters are on account %s: %w", account, err)
	}
	return users, nil
}
