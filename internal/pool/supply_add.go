package pool

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Add puts an account into the pool. Where accounts are objects of the user's the object must be there, and only its labels
// are written.
//
// Errors: [ExistsError], [SameCredentialsError], [NoCredentialsError], [SupplyError], [ConflictError], [TimeoutError], those of
// [Store] and [Counter]. After an error nothing is left behind, except after a [MaybeAddedError].
func (p *Pool) Add(ctx context.Context, supply Supply) (Supplied, error) {
	op := newOperation(ctx)
	defer op.end()
	account, err := p.add(op, supply)
	if errors.As(err, new(*UnknownOutcomeError)) {
		err = &MaybeAddedError{Account: supply.Name, Err: err}
	}
	if err != nil {
		return Supplied{}, op.result(err)
	}
	return p.supplied(account), nil
}

func (p *Pool) add(op *operation, supply Supply) (Account, error) {
	if supply.Shared && supply.Quarantine != "" {
		return Account{}, &SupplyError{Account: supply.Name, Part: PartQuarantine, Obstacle: ObstacleShared}
	}
	if err := p.recent(op); err != nil { // what can fail fails before anything is written
		return Account{}, err
	}
	if p.store.Made() {
		return p.create(op, supply)
	}
	return p.label(op, supply)
}

// create makes the object. It may be sent again after a lost answer: of two objects of one name the server refuses one. It looks
// first: a user who must not look could not find out about a lost answer.
func (p *Pool) create(op *operation, supply Supply) (Account, error) {
	unlock, err := p.made.making.lock(op.ctx, fmt.Sprint(supply.Credentials.Ref.Key()))
	if err != nil {
		return Account{}, err
	}
	defer unlock()
	if err := p.mayAdd(op, supply, "", maxFreeAge); err != nil {
		return Account{}, err
	}
	defer p.made.note(supply.Credentials.Ref) // also where the answer was lost
	for range maxTries {
		if op.ctx.Err() != nil {
			return Account{}, op.withLost(context.Cause(op.ctx))
		}
		made, err := p.send(op, supply)
		if err == nil {
			return made, nil
		}
		if there, err := p.afterSend(op, supply, err); err != nil || there.Name != "" {
			return there, err
		}
	}
	return Account{}, op.conflict(supply.Name)
}

// afterSend judges a send that failed: the account where it is there all the same, an error where the end is reached, and neither
// where the object is to be sent again.
func (p *Pool) afterSend(op *operation, supply Supply, err error) (there Account, _ error) {
	exists, lost := errors.As(err, new(*ExistsError)), errors.As(err, new(*UnknownOutcomeError))
	refused := errors.As(err, new(*BusyError)) || errors.As(err, new(*ConflictError))
	if !lost && !exists && !refused {
		return Account{}, op.withLost(p.whyForbidden(op, supply, err))
	}
	there, lookErr := p.look(op, supply.Name)
	missing := errors.As(lookErr, new(*NotFoundError))
	switch {
	case lookErr == nil && (lost || op.lost > 0) && supply.isOn(there) && !there.Terminating: // its answer was lost
		return there, nil
	case lookErr == nil && (lost || exists):
		return Account{}, supply.exists(there)
	case lookErr != nil && !missing:
		return Account{}, errors.Join(err, lookErr)
	case lost:
		return Account{}, op.backoff(op.ctx, err)
	case refused:
		op.refusal = err
		return Account{}, op.refuse(op.ctx, supply.Name)
	}
	return Account{}, nil // the other object has gone again
}

// send sends the object once, and records what comes back.
func (p *Pool) send(op *operation, supply Supply) (Account, error) {
	defer op.timed("making account " + supply.Name)()
	account, err := p.store.Create(op.ctx, supply)
	if err == nil {
		p.cache.wrote(supply.Name, &account)
	}
	return account, err
}

// label makes an object of the user's an account.
func (p *Pool) label(op *operation, supply Supply) (Account, error) {
	missing := &NoCredentialsError{Ref: supply.Credentials.Ref}
	account, err := p.look(op, supply.Name)
	if errors.As(err, new(*NotFoundError)) {
		return Account{}, missing
	}
	if err != nil {
		return Account{}, err
	}
	for range maxTries {
		change, err := p.mayLabel(op, supply, account)
		if err != nil {
			return Account{}, err
		}
		result, now, err := p.commit(op.ctx, op, account, change)
		switch {
		case err != nil || result == committed:
			return now, err
		case result == gone:
			return Account{}, missing
		}
		account = now
	}
	return Account{}, op.conflict(supply.Name)
}

// mayLabel returns what makes an object of the user's the account, or why it must not become one.
func (p *Pool) mayLabel(op *operation, supply Supply, a Account) (Change, error) {
	change, part := supply.change(a, nil)
	if a.HyperscalerType != "" {
		return Change{}, &ExistsError{Account: a.Name, Same: change.isOn(a), Deleting: a.Terminating}
	}
	if err := supply.refusal(a, change, part); err != nil {
		return Change{}, err
	}
	return change, p.mayMove(op, a, part)
}

// MayAdd says, for a plan, why an account cannot be put into the pool as things stand. It never writes. An account that is
// going to be replaced by then is named by its UID; empty = none is.
//
// Errors: those of [Pool.Add].
func (p *Pool) MayAdd(ctx context.Context, supply Supply, replaced string) error {
	op := newOperation(ctx)
	defer op.end()
	return op.result(p.mayAdd(op, supply, replaced, maxAge))
}

// mayAdd goes by a list of the credentials in use that is not older than age.
func (p *Pool) mayAdd(op *operation, supply Supply, replaced string, age time.Duration) error {
	there, err := p.look(op, supply.Name)
	missing := errors.As(err, new(*NotFoundError))
	switch {
	case err != nil && !missing:
		return err
	case missing && p.store.Made():
		return p.mustOwnCredentials(op, supply, replaced, age)
	case !missing && there.UID == replaced:
		if err := p.mayReplace(op, there); err != nil {
			return err
		}
		return p.mustOwnCredentials(op, supply, replaced, age)
	case missing:
		return &NoCredentialsError{Ref: supply.Credentials.Ref}
	case p.store.Made():
		return supply.exists(there)
	}
	_, err = p.mayLabel(op, supply, there)
	return err
}

// exists says that there is an object of the name of a supply.
func (s Supply) exists(there Account) error {
	return &ExistsError{Account: there.Name, Same: s.isOn(there), Deleting: there.Terminating}
}
