package protocol

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// MoveRequest takes a claim from one binding of a cloud account to another one. The Account and UID are those of the binding that the claim
// was made on, under the name that [account.Account] has: of another kind than the pool's, "SecretBinding aws-1".
type MoveRequest struct {
	UpdateRequest
	To string // the account that the claim goes to; empty = the only one that refers to the same credentials
	// Credentials are those of the claim, as this side knows them: by these the account is found where the old binding is gone. The zero value
	// = they are not known.
	Credentials account.CredentialsRef
	// Ends says whose claim it is that a release takes along before it ends it: the mark of another state refuses that, and each mark stays.
	// Nil = the claim goes on.
	Ends *account.Keeper
}

// Moving is what a move has seen so far; [Moving.Next] says what it does then.
//
// The new binding gets the record, and the tenant's label where it has none, before the old one loses the record: at each moment one of the
// two says that the claim is there. The label of the old binding stays: Shoots may name it, and brokers may read it.
type Moving struct {
	plain
	MoveRequest
	record string // the key of the claim's record

	allowed bool             // accounts may be written
	from    *account.Account // the old binding as it was read last; nil = it has to be read
	gone    bool             // there is no such binding any more, or another one has its name
	listed  bool             // the other bindings are known by a list as fresh as one by which a free account is taken
	raced   bool             // another party has written on one of them: the next list has to be a new one
	void    *account.Account // an account that has got the record, and that the Global Account has lost since
	written bool             // a write has taken effect, or may have
	labels  string           // the account that such a write has given the tenant's label; empty = none

	moved   *account.Account // the account with the record, once the move has ended
	failure error
}

// NewMoving returns the steps of a move.
func NewMoving(req MoveRequest) *Moving { return &Moving{MoveRequest: req, record: req.Identity.Key()} }

// Moved returns the account that the claim is on, once the steps have ended without an error.
func (m *Moving) Moved() *account.Account { return m.moved }

// Key is that of the record of the claim.
func (m *Moving) Key() string { return m.record }

// Next says what the move does: it judges both bindings as they are, writes the record on the new one, and takes it off the old one.
func (m *Moving) Next(f Facts) Step {
	switch {
	case m.failure != nil:
		return m.fail(m.failure)
	case m.moved != nil:
		return Done{}
	case !m.allowed:
		return AskRight{}
	case m.void != nil:
		return m.withdraw(m.void)
	case m.from == nil && !m.gone:
		return Read{m.Account}
	case !m.listed && m.raced:
		return List{f.Now}
	case !m.listed:
		return List{f.Now.Add(-MaxFreeAge)}
	}
	m.catchUp(f.Snapshot)
	if lost := m.lost(f.Snapshot); lost != nil {
		return m.withdraw(lost)
	}
	to, err := m.destination(f.Snapshot)
	if err != nil {
		return m.fail(err)
	}
	if account.ParseTarget(m.Identity.Pool).Shared { // nothing is ever recorded there
		m.moved = to
		return Done{}
	}
	change, err := m.arrival(f, *to)
	switch {
	case err != nil:
		return m.fail(err)
	case !change.IsOn(*to):
		return Write{Judged: *to, Change: change, To: ToMove, After: Rejudge}
	case m.leaves():
		return Write{Judged: *m.from, Change: m.departure(*m.from), To: ToDepart, After: Rejudge}
	}
	if other := m.other(to); other != nil {
		return Write{Judged: *other, Change: m.departure(*other), To: ToDepart, After: Rejudge}
	}
	m.moved = to
	return Done{}
}

// Waited has both bindings be judged anew, where they are known. Operations that get their turn one after the other share a list.
func (m *Moving) Waited() {
	if m.listed {
		m.from, m.gone, m.listed = nil, false, false
	}
}

// fail ends the move with an error, which says so where something was written.
func (m *Moving) fail(err error) Step {
	if m.written && !errors.As(err, new(*HalfMovedError)) {
		cut := &MoveCutError{Err: err}
		if refused, is := errors.AsType[*MoveError](err); is && refused.Intruder != "" {
			cut.Labelled = m.labels
		}
		err = cut
	}
	return Done{Err: err}
}

func (m *Moving) withdraw(from *account.Account) Step {
	return Write{Judged: *from, Change: m.withoutRecord(), To: ToWithdraw, After: Resend}
}

// catchUp takes the old binding as the list has it, where that is newer than the read before the list. A Secret is in no list.
func (m *Moving) catchUp(s *Snapshot) {
	now := s.Account(m.Account)
	switch {
	case now == nil || m.from != nil && now.OlderThan(m.from):
	case now.UID == m.UID:
		m.from, m.gone = now, false
	default:
		m.from, m.gone = nil, true
	}
}

// other returns a further binding of the cloud account that bears the record, by a run that was killed and was to go there; nil = none
// does.
func (m *Moving) other(to *account.Account) *account.Account {
	for _, t := range to.Twins() {
		if record, bears := t.Holds(m.Key()); bears && t.Name != m.Account && t.Outside == "" && m.mayChange(record) {
			return t
		}
	}
	return nil
}

// lost returns a binding of the cloud account that bears the record, by a run that was killed, and that another Global Account holds since;
// nil = there is none. Otherwise the record would count again if the Global Account regained it.
func (m *Moving) lost(s *Snapshot) *account.Account {
	for _, t := range s.twins(m.origin()) {
		if t.Name == m.Account || t.Outside != "" || t.Tenant == "" {
			continue
		}
		if record := t.Records[m.Key()]; t.HasVoid(m.Key(), record.Owner) && m.mayChange(record) {
			return t
		}
	}
	return nil
}

// Destination returns the account that a move would take the claim to, by what is known now.
//
// Errors: [MoveError], [UnusableError] and [account.TakenError].
func (m *Moving) Destination(s *Snapshot, from *account.Account) (*account.Account, error) {
	m.from, m.gone = from, from == nil || from.UID != m.UID
	return m.destination(s)
}

// destination chooses the account that the claim goes to. It belongs to the claim's pool, is one cloud account with the old binding, and no
// other Global Account is in it.
func (m *Moving) destination(s *Snapshot) (*account.Account, error) {
	of := m.origin()
	twins := s.twins(of)
	if !m.gone { // a Secret is in no list
		twins = append(slices.DeleteFunc(twins, func(t *account.Account) bool { return t.Name == of.Name }), of)
	}
	to, err := m.choose(twins)
	if err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(slices.Clone(twins), func(t *account.Account) bool { return t.Name == to.Name })
	to = to.WithTwins(others)
	return to, m.mayArrive(to)
}

// origin is the old binding; where it is gone, one that has its credentials.
func (m *Moving) origin() *account.Account {
	if m.gone {
		return &account.Account{Credentials: &account.Credentials{Ref: m.Credentials}}
	}
	return m.from
}

// choose returns the account of the pool among the bindings of the cloud account: the one that is asked for, else the one that has the
// record already, else the only one. Of several that no Global Account holds but by the old binding none is the right one. A binding that
// is asked for and lacks the label of the hyperscaler type, or is being deleted, is none of the claim's, and no other account either.
func (m *Moving) choose(twins []*account.Account) (*account.Account, error) {
	refused := &MoveError{Identity: m.Identity, From: m.Account, To: m.To, Known: len(twins)}
	var all, held []*account.Account
	for _, t := range twins {
		kind, _ := account.BindingName(t.Name)
		switch {
		case t.Name == m.Account || kind != "":
		case t.Sibling:
			refused.Untyped = append(refused.Untyped, t.Name)
			refused.Joined = refused.Joined || t.Name == m.To
		case m.To != "" && t.Name != m.To || t.Terminating:
			refused.Passed = append(refused.Passed, t.Name)
			refused.Joined = refused.Joined || t.Name == m.To
		default:
			all = append(all, t)
			if _, bears := t.Holds(m.Key()); bears {
				return t, nil
			}
			if t.Tenant == m.Identity.GlobalAccount {
				held = append(held, t)
			}
		}
	}
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(held) == 1:
		return held[0], nil
	}
	for _, t := range all {
		refused.Several = append(refused.Several, t.Name)
	}
	return nil, refused
}

// mayArrive says why a claim must not come to an account; nil = it may. The cloud account has to be the Global Account's already, by one of
// its bindings: so the label that the new binding lacks says nothing new.
func (m *Moving) mayArrive(to *account.Account) error {
	ga, target := m.Identity.GlobalAccount, account.ParseTarget(m.Identity.Pool)
	if intruder := to.IntruderFor(ga); intruder != nil {
		return &MoveError{Identity: m.Identity, From: m.Account, To: to.Name, Intruder: byTwin(to.Name, intruder).Error(),
			Known: 1 + len(to.Twins()), Joined: m.To != ""}
	}
	holder, _ := to.Holder()
	labelled := *to
	if !target.Shared {
		labelled.Tenant = ga
	}
	_, bears := to.Holds(m.Key())
	verdict := account.Verdict(labelled.Unusable(ga))
	switch {
	case !target.Shared && (holder != ga || to.Tenant != "" && to.Tenant != ga):
		return &account.TakenError{Account: to.Name, Tenant: cmp.Or(to.Tenant, holder), Wanted: ga}
	case to.Target() != target:
		verdict = account.VerdictMoved
	case bears: // what has happened to the cloud account since does not keep the claim on the old binding
		return nil
	}
	if verdict != "" {
		return &UnusableError{Identity: m.Identity, Account: to.Name, Verdict: verdict}
	}
	return nil
}

// arrival is the change that records the claim on an account as it is, or why it must not be recorded there. The record is that of the old
// binding, with the time of the claim and the mark of its state.
func (m *Moving) arrival(f Facts, to account.Account) (account.Change, error) {
	var record account.Record
	recorded := false
	for _, at := range []*account.Account{m.origin(), &to} {
		if err := at.UnreadableRecord(m.Identity); err != nil {
			return account.Change{}, err
		}
		found, there := at.Holds(m.Key())
		switch {
		case there && !m.mayChange(found):
			return account.Change{}, m.ownerError(*at, found)
		case there && m.Ends != nil && m.Ends.IsForeign(found.Mark):
			return account.Change{}, &OtherStateError{Identity: m.Identity, Account: at.Name, Since: found.Mark.At}
		}
		if there {
			record, recorded = found, true
		}
		if at.Name != to.Name {
			record.ReleasingSince = time.Time{} // a fence of the old binding stays there
		}
	}
	if !recorded {
		record = m.recordAnew(account.Account{Tenant: m.Identity.GlobalAccount}, f.Now)
	}
	change, err := m.recorded(to, record, recorded, f.Now)
	if change.Tenant != nil {
		f.clearVoid(&to, m.Key(), m.Identity.GlobalAccount, change)
	}
	return change, err
}

// leaves reports whether the old binding still bears the record.
func (m *Moving) leaves() bool {
	if m.gone {
		return false
	}
	_, there := m.from.Records[m.Key()]
	return there
}

// departure is the change that takes the record off a binding that the claim leaves. A fence goes with it, as where a claim is released
// that others stay beside: the cloud account stays in use, and the release that has put the fence up finds it gone before it marks
// anything.
func (m *Moving) departure(from account.Account) account.Change {
	change := m.withoutRecord()
	if from.Dirty == account.Releasing {
		clean := account.Clean
		change.Dirty = &clean
	}
	return change
}

func (m *Moving) withoutRecord() account.Change {
	return account.Change{Records: map[string]*account.Record{m.Key(): nil}}
}

// Learn takes in what came back of a step.
func (m *Moving) Learn(did Step, came Answer) {
	m.failure = came.Err
	now := came.Account
	switch s := did.(type) {
	case AskRight:
		m.allowed = came.Err == nil
	case Read:
		m.from, m.gone = nil, came.Err == nil && (came.Gone || now.UID != m.UID)
		if came.Err == nil && !m.gone {
			m.from = &now
		}
	case List:
		m.listed, m.raced = came.Err == nil, false
	case Write:
		m.wrote(s, came)
	}
}

// wrote takes in what became of a write. Where it has not taken effect both bindings are judged anew.
func (m *Moving) wrote(s Write, came Answer) {
	now := came.Account
	took := came.Err == nil && !came.Gone && !came.Changed && !came.Unknown
	m.written = m.written || took || came.Unknown
	if s.Change.Tenant != nil && took {
		m.labels = s.Judged.Name
	}
	switch {
	case came.Err != nil:
		m.failure = fmt.Errorf("writing %s: %w", s.Judged.Name, came.Err)
		if s.To == ToDepart {
			m.failure = &HalfMovedError{Identity: m.Identity, From: s.Judged.Name, Err: came.Err}
		}
	case s.To == ToWithdraw:
		m.void = nil
	case s.To == ToDepart && took && s.Judged.Name == m.Account:
		m.from = &now
	case took:
	default:
		m.from, m.gone, m.listed, m.raced = nil, false, false, true
		if came.Changed && s.Change.VoidOn(now) {
			m.void = &now
		}
	}
}
