package protocol

import (
	"fmt"
	"strings"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// UnusableError says that a claim belongs on an account that can take no cluster any more.
type UnusableError struct {
	Identity account.Identity
	Account  string
	Verdict  account.Verdict
}

func (e *UnusableError) Error() string {
	return fmt.Sprintf("%s belongs on account %s, which cannot be used: %s", e.Identity, e.Account, e.Verdict.Why())
}

// ElsewhereError says that a claim which was to be recorded on an account is recorded on another one.
type ElsewhereError struct {
	Identity       account.Identity
	Account, Other string
}

func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("%s was to be recorded on account %s, and is on account %s, made by a later run", e.Identity, e.Account, e.Other)
}

// OtherBindingError says that a claim is recorded on a binding which is no account of the pool: it is of another kind, or lacks the label
// of the hyperscaler type.
type OtherBindingError struct {
	Identity account.Identity
	Binding  string // with its kind where that is another one
	Since    time.Time
	Accounts []string // accounts of the pool that lead into the same cloud account
}

func (e *OtherBindingError) Error() string {
	return fmt.Sprintf("%s is on %s since %s, which is no account of this pool", e.Identity, e.Binding, e.Since.UTC().Format(time.RFC3339))
}

// OwnerError says that the claim's identity is recorded with another owner.
type OwnerError struct {
	Identity                account.Identity
	Account, Recorded, Mine string
	Since                   time.Time
}

func (e *OwnerError) Error() string {
	return fmt.Sprintf("%s is on account %s since %s, recorded by owner %q, not by owner %q",
		e.Identity, e.Account, e.Since.UTC().Format(time.RFC3339), e.Recorded, e.Mine)
}

// NewerRecordError says that the claim's record was written by a newer version: writing it anew could lose what this version
// does not know.
type NewerRecordError struct {
	Identity account.Identity
	Account  string
	Version  int
}

func (e *NewerRecordError) Error() string {
	return fmt.Sprintf("%s is recorded on account %s in format %d; this version writes format %d",
		e.Identity, e.Account, e.Version, account.RecordVersion)
}

// DuplicateError says that this process has made the same claim before.
type DuplicateError struct {
	Identity account.Identity
	Account  string
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("%s was made twice in this run; the first one is on account %s", e.Identity, e.Account)
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
	text := fmt.Sprintf("account %s stays fenced (label dirty=%s) until the claim is released again: %v", e.Account, account.Releasing, e.Err)
	if e.Ended {
		text = fmt.Sprintf("whether the release of account %s has ended, or its fence (label dirty=%s) is still there, is not known: %v",
			e.Account, account.Releasing, e.Err)
	}
	if e.Unseen {
		text = fmt.Sprintf("whether a fence (label dirty=%s) comes to account %s is not known: %v", account.Releasing, e.Account, e.Err)
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

// LeftBehind is a record of a claim that lies on an account which its Global Account has lost, and that could not be taken away.
type LeftBehind struct {
	Account string
	Err     error
}

// withdrawError says that a record which a write of this operation has left on an account could not be taken away.
func withdrawError(a account.Account, err error) error {
	return fmt.Errorf("taking its record from account %s, which the Global Account has lost meanwhile: %w", a.Name, err)
}

// OtherStateError says that the claim was made or adopted by another state since.
type OtherStateError struct {
	Identity account.Identity
	Account  string
	Since    time.Time // when that state left its mark
}

func (e *OtherStateError) Error() string {
	return fmt.Sprintf("%s on account %s was taken up by another state at %s", e.Identity, e.Account, e.Since.UTC().Format(time.RFC3339))
}

// TwinError says that a cloud account cannot be released because others use it by another binding of the same credentials.
type TwinError struct {
	Account string // the account whose claim was to be released
	Twin    string // the other binding, with its kind where that is another one
	Tenant  string // the Global Account that holds it; empty where it is Shared
	Shared  bool   // all Global Accounts share it
	Outside bool   // it is of another namespace
}

// StrayError says that a cloud account cannot be released because a binding in use may lead into it: the annotation of one of the two
// names what no binding refers to, and the other one has that name.
type StrayError struct {
	Account string // the account whose claim was to be released
	Stray   string // the other binding, with its kind where that is another one
	SameAs  string // the name that the annotation gives
}

func (e *StrayError) Error() string {
	return fmt.Sprintf("%s and account %s may be one cloud account: the annotation %s of one of them names %q, to which no other binding "+
		"refers",
		e.Stray, e.Account, account.SameAnnotation, e.SameAs)
}

// ContestedError says that a cloud account cannot be released because of labels under keys that the provider does not read: by them a
// Global Account holds it, all share it, or it is internal; or it is dirty, and was to go back to the pool.
type ContestedError struct {
	Account string   // the account whose claim was to be released
	Labels  []string // each with the other binding that has it
}

func (e *ContestedError) Error() string {
	return fmt.Sprintf("%s (%s)", account.ClassUnclear.DescribeAccount(e.Account), strings.Join(e.Labels, ", "))
}

// byTwin is the error of an account that another binding keeps from its release.
func byTwin(name string, twin *account.Account) *TwinError {
	return &TwinError{Account: name, Twin: twin.Name, Tenant: twin.Tenant, Shared: twin.Shared, Outside: twin.Outside != ""}
}

func (e *TwinError) Error() string {
	whose := "Global Account " + e.Tenant + " holds it"
	switch {
	case e.Shared:
		whose = "all Global Accounts share it"
	case e.Outside && e.Tenant == "":
		whose = "the clusters that it brings there are not known: it is of another namespace"
	}
	return fmt.Sprintf("%s refers to the credentials of account %s, so both are one cloud account, and %s", e.Twin, e.Account, whose)
}
