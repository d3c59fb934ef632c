package claim

import (
	"fmt"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// keep notes for which other claims a destroy leaves the account to its Global Account. It is told where they outlive the run.
func (r *claimResource) keep(account string, others []pool.OtherClaim, now time.Time) {
	for _, other := range others {
		r.Backend.Releases.Keep(diagnose.SummaryAccountKept, backend.KeptFor{
			Account: account, Key: other.Key, Claim: called(other, account, now),
		})
	}
}

// called names a claim with its owner and its age.
func called(other pool.OtherClaim, account string, now time.Time) string {
	on := ""
	if other.Account != account {
		on = fmt.Sprintf(" on %s, which has the same credentials", other.Account)
	}
	if other.Unreadable {
		return fmt.Sprintf("a claim whose record cannot be read (annotation %s)%s", other.Key, on)
	}
	owner := "no owner is recorded"
	if other.Record.Owner != "" {
		owner = "owner " + other.Record.Owner
	}
	age := now.Sub(other.Record.ClaimedAt)
	text := words.Count(int(age.Hours()/24), "day")
	if age < 48*time.Hour {
		text = words.Count(int(age.Hours()), "hour")
	}
	return fmt.Sprintf("claim %s (%s) since %s, for %s%s", other.Record.Name, owner,
		other.Record.ClaimedAt.UTC().Format("2006-01-02 15:04 MST"), text, on)
}
