package pool

import "time"

// reservationLife is how long a reservation lasts where the broker's database alone counts. It knows no names of Shoots,
// so that nothing tells when the cluster of a claim is counted; an hour after the claim its row is long there.
const reservationLife = time.Hour

// Reservations returns the number of places that claims on an account hold for clusters which are not counted yet: those
// whose cluster name is not the name of a counted Shoot, wherever it is. Where the database alone counts, a reservation ends an hour after
// claimedAt, by the clock that says now.
func (c Counts) Reservations(a *Account, now time.Time) int {
	reserved := 0
	for _, key := range a.Claims() {
		record := a.Records[key]
		if record.ClusterName == "" {
			continue
		}
		if c.source == SourceDatabase {
			if now.Sub(record.ClaimedAt) < reservationLife {
				reserved++
			}
			continue
		}
		if !c.has(record.ClusterName) {
			reserved++
		}
	}
	return reserved
}

// places is what is taken on the accounts: the clusters counted, the places reserved on the accounts, and the placements
// of this run. No cluster is in two of them.
type places struct {
	Counts
	placed map[string]int // by account
	now    time.Time
}

// reserved returns the places that are taken on an account in addition to the clusters counted.
func (p places) reserved(a *Account) int { return p.Reservations(a, p.now) + p.placed[a.Name] }

// taken returns all places that are taken on a dedicated account.
func (p places) taken(a *Account) int { return p.Clusters(a.Name) + p.reserved(a) }

// takenShared is taken for a shared account.
func (p places) takenShared(a *Account) int { return p.sharedUse(a.Name) + p.placed[a.Name] }

// placements are the claims that this run has made or adopted, by the claim's key. A claim takes a place on its account
// for the rest of the run, from the moment it is made until it is reserved there or its cluster is counted.
type placements map[string]*placement

// placement is one claim of this run.
type placement struct {
	account, cluster string
	shared           bool
	// arrived says that a cluster came to the account which can be that of a claim without a cluster name.
	arrived bool
}

// byAccount counts the places that the placements take, but for the claim of a key. On a dedicated account a claim with a
// cluster name is a reservation, and none of these.
func (p placements) byAccount(counts Counts, but string) map[string]int {
	placed := map[string]int{}
	for key, claim := range p {
		counted := counts.has(claim.cluster)
		if claim.nameless(counts) {
			counted = claim.arrived
		}
		if key != but && !counted && (claim.shared || claim.cluster == "") {
			placed[claim.account]++
		}
	}
	return placed
}

// nameless reports whether the claim's cluster cannot be recognized by its name: none is given, or the database alone counts.
func (p *placement) nameless(counts Counts) bool {
	return p.cluster == "" || counts.source == SourceDatabase
}

// settle ends the placements whose clusters a new count has. Each cluster that has come to an account since the count before,
// and that no claim names, is taken for the cluster of a claim without a cluster name, so that it is not counted twice.
func (p placements) settle(before Counts, s *snapshot) {
	after, came := s.counts, map[string]int{}
	for _, claim := range p {
		if !claim.nameless(after) || claim.arrived || claim.cluster != "" && !claim.shared {
			continue
		}
		if _, known := came[claim.account]; !known {
			came[claim.account] = after.sharedUse(claim.account) - before.sharedUse(claim.account)
			if !claim.shared {
				came[claim.account] = after.Clusters(claim.account) - before.Clusters(claim.account)
			}
			came[claim.account] -= p.namedArrivals(claim.account, before, s)
		}
		if came[claim.account] > 0 {
			came[claim.account]--
			claim.arrived = true
		}
	}
}

// namedArrivals counts the Shoots that have come to be counted between two counts and that a claim on the account names.
func (p placements) namedArrivals(account string, before Counts, s *snapshot) (n int) {
	named := map[string]bool{}
	for _, claim := range p {
		if claim.account == account {
			named[claim.cluster] = true
		}
	}
	if a := s.account(account); a != nil {
		for _, key := range a.Claims() {
			named[a.Records[key].ClusterName] = true
		}
	}
	delete(named, "")
	for name := range named {
		if s.counts.has(name) && !before.has(name) {
			n++
		}
	}
	return n
}
