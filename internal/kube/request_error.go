package kube

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"golang.org/x/net/http2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// Reason says why a request failed, and thereby what may have happened on the server.
type Reason string

// Why a request failed.
const (
	// NotSent: a write did not leave this machine: there was no connection, no trust in the server, or no credentials. Nothing was written.
	NotSent Reason = "not sent"
	// Unreachable: no usable answer to a read came in time. Nothing was written.
	Unreachable Reason = "no answer"
	// Forbidden: the user of the connection has no right to do this.
	Forbidden Reason = "not allowed"
	// OverQuota: a quota of the namespace has no room for it. Nothing was written.
	OverQuota Reason = "a quota is used up"
	// Denied: an admission of the server refused what was sent, whatever the rights of the user. Nothing was written.
	Denied Reason = "an admission refused"
	// NoAPI: the server knows no such resource: it is another server, or an extension of its API is not installed.
	NoAPI Reason = "the server has no such API"
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
	// Throttled: a write was turned away before it was judged: with 429, or by an admission that could not ask in time what it has to know.
	Throttled Reason = "the server is busy"
	// Failed: the server answered with an error of its own (500), before anything was written. It may be a refusal: Gardener answers so to
	// what it cannot find.
	Failed Reason = "the server failed"
	// WebhookDown: as Failed, because an admission webhook of the server does not answer.
	WebhookDown Reason = "an admission webhook of the server does not answer"
	// UnknownOutcome: a write was sent and got no answer of the API, or one that does not say whether it has taken effect.
	UnknownOutcome Reason = "the answer to a write was lost"
)

// Error says what request failed, why, how often it was tried, and what came back last.
type Error struct {
	Call
	Reason Reason
	Tries  int   // how many requests were sent; for Expired, how often the list was begun
	Err    error // the last answer, or what came instead of one
	Old    bool  // it was not sent again because what it was judged by is old, see [Judged]
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %s %s", e.Reason, e.Verb, e.Of())
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
// or a gateway answered in its place.
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
	if writes(call) {
		reason = cmp.Or(clash(err), reason)
	}
	status, _ := statusOf(err)
	switch {
	case reason != "":
	case status.Code == http.StatusGone, status.Reason == metav1.StatusReasonExpired:
		reason = Expired
	case failure(err) != "":
		reason = failure(err)
	default:
		reason = Unreachable
		if ctx.Err() != nil && !errors.Is(err, context.Cause(ctx)) {
			err = errors.Join(context.Cause(ctx), err)
		}
	}
	return &Error{Call: call, Reason: reason, Tries: tries, Err: err}
}

// writeError says why a write failed. What the API has not answered may have taken effect.
func writeError(call Call, tries int, err error) *Error {
	reason := cmp.Or(clash(err), refusal(call, err))
	status, answered := statusOf(err)
	switch {
	case answered && status.Code == http.StatusTooManyRequests:
		reason = Throttled
	case reason == "":
		reason = cmp.Or(failure(err), unsent(err), UnknownOutcome)
	}
	return &Error{Call: call, Reason: reason, Tries: tries, Err: err}
}
