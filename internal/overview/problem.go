package overview

import (
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Problem is something about an account that the owner of the pool should attend to.
type Problem struct {
	Account string      // its name; empty for what concerns no account in particular
	Kind    ProblemKind // what it is, in a fixed word to go by
	Text    string      // what was found
	// Command is the kubectl command that ends the problem; empty = there is none, or a person has to decide first. The server refuses
	// it once the account has changed.
	Command string
}

// ProblemKind is what a [Problem] is.
type ProblemKind string

// The kinds of problems, the worst first.
const (
	ProblemOccupied   ProblemKind = "occupied"     // no Global Account holds the account, and living clusters are on it
	ProblemDirtyInUse ProblemKind = "dirty_in_use" // clusters are on an account that the clean-up job wipes
	// ProblemSameCredentials: another object of the namespace refers to the credentials of the account, so both are one cloud account.
	ProblemSameCredentials ProblemKind = "same_credentials"
	// ProblemUnreadableRecord: a claim record on the account cannot be read, so it is not known whose claim it is.
	ProblemUnreadableRecord ProblemKind = "unreadable_record"
	ProblemForeignRows      ProblemKind = "foreign_rows"  // the broker's database has clusters of other Global Accounts on the account
	ProblemSharedHeld       ProblemKind = "shared_held"   // the account is shared and has a tenant
	ProblemInternalHeld     ProblemKind = "internal_held" // the account is internal and has a tenant
	// ProblemMisspelt: a label shared or internal has a value that counts as absent, and may have been meant as true.
	ProblemMisspelt    ProblemKind = "misspelt_flag"
	ProblemUnreachable ProblemKind = "unreachable" // labels hide the account from the broker for ever
	// ProblemMissingPool: a rule leads to a pool without any account. It concerns no account in particular.
	ProblemMissingPool ProblemKind = "missing_pool"
	// ProblemEmptyPool: a rule leads to a pool in which no account can be had. It concerns no account in particular.
	ProblemEmptyPool ProblemKind = "empty_pool"
	// ProblemMisplaced: the clusters of the pool are of another provider type than the account, so it takes none of them.
	ProblemMisplaced ProblemKind = "provider_differs"
	// ProblemStray: a label has a key that looks like one of the pool's, an object lacks the label that makes it an account, or an annotation
	// names no Secret that another binding refers to.
	ProblemStray ProblemKind = "stray"
	// ProblemRecordedTwice: a claim is recorded on several accounts. A write that arrives after its process was killed leaves that behind.
	ProblemRecordedTwice ProblemKind = "recorded_twice"
	ProblemFence         ProblemKind = "fence" // a release has begun and not ended
	// ProblemStranded: the account is dirty, and no clean-up job wipes accounts of its provider type, or without a Secret.
	ProblemStranded ProblemKind = "stranded"
	// ProblemQuarantineLost: the account was quarantined, and another party has marked it for the clean-up job since.
	ProblemQuarantineLost ProblemKind = "quarantine_lost"
	// ProblemSeveral: the Global Account holds several accounts of a pool, is allowed one, and this one is not used.
	ProblemSeveral   ProblemKind = "several_accounts"
	ProblemOverLimit ProblemKind = "over_limit" // more places are taken than the limit has
	// ProblemCountDiffers: Gardener and the broker's database report numbers that suspended clusters do not explain.
	ProblemCountDiffers ProblemKind = "count_differs"
	// ProblemUnassigned: rows of the broker's database name no account. It concerns no account in particular.
	ProblemUnassigned ProblemKind = "unassigned_rows"
	ProblemVoidClaim  ProblemKind = "void_claim"    // claim records lie on the account that do not count
	ProblemExpired    ProblemKind = "expired_claim" // claims on the account are beyond their lease
	// ProblemWaiting: claims on the account hold places for Shoots that have not come in time, or are gone.
	ProblemWaiting ProblemKind = "waiting_for_cluster"
	// ProblemUnwritable: writes on the account are refused, or will be: Gardener demands that its credentials can be read.
	ProblemUnwritable ProblemKind = "unwritable"
	// ProblemOldClaim: claims without a lease have been on the account for long, and no cluster is on it.
	ProblemOldClaim    ProblemKind = "old_claim"
	ProblemUnusedPool  ProblemKind = "unused_pool" // no rule leads to a pool. It concerns no account in particular.
	ProblemIdle        ProblemKind = "idle"        // a Global Account holds the account, without a cluster and without a claim
	ProblemTerminating ProblemKind = "deleting"    // the object is being deleted
	ProblemDirty       ProblemKind = "dirty"       // the account waits for the clean-up job
)

// ProblemKinds returns all kinds, the worst first.
func ProblemKinds() []ProblemKind {
	kinds := make([]ProblemKind, len(checks))
	for i, c := range checks {
		kinds[i] = c.kind
	}
	return kinds
}

// rank is the place of the kind among all, the worst first.
func (k ProblemKind) rank() int {
	return slices.IndexFunc(checks, func(c check) bool { return c.kind == k })
}

// Title names the kind for a heading.
func (k ProblemKind) Title() string { return checks[k.rank()].title }

// Remedy says what to do about all problems of the kind. It names no account, so that it has to be read only once.
func (k ProblemKind) Remedy() string { return checks[k.rank()].remedy }

// maxNamed is how many other objects the text of one problem names: those with the same credentials, or with the same claim.
const maxNamed = 10

// check is what there is to a kind of problems.
type check struct {
	kind ProblemKind
	// find returns what is wrong with an account; "" = nothing. It is nil for what concerns no account in
	// particular.
	find          func(*survey, *Account) string
	title, remedy string
}

// checks are the kinds in their order.
var checks = []check{
	{ProblemOccupied, occupied, "Free, but for clusters on it",
		"Find out whose clusters these are, and label the account as that Global Account's before another one claims the account."},
	{ProblemDirtyInUse, dirtyInUse, "Dirty, with clusters on it",
		"Take the label dirty away if the clusters are to live; otherwise delete them, and the clean-up job can do its work."},
	{ProblemSameCredentials, sameCredentials, "One cloud account twice",
		"Two Global Accounts can come into one cloud account, or are in it. Find out which object is meant. Take the others out of the pool " +
			"(hap_account: quarantine them first, where they are in use), or give each one credentials of another cloud account."},
	{ProblemUnreadableRecord, unreadableRecord, "Claim records that cannot be read",
		"Each counts as a claim: the account is neither marked nor freed, nor does it leave the pool. Where the text was changed by " +
			"hand, write it again as it was, or remove the annotation if no configuration has the claim any more. Where a newer provider wrote " +
			"it, use that version."},
	{ProblemForeignRows, foreignRows, "Clusters of other Global Accounts",
		"Find out whether two tenants share the account, or a subaccount was moved. The rows count against the limit all the same."},
	{ProblemSharedHeld, sharedHeld, "Shared, and held by a Global Account",
		"Take one of the two labels away: that of the Global Account if all tenants may use the account, that of shared accounts if it is this " +
			"Global Account's alone. A destroy of a claim leaves its record on a shared account: before the label shared goes, take the " +
			"annotations " + account.AnnotationPrefix + "... of claims away that no configuration has any more, or they count again."},
	{ProblemInternalHeld, internalHeld, "Internal, and held by a Global Account",
		"The broker gives internal accounts to tenants, and never frees them; a claim on one neither marks nor frees it. If the account is the " +
			"tenant's, take the label internal off by hand, and set internal = false where a hap_account has it. Otherwise move its clusters and " +
			"destroy its claims; with nothing left on it, take the tenant's label off by hand."},
	{ProblemMisspelt, misspelt, "Flags that do not count",
		"Write the value true, in small letters, where that is meant and no Global Account holds the account; otherwise take the label away. " +
			"A hap_account does it: set shared or internal in its configuration, or leave them out. Do it before the next claim: an account " +
			"that is meant to be internal or shared goes to one Global Account until then."},
	{ProblemMissingPool, nil, "Pools without an account",
		"Add an account with the labels of the pool, or remove the rule. Until then each claim that the rule leads there fails."},
	{ProblemEmptyPool, nil, "Pools with nothing free",
		"Add accounts, or get some back: dirty accounts come back when the clean-up job has run; the problems unreachable, unwritable, idle, " +
			"expired_claim and old_claim name others. Until then a claim fails whose Global Account has no account there. One with " +
			"wait_for_account = true waits, and takes the first one that comes."},
	{ProblemUnreachable, unreachable, "Unreachable by the broker",
		"Take these labels away: the broker looks for accounts without them. What is meant for the clean-up job, or for EU access, needs the " +
			"value true."},
	{ProblemMisplaced, misplaced, "In the pool of another provider type",
		"Move the account to the pool of its own type when no Global Account holds it (hyperscaler_type of its hap_account, or the label), or " +
			"make it anew with the credentials and the provider type that the pool needs. Gardener refuses a cluster of another provider type " +
			"than its account."},
	{ProblemStray, stray, "Strays",
		"Give the object the labels that an account needs, under the keys that the provider's pool.label_keys or pool.label_scheme say: " +
			"nothing that claims accounts looks for other keys. Take labels away that are not meant. An annotation " + account.SameAnnotation +
			" names the Secret that another binding refers to, and not that binding: correct it, or take it away once nothing refers to the " +
			"Secret any more."},
	{ProblemRecordedTwice, recordedTwice, "Claims on two accounts",
		"One of the accounts is that of the claim's state, which a destroy releases. Import the claim on the other one into a configuration of " +
			"its own (its import ID is Global Account/account/name), and destroy it there."},
	{ProblemFence, fence, "Release begun and not ended",
		"Destroy the claim again: that finishes the release. Where no configuration has the claim any more, take the label away to keep the " +
			"account with its Global Account; or, where no cluster and no claim is on any binding of its credentials and it is not internal, mark " +
			"it dirty (value true) for the clean-up job."},
	{ProblemStranded, stranded, "Dirty for ever",
		"No clean-up job wipes accounts of this provider type, by the provider's clean_up_types, or accounts whose credentials are no Secret: " +
			"the job reads Secrets alone. Wipe the account by hand, and take the labels dirty and tenantName away: it is free again. Or take it " +
			"out of the pool. If a job does wipe this type, add it to clean_up_types."},
	{ProblemQuarantineLost, quarantineLost, "Quarantine overwritten",
		"The broker turns the label into true when the last cluster of the tenant goes, and the clean-up job may wipe the account then. Stop " +
			"the job for it, or set the label to quarantine again."},
	{ProblemSeveral, leftAside, "Left aside",
		"Allow the Global Account several accounts (multi_account.allowed_global_accounts), or move its clusters and destroy its claims; " +
			"if no claim and no cluster is on it, nor on another binding of its credentials, mark it dirty (value true) for the clean-up job."},
	{ProblemOverLimit, overLimit, "Over the limit",
		"Nothing has to be done: the account keeps its clusters, and takes new ones once it is below the limit. Where the hyperscaler's quota " +
			"is in danger, move some."},
	{ProblemCountDiffers, countDiffers, "Gardener and the broker's database differ",
		"Find the clusters that only one of the two knows: Shoots made beside the broker, rows whose cluster is gone."},
	{ProblemUnassigned, nil, "Rows that name no account",
		"The broker has not chosen yet, or the row is older than the column subscription_secret_name: fill that in."},
	{ProblemVoidClaim, voidClaim, "Claims that do not count",
		"A destroy takes the record away on the account that the claim's state names, and there alone; on a shared account it leaves it. " +
			"Where no configuration has the claim any more, take the annotations " +
			account.AnnotationPrefix + "... away, before the account is given to their Global Account again, or the label shared goes: they would " +
			"count again. A claim of another Global Account that takes the account while it is free clears them, too."},
	{ProblemExpired, expired, "Claims beyond their lease",
		"Ask the owner. Where the claim is still needed, its configuration gets a longer lease. Where its pipeline is dead, take the claim " +
			"over and destroy it: import_config with expired_claims = true has the configuration. Nothing ends by itself."},
	{ProblemWaiting, waitingForCluster, "Waiting for a cluster",
		"Each of these claims holds a place. Find out from the owner whether the cluster still comes. Where it does not, or is gone, destroy " +
			"the claim, or take cluster_name out of its configuration. Where no configuration has the claim any more, take it over " +
			"(import_config with recorded_claims has its blocks; leave out those of the account) and destroy it."},
	{ProblemUnwritable, unwritable, "Accounts that cannot be written",
		"Neither the broker nor a claim can take, release or mark the account; a claim passes over it. Make the credentials again, or " +
			"grant get on them. An account whose cloud account is gone leaves the pool, once nothing is on it."},
	{ProblemOldClaim, oldClaim, "Old claims without a cluster",
		"Ask the owner whether a state still has the claim. If none has, import it into a configuration of its own (its import ID is Global " +
			"Account/account/name), and destroy it there; import_config with recorded_claims has its blocks. A claim that is to stay " +
			"without a cluster gets a lease."},
	{ProblemUnusedPool, nil, "Pools that no rule leads to",
		"Add a rule that leads to the pool, or move its free accounts to another pool. The accounts that are held stay where they are."},
	{ProblemIdle, idle, "Held for nothing",
		"Where no cluster is on its way to any binding of its credentials, and the Global Account needs it no more, mark it dirty (value " +
			"true): the clean-up job wipes and frees the account."},
	{ProblemTerminating, beingDeleted, "Being deleted",
		"It goes when nothing refers to it any more. Claims on it need another account."},
	{ProblemDirty, waiting, "Waiting for the clean-up job",
		"Nothing has to be done while the clean-up job runs. If they stay, look at the job."},
}
