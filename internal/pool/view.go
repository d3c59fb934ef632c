package pool

import "time"

// view is what a process knows at one moment, for an operation that says what it does next. It stays as it is while the operation does.
type view struct {
	*snapshot
	now       time.Time
	placed    placements
	uncounted bool // there is a source that does not count, and is asked before a free account is taken
}

// choose selects an account for a query, none of the refused ones. The claim of the key takes no place itself.
func (v view) choose(q Query, p Policy, key string, refused refusals) (Decision, error) {
	taken := Places{Counts: v.counts, Placed: v.placed.byAccount(v.snapshot, v.counts, key), Now: v.now}
	return Select(refused.without(v.candidates(q)), taken, q, p)
}

// fresh reports whether a free account may be taken by the newest list: it is at most maxFreeAge old, counted from its
// first request; or the operation was waiting when it was begun, and it came at most maxFreeAge ago. Else a list that takes
// longer than maxFreeAge would never do.
func (v view) fresh(waiting time.Time) bool {
	return v.now.Sub(v.listed) <= maxFreeAge || !v.listed.Before(waiting) && v.now.Sub(v.arrived) <= maxFreeAge
}

// knowFree is what has to be found out before a free account is taken: whether it was free when the clusters were counted, and, from the
// source that does not count, whether clusters are on it: asked at or after notBefore, and after the newest list where other bindings have
// the same credentials. Nil = nothing; else the account has to be judged again behind that step.
func (v view) knowFree(a *Account, notBefore time.Time) step {
	if len(v.whole(a).Twins()) > 0 && v.listed.After(notBefore) {
		notBefore = v.listed
	}
	switch {
	case !v.freeWhenCounted(a):
		return stepCount{v.now}
	case v.uncounted && !v.beside.since(notBefore):
		return stepBeside{notBefore}
	}
	return nil
}
