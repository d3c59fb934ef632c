package garden

import (
	"cmp"
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

const (
	// pageSize is how many whole objects one list request asks for.
	pageSize = 500
	// accountsPageSize is how many accounts one does: their metadata is a hundredth of a Shoot, and a claim that takes a
	// free account waits for all pages.
	accountsPageSize = 5000
)

// maxListRestarts bounds how often a list is begun anew because the server had forgotten where its next page starts.
const maxListRestarts = 3

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
	namespace string
	keys      LabelKeys
	kind      kindOf
	// accounts speaks with the API group that the accounts are in. Secrets come whole through secrets alone.
	accounts, secrets             rest.Interface
	core, security, authorization rest.Interface
}

var (
	_ pool.Store   = (*Garden)(nil)
	_ pool.Counter = (*Garden)(nil)
)

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
	// One for all: client-go shares no connections between clients where the configuration has a dialer or a proxy.
	shared, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("making the HTTP client: %w", err)
	}
	if config.ExecProvider != nil {
		shared.Transport = bounded{shared.Transport}
	}
	g := &Garden{namespace: namespace, keys: keys, kind: of}
	for _, c := range []struct {
		client *rest.Interface
		group  schema.GroupVersion
	}{
		{&g.accounts, of.group}, {&g.core, gardencore.SchemeGroupVersion},
		{&g.security, gardensecurity.SchemeGroupVersion}, {&g.authorization, authorization.SchemeGroupVersion},
	} {
		if *c.client, err = typedClient(config, shared, c.group); err != nil {
			return nil, err
		}
	}
	if g.secrets, err = secretClient(config, shared); err != nil {
		return nil, err
	}
	return g, nil
}

// typedClient speaks protobuf with one API group.
func typedClient(config *rest.Config, shared *http.Client, group schema.GroupVersion) (rest.Interface, error) {
	typed := rest.CopyConfig(config)
	typed.APIPath = "/apis"
	if group.Group == "" {
		typed.APIPath = "/api"
	}
	typed.GroupVersion = &group
	typed.NegotiatedSerializer = codecs.WithoutConversion()
	typed.ContentType = runtime.ContentTypeProtobuf
	typed.AcceptContentTypes = wholeObject
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
	options := metav1.ListOptions{Limit: cmp.Or(what.pageSize, pageSize)}
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
