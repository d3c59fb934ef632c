package pool

import (
	"fmt"
	"slices"
	"strings"
	"time"
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

// checks look for the problems of an account, in the order of the kinds. A check says what is wrong; "" = nothing. It is nil
// for what concerns no account in particular.
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

// when writes a text where something is wrong.
func when(wrong bool, format string, args ...any) string {
	if !wrong {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

func occupied(_ *survey, a *AccountStatus) string {
	if a.Class != ClassOccupied {
		return ""
	}
	text := fmt.Sprintf("No Global Account holds it, and %s counted on it", clustersAre(a.Clusters))
	if len(a.Usage.Tenants) > 0 {
		text += ", in the broker's database those of " + tenants(a.Usage.Tenants)
	}
	if a.Usage.Suspended > 0 {
		text += fmt.Sprintf("; %d suspended", a.Usage.Suspended)
	}
	return text + "."
}

func dirtyInUse(_ *survey, a *AccountStatus) string {
	return when(a.Dirty == Dirtied && a.Clusters > 0, "%s counted on it, and it is marked for the clean-up job.", clustersAre(a.Clusters))
}

func foreignRows(_ *survey, a *AccountStatus) string {
	if a.Shared || a.Tenant == "" {
		return ""
	}
	_, others := a.Usage.Of(a.Tenant)
	if others == 0 {
		return ""
	}
	strangers := map[string]int{}
	for ga, rows := range a.Usage.Tenants {
		if ga != a.Tenant {
			strangers[ga] = rows
		}
	}
	return fmt.Sprintf("%s holds it, and %s of the broker's database on it %s to others: %s.", a.Tenant, count(others, "row"),
		verb(others, "belong"), tenants(strangers))
}

func sharedHeld(_ *survey, a *AccountStatus) string {
	return when(a.Shared && a.Tenant != "", "All tenants share it, and its label says that it is %s's.", a.Tenant)
}

func internalHeld(_ *survey, a *AccountStatus) string {
	return when(a.Internal && !a.Shared && a.Tenant != "", "It is kept for internal use, and %s holds it.", a.Tenant)
}

func unreachable(_ *survey, a *AccountStatus) string {
	switch {
	case a.HyperscalerType == "":
		return "Its hyperscaler type is empty: no rule leads to it. Set one, or take the label away."
	case len(a.Unseen) == 0:
		return ""
	}
	return fmt.Sprintf("It bears %s. The broker passes over an account with such a label, whatever the label says.",
		strings.Join(a.Unseen, " and "))
}

func fence(s *survey, a *AccountStatus) string {
	if a.Dirty != Releasing {
		return ""
	}
	var since time.Time
	for _, r := range a.Records {
		if r.ReleasingSince.After(since) {
			since = r.ReleasingSince
		}
	}
	if since.IsZero() {
		return "Its fence (dirty=releasing) keeps new clusters away; its record does not say since when."
	}
	return fmt.Sprintf("Its fence (dirty=releasing) keeps new clusters away since %s (%s).", since.UTC().Format("2006-01-02 15:04 MST"),
		age(s.now.Sub(since)))
}

// age is coarse, so that a report stays the same from one look to the next.
func age(d time.Duration) string {
	switch {
	case d < time.Hour:
		return "less than an hour"
	case d < 48*time.Hour:
		return count(int(d.Hours()), "hour")
	}
	return count(int(d.Hours()/24), "day")
}

func leftAside(s *survey, a *AccountStatus) string {
	if a.Shared || a.Tenant == "" || s.policy.Enabled(a.Tenant) {
		return ""
	}
	held := s.used[holding{a.Tenant, a.Target()}]
	if len(held) < 2 || held[0].Name == a.Name || a.unusable(a.Tenant) != "" {
		return ""
	}
	return fmt.Sprintf("%s holds %s of pool %s and is allowed one: %s is the first by name and is used.", a.Tenant,
		count(len(held), "account"), a.Target(), held[0].Name)
}

func overLimit(_ *survey, a *AccountStatus) string {
	return when(a.Limit > 0 && a.Clusters+a.Reserved > a.Limit, "%d of %d places are taken: %s, %d reserved.",
		a.Clusters+a.Reserved, a.Limit, count(a.Clusters, "cluster"), a.Reserved)
}

func countDiffers(s *survey, a *AccountStatus) string {
	d, ok := s.differs[a.Name]
	if !ok || d.Instances-d.Suspended == d.Shoots {
		return ""
	}
	return fmt.Sprintf("Gardener has %s, the broker's database %s, %d of them suspended.", count(d.Shoots, "Shoot"),
		count(d.Instances, "row"), d.Suspended)
}

func voidClaim(s *survey, a *AccountStatus) string {
	var texts []string
	for key, r := range a.Records {
		claim := fmt.Sprintf("%s of %s", r.Name, r.GlobalAccount)
		_, valid := a.Holds(key)
		switch at := s.bearers[key]; {
		case valid && at != a.Name:
			texts = append(texts, fmt.Sprintf("%s stands on %s as well", claim, at))
		case valid && r.Identity(s.namespace).Key() != key:
			texts = append(texts, claim+" lies under a key that is not its own")
		case valid:
		case a.Shared:
			texts = append(texts, claim+", while all tenants share the account")
		case a.Tenant != "":
			texts = append(texts, fmt.Sprintf("%s, while %s holds the account", claim, a.Tenant))
		default:
			texts = append(texts, claim+", while no Global Account holds the account")
		}
	}
	if len(texts) == 0 {
		return ""
	}
	slices.Sort(texts)
	return fmt.Sprintf("%s cannot count: %s.", count(len(texts), "claim record"), strings.Join(texts, "; "))
}

func idle(_ *survey, a *AccountStatus) string {
	forNothing := !a.Shared && a.Tenant != "" && a.Clusters == 0 && len(a.ValidRecords) == 0 && a.unusable(a.Tenant) == ""
	return when(forNothing, "%s holds it, with no cluster and no claim on it.", a.Tenant)
}

func beingDeleted(_ *survey, a *AccountStatus) string {
	switch {
	case !a.Terminating:
		return ""
	case a.Tenant != "" && !a.Shared:
		return fmt.Sprintf("It is being deleted while %s holds it; %s counted on it.", a.Tenant, clustersAre(a.Clusters))
	}
	return fmt.Sprintf("It is being deleted; %s counted on it.", clustersAre(a.Clusters))
}

func waiting(_ *survey, a *AccountStatus) string {
	switch {
	case a.Dirty == Clean, a.Dirty == Releasing, a.Dirty == Dirtied && a.Clusters > 0: // the last is worse than waiting
		return ""
	case a.Shared:
		return "It is dirty, and the broker puts clusters on it all the same: it does not look at that label of shared accounts."
	case a.Dirty != Dirtied: // neither the broker nor the clean-up job understands it: unreachable
		return ""
	case a.Tenant != "":
		return fmt.Sprintf("It was %s's.", a.Tenant)
	}
	return "No Global Account holds it."
}
