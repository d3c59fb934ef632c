package garden

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	gardensecurity "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// List returns every object of the accounts' kind with its credentials; see pool.Store. Of Secrets it returns the metadata of those that
// carry a hyperscaler type: most of a namespace are none of the pool's.
func (g *Garden) List(ctx context.Context) ([]account.Account, error) {
	options := metav1.ListOptions{Limit: accountsPageSize}
	accept := kube.AcceptObject
	if !g.OwnsObjects() {
		options.LabelSelector, accept = g.keys.HyperscalerType, kube.AcceptMetadataList
	}
	return g.list(ctx, g.kind, options, accept, "")
}

// Siblings returns the bindings of the other kinds; see pool.Store. Where a kind must not be listed, or is not there, no later call asks
// for it.
func (g *Garden) Siblings(ctx context.Context) (siblings []account.Account, hidden error) {
	for _, kind := range []Kind{CredentialsBinding, SecretBinding} {
		of := kinds[kind]
		if of.resource == g.kind.resource {
			continue
		}
		if known, asked := g.unlisted.Load(kind); asked {
			if err, forbidden := known.(error); forbidden {
				hidden = err
			}
			continue
		}
		found, err := g.list(ctx, of, metav1.ListOptions{Limit: accountsPageSize}, kube.AcceptObject, kind)
		switch {
		case errors.As(err, new(*account.NoAPIError)):
			g.unlisted.Store(kind, true)
		case errors.As(err, new(*account.ForbiddenError)):
			g.unlisted.Store(kind, err)
			hidden = err
		case err != nil:
			return nil, err
		}
		siblings = append(siblings, found...)
	}
	return siblings, hidden
}

// list lists the objects of one kind. Those of another kind than the accounts' are named with it.
func (g *Garden) list(ctx context.Context, of kindOf, options metav1.ListOptions, accept string, other Kind) ([]account.Account, error) {
	var accounts []account.Account
	what := kube.Call{Verb: "list", Resource: of.resource, Namespace: g.namespace}
	err := g.group(of).List(ctx, what, options, func() { accounts = nil },
		func(ctx context.Context, request *rest.Request) (string, error) {
			list, err := kube.Answer[runtime.Object](request.SetHeader("Accept", accept).Do(ctx))
			if err != nil {
				return "", err
			}
			page, next, err := g.page(list, of, other)
			accounts = append(accounts, page...)
			return next, err
		})
	if err != nil {
		return nil, Translate(err)
	}
	return accounts, nil
}

// page reads one page of a list.
func (g *Garden) page(list runtime.Object, of kindOf, other Kind) (page []account.Account, next string, err error) {
	about, err := meta.ListAccessor(list)
	if err != nil {
		return nil, "", fmt.Errorf("the server answers with a %T", list)
	}
	err = meta.EachListItem(list, func(item runtime.Object) error {
		found, credentials := of.read(item)
		if found == nil {
			return fmt.Errorf("the server lists a %T", item)
		}
		page = append(page, g.account(found, credentials, other))
		return nil
	})
	return page, about.GetContinue(), err
}

// account is what an object says of an account, or of a sibling of another kind.
func (g *Garden) account(found *metav1.ObjectMeta, credentials *account.Credentials, other Kind) account.Account {
	a := g.keys.account(found)
	a.Credentials = credentials
	_, typed := found.Labels[g.keys.HyperscalerType]
	a.Sibling = !typed || other != ""
	if other != "" {
		a.Name = account.BindingOf(string(other), a.Name)
	}
	return a
}

// group speaks with the API group of a kind.
func (g *Garden) group(of kindOf) *kube.Group {
	switch of.group {
	case gardensecurity.SchemeGroupVersion:
		return g.security
	case gardencore.SchemeGroupVersion:
		return g.core
	}
	return g.accounts
}

// object says which object an account is, or a sibling: its kind, that kind where it is not that of the accounts, and its name.
func (g *Garden) object(accountName string) (of kindOf, other Kind, name string) {
	kind, name := account.BindingName(accountName)
	if kind == "" {
		return g.kind, "", name
	}
	return kinds[Kind(kind)], Kind(kind), name
}

// Get reads one account anew; see pool.Store.
func (g *Garden) Get(ctx context.Context, name string) (account.Account, error) {
	var account account.Account
	of, other, plain := g.object(name)
	what := kube.Call{Verb: "get", Resource: of.resource, Namespace: g.namespace, Name: plain}
	err := kube.Read(ctx, what, func(ctx context.Context) (err error) {
		account, err = g.whole(g.group(of).Request(what).SetHeader("Accept", of.accept).Do(ctx), of, other)
		return err
	})
	return account, translateAs(name, err)
}

// Write makes one change; see pool.Store. The answer says where the credentials lie, so no further request asks for it. An answer that
// does not show the change is a lost one.
func (g *Garden) Write(ctx context.Context, judged account.Account, change account.Change) (account.Account, error) {
	body, err := g.keys.patch(judged, change)
	if err != nil {
		return account.Account{}, err
	}
	var a account.Account
	of, other, plain := g.object(judged.Name)
	what := kube.Call{Verb: "patch", Resource: of.resource, Namespace: g.namespace, Name: plain}
	err = kube.Write(ctx, what, func(ctx context.Context) error {
		answer, meta, err := g.answered(g.group(of).Request(what).SetHeader("Accept", of.accept).
			SetHeader("Content-Type", string(types.MergePatchType)).Body(body).Do(ctx), of, other)
		a = answer
		if err != nil {
			return err
		}
		return g.keys.confirm(judged, change, answer, meta)
	})
	if err != nil {
		return account.Account{}, translateAs(judged.Name, err)
	}
	return a, nil
}

// confirm checks that the answer to a write is of this account, shows the change, and has a new version. A server keeps the
// version where there was nothing to change.
func (k LabelKeys) confirm(judged account.Account, change account.Change, answer account.Account, meta *metav1.ObjectMeta) error {
	sent, err := k.changed(change)
	if err != nil {
		return err
	}
	_, sent["name"] = account.BindingName(judged.Name)
	sent["uid"] = judged.UID
	if err := kube.Confirm(map[string]any{"metadata": sent}, map[string]any{"metadata": meta}); err != nil {
		return err
	}
	if answer.Version == "" || answer.Version == judged.Version && !reflect.DeepEqual(answer.Bare(), judged.Bare()) {
		return &kube.UnconfirmedError{What: "a new metadata.resourceVersion"}
	}
	return nil
}

// call says what a request about accounts is for.
func (g *Garden) call(verb, name string) kube.Call {
	return kube.Call{Verb: verb, Resource: g.kind.resource, Namespace: g.namespace, Name: name}
}

// whole reads an account, with its credentials, from the answer to a request.
func (g *Garden) whole(result rest.Result, of kindOf, other Kind) (account.Account, error) {
	account, _, err := g.answered(result, of, other)
	return account, err
}

// answered is whole with the metadata as the server has sent it.
func (g *Garden) answered(result rest.Result, of kindOf, other Kind) (account.Account, *metav1.ObjectMeta, error) {
	answer, err := kube.Answer[runtime.Object](result)
	if err != nil {
		return account.Account{}, nil, err
	}
	about, credentials := of.read(answer)
	if about == nil {
		return account.Account{}, nil, fmt.Errorf("the server answers with a %T", answer)
	}
	return g.account(about, credentials, other), about, nil
}
