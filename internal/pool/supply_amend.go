package pool

import (
	"context"
	"slices"
)

// AmendRequest changes what the pool's owner says of an account.
type AmendRequest struct {
	Supply          // what shall be said; its Credentials do not matter
	UID    string   // tells the account from a later one of its name
	Labels []string // the keys of labels that the owner has written before; what the supply does not name of them is removed
}

// Amend brings an account to what its owner says of it. What others write on it stays as it is. A quarantine is urgent and only
// hides the account: it waits for no count.
//
// Errors: [SupplyError], [NotFoundError], [ConflictError], [TimeoutError], those of [Store] and [Counter].
func (p *Pool) Amend(ctx context.Context, req AmendRequest) (Supplied, error) {
	op := newOperation(ctx)
	defer op.end()
	if req.Quarantine == "" {
		if err := p.recent(op); err != nil {
			return Supplied{}, op.result(err)
		}
	}
	account, err := p.amend(op, req)
	if err != nil {
		return Supplied{}, op.result(err)
	}
	var uncounted error
	if req.Quarantine != "" {
		uncounted = op.result(p.recent(op))
	}
	s := p.supplied(account)
	s.Uncounted = uncounted
	return s, nil
}

func (p *Pool) amend(op *operation, req AmendRequest) (Account, error) {
	account, err := p.look(op, req.Name)
	if err != nil {
		return Account{}, err
	}
	for range maxTries {
		change, err := p.mayChange(op, req, account)
		if err != nil || change.isOn(account) {
			return account, err
		}
		result, now, err := p.commit(op.ctx, op, account, change)
		switch {
		case err != nil || result == committed:
			return now, err
		case result == gone:
			return Account{}, &NotFoundError{Account: req.Name}
		}
		account = now
	}
	return Account{}, op.conflict(req.Name)
}

// mayChange returns what has to be written on an account as it is, or why it must not.
func (p *Pool) mayChange(op *operation, req AmendRequest, a Account) (Change, error) {
	if a.UID != req.UID {
		return Change{}, &NotFoundError{Account: req.Name, Anew: a.UID}
	}
	change, part := req.change(a, req.Labels)
	if err := req.refusal(a, change, part); err != nil {
		return Change{}, err
	}
	if hidden := change.uncovers(a); hidden != PartWhole {
		return change, p.mustBeUnused(op, a.Name, hidden)
	}
	return change, p.mayMove(op, a, part)
}

// uncovers returns the part of a change that takes away what hides an unclaimed account from the broker: clusters that are on it
// would come to another tenant's account. PartWhole = none does.
func (c Change) uncovers(a Account) Part {
	_, flagged := c.Flags[FlagEUAccess]
	switch {
	case a.Tenant != "" || a.Shared:
	case flagged && slices.Contains(a.FalseFlags, FlagEUAccess):
		return PartEUAccess
	case c.Dirty != nil && *c.Dirty == Clean:
		return PartQuarantine
	}
	return PartWhole
}

// mayMove says why an account must not come into another pool: clusters that are on it would have other neighbours.
func (p *Pool) mayMove(op *operation, a Account, part Part) error {
	if !part.moves() {
		return nil
	}
	return p.mustBeUnused(op, a.Name, part)
}

// MayAmend says, for a plan, why an account must not be changed as things stand. It never writes. Errors: those of [Pool.Amend].
func (p *Pool) MayAmend(ctx context.Context, req AmendRequest) error {
	op := newOperation(ctx)
	defer op.end()
	account, err := p.look(op, req.Name)
	if err == nil {
		_, err = p.mayChange(op, req, account)
	}
	return op.result(err)
}
