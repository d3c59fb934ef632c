package protocol

import (
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// RemoveRequest takes an account out of the pool.
type RemoveRequest struct {
	Name, UID string
	Labels    []string // the keys of labels that the owner has written; they go where the object itself stays
	// Alone says that the caller makes no account in the place of this one. Then an account that is marked dirty may go, or one that another
	// party has quarantined: it is its owner's again, with all that is in it. Otherwise it would come back without its mark, and is not taken
	// out.
	Alone bool
	// Unwiped is called with an account that leaves the pool with its mark dirty; nil = the caller does not ask.
	Unwiped func(account.Account)
	// Grace is how long the removal of a shared account goes on after it is gone: no label stops the broker, so one that chose the
	// account a moment before may still bring a cluster to it, or to another tenant's account that is made under its name at once.
	// 0 = no wait.
	Grace time.Duration
}

// Tell calls Unwiped where the account that leaves is marked dirty.
func (r RemoveRequest) Tell(a account.Account) {
	if a.Unwiped() && r.Unwiped != nil {
		r.Unwiped(a)
	}
}

// Refusal says why an account must not leave the pool, as it was last listed and counted; nil = it may.
func (r RemoveRequest) Refusal(a *account.Account, clusters int) error {
	if refused := a.KeptBy(); refused != nil {
		return refused
	}
	if err := a.Uncovered(); err != nil {
		return err
	}
	if clusters > 0 && !a.Represented() {
		return &account.SupplyError{Account: a.Name, Obstacle: account.ObstacleClusters, Counted: clusters}
	}
	return r.unwiped(a)
}

// unwiped says that an account which is marked dirty, or may be, or which another party has quarantined, must not come back without its
// mark; nil = it may go.
func (r RemoveRequest) unwiped(a *account.Account) error {
	if doubts := a.LabelDoubts(); len(doubts) > 0 && !r.Alone { // made anew it would be without these labels
		return &account.SupplyError{Account: a.Name, Tenant: a.Tenant, Obstacle: account.ObstacleUnclear, Doubts: doubts}
	}
	if a.Unwiped() && !r.Alone {
		return &account.SupplyError{Account: a.Name, Tenant: a.Tenant, Obstacle: account.ObstacleDirty}
	}
	if a.SetAside() && !r.Alone {
		return &account.SupplyError{Account: a.Name, Tenant: a.Tenant, Obstacle: account.ObstacleQuarantined}
	}
	return nil
}

// Removing is what a removal has seen so far.
type Removing struct {
	plain
	RemoveRequest
	made bool            // accounts are objects that this side makes and deletes
	by   *account.Supply // a plan asks whether the account may be made anew so: nothing is written; nil = it is to go

	account *account.Account // as it was read last; nil = it has to be read
	gone    bool             // there is no such account
	sent    bool             // it was taken out, or may have been
	last    account.Account  // as it was read last
	shared  bool             // it was shared, if only for a moment
	usage
	failure error
	ended   bool
}

// NewRemoving returns the steps of a removal. Where the store makes accounts the object goes, else its labels.
func NewRemoving(req RemoveRequest, made bool) *Removing {
	return &Removing{RemoveRequest: req, made: made}
}

// NewReplacing returns the steps by which a plan asks whether the account may be made anew by a supply.
func NewReplacing(name, uid string, made bool, by account.Supply) *Removing {
	return &Removing{RemoveRequest: RemoveRequest{Name: name, UID: uid}, made: made, by: &by}
}

// Removed returns the account as it was read last, and whether it was shared, if only for a moment.
func (m *Removing) Removed() (last account.Account, shared bool) { return m.last, m.shared }

// Next says what the removal does: it reads the account, judges it as it is, takes it out, and waits until it is gone.
func (m *Removing) Next(f Facts) Step {
	anew := m.account != nil && m.account.UID != m.UID
	switch {
	case m.failure != nil || m.ended:
		return Done{Err: m.failure}
	case (m.gone || anew) && (m.sent || m.by != nil): // also where the answer to the delete was lost
		return Done{}
	case m.gone:
		return Done{Err: &account.NotFoundError{Account: m.Name}}
	case m.account == nil:
		return Read{m.Name}
	case anew:
		return Done{Err: &account.NotFoundError{Account: m.Name, Anew: m.account.UID}}
	case m.account.Terminating && m.made && m.by == nil:
		return AwaitGone{*m.account}
	}
	return m.judge(f, *m.account)
}

// judge says what remains to be done for an account that is there.
func (m *Removing) judge(f Facts, a account.Account) Step {
	if refused := a.KeptBy(); refused != nil {
		return Done{Err: refused}
	}
	if m.whole == nil {
		return m.list(f)
	}
	if err := m.whole.Uncovered(); err != nil {
		return Done{Err: err}
	}
	bindings := m.bindings
	if m.whole.Represented() {
		bindings = []string{a.Name}
	}
	if first := m.unused(&a, bindings, account.PartWhole); first != nil {
		return first
	}
	if err := m.unwiped(&a); err != nil {
		return Done{Err: err}
	}
	switch {
	case m.by != nil:
		return Done{Err: m.by.KeepsQuotas(a)}
	case m.made:
		return Delete{a}
	}
	change, _ := account.Supply{Name: a.Name}.Change(a, m.Labels)
	if change.IsOn(a) {
		return Done{}
	}
	return Write{Judged: a, Change: change, To: ToSupply, After: Rejudge}
}

// Waited has it be found out anew who uses the account.
func (m *Removing) Waited() { m.usage = usage{} }

// Learn takes in what came back of a step.
func (m *Removing) Learn(did Step, came Answer) {
	m.failure = came.Err
	switch did.(type) {
	case List, FindUsers:
		m.failure = m.usage.learn(did, came, m.account)
	case AwaitGone:
		m.ended = came.Err == nil
	case Delete:
		m.sent, m.usage = true, usage{}
		if came.Err == nil {
			m.account = nil
		}
	case Read, Write:
		_, wrote := did.(Write)
		m.ended = wrote && came.Err == nil && !came.Changed && !came.Unknown
		if now := came.Account; !m.ended {
			m.account, m.gone, m.usage = &now, came.Gone, usage{}
			if came.Err == nil && !came.Gone {
				m.last, m.shared = now, m.shared || now.Shared
			}
		}
	}
}
