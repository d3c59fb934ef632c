package claim

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// warnAdopts says at plan that the claim is recorded already, and not in this state: the apply takes it up. Another owner's it refuses.
func (r *claimResource) warnAdopts(plan claimModel, target account.Target) {
	p, err := r.Backend.Garden.Pool()
	if err != nil || r.Diags.HasError() || !tfvalue.Known(plan.GlobalAccount, plan.Name, plan.Owner) ||
		r.Backend.Ledger.InState(object(plan.identityOn(target))) {
		return
	}
	id := p.Identity(plan.GlobalAccount.ValueString(), target, plan.Name.ValueString())
	at, record, recorded := p.Recorded(id)
	if !recorded || record.Owner != plan.Owner.ValueString() {
		return
	}
	r.Diags.AddAttributeWarning(path.Root("name"), diagnose.SummaryClaimAdopts, fmt.Sprintf("The %s is on account %s already, since %s, "+
		"with the same owner, and this run has not read it from the state. The apply takes it up, and claims nothing anew. That is right after "+
		"an apply that was interrupted, and within an apply that replaces the claim and creates first. If another state has the claim, it loses "+
		"it to this one, and a destroy from here ends it: do not apply this plan, and "+
		"give one of the two another name, and each configuration an owner.",
		id, at.Name, record.ClaimedAt.UTC().Format("2006-01-02 15:04:05 MST")))
}

// warnClaim says what a person should know about a claim that went well. What several claims of a run would say alike, the first says.
func warnClaim(diags *diag.Diagnostics, of *ledger.Ledger, c protocol.Claim) {
	if c.Adopted {
		diags.AddWarning(diagnose.SummaryClaimAdopted, fmt.Sprintf("The %s was on account %s already, since %s, with the same owner: it was "+
			"taken up, and nothing was claimed anew. That is what an interrupted apply leaves behind; if another configuration has this claim "+
			"too, give one of them another name.",
			c.Identity, c.Account.Name, c.Record.ClaimedAt.UTC().Format("2006-01-02 15:04:05 MST")))
	}
	if c.Account.Internal && !c.Account.Shared {
		diags.AddWarning(diagnose.SummaryInternal, fmt.Sprintf("Account %s is kept for internal use (label internal), and Global Account %s "+
			"holds it. A destroy of this claim takes its record away and neither marks nor frees the account, whatever on_destroy "+
			"says.", c.Account.Name, c.Identity.GlobalAccount))
	}
	for _, passed := range c.PassedOver {
		diags.AddWarning(diagnose.SummaryUnwritable, fmt.Sprintf(
			"Account %s came first, and the write on it was refused: %v. The claim of Global "+
				"Account %s went to account %s instead. %s", passed.Account, passed.Err, c.Identity.GlobalAccount, c.Account.Name,
			overview.ProblemUnwritable.Remedy()))
	}
	for _, left := range c.LeftBehind {
		diags.AddWarning(diagnose.SummaryRecordLeft, fmt.Sprintf(
			"The %s is on account %s. An earlier run of it left its record on account %s, "+
				"which Global Account %s has lost since, and it could not be taken away: %v. It counts again should the Global Account get that "+
				"account back. Take annotation %s off the account by hand.",
			c.Identity, c.Account.Name, left.Account, c.Identity.GlobalAccount, left.Err, c.Identity.Key()))
	}
	for _, w := range c.Warnings {
		if of.First(diagnose.SummarySelectionWarning, w) {
			diags.AddAttributeWarning(path.Root("global_account"), diagnose.SummarySelectionWarning, w)
		}
	}
	diagnose.WarnDoubts(diags, c.Doubts)
}

// warnSeveral says, once in a run, that a Global Account holds several accounts of a pool and may have one: that is left by
// two first claims that came close together.
func (r *claimResource) warnSeveral(diags *diag.Diagnostics, s pool.Status, globalAccount string, target account.Target) {
	if len(s.Held) < 2 || !r.Backend.Ledger.First("several accounts", globalAccount, target.String()) {
		return
	}
	diags.AddAttributeWarning(path.Root("global_account"), diagnose.SummarySelectionWarning, fmt.Sprintf(
		"Global Account %s holds several accounts of pool %s and may have one: %s. New clusters go to %s, the first by name. Move the clusters "+
			"of the others, and destroy the claims on them. Mark one dirty only where no claim was on it, and neither a cluster nor a claim is on "+
			"another binding of its credentials; take the Global Account's label off those that are internal. Or allow "+
			"it several (multi_account.allowed_global_accounts).",
		globalAccount, target, strings.Join(s.Held, ", "), s.Held[0]))
}

// Gone says why a claim leaves the state.
func (r *claimResource) Gone(of kept, err error) {
	accountName, ga := of.Model.BindingName.ValueString(), of.Place.GlobalAccount
	if lost, ok := errors.AsType[*account.NotFoundError](err); ok && lost.Anew != "" {
		r.Diags.AddWarning(diagnose.SummaryAccountGone, fmt.Sprintf("Account %s was deleted and made anew (UID %s, claimed was %s). The claim "+
			"of Global Account %s is removed from the state; the next apply claims an account.", accountName, lost.Anew,
			of.Model.BindingUID.ValueString(), ga))
		return
	}
	r.Diags.AddWarning(diagnose.SummaryAccountGone, fmt.Sprintf("Account %s does not exist any more. The claim of Global Account %s is "+
		"removed from the state; the next apply claims another account.", accountName, ga))
}

// warnStranded says, once in a run for each provider type and each kind of credentials, that an account which a destroy marks dirty
// stays so for ever. The account is named where it is known.
func (r *claimResource) warnStranded(diags *diag.Diagnostics, c account.Credentials, accountName string) {
	if !r.Backend.Settings.Strands(c) {
		return
	}
	what, cleaned, add := c.ProviderType, "no type at all", " If a job does wipe this type, add it to clean_up_types."
	if types := r.Backend.Settings.CleanUpTypes; len(types) > 0 {
		cleaned = strings.Join(types, ", ")
	}
	why := fmt.Sprintf("no clean-up job wipes accounts of provider type %s: the provider's clean_up_types has %s", what, cleaned)
	if !c.Ref.IsSecret() {
		what, add = c.Ref.Kind, ""
		why = fmt.Sprintf("the clean-up job reads Secrets alone: it passes over an account whose credentials are of kind %s", what)
	}
	if !r.Backend.Ledger.First("stranded", what) {
		return
	}
	if accountName != "" {
		accountName += " "
	}
	diags.AddAttributeWarning(path.Root("on_destroy"), diagnose.SummaryStranded, fmt.Sprintf(
		"A destroy with on_destroy = %q marks the account %sdirty, and %s. The account would stay dirty for ever, and so would those of all "+
			"other such claims of this run. Set on_destroy = %q to leave it with the Global Account; or wipe it by hand after the destroy, and "+
			"take the labels dirty and tenantName off it. %q is for an account that was never used.%s",
		account.MarkDirty, accountName, why, account.Keep, account.ReturnToPool, add))
}

// warnElsewhere says that a claim which has ended on its account is recorded on another one. That is left by a replacement that was killed
// before the state was written, or by an account that comes back to its Global Account with the record of a claim that was made anew
// elsewhere. It reads the list that all claims of the run share. The warning is optional, so a read that fails is no error.
func (r *claimResource) warnElsewhere(ctx context.Context, p *pool.Pool, id account.Identity, outcome protocol.Outcome, account string) {
	if outcome == protocol.OutcomeReplaced || outcome == protocol.OutcomeShared { // it goes on there, or leaves its record there
		return
	}
	var other string
	err := r.Backend.Previews.Try(ctx, connection.AskedPool, func(ctx context.Context) (err error) {
		other, err = p.Locate(ctx, id)
		return err
	})
	if err == nil && other != "" {
		at := fmt.Sprintf("%s/%s/%s", id.GlobalAccount, other, id.Name)
		r.Backend.Releases.Add(ledger.Warning{
			Summary: diagnose.SummaryClaimElsewhere,
			One: fmt.Sprintf("The state said that %s is on account %s, and the destroy ended it there alone. It is recorded on account %s, "+
				"which was left as it is. Should no state hold it there, import it as %s and destroy it.", id, account, other, at),
			Many: "claims are recorded on other accounts than those on which they were destroyed. These were left as they are. Should no state " +
				"hold one of them, import it by the ID that is listed here, and destroy it.",
			Item: fmt.Sprintf("%s, by the state on account %s", at, account),
		})
	}
}

// warnRelease says why an account was left as it is although its claim ended.
func (r *claimResource) warnRelease(outcome protocol.Outcome, id account.Identity, state claimModel) {
	if outcome == protocol.OutcomeShared && state.Shared.ValueBool() { // it was shared all along
		return
	}
	account, ga := state.BindingName.ValueString(), "Global Account "+id.GlobalAccount
	annotation := "annotation " + id.Key()
	why := whyLeft(outcome, ga, annotation)
	if why == "" {
		return
	}
	item := fmt.Sprintf("%s: claim %q of %s", account, id.Name, ga)
	if outcome == protocol.OutcomeShared {
		item += ", " + annotation
	}
	r.Backend.Releases.Add(ledger.Warning{
		Summary: diagnose.SummaryReleaseSkipped,
		One:     fmt.Sprintf("Account %s was neither marked nor freed: %s. hap_pool_status says what the account is now.", account, why),
		Many: fmt.Sprintf("accounts were neither marked nor freed, each for the same reason: %s. hap_pool_status says what they are now.",
			whyLeft(outcome, "the Global Account of the claim", "the annotation that is listed")),
		Item: item,
	})
}

// whyLeft says why a release left an account of this holder as it is, and what to do about the claim's annotation if that stays;
// empty where it did not.
func whyLeft(outcome protocol.Outcome, holder, annotation string) string {
	switch outcome {
	case protocol.OutcomeNotHeld, protocol.OutcomeLeftBehind:
		return holder + " does not hold it any more, or it was deleted, or made anew under its name. The claim's record was removed where it " +
			"lay on the account that was claimed, with the owner and the time (claimed_at) of the state; any other record was left"
	case protocol.OutcomeShared:
		return "all tenants share it now (label shared), and nothing is written there. The claim's record stays, if it had one: take " +
			annotation + " away before the label shared goes, or the record counts again"
	case protocol.OutcomeUnrecorded:
		return "its record of the claim is gone. The claim was released before, or the record was removed by hand; the Global Account that " +
			"holds the account now keeps it"
	case protocol.OutcomeReplaced:
		return "this run has made the same claim anew, and it is on the same account"
	case protocol.OutcomeInternal:
		return "it is kept for internal use (label internal); the claim's record was removed"
	case protocol.OutcomeAlreadyDirty:
		return "it was marked dirty already, or quarantined; the claim's record was removed"
	}
	return ""
}

// Report reports an error of an operation.
func (r *claimResource) Report(doing family.Doing, m claimModel, err error) {
	ga, account := lostHolder(m).GlobalAccount, m.BindingName.ValueString()
	attempt := r.Backend.Garden.Attempt("%s account %s of Global Account %s", doing, account, ga)
	switch {
	case doing == family.Making:
		attempt = r.Backend.Garden.Attempt("Claiming an account of pool %s for Global Account %s", r.target, ga)
	case doing == family.Destroying:
		attempt = r.Backend.Garden.Attempt("Releasing account %s of Global Account %s (on_destroy = %q)", account, ga, m.OnDestroy.ValueString())
	case m.fresh() && r.reportNoImport(m, err):
		return
	}
	diagnose.Report(r.Diags, attempt, err)
}

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
