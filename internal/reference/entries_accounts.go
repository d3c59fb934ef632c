package main

import "github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"

// supply has the entries about accounts and their owner.
var supply = group{
	title: "Filling the pool",
	intro: "A plan that ends with one of these errors also stops a `destroy`: `-refresh=false` goes past it, or undo the change first.",
	entries: []entry{
		{
			title: diagnose.SummaryAccountExists,
			cause: "An object of this name is in the namespace: an interrupted apply, another configuration or a person made it. Or the " +
				"account is tainted in this state.",
		},
		{
			title:  diagnose.SummaryAccountTwice,
			cause:  "Two resources of one configuration have the same `name`. Nothing was planned for it.",
			remedy: "Give each a name and credentials of its own, or remove one of the two blocks.",
		},
		{
			title: diagnose.SummaryAccountAnew,
			cause: "Another party deleted the account and made another object of its name (another UID). A refresh warns, and the old account " +
				"leaves the state.",
		},
		{
			title: diagnose.SummarySameCredentials,
			cause: "Another object of the namespace, a binding of another namespace, or another account of the configuration refers to the same " +
				"credentials: both would be one cloud account. [`same_credentials`](#same_credentials) shows accounts that share theirs already.",
		},
		{
			title: diagnose.SummaryOtherBinding,
			cause: "Another binding refers to the credentials of the account, and another Global Account holds it, or all share it, or it is of " +
				"another namespace, whose clusters are not counted. A release would have the account of others wiped.",
		},
		{
			title: diagnose.SummaryOutsideUnseen,
			cause: "`credentials_ref` names credentials of another namespace. A binding there, or in a third namespace, may refer to them, too: " +
				"another Global Account or a cluster would come into the cloud account, and the user must not list such bindings.",
		},
		{
			title: diagnose.SummaryAccountShared,
			cause: "The broker takes a shared account without a mark on it. When `shared` becomes `false`, a cluster may be on its way that no " +
				"source counts yet.",
		},
		{
			title: diagnose.SummaryNotRemovable,
			cause: "Warning of a plan that destroys the account: a tenant, a claim, a cluster or a release would make the destroy fail.",
			remedy: "That of the error which the warning names. To have the account wiped, destroy the claim first, and the account in a later " +
				"run.",
		},
		{
			title: diagnose.SummaryUnwiped,
			cause: "Warning of a destroy: the account is dirty and leaves the pool before the clean-up job wipes it. What the Global Account " +
				"has in it stays there.",
			remedy: "Wipe it by hand, or close it, before it comes into a pool again. Otherwise destroy the claim first, and the account in a " +
				"later run.",
		},
		{
			title: diagnose.SummaryNoCredentials,
			cause: "`credentials_ref` names an object that does not exist, or that the user must not read.",
		},
		{
			title: diagnose.SummaryCredentialsRef,
			cause: "An account that is a Secret has no other credentials than itself, a SecretBinding refers to Secrets alone, and a binding " +
				"has to refer to something.",
		},
		{
			title: diagnose.SummaryLabelled,
			cause: "The Secret of `credentials_ref` has labels of an account itself, as in a pool of Secrets: a Global Account holds it, or it is " +
				"shared, dirty or internal. Its binding would be free, and another Global Account could claim it.",
		},
		{
			title: diagnose.SummaryAccountHeld,
			cause: "A Global Account holds the account, or claims are on it: its flags and labels cannot change, and it does not leave the " +
				"pool. `quarantine` can change.",
		},
		{
			title: diagnose.SummaryAccountRecords,
			cause: "`shared` is to be set, and records of claims are on the account that do not count. They count again once the account has " +
				"their tenant.",
		},
		{
			title: diagnose.SummaryUnreadableRecord,
			cause: "An annotation `hap-project.io/claim-…` is no record that this version can read. It counts as a claim: the account is " +
				"neither marked nor freed.",
		},
		{
			title: diagnose.SummaryAccountReleasing,
			cause: "The account has the label `dirty=releasing`.",
		},
		{
			title: diagnose.SummaryAccountDeleting,
			cause: "The object has a deletion timestamp: this or another destroy has begun. The message names the finalizers.",
		},
		{
			title: diagnose.SummaryAccountDirty,
			cause: "The account waits for the clean-up job, and cannot become quarantined or shared; or it leaves the pool, and another " +
				"binding of its credentials, or an account of this run with them, would be free. The message names it.",
		},
		{
			title: diagnose.SummaryAccountQuarantined,
			cause: "The account is to be made anew, and another party has set the label `dirty=quarantine`: made anew it would be in circulation.",
		},
		{
			title: diagnose.SummaryAccountUnclear,
			cause: "A label under another key than the provider is set to looks like the one of the Global Account, `shared`, `dirty` or " +
				"`internal`, or an annotation `hap-project.io/account-of-secret` names no Secret. The account may be another Global Account's.",
		},
		{
			title: diagnose.SummaryNoQuarantine,
			cause: "The broker puts clusters on a shared account whatever its label `dirty` says.",
		},
		{
			title: diagnose.SummaryQuarantineLost,
			cause: "Warning: another party has changed the label of the quarantined account, see " +
				"[Quarantine](../resources/account.md#quarantine).",
			remedy: "None: the next apply after the clean-up job quarantines it again. If it must not be wiped, set `dirty=quarantine` by hand " +
				"at once.",
		},
		{
			title:  diagnose.SummaryQuarantineGone,
			cause:  "Warning: another party has removed the label `dirty=quarantine`: the account is in circulation.",
			remedy: "Apply: the plan puts the quarantine back. If it is over, take `quarantine` out of the configuration.",
		},
		{
			title:  diagnose.SummaryUnruledPool,
			cause:  "Warning: with the rules of `rule_set` no request leads to the pool that the account is in.",
			remedy: "Correct `hyperscaler_type`, `shared` and `eu_access`, or add a rule.",
		},
		{
			title: diagnose.SummaryMisplaced,
			cause: "Warning: the pool of `hyperscaler_type` has clusters of another provider type than `provider_type`. Gardener refuses a " +
				"cluster on such an account.",
			remedy: "Correct `provider_type`, or `hyperscaler_type`.",
		},
		{
			title: diagnose.SummaryAccountDrift,
			cause: "Warning at plan: another party has changed labels of the account, and it cannot be changed now. The apply of this change " +
				"is refused.",
			remedy: "Put the labels back by hand, for example `kubectl label credentialsbinding aws-1 hyperscalerType=aws --overwrite`, or " +
				"write what the account has into the configuration.",
		},
		{
			title: diagnose.SummaryQuotasLost,
			cause: "An account that has quotas is to be made anew, and the configuration leaves `quotas` out.",
		},
		{
			title: diagnose.SummaryNoQuotas,
			cause: "`quotas` has something that is no name of an object; or the accounts are Secrets, which have no quotas.",
			remedy: "Write each quota as `{ namespace = \"<namespace>\", name = \"<name>\" }`. Where the accounts are Secrets, remove " +
				"`quotas`.",
		},
		{
			title: diagnose.SummaryAccountUnknown,
			cause: "Warning: an attribute is known only after apply, so the plan does not check whether the account can be so.",
			remedy: "None for a new account: the apply checks. If it stops with [Input turned out to be " +
				"another](#input-turned-out-to-be-another), plan again.",
		},
		{
			title:  diagnose.SummaryInvalidLabel,
			cause:  "A label value has at most 63 letters, digits, `-`, `_` and `.`, with a letter or digit at both ends.",
			remedy: "Shorten or correct the value at the attribute that the message names.",
		},
		{
			title: diagnose.SummaryAccountLostInUse,
			cause: "Another party has deleted the object, and as the state knows it a Global Account held it, it was dirty or quarantined by " +
				"hand, or it had clusters. Put into the pool again it would be free.",
			remedy: "Where no cluster uses the cloud account, and it is wiped, take it out of the state with `state rm`, and apply. Otherwise " +
				"make the object again by hand, with its labels, and import it.",
		},
		{
			title:  diagnose.SummaryAccountLost,
			cause:  "Warning: the account does not exist any more. It has left the state.",
			remedy: "Apply to put it into the pool again, or remove the resource from the configuration.",
		},
	},
}
