package protocol

import (
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Facts is what a process knows at one moment, for an operation that says what it does next. It stays as it is while the operation does.
type Facts struct {
	*Snapshot
	Now       time.Time
	Placed    Placements // the claims of this run
	Uncounted bool       // there is a source that does not count, and is asked before a free account is taken
	CountsAll bool       // each source there is counts: an account without a cluster by the count has none by any of them
}

// Places returns what is taken on the accounts, by a count. The claim of the key takes no place.
func (f Facts) Places(counts account.Counts, key string) account.Places {
	return account.Places{Counts: counts, Placed: f.Placed.byAccount(f.Snapshot, counts, key), Now: f.Now}
}

// A free account is taken only after each source was asked about it, whichever of them counts: where the broker's database alone counts,
// the Shoots of all accounts are listed beside it, once for all claims of a run that wait for that.

// maxRecounts bounds how often one claim has the clusters counted anew because of the account that it is about to take.
const maxRecounts = 8

// Beside is what the source knows that does not count.
type Beside struct {
	Counts account.Counts
	Asked  time.Time // zero = never
	// Denied says that the user must not list the Shoots; nil = that is not so. It is not asked again.
	Denied error
}

// Since reports whether the source was asked at or after a time.
func (b Beside) Since(notBefore time.Time) bool {
	return b.Denied != nil || !b.Asked.IsZero() && !b.Asked.Before(notBefore)
}

const (
	// MaxAge is how old a list and a count may be when a call begins. A run can take long, and what the broker does
	// meanwhile counts for the limit.
	MaxAge = time.Minute
	// MaxFreeAge is how old the list may be by which a free account is taken. The broker, or another run, may have claimed
	// for the same Global Account since, and a list that does not show it leads to a second account.
	// A refusal also needs a list and a count this fresh.
	MaxFreeAge = 2 * time.Second
)

// fresh reports whether a free account may be taken by the newest list: it is at most [MaxFreeAge] old, counted from its
// first request; or the operation was waiting when it was begun, and it came at most [MaxFreeAge] ago. Else a list that takes
// longer than [MaxFreeAge] would never do.
func (f Facts) fresh(waiting time.Time) bool {
	return f.Now.Sub(f.Listed) <= MaxFreeAge || !f.Listed.Before(waiting) && f.Now.Sub(f.arrived) <= MaxFreeAge
}

// knowFree is what has to be found out before a free account is taken: whether it was free when the clusters were counted, and, from the
// source that does not count, whether clusters are on it: asked at or after notBefore, and after the newest list where other bindings have
// the same credentials, or may. With these the count is [MaxFreeAge] old at most, or was begun at or after counting, since when the
// operation waits for one; zero = it does not. Nil = nothing; else the account has to be judged again after that step.
func (f Facts) knowFree(a *account.Account, notBefore, counting time.Time) Step {
	since := f.Now.Add(-MaxFreeAge)
	if !counting.IsZero() && counting.Before(since) {
		since = counting
	}
	if len(f.others(a)) > 0 && f.Listed.After(notBefore) {
		notBefore = f.Listed
	}
	switch {
	case !f.freeWhenCounted(a, since):
		return Count{f.Now}
	case f.Uncounted && !f.Beside.Since(notBefore):
		return CountBeside{notBefore}
	}
	return nil
}
