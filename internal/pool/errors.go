package pool

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// ExhaustedError says that the pool has no account left for the Global Account.
type ExhaustedError struct {
	// Query is what was asked for.
	Query Query
	// Tally counts the pool's accounts by what keeps them from being claimed.
	Tally Tally
	// Held are the accounts that the Global Account holds, all of them full or unusable.
	Held []Candidate
	// Limit is the most clusters per account; 0 = none applies.
	Limit int
}

// Error lists the counts.
func (e *ExhaustedError) Error() string {
	if e.Query.Target.Shared {
		return fmt.Sprintf("pool %s has no usable shared account (%d in all: dirty %d, internal %d, deleting %d)",
			e.Query.Target, e.Tally.Total(), e.Tally.Dirty(), e.Tally[ClassInternal], e.Tally[ClassDeleting])
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
	return text
}

// GuardError says that counting looks broken: many accounts are held and none has a cluster.
type GuardError struct {
	Query Query
	// Held are the names of the accounts that the Global Account holds and can use.
	Held []string
	// MinBindings is [Policy.MinBindingsForGuard].
	MinBindings int
}

// Error names the accounts.
func (e *GuardError) Error() string {
	return fmt.Sprintf("Global Account %s holds %s of pool %s (%s) and not one has a cluster; from %d on that counts as a wrong count",
		e.Query.GlobalAccount, count(len(e.Held), "account"), e.Query.Target, strings.Join(e.Held, ", "), e.MinBindings)
}

// TakenError says that another tenant holds the account.
type TakenError struct {
	// Tenant holds the account (empty: no Global Account does), Wanted does not.
	Account, Tenant, Wanted string
	// Pinned says that the account was named by the user.
	Pinned bool
}

// Error names both tenants.
func (e *TakenError) Error() string {
	if e.Tenant == "" {
		return fmt.Sprintf("account %s is held by no Global Account, and not by %s", e.Account, e.Wanted)
	}
	return fmt.Sprintf("account %s is held by Global Account %s, not by %s", e.Account, e.Tenant, e.Wanted)
}

// PinError says why the account that binding_name names cannot be used.
type PinError struct {
	Account, Why string
}

// Error gives the reason.
func (e *PinError) Error() string {
	return fmt.Sprintf("account %s cannot be used: %s", e.Account, e.Why)
}

// UnusableError says that a claim belongs on an account that can take no cluster any more.
type UnusableError struct {
	Identity Identity
	Account  string
	Verdict  Verdict
}

// Error gives the reason.
func (e *UnusableError) Error() string {
	return fmt.Sprintf("%s belongs on account %s, which cannot be used: %s", e.Identity, e.Account, e.Verdict.why())
}

// ElsewhereError says that a claim which was to be recorded on an account stands on another one.
type ElsewhereError struct {
	Identity       Identity
	Account, Other string
}

// Error names both accounts.
func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("%s was to be recorded on account %s, and stands on account %s, made by a later run", e.Identity, e.Account, e.Other)
}

// OwnerError says that the claim's identity is recorded with another owner.
type OwnerError struct {
	Identity                Identity
	Account, Recorded, Mine string
	Since                   time.Time
}

// Error names both owners.
func (e *OwnerError) Error() string {
	return fmt.Sprintf("%s stands on account %s since %s, recorded by %s, not by %s",
		e.Identity, e.Account, e.Since.UTC().Format(time.RFC3339), ownerName(e.Recorded), ownerName(e.Mine))
}

func ownerName(owner string) string {
	if owner == "" {
		return "nobody in particular"
	}
	return fmt.Sprintf("owner %q", owner)
}

// NewerRecordError says that the claim's record was written by a newer version of the provider: writing it anew could
// lose what this version does not know.
type NewerRecordError struct {
	Identity Identity
	Account  string
	Version  int
}

// Error names both versions.
func (e *NewerRecordError) Error() string {
	return fmt.Sprintf("%s is recorded on account %s in format %d; this version of the provider writes format %d", e.Identity, e.Account, e.Version, RecordVersion)
}

// DuplicateError says that this run has made the same claim before.
type DuplicateError struct {
	Identity Identity
	Account  string
}

// Error names the claim.
func (e *DuplicateError) Error() string {
	return fmt.Sprintf("%s was made twice in this run; the first one stands on account %s", e.Identity, e.Account)
}

// MaxUsersListed is how many users an [InUseError] lists.
const MaxUsersListed = 20

// InUseError says that clusters are still on the account.
type InUseError struct {
	Account string
	// Users are all of them.
	Users []User
	// AfterFence says that they came while the release was under way; the fence has been taken back.
	AfterFence bool
}

// Error lists up to [MaxUsersListed] of the users.
func (e *InUseError) Error() string {
	listed := make([]string, 0, MaxUsersListed)
	for _, u := range e.Users[:min(len(e.Users), MaxUsersListed)] {
		listed = append(listed, u.Kind+" "+u.Name)
	}
	text := fmt.Sprintf("account %s is used by %s: %s", e.Account, e.total(), strings.Join(listed, ", "))
	if more := len(e.Users) - len(listed); more > 0 {
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
		return count(len(e.Users), "cluster")
	}
	totals := make([]string, 0, len(kinds))
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		totals = append(totals, count(kinds[kind], kind))
	}
	return strings.Join(totals, " and ")
}

// FenceLeftError says that a release could not go on and its fence could not be taken down.
type FenceLeftError struct {
	Account string
	// Err is why it could not.
	Err error
}

// Error says until when the fence stays.
func (e *FenceLeftError) Error() string {
	return fmt.Sprintf("account %s stays fenced (label dirty=%s) until the claim is destroyed again: %v", e.Account, Releasing, e.Err)
}

// Unwrap returns why the fence could not be taken down.
func (e *FenceLeftError) Unwrap() error { return e.Err }

// ReturnRefusedError says that an account cannot go back to the pool without a clean-up.
type ReturnRefusedError struct {
	Account string
	// Used says that the claim took it from the pool, but clusters have been on it since, or may have been.
	Used bool
}

// Error gives the reason.
func (e *ReturnRefusedError) Error() string {
	if e.Used {
		return fmt.Sprintf("clusters have been on account %s since this claim took it from the pool, or may have been, "+
			"so it may not be clean", e.Account)
	}
	return fmt.Sprintf("account %s was not taken from the pool by this claim, so it may not be clean", e.Account)
}

// ConflictError says that the account changed between the judgement and the write, again and again.
type ConflictError struct {
	// Account is the last one tried.
	Account string
	// Tries is how often it was tried; 0 from a [Store], for one lost write.
	Tries int
	// Err is the last answer.
	Err error
}

// Error gives the number of tries.
func (e *ConflictError) Error() string {
	if e.Tries == 0 {
		return fmt.Sprintf("account %s has changed since it was read: %v", e.Account, e.Err)
	}
	return fmt.Sprintf("gave up after %d tries, each time the account had just been changed (last %s)", e.Tries, e.Account)
}

// Unwrap returns the last answer.
func (e *ConflictError) Unwrap() error { return e.Err }

// UnknownOutcomeError says that a write was sent, and that it may have taken effect or may still do so.
type UnknownOutcomeError struct {
	Account string
	Err     error
}

// Error names the account.
func (e *UnknownOutcomeError) Error() string {
	return fmt.Sprintf("the answer to a write on account %s was lost, it may have taken effect: %v", e.Account, e.Err)
}

// Unwrap returns what broke.
func (e *UnknownOutcomeError) Unwrap() error { return e.Err }

// NotFoundError says that there is no such account. Only this error means "gone".
type NotFoundError struct {
	Account string
}

// Error names the account.
func (e *NotFoundError) Error() string { return fmt.Sprintf("there is no account %s", e.Account) }

// ForbiddenError says what the user of the connection may not do.
type ForbiddenError struct {
	Verb, Resource, Namespace string
	Err                       error
}

// Error names verb, resource and namespace.
func (e *ForbiddenError) Error() string {
	return fmt.Sprintf("not allowed to %s %s in namespace %q: %v", e.Verb, e.Resource, e.Namespace, e.Err)
}

// Unwrap returns the server's answer.
func (e *ForbiddenError) Unwrap() error { return e.Err }

// UnauthorizedError says that the server did not accept the credentials of the connection.
type UnauthorizedError struct {
	Verb, Resource string
	Err            error
}

// Error names what was tried.
func (e *UnauthorizedError) Error() string {
	return fmt.Sprintf("the credentials were not accepted (%s %s): %v", e.Verb, e.Resource, e.Err)
}

// Unwrap returns the server's answer.
func (e *UnauthorizedError) Unwrap() error { return e.Err }

// UnreachableError says that no usable answer came in time. Nothing was written.
type UnreachableError struct {
	Verb, Resource string
	// Tries is how many requests were sent.
	Tries int
	Err   error
}

// Error gives the number of tries and the last cause.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("no answer to %s %s after %s: %v", e.Verb, e.Resource, tries(e.Tries), e.Err)
}

// Unwrap returns the last cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

func tries(n int) string {
	if n == 1 {
		return "1 try"
	}
	return fmt.Sprintf("%d tries", n)
}

// RejectedError says that the server refused a request as invalid; trying again would not help.
type RejectedError struct {
	Verb, Resource string
	Err            error
}

// Error gives the server's reason.
func (e *RejectedError) Error() string {
	return fmt.Sprintf("the server refused to %s %s: %v", e.Verb, e.Resource, e.Err)
}

// Unwrap returns the server's answer.
func (e *RejectedError) Unwrap() error { return e.Err }
