// Package protocol takes and gives back accounts, as steps (ADR 013). An operation, such as [Releasing], knows what it has seen so far, and
// says what is to be done next: it has no context, no clock and no lock, and asks nothing itself. The engine, in package pool, does what
// it says, and lets it know what came back. So each operation is a table of "what is known" and "what is done then", and it reads the same
// whatever goes wrong on the way.
//
//   - The operations: [Claiming], [Updating], [Releasing] of a claim; [Adding], [Amending], [Removing] of the pool's owner.
//   - What they do: a [Step], after which they learn its [Answer].
//   - What they go by: [Facts], which are a [Snapshot] of all accounts, the time, and the [Placements] of this run.
package protocol

import (
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Step is the one thing that an operation does next.
type Step interface{ String() string }

type (
	// AskRight asks whether accounts may be written at all.
	AskRight struct{}
	// Read reads an account anew.
	Read struct{ Account string }
	// Share notes that the claim takes a place on a shared account, and reads it.
	Share struct {
		Account account.Account
		Cluster string
	}
	// Recent waits for a list and a count that an operation may begin with.
	Recent struct{}
	// List waits for a list of all accounts that was begun at or after NotBefore; zero = the newest that there is.
	List struct{ NotBefore time.Time }
	// Count waits for a list and a count that were begun at or after NotBefore.
	Count struct{ NotBefore time.Time }
	// CountBeside waits for an answer of the source that does not count, asked at or after NotBefore.
	CountBeside struct{ NotBefore time.Time }
	// CheckEmpty finds out whether no source knows of a cluster on an account.
	CheckEmpty struct{ Account string }
	// FindUsers finds anew, by all sources, the clusters on the bindings of one cloud account.
	FindUsers struct{ Bindings []string }
	// Write makes a change on an account as it was judged, and on no other version of it.
	Write struct {
		Judged account.Account
		Change account.Change
		To     Purpose
		After  Insistence
		Aside  bool // the operation has come to its end without it: a failure is reported beside
	}
	// Create makes an account, under the precondition that there is none of its name.
	Create struct{ Supply account.Supply }
	// Delete deletes an account as it was judged, and no other version of it.
	Delete struct{ Judged account.Account }
	// AwaitGone waits until an account is gone that is being deleted.
	AwaitGone struct{ Account account.Account }
	// FindCredentials finds out whether the credentials of an account exist.
	FindCredentials struct{ Ref account.CredentialsRef }
	// FindOutside finds out which bindings of other namespaces than the pool's refer to credentials.
	FindOutside struct{ Ref account.CredentialsRef }
	// Place notes for the rest of the run that the claim is on an account.
	Place struct {
		Account account.Account
		Cluster string
	}
	// AwaitGrace lets the grace time of a fence pass.
	AwaitGrace struct {
		Account string
		Grace   time.Duration
	}
	// Await pauses until others have done something, as long as the caller has patience; Over is the error once it has not.
	Await struct {
		What string
		Due  time.Time // when it is known to be worth another read, at the latest; zero = not known
		Over func(waited time.Duration) error
	}
	// GiveUp ends the operation because an account has changed under it at each try.
	GiveUp struct {
		Account string
		Tries   int
	}
	// Done ends the operation. Where it ends with an error, and has waited for others before, Again says that it may be begun anew.
	Done struct {
		Err   error
		Again bool
	}
)

func (AskRight) String() string        { return "ask whether it may write" }
func (Read) String() string            { return "read the account" }
func (Share) String() string           { return "read the account" }
func (Recent) String() string          { return "list and count, unless done in the last minute" }
func (List) String() string            { return "list, unless the list is fresh" }
func (Count) String() string           { return "list and count anew" }
func (CountBeside) String() string     { return "ask the source that does not count" }
func (CheckEmpty) String() string      { return "count its clusters" }
func (FindUsers) String() string       { return "count its clusters" }
func (s Write) String() string         { return string(s.To) }
func (Create) String() string          { return "make the account" }
func (Delete) String() string          { return "delete the account" }
func (AwaitGone) String() string       { return "wait until the account is gone" }
func (FindCredentials) String() string { return "read the credentials" }
func (FindOutside) String() string     { return "list bindings of other namespaces" }
func (Place) String() string           { return "note the claim" }
func (AwaitGrace) String() string      { return "wait for the grace time" }
func (s Await) String() string         { return "wait for " + s.What }
func (GiveUp) String() string          { return "end: the account changes at each try" }
func (s Done) String() string {
	if s.Err != nil {
		return "end: " + s.Err.Error()
	}
	return "end"
}

// Purpose is what a write is to its operation.
type Purpose string

// The purposes of writes.
const (
	ToFence    Purpose = "put the fence up"
	ToOpen     Purpose = "take the fence down"
	ToMark     Purpose = "mark the account, and keep the record"
	ToEnd      Purpose = "end the claim"
	ToTwin     Purpose = "bring another binding to the same state"
	ToClaim    Purpose = "take the account"
	ToRecord   Purpose = "bring the record up to date"
	ToSupply   Purpose = "change what the pool's owner says"
	ToWithdraw Purpose = "take the record away from a lost account"
	ToMove     Purpose = "record the claim on the new binding"
	ToDepart   Purpose = "take the record off the old binding"
)

// Insistence says what an operation does after a lost answer while the account is as it was judged.
type Insistence int

// The ways to go on after a lost answer.
const (
	Resend  Insistence = iota // the same change is sent again, while the caller waits
	Settle                    // the same change is sent again, also for a caller that has given up meanwhile
	Rejudge                   // the account is judged again, by what is known of its clusters then
)

// Answer is what came back of a step.
type Answer struct {
	Err     error
	Gone    bool            // there is no such account
	Changed bool            // a write did not take effect, and never will: the account is another one by now, or the server has refused it
	Unknown bool            // the answer to a write was lost: it is not there, and may still arrive at this version of the account
	Placed  bool            // this run has made a claim of the same key on the account that was read
	Account account.Account // as it was read, or as it is after a write
	List    *Snapshot
	Empty   bool
	Users   []account.User
	Outside []account.Account // the bindings of other namespaces
}

// Steps is an operation in steps.
type Steps interface {
	// Next says what is to be done, by what the process knows.
	Next(f Facts) Step
	// Learn takes in what came back of a step.
	Learn(did Step, came Answer)
	// Waited says that the operation has waited for others of its process before the step that was to be done: what it has found out may be
	// old, and it is asked anew.
	Waited()
	// CleansUp reports whether the steps go on although the caller has given up.
	CleansUp() bool
	// Key is that of the claim that the operation is for.
	Key() string
}

// plain is what an operation is unless it says otherwise: it is for no claim, and ends when its caller gives up.
type plain struct{}

// Key is empty: the operation is for no claim.
func (plain) Key() string { return "" }

// CleansUp reports that nothing is left to clean up.
func (plain) CleansUp() bool { return false }

// Waited does nothing: the operation judges by what its process knows, each time that it is asked.
func (plain) Waited() {}

// Progress is passed on each time an operation pauses because it waits for others.
type Progress struct {
	For    string        // what it waits for
	Waited time.Duration // how long it has waited so far
	Pause  time.Duration // how long it pauses before it reads again
	Left   time.Duration // how long it goes on waiting, at most
	Failed error         // why the last read failed; nil = it did not
}
