package kube

import (
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

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
