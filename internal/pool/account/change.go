package account

import (
	"slices"
)

// Change is what one write does to an account. What a field does not name stays untouched.
type Change struct {
	Tenant  *string            // sets the tenant; a pointer to "" removes the label
	Dirty   *Dirt              // sets the label dirty; a pointer to [Clean] removes it
	Records map[string]*Record // sets claim records by annotation key; nil removes one

	HyperscalerType *string            // sets the hyperscaler type; a pointer to "" removes the label
	Flags           map[Flag]bool      // sets a flag to "true", or removes its label
	Quarantine      *string            // sets the reason of a quarantine, and not the label; a pointer to "" removes it
	Labels          map[string]*string // sets labels that say nothing of the pool, by key; nil removes one
}

// IsOn reports whether the account is as the change would make it. After a lost answer nothing else is known.
func (c Change) IsOn(a Account) bool {
	if c.Tenant != nil && a.Tenant != *c.Tenant || c.Dirty != nil && a.Dirty != *c.Dirty {
		return false
	}
	for key, want := range c.Records {
		have, ok := a.Records[key]
		if ok != (want != nil) || ok && !have.SameAs(*want) {
			return false
		}
	}
	return c.isSuppliedOn(a)
}

// isSuppliedOn is isOn for what only the pool's owner writes.
func (c Change) isSuppliedOn(a Account) bool {
	if c.HyperscalerType != nil && a.HyperscalerType != *c.HyperscalerType || c.Quarantine != nil && a.Quarantine != *c.Quarantine {
		return false
	}
	for flag, want := range c.Flags {
		if a.has(flag) != want || slices.Contains(a.FalseFlags, flag) {
			return false
		}
	}
	for key, want := range c.Labels {
		have, ok := a.Labels[key]
		if ok != (want != nil) || ok && have != *want {
			return false
		}
	}
	return true
}

// VoidOn reports whether a record of the change lies on an account that its Global Account does not hold any more: the change
// had arrived.
func (c Change) VoidOn(now Account) bool {
	for key, written := range c.Records {
		if written != nil && now.HasVoid(key, written.Owner) && now.Records[key].SameAs(*written) {
			return true
		}
	}
	return false
}

// ArrivedOn reports whether a change whose answer was lost is on the account as it is now. A record that was written
// counts only where the tenant is still the one that it was written for.
func (c Change) ArrivedOn(judged, now Account) bool {
	if now.UID != judged.UID || !c.IsOn(now) {
		return false
	}
	for _, written := range c.Records {
		if written != nil && now.Tenant != written.GlobalAccount {
			return false
		}
	}
	return true
}

// Uncovers returns the part of a change that takes away what hides an unclaimed account from the broker: clusters that are on it
// would come to another tenant's account. PartWhole = none does.
func (c Change) Uncovers(a Account) Part {
	_, flagged := c.Flags[FlagEUAccess]
	switch {
	case a.Tenant != "" || a.Shared:
	case flagged && slices.Contains(a.FalseFlags, FlagEUAccess):
		return PartEUAccess
	case c.Dirty != nil && *c.Dirty == Clean:
		return PartQuarantine
	}
	return PartWhole
}
