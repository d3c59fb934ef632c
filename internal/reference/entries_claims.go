package main

import "github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"

// selecting has the entries about choosing an account and writing a claim to it.
var selecting = group{
	title: "Selecting and claiming",
	entries: []entry{
		{
			title: diagnose.SummaryExhausted,
			cause: "The accounts that the Global Account holds are full or unusable, and none is free. The message counts the accounts by " +
				"[class](words.md#classes); a claim takes `free` ones only.",
		},
		{
			title: diagnose.SummaryPoolEmpty,
			cause: "Warning at plan: as the pool is now, the apply fails with [No free account](#no-free-account), or waits with " +
				"`wait_for_account = true`.",
			remedy: "As for that error. Accounts that are made before the claim count.",
		},
		{
			title: diagnose.SummarySelectionWarning,
			cause: "Warning: the Global Account has or gets several accounts of a pool, and may have one. The claim uses the first by name, " +
				"unless it names another, or others may be in the first.",
			remedy: "Allow several by `multi_account`, or move the clusters of the others and destroy their claims. Mark an account without a " +
				"claim dirty (`dirty=true`).",
		},
		{
			title: diagnose.SummaryInternal,
			cause: "Warning: the broker has given an account with the label `internal` to the Global Account. A destroy of the claim neither " +
				"marks nor frees it.",
			remedy: "None, if that is meant. Otherwise remove the label `internal` by hand, and set `internal = false` where a `hap_account` " +
				"has it.",
		},
		{
			title: diagnose.SummaryAccountNotFound,
			cause: "The namespace has no account of that name, or the object lacks the label of the hyperscaler type.",
		},
		{
			title: diagnose.SummaryPin,
			cause: "The account of `binding_name` is full, in another pool than the rules lead to, not the account of this claim, or of a " +
				"[class](words.md#classes) that takes no cluster.",
		},
		{
			title: diagnose.SummaryTaken,
			cause: "The account is pinned or imported and another tenant's, or its label has changed since the claim was made. Or " +
				"`hap_credentials` names an account that its `global_account` does not hold any more.",
		},
		{
			title: diagnose.SummaryNotHeld,
			cause: "The account that is to be imported or updated, or whose credentials are opened for a Global Account, has no tenant any more.",
		},
		{
			title: diagnose.SummaryOtherImport,
			cause: "The configuration of a claim that was imported, and not changed since, has another `name`, `global_account` or `binding_name` " +
				"than the import ID. A claim without a name in its import ID is called `default`.",
			remedy: "Name the claim as it was imported, or import it as the configuration says: the message has the ID.",
		},
		{
			title: diagnose.SummaryUnusable,
			cause: "The account of the claim is dirty, being released or deleted, or in another pool by now; or it has no tenant, and clusters " +
				"on it that may be another tenant's.",
		},
		{
			title: diagnose.SummaryUnwritable,
			cause: "Warning: the server refused the write on an account, and the claim went to another one. Gardener demands `get` on its " +
				"credentials, even if only a label changes.",
			remedy: "As for [`unwritable`](#unwritable).",
		},
		{
			title: diagnose.SummaryConflict,
			cause: "Each time before the provider wrote the account, another program had changed it.",
		},
		{
			title: diagnose.SummaryBusy,
			cause: "The API server turned each write away, also after waits: it answered 429, or Gardener sends too many requests of its own for " +
				"writes (see [Claims](claims.md#how-long-many-claims-take)); or others write a cluster at the same time.",
		},
		{
			title: diagnose.SummaryUnknownOutcome,
			cause: "The answer to a write was lost, and a later read does not show the outcome. The claim may exist: remove nothing from the " +
				"state.",
		},
	},
}

// identity has the entries about which claim is whose.
var identity = group{
	title: "Claims and their identity",
	entries: []entry{
		{
			title: diagnose.SummaryOwner,
			cause: "The record of the claim has another `owner`. At refresh it is a warning: the record was written anew since.",
		},
		{
			title: diagnose.SummaryOtherState,
			cause: "Two states have the same claim. The record has the mark of the one that made or adopted it last, and the provider refuses " +
				"a destroy from the other.",
		},
		{
			title: diagnose.SummaryDuplicate,
			cause: "Two resources are the same claim: both have the default `name`, one was renamed without a `moved` block, or aliases of the " +
				"provider lead to one pool.",
		},
		{
			title: diagnose.SummaryClaimAdopted,
			cause: "Warning: the claim was on its account before this run. An earlier run was interrupted, or another configuration makes the " +
				"same claim.",
			remedy: "None after an interruption. Otherwise give one of the two another name, and each configuration an `owner`.",
		},
		{
			title: diagnose.SummaryClaimAdopts,
			cause: "Warning at plan: the claim is recorded on an account, with the same owner, and is not in this state. An apply was " +
				"interrupted, or another state has the claim, and loses it by this apply.",
			remedy: "None after an interruption. Otherwise do not apply the plan: give one of the two another name, and each configuration an " +
				"`owner`.",
		},
		{
			title: diagnose.SummaryRecordLeft,
			cause: "Warning: the claim is on another account by now, and the record of a killed run stays on the first. It counts again once " +
				"the Global Account holds that account.",
			remedy: "Take the annotation that the warning names off the account by hand.",
		},
		{
			title: diagnose.SummaryNewerRecord,
			cause: "The record on the account has a format that this version does not know.",
		},
		{
			title: diagnose.SummaryKeptAndDestroyed,
			cause: "The state has the claim twice, to be kept and to be destroyed: a replacement with `create_before_destroy` stopped half " +
				"way.",
			remedy: "Remove the resource with `state rm`, and import it with the ID in the message, see " +
				"[Claims](claims.md#the-error-claim-is-kept-and-destroyed).",
		},
		{
			title: diagnose.SummaryClaimElsewhere,
			cause: "The record of the claim is on another account than the state says: a run whose state was lost made it there. At destroy it " +
				"is a warning, and the claim there is left alone. Or a claim is to be made that is recorded on a binding of another kind.",
		},
		{
			title:  diagnose.SummaryClaimMoved,
			cause:  "Warning at plan: the rules have changed and lead elsewhere, or nowhere.",
			remedy: "None, if that is meant for new clusters only. To move the claim, have its clusters deleted and use `-replace`.",
		},
		{
			title: diagnose.SummaryMove,
			cause: "Warning at plan: `pool.kind` or `binding_name` leads to another binding of the claim's cloud account. The claim goes there " +
				"in place.",
			remedy: "None, if that is meant. See [Moving to CredentialsBindings](moving-to-credentialsbindings.md).",
		},
		{
			title: diagnose.SummaryNoMove,
			cause: "`pool.kind` or `binding_name` has changed, and no single binding of the pool refers to the credentials of the claim's " +
				"account, or another Global Account uses it.",
		},
		{
			title: diagnose.SummaryHalfMoved,
			cause: "The claim is on its new binding, and the write on the old one failed; or it is to be destroyed while a move between two " +
				"accounts is unfinished.",
		},
		{
			title: diagnose.SummaryInputUnknown,
			cause: "Warning at plan: an input of the claim is known only after apply. If it changes, the apply stops with [Input turned out to " +
				"be another](#input-turned-out-to-be-another).",
			remedy: "None, if the value stays the same. Otherwise plan again.",
		},
		{
			title: diagnose.SummaryTurnedOut,
			cause: "An input was unknown at plan, and turns out to be a value that would replace the object. The apply stops before it changes " +
				"the object.",
			remedy: "Run plan again: it shows the replacement. Run it with a refresh: with `-refresh=false` a replacement ends in the same " +
				"error.",
		},
		{
			title: diagnose.SummaryNoRuleSet,
			cause: "A claim is to be made, or its request changes, and `rule_set` is not set. `ignore_changes` also keeps this write-only " +
				"attribute from the provider.",
			remedy: "Set `rule_set`, and take it out of `ignore_changes`; or take the change of the request back.",
		},
	},
}

// drift has the entries about claims whose account has changed.
var drift = group{
	title: "Drift",
	entries: []entry{
		{
			title: diagnose.SummaryOfAnother,
			cause: "The label on the account names another Global Account, or has named it, and `global_account` of the configuration follows " +
				"it. The claim stays the one that was made. It is an error where the plan changes anything else.",
			remedy: "Use `-replace` for a claim of the other Global Account, or set `global_account` back, and take it out of `ignore_changes`.",
		},
		{
			title:  diagnose.SummaryDrift,
			cause:  "Warning at refresh: labels of the account or the record of the claim have changed.",
			remedy: "See [the table](../resources/credentials_binding_claim.md#when-the-account-has-changed). Nothing is repaired by itself.",
		},
		{
			title:  diagnose.SummaryAccountGone,
			cause:  "Warning at refresh: the object was deleted, or made anew under its name. The claim leaves the state.",
			remedy: "Apply: the claim gets another account. Find out who deletes accounts that are held.",
		},
	},
}

// destroying has the entries about the end of a claim.
var destroying = group{
	title: "Destroying",
	entries: []entry{
		{
			title: diagnose.SummaryInUse,
			cause: "Clusters are on the account, by Gardener or the broker's database, or a `Cluster` of the platform cluster comes to it by its " +
				"profile. A destroy waits for Shoots and Clusters that are being deleted, not for rows.",
		},
		{
			title: diagnose.SummaryFenceLeft,
			cause: "A release could neither go on nor remove its fence (label `dirty=releasing`). No new cluster comes to the account, and the " +
				"claim continues.",
		},
		{
			title: diagnose.SummaryContested,
			cause: "A label under another key than the provider is set to says that a Global Account holds a binding of the account, that all " +
				"share it, or that it is internal; or that it is dirty, and the claim is to return it to the pool.",
		},
		{
			title: diagnose.SummaryReturnRefused,
			cause: "`on_destroy` is `return_to_pool`, and the account may not be clean: the claim did not take it from the pool, did not watch " +
				"it from the start, or saw clusters on it. At plan it is a warning.",
		},
		{
			title:  diagnose.SummaryStranded,
			cause:  "Warning at plan: `on_destroy` is `mark_dirty`, and no clean-up job wipes an account of this type or of these credentials.",
			remedy: "Set `on_destroy = \"keep\"`. Or wipe the account by hand after the destroy, as for [`stranded`](#stranded).",
		},
		{
			title: diagnose.SummaryAccountKept,
			cause: "Warning: the destroy ended its claim and left the account to the Global Account, because other claims are on it.",
			remedy: "None, where they are known. Where no state has such a claim, import it (`<global_account>/<binding_name>/<name>`) and " +
				"destroy it.",
		},
		{
			title: diagnose.SummaryReleaseSkipped,
			cause: "Warning at destroy: the claim has ended, and the account was not marked or freed: it is dirty, internal, shared, gone, or " +
				"another tenant's.",
			remedy: "None, as a rule. On an account that is shared by now, remove the annotation that the message names before its label " +
				"`shared` goes.",
		},
	},
}

// imports has the entries about imports.
var imports = group{
	title: "Import",
	entries: []entry{
		{
			title:  diagnose.SummaryInvalidImport,
			cause:  "The ID is not `<global_account>/<binding_name>[/<name>]`, or a part of the identity is empty or has a slash.",
			remedy: "Write for example `ga-acme/aws-account-7/blue`. The import ID of a `hap_account` or a `hap_shoot` is its name.",
		},
		{
			title:  diagnose.SummaryImportRefused,
			cause:  "The account has claims of this Global Account, but none of this name; or the Global Account of the ID does not hold it.",
			remedy: "Import one of those that the message lists. Where no Global Account holds the account, an apply makes a claim.",
		},
		{
			title: diagnose.SummaryImportMissing,
			cause: "There is no object with the import ID.",
			remedy: "Check the ID, and that the provider block leads to the project or the platform cluster where the object is. An apply " +
				"without the import makes a new one.",
		},
		{
			title:  diagnose.SummaryClaimUnrecorded,
			cause:  "Warning at import: the broker has claimed the account, so it has no record.",
			remedy: "Set `owner`, and apply: that writes the record. Until then the end of another claim does not see this one.",
		},
		{
			title: diagnose.SummaryUnrecordedStays,
			cause: "A plan ends a claim and releases its account, and another claim of the same state stays on the account and has no record " +
				"there: the release would not see it.",
			remedy: "Change the claim that stays first, its `owner` for example, and apply that. Or set `on_destroy = \"keep\"` for the claim " +
				"that ends.",
		},
	},
}
