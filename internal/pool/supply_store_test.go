package pool

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// What the pool's owner writes, in memory.

func (s *memStore) OwnsObjects() bool { return !s.labelled }

// supply makes the part of a change that only the pool's owner makes.
func supply(a *account.Account, c account.Change) {
	if c.HyperscalerType != nil {
		a.HyperscalerType = *c.HyperscalerType
	}
	for flag, on := range c.Flags {
		switch flag {
		case account.FlagShared:
			a.Shared = on
		case account.FlagEUAccess:
			a.EUAccess = on
		case account.FlagInternal:
			a.Internal = on
		}
		a.FalseFlags = slices.DeleteFunc(a.FalseFlags, func(f account.Flag) bool { return f == flag })
	}
	if c.Quarantine != nil {
		a.Quarantine = *c.Quarantine
	}
	for key, value := range c.Labels {
		if value == nil {
			delete(a.Labels, key)
			continue
		}
		if a.Labels == nil {
			a.Labels = map[string]string{}
		}
		a.Labels[key] = *value
	}
	if len(a.Labels) == 0 {
		a.Labels = nil
	}
	if len(a.FalseFlags) == 0 {
		a.FalseFlags = nil
	}
}

// supplied describes that part of a change: "type=aws shared -internal team=a -stage quarantine=why".
func supplied(c account.Change) (parts []string) {
	if c.HyperscalerType != nil {
		parts = append(parts, "type="+*c.HyperscalerType)
	}
	for _, flag := range slices.Sorted(maps.Keys(c.Flags)) {
		if c.Flags[flag] {
			parts = append(parts, string(flag))
		} else {
			parts = append(parts, "-"+string(flag))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.Labels)) {
		if value := c.Labels[key]; value != nil {
			parts = append(parts, key+"="+*value)
		} else {
			parts = append(parts, "-"+key)
		}
	}
	if c.Quarantine != nil {
		parts = append(parts, "quarantine="+*c.Quarantine)
	}
	return parts
}

func (s *memStore) Create(ctx context.Context, of account.Supply) (account.Account, error) {
	f := s.enter("create")
	if f.answer != nil {
		return account.Account{}, f.answer
	}
	var after account.Account
	err := s.send(ctx, f, of.Name, func() (err error) {
		after, err = s.put(of)
		return err
	})
	if err != nil {
		return account.Account{}, err
	}
	return after, nil
}

// put makes an account as the API server does.
func (s *memStore) put(of account.Supply) (account.Account, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.accounts[of.Name]; there {
		return account.Account{}, &account.ExistsError{Account: of.Name}
	}
	credentials := of.Credentials
	a := account.Account{
		Name: of.Name, UID: fmt.Sprintf("uid-%d", s.revision+1), HyperscalerType: of.HyperscalerType, Shared: of.Shared, EUAccess: of.EUAccess,
		Internal: of.Internal, Quarantine: of.Quarantine, Labels: maps.Clone(of.Labels), Credentials: &credentials, Records: map[string]account.Record{},
	}
	if of.Quarantine != "" {
		a.Dirty = account.Quarantined
	}
	return s.settle(account.Account{}, a, account.Change{}, true), nil
}

func (s *memStore) Delete(ctx context.Context, judged account.Account) error {
	f := s.enter("delete")
	if f.answer != nil {
		return f.answer
	}
	return s.send(ctx, f, judged.Name, func() error { return s.take(judged) })
}

// take deletes an account as the API server does: one that something keeps stays, with a deletion timestamp.
func (s *memStore) take(judged account.Account) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, there := s.accounts[judged.Name]
	switch {
	case !there:
		return &account.NotFoundError{Account: judged.Name}
	case now.UID != judged.UID || now.Version != judged.Version:
		return &account.ConflictError{Account: judged.Name, Err: fmt.Errorf("precondition failed: version %s is not %s", judged.Version, now.Version)}
	case s.kept[judged.Name]:
		after := clone(now)
		after.Terminating = true
		s.settle(clone(now), after, account.Change{}, true)
		return nil
	}
	s.log = append(s.log, commit{account: judged.Name, ours: true, before: clone(now), users: s.users(judged.Name)})
	delete(s.accounts, judged.Name)
	return nil
}

// Outside are the bindings of other namespaces that refer to the credentials of the accounts, wherever these lie: a test that has such a
// binding has credentials elsewhere.
func (s *memStore) Outside(ctx context.Context, of []account.Account) (found []account.Account, _ error) {
	f := s.enter("outside")
	if f.answer != nil {
		return nil, f.answer
	}
	s.mu.Lock()
	for _, name := range slices.Sorted(maps.Keys(s.outside)) {
		if a := s.outside[name]; slices.ContainsFunc(of, func(b account.Account) bool { return sharesKey(a, b) }) {
			found = append(found, clone(a))
		}
	}
	s.mu.Unlock()
	return found, f.leave(ctx)
}

func sharesKey(a, b account.Account) bool {
	return slices.ContainsFunc(a.CredentialsKeys(), func(key account.CredentialsRef) bool { return slices.Contains(b.CredentialsKeys(), key) })
}

// Siblings are the accounts that are named with a kind.
func (s *memStore) Siblings(ctx context.Context) ([]account.Account, error) {
	f := s.enter("siblings")
	if f.answer != nil {
		return nil, f.answer
	}
	s.mu.Lock()
	var siblings []account.Account
	for _, name := range slices.Sorted(maps.Keys(s.accounts)) {
		if kind, _ := account.BindingName(name); kind != "" {
			siblings = append(siblings, clone(s.accounts[name]))
		}
	}
	s.mu.Unlock()
	if err := f.leave(ctx); err != nil {
		return nil, &account.UnreachableError{Verb: "list", Tries: 1, Err: err}
	}
	return siblings, nil
}

func (s *memStore) FindCredentials(ctx context.Context, ref account.CredentialsRef) (account.Account, error) {
	f := s.enter("credentials")
	if f.answer != nil {
		return account.Account{}, f.answer
	}
	if s.noCredentials[ref.Name] {
		return account.Account{}, &account.NoCredentialsError{Ref: ref}
	}
	return s.secrets[ref.Name], f.leave(ctx)
}
