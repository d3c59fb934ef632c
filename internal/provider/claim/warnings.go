package claim

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// warnClaim says what a person should know about a claim that went well.
func warnClaim(diags *diag.Diagnostics, c pool.Claim) {
	if c.Adopted {
		diags.AddWarning(diagnose.SummaryClaimAdopted, fmt.Sprintf("The %s stood on account %s already, since %s, with the same owner: it was "+
			"taken up, and nothing was claimed anew. That is what an interrupted apply leaves behind; if another configuration has this claim "+
			"too, give one of them another name.",
			c.Identity, c.Account.Name, c.Record.ClaimedAt.UTC().Format("2006-01-02 15:04:05 MST")))
	}
	if c.Account.Internal && !c.Account.Shared {
		diags.AddWarning(diagnose.SummaryInternal, fmt.Sprintf("Account %s is kept for internal use (label internal), and Global Account %s "+
			"holds it. A destroy of this claim takes its record away and neither marks nor frees the account, whatever on_destroy "+
			"says.", c.Account.Name, c.Identity.GlobalAccount))
	}
	for _, w := range c.Warnings {
		diags.AddAttributeWarning(path.Root("global_account"), diagnose.SummarySelectionWarning, w)
	}
	diagnose.WarnDoubts(diags, c.Doubts)
}

// warnSeveral says, once in a run, that a Global Account holds several accounts of a pool and may have one: two first claims
// that came close together leave that behind.
func (r *claimResource) warnSeveral(diags *diag.Diagnostics, s pool.Status, globalAccount string, target pool.Target) {
	if len(s.Held) < 2 || !r.backend.TellOnce("several accounts", globalAccount, target.String()) {
		return
	}
	diags.AddAttributeWarning(path.Root("global_account"), diagnose.SummarySelectionWarning, fmt.Sprintf(
		"Global Account %s holds several accounts of pool %s and may have one: %s. New clusters go to %s, the first by name. Move the clusters "+
			"of the others, and destroy the claims on them. Mark those dirty that no claim was on; take the Global Account's label off those that "+
			"are internal. Or allow it several (multi_account.allowed_global_accounts).",
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
	switch s.Drift {
	case pool.DriftGone:
		diags.AddWarning(diagnose.SummaryAccountGone, fmt.Sprintf("Account %s does not exist any more. The claim of Global Account %s is "+
			"removed from the state; the next apply claims another account.", account, h.GlobalAccount))
	case pool.DriftRecreated:
		diags.AddWarning(diagnose.SummaryAccountGone, fmt.Sprintf("Account %s was deleted and made anew (UID %s, claimed was %s). The claim of "+
			"Global Account %s is removed from the state; the next apply claims an account.",
			account, s.Account.UID, state.BindingUID.ValueString(), h.GlobalAccount))
	default:
		if what, next := drifted(s, state, h, keys); what != "" {
			diags.AddWarning(diagnose.SummaryDrift, fmt.Sprintf(
				"Account %s was claimed for Global Account %s, and now %s. %s", account, h.GlobalAccount, what, next))
		}
	}
}

// drifted says what has happened to an account that is still there, and what comes of it; empty where all is well.
func drifted(s pool.Status, state claimModel, h holder, keys garden.LabelKeys) (what, next string) {
	switch s.Drift {
	case pool.DriftForeign:
		return fmt.Sprintf("its label says that Global Account %s holds it", s.Account.Tenant),
			"Nothing is done about it by itself, and an apply fails. If clusters of both are on it, two tenants share one account: find out who " +
				"changed the label. Destroying the claim gives it up and leaves the account alone."
	case pool.DriftFree:
		return "no Global Account holds it any more: the next claim of any Global Account may take it",
			"The next apply makes the claim again on the same account if it is still free and has no cluster that may be another tenant's, and " +
				"fails if not." + heldBeside(s, h, state)
	case pool.DriftShared:
		return "it is labelled as shared",
			"It is left as it is, and nothing is written on it. Take the label away or destroy the claim."
	case pool.DriftTerminating:
		return "it is being deleted", "The claim stays in the state until it is gone. It takes no new clusters."
	case pool.DriftReleasing:
		return fmt.Sprintf("a release of it has begun and not ended (label %s=%s)", keys.Dirty, pool.Releasing),
			"Destroy the claim to have it finished, or take the label away to keep the account."
	case pool.DriftDirty:
		if s.Account.Dirty == pool.Quarantined {
			return fmt.Sprintf("it is quarantined by the pool's owner (%s): it takes no new clusters",
				cmp.Or(s.Account.Quarantine, "without a reason")), "The claim and its clusters go on until the pool's owner gives the account back."
		}
		return "it is marked dirty: it takes no new clusters, and the clean-up job may wipe it",
			"The label is not taken away by itself. Use -replace for another account."
	case pool.DriftMoved:
		return fmt.Sprintf("its labels put it into pool %s, it was claimed from pool %s", s.Account.Target(), state.stateTarget()),
			"The claim stays on it."
	case pool.DriftNone:
		if h.Recorded && !s.Recorded && !s.Account.Shared {
			return "its record of the claim is gone",
				"Other claims do not see this one, and a destroy leaves the account as it is. Change its owner or cluster_name to have it recorded " +
					"again."
		}
	}
	return "", ""
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

// warnStranded says, once in a run for each provider type, that an account which a destroy marks dirty stays so for ever.
func (r *claimResource) warnStranded(diags *diag.Diagnostics, providerType string) {
	if r.backend == nil || !r.backend.Strands(providerType) || !r.backend.TellOnce("stranded", providerType) {
		return
	}
	cleaned := "no type at all"
	if types := r.backend.CleanUpTypes; len(types) > 0 {
		cleaned = strings.Join(types, ", ")
	}
	diags.AddAttributeWarning(path.Root("on_destroy"), diagnose.SummaryStranded, fmt.Sprintf(
		"A destroy with on_destroy = %q marks the account dirty, and no clean-up job wipes accounts of provider type %s: the provider's "+
			"clean_up_types has %s. The account would stay dirty for ever, and so would those of all other such claims of this run. Set "+
			"on_destroy = %q to leave it with the Global Account; or wipe it by hand after the destroy, and take the labels dirty and "+
			"tenantName off it. %q is for an account that was never used. If a job does wipe this type, add it to clean_up_types.",
		pool.MarkDirty, providerType, cleaned, pool.Keep, pool.ReturnToPool))
}

// warnElsewhere says that the claim whose account was found without its record stands on another one: that is what a
// replacement leaves behind which was killed before the state was written. It is a courtesy, so a look that fails is none.
func (r *claimResource) warnElsewhere(ctx context.Context, p *pool.Pool, outcome pool.Outcome, state claimModel, h holder) {
	if outcome != pool.OutcomeNotHeld && outcome != pool.OutcomeAlreadyDirty && outcome != pool.OutcomeUnrecorded {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, backend.PreviewTimeout)
	defer cancel()
	id, account := p.Identity(h.GlobalAccount, state.stateTarget(), state.Name.ValueString()), state.BindingName.ValueString()
	if other, err := p.Locate(ctx, id); err == nil && other != "" {
		at := fmt.Sprintf("%s/%s/%s", h.GlobalAccount, other, state.Name.ValueString())
		r.backend.Releases.Add(backend.ReleaseWarning{
			Summary: diagnose.SummaryClaimElsewhere,
			One: fmt.Sprintf("The state said that %s stands on account %s; it stands on account %s, made by a later run. That one was left alone. "+
				"Should no state hold it, import it as %s and destroy it.", id, account, other, at),
			Many: "claims stand on other accounts than the state said, made by a later run. Those were left alone. Should no state hold one of " +
				"them, import it by the ID that is listed here, and destroy it.",
			Item: fmt.Sprintf("%s, by the state on account %s", at, account),
		})
	}
}

// warnRelease says why an account was left as it is although its claim ended.
func (r *claimResource) warnRelease(outcome pool.Outcome, state claimModel, h holder) {
	account, ga := state.BindingName.ValueString(), "Global Account "+h.GlobalAccount
	why := whyLeft(outcome, ga)
	if why == "" {
		return
	}
	r.backend.Releases.Add(backend.ReleaseWarning{
		Summary: diagnose.SummaryReleaseSkipped,
		One:     fmt.Sprintf("Account %s was neither marked nor freed: %s.", account, why),
		Many: fmt.Sprintf("accounts were neither marked nor freed, each for the same reason: %s.",
			whyLeft(outcome, "the Global Account of the claim")),
		Item: fmt.Sprintf("%s: claim %q of %s", account, state.Name.ValueString(), ga),
	})
}

// whyLeft says why a release left an account of this holder as it is; empty where it did not.
func whyLeft(outcome pool.Outcome, holder string) string {
	switch outcome {
	case pool.OutcomeNotHeld:
		return holder + " does not hold it any more. The claim's own record was removed where it lay there"
	case pool.OutcomeUnrecorded:
		return "its record of the claim is gone. The claim was released before, or the record was removed by hand; the Global Account that " +
			"holds the account now keeps it"
	case pool.OutcomeReplaced:
		return "this run has made the same claim anew, and it stands on the same account"
	case pool.OutcomeInternal:
		return "it is kept for internal use (label internal); the claim's record was removed"
	case pool.OutcomeAlreadyDirty:
		return "it was marked dirty already, or quarantined; the claim's record was removed"
	}
	return ""
}
