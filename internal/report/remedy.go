package report

import "github.com/hap-project/terraform-provider-hap/internal/pool"

// advice is what a person reads about a kind of problems.
type advice struct{ title, remedy string }

// Title names a kind of problems for a heading.
func Title(kind pool.ProblemKind) string { return advices[kind].title }

// Remedy says what to do about all problems of a kind. It names no account, so that it has to be read only once.
func Remedy(kind pool.ProblemKind) string { return advices[kind].remedy }

var advices = map[pool.ProblemKind]advice{
	pool.ProblemOccupied: {"Unclaimed, with clusters on it",
		"Find out whose clusters these are, and label the account as that Global Account's before another one claims the account."},
	pool.ProblemDirtyInUse: {"Dirty, with clusters on it",
		"Take the label dirty away if the clusters are to live; otherwise delete them, and the clean-up job can do its work."},
	pool.ProblemForeignRows: {"Clusters of other Global Accounts",
		"Find out whether two tenants share the account, or a subaccount was moved. The rows count against the limit all the same."},
	pool.ProblemSharedHeld: {"Shared, and held by a Global Account",
		"Take one of the two labels away: that of the Global Account if all tenants may use the account, that of shared accounts if it is this " +
			"Global Account's alone."},
	pool.ProblemInternalHeld: {"Internal, and held by a Global Account",
		"The broker gives internal accounts to tenants, and never frees them; a claim on one neither marks nor frees it. Take the label " +
			"internal away if the account is the tenant's. Otherwise move its clusters and destroy its claims; with nothing left on it, take the " +
			"tenant's label away."},
	pool.ProblemUnreachable: {"Unreachable by the broker",
		"Take these labels away: the broker looks for accounts without them. What is meant for the clean-up job, or for EU access, needs the " +
			"value true."},
	pool.ProblemFence: {"Release begun and not ended",
		"Destroy the claim again: that finishes the release. Where no configuration has the claim any more, and no cluster is on the account, " +
			"mark it dirty (value true) for the clean-up job; or take the label away to keep the account with its Global Account."},
	pool.ProblemSeveral: {"Left aside",
		"Allow the Global Account several accounts (multi_account.allowed_global_accounts), or move its clusters, and mark this account dirty " +
			"(value true) for the clean-up job."},
	pool.ProblemOverLimit: {"Over the limit",
		"Nothing has to be done: the account keeps its clusters, and takes new ones once it is below the limit. Where the hyperscaler's quota " +
			"is in danger, move some."},
	pool.ProblemCountDiffers: {"Gardener and the broker's database differ",
		"Find the clusters that only one of the two knows: Shoots made beside the broker, rows whose cluster is gone."},
	pool.ProblemUnassigned: {"Rows that name no account",
		"The broker has not chosen yet, or the row is older than the column subscription_secret_name: fill that in."},
	pool.ProblemVoidClaim: {"Claims that do not count",
		"Destroying their claim takes them away, and so does a claim that takes the account while it is free. Where no configuration has the " +
			"claim any more, take the annotations " + pool.AnnotationPrefix + "... away, before the account is given to their Global Account " +
			"again."},
	pool.ProblemIdle: {"Held for nothing",
		"Where no cluster is on its way to it, and the Global Account needs it no more, mark it dirty (value true): the clean-up job wipes and " +
			"frees the account."},
	pool.ProblemTerminating: {"Being deleted",
		"It goes when nothing refers to it any more. Claims on it need another account."},
	pool.ProblemDirty: {"Waiting for the clean-up job",
		"Nothing has to be done while the clean-up job runs. If they stay, look at the job."},
}
