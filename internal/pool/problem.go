package pool

import (
	"fmt"
	"slices"
)

// Problem is something about an account that the owner of the pool should look at.
type Problem struct {
	// Account is its name; empty for what concerns no account in particular.
	Account string
	// Kind is what it is, in a fixed word to go by.
	Kind ProblemKind
	// Text says what was found.
	Text string
	// Remedy says what to do; it is the same for all problems of one kind.
	Remedy string
}

// ProblemKind is what a [Problem] is.
type ProblemKind string

// The kinds of problems, the worst first.
const (
	// ProblemOccupied: no Global Account holds the account, and living clusters are on it.
	ProblemOccupied ProblemKind = "occupied"
	// ProblemDirtyInUse: clusters are on an account that the clean-up job wipes.
	ProblemDirtyInUse ProblemKind = "dirty_in_use"
	// ProblemForeignRows: the broker's database has clusters of other Global Accounts on the account.
	ProblemForeignRows ProblemKind = "foreign_rows"
	// ProblemSharedHeld: the account is shared and has a tenant.
	ProblemSharedHeld ProblemKind = "shared_held"
	// ProblemInternalHeld: the account is internal and has a tenant.
	ProblemInternalHeld ProblemKind = "internal_held"
	// ProblemUnreachable: labels hide the account from the broker for ever.
	ProblemUnreachable ProblemKind = "unreachable"
	// ProblemFence: a release has begun and not ended.
	ProblemFence ProblemKind = "fence"
	// ProblemSeveral: the Global Account holds several accounts of a pool, is allowed one, and this one is not used.
	ProblemSeveral ProblemKind = "several_accounts"
	// ProblemOverLimit: more places are taken than the limit has.
	ProblemOverLimit ProblemKind = "over_limit"
	// ProblemCountDiffers: Gardener and the broker's database tell numbers that suspended clusters do not explain.
	ProblemCountDiffers ProblemKind = "count_differs"
	// ProblemUnassigned: rows of the broker's database name no account. It concerns no account in particular.
	ProblemUnassigned ProblemKind = "unassigned_rows"
	// ProblemVoidClaim: claim records lie on the account that do not count, or whose claim cannot stand there.
	ProblemVoidClaim ProblemKind = "void_claim"
	// ProblemIdle: a Global Account holds the account, without a cluster and without a claim.
	ProblemIdle ProblemKind = "idle"
	// ProblemTerminating: the object is being deleted.
	ProblemTerminating ProblemKind = "deleting"
	// ProblemDirty: the account waits for the clean-up job.
	ProblemDirty ProblemKind = "dirty"
)

// ProblemKinds returns all kinds, the worst first.
func ProblemKinds() []ProblemKind {
	kinds := make([]ProblemKind, len(checks))
	for i, c := range checks {
		kinds[i] = c.kind
	}
	return kinds
}

// Title names the kind for a heading.
func (k ProblemKind) Title() string {
	for _, c := range checks {
		if c.kind == k {
			return c.title
		}
	}
	return string(k)
}

// check looks for one kind of problem.
type check struct {
	kind          ProblemKind
	title, remedy string
	// find says what is wrong with an account; "" = nothing.
	find func(*survey, *AccountStatus) string
}

// checks are in the order of the kinds. A remedy names no account, so that it has to be read only once.
var checks = []check{
	{ProblemOccupied, "Unclaimed, with clusters on it",
		"Find out whose clusters these are, and label the account as that Global Account's before another one claims the account.", occupied},
	{ProblemDirtyInUse, "Dirty, with clusters on it",
		"Take the label dirty away if the clusters are to live; otherwise delete them, and the clean-up job can do its work.", dirtyInUse},
	{ProblemForeignRows, "Clusters of other Global Accounts",
		"Find out whether two tenants share the account, or a subaccount was moved. The rows count against the limit all the same.", foreignRows},
	{ProblemSharedHeld, "Shared, and held by a Global Account",
		"Take one of the two labels away: that of the Global Account if all tenants may use the account, that of shared accounts if it is this Global Account's alone.", sharedHeld},
	{ProblemInternalHeld, "Internal, and held by a Global Account",
		"The broker gives internal accounts to tenants, and never frees them; a claim on one neither marks nor frees it. Take the label internal away if the account is the " +
			"tenant's. Otherwise move its clusters and destroy its claims; with nothing left on it, take the tenant's label away.", internalHeld},
	{ProblemUnreachable, "Unreachable by the broker",
		"Take these labels away: the broker looks for accounts without them. What is meant for the clean-up job, or for EU access, needs the value true.", unreachable},
	{ProblemFence, "Release begun and not ended",
		"Destroy the claim again: that finishes the release. Where no configuration has the claim any more, and no cluster is on the account, " +
			"mark it dirty (value true) for the clean-up job; or take the label away to keep the account with its Global Account.", fence},
	{ProblemSeveral, "Left aside",
		"Allow the Global Account several accounts (multi_account.allowed_global_accounts), or move its clusters, and mark this account dirty (value true) for the clean-up job.", leftAside},
	{ProblemOverLimit, "Over the limit",
		"Nothing has to be done: the account keeps its clusters, and takes new ones once it is below the limit. Where the hyperscaler's quota is in danger, move some.", overLimit},
	{ProblemCountDiffers, "Gardener and the broker's database differ",
		"Find the clusters that only one of the two knows: Shoots made beside the broker, rows whose cluster is gone.", countDiffers},
	{ProblemUnassigned, "Rows that name no account",
		"The broker has not chosen yet, or the row is older than the column subscription_secret_name: fill that in.", nothing},
	{ProblemVoidClaim, "Claims that do not count",
		"Destroying their claim takes them away, and so does a claim that takes the account while it is free. Where no configuration has the claim any more, take the annotations " +
			AnnotationPrefix + "... away, before the account is given to their Global Account again.", voidClaim},
	{ProblemIdle, "Held for nothing",
		"Where no cluster is on its way to it, and the Global Account needs it no more, mark it dirty (value true): the clean-up job wipes and frees the account.", idle},
	{ProblemTerminating, "Being deleted",
		"It goes when nothing refers to it any more. Claims on it need another account.", beingDeleted},
	{ProblemDirty, "Waiting for the clean-up job",
		"Nothing has to be done while the clean-up job runs. If they stay, look at the job.", waiting},
}

// problems writes out what was found, and what concerns no account in particular.
func (s *survey) problems() {
	for _, c := range checks {
		if n := s.counts.unassigned; c.kind == ProblemUnassigned && n > 0 && s.Of == (Filter{}) {
			text := fmt.Sprintf("%s of the broker's database %s no account: each occupies one all the same: which one is not known.", count(n, "live row"), verb(n, "name"))
			s.Problems = append(s.Problems, Problem{Kind: c.kind, Text: text, Remedy: c.remedy})
		}
		for i := range s.Accounts {
			a := &s.Accounts[i]
			if slices.Contains(a.Problems, c.kind) {
				s.Problems = append(s.Problems, Problem{Account: a.Name, Kind: c.kind, Text: c.find(s, a), Remedy: c.remedy})
			}
		}
	}
}
