package claim

import (
	"fmt"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// keep warns of other claims for which a destroy leaves the account to its Global Account, where they outlive the run.
func (r *claimResource) keep(account string, others []account.OtherClaim, now time.Time) {
	const remedy = " Where no state has such a claim any more, its account stays so for ever: import the claim into a configuration of its " +
		"own (its import ID is Global Account/account/name), and destroy it there. hap_pool_status lists the claims on each account."
	for _, other := range others {
		item := account + ": " + called(other, account, now)
		r.Backend.Releases.Add(ledger.Warning{
			Summary: diagnose.SummaryAccountKept, Item: item, Unless: other.Key,
			One: "The account was neither marked nor freed, and stays with its Global Account, because another claim is on it. " +
				item + "." + remedy,
			Many: "other claims are on accounts that were neither marked nor freed for that, and that stay with their Global Accounts." + remedy,
		})
	}
}

// called names a claim with its owner and its age.
func called(other account.OtherClaim, account string, now time.Time) string {
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
