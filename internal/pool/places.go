package pool

import (
	"cmp"
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
	// least is the smallest number of clusters on the account, without those that a claim names, that was counted since the claim
	// was made. What is more now can be the claim's cluster.
	least int
}

// byAccount counts the places that the placements take, but for the claim of a key. On a dedicated account a claim with a
// cluster name is a reservation, and none of these.
//
// A cluster that came to an account since a claim was made, and that no claim names, is taken for the cluster of the claim
// without a cluster name, so that it is not counted twice. It is one while it is there: a row may be counted ahead of the Shoot by whose
// name it is known, and a cluster may go again.
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
	if len(nameless) == 0 {
		return placed
	}
	names := p.names()
	for account, claims := range nameless {
		placed[account] += len(claims) - arrived(s.unnamed(counts, account, claims[0].shared, names[account]), claims)
	}
	return placed
}

// nameless reports whether the claim's cluster cannot be recognized by its name: none is given, or the database alone counts.
func (p *placement) nameless(counts Counts) bool {
	return p.cluster == "" || counts.source == SourceDatabase
}

// arrived returns how many claims on one account without a cluster name have their clusters by now. The newest come first: what came
// since one of them was made came since all older ones were made, too.
func arrived(unnamed int, claims []*placement) (arrived int) {
	slices.SortFunc(claims, func(a, b *placement) int { return cmp.Compare(b.least, a.least) })
	for _, claim := range claims {
		if unnamed-claim.least > arrived {
			arrived++
		}
	}
	return arrived
}

// names returns the names of clusters that the claims of the run give, by account.
func (p placements) names() map[string][]string {
	names := map[string][]string{}
	for _, claim := range p {
		if claim.cluster != "" {
			names[claim.account] = append(names[claim.account], claim.cluster)
		}
	}
	return names
}

// unnamed returns how many clusters are counted on an account that no claim names. The names are those that the claims of the run give,
// beside those that are recorded on the account.
func (s *snapshot) unnamed(counts Counts, account string, shared bool, names []string) int {
	clusters := counts.Clusters(account)
	if shared {
		clusters = counts.sharedUse(account)
	}
	names = slices.Clone(names)
	if a := s.account(account); a != nil {
		for _, key := range a.Claims() {
			names = append(names, a.Records[key].ClusterName)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if counts.hasOn(account, name) {
			clusters--
		}
	}
	return clusters
}

// settle hears of a new count: clusters that were there when a claim was made may have gone.
func (p placements) settle(s *snapshot) {
	names := p.names()
	for _, claim := range p {
		if claim.shared || claim.cluster == "" {
			claim.least = min(claim.least, s.unnamed(s.counts, claim.account, claim.shared, names[claim.account]))
		}
	}
}
