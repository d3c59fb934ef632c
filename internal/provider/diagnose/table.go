package diagnose

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/kebdb"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// row is one kind of error, and what the message about it says.
type row struct {
	// summary is the first line.
	summary string
	// at is the attribute of the object that caused the error; empty = none did, or it is in the provider block: a path
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
	moveCut        = "The move has written before it was cut short, and nothing is marked: the same apply goes on from there."
	movedBefore    = "The record of the claim is on account %s now, to which the release had moved it."
	recordTaken    = "The claim's record was taken off %s, where an interrupted move had left it; the account itself is as it was."
	moveLabelled   = "The move has written the label of its Global Account on account %s, before the other one was seen; nothing is marked."
	unreleased     = "The account was neither marked nor freed."
	nothingCounted = "Nothing was claimed or released: without a count it is not known where there is room, or whether an account is in use."
)

// ReportIssue is the remedy of what cannot happen.
const ReportIssue = "Please report this issue to the provider developers."

// table has all errors. The first row that matches is taken, so the more specific one comes first: some errors wrap others. Of the rows
// with one summary the last is the ordinary case: the page Troubleshooting has its remedy.
var table = slices.Concat(ofAccess, ofProfiles, ofBuiltin, ofClusters, ofPlatform, ofShoots, ofSelections, ofAccounts, ofClaims)

const (
	interrupted = "Run the same command again: it goes on from what is on the account."
	// misspelt is the usual reason why settings that were written have no effect.
	misspelt = "If something is set there already, look for a misspelt name: Terraform drops an attribute that it does not know inside " +
		"kubernetes = { } without a word."
	// waitForAccount is what a claim can do about an exhausted pool by itself.
	withheld       = "The credentials were not read. Name the account that the claim has now: its binding_name, or its credentials_ref."
	waitForAccount = "A claim with wait_for_account = true waits until an account comes back."
	// giveUp is what can be done with a claim on an account that has clusters.
	giveUp = `Delete the clusters first, or set on_destroy = "keep" and apply, to give up the claim and leave the account with the Global ` +
		`Account.`
	// otherLogin is what to do about a user name and a password that a server does not take, in a connection of this name.
	otherLogin = "An API server of Kubernetes takes no user name and password. Set %[1]s.token, %[1]s.exec or a client certificate, or a " +
		"kubeconfig by %[1]s.config_path, and remove %[1]s.username and %[1]s.password. Where a proxy before the API server takes them, " +
		"check both."
	// askWebhook is what to do where a webhook of the server does not answer.
	askWebhook = "The server asks an admission webhook before each such write, and the webhook does not answer: have it brought back by the " +
		"party that runs it, and run the same command again. Nothing is wrong with the configuration here."
	// quotaFull is what to do where a quota is used up. It is no right that is missing.
	quotaFull = "Have the quota raised that the answer names, or delete what uses it up, and run the same command again."
	// mendProgram is what to do about the program that makes the credentials, in a connection of this name.
	mendProgram = "The program that gets the credentials could not be run, or failed. Install it where the provider runs, check %s.exec " +
		"or the user of the kubeconfig, and try it by hand."
	// oneState is what to do about a claim that two states have.
	oneState = "Keep the claim in one configuration: take it out of this state with `state rm`, and give it a name of its own if both " +
		"need one. If the other state is gone, take the claim out of this one, and import it as %s/%s/%s: an imported claim can be " +
		"destroyed."
	// mendRecord is what to do about a claim record that cannot be read.
	mendRecord = "Where the text of the annotation was changed by hand, write it again as it was, or remove the annotation if no " +
		"configuration has the claim any more. Where a newer provider wrote it, use that version."
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
	asked := errors.As(err, new(*account.UnreachableError)) || errors.As(err, new(*account.FailedError)) ||
		errors.As(err, new(*kebdb.UnreachableError))
	return nil, asked && errors.Is(err, context.Canceled) && !errors.As(err, new(*account.UnknownOutcomeError))
}

// foreign matches an error of what answers in place of an API server.
func foreign(err error) ([]any, bool) { return nil, kube.IsForeign(err) }

// program matches a failure of the program that makes the credentials of a connection.
func program(err error) ([]any, bool) { return nil, errors.As(err, new(*kube.ProgramError)) }

// notProject matches what Gardener answers where a namespace is that of no project, or is not there.
func notProject(err error) ([]any, bool) {
	text := err.Error()
	refused := errors.As(err, new(*account.RejectedError)) || errors.As(err, new(*shoots.RefusedError))
	return nil, refused && strings.Contains(text, `namespaces "`) || strings.Contains(text, "could not find referenced project")
}

// lacksCredentials reports whether Gardener has refused a write on an account because it does not find the credentials that the account
// refers to.
func lacksCredentials(e *account.RejectedError) bool {
	text := e.Error()
	return strings.Contains(text, "not found") && (strings.Contains(text, `secrets "`) || strings.Contains(text, `workloadidentities.`))
}

// one matches the errors that are this one.
func one(target error) func(error) ([]any, bool) {
	return func(err error) ([]any, bool) { return nil, errors.Is(err, target) }
}

// says matches an error by its text, where it has no type of its own.
func says(text string) func(error) ([]any, bool) {
	return func(err error) ([]any, bool) { return nil, strings.Contains(err.Error(), text) }
}
