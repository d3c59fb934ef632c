package pool

import "slices"

// OtherClaim is a claim for which a release leaves the account to its Global Account.
type OtherClaim struct {
	Account string // the account that has its record: that of the release, or another binding of the same credentials
	Key     string // the annotation
	Record  Record // zero where it is Unreadable
	// Unreadable says that the record cannot be read: whose claim it is is not known.
	Unreadable bool
}

// claimsBut returns the claims on an account but for the one of a key, by their keys.
func (a *Account) claimsBut(key string) (others []OtherClaim) {
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

// keptFor returns the claims for which the cloud account is kept.
func (a *Account) keptFor(key string) []OtherClaim {
	others := a.claimsBut(key)
	for _, twin := range a.twins {
		others = slices.Concat(others, twin.claimsBut(key))
	}
	return others
}
