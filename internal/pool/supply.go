package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// Supplied is an account as its owner sees it.
type Supplied struct {
	Account  account.Account
	Class    account.Class // what it is to a Global Account that does not hold it
	Clusters int           // as last counted
	// Uncounted says why the clusters are not counted: they are not known then, and the class goes by the labels alone. Nil = they are.
	Uncounted error
}

// Supplied returns an account that was put into the pool. Without a UID the account is read anew, with its Credentials. It
// never writes. A count that fails does not hide the account, which may have to be quarantined just then: see Uncounted.
//
// Errors: [account.NotFoundError] where there is none, or one that was made later; those of [Store].
func (p *Pool) Supplied(ctx context.Context, name, uid string) (Supplied, error) {
	if err := account.NoAccount(name); err != nil {
		return Supplied{}, err
	}
	s, uncounted := p.cache.recent(ctx)
	if uncounted != nil {
		if ctx.Err() != nil || p.cache.relist(ctx, time.Now().Add(-protocol.MaxAge)) != nil {
			return Supplied{}, uncounted
		}
		s = p.cache.snapshot()
	}
	a := s.Account(name)
	if uid == "" || a == nil || a.UID != uid { // that an account is gone is never believed of a list
		fresh, err := p.read(ctx, name)
		if err != nil {
			return Supplied{}, err
		}
		a = &fresh
	}
	if uid != "" && a.UID != uid {
		return Supplied{}, &account.NotFoundError{Account: name, Anew: a.UID}
	}
	supplied := p.supplied(*a)
	supplied.Uncounted = uncounted
	return supplied, nil
}

func (p *Pool) supplied(a account.Account) Supplied {
	s := p.cache.snapshot()
	whole := s.Whole(&a)
	class := p.policy.Classify(whole, s.Counts.Usage(a.Name), "", time.Now())
	return Supplied{Account: *whole, Class: class, Clusters: s.Counts.Clusters(a.Name)}
}

// Accounts returns the accounts of one hyperscaler type, or of all where it is empty, by name. They are without Credentials.
func (p *Pool) Accounts(ctx context.Context, hyperscalerType string) ([]account.Account, error) {
	s, err := p.cache.recentList(ctx)
	if err != nil {
		return nil, err
	}
	var accounts []account.Account
	for _, a := range s.Accounts() {
		if hyperscalerType == "" || a.HyperscalerType == hyperscalerType {
			accounts = append(accounts, *a)
		}
	}
	slices.SortFunc(accounts, func(a, b account.Account) int { return strings.Compare(a.Name, b.Name) })
	return accounts, nil
}

// Add puts an account into the pool. Where accounts are objects of the user's the object must be there, and only its labels
// are written.
//
// Errors: [account.ExistsError], [account.SameCredentialsError], [account.NoCredentialsError], [account.SupplyError],
// [account.ConflictError], [TimeoutError], those of [Store] and [Counter].
// After an error nothing is left behind, except after a [MaybeAddedError].
func (p *Pool) Add(ctx context.Context, supply account.Supply) (Supplied, error) {
	op := newOperation(ctx)
	defer op.end()
	a, err := p.add(op, supply)
	if errors.As(err, new(*account.UnknownOutcomeError)) {
		err = &MaybeAddedError{Account: supply.Name, Err: err}
	}
	if err != nil {
		return Supplied{}, op.result(err)
	}
	return p.supplied(a), nil
}

func (p *Pool) add(op *operation, supply account.Supply) (account.Account, error) {
	if supply.Shared && supply.Quarantine != "" {
		return account.Account{}, &account.SupplyError{Account: supply.Name, Part: account.PartQuarantine, Obstacle: account.ObstacleShared}
	}
	e := p.engine(op, "", 0, nil)
	if !p.store.OwnsObjects() {
		m := protocol.NewLabeling(supply, false)
		if err := e.run(m); err != nil {
			return account.Account{}, err
		}
		return m.Written(), nil
	}
	unlock, _, err := p.made.making.lock(op.ctx, fmt.Sprint(supply.Credentials.Ref.Key()))
	if err != nil {
		return account.Account{}, err
	}
	defer unlock()
	if left := p.made.unwiped(supply.Credentials.Ref); left != "" {
		return account.Account{}, &account.SupplyError{Account: supply.Name, Twin: left, Obstacle: account.ObstacleUnwiped}
	}
	m := protocol.NewAdding(supply, p.made.last(supply.Credentials.Ref))
	if err := e.run(m); err != nil {
		return account.Account{}, err
	}
	return m.Made(), nil
}

// send sends the object once, and records what comes back.
func (p *Pool) send(op *operation, supply account.Supply) (account.Account, error) {
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
func (p *Pool) MayAdd(ctx context.Context, supply account.Supply, replaced string) error {
	op := newOperation(ctx)
	defer op.end()
	e, made := p.engine(op, "", 0, nil), p.store.OwnsObjects()
	if replaced != "" {
		leaves := protocol.NewReplacing(supply.Name, replaced, made, supply)
		err := e.run(leaves)
		if last, _ := leaves.Removed(); err != nil || !made && last.UID == replaced {
			return op.result(err)
		}
	}
	if !made {
		return op.result(e.run(protocol.NewLabeling(supply, true)))
	}
	return op.result(e.run(protocol.NewAddingDry(supply, replaced, p.made.last(supply.Credentials.Ref))))
}

// Amend brings an account to what its owner says of it. What others write on it stays as it is. A quarantine is urgent and only
// hides the account: it waits for no count.
//
// Errors: [account.SupplyError], [account.NotFoundError], [account.ConflictError], [TimeoutError], those of [Store] and [Counter].
func (p *Pool) Amend(ctx context.Context, req protocol.AmendRequest) (Supplied, error) {
	op := newOperation(ctx)
	defer op.end()
	m := protocol.NewAmending(req, false)
	if err := p.engine(op, "", 0, nil).run(m); err != nil {
		return Supplied{}, op.result(err)
	}
	var uncounted error
	if req.Quarantine != "" {
		uncounted = op.result(p.recent(op))
	}
	s := p.supplied(m.Written())
	s.Uncounted = uncounted
	return s, nil
}

// MayAmend says, for a plan, why an account must not be changed now. It never writes. Errors: those of [Pool.Amend].
func (p *Pool) MayAmend(ctx context.Context, req protocol.AmendRequest) error {
	op := newOperation(ctx)
	defer op.end()
	return op.result(p.engine(op, "", 0, nil).run(protocol.NewAmending(req, true)))
}

// madeCredentials are the credentials of the accounts that this process makes: two accounts with the same ones are made one after
// the other, and the second reads a list of after the first. Those of an account that it has taken out of the pool unwiped it makes no
// account with: nothing of the mark is left.
type madeCredentials struct {
	making keyedLock

	mu   sync.Mutex
	at   map[account.CredentialsRef]time.Time
	left map[account.CredentialsRef]string // the names of the accounts
}

func newMadeCredentials() madeCredentials {
	return madeCredentials{
		making: newKeyedLock(), at: map[account.CredentialsRef]time.Time{}, left: map[account.CredentialsRef]string{},
	}
}

// leave notes an account that was taken out of the pool unwiped, or put aside.
func (m *madeCredentials) leave(ref account.CredentialsRef, name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.left[ref.Key()] = name
}

// unwiped returns the account with these credentials that was taken out of the pool unwiped; empty = none was.
func (m *madeCredentials) unwiped(ref account.CredentialsRef) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left[ref.Key()]
}

func (m *madeCredentials) note(ref account.CredentialsRef) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at[ref.Key()] = time.Now()
}

func (m *madeCredentials) last(ref account.CredentialsRef) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.at[ref.Key()]
}

// FindCredentials finds out, for a plan, whether the credentials of an account exist, and are no account themselves that is not free. It
// never reads them.
//
// Errors: [account.NoCredentialsError], [account.SupplyError], and those of [Store].
func (p *Pool) FindCredentials(ctx context.Context, supply account.Supply) error {
	found, err := p.store.FindCredentials(ctx, supply.Credentials.Ref)
	if err != nil {
		return err
	}
	return supply.OfLabelled(found)
}

// Remove takes an account out of the pool that no tenant, claim or cluster has, and returns when it is gone. The context must
// have a deadline: something else may keep the object for long. Where accounts are objects of the user's the object stays, and
// the labels go that the owner has written. A shared account is gone for its grace time by then.
//
// Errors: [account.SupplyError], [account.ConflictError], [TimeoutError], those of [Store] and [Counter]. An [account.NotFoundError] says
// that the account was gone by itself, or that another one has its name.
func (p *Pool) Remove(ctx context.Context, req protocol.RemoveRequest) error {
	op := newOperation(ctx)
	defer op.end()
	m := protocol.NewRemoving(req, p.store.OwnsObjects())
	if err := p.engine(op, "", 0, nil).run(m); err != nil {
		return op.result(err)
	}
	last, shared := m.Removed()
	if req.Tell(last); (last.Unwiped() || last.SetAside()) && last.Credentials != nil {
		p.made.leave(last.Credentials.Ref, last.Name)
	}
	if shared && req.Grace > 0 {
		return op.result(p.outwait(op, req))
	}
	return nil
}

// outwait lets the grace time of a shared account pass that is gone.
func (p *Pool) outwait(op *operation, req protocol.RemoveRequest) error {
	defer op.timed("waiting for the grace time of a shared account")()
	if err := pause(op.ctx, req.Grace); err != nil {
		return fmt.Errorf("account %s is out of the pool, and its grace time of %s was interrupted, in which the broker may still bring a "+
			"cluster to it: %w", req.Name, req.Grace, err)
	}
	return nil
}

// MayReplace says why an account must not be taken out of the pool to be made anew now. It never writes. A dirty
// account, which may be taken out, waits for its wipe: made anew it would be free, with all that is in it. One with quotas is only
// replaced where its owner says what quotas the new one has.
//
// Errors: those of [Pool.Remove].
func (p *Pool) MayReplace(ctx context.Context, name, uid string, by account.Supply) error {
	op := newOperation(ctx)
	defer op.end()
	return op.result(p.engine(op, "", 0, nil).run(protocol.NewReplacing(name, uid, p.store.OwnsObjects(), by)))
}

// MayRemove says, for a plan, what prevents an account from leaving the pool as it was last listed and counted. It never
// writes, and asks the server nothing that a refresh has just asked.
//
// Errors: [account.SupplyError], those of [Store] and [Counter].
func (p *Pool) MayRemove(ctx context.Context, req protocol.RemoveRequest) error {
	s, err := p.cache.recent(ctx)
	if err != nil {
		return err
	}
	a := s.Account(req.Name)
	if a == nil || a.UID != req.UID || a.Terminating {
		return nil
	}
	if err := req.Refusal(s.Whole(a), s.Counts.Clusters(a.Name)); err != nil {
		return err
	}
	req.Tell(*a)
	return nil
}
