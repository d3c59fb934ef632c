package kube

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"golang.org/x/net/http2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// Reason says why a request failed, and thereby what may have happened on the server.
type Reason string

// Why a request failed.
const (
	// Unreachable: no usable answer to a read came in time. Nothing was written.
	Unreachable Reason = "no answer"
	// Forbidden: the user of the connection may not do this.
	Forbidden Reason = "not allowed"
	// Unauthorized: the server did not accept the credentials of the connection.
	Unauthorized Reason = "the credentials were not accepted"
	// NotFound: the API's own word that there is no such object. Only this reason means "gone".
	NotFound Reason = "there is no such object"
	// Rejected: the server refused the request as invalid; trying again would not help.
	Rejected Reason = "the server refused"
	// Expired: the server has forgotten where the next page of a list starts.
	Expired Reason = "the list expired while it was read"
	// Conflict: the object changed since it was read, or is another one by now. Nothing was written.
	Conflict Reason = "the object has changed since it was read"
	// Exists: there is an object of this name already. Nothing was written.
	Exists Reason = "there is such an object already"
	// Throttled: a write was turned away before it was looked at (429).
	Throttled Reason = "the server is busy"
	// UnknownOutcome: a write was sent, and it may have taken effect or may still do so.
	UnknownOutcome Reason = "the answer to a write was lost, it may have taken effect"
)

// Error says what request failed, why, how often it was tried, and what came back last.
type Error struct {
	Call
	Reason Reason
	Tries  int   // how many requests were sent; for Expired, how often the list was begun
	Err    error // the last answer, or what came instead of one
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %s %s", e.Reason, e.Verb, e.Resource)
	if e.Name != "" {
		text += " " + e.Name
	}
	if e.Namespace != "" {
		text += fmt.Sprintf(" in namespace %q", e.Namespace)
	}
	if e.Tries > 1 {
		text += fmt.Sprintf(" (%d tries)", e.Tries)
	}
	return fmt.Sprintf("%s: %v", text, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// Transient reports whether another try of a read may be answered: the connection failed, the server was busy or broken,
// or a gateway stood in for it.
func Transient(err error) bool {
	status, ok := statusOf(err)
	if !ok {
		// No answer of the API at all, or half of one. A wrong certificate or host name stays wrong, a lost connection
		// may come back.
		return utilnet.IsConnectionRefused(err) || utilnet.IsConnectionReset(err) || utilnet.IsProbableEOF(err) ||
			errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, new(http2.StreamError)) ||
			utilnet.IsTimeout(err) || utilnet.IsHTTP2ConnectionLost(err) || errors.Is(err, context.DeadlineExceeded)
	}
	switch status.Code {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusRequestTimeout:
		return true
	}
	return false
}

// ReadError says why a read failed that was sent once, such as a watch.
func ReadError(ctx context.Context, call Call, err error) *Error { return readError(ctx, call, 1, err) }

// readError says why a read failed, or a dry run.
func readError(ctx context.Context, call Call, tries int, err error) *Error {
	reason := refusal(call, err)
	if call.Verb == "create" || call.Verb == "patch" {
		reason = cmp.Or(clash(err), reason)
	}
	status, _ := statusOf(err)
	switch {
	case reason != "":
	case status.Code == http.StatusGone, status.Reason == metav1.StatusReasonExpired:
		reason = Expired
	default:
		reason = Unreachable
		if ctx.Err() != nil && !errors.Is(err, context.Cause(ctx)) {
			err = errors.Join(context.Cause(ctx), err)
		}
	}
	return &Error{call, reason, tries, err}
}

// writeError says why a write failed. What is not a clear refusal of the API may have taken effect.
func writeError(call Call, err error) *Error {
	reason := cmp.Or(clash(err), refusal(call, err))
	status, answered := statusOf(err)
	switch {
	case answered && status.Code == http.StatusTooManyRequests:
		reason = Throttled
	case reason == "":
		reason = UnknownOutcome
	}
	return &Error{call, reason, 1, err}
}

// clash returns Conflict or Exists for an answer that says so; empty for all else.
func clash(err error) Reason {
	switch {
	case apierrors.IsConflict(err), foreignUID(err):
		return Conflict
	case apierrors.IsAlreadyExists(err):
		return Exists
	}
	return ""
}

// refusal returns the reason of an answer that another try would only repeat; empty for all else.
func refusal(call Call, err error) Reason {
	status, ok := statusOf(err)
	switch {
	case !ok:
		return ""
	case apierrors.IsForbidden(err):
		return Forbidden
	case apierrors.IsUnauthorized(err):
		return Unauthorized
	case apierrors.IsNotFound(err) && isMissing(call, status):
		return NotFound
	case status.Code >= 400 && status.Code < 500 && !Transient(err) && status.Code != http.StatusGone:
		return Rejected
	}
	return ""
}

// foreignUID recognises the answer to a write for an object that was deleted and made anew under its name: the server
// calls the uid immutable (422), not in conflict.
func foreignUID(err error) bool {
	status, ok := statusOf(err)
	if !ok || status.Code != http.StatusUnprocessableEntity || status.Details == nil {
		return false
	}
	return slices.ContainsFunc(status.Details.Causes, func(c metav1.StatusCause) bool { return c.Field == "metadata.uid" })
}

// isMissing tells the API's word that there is no such object from all other answers 404: one about another object, one
// of a proxy before the API, or one of a server that does not know the resource.
func isMissing(call Call, status metav1.Status) bool {
	details := status.Details
	return call.Name != "" && details != nil && details.Kind == call.Resource && details.Name == call.Name &&
		!slices.ContainsFunc(details.Causes, func(c metav1.StatusCause) bool { return c.Type == metav1.CauseTypeUnexpectedServerResponse })
}

func statusOf(err error) (metav1.Status, bool) {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return metav1.Status{}, false
	}
	return answer.Status(), true
}
