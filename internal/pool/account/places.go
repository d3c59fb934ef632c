package account

import (
	"time"
)

// reservationLife is how long a reservation lasts where the broker's database alone counts. It knows no names of Shoots,
// so that it is not known when the cluster of a claim is counted; an hour after the claim its row is long there.
const reservationLife = time.Hour

// reserves reports whether a claim holds a place for a cluster that is not counted yet: it names the cluster, and no Shoot of that name is
// counted, wherever it is. Where the database alone counts, that ends an hour after claimedAt, by the clock that says now.
func (c Counts) reserves(record Record, now time.Time) bool {
	switch {
	case record.ClusterName == "":
		return false
	case c.Nameless():
		return now.Sub(record.ClaimedAt) < reservationLife
	}
	return !c.Has(record.ClusterName)
}

// Nameless reports whether the names of the clusters are not known: the broker's database, where it counts alone, does not have them.
func (c Counts) Nameless() bool { return c.source == SourceDatabase }

// Reservations returns the number of places that claims on an account hold for clusters which are not counted yet. Where the
// database alone counts, now decides which of them have ended.
func (c Counts) Reservations(a *Account, now time.Time) int {
	reserved := map[string]bool{} // a claim on its way from one binding to another has a record on both
	for _, b := range a.Bindings() {
		for _, key := range b.Claims() {
			if c.reserves(b.Records[key], now) {
				reserved[key] = true
			}
		}
	}
	return len(reserved)
}

// Awaits reports whether the Shoot that a claim is for is not there, whenever the claim was made. It is false where that is not known:
// the broker's database, where it counts alone, does not have the names of Shoots.
func (c Counts) Awaits(record Record) bool {
	return record.ClusterName != "" && !c.Nameless() && !c.Has(record.ClusterName)
}

// Places is what is taken on the accounts: the clusters counted, the places reserved on the accounts, and the places that the claims of
// this run take besides. No cluster is in two of them.
type Places struct {
	Counts
	Placed map[string]int // of the claims of this run, by account
	Now    time.Time      // by which a reservation ends where the database alone counts
}

// reserved returns the places that are taken on an account in addition to the clusters counted.
func (p Places) reserved(a *Account) int {
	return p.Reservations(a, p.Now) + p.Placed[p.CountedAs(a.Name)]
}

// taken returns all places that are taken on a dedicated account.
func (p Places) taken(a *Account) int { return p.Clusters(a.Name) + p.reserved(a) }

// takenShared is taken for a shared account.
func (p Places) takenShared(a *Account) int {
	return p.SharedUse(a.Name) + p.Placed[p.CountedAs(a.Name)]
}
