package protocol

import (
	"fmt"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// MoveError says that there is no account that a claim could go to from its binding.
type MoveError struct {
	Identity account.Identity
	From     string   // the binding that the claim is on
	To       string   // the account that was asked for; empty = none
	Untyped  []string // bindings of the credentials that lack the label of the hyperscaler type: they are no accounts
	Passed   []string // accounts of the credentials that were not asked for, or that are being deleted
	Several  []string // accounts that it could go to, more than one
	Intruder string   // what other Global Account uses the cloud account, and by which binding; empty = none does
	Known    int      // how many bindings of the cloud account there are, as far as they are known; 0 = it has none any more
	Joined   bool     // the account that was asked for is one of these, although the claim cannot go there
}

func (e *MoveError) Error() string {
	text := fmt.Sprintf("%s is on %s, and no other account of the pool refers to its credentials", e.Identity, e.From)
	switch {
	case e.Intruder != "":
		return e.Intruder
	case len(e.Several) > 0:
		return fmt.Sprintf("%s is on %s, and several accounts of the pool refer to its credentials: %s", e.Identity, e.From,
			strings.Join(e.Several, ", "))
	case e.Joined:
		return fmt.Sprintf("%s is on %s, and account %s, which it is to go to, has the same credentials and cannot take it: it lacks the label "+
			"of the hyperscaler type, or is being deleted", e.Identity, e.From, e.To)
	case e.To != "":
		text = fmt.Sprintf("%s is on %s, and account %s, which it is to go to, does not refer to the same credentials, or does not exist",
			e.Identity, e.From, e.To)
	}
	if len(e.Untyped) > 0 {
		text += "; without the label of the hyperscaler type: " + strings.Join(e.Untyped, ", ")
	}
	if len(e.Passed) > 0 {
		text += "; others that do: " + strings.Join(e.Passed, ", ")
	}
	return text
}

// MoveCutError says that a move could not go on after a write: so much was written, and the next run goes on from there.
type MoveCutError struct {
	Err error // why the move could not go on
	// Labelled is the account on which the move has written the label of its Global Account before another Global Account was seen in the same
	// cloud account; empty = it has not.
	Labelled string
}

func (e *MoveCutError) Error() string { return e.Err.Error() }

// Unwrap returns why the move could not go on.
func (e *MoveCutError) Unwrap() error { return e.Err }

// MovedBeforeError says that a release could not go on after a move that it needed: the claim is on another binding of its cloud account
// than the state says, and its record is there.
type MovedBeforeError struct {
	To  string // the account that the claim is on now
	Err error  // why the release could not go on
}

func (e *MovedBeforeError) Error() string { return e.Err.Error() }

// Unwrap returns why the release could not go on.
func (e *MovedBeforeError) Unwrap() error { return e.Err }

// RecordTakenError says that a release could not go on after it had taken the claim's record off another binding of the cloud account,
// where an interrupted move had left it.
type RecordTakenError struct {
	From string // the other binding
	Err  error  // why the release could not go on
}

func (e *RecordTakenError) Error() string { return e.Err.Error() }

// Unwrap returns why the release could not go on.
func (e *RecordTakenError) Unwrap() error { return e.Err }

// UnfinishedMoveError says that a claim which was to be released is recorded on two accounts of the pool, or on another binding than that
// of its state alone: a move from one to the other has been interrupted, or is under way.
type UnfinishedMoveError struct {
	Identity       account.Identity
	Account, Other string
	There          bool // the record is on the other one alone
}

func (e *UnfinishedMoveError) Error() string {
	if e.There {
		return fmt.Sprintf("%s is on account %s, and recorded on %s instead, which leads into the same cloud account", e.Identity, e.Account,
			e.Other)
	}
	return fmt.Sprintf("%s is on account %s, and recorded on %s, too, which leads into the same cloud account", e.Identity, e.Account, e.Other)
}

// HalfMovedError says that a claim is recorded on its new account, and on the old binding, too: its record could not be taken off there.
type HalfMovedError struct {
	Identity account.Identity
	From     string // the old binding
	Err      error
}

// Unwrap returns why the record could not be taken off.
func (e *HalfMovedError) Unwrap() error { return e.Err }

func (e *HalfMovedError) Error() string {
	return fmt.Sprintf("%s is recorded on its new account, and its record could not be taken off %s: %v", e.Identity, e.From, e.Err)
}
