package pool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	// firstGonePoll is how long a removal waits before it reads whether the account is gone; each further wait is twice as
	// long, up to maxGonePoll.
	firstGonePoll = 100 * time.Millisecond
	maxGonePoll   = 5 * time.Second
)

// RemoveRequest takes an account out of the pool.
type RemoveRequest struct {
	Name, UID string
	Labels    []string // the keys of labels that the owner has written; they go where the object itself stays
	// Alone says that the caller makes no account in the place of this one. Then an account that is marked dirty may go: it is its owner's
	// again, with all that is in it. Otherwise it would come back without its mark, and is not taken out.
	Alone bool
	// Unwiped is called with an account that leaves the pool with its mark dirty; nil = the caller does not ask.
	Unwiped func(Account)
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
	m := newRemoving(req, p.store.OwnsObjects())
	if err := p.engine(op, "", 0, nil).run(m); err != nil {
		return op.result(err)
	}
	last, shared := m.removed()
	req.tell(last)
	if shared && req.Grace > 0 {
		return op.result(p.outwait(op, req))
	}
	return nil
}

// tell calls Unwiped where the account that leaves is marked dirty.
func (r RemoveRequest) tell(a Account) {
	if a.unwiped() && r.Unwiped != nil {
		r.Unwiped(a)
	}
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

// MayReplace says why an account must not be taken out of the pool to be made anew now. It never writes. A dirty
// account, which may be taken out, waits for its wipe: made anew it would be free, with all that is in it. One with quotas is only
// replaced where its owner says what quotas the new one has.
//
// Errors: those of [Pool.Remove].
func (p *Pool) MayReplace(ctx context.Context, name, uid string, by Supply) error {
	op := newOperation(ctx)
	defer op.end()
	return op.result(p.engine(op, "", 0, nil).run(newReplacing(name, uid, p.store.OwnsObjects(), by)))
}

// unwiped reports whether the account is out of circulation until it is wiped.
func (a *Account) unwiped() bool { return a.Dirty != Clean && a.Dirty != Quarantined }

// keptBy says what on the account itself keeps it in the pool; nil = nothing. One that is marked dirty is not its tenant's any
// more, though the label is there: where the clean-up job does not come it would stay for ever.
func (a *Account) keptBy() *SupplyError {
	refused := &SupplyError{Account: a.Name, Tenant: a.Tenant, Internal: a.Internal, Claims: a.claimNames()}
	switch {
	case a.Dirty == Releasing:
		refused.Obstacle = ObstacleReleasing
	case len(refused.Claims) > 0:
		refused.Obstacle = ObstacleClaims
	case len(a.Unreadable) > 0:
		refused.Obstacle, refused.Claims = ObstacleUnreadable, a.Unreadable
	case a.Tenant != "" && a.Dirty != Dirtied:
		refused.Obstacle = ObstacleTenant
	default:
		return nil
	}
	return refused
}

// MayRemove says, for a plan, what prevents an account from leaving the pool as it was last listed and counted. It never
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
	if err := req.refusal(s.whole(a), s.counts.Clusters(a.Name)); err != nil {
		return err
	}
	req.tell(*a)
	return nil
}

// refusal says why an account must not leave the pool, as it was last listed and counted; nil = it may.
func (r RemoveRequest) refusal(a *Account, clusters int) error {
	if refused := a.keptBy(); refused != nil {
		return refused
	}
	if err := a.uncovered(); err != nil {
		return err
	}
	if clusters > 0 && !a.represented() {
		return &SupplyError{Account: a.Name, Obstacle: ObstacleClusters, Counted: clusters}
	}
	return r.unwiped(a)
}

// unwiped says that an account which is marked dirty must not come back without its mark; nil = it may go.
func (r RemoveRequest) unwiped(a *Account) error {
	if a.unwiped() && !r.Alone {
		return &SupplyError{Account: a.Name, Tenant: a.Tenant, Obstacle: ObstacleDirty}
	}
	return nil
}

// delete deletes the account as it was judged. After a lost answer, or a refusal, it is to be judged by what there is then: the
// delete of an account that has not changed is sent again after a pause, as a write is.
func (p *Pool) delete(op *operation, judged Account) error {
	err := p.sendDelete(op, judged)
	op.refusal = nil
	lost := errors.As(err, new(*UnknownOutcomeError))
	switch {
	case err == nil:
		return nil
	case lost:
	case !errors.As(err, new(*ConflictError)) && !errors.As(err, new(*BusyError)):
		return err
	default:
		op.refusal = err
	}
	now, lookErr := p.look(op, judged.Name)
	stands := lookErr == nil && now.UID == judged.UID && now.Version == judged.Version
	switch {
	case lost && lookErr != nil && !errors.As(lookErr, new(*NotFoundError)):
		return errors.Join(op.backoff(op.ctx, err), lookErr)
	case lost && stands:
		return op.backoff(op.ctx, looked(err))
	case stands:
		return op.refuse(op.ctx, judged.Name)
	}
	return nil // the next read says what it is by now
}

func (p *Pool) sendDelete(op *operation, judged Account) error {
	defer op.timed("deleting account " + judged.Name)()
	return p.store.Delete(op.ctx, judged)
}

// awaitGone waits for the end of an account that is being deleted: Gardener keeps it while Shoots refer to it.
func (e *engine) awaitGone(a Account) error {
	op := e.op
	defer op.timed(strings.TrimSuffix("waiting until account "+a.Name+" is gone, "+a.Held, ", "))()
	var failed error // the last read; nil = it has not
	for pause := firstGonePoll; ; pause = min(2*pause, maxGonePoll) {
		select {
		case <-time.After(pause):
		case <-op.ctx.Done():
			ended := context.Cause(op.ctx)
			if failed != nil {
				ended = fmt.Errorf("%w; the last look failed: %w", ended, failed)
			}
			return &SupplyError{Account: a.Name, Obstacle: ObstacleDeleting, Held: a.Held, Err: ended}
		}
		now, err := e.pool.read(op.ctx, a.Name)
		switch {
		case errors.As(err, new(*NotFoundError)), err == nil && now.UID != a.UID:
			return nil
		case op.ctx.Err() != nil: // it was cut off
			continue
		case err != nil && !passes(err):
			return err
		case err == nil:
			a = now
		}
		failed = err
	}
}
