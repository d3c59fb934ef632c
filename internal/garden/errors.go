package garden

import (
	"errors"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// translateAs is Translate for a request about an account, or a sibling, of this name.
func translateAs(account string, err error) error {
	if e, ok := errors.AsType[*kube.Error](err); ok {
		of := *e
		of.Name = account
		err = &of
	}
	return Translate(err)
}

// Translate says in the terms of package pool why a request failed. What else went wrong is passed on as it is.
func Translate(err error) error {
	e, ok := errors.AsType[*kube.Error](err)
	if !ok {
		return err
	}
	switch e.Reason {
	case kube.Forbidden:
		return &account.ForbiddenError{Verb: e.Verb, Resource: e.Of(), Namespace: e.Namespace, Err: e.Err}
	case kube.OverQuota:
		return &account.QuotaError{Verb: e.Verb, Resource: e.Of(), Namespace: e.Namespace, Err: e.Err}
	case kube.Unauthorized:
		return &account.UnauthorizedError{Verb: e.Verb, Resource: e.Of(), Err: e.Err}
	case kube.NotFound:
		return &account.NotFoundError{Account: e.Name}
	case kube.NoAPI:
		return &account.NoAPIError{Verb: e.Verb, Resource: e.Of(), Err: e.Err}
	case kube.Rejected, kube.Denied:
		return &account.RejectedError{Verb: e.Verb, Resource: e.Of(), Err: e.Err}
	case kube.Conflict: // nothing was written: the caller judges anew
		return &account.ConflictError{Account: e.Name, Err: e.Err}
	case kube.Exists:
		return &account.ExistsError{Account: e.Name}
	case kube.Throttled:
		return &account.BusyError{Account: e.Name, Err: e.Err}
	case kube.Failed, kube.WebhookDown:
		return &account.FailedError{Verb: e.Verb, Resource: e.Of(), Tries: e.Tries, Webhook: e.Reason == kube.WebhookDown, Err: e.Err}
	case kube.UnknownOutcome:
		return &account.UnknownOutcomeError{Account: e.Name, Err: e.Err}
	case kube.Unreachable, kube.NotSent, kube.Expired:
		return &account.UnreachableError{Verb: e.Verb, Resource: e.Of(), Tries: e.Tries, Err: e.Err}
	}
	return err
}
