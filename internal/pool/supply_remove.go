package pool

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// firstGonePoll is how long a removal waits before it looks whether the account is gone; each further wait is twice as
	// long, up to maxGonePoll.
	firstGonePoll = 100 * time.Millisecond
	maxGonePoll   = 5 * time.Second
)

// RemoveRequest takes an account out of the pool.
type RemoveRequest struct {
	Name, UID string
	Labels    []string // the keys of labels that the owner has written; they go where the object itself stays
	// WasDirty says that the account was marked dirty already when the caller decided. One that has come to be dirty since is not taken
	// out: the caller may be about to make it anew, and it would come back without its mark.
	WasDirty bool
	// Grace is how long the removal of a shared account goes on after it is gone: no label stops the broker, so one that chose the
	// account a moment before may still bring a cluster to it, or to another tenant's account that is made under its name at once.
	// 0 = no wait.
	Grace time.Duration
}

// Remove takes an account out of the pool that no tenant, claim or cluster has, and returns when it is gone. The context must
// have a deadline: something else may keep the object for long. Where accounts are objects of the user's the object stays, and
// the labels go that the owner has written. A shared account is gone for its grace time by then.
//
// Errors: [SupplyError], [ConflictError], [TimeoutError], those of [Store] and [Counter]. A [NotFoundError] says that the
// account was gone by itself, or that another one has its name.
func (p *Pool) Remove(ctx context.Context, req RemoveRequest) error {
	op := newOperation(ctx)
	defer op.end()
	shared := false
	err := p.remove(op, req, &shared)
	if err == nil && shared && req.Grace > 0 {
		err = p.outwait(op, req)
	}
	return op.result(err)
}

// outwait lets the grace time of a shared account pass that is gone.
func (p *Pool) outwait(op *operation, req RemoveRequest) error {
	defer op.timed("waiting for the grace time of a shared account")()
	if err := pause(op.ctx, req.Grace); err != nil {
		return fmt.Errorf("account %s is out of the pool, and its grace time of %s was interrupted, in which the broker may still bring a "+
			"cluster to it: %w", req.Name, req.Grace, err)
	}
	return nil
}

// remove notes whether the account that it takes out is shared.
func (p *Pool) remove(op *operation, req RemoveRequest, shared *bool) error {
	account, err := p.look(op, req.Name)
	for try := range maxTries {
		if err == nil && account.UID != req.UID {
			err = &NotFoundError{Account: req.Name, Anew: account.UID}
		}
		*shared = *shared || err == nil && account.Shared
		switch {
		case try > 0 && errors.As(err, new(*NotFoundError)): // also where the answer to the delete was lost
			return nil
		case err != nil:
			return err
		case account.Terminating && p.store.Made():
			return p.awaitGone(op, account)
		}
		if err := p.mayRemove(op, account); err != nil {
			return err
		}
		if account.unwiped() && !req.WasDirty {
			return &SupplyError{Account: account.Name, Tenant: account.Tenant, Obstacle: ObstacleDirty}
		}
		if !p.store.Made() {
			var done bool
			if account, done, err = p.unlabel(op, account, req); done {
				return nil
			}
			continue
		}
		if err := p.delete(op, account); err != nil {
			return err
		}
		account, err = p.look(op, req.Name)
	}
	return op.conflict(req.Name)
}

// MayReplace says why an account must not be taken out of the pool to be made anew, as things stand. It never writes. A dirty
// account, which may be taken out, waits for its wipe: made anew it would be free, with all that is in it.
//
// Errors: those of [Pool.Remove].
func (p *Pool) MayReplace(ctx context.Context, name, uid string) error {
	op := newOperation(ctx)
	defer op.end()
	account, err := p.look(op, name)
	switch {
	case errors.As(err, new(*NotFoundError)), err == nil && account.UID != uid:
		return nil
	case err == nil:
		err = p.mayReplace(op, account)
	}
	return op.result(err)
}

func (p *Pool) mayReplace(op *operation, a Account) error {
	if err := p.mayRemove(op, a); err != nil {
		return err
	}
	if a.unwiped() {
		return &SupplyError{Account: a.Name, Tenant: a.Tenant, Obstacle: ObstacleDirty}
	}
	return nil
}

// unwiped reports whether the account is out of circulation until it is wiped.
func (a *Account) unwiped() bool { return a.Dirty != Clean && a.Dirty != Quarantined }

// mayRemove judges the account as it is.
func (p *Pool) mayRemove(op *operation, a Account) error {
	if refused := a.keptBy(); refused != nil {
		return refused
	}
	return p.mustBeUnused(op, a.Name, PartWhole)
}

// keptBy says what on the account itself keeps it in the pool; nil = nothing. One that is marked dirty is not its tenant's any
// more, though the label stands: where the clean-up job does not come it would stay for ever.
func (a *Account) keptBy() *SupplyError {
	refused := &SupplyError{Account: a.Name, Tenant: a.Tenant, Internal: a.Internal, Claims: a.claimNames()}
	switch {
	case a.Dirty == Releasing:
		refused.Obstacle = ObstacleReleasing
	case len(refused.Claims) > 0:
		refused.Obstacle = ObstacleClaims
	case a.Tenant != "" && a.Dirty != Dirtied:
		refused.Obstacle = ObstacleTenant
	default:
		return nil
	}
	return refused
}

// MayRemove says, for a plan, what stands against taking an account out of the pool as it was last listed and counted. It never
// writes, and asks the server nothing that a refresh has just asked.
//
// Errors: [SupplyError], those of [Store] and [Counter].
func (p *Pool) MayRemove(ctx context.Context, req RemoveRequest) error {
	s, err := p.cache.recent(ctx)
	if err != nil {
		return err
	}
	a := s.account(req.Name)
	if a == nil || a.UID != req.UID || a.Terminating {
		return nil
	}
	if refused := a.keptBy(); refused != nil {
		return refused
	}
	switch n := s.counts.Clusters(a.Name); {
	case n > 0:
		return &SupplyError{Account: a.Name, Obstacle: ObstacleClusters, Counted: n}
	case a.unwiped() && !req.WasDirty:
		return &SupplyError{Account: a.Name, Tenant: a.Tenant, Obstacle: ObstacleDirty}
	}
	return nil
}

// delete deletes the account as it was judged. After a lost answer, or a refusal, it is to be judged by what there is then: the
// delete of an account that has not changed is sent again after a pause, as a write is.
func (p *Pool) delete(op *operation, judged Account) error {
	err := p.sendDelete(op, judged)
	op.refusal = nil
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(*UnknownOutcomeError)):
		return op.backoff(op.ctx, err)
	case !errors.As(err, new(*ConflictError)) && !errors.As(err, new(*BusyError)):
		return err
	}
	op.refusal = err
	now, lookErr := p.look(op, judged.Name)
	if lookErr == nil && now.UID == judged.UID && now.Version == judged.Version {
		return op.refuse(op.ctx, judged.Name)
	}
	return nil // the next look says what it is by now
}

func (p *Pool) sendDelete(op *operation, judged Account) error {
	defer op.timed("deleting account " + judged.Name)()
	return p.store.Delete(op.ctx, judged)
}

// unlabel makes an object of the user's no account any more. It returns the object as it is, where it has to be judged again.
func (p *Pool) unlabel(op *operation, a Account, req RemoveRequest) (Account, bool, error) {
	change, _ := Supply{Name: a.Name}.change(a, req.Labels)
	if change.isOn(a) {
		return a, true, nil
	}
	result, now, err := p.commit(op.ctx, op, a, change)
	return now, err == nil && (result == committed || result == gone), err
}

// awaitGone waits for the end of an account that is being deleted: Gardener keeps it while Shoots refer to it.
func (p *Pool) awaitGone(op *operation, a Account) error {
	defer op.timed("waiting until account " + a.Name + " is gone")()
	var failed error // the last look; nil = it has not
	for pause := firstGonePoll; ; pause = min(2*pause, maxGonePoll) {
		select {
		case <-time.After(pause):
		case <-op.ctx.Done():
			ended := context.Cause(op.ctx)
			if failed != nil {
				ended = fmt.Errorf("%w; the last look failed: %w", ended, failed)
			}
			return &SupplyError{Account: a.Name, Obstacle: ObstacleDeleting, Err: ended}
		}
		now, err := p.read(op.ctx, a.Name)
		switch {
		case errors.As(err, new(*NotFoundError)), err == nil && now.UID != a.UID:
			return nil
		case op.ctx.Err() != nil: // it was cut off
			continue
		case err != nil && !passes(err):
			return err
		}
		failed = err
	}
}
