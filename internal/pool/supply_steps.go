package pool

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// usage is what an operation of the pool's owner has found out of who uses an account, since it has read it.
type usage struct {
	whole    *Account // the account with the other bindings of its credentials; nil = they are not listed
	bindings []string
	users    []User
	counted  bool
}

// list waits for a list as fresh as one by which a free account is taken.
func (u *usage) list(v view) step { return stepList{v.now.Add(-maxFreeAge)} }

// unused is what has to be found out before a change that nothing may use these bindings for, or the refusal of it; nil = nothing does.
func (u *usage) unused(a *Account, bindings []string, part Part) step {
	switch {
	case !u.counted:
		return stepUsers{bindings}
	case len(u.users) > 0:
		return stepDone{err: &SupplyError{Account: a.Name, Part: part, Obstacle: ObstacleClusters, Users: u.users}}
	}
	return nil
}

// empty is unused for all bindings of the cloud account, none of which may be a tenant's or dirty.
func (u *usage) empty(v view, a *Account, part Part) step {
	if u.whole == nil {
		return u.list(v)
	}
	if err := u.whole.keptByTwin(part); err != nil {
		return stepDone{err: err}
	}
	return u.unused(a, u.bindings, part)
}

// learn takes in what came back of a list or a count of the clusters on an account.
func (u *usage) learn(did step, came answer, a *Account) error {
	switch did.(type) {
	case stepList:
		if came.err == nil {
			u.whole, u.bindings = came.list.whole(a), came.list.bindings(a)
		}
	case stepUsers:
		if u.users, u.counted = came.users, came.err == nil; came.err != nil {
			return fmt.Errorf("whether clusters are on account %s is not known: %w", a.Name, came.err)
		}
	}
	return came.err
}

// amending is what a change of the pool's owner has seen so far: of an account, or of an object of the user's that is to become one.
type amending struct {
	AmendRequest
	label bool // the object is to become an account
	dry   bool // a plan asks whether it may be changed: nothing is written

	recent  bool     // there is a list and a count, or it goes without
	account *Account // as it was read or written last; nil = it has to be read
	gone    bool     // there is no such account
	usage
	failure error
	ended   bool
}

// newAmending returns the steps of a change of an account. A plan asks dry. A change that is urgent waits for no list and no count.
func newAmending(req AmendRequest, dry bool) *amending {
	return &amending{AmendRequest: req, dry: dry, recent: dry || req.Quarantine != ""}
}

// newLabeling returns the steps by which an object of the user's becomes an account.
func newLabeling(supply Supply, dry bool) *amending {
	return &amending{AmendRequest: AmendRequest{Supply: supply}, label: true, dry: dry, recent: dry}
}

// written returns the account, once the steps have ended without an error.
func (m *amending) written() Account { return *m.account }

func (m *amending) key() string    { return "" }
func (m *amending) cleansUp() bool { return false }

// next says what the change does: it reads the account, judges it as it is, and writes what differs.
func (m *amending) next(v view) step {
	switch {
	case m.failure != nil || m.ended:
		return stepDone{err: m.failure}
	case !m.recent:
		return stepRecent{}
	case m.gone && m.label:
		return stepDone{err: &NoCredentialsError{Ref: m.Credentials.Ref}}
	case m.gone:
		return stepDone{err: &NotFoundError{Account: m.Name}}
	case m.account == nil:
		return stepRead{m.Name}
	case !m.label && m.account.UID != m.UID:
		return stepDone{err: &NotFoundError{Account: m.Name, Anew: m.account.UID}}
	}
	return m.judge(v, *m.account)
}

// judge says what remains to be done on the account as it is.
func (m *amending) judge(v view, a Account) step {
	change, part := m.change(a, m.Labels)
	if m.label && a.HyperscalerType != "" {
		return stepDone{err: &ExistsError{Account: a.Name, Same: change.isOn(a), Deleting: a.Terminating}}
	}
	if err := m.refusal(a, change, part); err != nil {
		return stepDone{err: err}
	}
	uncovered := change.uncovers(a)
	hidden := !m.label && uncovered != PartWhole
	if hidden {
		part = uncovered
	}
	if hidden || part.moves() { // clusters that are on it would come to others, or have other neighbours
		if first := m.empty(v, &a, part); first != nil {
			return first
		}
	}
	if m.dry || change.isOn(a) {
		m.ended = true
		return stepDone{}
	}
	return stepWrite{judged: a, change: change, to: writeSupply, after: rejudge}
}

func (m *amending) learn(did step, came answer) {
	m.failure = came.err
	switch did.(type) {
	case stepRecent:
		m.recent = came.err == nil
	case stepList, stepUsers:
		m.failure = m.usage.learn(did, came, m.account)
	case stepRead, stepWrite:
		_, wrote := did.(stepWrite)
		now := came.account
		m.account, m.gone, m.usage = &now, came.gone, usage{}
		m.ended = wrote && came.err == nil && !came.gone && !came.changed && !came.unknown
	}
}

// removing is what a removal has seen so far.
type removing struct {
	RemoveRequest
	made bool    // accounts are objects that this side makes and deletes
	by   *Supply // a plan asks whether the account may be made anew so: nothing is written; nil = it is to go

	account *Account // as it was read last; nil = it has to be read
	gone    bool     // there is no such account
	sent    bool     // it was taken out, or may have been
	last    Account  // as it was read last
	shared  bool     // it was shared, if only for a moment
	usage
	failure error
	ended   bool
}

// newRemoving returns the steps of a removal. Where the store makes accounts the object goes, else its labels.
func newRemoving(req RemoveRequest, made bool) *removing {
	return &removing{RemoveRequest: req, made: made}
}

// newReplacing returns the steps by which a plan asks whether the account may be made anew by a supply.
func newReplacing(name, uid string, made bool, by Supply) *removing {
	return &removing{RemoveRequest: RemoveRequest{Name: name, UID: uid}, made: made, by: &by}
}

// removed returns the account as it was read last, and whether it was shared, if only for a moment.
func (m *removing) removed() (last Account, shared bool) { return m.last, m.shared }

func (m *removing) key() string    { return "" }
func (m *removing) cleansUp() bool { return false }

// next says what the removal does: it reads the account, judges it as it is, takes it out, and waits until it is gone.
func (m *removing) next(v view) step {
	anew := m.account != nil && m.account.UID != m.UID
	switch {
	case m.failure != nil || m.ended:
		return stepDone{err: m.failure}
	case (m.gone || anew) && (m.sent || m.by != nil): // also where the answer to the delete was lost
		return stepDone{}
	case m.gone:
		return stepDone{err: &NotFoundError{Account: m.Name}}
	case m.account == nil:
		return stepRead{m.Name}
	case anew:
		return stepDone{err: &NotFoundError{Account: m.Name, Anew: m.account.UID}}
	case m.account.Terminating && m.made && m.by == nil:
		return stepGone{*m.account}
	}
	return m.judge(v, *m.account)
}

// judge says what remains to be done for an account that is there.
func (m *removing) judge(v view, a Account) step {
	if refused := a.keptBy(); refused != nil {
		return stepDone{err: refused}
	}
	if m.whole == nil {
		return m.list(v)
	}
	if err := m.whole.uncovered(); err != nil {
		return stepDone{err: err}
	}
	bindings := m.bindings
	if m.whole.represented() {
		bindings = []string{a.Name}
	}
	if first := m.unused(&a, bindings, PartWhole); first != nil {
		return first
	}
	if err := m.unwiped(&a); err != nil {
		return stepDone{err: err}
	}
	switch {
	case m.by != nil:
		return stepDone{err: m.by.keepsQuotas(a)}
	case m.made:
		return stepDelete{a}
	}
	change, _ := Supply{Name: a.Name}.change(a, m.Labels)
	if change.isOn(a) {
		return stepDone{}
	}
	return stepWrite{judged: a, change: change, to: writeSupply, after: rejudge}
}

func (m *removing) learn(did step, came answer) {
	m.failure = came.err
	switch did.(type) {
	case stepList, stepUsers:
		m.failure = m.usage.learn(did, came, m.account)
	case stepGone:
		m.ended = came.err == nil
	case stepDelete:
		m.sent, m.usage = true, usage{}
		if came.err == nil {
			m.account = nil
		}
	case stepRead, stepWrite:
		_, wrote := did.(stepWrite)
		m.ended = wrote && came.err == nil && !came.changed && !came.unknown
		if now := came.account; !m.ended {
			m.account, m.gone, m.usage = &now, came.gone, usage{}
			if came.err == nil && !came.gone {
				m.last, m.shared = now, m.shared || now.Shared
			}
		}
	}
}

// adding is what an addition has seen so far.
type adding struct {
	Supply
	replaced string        // the UID of the account that this one replaces; empty = none
	age      time.Duration // of the list of the credentials in use, at most
	lastMade time.Time     // when this process has last made an account with these credentials
	dry      bool          // a plan asks: nothing is written

	recent  bool
	looked  bool     // for an account of the name
	account *Account // that is there; nil = none is
	listed  int      // how often the credentials in use were listed
	others  error    // that other objects use the credentials; nil = none does
	lost    bool     // the answer to the creation was lost
	forbids error    // the server forbids it
	failure error
	ended   bool
}

// newAdding returns the steps of an addition, by a list of the credentials in use that is as fresh as one by which a free account is taken.
// lastMade is when this process has last made an account with these credentials; zero = never.
func newAdding(supply Supply, lastMade time.Time) *adding {
	return &adding{Supply: supply, age: maxFreeAge, lastMade: lastMade}
}

// newTrial returns the steps by which a plan asks whether an account may be added. It may replace an account, by its UID.
func newTrial(supply Supply, replaced string, lastMade time.Time) *adding {
	return &adding{Supply: supply, replaced: replaced, age: maxAge, lastMade: lastMade, dry: true, recent: true}
}

// made returns the account, once the steps have ended without an error.
func (m *adding) made() Account { return *m.account }

func (m *adding) key() string    { return "" }
func (m *adding) cleansUp() bool { return false }

// next says what the addition does: it finds an account of the name, and other objects with the same credentials, and makes the
// account. That may be sent again after a lost answer: of two objects of one name the server refuses one.
func (m *adding) next(v view) step {
	switch there := m.account; {
	case m.forbids != nil:
		return stepFindCredentials{m.Credentials.Ref}
	case m.failure != nil || m.ended:
		return stepDone{err: m.failure}
	case !m.recent: // what can fail fails before anything is written
		return stepRecent{}
	case !m.looked:
		return stepRead{m.Name}
	case there != nil && m.lost && m.isOn(*there) && !there.Terminating: // its answer was lost
		m.ended = true
		return stepDone{}
	case there != nil && (m.replaced == "" || there.UID != m.replaced):
		return stepDone{err: m.exists(*there)}
	case m.listed == 0:
		notBefore := v.now.Add(-m.age)
		if m.lastMade.After(notBefore) {
			notBefore = m.lastMade
		}
		return m.owned(stepList{notBefore})
	case m.others != nil && m.listed == 1: // the other object may have gone since
		return stepList{v.now}
	case m.others != nil || m.dry:
		return stepDone{err: m.others}
	}
	return stepCreate{m.Supply}
}

// owned is the list of the credentials in use, unless the account is its own credentials, or they are not known yet.
func (m *adding) owned(list step) step {
	if m.Credentials.Ref.Name != "" && m.Credentials.Ref.Namespace != "" {
		return list
	}
	if m.listed = 2; m.dry {
		return stepDone{}
	}
	return stepCreate{m.Supply}
}

func (m *adding) learn(did step, came answer) {
	m.failure = came.err
	switch did.(type) {
	case stepRecent:
		m.recent = came.err == nil
	case stepRead:
		m.see(came)
	case stepList:
		m.listed++
		if m.others = nil; came.err == nil {
			m.failure, m.others = m.sameCredentials(came.list)
		}
	case stepCreate:
		m.created(came)
	case stepFindCredentials:
		if missing, ok := errors.AsType[*NoCredentialsError](came.err); ok && missing.Err == nil {
			m.forbids = missing
		}
		m.failure, m.forbids = m.forbids, nil
	}
}

func (m *adding) see(came answer) {
	m.looked, m.account = came.err == nil, nil
	if came.err == nil && !came.gone {
		now := came.account
		m.account = &now
	}
}

// created takes in what became of the creation.
func (m *adding) created(came answer) {
	m.failure = nil
	switch {
	case errors.As(came.err, new(*ForbiddenError)):
		m.forbids = came.err
	case came.err != nil:
		m.failure = came.err
	case came.unknown || came.changed: // judged by what there is now
		m.lost = m.lost || came.unknown
		m.see(came)
	default:
		now := came.account
		m.account, m.ended = &now, true
	}
}

// sameCredentials says which other objects use the credentials of the account, but for the one that it replaces. A binding of another
// kind is such an object too: it may have a tenant, and clusters that this pool does not count.
func (m *adding) sameCredentials(list *snapshot) (hidden, others error) {
	if list.hidden != nil {
		return list.hidden, nil
	}
	same := &SameCredentialsError{Account: m.Name, Ref: m.Credentials.Ref}
	for _, a := range list.twins(&Account{Name: m.Name, Credentials: &m.Credentials}) {
		kind, _ := BindingName(a.Name)
		switch {
		case kind != "":
			same.Siblings = append(same.Siblings, a.Name)
		case m.replaced == "" || a.UID != m.replaced:
			same.Others = append(same.Others, a.Name)
		}
	}
	if len(slices.Concat(same.Others, same.Siblings)) == 0 {
		return nil, nil
	}
	return nil, same
}

// keepsQuotas says that an account with quotas is only replaced where its owner says what quotas the new one has.
func (s Supply) keepsQuotas(a Account) error {
	if c := a.Credentials; c != nil && len(c.Quotas) > 0 && s.Credentials.Quotas == nil {
		return &SupplyError{Account: a.Name, Quotas: c.Quotas, Obstacle: ObstacleQuotas}
	}
	return nil
}
