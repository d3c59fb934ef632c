package account

import (
	"slices"
	"sort"
	"time"
)

// Change is what one write does to an account. What a field does not name stays untouched.
type Change struct {
	Tenant  *string            // sets the tenant; a pointer to "" removes the label
	Dirty   *Dirt              // sets the label dirty; a pointer to [Clean] removes it
	Records map[string]*Record // sets claim records by annotation key; nil removes one
	// LastHeld sets the time of [Account.LastHeld]; zero leaves it. It is information: of two writes of one change either time will do.
	LastHeld time.Time

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

// Claims returns the keys of the records that count, sorted: those of the tenant that holds the account now. A record
// that was left behind when the labels were stripped, or that belongs to another tenant, is void.
func (a *Account) Claims() []string {
	if a.Tenant == "" {
		return nil
	}
	var keys []string
	for key, record := range a.Records {
		if record.GlobalAccount == a.Tenant {
			keys = append(keys, key)
		}
	}
	sort.Strings(keys)
	return keys
}

// Holds returns the record of one claim if it counts.
func (a *Account) Holds(key string) (Record, bool) {
	record, ok := a.Records[key]
	if !ok || a.Tenant == "" || record.GlobalAccount != a.Tenant {
		return Record{}, false
	}
	return record, true
}

// HasVoid reports whether the record of a claim lies on the account, which its Global Account does not hold any more.
func (a *Account) HasVoid(key, owner string) bool {
	record, ok := a.Records[key]
	return ok && !a.Shared && record.GlobalAccount != a.Tenant && record.Owner == owner
}

// Remembers reports whether a record of the tenant lies on the account, void or not.
func (a *Account) Remembers(globalAccount string) bool {
	for _, record := range a.Records {
		if record.GlobalAccount == globalAccount {
			return true
		}
	}
	return false
}

// remembersByAny is Remembers for the cloud account: the record may lie on another binding of it.
func (a *Account) remembersByAny(globalAccount string) bool {
	return slices.ContainsFunc(a.Bindings(), func(b *Account) bool { return b.Remembers(globalAccount) })
}

// RemembersOthers reports whether a record of another Global Account lies on the account, or one that may be: it cannot be read.
func (a *Account) RemembersOthers(globalAccount string) bool {
	if len(a.Unreadable) > 0 {
		return true
	}
	for _, record := range a.Records {
		if record.GlobalAccount != globalAccount {
			return true
		}
	}
	return false
}

// OtherClaim is a claim for which a release leaves the account to its Global Account.
type OtherClaim struct {
	Account string // the account that has its record: that of the release, or another binding of the same credentials
	Key     string // the annotation
	Record  Record // zero where it is Unreadable
	// Unreadable says that the record cannot be read: whose claim it is is not known.
	Unreadable bool
}

// OtherClaims returns the claims on an account but for the one of a key, by their keys.
func (a *Account) OtherClaims(key string) (others []OtherClaim) {
	for _, k := range a.Claims() {
		if k != key {
			others = append(others, OtherClaim{Account: a.Name, Key: k, Record: a.Records[k]})
		}
	}
	for _, k := range a.Unreadable {
		if k != key {
			others = append(others, OtherClaim{Account: a.Name, Key: k, Unreadable: true})
		}
	}
	return others
}

// OtherClaimsOfAll returns the claims for which the cloud account is kept.
func (a *Account) OtherClaimsOfAll(key string) []OtherClaim {
	others := a.OtherClaims(key)
	for _, twin := range a.twins {
		others = slices.Concat(others, twin.OtherClaims(key))
	}
	return others
}

// recorded are the claims of all records, also of those that do not count.
func (a *Account) recorded() []string {
	var claims []string
	for _, record := range a.Records {
		claims = append(claims, record.Name+" of "+record.GlobalAccount)
	}
	slices.Sort(claims)
	return append(claims, a.Unreadable...)
}

// claimNames are the names of the claims that count, sorted.
func (a *Account) claimNames() []string {
	var names []string
	for _, key := range a.Claims() {
		names = append(names, a.Records[key].Name)
	}
	slices.Sort(names)
	return names
}

// Claimed reports whether a claim is on the account: one of the tenant that holds it, or one whose record cannot be read.
func (a *Account) Claimed() bool { return len(a.Unreadable) > 0 || len(a.Claims()) > 0 }

// HasUnreadable reports whether the record of a claim lies on the account and cannot be read.
func (a *Account) HasUnreadable(key string) bool { return slices.Contains(a.Unreadable, key) }

// UnreadableRecord is the error of an account on which the own record of a claim cannot be read; nil = that is not so.
func (a *Account) UnreadableRecord(id Identity) error {
	if key := id.Key(); a.HasUnreadable(key) {
		return &UnreadableRecordError{Account: a.Name, Keys: []string{key}, Identity: id}
	}
	return nil
}
