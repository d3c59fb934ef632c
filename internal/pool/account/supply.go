package account

import (
	"fmt"
	"maps"
	"slices"
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

// Change returns what has to be written so that an account is as the supply says, and which part of that matters to others:
// the first that says something else by then; empty = none. Labels that are to be removed are named by their keys.
func (s Supply) Change(a Account, dropped []string) (Change, Part) {
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
		if have, ok := a.Labels[key]; (!ok || have != value) && !a.ofOthers(key) {
			labels[key] = &value
		}
	}
	for _, key := range dropped {
		_, wanted := s.Labels[key]
		if _, there := a.Labels[key]; there && !wanted && !a.ofOthers(key) {
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

// Moves reports whether a part of a change makes the account another one to all tenants.
func (p Part) Moves() bool { return p == PartType || p == PartShared || p == PartEUAccess }

// Refusal says why a change must not be made on an account as it is; nil = it may, as far as the account says. Clusters are
// another question.
func (s Supply) Refusal(a Account, c Change, part Part) error {
	refused := &SupplyError{Account: a.Name, Part: part, Tenant: a.Tenant, Internal: a.Internal}
	switch {
	case c.IsOn(a):
		return nil
	case a.Terminating:
		refused.Obstacle, refused.Held = ObstacleDeleting, a.Held
	case a.Tenant != "" && part != PartWhole && part != PartQuarantine:
		refused.Obstacle = ObstacleTenant
	case s.doubtful(a, part):
		refused.Obstacle, refused.Doubts = ObstacleUnclear, a.ownDoubts()
	case a.Dirty == Releasing && part.Moves():
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

// doubtful reports whether a change must not be made because it is in doubt whose the account is.
func (s Supply) doubtful(a Account, part Part) bool {
	if s.Shared && !a.Shared {
		return len(a.ownDoubts()) > 0
	}
	return a.mayBe(ClassHeld) && part != PartWhole && part != PartQuarantine
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

// IsOn reports whether an account is exactly what the supply says, apart from what others write on it.
func (s Supply) IsOn(a Account) bool {
	change, _ := s.Change(a, slices.Collect(maps.Keys(a.Labels)))
	return change.IsOn(a) && a.Credentials != nil && a.Credentials.same(s.Credentials)
}

// Exists says that there is an object of the name of a supply.
func (s Supply) Exists(there Account) error {
	return &ExistsError{Account: there.Name, Same: s.IsOn(there), Deleting: there.Terminating}
}

// KeptByTwin says what another binding of the same credentials has against a change; nil = nothing.
func (a *Account) KeptByTwin(part Part) error {
	for _, twin := range a.twins {
		refused := &SupplyError{Account: a.Name, Part: part, Tenant: twin.Tenant, Twin: twin.Name}
		switch {
		case twin.Tenant != "" && !twin.Shared:
			refused.Obstacle = ObstacleTenant
		case twin.Dirty == Releasing:
			refused.Obstacle = ObstacleReleasing
		case twin.Dirty != Clean && twin.Dirty != Quarantined:
			refused.Obstacle = ObstacleDirty
		case len(twin.ownDoubts()) > 0:
			refused.Obstacle, refused.Doubts = ObstacleUnclear, a.Doubts()
		default:
			continue
		}
		return refused
	}
	return nil
}

// Unwiped reports whether the account is out of circulation until it is wiped.
func (a *Account) Unwiped() bool { return a.Dirty != Clean && a.Dirty != Quarantined }

// SetAside reports whether another party has quarantined the account: no configuration gives the reason.
func (a *Account) SetAside() bool { return a.Dirty == Quarantined && a.Quarantine == "" }

// KeptBy says what on the account itself keeps it in the pool; nil = nothing. One that is marked dirty is not its tenant's any
// more, though the label is there: where the clean-up job does not come it would stay for ever.
func (a *Account) KeptBy() *SupplyError {
	refused := &SupplyError{Account: a.Name, Tenant: a.Tenant, Internal: a.Internal, Claims: a.claimNames()}
	switch {
	case a.Dirty == Releasing:
		refused.Obstacle = ObstacleReleasing
	case len(refused.Claims) > 0:
		refused.Obstacle = ObstacleClaims
	case len(a.Unreadable) > 0:
		refused.Obstacle, refused.Claims = ObstacleUnreadable, a.Unreadable
	case a.Tenant != "" && a.Dirty != Dirtied:
		refused.Obstacle = ObstacleTenant
	case a.mayBe(ClassHeld) && a.Dirty != Dirtied:
		refused.Obstacle, refused.Doubts = ObstacleUnclear, a.ownDoubts()
	default:
		return nil
	}
	return refused
}

// KeepsQuotas says that an account with quotas is only replaced where its owner says what quotas the new one has.
func (s Supply) KeepsQuotas(a Account) error {
	if c := a.Credentials; c != nil && len(c.Quotas) > 0 && s.Credentials.Quotas == nil {
		return &SupplyError{Account: a.Name, Quotas: c.Quotas, Obstacle: ObstacleQuotas}
	}
	return nil
}

// ExistsError says that there is an account of this name already.
type ExistsError struct {
	Account string
	Same    bool // it is just as it was to be
	// Deleting says that it is being deleted, and that its name is free when it is gone.
	Deleting bool
}

func (e *ExistsError) Error() string {
	switch {
	case e.Deleting:
		return fmt.Sprintf("account %s is still there and is being deleted", e.Account)
	case e.Same:
		return fmt.Sprintf("account %s exists already, just as it was to be made", e.Account)
	}
	return fmt.Sprintf("account %s exists already", e.Account)
}
