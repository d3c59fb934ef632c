package protocol

import (
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// bindings returns the names of all bindings of the cloud account: those by which a Shoot, or a row of the database, may name it. A
// binding of another kind that has the name of one of them, and of which nothing is known, is taken for one, for an account in use must
// never seem free; and so is one that may be a twin by the name that an annotation gives.
func (s *Snapshot) bindings(a *account.Account) []string {
	names := []string{a.Name}
	for _, other := range s.others(a) {
		names = append(names, other.Name)
	}
	for _, name := range slices.Clone(names) {
		if kind, _ := account.BindingName(name); kind != "" {
			continue
		}
		for _, kind := range account.BindingKinds {
			if other := account.BindingOf(kind, name); s.Account(other) == nil {
				names = append(names, other)
			}
		}
	}
	return names
}

// UnknownBindings returns an error where clusters name bindings of another kind of which none is listed: the kind is hidden, and into which
// cloud account they lead is not known. A binding that has the name of an account is taken for one of that account; see bindings.
//
// Errors: [*account.HiddenBindingsError].
func (s *Snapshot) UnknownBindings(counts account.Counts) error {
	unknown := map[string][]string{}
	for name := range counts.Accounts() {
		kind, plain := account.BindingName(name)
		if kind != "" && !s.list.kinds[kind] && s.Account(plain) == nil && counts.Clusters(name) > 0 {
			unknown[kind] = append(unknown[kind], name)
		}
	}
	for _, kind := range account.BindingKinds {
		if names := unknown[kind]; len(names) > 0 {
			slices.Sort(names)
			return &account.HiddenBindingsError{Kind: kind, Names: names, Err: s.Hidden}
		}
	}
	return nil
}

// BindingsOf is bindings for an account by its name; of one that is not listed its name alone.
func (s *Snapshot) BindingsOf(name string) []string {
	if a := s.Account(name); a != nil {
		return s.bindings(a)
	}
	return []string{name}
}

// twins returns the other objects that refer to the same credentials as an account, as they are known, by name.
func (s *Snapshot) twins(a *account.Account) []*account.Account {
	if len(s.list.doubled) == 0 && len(s.newRefs) == 0 && s.list.byName[a.Name] != nil { // the list has each reference once
		return nil
	}
	keys := a.CredentialsKeys()
	var twins []*account.Account
	for i := 0; i < len(keys); i++ { // a twin that is declared leads on to those of its own credentials
		for _, names := range [][]string{s.list.byRef[keys[i]], s.newRefs[keys[i]]} {
			for _, name := range names {
				other := s.Account(name)
				if name == a.Name || other == nil || slices.Contains(twins, other) || !slices.Contains(other.CredentialsKeys(), keys[i]) {
					continue
				}
				twins = append(twins, other)
				for _, key := range other.CredentialsKeys() {
					if !slices.Contains(keys, key) {
						keys = append(keys, key)
					}
				}
			}
		}
	}
	slices.SortFunc(twins, account.ByName)
	return twins
}

// Whole returns an account with its twins, to be judged as the cloud account that it is, and with the strays that may be twins as well.
func (s *Snapshot) Whole(a *account.Account) *account.Account {
	whole := a
	if twins := s.twins(a); len(twins) > 0 || len(a.Twins()) > 0 {
		whole = a.WithTwins(twins)
	}
	if strays := s.strays(whole); len(strays) > 0 || len(a.Strays()) > 0 {
		whole = whole.WithStrays(strays)
	}
	return whole
}

// names returns for each binding of a cloud account with twins the one name under which its clusters are counted, and the same for what
// is counted under a name that no object has: a binding of another kind that is not listed counts for the account of its name, and a row
// of the database may name the binding of the other kind.
func (s *Snapshot) names(counts account.Counts) map[string]string {
	names := map[string]string{}
	note := func(name string, a *account.Account) {
		if one := s.CountedAs(a); one != name {
			names[name] = one
		}
	}
	for ref := range s.list.doubled {
		for _, name := range s.list.byRef[ref] {
			if a := s.Account(name); a != nil {
				note(name, a)
			}
		}
	}
	for name := range counts.Accounts() {
		if s.Account(name) != nil {
			continue
		}
		kind, plain := account.BindingName(name)
		if a := s.Account(plain); kind != "" && a != nil {
			note(name, a)
			continue
		}
		for _, other := range account.BindingKinds {
			if a := s.Account(account.BindingOf(other, plain)); kind == "" && a != nil {
				note(name, a)
				break
			}
		}
	}
	return names
}

// Joined returns a count in which the bindings of each cloud account are counted together.
func (s *Snapshot) Joined(counts account.Counts) (account.Counts, error) {
	return counts.Joined(s.names(counts))
}

// CountedFor returns the account of the pool into whose cloud account a binding of another kind leads; nil = it is of no other kind, is not
// listed, or leads into none.
func (s *Snapshot) CountedFor(binding string) *account.Account {
	b := s.Account(binding)
	if kind, _ := account.BindingName(binding); kind == "" || b == nil {
		return nil
	}
	var found *account.Account
	for _, twin := range s.twins(b) {
		if kind, _ := account.BindingName(twin.Name); kind == "" && (found == nil || found.Terminating && !twin.Terminating) {
			found = twin
		}
	}
	return found
}

// CountedAs returns the name under which the clusters of a cloud account are counted: that of its first account.
func (s *Snapshot) CountedAs(a *account.Account) string {
	first := a
	for _, twin := range s.twins(a) {
		if first.Sibling && !twin.Sibling || first.Sibling == twin.Sibling && twin.Name < first.Name {
			first = twin
		}
	}
	return first.Name
}
