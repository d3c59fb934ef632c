package protocol

import (
	"errors"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// maxRefusals is how many accounts one claim passes over because a write on them is refused. A user who may write none of a large pool
// must not try them all.
const maxRefusals = 20

// writeVerb is the verb in the errors of [pool.Store.Write].
const writeVerb = "patch"

// PassedOver is an account that a claim would have taken, had the server not refused the write on it.
type PassedOver struct {
	Account string
	Err     error // the answer
}

// Refusals are the accounts on which the server has refused a write, by name.
type Refusals map[string]refusal

// refusal is the answer to the write on the object of a UID.
type refusal struct {
	uid string
	err error // with what was tried
}

// RefusesAccount returns the answer by which the server has refused a write for what the account is, and will again; nil = it was another
// one. An admission does so, as Gardener's, which demands that the user may read the credentials. Where an earlier write may still arrive
// the account cannot be left.
func RefusesAccount(err error) error {
	if errors.As(err, new(*account.UnknownOutcomeError)) {
		return nil
	}
	if forbidden, ok := errors.AsType[*account.ForbiddenError](err); ok && forbidden.Verb == writeVerb {
		return forbidden
	}
	if rejected, ok := errors.AsType[*account.RejectedError](err); ok && rejected.Verb == writeVerb {
		return rejected
	}
	return nil
}

// Note notes that a write on an account was refused.
func (r *Refusals) Note(a *account.Account, err error) {
	if *r == nil {
		*r = Refusals{}
	}
	(*r)[a.Name] = refusal{a.UID, err}
}

// Of returns why an account cannot be written; nil = nothing is known against it.
func (r Refusals) Of(a *account.Account) error {
	if refused, ok := r[a.Name]; ok && refused.uid == a.UID {
		return refused.err
	}
	return nil
}

// without leaves out the accounts on which a write was refused.
func (r Refusals) without(accounts []*account.Account) []*account.Account {
	if len(r) == 0 {
		return accounts
	}
	return slices.DeleteFunc(slices.Clone(accounts), func(a *account.Account) bool { return r.Of(a) != nil })
}

// passOver reports whether the claim goes on to another account after a write was refused: never from an account that it names, nor from
// the only one that its Global Account may hold.
func (c *Claiming) passOver(d account.Decision, err error) bool {
	answer := RefusesAccount(err)
	if answer == nil || c.Pin != "" || d.Action != account.ActionClaim && !d.MultiAccount {
		return false
	}
	c.refusals.Note(&d.Account, err)
	c.passed = append(c.passed, PassedOver{d.Account.Name, answer})
	return len(c.passed) < maxRefusals
}

// orRefused returns the last refusal where a claim finds no account but those that it has passed over, and else the error.
func (c *Claiming) orRefused(err error) error {
	if n := len(c.passed); n > 0 && errors.As(err, new(*account.ExhaustedError)) {
		return c.refusals[c.passed[n-1].Account].err
	}
	return err
}
