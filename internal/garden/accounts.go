package garden

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// List returns every account of the namespace that carries a hyperscaler type; see pool.Store.
func (g *Garden) List(ctx context.Context) ([]pool.Account, error) {
	var accounts []pool.Account
	what := call{verb: "list", resource: g.kind.resource, namespace: g.namespace, pageSize: accountsPageSize}
	err := pages(ctx, what, func() { accounts = nil }, func(ctx context.Context, options metav1.ListOptions) (string, error) {
		options.LabelSelector = g.keys.HyperscalerType
		list, err := answerOf[*metav1.PartialObjectMetadataList](g.accounts.Get().SetHeader("Accept", metadataOfAll).
			Namespace(g.namespace).Resource(g.kind.resource).VersionedParams(&options, parameters).MaxRetries(0).Do(ctx))
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
	var account pool.Account
	what := call{verb: "get", resource: g.kind.resource, namespace: g.namespace, account: name}
	err := retry(ctx, what, func(ctx context.Context) (err error) {
		account, err = g.whole(g.accounts.Get().SetHeader("Accept", g.kind.accept).
			Namespace(g.namespace).Resource(g.kind.resource).Name(name).MaxRetries(0).Do(ctx))
		return err
	})
	return account, err
}

// Write makes one change; see pool.Store. The answer says where the credentials lie, so that nobody has to ask for it.
func (g *Garden) Write(ctx context.Context, judged pool.Account, change pool.Change) (pool.Account, error) {
	body, err := g.keys.patch(judged, change)
	if err != nil {
		return pool.Account{}, err
	}
	if err := ctx.Err(); err != nil {
		return pool.Account{}, context.Cause(ctx) // nothing was sent
	}
	send := func() (pool.Account, error) {
		ctx, cancel := context.WithTimeout(ctx, requestTimeout)
		defer cancel()
		// Retries are the caller's business: only who judges anew may send anew.
		return g.whole(g.accounts.Patch(types.MergePatchType).SetHeader("Accept", g.kind.accept).
			Namespace(g.namespace).Resource(g.kind.resource).Name(judged.Name).Body(body).MaxRetries(0).Do(ctx))
	}
	account, err := send()
	if apierrors.IsUnauthorized(err) { // not executed; a token that comes from a file or a program may be renewed by now
		account, err = send()
	}
	if err != nil {
		return pool.Account{}, writeError(ctx, call{verb: "patch", resource: g.kind.resource, namespace: g.namespace, account: judged.Name}, err)
	}
	return account, nil
}

// whole reads an account, with its credentials, from the answer to a request.
func (g *Garden) whole(result rest.Result) (pool.Account, error) {
	answer, err := answerOf[runtime.Object](result)
	if err != nil {
		return pool.Account{}, err
	}
	meta, credentials := g.kind.read(answer)
	if meta == nil {
		return pool.Account{}, fmt.Errorf("the server answers with a %T", answer)
	}
	a := g.keys.account(meta)
	a.Credentials = credentials
	return a, nil
}

// answerOf decodes an answer that must be of the type. Decoded into an object, one of another type would leave it empty,
// and an empty list of accounts is a decision.
func answerOf[T runtime.Object](result rest.Result) (T, error) {
	var wanted T
	answer, err := result.Get()
	if err != nil {
		return wanted, err
	}
	wanted, ok := answer.(T)
	if !ok {
		return wanted, fmt.Errorf("the server answers with a %T", answer)
	}
	return wanted, nil
}
