package garden

import (
	"context"

	gardensecurity "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// List returns every account of the namespace that carries a hyperscaler type; see pool.Store.
func (g *Garden) List(ctx context.Context) ([]pool.Account, error) {
	var accounts []pool.Account
	what := call{verb: "list", resource: bindings, namespace: g.namespace}
	err := pages(ctx, what, func() { accounts = nil }, func(ctx context.Context, options metav1.ListOptions) (string, error) {
		options.LabelSelector = g.keys.HyperscalerType
		var list metav1.PartialObjectMetadataList
		err := g.security.Get().SetHeader("Accept", metadataOnly).Namespace(g.namespace).Resource(bindings).
			VersionedParams(&options, parameters).MaxRetries(0).Do(ctx).Into(&list)
		if err != nil {
			return "", err
		}
		for i := range list.Items {
			accounts = append(accounts, g.keys.account(&list.Items[i].ObjectMeta))
		}
		return list.Continue, nil
	})
	if err != nil {
		return nil, err
	}
	return accounts, nil
}

// Get reads one account anew; see pool.Store.
func (g *Garden) Get(ctx context.Context, name string) (pool.Account, error) {
	var binding gardensecurity.CredentialsBinding
	what := call{verb: "get", resource: bindings, namespace: g.namespace, account: name}
	err := retry(ctx, what, func(ctx context.Context) error {
		return g.security.Get().Namespace(g.namespace).Resource(bindings).Name(name).MaxRetries(0).Do(ctx).Into(&binding)
	})
	if err != nil {
		return pool.Account{}, err
	}
	return g.whole(&binding), nil
}

// Write makes one change; see pool.Store. The answer carries the whole binding, so that nobody has to ask for its
// credentialsRef.
func (g *Garden) Write(ctx context.Context, judged pool.Account, change pool.Change) (pool.Account, error) {
	body, err := g.keys.patch(judged, change)
	if err != nil {
		return pool.Account{}, err
	}
	if err := ctx.Err(); err != nil {
		return pool.Account{}, context.Cause(ctx) // nothing was sent
	}
	send := func() (*gardensecurity.CredentialsBinding, error) {
		ctx, cancel := context.WithTimeout(ctx, requestTimeout)
		defer cancel()
		binding := &gardensecurity.CredentialsBinding{}
		// Retries are the caller's business: only who judges anew may send anew.
		return binding, g.security.Patch(types.MergePatchType).Namespace(g.namespace).Resource(bindings).Name(judged.Name).
			Body(body).MaxRetries(0).Do(ctx).Into(binding)
	}
	binding, err := send()
	if apierrors.IsUnauthorized(err) { // not executed; a token that comes from a file or a program may be renewed by now
		binding, err = send()
	}
	if err != nil {
		return pool.Account{}, writeError(ctx, call{verb: "patch", resource: bindings, namespace: g.namespace, account: judged.Name}, err)
	}
	return g.whole(binding), nil
}

// whole reads an account from the whole binding.
func (g *Garden) whole(binding *gardensecurity.CredentialsBinding) pool.Account {
	a := g.keys.account(&binding.ObjectMeta)
	ref := binding.CredentialsRef
	a.Credentials = &pool.Credentials{
		ProviderType: binding.Provider.Type,
		Ref:          pool.CredentialsRef{APIVersion: ref.APIVersion, Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name},
	}
	return a
}
