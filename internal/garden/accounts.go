package garden

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// List returns every account of the namespace that carries a hyperscaler type; see pool.Store.
func (g *Garden) List(ctx context.Context) ([]pool.Account, error) {
	var accounts []pool.Account
	options := metav1.ListOptions{LabelSelector: g.keys.HyperscalerType, Limit: accountsPageSize}
	err := g.accounts.List(ctx, g.call("list", ""), options, func() { accounts = nil },
		func(ctx context.Context, request *rest.Request) (string, error) {
			list, err := kube.Answer[*metav1.PartialObjectMetadataList](request.SetHeader("Accept", kube.AcceptMetadataList).Do(ctx))
			if err != nil {
				return "", err
			}
			for i := range list.Items {
				accounts = append(accounts, g.keys.account(&list.Items[i].ObjectMeta))
			}
			return list.Continue, nil
		})
	if err != nil {
		return nil, translate(err)
	}
	return accounts, nil
}

// Get reads one account anew; see pool.Store.
func (g *Garden) Get(ctx context.Context, name string) (pool.Account, error) {
	var account pool.Account
	what := g.call("get", name)
	err := kube.Read(ctx, what, func(ctx context.Context) (err error) {
		account, err = g.whole(g.accounts.Request(what).SetHeader("Accept", g.kind.accept).Do(ctx))
		return err
	})
	return account, translate(err)
}

// Write makes one change; see pool.Store. The answer says where the credentials lie, so no further request asks for it.
func (g *Garden) Write(ctx context.Context, judged pool.Account, change pool.Change) (pool.Account, error) {
	body, err := g.keys.patch(judged, change)
	if err != nil {
		return pool.Account{}, err
	}
	var account pool.Account
	what := g.call("patch", judged.Name)
	err = kube.Write(ctx, what, func(ctx context.Context) (err error) {
		account, err = g.whole(g.accounts.Request(what).SetHeader("Accept", g.kind.accept).
			SetHeader("Content-Type", string(types.MergePatchType)).Body(body).Do(ctx))
		return err
	})
	return account, translate(err)
}

// call says what a request about accounts is for.
func (g *Garden) call(verb, name string) kube.Call {
	return kube.Call{Verb: verb, Resource: g.kind.resource, Namespace: g.namespace, Name: name}
}

// whole reads an account, with its credentials, from the answer to a request.
func (g *Garden) whole(result rest.Result) (pool.Account, error) {
	answer, err := kube.Answer[runtime.Object](result)
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
