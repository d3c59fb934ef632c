package account

import (
	"slices"
	"sort"
)

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
