package diagnose

import (
	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kebdb"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// ofSelections has the errors of counting, of credentials, and of selecting an account and claiming it.
var ofSelections = []row{
	// A fence that stays, or may stay. Its cause has a row of its own below, whose remedy is added.
	{
		summary: SummaryUnknownOutcome, match: when(func(e *protocol.FenceLeftError) bool { return e.Ended }),
		effect: "The release may have ended: then the account is marked dirty or free, and may be another Global Account's by now. Else its " +
			"fence and the claim still exist.",
		remedy: "Destroy the claim again: it looks at the account, and does what is left. Take no label away by hand before.",
	}, {
		summary: SummaryNotGarden, match: both(when(func(e *protocol.FenceLeftError) bool { return e.Unseen && !e.Ended }), foreign),
		effect: unreleased, remedy: notTheServer,
	}, {
		summary: SummaryUnknownOutcome, match: when(func(e *protocol.FenceLeftError) bool { return e.Unseen }),
		effect: "The account was neither marked nor freed, and the claim still exists. Where the fence comes, no new cluster comes to " +
			"the account.",
		remedy: "Destroy the claim again: it looks at the account, and does what is left. Take no label away by hand before.",
	}, {
		summary: SummaryFenceLeft, match: is[*protocol.FenceLeftError],
		effect: "The fence of the release stays on the account: no new cluster comes to it, and the claim still exists.",
		remedy: "Destroy the claim again, which goes on from there; or take the label away, to keep the account.",
	},

	// A read that was cut short: the server is not to blame.
	{summary: SummaryInterrupted, match: cutShort, remedy: interrupted},

	// Counting.
	{
		summary: SummaryDisagreement, match: is[*account.DisagreementError], effect: nothingClaimed,
		remedy: "Find out which of the two is right: suspended clusters have a row and no Shoot, clusters made beside the broker a Shoot and " +
			"no row. " +
			`To go by the higher number, set cluster_count.on_disagreement = "highest".`,
	}, {
		summary: SummaryNoDatabase, match: is[*kebdb.NotConfiguredError], brief: "no connection to the broker's database is configured",
		remedy: `Set database.url in the provider block, or count by Gardener alone: cluster_count = { source = "gardener" }, ` +
			"and no database in the provider block.",
	}, {
		summary: SummaryBadDatabase, match: is[*kebdb.SettingError],
		remedy: "Correct database.url in the provider block, or the variables HAP_DATABASE_URL and PG* that it takes the rest from.",
	}, {
		summary: SummaryDatabaseDown, match: is[*kebdb.UnreachableError], effect: nothingCounted,
		remedy: "Check host and port in database.url (or HAP_DATABASE_URL, PGHOST and PGPORT), the network and the server, and run the same " +
			`command again. cluster_count = { source = "gardener" } counts without the database; a release asks it all the same.`,
	}, {
		summary: SummaryDatabaseLogin, match: is[*kebdb.UnauthorizedError], effect: nothingCounted,
		remedy: "Check the name of the database, the user and the password: in database.url or HAP_DATABASE_URL, and what is left out there in " +
			"PGDATABASE, PGUSER and PGPASSWORD. The role must be allowed to log in to this database.",
	}, {
		summary: SummaryDatabaseDenied, match: is[*kebdb.ForbiddenError], effect: nothingCounted,
		remedy: "Have the owner of the table run the grants for this role.",
	}, {
		summary: SummaryNotTheBrokers, match: is[*kebdb.ViewError], effect: nothingCounted,
		remedy: "Have the owner of the table run examples/rbac/database.sql of this version of the provider again: it makes the view anew.",
	}, {
		summary: SummaryNotTheBrokers, match: is[*kebdb.MissingError], effect: nothingCounted,
		remedy: "Check that database.url names the broker's database, and that the broker is recent enough to note the account of each cluster.",
	}, {
		summary: SummaryDatabaseError, match: is[*kebdb.RefusedError], effect: nothingCounted,
		remedy: "The same query would be refused again: see the answer above.",
	}, {
		summary: SummaryLostBinding, match: is[*garden.LostBindingError], effect: nothingCounted,
		remedy: "Make the binding again with the Secret that it had, or delete the Shoot.",
	},

	// Credentials of an account.
	{
		summary: SummaryNotSecret, match: is[*garden.NotSecretError],
		remedy: "Only a Secret holds credentials that can be read. A WorkloadIdentity is for tokens that Gardener issues to its own " +
			"components: have the pipeline federate with the cloud provider itself, or use an account whose credentials are a Secret.",
	}, {
		summary: SummarySecretNotFound, match: with(func(e *garden.SecretNotFoundError) []any { return []any{e.Ref.Namespace} }),
		remedy: "The account may have been removed halfway: check its credentialsRef, and whether the Secret is in namespace %q.",
	},

	// Selecting and claiming.
	{
		summary: SummaryExhausted, at: "plan", effect: nothingClaimed,
		match: when(func(e *account.ExhaustedError) bool { return e.Waited > 0 }),
		remedy: "Run the same command again to go on waiting, with a longer timeouts.create if accounts come back seldom. Add accounts to the " +
			"pool, or see with hap_pool_status which are stuck.",
	}, {
		summary: SummaryExhausted, at: "plan", effect: nothingClaimed,
		match: on(func(e *connection.EmptyPoolError) ([]any, bool) {
			return []any{e.Query.Target, e.Namespace, e.Selector}, len(e.Others) == 0
		}),
		remedy: "There is no account at all for pool %s: in namespace %s none matches %s. No other pool has an account there either: set the " +
			"provider's namespace to that of the Gardener project, or label the first accounts.",
	}, {
		summary: SummaryExhausted, at: "plan", effect: nothingClaimed,
		match: with(func(e *connection.EmptyPoolError) []any {
			return []any{e.Query.Target, e.Namespace, e.Selector, words.First(maxPools, e.Others)}
		}),
		remedy: "There is no account at all for pool %s: in namespace %s none matches %s. There are accounts of other pools: %s. Check the " +
			"request and its rule, or add an account with these labels.",
	}, {
		summary: SummaryExhausted, at: "plan", effect: nothingClaimed,
		match:  on(func(e *account.ExhaustedError) ([]any, bool) { return []any{e.Query.Target}, e.Tally.Total() == 0 }),
		remedy: "There is no account at all for pool %s: check the provider's namespace and the rule, or add accounts with these labels.",
	}, {
		summary: SummaryExhausted, at: "plan", match: when(func(e *account.ExhaustedError) bool { return e.Query.Target.Shared }),
		remedy: "Add a shared account to the pool, or have a dirty one cleaned. " + waitForAccount,
	}, {
		summary: SummaryExhausted, at: "plan", effect: nothingClaimed,
		match:  when(func(e *account.ExhaustedError) bool { return len(e.InDoubt) > 0 }),
		remedy: mendDoubt + " Or add accounts to the pool. " + waitForAccount,
	}, {
		summary: SummaryExhausted, at: "plan", effect: nothingClaimed,
		match: when(func(e *account.ExhaustedError) bool { return len(e.Hidden) > 0 }),
		remedy: "Take the labels away that hide accounts from the broker, or add accounts to the pool. What is meant for the clean-up job, or " +
			"for EU access, needs the value true. " + waitForAccount,
	}, {
		summary: SummaryExhausted, at: "plan", effect: nothingClaimed,
		match: when(func(e *account.ExhaustedError) bool { return e.Tally[account.ClassCooling] > 0 }),
		remedy: "Run the same command again at that time, or add accounts to the pool. A claim with wait_for_account = true goes on by itself " +
			"then. The time is by the provider's pool.min_free_time.",
	}, {
		summary: SummaryExhausted, at: "plan", effect: nothingClaimed,
		match:  when(func(e *account.ExhaustedError) bool { return e.Tally.Dirty() > 0 }),
		remedy: "Add accounts to the pool, or have the clean-up job finish with the dirty ones. " + waitForAccount,
	}, {
		summary: SummaryExhausted, at: "plan", effect: nothingClaimed, match: is[*account.ExhaustedError],
		remedy: "Add accounts to the pool, or release claims that are no longer needed. " + waitForAccount,
	}, {
		summary: SummaryGuard, at: "global_account", effect: nothingClaimed, match: is[*account.GuardError],
		remedy: "Check that clusters are counted from the right namespace and source; if the accounts are really empty, release some, or raise " +
			"multi_account.min_bindings_for_guard above the number of accounts that it holds (0 turns the guard off).",
	}, {
		summary: SummaryNotHeld, at: "global_account", match: when(func(e *account.WithheldError) bool { return e.Tenant == "" }),
		remedy: withheld,
	}, {
		summary: SummaryTaken, at: "global_account", match: is[*account.WithheldError], remedy: withheld,
	}, {
		summary: SummaryNotHeld, at: "global_account", effect: nothingWritten,
		match:  when(func(e *account.TakenError) bool { return e.Tenant == "" }),
		remedy: "Claim the account by applying a claim with binding_name set to it.",
	}, {
		summary: SummaryTaken, at: "binding_name", effect: nothingWritten, match: when(func(e *account.TakenError) bool { return e.Pinned }),
		remedy: "An account never serves two Global Accounts: name another one, or remove binding_name and let the pool choose.",
	}, {
		summary: SummaryTaken, at: "global_account", effect: nothingWritten, match: is[*account.TakenError],
		remedy: "An account never serves two Global Accounts: claim another one, or have the clusters of the other Global Account moved and " +
			"the account cleaned first. To give up a claim on it, destroy the claim: its own record goes, and the labels of the " +
			"account stay.",
	}, {
		summary: SummaryPin, at: "binding_name", effect: nothingWritten, match: is[*account.PinError],
		remedy: "Name another account in binding_name, or remove it and let the pool choose.",
	}, {
		summary: SummaryUnusable, effect: nothingWritten,
		match:  unusable(account.Verdict(account.ClassOccupied)),
		remedy: "Find out whose the clusters are. If they are this Global Account's, put its label back on the account by hand, and apply again.",
	}, {
		summary: SummaryUnusable, at: "name", effect: nothingWritten, match: unusable(account.VerdictMoved),
		remedy: "The labels of the hyperscaler type, euAccess and shared say which pool it is in: correct them if they are wrong, and run the " +
			"same command again. Else make the claim under another name; or, where the state has it, use -replace, which ends it on this account " +
			"first. An account that is shared by now keeps its record. " + givenUp,
	}, {
		summary: SummaryUnusable, at: "name", effect: nothingWritten, match: unusable(account.Verdict(account.ClassInternal)),
		remedy: "No claim takes an internal account that no Global Account holds. If the account is the Global Account's, put its label back " +
			"on the account by hand, or take the label internal off, and apply again. " + givenUp,
	}, {
		summary: SummaryUnusable, at: "name", effect: nothingWritten, match: unusable(account.Verdict(account.ClassDeleting)),
		remedy: "It goes when nothing refers to it any more. To have another account, make the claim under another name. " + givenUp,
	}, {
		summary: SummaryUnusable, at: "name", effect: nothingWritten, match: unusable(account.Verdict(account.ClassUnclear)),
		remedy: "hap_pool_status names the label or the annotation (problem stray). " + mendDoubt + " " + givenUp,
	}, {
		summary: SummaryUnusable, at: "name", effect: nothingWritten, match: is[*protocol.UnusableError],
		remedy: "If it is being released, destroy the claim first or wait for the clean-up job; if it is quarantined, wait until the pool's " +
			"owner gives it back; to have another account meanwhile, make the claim under another name. " + givenUp,
	},
}

// mendDoubt is what can be done where labels or annotations that are not read leave in doubt whose an account is.
const mendDoubt = "Where the labels of the pool have these keys, set label_scheme or label_keys in the block pool of the provider: an " +
	"account that is held, shared, dirty or internal is so under each key. Where a label is not meant, or an annotation does not name the " +
	"Secret, have the pool's owner take it away or correct it. A binding of another namespace may bring clusters that are not counted: " +
	"delete it once no Shoot names it, or give the account credentials of its own."

// contested is what can be done where a label under another key says of the account of a claim what the provider does not read.
const contested = "Find out what the label means: hap_pool_status names it, too (problem stray). Where it is not meant, have the pool's " +
	"owner take it off. Where it is meant, no new cluster belongs on the account: make another claim for it."

// givenUp is what can be done with a claim that has lost its account to no other tenant.
const givenUp = "Where no Global Account holds the account, a destroy gives the claim up, and -replace (without binding_name) makes it " +
	"on another account."

// unusable matches a claim that belongs on an account which cannot be used for this reason.
func unusable(verdict account.Verdict) func(error) ([]any, bool) {
	return when(func(e *protocol.UnusableError) bool { return e.Verdict == verdict })
}
