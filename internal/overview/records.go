package overview

import (
	"fmt"
	"slices"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// oldClaimAge is how long a claim without a lease may be on an account without a cluster before it is a problem.
const oldClaimAge = 30 * 24 * time.Hour

func unreadableRecord(_ *survey, a *Account) string {
	return when(len(a.Unreadable) > 0, "It bears %s that cannot be read: %s.", words.Count(len(a.Unreadable), "claim record"),
		words.First(maxNamed, a.Unreadable))
}

func unwritable(s *survey, a *Account) string {
	why := s.facts.Unwritable[a.Name]
	return when(why != "", "It cannot be written: %s.", why)
}

// oldClaim reports claims that have been on an account for long, without a cluster: a state that was lost leaves such a claim, and the
// account is kept for it. A claim with a lease says itself until when it is meant; one that waits for its Shoot reserves a place.
func oldClaim(s *survey, a *Account) string {
	if a.Shared || a.Dirty == account.Releasing || a.Clusters > 0 || a.Usage.Siblings > 0 || a.Usage.Beside > 0 {
		return ""
	}
	old := slices.DeleteFunc(slices.Clone(a.ValidRecords), func(r account.Record) bool {
		return r.Lease != "" || r.ClaimedAt.IsZero() || s.now.Sub(r.ClaimedAt) < oldClaimAge || s.counts.Awaits(r)
	})
	return when(len(old) > 0, "No cluster is on it, and %s of %s %s on it for long: %s.", words.Count(len(old), "claim"), a.Tenant,
		words.Verb(len(old), "stand"), firstClaims(old, func(r account.Record) string {
			return fmt.Sprintf("%s since %s", named(r), s.since(r.ClaimedAt))
		}))
}
