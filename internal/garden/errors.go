package garden

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"golang.org/x/net/http2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// expiredError says that the server has forgotten where the next page of a list starts (410 Gone).
type expiredError struct{ error }

// transient reports whether another try of a read may be answered: the connection failed, the server was busy or
// broken, or a gateway stood in for it.
func transient(err error) bool {
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

// readError says in the terms of package pool why a read failed.
func readError(ctx context.Context, what call, tries int, err error) error {
	if definite := definiteError(what, err); definite != nil {
		return definite
	}
	if status, ok := statusOf(err); ok && (status.Code == http.StatusGone || status.Reason == metav1.StatusReasonExpired) {
		return &expiredError{err}
	}
	if ctx.Err() != nil && !errors.Is(err, context.Cause(ctx)) {
		err = errors.Join(context.Cause(ctx), err)
	}
	return &pool.UnreachableError{Verb: what.verb, Resource: what.resource, Tries: tries, Err: err}
}

// writeError says in the terms of package pool why a write failed. What is not a clear refusal of the API may have
// taken effect.
func writeError(ctx context.Context, what call, err error) error {
	status, answered := statusOf(err)
	switch {
	case apierrors.IsConflict(err), foreignUID(err):
		return &pool.ConflictError{Account: what.account, Err: err}
	case answered && status.Code == http.StatusTooManyRequests:
		// Turned away before it was looked at: judged anew after the wait that the server asked for.
		select {
		case <-time.After(max(jitter(firstWait), retryAfter(err))):
		case <-ctx.Done():
		}
		return &pool.ConflictError{Account: what.account, Err: err}
	}
	if definite := definiteError(what, err); definite != nil {
		return definite
	}
	return &pool.UnknownOutcomeError{Account: what.account, Err: err}
}

// definiteError translates the refusals that another try would only repeat; nil for all else.
func definiteError(what call, err error) error {
	status, ok := statusOf(err)
	if !ok {
		return nil
	}
	switch {
	case apierrors.IsForbidden(err):
		return &pool.ForbiddenError{Verb: what.verb, Resource: what.resource, Namespace: what.namespace, Err: err}
	case apierrors.IsUnauthorized(err):
		return &pool.UnauthorizedError{Verb: what.verb, Resource: what.resource, Err: err}
	case apierrors.IsNotFound(err) && accountMissing(what, status):
		return &pool.NotFoundError{Account: what.account}
	case status.Code >= 400 && status.Code < 500 && !transient(err) && status.Code != http.StatusGone:
		return &pool.RejectedError{Verb: what.verb, Resource: what.resource, Err: err}
	}
	return nil
}

// foreignUID recognises the answer to a write for an object that was deleted and made anew under its name: the server
// calls the uid immutable (422), not in conflict.
func foreignUID(err error) bool {
	status, ok := statusOf(err)
	if !ok || status.Code != http.StatusUnprocessableEntity || status.Details == nil {
		return false
	}
	for _, cause := range status.Details.Causes {
		if cause.Field == "metadata.uid" {
			return true
		}
	}
	return false
}

// accountMissing tells the API's word that there is no such account from all other answers 404: one about another
// object, one of a proxy before the API, or one of a server that does not know the resource.
func accountMissing(what call, status metav1.Status) bool {
	details := status.Details
	return what.account != "" && details != nil && details.Kind == what.resource && details.Name == what.account &&
		!slices.ContainsFunc(details.Causes, func(c metav1.StatusCause) bool { return c.Type == metav1.CauseTypeUnexpectedServerResponse })
}

func statusOf(err error) (metav1.Status, bool) {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return metav1.Status{}, false
	}
	return answer.Status(), true
}
