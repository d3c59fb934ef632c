package pool

// Action says how the next cluster gets its account.
type Action string

// The three ways to an account.
const (
	// ActionReuse: an account that the Global Account already holds.
	ActionReuse Action = "reuse"
	// ActionClaim: an unclaimed account, taken for the Global Account.
	ActionClaim Action = "claim"
	// ActionShare: a shared account; nothing is written.
	ActionShare Action = "share"
)

// MaxFreeCandidates is how many unclaimed accounts a [Decision] lists; [Decision.Unclaimed] counts them all.
const MaxFreeCandidates = 10

// Decision is the outcome of a selection.
type Decision struct {
	// Action says how Account is used.
	Action Action
	// Account is the chosen one.
	Account Account
	// Candidates are the accounts that were looked at, in the order they were judged: those that the Global Account
	// holds (or the shared ones) first, then up to [MaxFreeCandidates] unclaimed ones.
	Candidates []Candidate
	// Unclaimed is how many accounts of the pool are free ([ClassFree]): what a claim could take now.
	Unclaimed int
	// MultiAccount says whether the Global Account may hold several accounts of the pool.
	MultiAccount bool
	// Limit is the most clusters per account; 0 = none applies.
	Limit int
	// Reason says in one sentence why this account.
	Reason string
	// Warnings are things the user should know although the selection went well.
	Warnings []string
	// Doubts are what is in doubt about the count behind it, see [Counts.Doubts].
	Doubts []string
}

// Query asks for an account.
type Query struct {
	// Target is the pool.
	Target Target
	// GlobalAccount is the tenant.
	GlobalAccount string
	// Pin names exactly this account; empty = any.
	Pin string
}

// Verdict says what became of a candidate: one of those below, or the [Class] for which it takes no cluster.
type Verdict string

// The verdicts on a candidate.
const (
	// VerdictChosen: this account is the one.
	VerdictChosen Verdict = "chosen"
	// VerdictAvailable: could have been used, but another was preferred.
	VerdictAvailable Verdict = "available"
	// VerdictFull: at or over its limit.
	VerdictFull Verdict = "full"
	// VerdictMoved: its labels put it into another pool than the claim on it.
	VerdictMoved Verdict = "moved"
)

// why explains a verdict for which an account is not used.
func (v Verdict) why() string {
	if v == VerdictMoved {
		return "it belongs to another pool by now"
	}
	return whyNot[Class(v)]
}

// Candidate is one account that a selection looked at.
type Candidate struct {
	// Name is the account's.
	Name string
	// Clusters is the number by which it was judged, Reserved the places that claims hold beside them, those of this run
	// included.
	Clusters, Reserved int
	// Usage is what Clusters is made of.
	Usage Usage
	// Limit is the most clusters it may have; 0 = none applies.
	Limit int
	// Verdict is what became of it, Why the reason in a few words.
	Verdict Verdict
	Why     string
}
