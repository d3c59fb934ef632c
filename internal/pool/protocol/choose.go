package protocol

import (
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Choose selects an account for a query, none of the refused ones. The claim of the key takes no place itself. An error says of all
// accounts of the pool what they are; only then those are judged that another Global Account holds.
func (f Facts) Choose(q account.Query, p account.Policy, key string, refused Refusals) (account.Decision, error) {
	places := f.Places(f.Counts, key)
	choose := func(among []*account.Account) (account.Decision, error) {
		return account.Select(refused.without(among), places, q, p)
	}
	if q.Pin != "" {
		return choose(f.pinned(q))
	}
	d, err := choose(f.eligible(q.Target.HyperscalerType, q.GlobalAccount))
	if err != nil {
		return choose(f.ofType(q.Target.HyperscalerType))
	}
	return d, nil
}

// eligible returns the accounts of a hyperscaler type without those that another Global Account holds by their own label, in no order. In
// a large pool these are most.
func (s *Snapshot) eligible(hyperscalerType, globalAccount string) []*account.Account {
	wanted := func(a *account.Account) bool {
		by := tenantOf(a)
		return a.HyperscalerType == hyperscalerType && (by == "" || by == globalAccount)
	}
	listed := slices.Clone(s.list.unheld[hyperscalerType])
	for _, a := range s.list.held[globalAccount] {
		if tenantOf(a) != "" && wanted(a) {
			listed = append(listed, a)
		}
	}
	return s.merged(listed, wanted)
}

// ofType returns the accounts of a hyperscaler type, in no order.
func (s *Snapshot) ofType(hyperscalerType string) []*account.Account {
	return s.merged(s.list.byType[hyperscalerType], func(a *account.Account) bool { return a.HyperscalerType == hyperscalerType })
}

// pinned returns the account that a query names, with the others that may be the Global Account's; empty = there is none of the name.
func (s *Snapshot) pinned(q account.Query) []*account.Account {
	a := s.Account(q.Pin)
	if a == nil || a.Sibling {
		return nil
	}
	others := s.eligible(q.Target.HyperscalerType, q.GlobalAccount)
	return append(slices.DeleteFunc(others, func(other *account.Account) bool { return other.Name == q.Pin }), s.Whole(a))
}
