package adr

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// Account is the cloud account in which the Clusters of a profile come to be, as far as it is known. The proposal has none: which account a
// profile leads to, and what keeps it from taking a Cluster, is judged before (ADR 005).
type Account struct {
	Name string
	// Taken are the places that are taken in it: its clusters, and those that are on their way.
	Taken int
	// Waiting are the Clusters among them that have no Shoot yet, or whose Shoot does not say so.
	Waiting []clusters.Ref
	// Limit is the most clusters that it may have; 0: no limit applies.
	Limit int
	// Shared says that all Global Accounts use it.
	Shared bool
	// Refusal says why it takes no new Cluster of the request, whatever room it has; empty: it takes one.
	Refusal string
	// Foreign says that the refusal is for another Global Account than the request names: it gets no Cluster that is there either.
	Foreign bool
	// Unseen says why nothing but the name is known of it; empty: it is known.
	Unseen string
}

// Closed says why no new Cluster comes to the account; nothing if one may. What is not known refuses nothing [choice].
func (a *Account) Closed() string {
	switch {
	case !a.seen():
		return ""
	case a.Refusal != "":
		return a.Refusal
	case a.Limit > 0 && a.Taken >= a.Limit:
		return fmt.Sprintf("account %s is full: it has %s, and its limit is %d", a.Name, words.Count(a.Taken, "cluster"), a.Limit)
	}
	return ""
}

func (a *Account) seen() bool { return a != nil && a.Unseen == "" }

// compare orders accounts: the fullest first (ADR 005), then shared ones, the emptiest first, then what is not known [choice].
func (a *Account) compare(o *Account) int {
	if !a.seen() || !o.seen() {
		return cmp.Compare(rank(o.seen()), rank(a.seen()))
	}
	switch {
	case a.Shared != o.Shared:
		return cmp.Compare(rank(a.Shared), rank(o.Shared))
	case a.Shared:
		return cmp.Compare(a.Taken, o.Taken)
	}
	return cmp.Compare(o.Taken, a.Taken)
}

func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}

// use says how full the account of a profile is, to go on with a sentence.
func (a *Account) use() string {
	switch {
	case !a.seen():
		return ""
	case a.Limit == 0:
		return fmt.Sprintf("; its account %s has %s", a.Name, words.Count(a.Taken, "cluster"))
	}
	return fmt.Sprintf("; its account %s has %d of %s", a.Name, a.Taken, words.Count(a.Limit, "cluster"))
}

// comesAfter says why the account of the chosen profile comes first.
func (a *Account) comesAfter(best *Account, of string) string {
	switch {
	case !a.seen():
		return "its account is not known, and that of " + of + " has room"
	case a.Shared && !best.Shared:
		return fmt.Sprintf("its account %s is shared, and that of %s is not", a.Name, of)
	case a.Shared:
		return fmt.Sprintf("of shared accounts the emptiest comes first: its account %s has %s, and that of %s %d", a.Name,
			words.Count(a.Taken, "cluster"), of, best.Taken)
	}
	return fmt.Sprintf("the fullest account with room comes first: its account %s has %s, and that of %s %d", a.Name,
		words.Count(a.Taken, "cluster"), of, best.Taken)
}

// unseenAccounts warns of profiles whose accounts were not regarded, with why.
func (s *scheduling) unseenAccounts(fitting []string) (warnings []string) {
	unseen := map[string][]string{} // names by reason
	for _, name := range fitting {
		if a := s.byName[name].Account; a != nil && a.Unseen != "" {
			unseen[a.Unseen] = append(unseen[a.Unseen], name)
		}
	}
	for _, why := range slices.Sorted(maps.Keys(unseen)) {
		names, was := unseen[why], "were"
		if len(names) == 1 {
			was = "was"
		}
		warnings = append(warnings, fmt.Sprintf("The %s of %s %s not regarded, neither who holds %s nor whether there is room: %s.",
			words.Noun(len(names), "account"), listed(names), was, map[bool]string{true: "it", false: "them"}[len(names) == 1], why))
	}
	return bounded(warnings)
}
