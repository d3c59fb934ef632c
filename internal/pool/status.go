package pool

import (
	"context"
	"errors"
)

// Drift says how the account of a claim differs from what the claim left there.
type Drift string

// What can have happened to a claimed account, the worst first.
const (
	// DriftNone: the claim stands.
	DriftNone Drift = ""
	// DriftGone: the account does not exist any more.
	DriftGone Drift = "gone"
	// DriftRecreated: another account has its name.
	DriftRecreated Drift = "recreated"
	// DriftForeign: another tenant holds it.
	DriftForeign Drift = "foreign"
	// DriftShared: it has become a shared account.
	DriftShared Drift = "shared"
	// DriftFree: no tenant holds it.
	DriftFree Drift = "free"
	// DriftTerminating: it is being deleted.
	DriftTerminating Drift = "deleting"
	// DriftReleasing: a release has begun and not ended.
	DriftReleasing Drift = "releasing"
	// DriftDirty: it waits for the clean-up job.
	DriftDirty Drift = "dirty"
	// DriftMoved: it belongs to another pool now.
	DriftMoved Drift = "moved"
)

// Status is what stands of a claim.
type Status struct {
	// Account is the account as last read; zero when it is gone.
	Account Account
	// Record is the claim's own; Recorded says whether there is one.
	Record   Record
	Recorded bool
	// Drift is the worst of what has happened to the account.
	Drift Drift
	// Clusters and Reserved are the clusters counted on the account and the places reserved beside them.
	Clusters, Reserved int
	// Limit is the most clusters the account may have; 0 = none applies.
	Limit int
	// Several are the accounts of the pool that the Global Account holds, sorted, where it may have one only and holds more.
	Several []string
}

// Inspect says what stands of a claim that was made on an account. It follows the object, never the selection, and
// never writes. Only the typed answer that there is no such object makes it [DriftGone].
func (p *Pool) Inspect(ctx context.Context, globalAccount string, target Target, name, account, uid string) (Status, error) {
	if err := p.view.recent(ctx); err != nil {
		return Status{}, err
	}
	a, ok := p.view.get(account)
	if !ok || (uid != "" && a.UID != uid) { // what ends a claim in the state is never believed of a list
		fresh, err := p.read(ctx, account)
		var gone *NotFoundError
		if errors.As(err, &gone) {
			return Status{Drift: DriftGone}, nil
		}
		if err != nil {
			return Status{}, err
		}
		a = fresh
	}
	if uid != "" && a.UID != uid {
		return Status{Account: a, Drift: DriftRecreated}, nil
	}
	s := p.status(a, p.Identity(globalAccount, target, name).Key())
	s.Drift = drift(&a, globalAccount, target)
	s.Limit = p.policy.Limit(globalAccount, target)
	if !target.Shared && !p.policy.Enabled(globalAccount) {
		if held := p.view.held(globalAccount, target); len(held) > 1 {
			s.Several = held
		}
	}
	return s, nil
}

func (p *Pool) status(a Account, key string) Status {
	s := Status{Account: a}
	s.Record, s.Recorded = a.Holds(key)
	s.Clusters, s.Reserved = p.view.use(&a)
	s.Limit = p.policy.Limit(a.Tenant, a.Target())
	return s
}

// drift names the worst difference. For a claim on a shared account only its end and its pool matter: it holds nothing.
func drift(a *Account, globalAccount string, target Target) Drift {
	switch {
	case !target.Shared && a.Tenant != "" && a.Tenant != globalAccount:
		return DriftForeign
	case !target.Shared && a.Shared:
		return DriftShared
	case !target.Shared && a.Tenant == "":
		return DriftFree
	case a.Terminating:
		return DriftTerminating
	case a.Dirty == Releasing:
		return DriftReleasing
	case a.Dirty != Clean:
		return DriftDirty
	case a.Target() != target:
		return DriftMoved
	}
	return DriftNone
}

// Standing returns the account that a claim stands on, whatever a state says of it; "" = none.
func (p *Pool) Standing(ctx context.Context, id Identity) (account string, err error) {
	if err := p.view.recent(ctx); err != nil {
		return "", err
	}
	a, _ := p.view.findClaim(id.Key())
	return a.Name, nil
}

// Find reads the account of a claim that is to be imported, and its record if it has one. The pool is that of the
// record, else that of the account's labels.
//
// Errors: those of [Store]; [TakenError] where another tenant, or none, holds the account.
func (p *Pool) Find(ctx context.Context, globalAccount, account, name string) (Status, Target, error) {
	if err := p.view.recent(ctx); err != nil {
		return Status{}, Target{}, err
	}
	a, err := p.read(ctx, account)
	if err != nil {
		return Status{}, Target{}, err
	}
	if !a.Shared && a.Tenant != globalAccount {
		return Status{}, Target{}, &TakenError{Account: a.Name, Tenant: a.Tenant, Wanted: globalAccount}
	}
	target := a.Target()
	if _, recorded := a.Holds(p.Identity(globalAccount, target, name).Key()); !recorded {
		for _, key := range a.Claims() {
			if was := targetOf(a.Records[key].Pool); key == p.Identity(globalAccount, was, name).Key() {
				target = was
			}
		}
	}
	s := p.status(a, p.Identity(globalAccount, target, name).Key())
	s.Limit = p.policy.Limit(globalAccount, target)
	s.Drift = drift(&a, globalAccount, target)
	return s, target, nil
}
