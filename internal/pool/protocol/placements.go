package protocol

import (
	"cmp"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Placements are the claims that this run has made or adopted, by the claim's key. A claim takes a place on its account
// for the rest of the run, from the moment it is made until it is reserved there or its cluster is counted.
type Placements map[string]*placement

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

// Account returns the account of a claim that this process has made or adopted before.
func (p Placements) Account(key string) (account string, made bool) {
	if claim := p[key]; claim != nil {
		return claim.account, true
	}
	return "", false
}

// Take notes a claim that this process makes or adopts.
func (p Placements) Take(s *Snapshot, key string, a account.Account, cluster string) {
	claim := &placement{account: a.Name, cluster: cluster, shared: a.Shared}
	if a.Shared || cluster == "" {
		account := s.Counts.CountedAs(a.Name)
		claim.baseline = s.unclaimed(s.Counts, account, a.Shared, p.names(s.Counts)[account])
	}
	p[key] = claim
}

// byAccount counts the places that the placements take, except for the claim of a key. On a dedicated account a claim with a
// cluster name is a reservation, and is not counted here.
//
// A matched claim takes no place as long as its cluster is there. A row may be counted before the Shoot by whose name it is known, and a
// cluster may be deleted.
func (p Placements) byAccount(s *Snapshot, counts account.Counts, except string) map[string]int {
	placed, anonymous := map[string]int{}, map[string][]*placement{}
	for key, claim := range p {
		account := counts.CountedAs(claim.account)
		switch {
		case key == except || !claim.shared && claim.cluster != "":
		case claim.anonymous(counts) && countedOn(counts, account, claim.shared) > 0:
			anonymous[account] = append(anonymous[account], claim)
		case claim.anonymous(counts), !counts.Has(claim.cluster):
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
func (p *placement) anonymous(counts account.Counts) bool {
	return p.cluster == "" || counts.Nameless()
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
func (p Placements) names(counts account.Counts) map[string][]string {
	names := map[string][]string{}
	for _, claim := range p {
		if claim.cluster != "" {
			account := counts.CountedAs(claim.account)
			names[account] = append(names[account], claim.cluster)
		}
	}
	return names
}

// countedOn returns how many clusters are counted on an account.
func countedOn(counts account.Counts, name string, shared bool) int {
	if shared {
		return counts.SharedUse(name)
	}
	return counts.Clusters(name)
}

// unclaimed returns how many clusters are counted on an account that no claim names. The names are those that the claims of the run give,
// beside those that are recorded on the account.
func (s *Snapshot) unclaimed(counts account.Counts, account string, shared bool, names []string) int {
	clusters := countedOn(counts, account, shared)
	names = slices.Clone(names)
	if a := s.Account(account); a != nil {
		for _, b := range s.Whole(a).Bindings() {
			for _, key := range b.Claims() {
				names = append(names, b.Records[key].ClusterName)
			}
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if counts.HasOn(account, name) {
			clusters--
		}
	}
	return clusters
}

// Recount lowers the baselines by a new count: clusters that were there when a claim was made may have been deleted.
func (p Placements) Recount(s *Snapshot) {
	names := p.names(s.Counts)
	for _, claim := range p {
		if claim.shared || claim.cluster == "" {
			account := s.Counts.CountedAs(claim.account)
			claim.baseline = min(claim.baseline, s.unclaimed(s.Counts, account, claim.shared, names[account]))
		}
	}
}
