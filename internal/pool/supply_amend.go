package pool

import (
	"context"
	"slices"
)

// AmendRequest changes what the pool's owner says of an account.
type AmendRequest struct {
	Supply          // what shall be said; its Credentials do not matter
	UID    string   // differs from that of a later account of its name
	Labels []string // the keys of labels that the owner has written before; what the supply does not name of them is removed
}

// Amend brings an account to what its owner says of it. What others write on it stays as it is. A quarantine is urgent and only
// hides the account: it waits for no count.
//
// Errors: [SupplyError], [NotFoundError], [ConflictError], [TimeoutError], those of [Store] and [Counter].
func (p *Pool) Amend(ctx context.Context, req AmendRequest) (Supplied, error) {
	op := newOperation(ctx)
	defer op.end()
	m := newAmending(req, false)
	if err := p.engine(op, "", 0, nil).run(m); err != nil {
		return Supplied{}, op.result(err)
	}
	var uncounted error
	if req.Quarantine != "" {
		uncounted = op.result(p.recent(op))
	}
	s := p.supplied(m.written())
	s.Uncounted = uncounted
	return s, nil
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

// MayAmend says, for a plan, why an account must not be changed now. It never writes. Errors: those of [Pool.Amend].
func (p *Pool) MayAmend(ctx context.Context, req AmendRequest) error {
	op := newOperation(ctx)
	defer op.end()
	return op.result(p.engine(op, "", 0, nil).run(newAmending(req, true)))
}
