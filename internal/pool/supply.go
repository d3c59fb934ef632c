package pool

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"
)

// Supply is what the pool's owner says of an account. The tenant, the claim records and, but for a quarantine, the label
// dirty belong to others: they are never part of it.
type Supply struct {
	Name       string
	Target            // the pool that the account is in
	Internal   bool   // kept for internal use
	Quarantine string // why the account is put aside; empty = it is not
	Labels     map[string]string
	// Credentials are those of the account. Once it is made they cannot be changed.
	Credentials Credentials
}

// Supplied is an account as its owner sees it.
type Supplied struct {
	Account  Account
	Class    Class // what it is to a Global Account that does not hold it
	Clusters int   // as last counted
	// Uncounted says why the clusters are not counted: they are not known then, and the class goes by the labels alone. Nil = they are.
	Uncounted error
}

// Part is a part of a [Supply], for messages.
type Part string

// The parts of a supply.
const (
	PartWhole        Part = "" // the account is to be taken out of the pool, or made anew
	PartName         Part = "name"
	PartType         Part = "hyperscaler type"
	PartProviderType Part = "provider type"
	PartCredentials  Part = "credentials"
	PartQuotas       Part = "quotas"
	PartShared       Part = "flag shared"
	PartEUAccess     Part = "flag euAccess"
	PartInternal     Part = "flag internal"
	PartLabels       Part = "labels"
	PartQuarantine   Part = "quarantine"
)

// Parts returns all parts.
func Parts() []Part {
	return []Part{
		PartWhole, PartName, PartType, PartProviderType, PartCredentials, PartQuotas, PartShared, PartEUAccess, PartInternal, PartLabels,
		PartQuarantine,
	}
}

// supplyFlags are the flags of a supply, in the order in which messages name them.
var supplyFlags = []struct {
	flag Flag
	part Part
	of   func(Supply) bool
}{
	{FlagShared, PartShared, func(s Supply) bool { return s.Shared }},
	{FlagEUAccess, PartEUAccess, func(s Supply) bool { return s.EUAccess }},
	{FlagInternal, PartInternal, func(s Supply) bool { return s.Internal }},
}

// change returns what has to be written so that an account is as the supply says, and which part of that matters to others:
// the first that says something else by then; empty = none. Labels that are to be removed are named by their keys.
func (s Supply) change(a Account, dropped []string) (Change, Part) {
	var c Change
	var parts []Part
	if a.HyperscalerType != s.HyperscalerType {
		c.HyperscalerType = &s.HyperscalerType
		parts = append(parts, PartType)
	}
	for _, f := range supplyFlags {
		want := f.of(s)
		if a.has(f.flag) != want {
			parts = append(parts, f.part)
		} else if !slices.Contains(a.FalseFlags, f.flag) {
			continue
		}
		if c.Flags == nil {
			c.Flags = map[Flag]bool{}
		}
		c.Flags[f.flag] = want
	}
	if c.Labels = s.labels(a, dropped); len(c.Labels) > 0 {
		parts = append(parts, PartLabels)
	}
	if s.quarantine(a, &c) {
		parts = append(parts, PartQuarantine)
	}
	if len(parts) == 0 {
		return c, PartWhole
	}
	return c, parts[0]
}

// labels are the labels that differ.
func (s Supply) labels(a Account, dropped []string) map[string]*string {
	labels := map[string]*string{}
	for key, value := range s.Labels {
		if have, ok := a.Labels[key]; !ok || have != value {
			labels[key] = &value
		}
	}
	for _, key := range dropped {
		_, wanted := s.Labels[key]
		if _, there := a.Labels[key]; there && !wanted {
			labels[key] = nil
		}
	}
	if len(labels) == 0 {
		return nil
	}
	return labels
}

// quarantine adds to a change what puts the account aside, or gives it back. The label is taken away only while it says what
// this side has written: whatever else it says was written by others.
func (s Supply) quarantine(a Account, c *Change) (changes bool) {
	if s.Quarantine != a.Quarantine {
		c.Quarantine = &s.Quarantine
	}
	dirt := a.Dirty
	switch {
	case s.Quarantine != "" && a.Dirty == Clean:
		dirt = Quarantined
	case s.Quarantine == "" && a.Quarantine != "" && a.Dirty == Quarantined:
		dirt = Clean
	}
	if dirt != a.Dirty {
		c.Dirty = &dirt
	}
	return c.Quarantine != nil || c.Dirty != nil
}

// moves reports whether a part of a change makes the account another one to all tenants.
func (p Part) moves() bool { return p == PartType || p == PartShared || p == PartEUAccess }

// refusal says why a change must not be made on an account as it is; nil = it may, as far as the account says. Clusters are
// another question.
func (s Supply) refusal(a Account, c Change, part Part) error {
	refused := &SupplyError{Account: a.Name, Part: part, Tenant: a.Tenant, Internal: a.Internal}
	switch {
	case c.isOn(a):
		return nil
	case a.Terminating:
		refused.Obstacle, refused.Held = ObstacleDeleting, a.Held
	case a.Tenant != "" && part != PartWhole && part != PartQuarantine:
		refused.Obstacle = ObstacleTenant
	case a.Dirty == Releasing && part.moves():
		refused.Obstacle = ObstacleReleasing
	case a.Shared && !s.Shared && a.HyperscalerType != "": // without a type the broker does not find it
		refused.Part, refused.Obstacle = PartShared, ObstacleBroker
	case s.Quarantine != "" && (c.Quarantine != nil || c.Dirty != nil):
		refused.Part, refused.Obstacle = PartQuarantine, s.noQuarantine(a)
	case s.Shared && !a.Shared:
		refuseShared(a, c, refused)
	}
	if refused.Obstacle == "" {
		return nil
	}
	return refused
}

// refuseShared notes what prevents an account from being shared.
func refuseShared(a Account, c Change, refused *SupplyError) {
	switch {
	case a.Dirty != Clean && c.Dirty == nil: // the broker does not read dirty there
		refused.Part, refused.Obstacle = PartShared, ObstacleDirty
	case len(a.Records)+len(a.Unreadable) > 0: // on a shared account no release takes its record away
		refused.Part, refused.Obstacle, refused.Claims = PartShared, ObstacleRecords, a.recorded()
	}
}

// noQuarantine says what prevents an account from being put aside; empty = nothing.
func (s Supply) noQuarantine(a Account) Obstacle {
	switch {
	case s.Shared:
		return ObstacleShared
	case a.Dirty == Releasing:
		return ObstacleReleasing
	case a.Dirty != Clean && a.Dirty != Quarantined:
		return ObstacleDirty
	}
	return ""
}

// Supplied returns an account that was put into the pool. Without a UID the account is read anew, with its Credentials. It
// never writes. A count that fails does not hide the account, which may have to be quarantined just then: see Uncounted.
//
// Errors: [NotFoundError] where there is none, or one that was made later; those of [Store].
func (p *Pool) Supplied(ctx context.Context, name, uid string) (Supplied, error) {
	if err := noAccount(name); err != nil {
		return Supplied{}, err
	}
	s, uncounted := p.cache.recent(ctx)
	if uncounted != nil {
		if ctx.Err() != nil || p.cache.relist(ctx, time.Now().Add(-maxAge)) != nil {
			return Supplied{}, uncounted
		}
		s = p.cache.snapshot()
	}
	a := s.account(name)
	if uid == "" || a == nil || a.UID != uid { // that an account is gone is never believed of a list
		fresh, err := p.read(ctx, name)
		if err != nil {
			return Supplied{}, err
		}
		a = &fresh
	}
	if uid != "" && a.UID != uid {
		return Supplied{}, &NotFoundError{Account: name, Anew: a.UID}
	}
	supplied := p.supplied(*a)
	supplied.Uncounted = uncounted
	return supplied, nil
}

func (p *Pool) supplied(a Account) Supplied {
	s := p.cache.snapshot()
	whole := s.whole(&a)
	return Supplied{Account: *whole, Class: Classify(whole, s.counts.Usage(a.Name), ""), Clusters: s.counts.Clusters(a.Name)}
}

// Accounts returns the accounts of one hyperscaler type, or of all where it is empty, by name. They are without Credentials.
func (p *Pool) Accounts(ctx context.Context, hyperscalerType string) ([]Account, error) {
	s, err := p.cache.recent(ctx)
	if err != nil {
		return nil, err
	}
	var accounts []Account
	for _, a := range s.accounts() {
		if hyperscalerType == "" || a.HyperscalerType == hyperscalerType {
			accounts = append(accounts, *a)
		}
	}
	slices.SortFunc(accounts, func(a, b Account) int { return strings.Compare(a.Name, b.Name) })
	return accounts, nil
}

// isOn reports whether an account is exactly what the supply says, apart from what others write on it.
func (s Supply) isOn(a Account) bool {
	change, _ := s.change(a, slices.Collect(maps.Keys(a.Labels)))
	return change.isOn(a) && a.Credentials != nil && a.Credentials.same(s.Credentials)
}
