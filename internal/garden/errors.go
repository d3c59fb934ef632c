package garden

import (
	"errors"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// translate says in the terms of package pool why a request failed. What else went wrong is passed on as it is.
func translate(err error) error {
	e, ok := errors.AsType[*kube.Error](err)
	if !ok {
		return err
	}
	switch e.Reason {
	case kube.Forbidden:
		return &pool.ForbiddenError{Verb: e.Verb, Resource: e.Resource, Namespace: e.Namespace, Err: e.Err}
	case kube.Unauthorized:
		return &pool.UnauthorizedError{Verb: e.Verb, Resource: e.Resource, Err: e.Err}
	case kube.NotFound:
		return &pool.NotFoundError{Account: e.Name}
	case kube.Rejected:
		return &pool.RejectedError{Verb: e.Verb, Resource: e.Resource, Err: e.Err}
	case kube.Conflict: // nothing was written: the caller judges anew
		return &pool.ConflictError{Account: e.Name, Err: e.Err}
	case kube.Exists:
		return &pool.ExistsError{Account: e.Name}
	case kube.Throttled:
		return &pool.BusyError{Account: e.Name, Err: e.Err}
	case kube.UnknownOutcome:
		return &pool.UnknownOutcomeError{Account: e.Name, Err: e.Err}
	case kube.Unreachable, kube.Expired:
		return &pool.UnreachableError{Verb: e.Verb, Resource: e.Resource, Tries: e.Tries, Err: e.Err}
	}
	return err
}
