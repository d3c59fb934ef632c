package pool

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// snapshot is what this process knows of all accounts at one moment. It is immutable, and so is each account in it: a
// change makes a new snapshot. It consists of the last list, indexed, and of what was read and written since. A change
// copies the latter alone, so that 500 claims on 10,000 accounts do not copy 10,000 accounts 500 times.
type snapshot struct {
	list    *index
	changed map[string]*Account         // since the list, by name; nil = the account is gone
	newRefs map[CredentialsRef][]string // the names of those among the changed whose credentials the list does not have for them
	hidden  error                       // why bindings of another kind may be there that are not listed; nil = all are
	counts  Counts

	listed  time.Time // when the list was begun; it may be newer than the count
	arrived time.Time // when the list had come
	counted time.Time // when the count was begun, with a list; zero = never

	countedBy *index // that list
	beside    beside
}

// index is one list of all accounts, by name, by hyperscaler type, and by the key of each claim on them; and of all that refers to
// credentials, siblings too, the names by the reference.
type index struct {
	all     []*Account
	byName  map[string]*Account // with the siblings
	byType  map[string][]*Account
	byClaim map[string][]*Account
	byRef   map[CredentialsRef][]string
	doubled map[CredentialsRef]bool // the references that several objects have
}

func newIndex(n int) *index {
	return &index{
		all: make([]*Account, 0, n), byName: make(map[string]*Account, n), byType: map[string][]*Account{}, byClaim: map[string][]*Account{},
		byRef: make(map[CredentialsRef][]string, n), doubled: map[CredentialsRef]bool{},
	}
}

func (i *index) add(a *Account) {
	i.byName[a.Name] = a
	if ref, known := a.key(); known {
		i.byRef[ref] = append(i.byRef[ref], a.Name)
		if len(i.byRef[ref]) > 1 {
			i.doubled[ref] = true
		}
	}
	if a.Sibling {
		return
	}
	i.all = append(i.all, a)
	i.byType[a.HyperscalerType] = append(i.byType[a.HyperscalerType], a)
	for _, key := range a.Claims() {
		i.byClaim[key] = append(i.byClaim[key], a)
	}
}

// newSnapshot returns what is known before the first list.
func newSnapshot() *snapshot { return &snapshot{list: newIndex(0)} }

// with returns the snapshot in which one account is as given; nil = it is gone.
func (s *snapshot) with(name string, a *Account) *snapshot {
	next := *s
	next.changed = maps.Clone(s.changed)
	if next.changed == nil {
		next.changed = map[string]*Account{}
	}
	next.changed[name] = a
	next.noteRef(name, a)
	return &next
}

// noteRef keeps the reference of a changed account where the list does not have it.
func (s *snapshot) noteRef(name string, a *Account) {
	if a == nil {
		return
	}
	ref, known := a.key()
	if !known || slices.Contains(s.list.byRef[ref], name) || slices.Contains(s.newRefs[ref], name) {
		return
	}
	refs := maps.Clone(s.newRefs)
	if refs == nil {
		refs = map[CredentialsRef][]string{}
	}
	refs[ref] = append(slices.Clone(refs[ref]), name)
	s.newRefs = refs
}

// withList returns the snapshot with a new list. What was read or written since the snapshot at which the list was begun is
// newer than the list and stays. So does an account of which some cache has answered with the past.
func (s *snapshot) withList(accounts []Account, begun *snapshot) *snapshot {
	n := len(accounts)
	next := *s
	next.changed, next.newRefs = map[string]*Account{}, nil
	next.list = newIndex(n)
	for i := range accounts {
		a := &accounts[i]
		if known := s.account(a.Name); known != nil && a.olderThan(known) {
			a = known
		}
		next.list.add(a)
	}
	for name, a := range s.changed {
		if before, known := begun.changed[name]; !known || before != a {
			next.changed[name] = a
			next.noteRef(name, a)
		}
	}
	return &next
}

// asOf returns the snapshot of a list that was begun and has arrived at these times, and may hide bindings of another kind.
func (s *snapshot) asOf(began, arrived time.Time, hidden error) *snapshot {
	next := *s
	next.listed, next.arrived, next.hidden = began, arrived, hidden
	return &next
}

// withCounts returns the snapshot with a count that was begun with its list. After an error it has the count that it had.
//
// Errors: [DisagreementError].
func (s *snapshot) withCounts(counts Counts, began time.Time) (*snapshot, error) {
	joined, err := s.joined(counts)
	if err != nil {
		return s, err
	}
	next := *s
	next.counts, next.counted, next.countedBy = s.besides(joined), began, s.list
	return &next, nil
}

// withBeside returns the snapshot with what the source knows that does not count.
func (s *snapshot) withBeside(found beside) *snapshot {
	next := *s
	next.beside = found
	next.counts = next.besides(s.counts)
	return &next
}

// withRead returns the snapshot with what a read has found that was begun at another snapshot; nil = no such account. Where
// a list, a read or a write came since, what is here may be newer, and it stays.
func (s *snapshot) withRead(name string, found *Account, begun *snapshot) *snapshot {
	if s.list != begun.list || s.account(name) != begun.account(name) {
		return s
	}
	return s.with(name, found)
}

// account returns an account by its name; nil = there is none.
func (s *snapshot) account(name string) *Account {
	if a, ok := s.changed[name]; ok {
		return a
	}
	return s.list.byName[name]
}

// accounts returns all accounts, in no order.
func (s *snapshot) accounts() []*Account {
	return s.merged(s.list.all, func(*Account) bool { return true })
}

// ofType returns the accounts of a hyperscaler type, in no order.
func (s *snapshot) ofType(hyperscalerType string) []*Account {
	return s.merged(s.list.byType[hyperscalerType], func(a *Account) bool { return a.HyperscalerType == hyperscalerType })
}

// claim returns the account on which a claim is recorded, whatever its pool has become since; the first by name should there be
// several, nil where there is none.
func (s *snapshot) claim(key string) *Account {
	bearers := s.merged(s.list.byClaim[key], func(a *Account) bool { _, ok := a.Holds(key); return ok })
	if len(bearers) == 0 {
		return nil
	}
	return slices.MinFunc(bearers, byName)
}

// merged returns the listed accounts that have not changed since, and of those that have the wanted ones; each with its twins.
func (s *snapshot) merged(listed []*Account, wanted func(*Account) bool) []*Account {
	accounts := make([]*Account, 0, len(listed))
	for _, a := range listed {
		if _, ok := s.changed[a.Name]; !ok {
			accounts = append(accounts, s.whole(a))
		}
	}
	for _, a := range s.changed {
		if a != nil && !a.Sibling && wanted(a) {
			accounts = append(accounts, s.whole(a))
		}
	}
	return accounts
}

func byName(a, b *Account) int { return strings.Compare(a.Name, b.Name) }

// candidates returns the accounts that a query can concern: those of its pool's type, or the pinned one.
func (s *snapshot) candidates(q Query) []*Account {
	if q.Pin == "" {
		return s.ofType(q.Target.HyperscalerType)
	}
	if a := s.account(q.Pin); a != nil && !a.Sibling {
		return []*Account{s.whole(a)}
	}
	return nil
}

// held returns the names of the accounts of a pool that a Global Account holds and can use, sorted. One that another binding of the same
// credentials makes the Global Account's is none of them: no label on it says so.
func (s *snapshot) held(globalAccount string, target Target) []string {
	var held []string
	for _, a := range s.ofType(target.HyperscalerType) {
		if a.Target() == target && a.Tenant != "" && Classify(a, Usage{}, globalAccount) == ClassHeld {
			held = append(held, a.Name)
		}
	}
	slices.Sort(held)
	return held
}

// missing returns the places of the wanted pools for which there is no account.
func (s *snapshot) missing(wanted []func(Target) bool) (missing []int) {
	targets := map[Target]bool{}
	for _, a := range s.accounts() {
		targets[a.Target()] = true
	}
	for i, wants := range wanted {
		met := false
		for target := range targets {
			met = met || wants(target)
		}
		if !met {
			missing = append(missing, i)
		}
	}
	return missing
}

// clearVoid adds to a change by which a claim takes a free account the removal of what would count again there: records of
// other Global Accounts, and records of claims that are on other accounts by now.
func (s *snapshot) clearVoid(a *Account, claim, globalAccount string, change Change) {
	for key, record := range a.Records {
		if key == claim {
			continue
		}
		other := s.claim(key)
		if record.GlobalAccount != globalAccount || other != nil && other.Name != a.Name {
			change.Records[key] = nil
		}
	}
}

// mayReturn reports whether a claim may take back an account from which its tenant's label was taken: no cluster lives there,
// or every one is the tenant's by the broker's database, and no record says that another tenant was there. A record of the
// tenant proves nothing: it is left behind when the broker frees the account for another.
func (s *snapshot) mayReturn(a *Account, globalAccount string) bool {
	return s.counts.living(a.Name) == 0 || !a.remembersOthers(globalAccount) && s.counts.allOf(a.Name, globalAccount)
}
