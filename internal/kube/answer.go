package kube

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What an answer means is said here, once. A status alone does not say it: an API server answers 403 for rights, for quotas and for
// admissions, and 500 for what it refuses as well as for what it has lost. Texts are compared where an answer has nothing else; each is one
// that Kubernetes or Gardener makes itself, and where none fits the most careful meaning is taken.

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
	case apierrors.IsUnauthorized(err):
		return Unauthorized
	case apierrors.IsForbidden(err):
		return forbidden(call, status)
	case apierrors.IsNotFound(err) && isMissing(call, status):
		return NotFound
	case status.Code == http.StatusNotFound && (call.Verb == "list" || strings.Contains(status.Message, unknownResource)):
		return NoAPI // a list is of objects that need not be there
	case writes(call) && status.Code >= 400 && status.Code < 500 && deniedBy(status.Message):
		return Denied
	case status.Code >= 400 && status.Code < 500 && !Transient(err) && status.Code != http.StatusGone:
		return Rejected
	}
	return ""
}

// unknownResource is how client-go reads the answer 404 of a server that has no such path.
const unknownResource = "the server could not find the requested resource"

// withoutRight matches how the authorization of Kubernetes refuses. What it adds after that varies.
var withoutRight = regexp.MustCompile(`User "[^"]*" cannot \S+ (resource|path) `)

// forbidden distinguishes the causes of a 403. An admission sees writes alone, and names the object that it refuses.
func forbidden(call Call, status metav1.Status) Reason {
	text := status.Message
	switch {
	case writes(call) && strings.Contains(text, OwnLimit):
		return Throttled
	case withoutRight.MatchString(text):
		return Forbidden
	case strings.Contains(text, "exceeded quota"), strings.Contains(text, "quota limits exceeded"): // of Kubernetes, of Gardener
		return OverQuota
	case !writes(call):
		return Forbidden
	case deniedBy(text), strings.Contains(text, "both confirm the deletion"): // the latter wants another user, and no right
		return Denied
	case strings.Contains(text, "not allowed to"): // an admission of Gardener asks for further rights
		return Forbidden
	case strings.Contains(text, " is forbidden: "):
		return Denied
	}
	return Forbidden
}

// OwnLimit is in the answer of an admission that refused a write because a client of the API server itself would have come too late with
// what the admission has to ask. Gardener's ResourceReferenceManager does so: it sends two requests for each write of a binding, by a
// client that sends five a second. An admission comes before anything is written.
const OwnLimit = "client rate limiter Wait returned an error"

func ownLimit(err error) bool {
	status, answered := statusOf(err)
	return answered && status.Code == http.StatusForbidden && strings.Contains(status.Message, OwnLimit)
}

// deniedBy reports whether a text is that of an admission webhook, or of a policy for admission.
func deniedBy(text string) bool {
	return strings.Contains(text, "admission webhook \"") || strings.Contains(text, "ValidatingAdmissionPolicy '")
}

// failure returns Failed or WebhookDown for an answer 500 that an API server has made before it wrote anything; empty for all else. A 500
// of a gateway, and that of a server whose store has not answered in time, say nothing of a write.
func failure(err error) Reason {
	status, ok := statusOf(err)
	if !ok || status.Code != http.StatusInternalServerError || unexpected(status) {
		return ""
	}
	switch {
	case strings.Contains(status.Message, "failed calling webhook"), strings.Contains(status.Message, "failed to call webhook"):
		return WebhookDown
	case ofStore.MatchString(status.Message):
		return ""
	case status.Reason == metav1.StatusReasonInternalError, status.Reason == metav1.StatusReasonUnknown: // an admission gives either
		return Failed
	}
	return ""
}

// ofStore matches what a server says whose store has not answered in time: the store may do what it was asked for all the same.
var ofStore = regexp.MustCompile(
	`etcdserver|rpc error|transport|timed out|timeout|deadline exceeded|context canceled|connection (refused|reset)|EOF`)

// unexpected reports whether client-go has made a status of an answer that was none of the API.
func unexpected(status metav1.Status) bool {
	return status.Details != nil &&
		slices.ContainsFunc(status.Details.Causes, func(c metav1.StatusCause) bool { return c.Type == metav1.CauseTypeUnexpectedServerResponse })
}

// unsent returns NotSent where a request certainly did not reach a server: it was not connected, the server is not trusted, or the program
// failed that makes the credentials; empty for all else.
func unsent(err error) Reason {
	operation, ok := errors.AsType[*net.OpError](err)
	header, first := errors.AsType[tls.RecordHeaderError](err) // with a connection it was the first record: no request had been sent
	switch {
	case ok && slices.Contains([]string{"dial", "proxyconnect", "socks connect"}, operation.Op),
		errors.As(err, new(*net.DNSError)), errors.As(err, new(*tls.CertificateVerificationError)), first && header.Conn != nil,
		errors.As(err, new(*ProgramError)):
		return NotSent
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

// isMissing distinguishes "there is no such object" from all other answers with 404: one about another object, one
// of a proxy before the API, or one of a server that does not know the resource.
func isMissing(call Call, status metav1.Status) bool {
	details := status.Details
	return call.Name != "" && details != nil && details.Kind == call.Resource && details.Name == call.Name && !unexpected(status)
}

// writes reports whether a call writes, or would if it was not only checked.
func writes(call Call) bool {
	switch call.Verb {
	case "create", "update", "patch", "delete":
		return true
	}
	return false
}

func statusOf(err error) (metav1.Status, bool) {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return metav1.Status{}, false
	}
	return answer.Status(), true
}

// AnonymousUser is how Kubernetes calls the user of a request without credentials. No field of its answer has the user.
const AnonymousUser = `"system:anonymous"`

// BasicAuthError says that a server did not take the user name and the password of a request: it answered that they are wrong, or as to a
// request without credentials.
type BasicAuthError struct{ Err error }

func (e *BasicAuthError) Error() string {
	return "the server did not take the user name and the password: " + e.Err.Error()
}

// Unwrap returns the answer.
func (e *BasicAuthError) Unwrap() error { return e.Err }

// isUnknown reports whether a server does not know who has sent a request.
func isUnknown(err error) bool {
	return apierrors.IsUnauthorized(err) || apierrors.IsForbidden(err) && strings.Contains(err.Error(), AnonymousUser)
}
