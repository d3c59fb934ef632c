package pool

import (
	"context"
	"errors"
	"fmt"
)

// engine does the steps of one operation. It alone knows of deadlines, locks and pauses; what a lost answer means is said in [Pool.commit].
type engine struct {
	pool     *Pool
	op       *operation
	patience *patience
	tenant   string // whose operations in this process go one after the other; empty = it is no tenant's
	unlock   func() // nil = the lock is not held
	cleaning bool   // the operation cleans up
	writes   int    // since the last wait for others
	reserved string // the cloud account that is kept from the other claims of this process; empty = none is
	placed   bool   // the claim has a place on a shared account, whether it is made there or not
}

// run does the steps of an operation until its end.
func (e *engine) run(p protocol) error {
	defer e.release()
	for {
		did, busy := e.decide(p)
		switch s := did.(type) {
		case stepConflict:
			return e.fails(p, e.op.conflict(s.account))
		case stepDone:
			if s.err == nil {
				return nil
			}
			err := e.fails(p, s.err)
			if s.again {
				e.release()
				err = e.patience.retry(err)
			}
			if err != nil {
				return err
			}
			p.learn(did, answer{})
		default:
			if busy != nil {
				if err := e.awaitOther(busy); err != nil {
					return e.fails(p, err)
				}
				continue
			}
			p.learn(did, e.do(p, did))
			e.unreserve()
		}
	}
}

// decide asks the operation for its next step, by what the process knows. An account that the step takes is kept from the other claims of
// this process until it is done; where another one has it, busy is closed at the next change, and the operation is asked again.
func (e *engine) decide(p protocol) (did step, busy <-chan struct{}) {
	c := e.pool.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	did = p.next(c.view())
	switch s := did.(type) {
	case stepShare:
		e.placed = true
		c.take(p.key(), s.account, s.cluster)
	case stepPlace: // in the moment in which the account is chosen: the next claim to choose has to see the place
		c.take(p.key(), s.account, s.cluster)
	case stepWrite:
		if s.to != writeClaim {
			break
		}
		name := c.newest.countedAs(&s.judged)
		if by, reserved := c.pending[name]; reserved && by != p.key() {
			return did, c.changed
		}
		c.pending[name], e.reserved = p.key(), name
	}
	return did, nil
}

// unreserve leaves the account to the other claims of this process.
func (e *engine) unreserve() {
	if e.reserved == "" {
		return
	}
	c := e.pool.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, e.reserved)
	e.reserved = ""
	c.notify()
}

// awaitOther waits for another claim of this process, which is about to take the same account. It may not get it; and a claim that went on
// to the next account could miss a claim of the same tenant elsewhere, which is to end on this one too.
func (e *engine) awaitOther(busy <-chan struct{}) error {
	defer e.op.timed("waiting for another claim on the same account")()
	select {
	case <-busy:
		return nil
	case <-e.op.ctx.Done():
		return context.Cause(e.op.ctx)
	}
}

// fails takes back the place of a claim that is not made. As long as a write of the operation is in doubt its error says so.
func (e *engine) fails(p protocol, err error) error {
	if e.placed {
		e.placed = false
		e.pool.cache.unplace(p.key())
	}
	return e.op.withLost(err)
}

// do does one step.
func (e *engine) do(p protocol, did step) answer {
	switch s := did.(type) {
	case stepGrace:
		e.release()
		return answer{err: e.waitGrace(s)}
	case stepAwait:
		e.release()
		e.writes, e.cleaning = 0, false
		return answer{err: e.fails(p, e.patience.wait(s.what, s.over))}
	}
	ctx, cancel := e.op.reading()
	defer cancel()
	if p.cleansUp() {
		ctx = e.cleanUp()
	}
	if err := e.hold(ctx); err != nil {
		return answer{err: err}
	}
	switch s := did.(type) {
	case stepRead:
		return e.read(ctx, s.account, p.key())
	case stepShare:
		return e.read(ctx, s.account.Name, p.key())
	case stepUsers:
		defer e.op.timed("looking for clusters")()
		users, err := e.pool.counter.Users(ctx, s.bindings...)
		return answer{users: users, err: err}
	case stepEmpty:
		return answer{empty: e.pool.empty(e.op, s.account)}
	case stepWrite:
		if !p.cleansUp() {
			ctx = e.op.ctx
		}
		return e.write(ctx, s)
	case stepCreate:
		return e.create(s)
	case stepDelete:
		if e.writes++; e.writes > maxTries {
			return answer{err: e.op.conflict(s.judged.Name)}
		}
		return answer{err: e.pool.delete(e.op, s.judged)}
	case stepGone:
		return answer{err: e.awaitGone(s.account)}
	case stepFindCredentials:
		return answer{err: e.pool.store.FindCredentials(ctx, s.ref)}
	case stepPlace:
		return answer{} // the place was taken with the decision
	}
	err := e.find(ctx, did)
	return answer{list: e.pool.cache.snapshot(), err: err}
}

// find asks for what all operations of the process share.
func (e *engine) find(ctx context.Context, did step) error {
	cache := e.pool.cache
	switch s := did.(type) {
	case stepAllowed:
		return e.pool.mayWrite(e.op)
	case stepRecent:
		return e.pool.recent(e.op)
	case stepList:
		defer e.op.timed("listing")()
		return cache.relist(ctx, s.notBefore)
	case stepCount:
		defer e.op.timed("listing and counting")()
		_, err := cache.load(ctx, s.notBefore)
		return err
	case stepBeside:
		defer e.op.timed("looking for clusters on a free account")()
		return cache.lookBeside(ctx, s.notBefore)
	}
	panic(fmt.Sprintf("no such step: %T", did))
}

// cleanUp returns the context of a step that goes on although the caller has given up. Some answers may be lost on this way, too.
func (e *engine) cleanUp() context.Context {
	if !e.cleaning {
		e.cleaning = true
		e.op.lost, e.op.refused = min(e.op.lost, retryBudget-3), 0
	}
	return e.op.detached()
}

// hold takes the lock of the tenant, unless the operation has it. No wait holds it, and what cleans up does not wait for it.
func (e *engine) hold(ctx context.Context) (err error) {
	if e.unlock != nil || e.cleaning || e.tenant == "" {
		return nil
	}
	defer e.op.timed("waiting for other claims of Global Account " + e.tenant)()
	e.unlock, err = e.pool.tenants.lock(ctx, e.tenant)
	return err
}

func (e *engine) release() {
	if e.unlock != nil {
		e.unlock()
		e.unlock = nil
	}
}

func (e *engine) read(ctx context.Context, name, key string) answer {
	defer e.op.timed("reading account " + name)()
	account, err := e.pool.read(ctx, name)
	if errors.As(err, new(*NotFoundError)) {
		return answer{gone: true}
	}
	made, placed := e.pool.cache.placement(key)
	return answer{account: account, err: err, placed: placed && made == name}
}

func (e *engine) write(ctx context.Context, s stepWrite) answer {
	if e.writes++; e.writes > maxTries {
		return answer{err: e.op.conflict(s.judged.Name)}
	}
	result, now, err := e.pool.commit(ctx, e.op, s.judged, s.change, s.after)
	if s.aside {
		e.op.lastErr = nil
	}
	if refused := refusesAccount(err); refused != nil && s.to == writeClaim {
		e.pool.cache.noteUnwritable(&s.judged, refused)
	}
	return answer{account: now, gone: result == gone, changed: result == changed, unknown: result == unknown, err: err}
}

// waitGrace lets the grace time of a fence pass, in which other claims of the tenant go on.
func (e *engine) waitGrace(s stepGrace) error {
	if err := pause(e.op.ctx, s.grace); err != nil {
		return fmt.Errorf("interrupted while the fence on account %s stood for its grace time of %s: %w", s.account, s.grace, err)
	}
	return nil
}

// create makes an account. What a failure means is judged by what there is then.
func (e *engine) create(s stepCreate) answer {
	op, name := e.op, s.supply.Name
	if e.writes++; e.writes > maxTries {
		return answer{err: op.conflict(name)}
	}
	if op.ctx.Err() != nil {
		return answer{err: context.Cause(op.ctx)}
	}
	made, err := e.pool.send(op, s.supply)
	e.pool.made.note(s.supply.Credentials.Ref) // also where the answer was lost
	exists, lost := errors.As(err, new(*ExistsError)), errors.As(err, new(*UnknownOutcomeError))
	refused := errors.As(err, new(*BusyError)) || errors.As(err, new(*ConflictError))
	if !lost && !exists && !refused {
		return answer{account: made, err: err}
	}
	there, lookErr := e.pool.look(op, name)
	missing := errors.As(lookErr, new(*NotFoundError))
	switch {
	case lookErr != nil && !missing:
		return answer{err: errors.Join(err, lookErr)}
	case lookErr == nil && !refused:
		return answer{account: there, changed: exists, unknown: lost}
	case lost:
		return answer{gone: true, unknown: true, err: op.backoff(op.ctx, looked(err))}
	case refused:
		op.refusal = err
		return answer{gone: true, changed: true, err: op.refuse(op.ctx, name)}
	}
	return answer{gone: true, changed: true} // the other object has gone again
}
