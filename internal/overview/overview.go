package overview

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// Overview is the accounts of one namespace seen as a whole.
type Overview struct {
	Namespace string    // that of the Gardener project
	Of        Filter    // what part of the accounts this is
	Accounts  []Account // sorted by name
	// Pools are sorted by hyperscaler type and flags. A pool is counted as a whole, also where the filter names one Global
	// Account: what it has left is left for that one too.
	Pools    []Pool
	Tenants  []Tenant  // the Global Accounts that hold one of the Accounts, sorted
	Problems []Problem // sorted by kind, the worst first, and by account
}

// Filter narrows an [Overview]; the zero value takes in everything.
type Filter struct {
	HyperscalerType string // of the pools of this type only
	// GlobalAccount takes in the accounts that this Global Account holds, or that bear a claim record or rows of the
	// broker's database of it.
	GlobalAccount string
}

// Account is one account with what is on it.
type Account struct {
	pool.Account
	Class pool.Class // what it is to a Global Account that does not hold it
	// Clusters is the number counted on it, Reserved the places that claims hold besides.
	Clusters, Reserved int
	Usage              pool.Usage    // what Clusters is made of
	Limit              int           // the most clusters it may have; 0 = none applies
	ValidRecords       []pool.Record // the claim records that are not void, sorted by the names of the claims
	Problems           []ProblemKind // the kinds of the problems of this account, the worst first
}

// usable reports whether a Global Account holds the account and may put clusters on it.
func (a *Account) usable() bool { return a.Class == pool.ClassTaken }

// Pool is the accounts that have one hyperscaler type and the same flags.
type Pool struct {
	pool.Target
	Tally       pool.Tally // counts its accounts
	Unreachable int        // how many accounts the broker overlooks for ever, whatever else they are
	// Clusters and Reserved are those of all its accounts.
	Clusters, Reserved int
}

// Unclaimed returns how many accounts are free ([pool.ClassFree]): what a claim could take now.
func (p *Pool) Unclaimed() int { return p.Tally[pool.ClassFree] }

// Tenant is what one Global Account holds. No Global Account holds a shared account.
type Tenant struct {
	GlobalAccount string // the tenant
	// Accounts is how many it holds, Clusters and Reserved what is on them.
	Accounts, Clusters, Reserved int
	Limited                      bool // each of its accounts has a limit, and Left how many clusters fit on those that can be used
	Left                         int
}

// Of looks at all accounts of a pool, or at those that the filter takes in. Errors: as [pool.Pool.Inventory].
func Of(ctx context.Context, p *pool.Pool, filter Filter) (Overview, error) {
	inventory, err := p.Inventory(ctx)
	if err != nil {
		return Overview{}, err
	}
	return Survey(inventory, filter, time.Now()), nil
}

// Survey is the pure part of [Of]; now gives fences and reservations their age.
func Survey(inventory pool.Inventory, of Filter, now time.Time) Overview {
	s := survey{Overview: Overview{Namespace: inventory.Namespace, Of: of}, counts: inventory.Counts, policy: inventory.Policy, now: now}
	all := make([]Account, len(inventory.Accounts))
	for i, a := range inventory.Accounts {
		all[i] = s.account(a)
	}
	slices.SortFunc(all, func(a, b Account) int { return strings.Compare(a.Name, b.Name) })
	s.index(all)
	pools := map[pool.Target]*Pool{}
	for i := range all {
		a := &all[i]
		if of.HyperscalerType != "" && a.HyperscalerType != of.HyperscalerType {
			continue
		}
		problems := s.judge(a)
		for _, p := range problems {
			a.Problems = append(a.Problems, p.Kind)
		}
		add(pools, a)
		if s.concerns(a) {
			s.Accounts, s.Problems = append(s.Accounts, *a), append(s.Problems, problems...)
		}
	}
	s.Problems = append(s.Problems, s.unassigned()...)
	slices.SortStableFunc(s.Problems, func(a, b Problem) int { return cmp.Compare(a.Kind.rank(), b.Kind.rank()) })
	s.pools(pools)
	s.tenants()
	return s.Overview
}

// survey is an overview in the making.
type survey struct {
	Overview
	counts pool.Counts
	policy pool.Policy
	now    time.Time

	used    map[holding][]string // the names of the usable accounts of each tenant and pool, sorted
	bearers map[string]string    // the account that a claim is recorded on, by its key; the first by name of several
	differs map[string]pool.Difference
}

// holding is what a Global Account has of one pool.
type holding struct {
	tenant string
	target pool.Target
}

// account tells what is on an account.
func (s *survey) account(a *pool.Account) Account {
	usage := s.counts.Usage(a.Name)
	status := Account{
		Account: *a, Class: pool.Classify(a, usage, ""), Clusters: usage.Clusters, Reserved: s.counts.Reservations(a, s.now),
		Usage: usage, Limit: s.policy.Limit(a.Tenant, a.Target()),
	}
	for _, key := range a.Claims() {
		status.ValidRecords = append(status.ValidRecords, a.Records[key])
	}
	slices.SortStableFunc(status.ValidRecords, func(a, b pool.Record) int { return strings.Compare(a.Name, b.Name) })
	return status
}

// index notes what the judgement of one account needs to know of others.
func (s *survey) index(sorted []Account) {
	s.used, s.differs, s.bearers = map[holding][]string{}, map[string]pool.Difference{}, map[string]string{}
	for i := range sorted {
		a := &sorted[i]
		for _, key := range a.Claims() {
			s.bearers[key] = cmp.Or(s.bearers[key], a.Name)
		}
		if a.usable() {
			at := holding{a.Tenant, a.Target()}
			s.used[at] = append(s.used[at], a.Name)
		}
	}
	for _, d := range s.counts.Differences() {
		s.differs[d.Account] = d
	}
}

// concerns reports whether the filter takes an account in; its type was looked at before.
func (s *survey) concerns(a *Account) bool {
	ga := s.Of.GlobalAccount
	return ga == "" || a.Tenant == ga || a.Remembers(ga) || a.Usage.Tenants[ga] > 0
}

// add adds an account to its pool.
func add(pools map[pool.Target]*Pool, a *Account) {
	p := pools[a.Target()]
	if p == nil {
		p = &Pool{Target: a.Target(), Tally: pool.Tally{}}
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
func (s *survey) pools(all map[pool.Target]*Pool) {
	for i := range s.Accounts {
		target := s.Accounts[i].Target()
		if p, ok := all[target]; ok {
			s.Pools = append(s.Pools, *p)
			delete(all, target)
		}
	}
	slices.SortFunc(s.Pools, func(a, b Pool) int {
		return cmp.Or(strings.Compare(a.HyperscalerType, b.HyperscalerType), strings.Compare(flags(a.Target), flags(b.Target)))
	})
}

// flags orders the pools of a type, those of tenants before shared ones: "false" comes before "true".
func flags(t pool.Target) string { return fmt.Sprint(t.Shared, t.EUAccess) }

// tenants sums up what each Global Account holds.
func (s *survey) tenants() {
	held := map[string]*Tenant{}
	for i := range s.Accounts {
		a := &s.Accounts[i]
		if a.Shared || a.Tenant == "" || s.Of.GlobalAccount != "" && a.Tenant != s.Of.GlobalAccount {
			continue
		}
		t := held[a.Tenant]
		if t == nil {
			t = &Tenant{GlobalAccount: a.Tenant, Limited: true}
			held[a.Tenant] = t
		}
		t.Accounts++
		t.Clusters += a.Clusters
		t.Reserved += a.Reserved
		t.Limited = t.Limited && a.Limit > 0
		if a.usable() {
			t.Left += max(0, a.Limit-a.Clusters-a.Reserved)
		}
	}
	for _, ga := range slices.Sorted(maps.Keys(held)) {
		s.Tenants = append(s.Tenants, *held[ga])
	}
}
