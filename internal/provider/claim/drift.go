package claim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// reportDrift says what has happened to the account since, who may take it now, and what a plan does about it.
func reportDrift(diags *diag.Diagnostics, s pool.Status, state claimModel, h holder, keys garden.LabelKeys) {
	name := state.BindingName.ValueString()
	if s.Recorded && s.Record.Owner != h.Owner {
		diags.AddAttributeWarning(path.Root("owner"), diagnose.SummaryOwner, fmt.Sprintf(
			"The claim on account %s was recorded by owner %q and is recorded by owner %[3]q now. If that is the owner which an interrupted apply "+
				"of this configuration was to set, run that apply again: it takes the claim on. Else it is left alone: an update or a destroy is "+
				"refused. Find out who keeps it, and remove it from the state of all others.", name, h.Owner, s.Record.Owner))
	}
	switch {
	case !s.Recorded || s.Record.Mark.Instance == "":
	case h.keeper().IsForeign(s.Record.Mark):
		diags.AddWarning(diagnose.SummaryOtherState, fmt.Sprintf("The claim on account %s was taken up by another state at %s: a configuration "+
			"with the same global_account, name, pool and owner. A destroy from here is refused. %s",
			name, s.Record.Mark.At.UTC().Format(time.RFC3339), diagnose.OneState(h.GlobalAccount, name, state.Name.ValueString())))
	case h.Instance == "" && h.Imported == nil && !h.Lost: // a state of an older version, which has left no mark itself
		diags.AddWarning(diagnose.SummaryOtherState, fmt.Sprintf("The claim on account %s bears the mark of a state, left at %s, and this state "+
			"is older than such marks. Another configuration has taken the claim up, or a run of this one was cut short. A destroy from here ends "+
			"the claim in both cases. Where another configuration has it, take it out of this state with state rm.",
			name, s.Record.Mark.At.UTC().Format(time.RFC3339)))
	}
	if what, next := drifted(s, state, h, keys); what != "" {
		diags.AddWarning(diagnose.SummaryDrift, fmt.Sprintf(
			"Account %s was claimed for Global Account %s, and now %s. %s", name, h.GlobalAccount, what, next))
	}
}

// ofAnother reports whether a claim that stays is planned for another Global Account than its own: the one that the label on its account
// names. The state says so too, and no replacement shows.
func ofAnother(plan claimModel, h holder) bool {
	return !plan.GlobalAccount.IsUnknown() && plan.GlobalAccount.ValueString() != h.GlobalAccount
}

// reportOfAnother says that no claim of the planned Global Account is made: a warning where nothing else of the claim is to change.
func reportOfAnother(diags *diag.Diagnostics, state claimModel, h holder, same bool) {
	named := "Its label names none, or has named none, and global_account is not set either"
	another := ""
	if other := state.GlobalAccount.ValueString(); other != "" {
		named = fmt.Sprintf("Its label names %s, or has named it, and so does global_account", other)
		another = fmt.Sprintf(", and there is no claim of %s here. To give this claim up and make one for %[1]s, use -replace", other)
	}
	text := fmt.Sprintf("The claim on account %s is that of Global Account %s. %s: nothing is planned or written%s. To keep this claim, set "+
		"global_account = %[2]q, and take it out of ignore_changes.", state.BindingName.ValueString(), h.GlobalAccount, named, another)
	if same {
		diags.AddAttributeWarning(path.Root("global_account"), diagnose.SummaryOfAnother, text)
		return
	}
	diags.AddAttributeError(path.Root("global_account"), diagnose.SummaryOfAnother, text)
}

// drifted says what has happened to an account that is still there, and what comes of it; empty where all is well.
func drifted(s pool.Status, state claimModel, h holder, keys garden.LabelKeys) (what, next string) {
	switch s.Drift {
	case account.DriftForeign:
		return fmt.Sprintf("its label says that Global Account %s holds it", s.Account.Tenant),
			"Nothing is done about it by itself, and an apply that changes the claim fails. If clusters of both are on it, two tenants share one " +
				"account: find out who changed the label. Destroying the claim gives it up and leaves the account alone; -replace (without " +
				"binding_name) gives it up, too, and makes one for the Global Account that the configuration names."
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
