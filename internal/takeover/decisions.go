package takeover

import (
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
)

// Decision is what a configuration cannot settle by itself: a person has to.
type Decision struct {
	Account   string // the object that it is about
	Kind      Kind
	Found     string   // what was found
	Choices   []string // what there is to choose from
	Command   string   // the kubectl command of one of the choices; empty = there is none
	Resources []string // the addresses of the blocks that are written for the account all the same
}

// Kind is what a [Decision] is about: a kind of problem, or one of the kinds below.
type Kind string

// The kinds of decisions that are no problems of the pool.
const (
	KindOtherKind Kind = "other_kind" // a binding of another kind is an account to a provider of that kind
	KindNoRule    Kind = "no_rule"    // no rule leads to a claim, or to the pool of an account
	KindOtherPool Kind = "other_pool" // the rules lead a claim to another pool than that of its account
	KindLeftOut   Kind = "left_out"   // an account or a claim cannot be written
)

// Kinds returns all kinds, in the order of the decisions.
func Kinds() []Kind {
	kinds := make([]Kind, len(questions))
	for i, q := range questions {
		kinds[i] = q.kind
	}
	return kinds
}

// question is what there is to choose from, for a kind of decisions.
type question struct {
	kind    Kind
	choices []string
}

// questions are in the order of the problems, the worst first; the other kinds follow.
var questions = []question{
	{Kind(overview.ProblemOccupied), []string{
		"Find out whose clusters these are and label the account as that Global Account's: it has a claim then.",
		"Delete the clusters: the account is free then.",
		"Until that is known, set quarantine in its block: no tenant comes to it.",
	}},
	{Kind(overview.ProblemDirtyInUse), []string{
		"Take the label dirty away where the clusters are to live.",
		"Delete the clusters, and the clean-up job wipes the account.",
	}},
	{Kind(overview.ProblemSameCredentials), []string{
		"Keep the binding that is in use, take the blocks of the others out of the configuration and their objects out of the pool.",
		"Give the others credentials of another cloud account.",
	}},
	{Kind(overview.ProblemUnreadableRecord), []string{
		"Write the record as it was, or use the provider version that wrote it: the claim is written then.",
		"Take the annotation away where no configuration has the claim any more.",
	}},
	{Kind(overview.ProblemSharedHeld), []string{
		"Take the label of the Global Account away: the account is for all tenants.",
		"Take the label shared away, and shared out of its block: the account is the Global Account's alone, and has a claim then.",
	}},
	{Kind(overview.ProblemInternalHeld), []string{
		"Take the label internal away, and internal out of its block: the account is the Global Account's.",
		"Move its clusters, destroy its claim, and take the label of the Global Account away: the account is internal.",
	}},
	{Kind(overview.ProblemMisspelt), []string{
		"Set shared or internal in its block where that was meant, and no Global Account holds the account.",
		"Leave its block as it is: the next apply takes the label away.",
	}},
	{Kind(overview.ProblemUnreachable), []string{
		"Take the labels away: the broker and claims find the account.",
		"Give the label the value true where that was meant.",
		"Leave them, and quarantine the account in its block, so that the configuration says why it is out of circulation.",
	}},
	{Kind(overview.ProblemMisplaced), []string{
		"Give the account the hyperscaler type of its own provider type, once no Global Account holds it.",
		"Make it anew with the provider type that the pool needs.",
	}},
	{Kind(overview.ProblemStray), []string{
		"Give the object the labels that it needs: it is an account then, and has a block.",
		"Leave it, where it is no account.",
	}},
	{Kind(overview.ProblemRecordedTwice), []string{
		"Keep the claim on the account that its state names, and destroy the other one in a configuration of its own.",
	}},
	{Kind(overview.ProblemFence), []string{
		"Destroy the claim where its configuration is: that finishes the release.",
		"Take the label away: the account stays with its Global Account.",
	}},
	{Kind(overview.ProblemStranded), []string{
		"Wipe the account by hand, and take the labels dirty and tenantName away.",
		"Take its block out of the configuration, and the account out of the pool.",
		"Add its provider type to clean_up_types, where a job wipes it.",
	}},
	{Kind(overview.ProblemQuarantineLost), []string{
		"Set the label dirty to quarantine again: its block keeps the quarantine.",
		"Take quarantine out of its block: the clean-up job wipes the account.",
	}},
	{Kind(overview.ProblemSeveral), []string{
		"Allow the Global Account several accounts (multi_account.allowed_global_accounts).",
		"Move its clusters and end its claim: the clean-up job frees the account.",
	}},
	{Kind(overview.ProblemIdle), []string{
		"Keep the claim: the account stays with its Global Account.",
		"Where no cluster is on its way to it and a clean-up job wipes its type: set on_destroy = \"mark_dirty\" in the claim, apply, and " +
			"take the blocks of the claim out, but not that of the account. The destroy looks for clusters once more, and the job " +
			"wipes and frees the account.",
	}},
	{KindOtherKind, []string{
		"Take it over as it is, in a second configuration whose provider has pool = { kind = ... } of its kind.",
		"Make a binding of the pool's kind for its credentials, and move its clusters there.",
		"Take the label of the hyperscaler type away, where it is out of use.",
	}},
	{KindNoRule, []string{
		"Add a rule that leads to the pool.",
		"Move the account to a pool that a rule leads to, once no Global Account holds it.",
		"Leave it as it is: no new request comes to the pool.",
	}},
	{KindOtherPool, []string{
		"Correct the rule.",
		"Leave the claim where it is, and let it end with its cluster.",
	}},
	{KindLeftOut, []string{
		"Settle what the text says, and write the configuration anew.",
		"Leave it out: nothing in the configuration touches it.",
	}},
}

// rank is the place of the kind among all; -1 = there is nothing to decide.
func (k Kind) rank() int {
	return slices.IndexFunc(questions, func(q question) bool { return q.kind == k })
}

// open are the kinds of decisions that the problems of an account ask for.
func open(a *overview.Account) (kinds []string) {
	for _, p := range a.Problems {
		if Kind(p).rank() >= 0 {
			kinds = append(kinds, string(p))
		}
	}
	return kinds
}

// decisions are what the problems ask for, and what the text has left.
func (w *writer) decisions(o overview.Overview) []Decision {
	all := w.left
	if !o.Of.ExpiredClaims {
		for _, p := range o.Problems {
			if p.Account != "" && Kind(p.Kind).rank() >= 0 {
				all = append(all, Decision{Account: p.Account, Kind: Kind(p.Kind), Found: p.Text, Command: p.Command})
			}
		}
	}
	for i := range all {
		all[i].Choices, all[i].Resources = questions[all[i].Kind.rank()].choices, w.written[all[i].Account]
	}
	slices.SortStableFunc(all, func(a, b Decision) int {
		if a.Kind != b.Kind {
			return a.Kind.rank() - b.Kind.rank()
		}
		return strings.Compare(a.Account, b.Account)
	})
	return all
}
