package pool

import (
	"context"
	"errors"
	"fmt"
)

// commitResult says what has become of a change.
type commitResult int

const (
	// committed: the change is on the account as it is returned.
	committed commitResult = iota + 1
	// changed: the account is another one than was judged, or the server has refused the change, and it is not on the account.
	// It has to be judged anew.
	changed
	// gone: there is no such account any more.
	gone
	// unknown: the answer was lost, the change is not on the account, and the account is still as it was judged. The change
	// may still arrive. What is sent next must be sent to this account at this version: then one of the two takes effect.
	unknown
)

// commit makes one change under optimistic concurrency: on the account as it was judged, or not at all. It sends the change
// once. After a lost answer it looks at the account, so that the next change is judged by what is there. After an
// [UnknownOutcomeError] the change may be there.
func (p *Pool) commit(ctx context.Context, op *operation, judged Account, change Change) (commitResult, Account, error) {
	if ctx.Err() != nil {
		return 0, Account{}, op.withLost(context.Cause(ctx))
	}
	now, err := p.write(ctx, op, judged, change)
	lost, refused := errors.As(err, new(*UnknownOutcomeError)), errors.As(err, new(*ConflictError)) || errors.As(err, new(*BusyError))
	op.refusal = nil
	switch {
	case err == nil:
		return committed, now, nil
	case errors.As(err, new(*NotFoundError)):
		return gone, Account{}, nil
	case !lost && !refused:
		return 0, Account{}, op.withLost(err)
	case refused:
		op.refusal = err
	}
	now, lookErr := p.look(op, judged.Name)
	if lookErr == nil {
		lookErr = context.Cause(ctx)
	}
	switch {
	case errors.As(lookErr, new(*NotFoundError)):
		return gone, Account{}, nil
	case (lost || op.lost > 0) && change.arrivedOn(judged, now):
		return committed, now, nil
	case lookErr != nil && lost:
		return 0, Account{}, errors.Join(err, lookErr)
	case lookErr != nil:
		return 0, Account{}, op.withLost(lookErr)
	case now.UID != judged.UID || now.Version != judged.Version:
		op.noteStray(change, now, err)
		return changed, now, nil
	case lost:
		return unknown, now, op.backoff(ctx, err)
	case op.lost == 0:
		return changed, now, op.refuse(ctx, judged.Name)
	}
	return unknown, now, op.refuse(ctx, judged.Name) // an earlier change may still arrive
}

// noteStray keeps the lost answer to a change whose record lies on an account that the tenant has lost since: until the record is
// taken away, an error must tell of it.
func (op *operation) noteStray(change Change, now Account, err error) {
	if errors.As(err, new(*UnknownOutcomeError)) && change.strays(now) {
		op.lastErr = err
	}
}

// withdraw takes away the record that a lost write of this operation has left on an account which the tenant has lost since.
// It must not come alive should the tenant be given the account once more. Where it is alive again nothing is written. It returns
// the account as it is then; the zero Account where it is gone.
func (p *Pool) withdraw(op *operation, key string, a Account) (Account, error) {
	for range maxTries {
		result, now, err := p.commit(op.ctx, op, a, Change{Records: map[string]*Record{key: nil}})
		switch {
		case err != nil:
			return Account{}, fmt.Errorf("taking its record from account %s, which the Global Account has lost meanwhile: %w", a.Name, err)
		case result == changed && now.strays(key, a.Records[key].Owner):
			a = now
		case result != unknown:
			op.lastErr = nil // the answer that was lost is in no doubt any more
			return now, nil
		}
	}
	return Account{}, op.withLost(op.conflict(a.Name))
}

// write sends one change, and records what comes back.
func (p *Pool) write(ctx context.Context, op *operation, judged Account, change Change) (Account, error) {
	defer op.timed("writing account " + judged.Name)()
	after, err := p.store.Write(ctx, judged, change)
	switch {
	case err == nil:
		p.cache.wrote(judged.Name, &after)
	case errors.As(err, new(*NotFoundError)):
		p.cache.wrote(judged.Name, nil)
	}
	return after, err
}

// look reads one account anew, also for a caller that has given up.
func (p *Pool) look(op *operation, name string) (Account, error) {
	defer op.timed("reading account " + name)()
	if op.ctx.Err() == nil {
		a, err := p.read(op.ctx, name)
		if err == nil || op.ctx.Err() == nil {
			return a, err
		}
	}
	return p.read(op.detached(), name)
}

// read reads one account anew and records what it looks like.
func (p *Pool) read(ctx context.Context, name string) (Account, error) {
	begun := p.cache.snapshot()
	a, err := p.store.Get(ctx, name)
	found := &a
	if err != nil {
		a, found = Account{}, nil
	}
	if err == nil || errors.As(err, new(*NotFoundError)) {
		p.cache.update(func(s *snapshot) *snapshot { return s.withRead(name, found, begun) })
	}
	return a, err
}
