package diagnose

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/kebdb"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// row is one kind of error, and what a user is told about it. The Troubleshooting guide has the remedy of each row in the
// entry of its summary; a test compares the two.
type row struct {
	// summary is the first line.
	summary string
	// at is the attribute of the object that caused the error; empty = none did, or it stands in the provider block: a path
	// is read relative to the object that met the error.
	at string
	// part returns the attribute where the error says itself which one caused it; nil = at does.
	part func(error) string
	// match reports whether an error is of this kind. It returns what the verbs of the remedy take.
	match func(error) (verbs []any, ok bool)
	// effect says what became of the account; empty where the error itself says so, or where nothing is ever written.
	effect string
	// remedy says what to do next.
	remedy string
	// brief is the error in a few words, for a warning; empty = the error's own text is short enough.
	brief string
}

// What a failed operation has done.
const (
	nothingClaimed = "Nothing was claimed."
	nothingWritten = "Nothing was written."
	nothingRead    = "Nothing was read or written."
	fenceLowered   = "The fence of the release was taken down again; all else on the account is as it was."
	unreleased     = "The account was neither marked nor freed."
	nothingCounted = "Nothing was claimed or released: without a count it is not known where there is room, or whether an account is in use."
)

// ReportIssue is the remedy of what cannot happen.
const ReportIssue = "Please report this issue to the provider developers."

// table has all errors. The first row that matches is taken, so the more specific one stands first: some errors wrap others.
var table = slices.Concat(ofAccess, ofProfiles, ofSeed, ofClusters, ofPlatform, ofShoots, ofSelections, ofAccounts, ofClaims)

const (
	interrupted = "Run the same command again: it goes on from what stands on the account."
	// misspelt is what most often makes settings that were written look as if they were not.
	misspelt = "If something is set there already, look for a misspelt name: Terraform drops an attribute that it does not know inside " +
		"kubernetes = { } without a word."
	// waitForAccount is what a claim can do about an exhausted pool by itself.
	waitForAccount = "A claim with wait_for_account = true waits until an account comes back."
	// giveUp is what can be done with a claim on an account that has clusters.
	giveUp = `Delete the clusters first, or set on_destroy = "keep" and apply, to give up the claim and leave the account with the Global ` +
		`Account.`
	// anonymousUser is how Kubernetes calls the user of a request without credentials. No field of its answer has the user.
	anonymousUser = `"system:anonymous"`
	// credentialsProgram stands in the errors of client-go's exec plug-ins, which have no type.
	credentialsProgram = "getting credentials: exec"
	// maxPools is how many other pools are listed.
	maxPools = 12
)

// attribute returns the attribute that caused an error.
func (r *row) attribute(err error) string {
	if r.part != nil {
		return r.part(err)
	}
	return r.at
}

// is matches the errors of a type.
func is[E error](err error) ([]any, bool) {
	return nil, errors.As(err, new(E))
}

// on matches the errors of a type that f takes.
func on[E error](f func(E) (verbs []any, ok bool)) func(error) ([]any, bool) {
	return func(err error) ([]any, bool) {
		if e, ok := errors.AsType[E](err); ok {
			return f(e)
		}
		return nil, false
	}
}

// with matches the errors of a type, and takes the verbs of the remedy from them.
func with[E error](verbs func(E) []any) func(error) ([]any, bool) {
	return on(func(e E) ([]any, bool) { return verbs(e), true })
}

// when matches the errors of a type for which a condition holds.
func when[E error](condition func(E) bool) func(error) ([]any, bool) {
	return on(func(e E) ([]any, bool) { return nil, condition(e) })
}

// both matches an error that two matches take.
func both(a, b func(error) ([]any, bool)) func(error) ([]any, bool) {
	return func(err error) ([]any, bool) {
		_, first := a(err)
		_, second := b(err)
		return nil, first && second
	}
}

// cutShort matches a read that ended because its caller gave up.
func cutShort(err error) ([]any, bool) {
	read := errors.As(err, new(*pool.UnreachableError)) || errors.As(err, new(*kebdb.UnreachableError))
	return nil, read && errors.Is(err, context.Canceled) && !errors.As(err, new(*pool.UnknownOutcomeError))
}

// one matches the errors that are this one.
func one(target error) func(error) ([]any, bool) {
	return func(err error) ([]any, bool) { return nil, errors.Is(err, target) }
}

// says matches an error by its text, where no type tells it apart.
func says(text string) func(error) ([]any, bool) {
	return func(err error) ([]any, bool) { return nil, strings.Contains(err.Error(), text) }
}
