package pool

import (
	"fmt"
	"slices"
)

// Problem is something about an account that the owner of the pool should look at.
type Problem struct {
	Account string      // its name; empty for what concerns no account in particular
	Kind    ProblemKind // what it is, in a fixed word to go by
	Text    string      // what was found
}

// ProblemKind is what a [Problem] is.
type ProblemKind string

// The kinds of problems, the worst first.
const (
	ProblemOccupied     ProblemKind = "occupied"      // no Global Account holds the account, and living clusters are on it
	ProblemDirtyInUse   ProblemKind = "dirty_in_use"  // clusters are on an account that the clean-up job wipes
	ProblemForeignRows  ProblemKind = "foreign_rows"  // the broker's database has clusters of other Global Accounts on the account
	ProblemSharedHeld   ProblemKind = "shared_held"   // the account is shared and has a tenant
	ProblemInternalHeld ProblemKind = "internal_held" // the account is internal and has a tenant
	ProblemUnreachable  ProblemKind = "unreachable"   // labels hide the account from the broker for ever
	ProblemFence        ProblemKind = "fence"         // a release has begun and not ended
	// ProblemSeveral: the Global Account holds several accounts of a pool, is allowed one, and this one is not used.
	ProblemSeveral   ProblemKind = "several_accounts"
	ProblemOverLimit ProblemKind = "over_limit" // more places are taken than the limit has
	// ProblemCountDiffers: Gardener and the broker's database tell numbers that suspended clusters do not explain.
	ProblemCountDiffers ProblemKind = "count_differs"
	// ProblemUnassigned: rows of the broker's database name no account. It concerns no account in particular.
	ProblemUnassigned  ProblemKind = "unassigned_rows"
	ProblemVoidClaim   ProblemKind = "void_claim" // claim records lie on the account that do not count, or whose claim cannot stand there
	ProblemIdle        ProblemKind = "idle"       // a Global Account holds the account, without a cluster and without a claim
	ProblemTerminating ProblemKind = "deleting"   // the object is being deleted
	ProblemDirty       ProblemKind = "dirty"      // the account waits for the clean-up job
)

// ProblemKinds returns all kinds, the worst first.
func ProblemKinds() []ProblemKind {
	kinds := make([]ProblemKind, len(checks))
	for i, c := range checks {
		kinds[i] = c.kind
	}
	return kinds
}

// checks look for the problems of an account, in the order of the kinds: find says what is wrong; "" = nothing. It is nil for
// what concerns no account in particular.
var checks = []struct {
	kind ProblemKind
	find func(*survey, *AccountStatus) string
}{
	{ProblemOccupied, occupied},
	{ProblemDirtyInUse, dirtyInUse},
	{ProblemForeignRows, foreignRows},
	{ProblemSharedHeld, sharedHeld},
	{ProblemInternalHeld, internalHeld},
	{ProblemUnreachable, unreachable},
	{ProblemFence, fence},
	{ProblemSeveral, leftAside},
	{ProblemOverLimit, overLimit},
	{ProblemCountDiffers, countDiffers},
	{ProblemUnassigned, nil},
	{ProblemVoidClaim, voidClaim},
	{ProblemIdle, idle},
	{ProblemTerminating, beingDeleted},
	{ProblemDirty, waiting},
}

// problems writes out what was found, and what concerns no account in particular.
func (s *survey) problems() {
	for _, c := range checks {
		if n := s.counts.unassigned; c.kind == ProblemUnassigned && n > 0 && s.Of == (Filter{}) {
			text := fmt.Sprintf("%s of the broker's database %s no account: each occupies one all the same: which one is not known.",
				count(n, "live row"), verb(n, "name"))
			s.Problems = append(s.Problems, Problem{Kind: c.kind, Text: text})
		}
		for i := range s.Accounts {
			a := &s.Accounts[i]
			if slices.Contains(a.Problems, c.kind) {
				s.Problems = append(s.Problems, Problem{Account: a.Name, Kind: c.kind, Text: c.find(s, a)})
			}
		}
	}
}
