package pool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// engine does the steps of one operation. It alone knows of deadlines, locks and pauses; what a lost answer means is said in [Pool.commit].
type engine struct {
	pool     *Pool
	op       *operation
	patience *patience
	tenant   string // whose operations in this process go one after the other; empty = it is no tenant's
	unlock   func() // nil = the lock is not held
	turn     bool   // it is its turn to write
	cleaning bool   // the operation cleans up
	writes   int    // since the last wait for others
	reserved string // the cloud account that is kept from the other claims of this process; empty = none is
	placed   bool   // the claim has a place on a shared account, whether it is made there or not
}

// run does the steps of an operation until its end.
func (e *engine) run(p protocol.Steps) error {
	defer e.release()
	for {
		did, busy := e.decide(p)
		switch s := did.(type) {
		case protocol.GiveUp:
			return e.fails(p, e.op.givenUp(s.Account, s.Tries))
		case protocol.Done:
			if s.Err == nil {
				return nil
			}
			err := e.fails(p, s.Err)
			if s.Again {
				e.release()
				err = e.patience.retry(err)
			}
			if err != nil {
				return err
			}
			p.Learn(did, protocol.Answer{})
		default:
			if busy != nil {
				if err := e.awaitOther(busy); err != nil {
					return e.fails(p, err)
				}
				p.Waited()
				continue
			}
			if came, again := e.inTurn(p, did); !again {
				p.Learn(did, came)
			}
		}
	}
}

// decide asks the operation for its next step, by what the process knows. An account that the step takes is kept from the other claims of
// this process until it is done; where another one has it, busy is closed at the next change, and the operation is asked again.
func (e *engine) decide(p protocol.Steps) (did protocol.Step, busy <-chan struct{}) {
	c := e.pool.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	did = p.Next(c.facts())
	switch s := did.(type) {
	case protocol.Share:
		e.placed = true
		c.take(p.Key(), s.Account, s.Cluster)
	case protocol.Place: // in the moment in which the account is chosen: the next claim to choose has to see the place
		c.take(p.Key(), s.Account, s.Cluster)
	case protocol.Write:
		if s.To != protocol.ToClaim {
			break
		}
		name := c.newest.CountedAs(&s.Judged)
		if by, reserved := c.pending[name]; reserved && by != p.Key() {
			return did, c.changed
		}
		c.pending[name], e.reserved = p.Key(), name
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
func (e *engine) fails(p protocol.Steps, err error) error {
	if e.placed {
		e.placed = false
		e.pool.cache.unplace(p.Key())
	}
	return e.op.withLost(err)
}

// do does one step, unless it had to wait for another operation of its tenant: then again says so.
func (e *engine) do(p protocol.Steps, did protocol.Step) (came protocol.Answer, again bool) {
	switch s := did.(type) {
	case protocol.AwaitGrace:
		e.release()
		return protocol.Answer{Err: e.waitGrace(s)}, false
	case protocol.Await:
		e.release()
		e.writes, e.cleaning = 0, false
		return protocol.Answer{Err: e.fails(p, e.patience.wait(s.What, s.Due, s.Over))}, false
	}
	ctx, cancel := e.op.reading()
	defer cancel()
	if p.CleansUp() {
		ctx = e.cleanUp()
	}
	if waited, err := e.hold(ctx); err != nil || waited {
		return protocol.Answer{Err: err}, err == nil
	}
	return e.ask(ctx, p, did), false
}

// ask asks the world, while the operation has the lock of its tenant.
func (e *engine) ask(ctx context.Context, p protocol.Steps, did protocol.Step) protocol.Answer {
	switch s := did.(type) {
	case protocol.Read:
		return e.read(ctx, s.Account, p.Key())
	case protocol.Share:
		return e.read(ctx, s.Account.Name, p.Key())
	case protocol.FindUsers:
		defer e.op.timed("counting clusters")()
		users, err := e.pool.users(ctx, s.Bindings)
		return protocol.Answer{Users: users, Err: err}
	case protocol.CheckEmpty:
		return protocol.Answer{Empty: e.pool.empty(e.op, s.Account)}
	case protocol.Write:
		if !p.CleansUp() {
			ctx = e.op.ctx
		}
		return e.write(ctx, s)
	case protocol.Create:
		return e.create(s)
	case protocol.Delete:
		if e.writes++; e.writes > maxTries {
			return protocol.Answer{Err: e.op.conflict(s.Judged.Name)}
		}
		return protocol.Answer{Err: e.pool.delete(e.op, s.Judged)}
	case protocol.AwaitGone:
		e.endTurn()
		return protocol.Answer{Err: e.awaitGone(s.Account)}
	case protocol.FindCredentials:
		found, err := e.pool.store.FindCredentials(ctx, s.Ref)
		return protocol.Answer{Account: found, Err: err}
	case protocol.FindOutside:
		outside, err := e.pool.store.Outside(ctx, []account.Account{{Credentials: &account.Credentials{Ref: s.Ref}}})
		return protocol.Answer{Outside: outside, Err: err}
	case protocol.Place:
		return protocol.Answer{} // the place was taken with the decision
	}
	err := e.find(ctx, did)
	return protocol.Answer{List: e.pool.cache.snapshot(), Err: err}
}

// find asks for what all operations of the process share.
func (e *engine) find(ctx context.Context, did protocol.Step) error {
	cache := e.pool.cache
	switch s := did.(type) {
	case protocol.AskRight:
		return e.pool.mayWrite(e.op)
	case protocol.Recent:
		return e.pool.recent(e.op)
	case protocol.List:
		defer e.op.timed("listing")()
		return cache.relist(ctx, s.NotBefore)
	case protocol.Count:
		defer e.op.timed("listing and counting")()
		_, err := cache.load(ctx, s.NotBefore)
		return err
	case protocol.CountBeside:
		defer e.op.timed("counting clusters on a free account")()
		return cache.countBeside(ctx, s.NotBefore)
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

// hold takes the lock of the tenant, unless the operation has it, and reports whether it had to wait. No wait for others holds it, and what
// cleans up does not wait for it.
func (e *engine) hold(ctx context.Context) (waited bool, err error) {
	if e.unlock != nil || e.cleaning || e.tenant == "" {
		return false, nil
	}
	defer e.op.timed("waiting for other claims of Global Account " + e.tenant)()
	e.unlock, waited, err = e.pool.tenants.lock(ctx, e.tenant)
	return waited, err
}

func (e *engine) release() {
	e.endTurn()
	if e.unlock != nil {
		e.unlock()
		e.unlock = nil
	}
}

func (e *engine) read(ctx context.Context, name, key string) protocol.Answer {
	defer e.op.timed("reading account " + name)()
	a, err := e.pool.read(ctx, name)
	if errors.As(err, new(*account.NotFoundError)) {
		return protocol.Answer{Gone: true}
	}
	made, placed := e.pool.cache.placement(key)
	return protocol.Answer{Account: a, Err: err, Placed: placed && made == name}
}

func (e *engine) write(ctx context.Context, s protocol.Write) protocol.Answer {
	if e.writes++; e.writes > maxTries {
		return protocol.Answer{Err: e.op.conflict(s.Judged.Name)}
	}
	if s.To == protocol.ToFence {
		defer e.pool.crowd.fences()()
	}
	result, now, err := e.pool.commit(ctx, e.op, s.Judged, s.Change, s.After)
	if s.Aside {
		e.op.lastErr = nil
	}
	if refused := protocol.RefusesAccount(err); refused != nil && s.To == protocol.ToClaim {
		e.pool.cache.noteUnwritable(&s.Judged, refused)
	}
	return protocol.Answer{Account: now, Gone: result == gone, Changed: result == changed, Unknown: result == unknown, Err: err}
}

// waitGrace lets the grace time of a fence pass, in which other claims of the tenant go on.
func (e *engine) waitGrace(s protocol.AwaitGrace) error {
	if err := pause(e.op.ctx, s.Grace); err != nil {
		return fmt.Errorf("interrupted in the grace time of the fence on account %s (%s): %w", s.Account, s.Grace, err)
	}
	return nil
}

// create makes an account. What a failure means is judged by what there is then.
func (e *engine) create(s protocol.Create) protocol.Answer {
	op, name := e.op, s.Supply.Name
	if e.writes++; e.writes > maxTries {
		return protocol.Answer{Err: op.conflict(name)}
	}
	if op.ctx.Err() != nil {
		return protocol.Answer{Err: context.Cause(op.ctx)}
	}
	made, err := e.pool.send(op, s.Supply)
	e.pool.made.note(s.Supply.Credentials.Ref) // also where the answer was lost
	exists, lost := errors.As(err, new(*account.ExistsError)), errors.As(err, new(*account.UnknownOutcomeError))
	refused := errors.As(err, new(*account.BusyError)) || errors.As(err, new(*account.ConflictError))
	if !lost && !exists && !refused {
		return protocol.Answer{Account: made, Err: err}
	}
	there, readErr := e.pool.reread(op, name)
	missing := errors.As(readErr, new(*account.NotFoundError))
	switch {
	case readErr != nil && !missing:
		return protocol.Answer{Err: errors.Join(err, readErr)}
	case readErr == nil && !refused:
		return protocol.Answer{Account: there, Changed: exists, Unknown: lost}
	case lost:
		return protocol.Answer{Gone: true, Unknown: true, Err: op.backoff(op.ctx, readSince(err))}
	case refused:
		op.refusal = err
		return protocol.Answer{Gone: true, Changed: true, Err: op.refuse(op.ctx, name)}
	}
	return protocol.Answer{Gone: true, Changed: true} // the other object has gone again
}

const (
	// firstGonePoll is how long a removal waits before it reads whether the account is gone; each further wait is twice as
	// long, up to maxGonePoll.
	firstGonePoll = 100 * time.Millisecond
	maxGonePoll   = 5 * time.Second
)

// delete deletes the account as it was judged. After a lost answer, or a refusal, it is to be judged by what there is then: the
// delete of an account that has not changed is sent again after a pause, as a write is.
func (p *Pool) delete(op *operation, judged account.Account) error {
	err := p.sendDelete(op, judged)
	op.refusal = nil
	lost := errors.As(err, new(*account.UnknownOutcomeError))
	switch {
	case err == nil:
		return nil
	case lost:
	case !errors.As(err, new(*account.ConflictError)) && !errors.As(err, new(*account.BusyError)):
		return err
	default:
		op.refusal = err
	}
	now, readErr := p.reread(op, judged.Name)
	unchanged := readErr == nil && now.UID == judged.UID && now.Version == judged.Version
	switch {
	case lost && readErr != nil && !errors.As(readErr, new(*account.NotFoundError)):
		return errors.Join(op.backoff(op.ctx, err), readErr)
	case lost && unchanged:
		return op.backoff(op.ctx, readSince(err))
	case unchanged:
		return op.refuse(op.ctx, judged.Name)
	}
	return nil // the next read says what it is by now
}

func (p *Pool) sendDelete(op *operation, judged account.Account) error {
	defer op.timed("deleting account " + judged.Name)()
	return p.store.Delete(op.ctx, judged)
}

// awaitGone waits for the end of an account that is being deleted: Gardener keeps it while Shoots refer to it.
func (e *engine) awaitGone(a account.Account) error {
	op := e.op
	defer op.timed(strings.TrimSuffix("waiting until account "+a.Name+" is gone, "+a.Held, ", "))()
	var failed error // the last read; nil = it has not
	for pause := firstGonePoll; ; pause = min(2*pause, maxGonePoll) {
		select {
		case <-time.After(pause):
		case <-op.ctx.Done():
			ended := context.Cause(op.ctx)
			if failed != nil {
				ended = fmt.Errorf("%w; the last read failed: %w", ended, failed)
			}
			return &account.SupplyError{Account: a.Name, Obstacle: account.ObstacleDeleting, Held: a.Held, Err: ended}
		}
		now, err := e.pool.read(op.ctx, a.Name)
		switch {
		case errors.As(err, new(*account.NotFoundError)), err == nil && now.UID != a.UID:
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
