package protocol

import (
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// declared are the bindings of which an annotation says, or means to say, into which cloud account they lead.
type declared struct {
	unread []string            // the annotation cannot be read
	byName map[string][]string // by the name that the annotation gives, see [account.PlainName]
}

// isDeclared reports whether an annotation says, or means to say, into which cloud account a binding leads.
func isDeclared(a *account.Account) bool { return a.SameAs.Name != "" || a.SameAsUnread != "" }

func (d *declared) add(a *account.Account) {
	switch {
	case a.SameAs.Name != "":
		if d.byName == nil {
			d.byName = map[string][]string{}
		}
		name := account.PlainName(a.SameAs.Name)
		d.byName[name] = append(d.byName[name], a.Name)
	case a.SameAsUnread != "":
		d.unread = append(d.unread, a.Name)
	}
}

// strays returns the bindings in use that may be twins of an account. A binding that is not in use keeps nothing from the account.
func (s *Snapshot) strays(a *account.Account) []*account.Account {
	return slices.DeleteFunc(s.doubtful(a), func(other *account.Account) bool {
		return !other.Engaged() && s.Counts.Living(s.CountedAs(other)) == 0
	})
}

// doubtful returns the bindings that may be twins of an account, in use or not, because it is not known which cloud account one of the two
// leads into; see [account.Account.MayJoin].
func (s *Snapshot) doubtful(a *account.Account) (doubtful []*account.Account) {
	if a.Shared || len(s.list.declared.unread)+len(s.list.declared.byName)+len(s.newDeclared) == 0 {
		return nil
	}
	note := func(name string, join func(other *account.Account) bool) {
		other := s.Account(name)
		if other == nil || name == a.Name || slices.Contains(doubtful, other) || slices.ContainsFunc(a.Twins(), isNamed(name)) {
			return
		}
		if join(other) {
			doubtful = append(doubtful, other)
		}
	}
	for _, names := range s.mayMean(a) {
		for _, name := range names {
			note(name, func(stray *account.Account) bool { return s.isStray(stray) && stray.MayJoin(a) })
		}
	}
	if a.SameAs.Name != "" && s.isStray(a) {
		for _, name := range s.namedAs(account.PlainName(a.SameAs.Name)) {
			note(name, a.MayJoin)
		}
	}
	return doubtful
}

func isNamed(name string) func(*account.Account) bool {
	return func(a *account.Account) bool { return a.Name == name }
}

// mayMean returns the names of the declared bindings that may mean an account.
func (s *Snapshot) mayMean(a *account.Account) [][]string {
	names := [][]string{s.list.declared.unread, s.newDeclared}
	for _, name := range a.PlainNames() {
		names = append(names, s.list.declared.byName[name])
	}
	return names
}

// namedAs returns the names of the bindings that have a name, or whose Secret has it.
func (s *Snapshot) namedAs(plain string) (names []string) {
	names = slices.Clone(s.list.alike[plain])
	for name, a := range s.changed {
		if a != nil && !slices.Contains(names, name) && slices.Contains(a.PlainNames(), plain) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// isStray reports whether the cloud account into which a declared binding leads cannot be known. Of the further objects those count that
// refer to what the annotation names: two bindings with one wrong annotation do not vouch for each other.
func (s *Snapshot) isStray(a *account.Account) bool {
	if !isDeclared(a) {
		return false
	}
	others, key := 0, a.SameAs.Key()
	for _, names := range [][]string{s.list.byRef[key], s.newRefs[key]} {
		for _, name := range names {
			if other := s.Account(name); name != a.Name && other != nil && other.RefersTo(key) {
				others++
			}
		}
	}
	return a.IsStray(others)
}
