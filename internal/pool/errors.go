package pool

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
	return text + afterWaiting(e.Waited)
}

// maxHidden is how many accounts are named that labels hide.
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
	Pinned                  bool // the account was asked for by its name
}

func (e *TakenError) Error() string {
	if e.Tenant == "" {
		return fmt.Sprintf("account %s is held by no Global Account, and not by %s", e.Account, e.Wanted)
	}
	return fmt.Sprintf("account %s is held by Global Account %s, not by %s", e.Account, e.Tenant, e.Wanted)
}

// PinError says why an account that was asked for by its name cannot be used.
type PinError struct {
	Account, Why string
}

func (e *PinError) Error() string {
	return fmt.Sprintf("account %s cannot be used: %s", e.Account, e.Why)
}

// UnusableError says that a claim belongs on an account that can take no cluster any more.
type UnusableError struct {
	Identity Identity
	Account  string
	Verdict  Verdict
}

func (e *UnusableError) Error() string {
	return fmt.Sprintf("%s belongs on account %s, which cannot be used: %s", e.Identity, e.Account, e.Verdict.why())
}

// ElsewhereError says that a claim which was to be recorded on an account is recorded on another one.
type ElsewhereError struct {
	Identity       Identity
	Account, Other string
}

func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("%s was to be recorded on account %s, and stands on account %s, made by a later run", e.Identity, e.Account, e.Other)
}

// OwnerError says that the claim's identity is recorded with another owner.
type OwnerError struct {
	Identity                Identity
	Account, Recorded, Mine string
	Since                   time.Time
}

func (e *OwnerError) Error() string {
	return fmt.Sprintf("%s stands on account %s since %s, recorded by owner %q, not by owner %q",
		e.Identity, e.Account, e.Since.UTC().Format(time.RFC3339), e.Recorded, e.Mine)
}

// NewerRecordError says that the claim's record was written by a newer version: writing it anew could lose what this version
// does not know.
type NewerRecordError struct {
	Identity Identity
	Account  string
	Version  int
}

func (e *NewerRecordError) Error() string {
	return fmt.Sprintf("%s is recorded on account %s in format %d; this version writes format %d",
		e.Identity, e.Account, e.Version, RecordVersion)
}

// DuplicateError says that this process has made the same claim before.
type DuplicateError struct {
	Identity Identity
	Account  string
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("%s was made twice in this run; the first one stands on account %s", e.Identity, e.Account)
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

// deleting reports whether every user is a cluster that is being deleted.
func (e *InUseError) deleting() bool {
	return !slices.ContainsFunc(e.Users, func(u User) bool { return !u.Deleting })
}

// Error lists up to [maxListed] of the users.
func (e *InUseError) Error() string {
	return fmt.Sprintf("account %s is used by %s: %s", e.Account, e.total(), e.users()) + afterWaiting(e.Waited)
}

// users lists up to [maxListed] of the users.
func (e *InUseError) users() string {
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

// total counts the users. A cluster may be known as a Shoot and as an instance, so where there are both each is counted.
func (e *InUseError) total() string {
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

// FenceLeftError says that a release could not go on and its fence could not be taken down.
type FenceLeftError struct {
	Account string
	Cause   error // why the release could not go on
	Err     error // why the fence could not be taken down
	// Ended says that the release may have ended all the same: the answer to the write that was to end it was lost.
	Ended bool
	// Unseen says that no read has shown the fence: the answer to the write that was to put it up was lost.
	Unseen bool
}

// Error gives a reason that both have in common once.
func (e *FenceLeftError) Error() string {
	text := fmt.Sprintf("account %s stays fenced (label dirty=%s) until the claim is released again: %v", e.Account, Releasing, e.Err)
	if e.Ended {
		text = fmt.Sprintf("whether the release of account %s has ended, or its fence (label dirty=%s) still stands, is not known: %v",
			e.Account, Releasing, e.Err)
	}
	if e.Unseen {
		text = fmt.Sprintf("whether a fence (label dirty=%s) comes to account %s is not known: %v", Releasing, e.Account, e.Err)
	}
	if e.Cause == nil || strings.Contains(e.Err.Error(), e.Cause.Error()) {
		return text
	}
	return fmt.Sprintf("%s; the release could not go on: %v", text, e.Cause)
}

// Unwrap returns why the fence stays, and why the release could not go on.
func (e *FenceLeftError) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.Cause}
}

// FenceLoweredError says that a release could not go on, and that it took the fence down which it, or an earlier try, had put
// up: so much was written, and the account is as it was before.
type FenceLoweredError struct {
	Err error // why the release could not go on
}

func (e *FenceLoweredError) Error() string { return e.Err.Error() }

func (e *FenceLoweredError) Unwrap() error { return e.Err }

// ReturnRefusedError says that an account cannot go back to the pool without a clean-up.
type ReturnRefusedError struct {
	Account string
	Used    bool // the claim took it from the pool, but clusters have been on it since, or may have been
}

func (e *ReturnRefusedError) Error() string {
	if e.Used {
		return fmt.Sprintf("clusters have been on account %s since this claim took it from the pool, or may have been, "+
			"so it may not be clean", e.Account)
	}
	return fmt.Sprintf("account %s was not taken from the pool by this claim, so it may not be clean", e.Account)
}

// TimeoutError says that a claim, update or release ran out of time, or that its caller has given up. What is recorded then
// is found by the same call.
type TimeoutError struct {
	After time.Duration // how long the operation had gone on
	Steps []string      // say where the time went
	Last  error         // the last answer to a write that was lost on the way; nil = none was
	// Refusal is the server's answer where the last write was refused; nil = it was not.
	Refusal error
	Err     error // what ended it
}

func (e *TimeoutError) Error() string {
	text := fmt.Sprintf("not done after %s", e.After.Round(time.Millisecond))
	if len(e.Steps) > 0 {
		text += " (" + strings.Join(e.Steps, ", ") + ")"
	}
	if e.Last != nil {
		text += fmt.Sprintf(": %v", e.Last)
	}
	if e.Refusal != nil {
		text += fmt.Sprintf(": %v", e.Refusal)
	}
	return fmt.Sprintf("%s: %v", text, e.Err)
}

// Unwrap returns what ended the operation, and the last answer that was lost.
func (e *TimeoutError) Unwrap() []error {
	if e.Last == nil {
		return []error{e.Err}
	}
	return []error{e.Err, e.Last}
}

// WaitError says that the time for a wait was over, and that the last read had failed.
type WaitError struct {
	For    string        // what the operation waited for
	Waited time.Duration // how long it did
	Err    error         // why the last read failed
}

func (e *WaitError) Error() string {
	return fmt.Sprintf("waited %s for %s; the last look failed: %v", e.Waited.Round(time.Second), e.For, e.Err)
}

func (e *WaitError) Unwrap() error { return e.Err }

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
