package protocol

import (
	"errors"
	"slices"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Adding is what an addition has seen so far.
type Adding struct {
	plain
	account.Supply
	replaced string        // the UID of the account that this one replaces; empty = none
	age      time.Duration // of the list of the credentials in use, at most
	lastMade time.Time     // when this process has last made an account with these credentials
	dry      bool          // a plan asks: nothing is written

	recent  bool
	looked  bool             // for an account of the name
	account *account.Account // that is there; nil = none is
	listed  int              // how often the credentials in use were listed
	others  error            // that other objects use the credentials; nil = none does
	lost    bool             // the answer to the creation was lost
	forbids error            // the server forbids it
	failure error
	ended   bool
}

// NewAdding returns the steps of an addition, by a list of the credentials in use that is as fresh as one by which a free account is taken.
// lastMade is when this process has last made an account with these credentials; zero = never.
func NewAdding(supply account.Supply, lastMade time.Time) *Adding {
	return &Adding{Supply: supply, age: MaxFreeAge, lastMade: lastMade}
}

// NewAddingDry returns the steps by which a plan asks whether an account may be added. It may replace an account, by its UID.
func NewAddingDry(supply account.Supply, replaced string, lastMade time.Time) *Adding {
	return &Adding{Supply: supply, replaced: replaced, age: MaxAge, lastMade: lastMade, dry: true, recent: true}
}

// Made returns the account, once the steps have ended without an error.
func (m *Adding) Made() account.Account { return *m.account }

// Next says what the addition does: it finds an account of the name, and other objects with the same credentials, and makes the
// account. That may be sent again after a lost answer: of two objects of one name the server refuses one.
func (m *Adding) Next(f Facts) Step {
	switch there := m.account; {
	case m.forbids != nil:
		return FindCredentials{m.Credentials.Ref}
	case m.failure != nil || m.ended:
		return Done{Err: m.failure}
	case !m.recent: // what can fail fails before anything is written
		return Recent{}
	case !m.looked:
		return Read{m.Name}
	case there != nil && m.lost && m.IsOn(*there) && !there.Terminating: // its answer was lost
		m.ended = true
		return Done{}
	case there != nil && (m.replaced == "" || there.UID != m.replaced):
		return Done{Err: m.Exists(*there)}
	case m.listed == 0:
		notBefore := f.Now.Add(-m.age)
		if m.lastMade.After(notBefore) {
			notBefore = m.lastMade
		}
		return m.owned(List{notBefore})
	case m.others != nil && m.listed == 1: // the other object may have gone since
		return List{f.Now}
	case m.others != nil || m.dry:
		return Done{Err: m.others}
	}
	return Create{m.Supply}
}

// owned is the list of the credentials in use, unless the account is its own credentials, or they are not known yet.
func (m *Adding) owned(list Step) Step {
	if m.Credentials.Ref.Name != "" && m.Credentials.Ref.Namespace != "" {
		return list
	}
	if m.listed = 2; m.dry {
		return Done{}
	}
	return Create{m.Supply}
}

// Learn takes in what came back of a step.
func (m *Adding) Learn(did Step, came Answer) {
	m.failure = came.Err
	switch did.(type) {
	case Recent:
		m.recent = came.Err == nil
	case Read:
		m.see(came)
	case List:
		m.listed++
		if m.others = nil; came.Err == nil {
			m.failure, m.others = m.sameCredentials(came.List)
		}
	case Create:
		m.created(came)
	case FindCredentials:
		if missing, ok := errors.AsType[*account.NoCredentialsError](came.Err); ok && missing.Err == nil {
			m.forbids = missing
		}
		m.failure, m.forbids = m.forbids, nil
	}
}

func (m *Adding) see(came Answer) {
	m.looked, m.account = came.Err == nil, nil
	if came.Err == nil && !came.Gone {
		now := came.Account
		m.account = &now
	}
}

// created takes in what became of the creation.
func (m *Adding) created(came Answer) {
	m.failure = nil
	switch {
	case errors.As(came.Err, new(*account.ForbiddenError)):
		m.forbids = came.Err
	case came.Err != nil:
		m.failure = came.Err
	case came.Unknown || came.Changed: // judged by what there is now
		m.lost = m.lost || came.Unknown
		m.see(came)
	default:
		now := came.Account
		m.account, m.ended = &now, true
	}
}

// sameCredentials says which other objects use the credentials of the account, but for the one that it replaces. A binding of another
// kind is such an object too: it may have a tenant, and clusters that this pool does not count.
func (m *Adding) sameCredentials(list *Snapshot) (hidden, others error) {
	if list.Hidden != nil {
		return list.Hidden, nil
	}
	same := &account.SameCredentialsError{Account: m.Name, Ref: m.Credentials.Ref}
	for _, a := range list.twins(&account.Account{Name: m.Name, Credentials: &m.Credentials}) {
		kind, _ := account.BindingName(a.Name)
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
