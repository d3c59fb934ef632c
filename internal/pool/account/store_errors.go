package account

import (
	"errors"
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// ErrNoAnswer is what an error of a [pool.Store] or a [pool.Counter] is, by [errors.Is], where no usable answer came in time: asked once
// more, it may answer.
var ErrNoAnswer = errors.New("no answer")

// NotFoundError says that there is no such account. Only this error means "gone".
type NotFoundError struct {
	Account string
	Anew    string // the UID of the object that was made anew under the name of the account; empty = there is none
}

func (e *NotFoundError) Error() string {
	if e.Anew != "" {
		return fmt.Sprintf("account %s was deleted and made anew: the object of this name (UID %s) is another one", e.Account, e.Anew)
	}
	return fmt.Sprintf("there is no account %s", e.Account)
}

// ConflictError says that the account changed between the judgement and the write, again and again.
type ConflictError struct {
	Account string // the last one tried
	Tries   int    // how often it was tried; 0 from a [pool.Store], for one lost write
	Err     error  // the last answer
}

func (e *ConflictError) Error() string {
	if e.Tries == 0 {
		return fmt.Sprintf("account %s has changed since it was read: %v", e.Account, e.Err)
	}
	text := fmt.Sprintf("gave up after %d tries, each time the account had just been changed (last %s)", e.Tries, e.Account)
	if e.Err != nil {
		text += fmt.Sprintf("; the last answer: %v", e.Err)
	}
	return text
}

func (e *ConflictError) Unwrap() error { return e.Err }

// BusyError says that the server turned a write away before it judged it: with 429, or because an admission of it sends too many requests.
// Nothing was written.
type BusyError struct {
	Account string
	Tries   int   // how often the write was sent; 0 from a [pool.Store], for one write
	Err     error // the server's last answer
}

func (e *BusyError) Error() string {
	text := fmt.Sprintf("the server turned a write on account %s away", e.Account)
	if e.Tries > 0 {
		text += ", " + words.Count(e.Tries, "time")
	}
	return fmt.Sprintf("%s: %v", text, e.Err)
}

func (e *BusyError) Unwrap() error { return e.Err }

// UnknownOutcomeError says that a write was sent, and that its answer was lost: it may have taken effect, or may still do so.
type UnknownOutcomeError struct {
	Account string
	// ReadSince says that the account was read afterwards, and did not show the write.
	ReadSince bool
	Err       error
}

func (e *UnknownOutcomeError) Error() string {
	if e.ReadSince {
		return fmt.Sprintf("the answer to a write on account %s was lost: %v; when it was read afterwards, the account did not show the write",
			e.Account, e.Err)
	}
	return fmt.Sprintf("the answer to a write on account %s was lost, it may have taken effect: %v", e.Account, e.Err)
}

func (e *UnknownOutcomeError) Unwrap() error { return e.Err }

// ForbiddenError says what the user of the connection has no right to do.
type ForbiddenError struct {
	Verb, Resource, Namespace string
	Err                       error
}

func (e *ForbiddenError) Error() string {
	return fmt.Sprintf("not allowed to %s %s in namespace %q: %v", e.Verb, e.Resource, e.Namespace, e.Err)
}

func (e *ForbiddenError) Unwrap() error { return e.Err }

// UnauthorizedError says that the server did not accept the credentials of the connection.
type UnauthorizedError struct {
	Verb, Resource string
	Err            error
}

func (e *UnauthorizedError) Error() string {
	return fmt.Sprintf("the credentials were not accepted (%s %s): %v", e.Verb, e.Resource, e.Err)
}

func (e *UnauthorizedError) Unwrap() error { return e.Err }

// UnreachableError says that no usable answer came in time. Nothing was written.
type UnreachableError struct {
	Verb, Resource string
	Tries          int // how many requests were sent
	Err            error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("no answer to %s %s after %s: %v", e.Verb, e.Resource, words.Count(e.Tries, "try"), e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// Is makes it an [ErrNoAnswer].
func (e *UnreachableError) Is(target error) bool { return target == ErrNoAnswer }

// RejectedError says that the server refused a request as invalid, or an admission did; trying again would not help.
type RejectedError struct {
	Verb, Resource string
	Err            error
}

func (e *RejectedError) Error() string {
	return fmt.Sprintf("the server refused to %s %s: %v", e.Verb, e.Resource, e.Err)
}

func (e *RejectedError) Unwrap() error { return e.Err }

// QuotaError says that a quota of the namespace has no room for what was to be made. Nothing was written.
type QuotaError struct {
	Verb, Resource, Namespace string
	Err                       error
}

func (e *QuotaError) Error() string {
	return fmt.Sprintf("a quota of namespace %q does not allow to %s %s: %v", e.Namespace, e.Verb, e.Resource, e.Err)
}

func (e *QuotaError) Unwrap() error { return e.Err }

// NoAPIError says that the server does not know a resource at all: mostly it is another server than was meant.
type NoAPIError struct {
	Verb, Resource string
	Err            error
}

func (e *NoAPIError) Error() string {
	return fmt.Sprintf("the server has no API to %s %s: %v", e.Verb, e.Resource, e.Err)
}

func (e *NoAPIError) Unwrap() error { return e.Err }

// FailedError says that the server answered with an error of its own. Nothing was written.
type FailedError struct {
	Verb, Resource string
	Tries          int  // how many requests were sent
	Webhook        bool // an admission webhook of the server does not answer
	Err            error
}

func (e *FailedError) Error() string {
	return fmt.Sprintf("the server failed to %s %s, after %s: %v", e.Verb, e.Resource, words.Count(e.Tries, "try"), e.Err)
}

func (e *FailedError) Unwrap() error { return e.Err }

// Is makes it an [ErrNoAnswer] where something was read.
func (e *FailedError) Is(target error) bool {
	return target == ErrNoAnswer && (e.Verb == "get" || e.Verb == "list")
}

// HiddenBindingsError says that Shoots name bindings of another kind than the accounts', and that no binding of that kind is listed.
type HiddenBindingsError struct {
	Kind  string   // of the bindings, such as "SecretBinding"
	Names []string // each with its kind, sorted
	Err   error    // why the kind must not be listed; nil = the server lists none
}

func (e *HiddenBindingsError) Error() string {
	why := "the server lists no " + e.Kind
	if e.Err != nil {
		why = e.Err.Error()
	}
	return fmt.Sprintf("Shoots name %s, and which credentials these have is not known: %s", words.First(maxHidden, e.Names), why)
}

// Unwrap returns why the kind must not be listed.
func (e *HiddenBindingsError) Unwrap() error { return e.Err }
