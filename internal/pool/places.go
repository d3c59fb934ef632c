package pool

import (
	"cmp"
	"slices"
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
	case c.nameless():
		return now.Sub(record.ClaimedAt) < reservationLife
	}
	return !c.has(record.ClusterName)
}

// nameless reports whether the names of the clusters are not known: the broker's database, where it counts alone, does not have them.
func (c Counts) nameless() bool { return c.source == SourceDatabase }

// Reservations returns the number of places that claims on an account hold for clusters which are not counted yet. Where the
// database alone counts, now decides which of them have ended.
func (c Counts) Reservations(a *Account, now time.Time) int {
	reserved := 0
	for _, b := range a.all() {
		for _, key := range b.Claims() {
			if c.reserves(b.Records[key], now) {
				reserved++
			}
		}
	}
	return reserved
}

// Awaits reports whether the Shoot that a claim is for is not there, whenever the claim was made. It is false where that is not known:
// the broker's database, where it counts alone, does not have the names of Shoots.
func (c Counts) Awaits(record Record) bool {
	return record.ClusterName != "" && !c.nameless() && !c.has(record.ClusterName)
}

// Places is what is taken on the accounts: the clusters counted, the places reserved on the accounts, and the places that the claims of this
// run take besides. No cluster is in two of them.
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
	return p.sharedUse(a.Name) + p.Placed[p.CountedAs(a.Name)]
}

// placements are the claims that this run has made or adopted, by the claim's key. A claim takes a place on its account
// for the rest of the run, from the moment it is made until it is reserved there or its cluster is counted.
type placements map[string]*placement

// placement is one claim of this run.
//
// A claim without a cluster name is anonymous: its cluster cannot be recognized, so it is matched with a cluster that came since. Example:
// an account has 2 clusters when the claim A is made (baseline 2), and 3 when the claim B is made (baseline 3).
//
//	clusters  matched         places taken
//	       3  A (3 > 2)       3 + 1 for B
//	       4  A and B         4
//	       2  neither         2 + 2, and both baselines are 2 from now on
type placement struct {
	account, cluster string
	shared           bool
	// baseline is the smallest number of clusters on the account that was counted since the claim was made, without those that a claim names.
	baseline int
}

// account returns the account of a claim that this process has made or adopted before.
func (p placements) account(key string) (account string, made bool) {
	if claim := p[key]; claim != nil {
		return claim.account, true
	}
	return "", false
}

// take notes a claim that this process makes or adopts.
func (p placements) take(s *snapshot, key string, a Account, cluster string) {
	claim := &placement{account: a.Name, cluster: cluster, shared: a.Shared}
	if a.Shared || cluster == "" {
		account := s.counts.CountedAs(a.Name)
		claim.baseline = s.unclaimed(s.counts, account, a.Shared, p.names(s.counts)[account])
	}
	p[key] = claim
}

// on returns how many claims take a place on an account that is no reservation, by a count.
func (p placements) on(s *snapshot, account string, counts Counts) int {
	return p.byAccount(s, counts, "")[counts.CountedAs(account)]
}

// byAccount counts the places that the placements take, except for the claim of a key. On a dedicated account a claim with a
// cluster name is a reservation, and is not counted here.
//
// A matched claim takes no place as long as its cluster is there. A row may be counted before the Shoot by whose name it is known, and a
// cluster may be deleted.
func (p placements) byAccount(s *snapshot, counts Counts, except string) map[string]int {
	placed, anonymous := map[string]int{}, map[string][]*placement{}
	for key, claim := range p {
		account := counts.CountedAs(claim.account)
		switch {
		case key == except || !claim.shared && claim.cluster != "":
		case claim.anonymous(counts):
			anonymous[account] = append(anonymous[account], claim)
		case !counts.has(claim.cluster):
			placed[account]++
		}
	}
	if len(anonymous) == 0 {
		return placed
	}
	names := p.names(counts)
	for account, claims := range anonymous {
		placed[account] += len(claims) - matched(s.unclaimed(counts, account, claims[0].shared, names[account]), claims)
	}
	return placed
}

// anonymous reports whether the claim's cluster cannot be recognized by its name: the claim gives none, or the database alone counts.
func (p *placement) anonymous(counts Counts) bool {
	return p.cluster == "" || counts.nameless()
}

// matched returns how many anonymous claims on one account have their clusters, where so many clusters are on it that no claim names. The
// newest claim comes first: a cluster that came since it was made came since all older ones were made, too.
func matched(clusters int, claims []*placement) (matched int) {
	slices.SortFunc(claims, func(a, b *placement) int { return cmp.Compare(b.baseline, a.baseline) })
	for _, claim := range claims {
		if clusters-claim.baseline > matched {
			matched++
		}
	}
	return matched
}

// names returns the names of clusters that the claims of the run give, by the name under which their account is counted.
func (p placements) names(counts Counts) map[string][]string {
	names := map[string][]string{}
	for _, claim := range p {
		if claim.cluster != "" {
			account := counts.CountedAs(claim.account)
			names[account] = append(names[account], claim.cluster)
		}
	}
	return names
}

// unclaimed returns how many clusters are counted on an account that no claim names. The names are those that the claims of the run give,
// beside those that are recorded on the account.
func (s *snapshot) unclaimed(counts Counts, account string, shared bool, names []string) int {
	clusters := counts.Clusters(account)
	if shared {
		clusters = counts.sharedUse(account)
	}
	names = slices.Clone(names)
	if a := s.account(account); a != nil {
		for _, b := range s.whole(a).all() {
			for _, key := range b.Claims() {
				names = append(names, b.Records[key].ClusterName)
			}
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

// recount lowers the baselines by a new count: clusters that were there when a claim was made may have been deleted.
func (p placements) recount(s *snapshot) {
	names := p.names(s.counts)
	for _, claim := range p {
		if claim.shared || claim.cluster == "" {
			account := s.counts.CountedAs(claim.account)
			claim.baseline = min(claim.baseline, s.unclaimed(s.counts, account, claim.shared, names[account]))
		}
	}
}
