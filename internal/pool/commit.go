package pool

import (
	"context"
	"errors"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
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

// commit makes one change under optimistic concurrency: on the account as it was judged, or not at all.
//
// This is the rule for a lost answer: the account is read. It shows the change, or it is another one by now, and then the change never
// arrives; or it is still as it was judged, and then what is sent next is sent under the same version, so that only one of the two takes
// effect. So a change is in doubt no longer than it takes to reach the server once. Where that fails an
// [account.UnknownOutcomeError] says so: after it the change may be there.
func (p *Pool) commit(
	ctx context.Context, op *operation, judged account.Account, change account.Change, after protocol.Insistence,
) (commitResult, account.Account, error) {
	gaveUp := func() bool { return after == protocol.Settle && op.lastErr != nil && ctx == op.ctx && ctx.Err() != nil }
	for {
		within := ctx
		if gaveUp() {
			within = op.detached()
		}
		if within.Err() != nil {
			return 0, account.Account{}, op.withLost(context.Cause(within))
		}
		result, now, err := p.try(within, op, judged, change)
		switch {
		case err != nil && !(gaveUp() && within == ctx):
			return 0, account.Account{}, err
		case err != nil || result == unknown && after != protocol.Rejudge:
		case result == unknown:
			return unknown, now, nil
		default:
			if !change.VoidOn(now) {
				op.lastErr = nil // the answer that was lost is in no doubt any more
			}
			return result, now, nil
		}
	}
}

// try sends the change once.
func (p *Pool) try(
	ctx context.Context, op *operation, judged account.Account, change account.Change,
) (commitResult, account.Account, error) {
	now, err := p.write(ctx, op, judged, change)
	lost := errors.As(err, new(*account.UnknownOutcomeError))
	refused := errors.As(err, new(*account.ConflictError)) || errors.As(err, new(*account.BusyError))
	op.refusal = nil
	switch {
	case err == nil:
		return committed, now, nil
	case errors.As(err, new(*account.NotFoundError)):
		return gone, account.Account{}, nil
	case !lost && !refused:
		return 0, account.Account{}, op.withLost(err)
	case refused:
		op.refusal = err
	default:
		op.lastErr = err
	}
	now, readErr := p.reread(op, judged.Name)
	if readErr == nil {
		readErr = context.Cause(ctx)
	}
	switch {
	case errors.As(readErr, new(*account.NotFoundError)):
		return gone, account.Account{}, nil
	case op.lastErr != nil && change.ArrivedOn(judged, now):
		return committed, now, nil
	case readErr != nil:
		return 0, account.Account{}, op.withLost(readErr)
	case now.UID != judged.UID || now.Version != judged.Version:
		return changed, now, nil
	case lost:
		return unknown, now, op.backoff(ctx, readSince(err))
	case op.lastErr == nil:
		return changed, now, op.refuse(ctx, judged.Name)
	}
	return unknown, now, op.refuse(ctx, judged.Name) // an earlier change may still arrive
}

// readSince says of a lost answer that the account was read since, and does not show the write.
func readSince(err error) error {
	if lost, ok := errors.AsType[*account.UnknownOutcomeError](err); ok {
		return &account.UnknownOutcomeError{Account: lost.Account, ReadSince: true, Err: lost.Err}
	}
	return err
}

// write sends one change, and records what comes back.
func (p *Pool) write(ctx context.Context, op *operation, judged account.Account, change account.Change) (account.Account, error) {
	defer op.timedWrite("writing account " + judged.Name)()
	after, err := p.store.Write(ctx, judged, change)
	switch {
	case err == nil:
		p.cache.wrote(judged.Name, &after)
	case errors.As(err, new(*account.NotFoundError)):
		p.cache.wrote(judged.Name, nil)
	}
	return after, err
}

// reread reads one account again, also for a caller that has given up.
func (p *Pool) reread(op *operation, name string) (account.Account, error) {
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
func (p *Pool) read(ctx context.Context, name string) (account.Account, error) {
	begun := p.cache.snapshot()
	a, err := p.store.Get(ctx, name)
	found := &a
	if err != nil {
		a, found = account.Account{}, nil
	}
	if err == nil || errors.As(err, new(*account.NotFoundError)) {
		p.cache.update(func(s *protocol.Snapshot) *protocol.Snapshot { return s.WithRead(name, found, begun) })
	}
	return a, err
}
