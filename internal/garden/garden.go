// Package garden keeps the accounts of a pool as CredentialsBindings of the Gardener API, or on older landscapes as
// SecretBindings or Secrets, and counts the clusters on them as Shoots. It implements the interfaces Store and Counter of
// the package pool. Of the accounts only metadata is listed; a binding is read whole only where an answer carries it
// anyway or a single account is asked for. What is in a Secret comes only by the method Secret, which nothing else here
// calls.
package garden

import (
	"context"
	"errors"
	"fmt"
	"sync"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	gardensecurity "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	authorization "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// accountsPageSize is how many accounts one list request asks for: their metadata is a hundredth of a Shoot, and a claim that
// takes a free account waits for all pages.
const accountsPageSize = 5000

var (
	scheme = runtime.NewScheme()
	codecs = serializer.NewCodecFactory(scheme)
)

func init() {
	for _, add := range []func(*runtime.Scheme) error{
		gardencore.AddToScheme, gardensecurity.AddToScheme, authorization.AddToScheme, metav1.AddMetaToScheme,
	} {
		if err := add(scheme); err != nil {
			panic(fmt.Sprintf("garden: registering API types: %v", err)) // cannot happen: the types are compiled in
		}
	}
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
}

// Garden is the accounts and the Shoots of one namespace in the Gardener API. It is a pool.Store and a pool.Counter.
type Garden struct {
	namespace string
	keys      LabelKeys
	kind      kindOf
	// accounts speaks with the API group that the accounts are in. Secrets come whole through secrets alone, and from
	// secretMetadata only their metadata.
	accounts, secrets, secretMetadata *kube.Group

	core, security, authorization *kube.Group

	unlisted sync.Map // bindings (within) that are not listed: the error of those that must not be, true where the kind is not there
}

// New returns the Gardener project in the namespace; its accounts are CredentialsBindings. It does not dial.
func New(config *rest.Config, namespace string, keys LabelKeys) (*Garden, error) {
	return NewOf(CredentialsBinding, config, namespace, keys)
}

// NewOf is New for a pool of any kind.
func NewOf(kind Kind, config *rest.Config, namespace string, keys LabelKeys) (*Garden, error) {
	of, known := kinds[kind]
	if !known {
		return nil, fmt.Errorf("there is no pool of the kind %q", kind)
	}
	client, err := kube.NewClient(config)
	if err != nil {
		return nil, err
	}
	g := &Garden{namespace: namespace, keys: keys, kind: of}
	for _, to := range []struct {
		group  **kube.Group
		of     schema.GroupVersion
		codecs serializer.CodecFactory
	}{
		{&g.accounts, of.group, codecs}, {&g.core, gardencore.SchemeGroupVersion, codecs},
		{&g.security, gardensecurity.SchemeGroupVersion, codecs}, {&g.authorization, authorization.SchemeGroupVersion, codecs},
		{&g.secrets, secretsGroup, secretCodecs}, {&g.secretMetadata, secretsGroup, codecs},
	} {
		if *to.group, err = client.Group(to.of, to.codecs.WithoutConversion()); err != nil {
			return nil, err
		}
	}
	return g, nil
}

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
