package account

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// ExhaustedError says that the pool has no account left for the Global Account.
type ExhaustedError struct {
	Query Query       // what was asked for
	Tally Tally       // counts the pool's accounts by what keeps them from being claimed
	Held  []Candidate // the accounts that the Global Account holds, all of them full or unusable
	Limit int         // the most clusters per account; 0 = none applies
	// Hidden are the accounts of [ClassUnreachable], each with the labels that hide it.
	Hidden []string
	// InDoubt are the accounts of [ClassUnclear], each with what leaves it in doubt.
	InDoubt []string
	// CoolsUntil is when the first account of [ClassCooling] can be claimed; zero = there is none.
	CoolsUntil time.Time
	// Waited is how long the claim has waited for an account; 0 = it was not to wait.
	Waited time.Duration
}

func (e *ExhaustedError) Error() string {
	if e.Query.Target.Shared {
		return fmt.Sprintf("pool %s has no usable shared account (%d in all: dirty %d, internal %d, deleting %d)",
			e.Query.Target, e.Tally.Total(), e.Tally.Dirty(), e.Tally[ClassInternal], e.Tally[ClassDeleting]) + afterWaiting(e.Waited)
	}
	text := fmt.Sprintf("pool %s has no account left to claim for Global Account %s (%d in all: %s)",
		e.Query.Target, e.Query.GlobalAccount, e.Tally.Total(), e.Tally)
	if len(e.Held) > 0 {
		held := make([]string, len(e.Held))
		for i, c := range e.Held {
			held[i] = fmt.Sprintf("%s: %s, %s", c.Name, c.Verdict, c.Why)
		}
		text += "; it holds " + strings.Join(held, "; ")
	}
	if len(e.Hidden) > 0 {
		text += "; labels hide from the broker: " + words.First(maxHidden, e.Hidden)
	}
	if len(e.InDoubt) > 0 {
		text += "; whose these are is in doubt: " + words.First(maxHidden, e.InDoubt)
	}
	if n := e.Tally[ClassCooling]; n > 0 {
		text += fmt.Sprintf("; %s %s free, and %s down after the last claim, the first one until %s", words.Count(n, "account"),
			words.Verb(n, "are"), words.Verb(n, "cool"), stamp(e.CoolsUntil))
	}
	return text + afterWaiting(e.Waited)
}

// maxHidden is how many accounts are named that labels hide, or leave in doubt.
const maxHidden = 10

// afterWaiting ends an error with how long the operation has waited; empty where it has not.
func afterWaiting(waited time.Duration) string {
	if waited == 0 {
		return ""
	}
	return fmt.Sprintf("; waited for %s", waited.Round(time.Second))
}

// GuardError says that the count cannot be right: many accounts are held and none has a cluster.
type GuardError struct {
	Query       Query
	Held        []string // the names of the accounts that the Global Account holds and can use
	MinBindings int      // [Policy.MinBindingsForGuard]
}

func (e *GuardError) Error() string {
	return fmt.Sprintf("Global Account %s holds %s of pool %s (%s) and not one has a cluster; from %d on that counts as a wrong count",
		e.Query.GlobalAccount, words.Count(len(e.Held), "account"), e.Query.Target, strings.Join(e.Held, ", "), e.MinBindings)
}

// TakenError says that another tenant holds the account.
type TakenError struct {
	// Tenant holds the account (empty: no Global Account does), Wanted does not.
	Account, Tenant, Wanted string
	Pinned                  bool   // the account was asked for by its name
	By                      string // another binding of the credentials, by which Tenant holds the cloud account; empty = by its own label
}

func (e *TakenError) Error() string {
	if e.Tenant == "" {
		return fmt.Sprintf("account %s is held by no Global Account, and not by %s", e.Account, e.Wanted)
	}
	if e.By != "" {
		return fmt.Sprintf("account %s has no label of a Global Account, and %s of the same credentials has that of %s", e.Account, e.By,
			e.Tenant)
	}
	return fmt.Sprintf("account %s is held by Global Account %s, not by %s", e.Account, e.Tenant, e.Wanted)
}

// WithheldError says that the credentials of an account are not given to a Global Account that does not hold it.
type WithheldError struct {
	Account, Tenant, Wanted string // as those of [TakenError]
}

func (e *WithheldError) Error() string {
	return (&TakenError{Account: e.Account, Tenant: e.Tenant, Wanted: e.Wanted}).Error()
}

// PinError says why an account that was asked for by its name cannot be used.
type PinError struct {
	Account, Why string
}

func (e *PinError) Error() string {
	return fmt.Sprintf("account %s cannot be used: %s", e.Account, e.Why)
}

// maxListed is how many users an [InUseError] lists, and how many accounts a [DisagreementError].
const maxListed = 20

// InUseError says that clusters are still on the account.
type InUseError struct {
	Account    string
	Users      []User // all of them
	AfterFence bool   // they came while the release was under way; the fence has been taken back
	// Waited is how long the release has waited for the deletion of the users; 0 = not at all.
	Waited time.Duration
}

// Deleting reports whether every user is a cluster that is being deleted.
func (e *InUseError) Deleting() bool {
	return !slices.ContainsFunc(e.Users, func(u User) bool { return !u.Deleting })
}

// Error lists up to [maxListed] of the users.
func (e *InUseError) Error() string {
	return fmt.Sprintf("account %s is used by %s: %s", e.Account, e.Total(), e.List()) + afterWaiting(e.Waited)
}

// List lists up to [maxListed] of the users.
func (e *InUseError) List() string {
	listed, more := listed(e.Users, func(u User) string {
		if u.Deleting {
			return u.Kind + " " + u.Name + " (being deleted)"
		}
		return u.Kind + " " + u.Name
	})
	text := strings.Join(listed, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Total counts the users. A cluster may be known as a Shoot and as an instance, so where there are both each is counted.
func (e *InUseError) Total() string {
	kinds := map[string]int{}
	for _, u := range e.Users {
		kinds[u.Kind]++
	}
	if len(kinds) <= 1 {
		return words.Count(len(e.Users), "cluster")
	}
	totals := make([]string, 0, len(kinds))
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		totals = append(totals, words.Count(kinds[kind], kind))
	}
	return strings.Join(totals, " and ")
}

// DisagreementError says that Gardener and the broker's database count differently.
type DisagreementError struct {
	Differences []Difference // all of them, sorted by account
}

// Error lists up to [maxListed] of the accounts.
func (e *DisagreementError) Error() string {
	listed, more := listed(e.Differences, Difference.String)
	text := "Gardener and the broker's database count differently: " + strings.Join(listed, "; ")
	if more > 0 {
		text += fmt.Sprintf("; and %s more", words.Count(more, "account"))
	}
	return text
}

func listed[T any](all []T, text func(T) string) (listed []string, more int) {
	for _, one := range all[:min(len(all), maxListed)] {
		listed = append(listed, text(one))
	}
	return listed, len(all) - len(listed)
}

// User is one thing that uses an account.
type User struct {
	Kind     string // "Shoot", "instance" for a row of the broker's database, or the kind of an upcoming cluster
	Name     string // identifies it within its kind
	Deleting bool   // it has a deletion timestamp, and uses the account until it is gone
}

// UnreadableRecordError says that an account has a claim record which cannot be read. Whose claim it is and how it is to end is not
// known, so nothing is done that could end it.
type UnreadableRecordError struct {
	Account string
	Keys    []string // the annotations
	// Identity is that of the claim whose own record it is; zero = another claim's.
	Identity Identity
}

func (e *UnreadableRecordError) Error() string {
	if e.Identity != (Identity{}) {
		return fmt.Sprintf("the record of %s on account %s cannot be read (annotation %s)", e.Identity, e.Account, strings.Join(e.Keys, ", "))
	}
	return fmt.Sprintf("account %s bears %s that cannot be read (%s)", e.Account, words.Count(len(e.Keys), "claim record"),
		strings.Join(e.Keys, ", "))
}
