package pool

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Overview is the accounts of one namespace seen as a whole: who holds what, what is free, what is stuck, what runs full.
type Overview struct {
	Of       Filter          // what part of them this is
	Accounts []AccountStatus // sorted by name
	// Pools are sorted by hyperscaler type and flags. A pool is counted as a whole, also where the filter names one Global
	// Account: what it has left is left for that one too.
	Pools    []PoolStatus
	Tenants  []TenantStatus // the Global Accounts that hold one of the Accounts, sorted
	Problems []Problem      // sorted by kind, the worst first, and by account
}

// Filter narrows an [Overview]; the zero value takes in everything.
type Filter struct {
	HyperscalerType string // of the pools of this type only
	// GlobalAccount takes in the accounts that this Global Account holds, or that bear a claim record or rows of the
	// broker's database of it.
	GlobalAccount string
}

// AccountStatus is one account with what is on it.
type AccountStatus struct {
	Account
	Class Class // what it is to a Global Account that does not hold it
	// Clusters is the number counted on it, Reserved the places that claims hold besides.
	Clusters, Reserved int
	Usage              Usage         // what Clusters is made of
	Limit              int           // the most clusters it may have; 0 = none applies
	ValidRecords       []Record      // the claim records that are not void, sorted by the names of the claims
	Problems           []ProblemKind // the kinds of the problems of this account, the worst first
}

// PoolStatus is one pool.
type PoolStatus struct { //nolint:revive // a Status is that of a claim, a Pool the whole namespace
	Target
	Tally       Tally // counts its accounts
	Unreachable int   // how many accounts the broker overlooks for ever, whatever else they are
	// Clusters and Reserved are those of all its accounts.
	Clusters, Reserved int
}

// Unclaimed returns how many accounts are free ([ClassFree]): what a claim could take now.
func (p *PoolStatus) Unclaimed() int { return p.Tally[ClassFree] }

// TenantStatus is what one Global Account holds. No Global Account holds a shared account.
type TenantStatus struct {
	GlobalAccount string // the tenant
	// Accounts is how many it holds, Clusters and Reserved what is on them.
	Accounts, Clusters, Reserved int
	Limited                      bool // each of its accounts has a limit, and Left how many clusters fit on those that can be used
	Left                         int
}

// Overview looks at all accounts, or at those that the filter takes in. It never writes.
func (p *Pool) Overview(ctx context.Context, of Filter) (Overview, error) {
	s, err := p.cache.recent(ctx)
	if err != nil {
		return Overview{}, err
	}
	return Survey(p.namespace, s.accounts(), s.counts, p.policy, of, time.Now()), nil
}

// Survey is the pure part of [Pool.Overview], for the accounts of a namespace; now gives fences and reservations their age.
func Survey(namespace string, accounts []*Account, counts Counts, policy Policy, of Filter, now time.Time) Overview {
	s := survey{Overview: Overview{Of: of}, namespace: namespace, counts: counts, policy: policy, now: now}
	s.index(accounts)
	pools := map[Target]*PoolStatus{}
	for _, a := range accounts {
		if of.HyperscalerType != "" && a.HyperscalerType != of.HyperscalerType {
			continue
		}
		status := s.account(a)
		s.pool(pools, &status)
		if s.concerns(&status) {
			s.Accounts = append(s.Accounts, status)
		}
	}
	slices.SortFunc(s.Accounts, func(a, b AccountStatus) int { return strings.Compare(a.Name, b.Name) })
	s.pools(pools)
	s.tenants()
	s.problems()
	return s.Overview
}

// survey is an overview in the making.
type survey struct {
	Overview
	namespace string
	counts    Counts
	policy    Policy
	now       time.Time

	used    map[holding][]*Account // the usable accounts of each tenant and pool, sorted by name
	bearers map[string]string      // the account that a claim is recorded on, by its key; the first by name of several
	differs map[string]Difference
}

// holding is what a Global Account has of one pool.
type holding struct {
	tenant string
	target Target
}

// index notes what the judgement of one account needs to know of others.
func (s *survey) index(accounts []*Account) {
	s.used, s.differs, s.bearers = map[holding][]*Account{}, map[string]Difference{}, map[string]string{}
	for _, a := range accounts {
		for _, key := range a.Claims() {
			if first, several := s.bearers[key]; !several || a.Name < first {
				s.bearers[key] = a.Name
			}
		}
		if !a.Shared && a.Tenant != "" && a.unusable(a.Tenant) == "" {
			at := holding{a.Tenant, a.Target()}
			s.used[at] = append(s.used[at], a)
		}
	}
	for _, held := range s.used {
		slices.SortFunc(held, byName)
	}
	for _, d := range s.counts.differences {
		s.differs[d.Account] = d
	}
}

func (s *survey) account(a *Account) AccountStatus {
	status := AccountStatus{
		Account: *a, Class: Classify(a, s.counts.on(a.Name), ""), Clusters: s.counts.Clusters(a.Name), Reserved: s.counts.reservations(a, s.now),
		Usage: s.counts.Usage(a.Name), Limit: s.policy.Limit(a.Tenant, a.Target()),
	}
	for _, key := range a.Claims() {
		status.ValidRecords = append(status.ValidRecords, a.Records[key])
	}
	slices.SortStableFunc(status.ValidRecords, func(a, b Record) int { return strings.Compare(a.Name, b.Name) })
	for _, c := range checks {
		if c.find != nil && c.find(s, &status) != "" {
			status.Problems = append(status.Problems, c.kind)
		}
	}
	return status
}

// concerns reports whether the filter takes an account in; its type was looked at before.
func (s *survey) concerns(a *AccountStatus) bool {
	ga := s.Of.GlobalAccount
	return ga == "" || a.Tenant == ga || a.remembers(ga) || a.Usage.Tenants[ga] > 0
}

// pool adds an account to its pool.
func (s *survey) pool(pools map[Target]*PoolStatus, a *AccountStatus) {
	p := pools[a.Target()]
	if p == nil {
		p = &PoolStatus{Target: a.Target(), Tally: Tally{}}
		pools[a.Target()] = p
	}
	p.Tally[a.Class]++
	p.Clusters += a.Clusters
	p.Reserved += a.Reserved
	if slices.Contains(a.Problems, ProblemUnreachable) {
		p.Unreachable++
	}
}

// pools takes in the pools of the accounts.
func (s *survey) pools(all map[Target]*PoolStatus) {
	for i := range s.Accounts {
		target := s.Accounts[i].Target()
		if p, ok := all[target]; ok {
			s.Pools = append(s.Pools, *p)
			delete(all, target)
		}
	}
	slices.SortFunc(s.Pools, func(a, b PoolStatus) int { return a.compare(b.Target) })
}

// compare orders pools by hyperscaler type, those of tenants before shared ones.
func (t Target) compare(other Target) int {
	flags := func(t Target) string { return fmt.Sprint(t.Shared, t.EUAccess) } // "false" comes before "true"
	return cmp.Or(strings.Compare(t.HyperscalerType, other.HyperscalerType), strings.Compare(flags(t), flags(other)))
}

// tenants sums up what each Global Account holds.
func (s *survey) tenants() {
	held := map[string]*TenantStatus{}
	for i := range s.Accounts {
		a := &s.Accounts[i]
		if a.Shared || a.Tenant == "" || s.Of.GlobalAccount != "" && a.Tenant != s.Of.GlobalAccount {
			continue
		}
		t := held[a.Tenant]
		if t == nil {
			t = &TenantStatus{GlobalAccount: a.Tenant, Limited: true}
			held[a.Tenant] = t
		}
		t.Accounts++
		t.Clusters += a.Clusters
		t.Reserved += a.Reserved
		t.Limited = t.Limited && a.Limit > 0
		if a.unusable(a.Tenant) == "" {
			t.Left += max(0, a.Limit-a.Clusters-a.Reserved)
		}
	}
	for _, ga := range slices.Sorted(maps.Keys(held)) {
		s.Tenants = append(s.Tenants, *held[ga])
	}
}
