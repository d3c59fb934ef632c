package garden

import (
	"context"
	"errors"
	"fmt"

	authorization "k8s.io/api/authorization/v1"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Allowed asks whether accounts may be read and written; see pool.Store. What else the Role grants shows in the lists
// that come before every write.
func (g *Garden) Allowed(ctx context.Context) error {
	for _, verb := range []string{"get", "patch"} {
		review := &authorization.SelfSubjectAccessReview{Spec: authorization.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorization.ResourceAttributes{
				Namespace: g.namespace, Group: g.kind.group.Group, Resource: g.kind.resource, Verb: verb,
			},
		}}
		what := kube.Call{Verb: "create", Resource: "selfsubjectaccessreviews"}
		err := kube.Read(ctx, what, func(ctx context.Context) error { // it may be asked twice: a review is kept nowhere
			return g.authorization.Request(what).Body(review).Do(ctx).Into(review)
		})
		failed, ok := errors.AsType[*kube.Error](err)
		switch {
		case kube.IsForeign(err): // a gateway may let nothing but accounts through; otherwise the next request shows it
		case ok && (failed.Reason == kube.Unreachable || failed.Reason == kube.Failed || failed.Reason == kube.Unauthorized):
			return Translate(err)
		case err == nil && !review.Status.Allowed:
			return &account.ForbiddenError{Verb: verb, Resource: g.kind.resource, Namespace: g.namespace, Err: errors.New(reason(review.Status))}
		}
	}
	return nil
}

// reason says why an access review ended with a no.
func reason(status authorization.SubjectAccessReviewStatus) string {
	if status.Reason == "" {
		return "the server's answer to an access review is no"
	}
	return fmt.Sprintf("the server's answer to an access review is no (%s)", kube.Clean(status.Reason))
}
