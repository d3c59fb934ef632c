package garden

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	gardencore "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	gardensecurity "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
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
	return g.list(ctx, g.kind, options, accept, within{g.namespace, ""})
}

// within says which objects a list is of: those of one namespace, empty for all of the server; and of which other kind than the accounts'
// they are, or of which kind outside of the pool's namespace; empty = of the accounts' kind.
type within struct {
	namespace string
	other     Kind
}

// Siblings returns the bindings of the other kinds; see pool.Store.
func (g *Garden) Siblings(ctx context.Context) (siblings []account.Account, hidden error) {
	for _, kind := range bindingKinds {
		if kinds[kind].resource == g.kind.resource {
			continue
		}
		found, err := g.bindings(ctx, within{g.namespace, kind})
		if hidden, err = forbidden(hidden, err); err != nil {
			return nil, err
		}
		siblings = append(siblings, found...)
	}
	return siblings, hidden
}

// Outside returns the bindings of other namespaces that refer to the same credentials; see pool.Store.
func (g *Garden) Outside(ctx context.Context, of []account.Account) (found []account.Account, hidden error) {
	abroad, namespaces := map[account.CredentialsRef]bool{}, map[string]bool{}
	for i := range of {
		for _, key := range of[i].CredentialsKeys() {
			if key.Namespace != "" && key.Namespace != g.namespace {
				abroad[key], namespaces[key.Namespace] = true, true
			}
		}
	}
	if len(abroad) == 0 {
		return nil, nil
	}
	for _, kind := range bindingKinds {
		all, unlisted := g.bindingsOutside(ctx, kind, slices.Sorted(maps.Keys(namespaces)))
		var err error
		if hidden, err = forbidden(hidden, unlisted); err != nil {
			return nil, err
		}
		for _, a := range all {
			if a.Outside != "" && slices.ContainsFunc(a.CredentialsKeys(), func(key account.CredentialsRef) bool { return abroad[key] }) {
				found = append(found, a)
			}
		}
	}
	return found, hidden
}

// bindingsOutside returns the bindings of one kind in all namespaces, or where these must not be listed, in the given ones.
func (g *Garden) bindingsOutside(ctx context.Context, kind Kind, namespaces []string) (found []account.Account, hidden error) {
	found, err := g.bindings(ctx, within{"", kind})
	if everywhere, err := forbidden(nil, err); everywhere == nil {
		return found, err
	}
	for _, namespace := range namespaces {
		there, err := g.bindings(ctx, within{namespace, kind})
		if hidden, err = forbidden(hidden, err); err != nil {
			return nil, err
		}
		found = append(found, there...)
	}
	return found, hidden
}

// forbidden tells that a list is forbidden, as an earlier one may have been, from all else that may have failed.
func forbidden(before, err error) (hidden, failed error) {
	if errors.As(err, new(*account.ForbiddenError)) {
		return err, nil
	}
	return before, err
}

// bindings lists bindings that are no accounts of the pool. Those that must not be listed, or whose kind is not there, are not asked for
// again. That a kind is not there is believed of the server's own lists alone: a gateway answers 404 as well.
//
// Errors: those of list; a [account.ForbiddenError] each time.
func (g *Garden) bindings(ctx context.Context, in within) ([]account.Account, error) {
	if known, asked := g.unlisted.Load(in); asked {
		err, _ := known.(error)
		return nil, err
	}
	of := kinds[in.other]
	found, err := g.list(ctx, of, metav1.ListOptions{Limit: accountsPageSize}, kube.AcceptObject, in)
	switch {
	case errors.As(err, new(*account.NoAPIError)):
		if err := g.lacks(ctx, of); err != nil {
			return nil, err
		}
		g.unlisted.Store(in, true)
		return nil, nil
	case errors.As(err, new(*account.ForbiddenError)):
		g.unlisted.Store(in, err)
	}
	return found, err
}

// lacks confirms that the server does not have a kind; nil = it does not.
func (g *Garden) lacks(ctx context.Context, of kindOf) error {
	err := g.group(of).Lacks(ctx, of.group.WithResource(of.resource))
	if lost, ok := errors.AsType[*kube.LostPathError](err); ok {
		return &account.UnreachableError{Verb: "list", Resource: of.resource, Tries: 1, Err: lost}
	}
	return Translate(err)
}

// list lists the objects of one kind. Those of another kind than the accounts' are named with it.
func (g *Garden) list(ctx context.Context, of kindOf, options metav1.ListOptions, accept string, in within) ([]account.Account, error) {
	var accounts []account.Account
	what := kube.Call{Verb: "list", Resource: of.resource, Namespace: in.namespace}
	err := g.group(of).List(ctx, what, options, func() { accounts = nil },
		func(ctx context.Context, request *rest.Request) (string, error) {
			list, err := kube.Answer[runtime.Object](request.SetHeader("Accept", accept).Do(ctx))
			if err != nil {
				return "", err
			}
			page, next, err := g.page(list, of, in.other)
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
	a.SameAs, a.SameAsUnread = sameAs(found)
	_, typed := found.Labels[g.keys.HyperscalerType]
	a.Sibling = !typed || other != ""
	switch {
	case other != "" && found.Namespace != g.namespace:
		a.Outside, a.Name = found.Namespace, account.OutsideName(string(other), found.Namespace, a.Name)
		a.SameAs, a.SameAsUnread = account.CredentialsRef{}, "" // the word of another namespace's owner says nothing of this pool
	case other != "":
		a.Name = account.BindingOf(string(other), a.Name)
	}
	return a
}

// sameAs is the Secret into whose cloud account a binding leads by the word of the pool's owner; zero = the owner says nothing, or what
// names no Secret. Blanks around the names mean nothing.
func sameAs(found *metav1.ObjectMeta) (_ account.CredentialsRef, unread string) {
	said, there := found.Annotations[account.SameAnnotation]
	if !there {
		return account.CredentialsRef{}, ""
	}
	namespace, name, both := strings.Cut(said, "/")
	if !both {
		namespace, name = found.Namespace, said
	}
	namespace, name = strings.TrimSpace(namespace), strings.TrimSpace(name)
	if both && len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0 {
		return account.CredentialsRef{}, strconv.Quote(kube.Clean(said))
	}
	return secretRef(namespace, name), ""
}

// group speaks with the API group of a kind.
func (g *Garden) group(of kindOf) *kube.Group {
	switch of.group {
	case gardensecurity.SchemeGroupVersion:
		return g.security
	case gardencore.SchemeGroupVersion:
		return g.core
	case secretsGroup:
		return g.secretMetadata
	}
	return g.accounts
}

// object says which object an account is, or a sibling: where it is, its kind, and its name.
func (g *Garden) object(accountName string) (of kindOf, in within, name string) {
	kind, name := account.BindingName(accountName)
	if kind == "" {
		return g.kind, within{g.namespace, ""}, name
	}
	if namespace, plain, outside := strings.Cut(name, "/"); outside {
		return kinds[Kind(kind)], within{namespace, Kind(kind)}, plain
	}
	return kinds[Kind(kind)], within{g.namespace, Kind(kind)}, name
}

// Get reads one account anew; see pool.Store.
func (g *Garden) Get(ctx context.Context, name string) (account.Account, error) {
	var found account.Account
	of, in, plain := g.object(name)
	what := kube.Call{Verb: "get", Resource: of.resource, Namespace: in.namespace, Name: plain}
	err := kube.Read(ctx, what, func(ctx context.Context) (err error) {
		found, err = g.whole(g.group(of).Request(what).SetHeader("Accept", of.accept).Do(ctx), of, in.other)
		return err
	})
	err = translateAs(name, err)
	if in.other != "" && errors.As(err, new(*account.NoAPIError)) { // Gardener has given a kind of bindings up
		if err := g.lacks(ctx, of); err != nil {
			return account.Account{}, err
		}
		return account.Account{}, &account.NotFoundError{Account: name}
	}
	return found, err
}

// Write makes one change; see pool.Store. The answer says where the credentials lie, so no further request asks for it. An answer that
// does not show the change is a lost one.
func (g *Garden) Write(ctx context.Context, judged account.Account, change account.Change) (account.Account, error) {
	body, err := g.keys.patch(judged, change)
	if err != nil {
		return account.Account{}, err
	}
	var a account.Account
	of, in, plain := g.object(judged.Name)
	if in.namespace != g.namespace {
		return account.Account{}, fmt.Errorf("%s is a binding of another namespace, and is never written", judged.Name)
	}
	what := kube.Call{Verb: "patch", Resource: of.resource, Namespace: g.namespace, Name: plain}
	err = kube.Write(ctx, what, func(ctx context.Context) error {
		answer, meta, err := g.answered(g.group(of).Request(what).SetHeader("Accept", of.accept).
			SetHeader("Content-Type", string(types.MergePatchType)).Body(body).Do(ctx), of, in.other)
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
