package account

import (
	"cmp"
	"slices"
	"time"
)

// Action says how the next cluster gets its account.
type Action string

// The three ways to an account.
const (
	ActionReuse Action = "reuse" // an account that the Global Account already holds
	ActionClaim Action = "claim" // a free account, taken for the Global Account
	ActionShare Action = "share" // a shared account; nothing is written
)

// MaxFreeCandidates is how many free accounts a [Decision] lists; [Decision.Unclaimed] counts them all.
const MaxFreeCandidates = 10

// Decision is the outcome of a selection.
type Decision struct {
	Action  Action  // how Account is used
	Account Account // the chosen one
	// Candidates are the accounts that were judged, in the order they were judged: those that the Global Account
	// holds (or the shared ones) first, then up to [MaxFreeCandidates] free ones.
	Candidates   []Candidate
	Unclaimed    int      // how many accounts of the pool are free ([ClassFree]): what a claim could take now
	Cooling      int      // how many are free, and are left alone for a while ([ClassCooling])
	MultiAccount bool     // whether the Global Account may hold several accounts of the pool
	Limit        int      // the most clusters per account; 0 = none applies
	Reason       string   // in one sentence why this account
	Warnings     []string // things the user should know although the selection went well
	Doubts       []string // what is in doubt about the count behind it
	Uncounted    string   // the one of them that says why not every source was asked about free accounts; empty = they are
}

// Query asks for an account.
type Query struct {
	Target        Target // the pool
	GlobalAccount string // the tenant
	Pin           string // names exactly this account; empty = any
}

// Verdict says what became of a candidate: one of those below, or the [Class] for which it takes no cluster.
type Verdict string

// The verdicts on a candidate.
const (
	VerdictChosen    Verdict = "chosen"    // this account is the one
	VerdictAvailable Verdict = "available" // could have been used, but another was preferred
	VerdictFull      Verdict = "full"      // at or over its limit
	VerdictMoved     Verdict = "moved"     // its labels put it into another pool than the claim on it
)

// Why explains a verdict for which an account is not used.
func (v Verdict) Why() string {
	if v == VerdictMoved {
		return "it belongs to another pool by now"
	}
	return Class(v).Describe()
}

// Candidate is one account that a selection judged.
type Candidate struct {
	Name string // the account's
	// Clusters is the number by which it was judged, Reserved the places that claims hold besides, those of this run
	// included.
	Clusters, Reserved int
	Usage              Usage   // what Clusters is made of
	Limit              int     // the most clusters it may have; 0 = none applies
	Verdict            Verdict // what became of it, Why the reason in a few words
	Why                string
}

// Policy is what a landscape says of the choice: the multi-account configuration (ADR 006), and which free accounts are taken (ADR 023).
// The zero value has both off: each Global Account has one account per pool, and any free account will do.
type Policy struct {
	AllowedGlobalAccounts []string // the Global Accounts that may hold several accounts of one pool; "*" means all
	// Limits are clusters per account by hyperscaler ("aws"), with DefaultLimit for the rest. One that is 0 or absent is the default,
	// and a default that is 0 or absent is no limit, as for the broker.
	Limits map[string]int
	// MinBindingsForGuard stops a claim when a Global Account holds at least so many usable accounts of the pool and
	// none that it holds has a cluster: then the count is wrong. 0 = off.
	MinBindingsForGuard int

	Prefer      Preference    // which free account comes first; empty = [PreferOrder]
	MinFreeTime time.Duration // how long an account that came back is left alone; 0 = not at all
}

// DefaultLimit is the key of [Policy.Limits] for hyperscalers without a limit of their own.
const DefaultLimit = "default"

// Enabled reports whether the Global Account may hold several accounts of one pool.
func (p Policy) Enabled(globalAccount string) bool {
	return slices.Contains(p.AllowedGlobalAccounts, "*") || slices.Contains(p.AllowedGlobalAccounts, globalAccount)
}

// Limit returns how many clusters the Global Account may have on one account of the pool, and 0 where no limit
// applies: the feature is off for it, the pool is shared, or the policy has none.
func (p Policy) Limit(globalAccount string, target Target) int {
	if target.Shared || !p.Enabled(globalAccount) {
		return 0
	}
	return cmp.Or(p.Limits[target.Hyperscaler()], p.Limits[DefaultLimit])
}
