package protocol

import (
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// AmendRequest changes what the pool's owner says of an account.
type AmendRequest struct {
	account.Supply          // what shall be said; its Credentials do not matter
	UID            string   // differs from that of a later account of its name
	Labels         []string // the keys of labels that the owner has written before; what the supply does not name of them is removed
	// Alone has the quarantine alone be written: all else stays as it is on the account.
	Alone bool
}

// Amending is what a change of the pool's owner has seen so far: of an account, or of an object of the user's that is to become one.
type Amending struct {
	plain
	AmendRequest
	label bool // the object is to become an account
	dry   bool // a plan asks whether it may be changed: nothing is written

	recent  bool             // there is a list and a count, or it goes without
	account *account.Account // as it was read or written last; nil = it has to be read
	gone    bool             // there is no such account
	usage
	failure error
	ended   bool
}

// NewAmending returns the steps of a change of an account. A plan asks dry. A change that is urgent waits for no list and no count.
func NewAmending(req AmendRequest, dry bool) *Amending {
	return &Amending{AmendRequest: req, dry: dry, recent: dry || req.Quarantine != ""}
}

// NewLabeling returns the steps by which an object of the user's becomes an account.
func NewLabeling(supply account.Supply, dry bool) *Amending {
	return &Amending{AmendRequest: AmendRequest{Supply: supply}, label: true, dry: dry, recent: dry}
}

// Written returns the account, once the steps have ended without an error.
func (m *Amending) Written() account.Account { return *m.account }

// Next says what the change does: it reads the account, judges it as it is, and writes what differs.
func (m *Amending) Next(f Facts) Step {
	switch {
	case m.failure != nil || m.ended:
		return Done{Err: m.failure}
	case !m.recent:
		return Recent{}
	case m.gone && m.label:
		return Done{Err: &account.NoCredentialsError{Ref: m.Credentials.Ref}}
	case m.gone:
		return Done{Err: &account.NotFoundError{Account: m.Name}}
	case m.account == nil:
		return Read{m.Name}
	case !m.label && m.account.UID != m.UID:
		return Done{Err: &account.NotFoundError{Account: m.Name, Anew: m.account.UID}}
	}
	return m.judge(f, *m.account)
}

// judge says what remains to be done on the account as it is.
func (m *Amending) judge(f Facts, a account.Account) Step {
	wanted := m.wanted(a)
	change, part := wanted.Change(a, m.Labels)
	if m.Alone {
		change.Flags = nil // those that say "false" stay, too
	}
	if m.label && a.HyperscalerType != "" {
		return Done{Err: &account.ExistsError{Account: a.Name, Same: change.IsOn(a), Deleting: a.Terminating}}
	}
	if err := wanted.Refusal(a, change, part); err != nil {
		return Done{Err: err}
	}
	uncovered := change.Uncovers(a)
	hidden := !m.label && uncovered != account.PartWhole
	if hidden {
		part = uncovered
	}
	if hidden || part.Moves() { // clusters that are on it would come to others, or have other neighbours
		if first := m.empty(f, &a, part); first != nil {
			return first
		}
	} else if change.Flags[account.FlagInternal] { // a claim on another binding would leave the account behind, unwiped
		if m.whole == nil {
			return m.list(f)
		}
		if err := m.whole.KeptByTwin(account.PartInternal); err != nil {
			return Done{Err: err}
		}
	}
	if m.dry || change.IsOn(a) {
		m.ended = true
		return Done{}
	}
	return Write{Judged: a, Change: change, To: ToSupply, After: Rejudge}
}

// wanted is what the account is to be.
func (m *Amending) wanted(a account.Account) account.Supply {
	if !m.Alone {
		return m.Supply
	}
	return account.Supply{
		Name: a.Name, Target: a.Target(), Internal: a.Internal, Labels: a.Labels, Quarantine: m.Quarantine, Credentials: m.Credentials,
	}
}

// Learn takes in what came back of a step.
func (m *Amending) Learn(did Step, came Answer) {
	m.failure = came.Err
	switch did.(type) {
	case Recent:
		m.recent = came.Err == nil
	case List, FindUsers:
		m.failure = m.usage.learn(did, came, m.account)
	case Read, Write:
		_, wrote := did.(Write)
		now := came.Account
		m.account, m.gone, m.usage = &now, came.Gone, usage{}
		m.ended = wrote && came.Err == nil && !came.Gone && !came.Changed && !came.Unknown
	}
}

// Waited has it be found out anew who uses the account.
func (m *Amending) Waited() { m.usage = usage{} }

// usage is what an operation of the pool's owner has found out of who uses an account, since it has read it.
type usage struct {
	whole    *account.Account // the account with the other bindings of its credentials; nil = they are not listed
	bindings []string
	users    []account.User
	counted  bool
}

// list waits for a list as fresh as one by which a free account is taken.
func (u *usage) list(f Facts) Step { return List{f.Now.Add(-MaxFreeAge)} }

// unused is what has to be found out before a change that nothing may use these bindings for, or the refusal of it; nil = nothing does.
func (u *usage) unused(a *account.Account, bindings []string, part account.Part) Step {
	switch {
	case !u.counted:
		return FindUsers{bindings}
	case len(u.users) > 0:
		return Done{Err: &account.SupplyError{Account: a.Name, Part: part, Obstacle: account.ObstacleClusters, Users: u.users}}
	}
	return nil
}

// empty is unused for all bindings of the cloud account, none of which may be a tenant's or dirty.
func (u *usage) empty(f Facts, a *account.Account, part account.Part) Step {
	if u.whole == nil {
		return u.list(f)
	}
	if err := u.whole.KeptByTwin(part); err != nil {
		return Done{Err: err}
	}
	return u.unused(a, u.bindings, part)
}

// learn takes in what came back of a list or a count of the clusters on an account.
func (u *usage) learn(did Step, came Answer, a *account.Account) error {
	switch did.(type) {
	case List:
		if came.Err == nil {
			u.whole, u.bindings = came.List.Whole(a), came.List.bindings(a)
		}
	case FindUsers:
		if u.users, u.counted = came.Users, came.Err == nil; came.Err != nil {
			return fmt.Errorf("whether clusters are on account %s is not known: %w", a.Name, came.Err)
		}
	}
	return came.Err
}
