package claim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
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
		"with the same owner, and is not in this state. The apply takes it up, and claims nothing anew: right after an apply that was "+
		"interrupted. If another state has the claim, it loses it to this one, and a destroy from here ends it: do not apply this plan, and "+
		"give one of the two another name, and each configuration an owner.",
		id, at.Name, record.ClaimedAt.UTC().Format("2006-01-02 15:04:05 MST")))
}

// warnClaim says what a person should know about a claim that went well.
func warnClaim(diags *diag.Diagnostics, c protocol.Claim) {
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
		diags.AddAttributeWarning(path.Root("global_account"), diagnose.SummarySelectionWarning, w)
	}
	diagnose.WarnDoubts(diags, c.Doubts)
}

// warnSeveral says, once in a run, that a Global Account holds several accounts of a pool and may have one: two first claims
// that came close together leave that behind.
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

// reportDrift says what has happened to the account since, who may take it now, and what a plan does about it.
func reportDrift(diags *diag.Diagnostics, s pool.Status, state claimModel, h holder, keys garden.LabelKeys) {
	account := state.BindingName.ValueString()
	if s.Recorded && s.Record.Owner != h.Owner {
		diags.AddAttributeWarning(path.Root("owner"), diagnose.SummaryOwner, fmt.Sprintf(
			"The claim on account %s was recorded by owner %q and is recorded by owner %[3]q now. If that is the owner which an interrupted apply "+
				"of this configuration was to set, run that apply again: it takes the claim on. Else it is left alone: an update or a destroy is "+
				"refused. Find out who keeps it, and remove it from the state of all others.", account, h.Owner, s.Record.Owner))
	}
	if s.Recorded && s.Record.Mark.ForeignTo(h.Instance) {
		diags.AddWarning(diagnose.SummaryOtherState, fmt.Sprintf("The claim on account %s was taken up by another state at %s: a configuration "+
			"with the same global_account, name, pool and owner. A destroy from here is refused. %s",
			account, s.Record.Mark.At.UTC().Format(time.RFC3339), diagnose.OneState(h.GlobalAccount, account, state.Name.ValueString())))
	}
	if what, next := drifted(s, state, h, keys); what != "" {
		diags.AddWarning(diagnose.SummaryDrift, fmt.Sprintf(
			"Account %s was claimed for Global Account %s, and now %s. %s", account, h.GlobalAccount, what, next))
	}
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

// drifted says what has happened to an account that is still there, and what comes of it; empty where all is well.
func drifted(s pool.Status, state claimModel, h holder, keys garden.LabelKeys) (what, next string) {
	switch s.Drift {
	case account.DriftForeign:
		return fmt.Sprintf("its label says that Global Account %s holds it", s.Account.Tenant),
			"Nothing is done about it by itself, and an apply that changes the claim fails. If clusters of both are on it, two tenants share one " +
				"account: find out who changed the label. Destroying the claim gives it up and leaves the account alone; -replace (without " +
				"binding_name) does, and makes one for the Global Account that the configuration names."
	case account.DriftFree:
		return unheld(s, state, h, keys)
	case account.DriftShared:
		return account.ClassShared.Describe(),
			"It is left as it is, and nothing is written on it. Take the label away; or destroy the claim, and take its record (the annotation " +
				"that the destroy names) away by hand."
	case account.DriftTerminating:
		return account.ClassDeleting.Describe(), "The claim stays in the state until it is gone. It takes no new clusters."
	case account.DriftReleasing:
		return described(account.ClassReleasing, s.Account, keys),
			"Destroy the claim to have it finished, or take the label away to keep the account."
	case account.DriftDirty:
		if s.Account.Dirty == account.Quarantined {
			return described(account.ClassQuarantined, s.Account, keys) + ": it takes no new clusters",
				"The claim and its clusters go on until the pool's owner gives the account back."
		}
		return account.ClassDirty.Describe() + ", which may wipe it: it takes no new clusters",
			"The label is not taken away by itself. Use -replace for another account."
	case account.DriftMoved:
		return fmt.Sprintf("its labels put it into pool %s, it was claimed from pool %s", s.Account.Target(), state.stateTarget()),
			"The claim stays on it."
	case account.DriftTwin:
		return s.Account.TwinTrouble(h.GlobalAccount), "No new cluster should come to it, and a destroy is refused while another Global " +
			"Account uses the cloud account. Find out which binding is meant, and take the other one out of the pool, or its label off: see the " +
			"problem same_credentials of hap_pool_status."
	case account.DriftUnclear:
		if what, next = unrecorded(s, h); what == "" {
			what, next = inDoubt(s.Account, state, h)
		}
		return what, next
	case account.DriftNone:
		return unrecorded(s, h)
	}
	return "", ""
}

// unrecorded says what has become of the record of a claim.
func unrecorded(s pool.Status, h holder) (what, next string) {
	if s.Garbled && !s.Account.Shared {
		return "its record of the claim cannot be read",
			"An update and a destroy are refused until the annotation is written again as it was, or is removed. If a newer provider wrote it, " +
				"use that version."
	}
	if h.Recorded && !s.Recorded && !s.Account.Shared {
		return "its record of the claim is gone",
			"Other claims do not see this one, and a destroy leaves the account as it is. Change its owner or cluster_name to have it recorded " +
				"again."
	}
	return "", ""
}

// inDoubt says what labels under other keys mean for the account of a claim: no new cluster comes to it, or it is not given back.
func inDoubt(a account.Account, state claimModel, h holder) (what, next string) {
	next = "While it is so, a destroy that would mark or free the account may be refused."
	switch released := !a.Internal && account.Mode(state.OnDestroy.ValueString()) != account.Keep; {
	case len(a.Contests(h.GlobalAccount, account.ClassHeld, account.ClassShared, account.ClassDirty)) > 0:
		next = "While it is so, no new cluster comes to it, and a destroy that would mark or free it may be refused."
	case !released:
		return "", ""
	}
	return "labels under other keys leave in doubt whose it is (" + strings.Join(a.LabelDoubts(), ", ") + ")",
		next + " Find out what each of them means, and have the pool's owner take off what is not meant: see the problem stray of " +
			"hap_pool_status."
}

// unheld says what an account is that no Global Account holds any more, and what comes of the claim on it.
func unheld(s pool.Status, state claimModel, h holder, keys garden.LabelKeys) (what, next string) {
	none := account.ClassFree.Describe() + " any more"
	if why := notAgain(s.Account, h.GlobalAccount, state.stateTarget(), keys); why != "" {
		return none + ", and " + why, "While that is so an apply cannot make the claim on it again, and fails. A destroy gives the claim " +
			"up, and -replace (without binding_name) makes it on another account: its record goes from this one, and the labels stay."
	}
	if holder, by := s.Account.Holder(); holder == h.GlobalAccount {
		return fmt.Sprintf("its label of the Global Account is gone, and %s, another binding of the cloud account, still says that Global "+
			"Account %s holds it", by.Name, holder), "The next apply puts the label back."
	}
	what = none + ": the next claim of any Global Account may take it"
	if account.Classify(&s.Account, account.Usage{}, "") == account.ClassUnreachable {
		what = none + ", and a label hides it from the broker and from other claims"
	}
	return what, "The next apply makes the claim again on the same account if it is still free and has no cluster that may be another " +
		"tenant's, and fails if not." + heldBeside(s, h, state)
}

// notAgain says why a claim on this pool cannot be made again on an account that no tenant holds; "" = it can, as far as the labels say.
func notAgain(a account.Account, tenant string, target account.Target, keys garden.LabelKeys) string {
	switch class := account.Classify(&a, account.Usage{}, ""); {
	case slices.Contains([]account.Class{account.ClassReleasing, account.ClassQuarantined, account.ClassDeleting, account.ClassDirty,
		account.ClassInternal, account.ClassDuplicate, account.ClassUnclear}, class):
		return described(class, a, keys)
	case a.Target() != target:
		return fmt.Sprintf("its labels put it into pool %s, it was claimed from pool %s", a.Target(), target)
	}
	return a.TwinTrouble(tenant)
}

// described says what the class of an account is, with the label or the reason that it has.
func described(class account.Class, a account.Account, keys garden.LabelKeys) string {
	switch class {
	case account.ClassReleasing:
		return fmt.Sprintf("%s (label %s=%s)", class.Describe(), keys.Dirty, account.Releasing)
	case account.ClassQuarantined:
		return fmt.Sprintf("%s (%s)", class.Describe(), cmp.Or(a.Quarantine, "without a reason"))
	}
	return class.Describe()
}

// heldBeside says what making a claim again on its free account leads to, where its Global Account holds another one by now.
func heldBeside(s pool.Status, h holder, state claimModel) string {
	if len(s.Held) == 0 {
		return ""
	}
	return fmt.Sprintf(" Global Account %s may have one account of pool %s and holds %s now: with that apply it would hold one more. A "+
		"claim that has no clusters on its account, and no binding_name, goes to the account that is held with -replace instead.",
		h.GlobalAccount, state.stateTarget(), strings.Join(s.Held, ", "))
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

// warnElsewhere says that a claim which has ended on its account is recorded on another one: a replacement leaves that behind which
// was killed before the state was written, and so does an account that comes back to its Global Account with the record of a claim
// that was made anew elsewhere. The read is by the list that all claims of the run share. It is a courtesy, so a read that fails is none.
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
