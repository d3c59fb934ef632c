package pool

import (
	"context"
	"errors"
)

// commitResult says what has become of a change.
type commitResult int

const (
	// committed: the change is on the account as it is returned.
	committed commitResult = iota + 1
	// changed: the account is another one than was judged, or the server has refused the change, and it is not on the account and never
	// will be. The account has to be judged anew.
	changed
	// gone: there is no such account any more.
	gone
	// unknown: the answer was lost, the change is not on the account, and the account is still as it was judged. The change may still
	// arrive. What is sent next must be sent to this account at this version: then one of the two takes effect.
	unknown
)

// insistence says what an operation does after a lost answer while the account is as it was judged.
type insistence int

const (
	// resend: the same change is sent again, while the caller waits.
	resend insistence = iota
	// settle: the same change is sent again, also for a caller that has given up meanwhile.
	settle
	// rejudge: the account is judged again, by what is known of its clusters then.
	rejudge
)

// commit makes one change under optimistic concurrency: on the account as it was judged, or not at all.
//
// This is the rule for a lost answer: the account is read. It shows the change, or it is another one by now, and then the change never
// arrives; or it is still as it was judged, and then what is sent next is sent under the same version, so that only one of the two takes
// effect. So a change is in doubt no longer than it takes to reach the server once. Where that fails an [UnknownOutcomeError] says so:
// after it the change may be there.
func (p *Pool) commit(ctx context.Context, op *operation, judged Account, change Change, after insistence) (commitResult, Account, error) {
	gaveUp := func() bool { return after == settle && op.lastErr != nil && ctx == op.ctx && ctx.Err() != nil }
	for {
		within := ctx
		if gaveUp() {
			within = op.detached()
		}
		if within.Err() != nil {
			return 0, Account{}, op.withLost(context.Cause(within))
		}
		result, now, err := p.try(within, op, judged, change)
		switch {
		case err != nil && !(gaveUp() && within == ctx):
			return 0, Account{}, err
		case err != nil || result == unknown && after != rejudge:
		case result == unknown:
			return unknown, now, nil
		default:
			if !change.voidOn(now) {
				op.lastErr = nil // the answer that was lost is in no doubt any more
			}
			return result, now, nil
		}
	}
}

// try sends the change once.
func (p *Pool) try(ctx context.Context, op *operation, judged Account, change Change) (commitResult, Account, error) {
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
	default:
		op.lastErr = err
	}
	now, lookErr := p.look(op, judged.Name)
	if lookErr == nil {
		lookErr = context.Cause(ctx)
	}
	switch {
	case errors.As(lookErr, new(*NotFoundError)):
		return gone, Account{}, nil
	case op.lastErr != nil && change.arrivedOn(judged, now):
		return committed, now, nil
	case lookErr != nil:
		return 0, Account{}, op.withLost(lookErr)
	case now.UID != judged.UID || now.Version != judged.Version:
		return changed, now, nil
	case lost:
		return unknown, now, op.backoff(ctx, looked(err))
	case op.lastErr == nil:
		return changed, now, op.refuse(ctx, judged.Name)
	}
	return unknown, now, op.refuse(ctx, judged.Name) // an earlier change may still arrive
}

// looked says of a lost answer that the account was read since, and does not show the write.
func looked(err error) error {
	if lost, ok := errors.AsType[*UnknownOutcomeError](err); ok {
		return &UnknownOutcomeError{Account: lost.Account, Looked: true, Err: lost.Err}
	}
	return err
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

// look reads one account again, also for a caller that has given up.
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

// read reads one account again and remembers it.
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
