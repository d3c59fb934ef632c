package overview

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// Survey is the pure part of [Of]; now gives fences, leases, reservations and cooldowns their age. No claim depends on it.
func Survey(inventory pool.Inventory, facts Facts, of Filter, now time.Time) Overview {
	s := survey{
		Overview: Overview{Namespace: inventory.Namespace, Of: of}, facts: facts, counts: inventory.Counts, policy: inventory.Policy, now: now,
		objects: map[string]*account.Object{}, users: map[account.CredentialsRef][]string{},
	}
	for i := range facts.Objects {
		object := &facts.Objects[i]
		s.objects[object.UID] = object
		if key, known := object.CredentialsKey(); known {
			s.users[key] = append(s.users[key], object.Name)
		}
	}
	for i := range facts.Siblings {
		s.objects[facts.Siblings[i].UID] = &facts.Siblings[i]
	}
	for _, names := range s.users {
		slices.Sort(names)
	}
	all := make([]Account, len(inventory.Accounts))
	for i, a := range inventory.Accounts {
		all[i] = s.account(a)
	}
	slices.SortFunc(all, func(a, b Account) int { return strings.Compare(a.Name, b.Name) })
	s.index(all)
	pools := map[account.Target]*Pool{}
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
			s.take(*a, problems)
		}
	}
	s.pools(pools)
	s.tenants()
	if of == (Filter{}) {
		s.OtherKinds = s.otherKinds(inventory.OtherKinds)
	}
	s.Problems = slices.Concat(s.Problems, s.unassigned(), s.strays(), s.ofPools())
	slices.SortStableFunc(s.Problems, func(a, b Problem) int { return cmp.Compare(a.Kind.rank(), b.Kind.rank()) })
	return s.Overview
}

// otherKinds leaves out the bindings of Secrets that are accounts themselves: by these, Shoots name the Secret.
func (s *survey) otherKinds(found []*account.Account) []*account.Account {
	own := func(a *account.Account) bool { return s.facts.Secrets && a.Represented() }
	return slices.SortedFunc(slices.Values(slices.DeleteFunc(found, own)), account.ByName)
}

// survey is an overview in the making.
type survey struct {
	Overview
	facts  Facts
	counts account.Counts
	policy account.Policy
	now    time.Time

	objects map[string]*account.Object          // by UID
	users   map[account.CredentialsRef][]string // the names of the objects that refer to the same credentials, sorted
	used    map[share][]string                  // the usable cloud accounts of each tenant and pool, by the first name, sorted
	bearers map[string][]string                 // the accounts with a claim's record, by its key, sorted; a shared one has none
	differs map[string]account.Difference
	missing map[account.Target][]string // the pools that rules name and that have no account, with the names of these rules
	nowhere []rules.Need                // the needs of any of several pools, of which none has an account
}

// share is what a Global Account has of one pool.
type share struct {
	tenant string
	target account.Target
}

// account writes down what is on an account.
func (s *survey) account(a *account.Account) Account {
	usage := s.counts.Usage(a.Name)
	status := Account{
		Account: *a, Class: s.policy.Classify(a, usage, "", s.now), Clusters: usage.Clusters, Reserved: s.counts.Reservations(a, s.now),
		Usage: usage,
	}
	status.Limit = s.policy.Limit(status.HeldBy(), a.Target())
	switch status.Class {
	case account.ClassCooling:
		status.CoolsUntil = s.policy.CoolsUntil(a, s.now)
		fallthrough
	case account.ClassFree:
		status.FreeSince = a.FreeSince(s.now)
	}
	if object := s.objects[a.UID]; object != nil {
		status.Credentials = object.Credentials
	}
	status.DirtySince = s.markedSince(a)
	for _, key := range a.Claims() {
		status.ValidRecords = append(status.ValidRecords, a.Records[key])
	}
	slices.SortStableFunc(status.ValidRecords, func(a, b account.Record) int { return strings.Compare(a.Name, b.Name) })
	for _, r := range status.ValidRecords {
		if end := r.ExpiresAt(); !end.IsZero() && s.now.After(end) {
			status.Expired = append(status.Expired, r)
		}
	}
	return status
}

// index notes what the judgement of one account needs to know of others.
func (s *survey) index(sorted []Account) {
	s.used, s.differs, s.bearers = map[share][]string{}, map[string]account.Difference{}, map[string][]string{}
	usable := map[share][]*account.Account{}
	for i := range sorted {
		a := &sorted[i]
		if !a.Shared {
			for _, key := range a.Claims() {
				s.bearers[key] = append(s.bearers[key], a.Name)
			}
		}
		if a.usable() {
			at := share{a.HeldBy(), a.Target()}
			usable[at] = append(usable[at], &a.Account)
		}
	}
	for at, all := range usable {
		for _, a := range account.OnePerCloudAccount(all) {
			s.used[at] = append(s.used[at], a.Name)
		}
	}
	for _, d := range s.counts.Differences() {
		s.differs[d.Account] = d
	}
}

// concerns reports whether the filter takes an account in; its type was compared before.
func (s *survey) concerns(a *Account) bool {
	ga := s.Of.GlobalAccount
	if s.Of.ExpiredClaims && len(a.Expired) == 0 {
		return false
	}
	return ga == "" || a.HeldBy() == ga || a.Remembers(ga) || a.Usage.Tenants[ga] > 0
}

// take takes an account in, with its problems.
func (s *survey) take(a Account, problems []Problem) {
	if s.Of.ExpiredClaims {
		a.ValidRecords = a.Expired
	}
	s.Accounts, s.Problems = append(s.Accounts, a), append(s.Problems, problems...)
}

// add adds an account to its pool.
func add(pools map[account.Target]*Pool, a *Account) {
	p := pools[a.Target()]
	if p == nil {
		p = &Pool{Target: a.Target(), Tally: account.Tally{}}
		pools[a.Target()] = p
	}
	p.Tally[a.Class]++
	if !slices.ContainsFunc(a.Twins(), func(twin *account.Account) bool {
		return !twin.Sibling && twin.Target() == a.Target() && twin.Name < a.Name
	}) { // else the clusters of the cloud account are in the sum already
		p.Clusters += a.Clusters
		p.Reserved += a.Reserved
	}
	if slices.Contains(a.Problems, ProblemUnreachable) {
		p.Unreachable++
	}
}

// tenants sums up what each Global Account holds. A cloud account counts once, by whichever of its bindings it is held.
func (s *survey) tenants() {
	held, types := map[string]*Tenant{}, map[string]map[string]*Holding{}
	counted := map[share][]*account.Account{}
	for i := range s.Accounts {
		a := &s.Accounts[i]
		ga := a.HeldBy()
		if a.Shared || ga == "" || s.Of.GlobalAccount != "" && ga != s.Of.GlobalAccount {
			continue
		}
		if held[ga] == nil {
			held[ga], types[ga] = &Tenant{GlobalAccount: ga}, map[string]*Holding{}
		}
		if types[ga][a.HyperscalerType] == nil {
			types[ga][a.HyperscalerType] = &Holding{}
		}
		for at, sum := range map[share]*Holding{
			{tenant: ga}: &held[ga].Holding,
			{ga, account.Target{HyperscalerType: a.HyperscalerType}}: types[ga][a.HyperscalerType],
		} {
			if !slices.ContainsFunc(counted[at], a.IsTwin) {
				sum.add(a)
				counted[at] = append(counted[at], &a.Account)
			}
		}
	}
	for _, ga := range slices.Sorted(maps.Keys(held)) {
		t := held[ga]
		for _, hyperscalerType := range slices.Sorted(maps.Keys(types[ga])) {
			t.Types = append(t.Types, TypeHolding{hyperscalerType, *types[ga][hyperscalerType]})
		}
		s.Tenants = append(s.Tenants, *t)
	}
}
