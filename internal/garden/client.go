package garden

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	gardensecurity "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	authorization "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// pageSize is how many objects one list request asks for.
const pageSize = 500

// maxListRestarts bounds how often a list is begun anew because the server had forgotten where its next page starts.
const maxListRestarts = 3

const (
	bindings = "credentialsbindings"
	shoots   = "shoots"
)

// metadataOnly is what a list request accepts that wants nothing but the metadata of the objects.
const metadataOnly = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1," +
	"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

var (
	scheme = runtime.NewScheme()
	codecs = serializer.NewCodecFactory(scheme)
	// parameters encodes list options into queries.
	parameters = runtime.NewParameterCodec(scheme)
)

func init() {
	for _, add := range []func(*runtime.Scheme) error{gardencore.AddToScheme, gardensecurity.AddToScheme, authorization.AddToScheme, metav1.AddMetaToScheme} {
		if err := add(scheme); err != nil {
			panic(fmt.Sprintf("garden: registering API types: %v", err)) // cannot happen: the types are compiled in
		}
	}
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
}

// Garden is the accounts and the Shoots of one namespace in the Gardener API. It is a pool.Store and a pool.Counter.
type Garden struct {
	namespace     string
	keys          LabelKeys
	security      rest.Interface
	core          rest.Interface
	authorization rest.Interface
}

var (
	_ pool.Store   = (*Garden)(nil)
	_ pool.Counter = (*Garden)(nil)
)

// New returns the Gardener project in the namespace. It does not dial.
func New(config *rest.Config, namespace string, keys LabelKeys) (*Garden, error) {
	// One for all: client-go shares no connections between clients where the configuration has a dialer or a proxy.
	shared, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("making the HTTP client: %w", err)
	}
	if config.ExecProvider != nil {
		shared.Transport = bounded{shared.Transport}
	}
	security, err := typedClient(config, shared, gardensecurity.SchemeGroupVersion)
	if err != nil {
		return nil, err
	}
	core, err := typedClient(config, shared, gardencore.SchemeGroupVersion)
	if err != nil {
		return nil, err
	}
	reviews, err := typedClient(config, shared, authorization.SchemeGroupVersion)
	if err != nil {
		return nil, err
	}
	return &Garden{namespace: namespace, keys: keys, security: security, core: core, authorization: reviews}, nil
}

// typedClient speaks protobuf with one API group.
func typedClient(config *rest.Config, shared *http.Client, group schema.GroupVersion) (rest.Interface, error) {
	typed := rest.CopyConfig(config)
	typed.APIPath = "/apis"
	typed.GroupVersion = &group
	typed.NegotiatedSerializer = codecs.WithoutConversion()
	typed.ContentType = runtime.ContentTypeProtobuf
	typed.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	client, err := rest.RESTClientForConfigAndClient(typed, shared)
	if err != nil {
		return nil, fmt.Errorf("making the client for %s: %w", group, err)
	}
	return client, nil
}

// pages runs a list page by page. When the server has forgotten where the next page starts the list is begun anew:
// half a list never decides anything. page gets one page's options and returns the token of the next; begin is called
// before each first page.
func pages(ctx context.Context, what call, begin func(), page func(context.Context, metav1.ListOptions) (next string, err error)) error {
	for restart := 0; ; restart++ {
		begin()
		err := onePass(ctx, what, page)
		var expired *expiredError
		switch {
		case !errors.As(err, &expired):
			return err
		case restart == maxListRestarts:
			return &pool.UnreachableError{Verb: what.verb, Resource: what.resource, Tries: 1 + restart, Err: expired.error}
		}
	}
}

func onePass(ctx context.Context, what call, page func(context.Context, metav1.ListOptions) (string, error)) error {
	options := metav1.ListOptions{Limit: pageSize}
	seen := map[string]bool{}
	for {
		var next string
		err := retry(ctx, what, func(ctx context.Context) (err error) {
			next, err = page(ctx, options)
			return err
		})
		if err != nil || next == "" {
			return err
		}
		if seen[next] {
			return fmt.Errorf("listing %s: the server repeats page %q", what.resource, next)
		}
		seen[next] = true
		options.Continue = next
	}
}
