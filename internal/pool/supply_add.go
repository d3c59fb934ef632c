package pool

import (
	"context"
	"errors"
	"fmt"
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
	e := p.engine(op, "", 0, nil)
	if !p.store.OwnsObjects() {
		m := newLabeling(supply, false)
		if err := e.run(m); err != nil {
			return Account{}, err
		}
		return m.written(), nil
	}
	unlock, err := p.made.making.lock(op.ctx, fmt.Sprint(supply.Credentials.Ref.Key()))
	if err != nil {
		return Account{}, err
	}
	defer unlock()
	m := newAdding(supply, p.made.last(supply.Credentials.Ref))
	if err := e.run(m); err != nil {
		return Account{}, err
	}
	return m.made(), nil
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

// MayAdd says, for a plan, why an account cannot be put into the pool now. It never writes. An account that is
// going to be replaced by then is named by its UID; empty = none is.
//
// Errors: those of [Pool.Add].
func (p *Pool) MayAdd(ctx context.Context, supply Supply, replaced string) error {
	op := newOperation(ctx)
	defer op.end()
	e, made := p.engine(op, "", 0, nil), p.store.OwnsObjects()
	if replaced != "" {
		leaves := newReplacing(supply.Name, replaced, made, supply)
		err := e.run(leaves)
		if last, _ := leaves.removed(); err != nil || !made && last.UID == replaced {
			return op.result(err)
		}
	}
	if !made {
		return op.result(e.run(newLabeling(supply, true)))
	}
	return op.result(e.run(newTrial(supply, replaced, p.made.last(supply.Credentials.Ref))))
}

// exists says that there is an object of the name of a supply.
func (s Supply) exists(there Account) error {
	return &ExistsError{Account: there.Name, Same: s.isOn(there), Deleting: there.Terminating}
}
