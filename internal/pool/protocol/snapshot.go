package protocol

import (
	"maps"
	"slices"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// besides returns a count with what the source knows that does not count, by cloud account.
func (s *Snapshot) besides(counts account.Counts) account.Counts {
	other, err := s.Joined(s.Beside.Counts)
	if err != nil { // one source differs from none
		other = s.Beside.Counts
	}
	return counts.WithBeside(other)
}

// freeWhenCounted reports whether an account was free by the list before the newest count. One that was not may have got clusters since.
// Other bindings of the credentials lead clusters in without a mark on any of them: with these, the count has to be begun at since or
// later, and its list has to show all of them.
func (s *Snapshot) freeWhenCounted(a *account.Account, since time.Time) bool {
	if s.countedBy == nil {
		return false
	}
	if others := s.others(a); len(others) > 0 && s.countedBy != s.list {
		unseen := func(other *account.Account) bool { return s.countedBy.byName[other.Name] == nil }
		if s.Counted.Before(since) || slices.ContainsFunc(others, unseen) {
			return false
		}
	}
	then := s.countedBy.byName[a.Name]
	if then == nil || then.UID != a.UID {
		return false
	}
	then = then.WithTwins((&Snapshot{list: s.countedBy}).twins(then))
	holder, _ := then.Holder()
	return holder == "" && then.IntruderFor("") == nil && then.Unusable("") == ""
}

// others returns the other bindings that lead into the cloud account of an account, or may by the name that an annotation gives. One whose
// annotation cannot be read may lead into any.
func (s *Snapshot) others(a *account.Account) []*account.Account {
	twins := s.twins(a)
	doubtful := slices.DeleteFunc(s.doubtful(a.WithTwins(twins)), func(other *account.Account) bool { return other.SameAsUnread != "" })
	return slices.Concat(twins, doubtful)
}

// voids returns the accounts, by name, on which the record of a claim lies that its Global Account has lost: a run of the claim that was
// killed after its write leaves one behind. A shared account is never written.
func (s *Snapshot) voids(key, owner string) (found []*account.Account) {
	for _, a := range s.changed {
		if a != nil && !a.Sibling && a.HasVoid(key, owner) {
			found = append(found, a)
		}
	}
	for _, a := range s.list.all {
		if len(a.Records) == 0 || !a.HasVoid(key, owner) { // most accounts need no search in a map
			continue
		}
		if _, changed := s.changed[a.Name]; !changed {
			found = append(found, a)
		}
	}
	slices.SortFunc(found, account.ByName)
	return found
}

// Snapshot is what this process knows of all accounts at one moment. It is immutable, and so is each account in it: a
// change makes a new snapshot. It consists of the last list, indexed, and of what was read and written since. A change
// copies the latter alone, so that 500 claims on 10,000 accounts do not copy 10,000 accounts 500 times.
type Snapshot struct {
	list        *index
	changed     map[string]*account.Account         // since the list, by name; nil = the account is gone
	newRefs     map[account.CredentialsRef][]string // the names of those among the changed whose credentials the list does not have for them
	newDeclared []string                            // the names of those among the changed that are declared, and not in the list
	Hidden      error                               // why bindings of another kind may be there that are not listed; nil = all are
	Counts      account.Counts

	Listed  time.Time // when the list was begun; it may be newer than the count
	arrived time.Time // when the list had come
	Counted time.Time // when the list was begun that the count followed; zero = never

	countedBy *index // that list
	Beside    Beside
}

// NewSnapshot returns what is known before the first list.
func NewSnapshot() *Snapshot { return &Snapshot{list: newIndex(0)} }

// With returns the snapshot in which one account is as given; nil = it is gone.
func (s *Snapshot) With(name string, a *account.Account) *Snapshot {
	next := *s
	next.changed = maps.Clone(s.changed)
	if next.changed == nil {
		next.changed = map[string]*account.Account{}
	}
	next.changed[name] = a
	next.noteRef(name, a)
	return &next
}

// noteRef keeps the reference of a changed account where the list does not have it.
func (s *Snapshot) noteRef(name string, a *account.Account) {
	if a == nil {
		return
	}
	if isDeclared(a) && !slices.Contains(s.newDeclared, name) {
		s.newDeclared = append(slices.Clone(s.newDeclared), name)
	}
	for _, ref := range a.CredentialsKeys() {
		if slices.Contains(s.list.byRef[ref], name) || slices.Contains(s.newRefs[ref], name) {
			continue
		}
		refs := maps.Clone(s.newRefs)
		if refs == nil {
			refs = map[account.CredentialsRef][]string{}
		}
		refs[ref] = append(slices.Clone(refs[ref]), name)
		s.newRefs = refs
	}
}

// WithList returns the snapshot with a new list. What was read or written since the snapshot at which the list was begun is
// newer than the list and stays. So does an account of which some cache has answered with the past.
func (s *Snapshot) WithList(accounts []account.Account, begun *Snapshot) *Snapshot {
	n := len(accounts)
	next := *s
	next.changed, next.newRefs, next.newDeclared = map[string]*account.Account{}, nil, nil
	next.list = newIndex(n)
	for i := range accounts {
		a := &accounts[i]
		if known := s.Account(a.Name); known != nil && a.OlderThan(known) {
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

// AsOf returns the snapshot of a list that was begun and has arrived at these times, and may hide bindings of another kind.
func (s *Snapshot) AsOf(began, arrived time.Time, hidden error) *Snapshot {
	next := *s
	next.Listed, next.arrived, next.Hidden = began, arrived, hidden
	return &next
}

// WithCounts returns the snapshot with a count that was begun after its list; the list was begun at began. After an error it has the count
// that it had.
//
// Errors: [account.DisagreementError].
func (s *Snapshot) WithCounts(counts account.Counts, began time.Time) (*Snapshot, error) {
	joined, err := s.Joined(counts)
	if err != nil {
		return s, err
	}
	next := *s
	next.Counts, next.Counted, next.countedBy = s.besides(joined), began, s.list
	return &next, nil
}

// WithBeside returns the snapshot with what the source knows that does not count.
func (s *Snapshot) WithBeside(found Beside) *Snapshot {
	next := *s
	next.Beside = found
	next.Counts = next.besides(s.Counts)
	return &next
}

// WithRead returns the snapshot with what a read has found that was begun at another snapshot; nil = no such account. Where
// a list, a read or a write came since, what is here may be newer, and it stays.
func (s *Snapshot) WithRead(name string, found *account.Account, begun *Snapshot) *Snapshot {
	if s.list != begun.list || s.Account(name) != begun.Account(name) {
		return s
	}
	return s.With(name, found)
}

// Account returns an account by its name; nil = there is none.
func (s *Snapshot) Account(name string) *account.Account {
	if a, ok := s.changed[name]; ok {
		return a
	}
	return s.list.byName[name]
}

// Accounts returns all accounts, in no order.
func (s *Snapshot) Accounts() []*account.Account {
	return s.merged(s.list.all, func(*account.Account) bool { return true })
}

// OtherKinds returns the bindings of another kind than the accounts' in the pool's namespace that have a hyperscaler type, in no order.
func (s *Snapshot) OtherKinds() (found []*account.Account) {
	for _, a := range s.list.byName {
		if a.Sibling && a.Outside == "" && a.HyperscalerType != "" {
			found = append(found, s.Whole(a))
		}
	}
	return found
}

// Claim returns the account on which a claim is recorded, whatever its pool has become since; the first by name should there be
// several, nil where there is none.
func (s *Snapshot) Claim(key string) *account.Account {
	bearers := s.merged(s.list.byClaim[key], func(a *account.Account) bool { _, ok := a.Holds(key); return ok })
	if len(bearers) == 0 {
		return nil
	}
	return slices.MinFunc(bearers, account.ByName)
}

// ClaimElsewhere returns a binding on which a claim is recorded and that is no account of the pool: it is of another kind, or lacks the
// label of the hyperscaler type. Nil = there is none.
func (s *Snapshot) ClaimElsewhere(key string) *account.Account {
	names := slices.Clone(s.list.byOther[key])
	for name, a := range s.changed {
		if a != nil && a.Sibling {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if a := s.Account(name); a != nil && a.Sibling && a.Outside == "" {
			if _, bears := a.Holds(key); bears {
				return a
			}
		}
	}
	return nil
}

// merged returns the listed accounts that have not changed since, and of those that have the wanted ones; each with its twins.
func (s *Snapshot) merged(listed []*account.Account, wanted func(*account.Account) bool) []*account.Account {
	accounts := make([]*account.Account, 0, len(listed))
	for _, a := range listed {
		if _, ok := s.changed[a.Name]; !ok {
			accounts = append(accounts, s.Whole(a))
		}
	}
	for _, a := range s.changed {
		if a != nil && !a.Sibling && wanted(a) {
			accounts = append(accounts, s.Whole(a))
		}
	}
	return accounts
}

// Held returns the names of the cloud accounts of a pool that a Global Account holds and can use, sorted: of several bindings of the same
// credentials that of the first. One that another binding makes the Global Account's is none of them: no label on it says so.
func (s *Snapshot) Held(globalAccount string, target account.Target) []string {
	var all []*account.Account
	for _, a := range s.merged(s.list.held[globalAccount], func(a *account.Account) bool { return a.Tenant == globalAccount }) {
		if a.Target() == target && a.Tenant != "" && account.Classify(a, account.Usage{}, globalAccount) == account.ClassHeld {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, account.ByName)
	var held []string
	for _, a := range account.OnePerCloudAccount(all) {
		held = append(held, a.Name)
	}
	return held
}

// Missing returns the places of the wanted pools for which there is no account.
func (s *Snapshot) Missing(wanted []func(account.Target) bool) (missing []int) {
	targets := map[account.Target]bool{}
	for _, a := range s.Accounts() {
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
func (s *Snapshot) clearVoid(a *account.Account, claim, globalAccount string, change account.Change) {
	for key, record := range a.Records {
		if key == claim {
			continue
		}
		other := s.Claim(key)
		if record.GlobalAccount != globalAccount || other != nil && other.Name != a.Name {
			change.Records[key] = nil
		}
	}
}

// mayReturn reports whether a claim may take back an account from which its tenant's label was taken: no cluster lives there,
// or every one is the tenant's by the broker's database, and no record says that another tenant was there. A record of the
// tenant proves nothing: it is left behind when the broker frees the account for another.
func (s *Snapshot) mayReturn(a *account.Account, globalAccount string) bool {
	return s.Counts.Living(a.Name) == 0 || !a.RemembersOthers(globalAccount) && s.Counts.AllOf(a.Name, globalAccount)
}

// unreadable returns the account on which the record of a claim lies that cannot be read; nil = there is none.
func (s *Snapshot) unreadable(key string) *account.Account {
	for _, a := range s.changed {
		if a != nil && !a.Sibling && a.HasUnreadable(key) {
			return a
		}
	}
	for _, a := range s.list.all {
		if len(a.Unreadable) == 0 || !a.HasUnreadable(key) {
			continue
		}
		if _, changed := s.changed[a.Name]; !changed {
			return a
		}
	}
	return nil
}
