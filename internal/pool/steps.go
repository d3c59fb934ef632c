package pool

import "time"

// The protocol is steps (ADR 013). An operation (a [releasing], for example) knows what it has seen so far, and says what is to be done
// next: it has no context, no clock and no lock, and asks nothing itself. The engine does what it says, and lets it know what came back. So
// each operation is a table of "what is known" and "what is done then", and it reads the same whatever goes wrong on the way.

// step is the one thing that an operation does next.
type step interface{ String() string }

type (
	// stepAllowed asks whether accounts may be written at all.
	stepAllowed struct{}
	// stepRead reads an account anew.
	stepRead struct{ account string }
	// stepShare notes that the claim takes a place on a shared account, and reads it.
	stepShare struct {
		account Account
		cluster string
	}
	// stepRecent waits for a list and a count that an operation may begin with.
	stepRecent struct{}
	// stepList waits for a list of all accounts that was begun at or after notBefore; zero = the newest that there is.
	stepList struct{ notBefore time.Time }
	// stepCount waits for a list and a count that were begun at or after notBefore.
	stepCount struct{ notBefore time.Time }
	// stepBeside waits for an answer of the source that does not count, asked at or after notBefore.
	stepBeside struct{ notBefore time.Time }
	// stepEmpty finds out whether no source knows of a cluster on an account.
	stepEmpty struct{ account string }
	// stepUsers finds, by all sources, the clusters on the bindings of one cloud account.
	stepUsers struct{ bindings []string }
	// stepWrite makes a change on an account as it was judged, and on no other version of it.
	stepWrite struct {
		judged Account
		change Change
		to     purpose
		after  insistence
		aside  bool // the operation has come to its end without it: a failure is reported beside
	}
	// stepCreate makes an account, under the precondition that there is none of its name.
	stepCreate struct{ supply Supply }
	// stepDelete deletes an account as it was judged, and no other version of it.
	stepDelete struct{ judged Account }
	// stepGone waits until an account is gone that is being deleted.
	stepGone struct{ account Account }
	// stepFindCredentials finds out whether the credentials of an account exist.
	stepFindCredentials struct{ ref CredentialsRef }
	// stepPlace notes for the rest of the run that the claim is on an account.
	stepPlace struct {
		account Account
		cluster string
	}
	// stepGrace lets the grace time of a fence pass.
	stepGrace struct {
		account string
		grace   time.Duration
	}
	// stepAwait pauses until others have done something, as long as the caller has patience; over is the error once it has not.
	stepAwait struct {
		what string
		over func(waited time.Duration) error
	}
	// stepConflict ends the operation because an account has changed under it at each try.
	stepConflict struct{ account string }
	// stepDone ends the operation. Where it ends with an error, and has waited for others before, again says that it may be begun anew.
	stepDone struct {
		err   error
		again bool
	}
)

func (stepAllowed) String() string         { return "ask for the right to write" }
func (stepRead) String() string            { return "read the account" }
func (stepShare) String() string           { return "read the account" }
func (stepRecent) String() string          { return "list and count, unless that was done a minute ago" }
func (stepList) String() string            { return "list, unless the list is fresh" }
func (stepCount) String() string           { return "list and count anew" }
func (stepBeside) String() string          { return "ask the source that does not count" }
func (stepEmpty) String() string           { return "look for clusters" }
func (stepUsers) String() string           { return "look for clusters" }
func (s stepWrite) String() string         { return string(s.to) }
func (stepCreate) String() string          { return "make the account" }
func (stepDelete) String() string          { return "delete the account" }
func (stepGone) String() string            { return "wait until the account is gone" }
func (stepFindCredentials) String() string { return "look for the credentials" }
func (stepPlace) String() string           { return "note the claim" }
func (stepGrace) String() string           { return "wait for the grace time" }
func (s stepAwait) String() string         { return "wait for " + s.what }
func (stepConflict) String() string        { return "end: the account changes at each try" }
func (s stepDone) String() string {
	if s.err != nil {
		return "end: " + s.err.Error()
	}
	return "end"
}

// purpose is what a write is to its operation.
type purpose string

// The purposes of writes.
const (
	writeFence    purpose = "put the fence up"
	writeOpen     purpose = "take the fence down"
	writeMark     purpose = "mark the account, and keep the record"
	writeEnd      purpose = "end the claim"
	writeTwin     purpose = "bring another binding to the same state"
	writeClaim    purpose = "take the account"
	writeRecord   purpose = "bring the record up to date"
	writeSupply   purpose = "change what the pool's owner says"
	writeWithdraw purpose = "take the record away from a lost account"
)

// answer is what came back of a step.
type answer struct {
	err     error
	gone    bool    // there is no such account
	changed bool    // a write did not take effect, and never will: the account is another one by now, or the server has refused it
	unknown bool    // the answer to a write was lost: it is not there, and may still arrive at this version of the account
	placed  bool    // this run has made a claim of the same key on the account that was read
	account Account // as it was read, or as it is behind a write
	list    *snapshot
	empty   bool
	users   []User
}

// protocol is an operation in steps.
type protocol interface {
	// next says what is to be done.
	next(v view) step
	// learn takes in what came back of a step.
	learn(did step, came answer)
	// cleansUp reports whether the steps go on although the caller has given up.
	cleansUp() bool
	// key is that of the claim that the operation is for.
	key() string
}
