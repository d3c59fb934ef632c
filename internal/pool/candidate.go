package pool

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
