package pool

import (
	"slices"
	"time"
)

// reservationLife is how long a reservation lasts where the broker's database alone counts. It knows no names of Shoots,
// so that nothing tells when the cluster of a claim is counted; an hour after the claim its row is long there.
const reservationLife = time.Hour

// reserves reports whether a claim holds a place for a cluster that is not counted yet: it names the cluster, and no Shoot of that name is
// counted, wherever it is. Where the database alone counts, that ends an hour after claimedAt, by the clock that says now.
func (c Counts) reserves(record Record, now time.Time) bool {
	switch {
	case record.ClusterName == "":
		return false
	case c.source == SourceDatabase:
		return now.Sub(record.ClaimedAt) < reservationLife
	}
	return !c.has(record.ClusterName)
}

// Reservations returns the number of places that claims on an account hold for clusters which are not counted yet. Where the
// database alone counts, now decides which of them have ended.
func (c Counts) Reservations(a *Account, now time.Time) int {
	reserved := 0
	for _, key := range a.Claims() {
		if c.reserves(a.Records[key], now) {
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
	since            count // the newest count when the claim was made: what came later can be its cluster
}

// count is one count of the clusters, and when it was begun.
type count struct {
	Counts
	begun time.Time
}

// byAccount counts the places that the placements take, but for the claim of a key. On a dedicated account a claim with a
// cluster name is a reservation, and none of these.
//
// A cluster that came to an account since a claim was made, and that no claim names, is taken for the cluster of the claim
// without a cluster name, so that it is not counted twice. Each count is compared with the one of the claim's own time: what
// an account is said to have may go up before it comes down, as where a row is counted ahead of its Shoot.
func (p placements) byAccount(s *snapshot, counts Counts, but string) map[string]int {
	placed, nameless := map[string]int{}, map[string][]*placement{}
	for key, claim := range p {
		switch {
		case key == but || !claim.shared && claim.cluster != "":
		case claim.nameless(counts):
			nameless[claim.account] = append(nameless[claim.account], claim)
		case !counts.has(claim.cluster):
			placed[claim.account]++
		}
	}
	for account, claims := range nameless {
		placed[account] += len(claims) - p.arrived(s, counts, claims)
	}
	return placed
}

// nameless reports whether the claim's cluster cannot be recognized by its name: none is given, or the database alone counts.
func (p *placement) nameless(counts Counts) bool {
	return p.cluster == "" || counts.source == SourceDatabase
}

// arrived returns how many claims on one account without a cluster name have their clusters by now. The newest claims come first: what
// came since one of them was made came since all older ones were made, too.
func (p placements) arrived(s *snapshot, counts Counts, claims []*placement) (arrived int) {
	slices.SortFunc(claims, func(a, b *placement) int { return b.since.begun.Compare(a.since.begun) })
	came, of := 0, time.Time{}
	for i, claim := range claims {
		if i == 0 || !claim.since.begun.Equal(of) { // claims of one count have the same clusters to choose from
			came, of = p.came(s, counts, claim), claim.since.begun
		}
		if came > arrived {
			arrived++
		}
	}
	return arrived
}

// came returns how many clusters have come to the account of a claim since it was made, without those that a claim names.
func (p placements) came(s *snapshot, counts Counts, claim *placement) int {
	account, before := claim.account, claim.since.Counts
	came := counts.Clusters(account) - before.Clusters(account)
	if claim.shared {
		came = counts.sharedUse(account) - before.sharedUse(account)
	}
	if came <= 0 { // the common case: there has been no other count, and 500 claims ask
		return 0
	}
	for name := range p.named(s, account) {
		if counts.hasOn(account, name) && !before.hasOn(account, name) {
			came--
		}
	}
	return came
}

// named returns the names of clusters that claims on an account give.
func (p placements) named(s *snapshot, account string) map[string]bool {
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
	return named
}
