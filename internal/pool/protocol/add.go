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
	read    bool             // the account of the name was read, or there is none
	account *account.Account // that is there; nil = none is
	listed  int              // how often the credentials in use were listed
	others  error            // that other objects use the credentials; nil = none does
	outside bool             // no binding of another namespace uses them
	named   []string         // the bindings of the account that clusters name, as far as they are counted
	usage   usage            // by a count that was begun since
	lost    bool             // the answer to the creation was lost
	found   bool             // the labels of the credentials are known, or the credentials are not
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
	return &Adding{Supply: supply, replaced: replaced, age: MaxAge, lastMade: lastMade, dry: true}
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
	case !m.read:
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
	}
	return m.create()
}

// refers reports whether the account refers to credentials that are known.
func (m *Adding) refers() bool {
	return m.Credentials.Ref.Name != "" && m.Credentials.Ref.Namespace != ""
}

// create makes the account once it is known that nothing else uses its credentials, and what their labels say.
func (m *Adding) create() Step {
	switch {
	case m.others != nil:
		return Done{Err: m.others}
	case len(m.named) > 0 && !m.usage.counted: // the count may be older than their end
		return FindUsers{m.named}
	case len(m.usage.users) > 0:
		return Done{Err: &account.SupplyError{Account: m.Name, Obstacle: account.ObstacleNamed, Users: m.usage.users}}
	case !m.outside && m.refers():
		return FindOutside{m.Credentials.Ref}
	case m.dry:
		return Done{}
	case !m.found && m.refers():
		return FindCredentials{m.Credentials.Ref}
	}
	return Create{m.Supply}
}

// owned is the list of the credentials in use, unless the account is its own credentials, or they are not known yet.
func (m *Adding) owned(list Step) Step {
	if m.refers() {
		return list
	}
	m.listed = 2
	return m.create()
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
			m.named = m.namedBy(came.List)
		}
	case FindUsers:
		m.failure = m.usage.learn(did, came, &account.Account{Name: m.Name})
	case FindOutside:
		m.foundOutside(came)
	case Create:
		m.created(came)
	case FindCredentials:
		m.foundCredentials(came)
	}
}

// Waited has all be found out anew that says that nothing else uses the credentials.
func (m *Adding) Waited() {
	m.listed, m.others, m.outside, m.found = 0, nil, false, false
	m.named, m.usage = nil, usage{}
}

// foundCredentials takes in what the labels of the credentials say. Where there are no credentials, or not for this user, the server
// decides whether the account may be made without.
func (m *Adding) foundCredentials(came Answer) {
	missing, none := errors.AsType[*account.NoCredentialsError](came.Err)
	switch {
	case m.forbids != nil && none && missing.Err == nil:
		m.failure = missing
	case m.forbids != nil:
		m.failure = m.forbids
	case none:
		m.failure, m.found = nil, true
	case came.Err == nil:
		m.failure, m.found = m.OfLabelled(came.Account), true
	}
	m.forbids = nil
}

// foundOutside takes in which bindings of other namespaces use the credentials. Whose clusters these bring is not known, and where they
// must not be listed, the addition does not assume that there are none.
func (m *Adding) foundOutside(came Answer) {
	switch same := (&account.SameCredentialsError{Account: m.Name, Ref: m.Credentials.Ref}); {
	case errors.As(came.Err, new(*account.ForbiddenError)):
		m.failure = &account.OutsideUnseenError{Account: m.Name, Ref: m.Credentials.Ref, Err: came.Err}
	case len(came.Outside) > 0:
		for _, a := range came.Outside {
			same.Siblings = append(same.Siblings, a.Name)
		}
		slices.Sort(same.Siblings)
		m.failure = same
	default:
		m.outside = came.Err == nil
	}
}

func (m *Adding) see(came Answer) {
	m.read, m.account = came.Err == nil, nil
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

// namedBy returns the bindings that are the account's once it is made, where clusters name any of them by now; nil = none do.
func (m *Adding) namedBy(list *Snapshot) []string {
	bindings := list.bindings(&account.Account{Name: m.Name, Credentials: &m.Credentials})
	if list.Counts.Unused(bindings) {
		return nil
	}
	return bindings
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
