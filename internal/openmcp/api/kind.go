// Package api has the objects of openMCP's API on a platform cluster: their fields, and how they are read, written and awaited. It writes
// with strict field validation, so that no field is dropped without a word, and it deletes and changes only the object that was judged, by
// its UID and its version. What waits shares one watch for each kind and namespace, and what reads many objects one list.
//
// What an object says of itself is read here, too: whether a request is granted, who holds a Cluster ([Grants]), and which configuration
// has made it ([MarkOf]).
package api

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// Kind reads and writes the objects of one kind.
type Kind[Spec, State any] struct {
	name    string
	version schema.GroupVersion
	client  *kube.Client
	group   *kube.Group
	// namespace is where the objects are listed and watched; empty = everywhere, or they lie in none.
	namespace string
	watcher   *kube.Watcher[*object[Spec, State]]
	recent    kube.Recent[*object[Spec, State]]
	lacking   atomic.Bool // the server says itself that it does not have the kind
}

func newKind[Spec, State any](name string, version schema.GroupVersion, client *kube.Client, namespace string) (*Kind[Spec, State], error) {
	group, err := client.Group(version, codecs.WithoutConversion())
	if err != nil {
		return nil, err
	}
	k := &Kind[Spec, State]{name: name, version: version, client: client, group: group, namespace: namespace}
	k.recent.Few = 1 // requests come in groups, and there are few of any kind
	k.watcher = kube.NewWatcher(group, k.call("watch", Ref{Namespace: namespace}), k.List)
	return k, nil
}

// Kinds are the objects of one kind in several namespaces: each namespace is listed and watched by itself, as far as the rights go.
type Kinds[Spec, State any] struct {
	name    string
	version schema.GroupVersion
	client  *kube.Client

	mu sync.Mutex
	in map[string]*Kind[Spec, State]
}

func newKinds[Spec, State any](name string, version schema.GroupVersion, client *kube.Client) *Kinds[Spec, State] {
	return &Kinds[Spec, State]{name: name, version: version, client: client, in: map[string]*Kind[Spec, State]{}}
}

// In returns the objects of a namespace.
func (k *Kinds[S, T]) In(namespace string) (*Kind[S, T], error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.in[namespace] == nil {
		in, err := newKind[S, T](k.name, k.version, k.client, namespace)
		if err != nil {
			return nil, err
		}
		k.in[namespace] = in
	}
	return k.in[namespace], nil
}

// Read reads an object for a refresh, as [kube.Recent] does.
//
// Errors: [*GoneError]; those of [kube.Read].
func (k *Kinds[S, T]) Read(ctx context.Context, of Ref) (*object[S, T], error) {
	in, err := k.In(of.Namespace)
	if err != nil {
		return nil, err
	}
	return in.Read(ctx, of)
}

// All reads all objects of a namespace; empty = of all namespaces.
//
// Errors: those of [kube.Group.List].
func (k *Kinds[S, T]) All(ctx context.Context, namespace string) ([]*object[S, T], error) {
	in, err := k.In(namespace)
	if err != nil {
		return nil, err
	}
	return in.All(ctx)
}

// Get reads an object by itself.
//
// Errors: [*GoneError]; those of [kube.Read].
func (k *Kinds[S, T]) Get(ctx context.Context, of Ref) (*object[S, T], error) {
	in, err := k.In(of.Namespace)
	if err != nil {
		return nil, err
	}
	return in.Get(ctx, of)
}

func (k *Kind[S, T]) call(verb string, of Ref) kube.Call {
	return kube.Call{Verb: verb, Resource: strings.ToLower(k.name) + "s", Namespace: of.Namespace, Name: of.Name}
}

// answered is the error of a read. That the server has no such kind is believed of its own lists alone, because a gateway answers 404 as
// well: where they do not confirm it the error is a [kube.LostPathError]. What they have said once is not asked for again.
func (k *Kind[S, T]) answered(ctx context.Context, err error) error {
	if Reason(err) != kube.NoAPI || k.lacking.Load() {
		return OfServer(err)
	}
	if lost := k.group.Lacks(ctx, k.version.WithResource(k.call("list", Ref{}).Resource)); lost != nil {
		return &ServerError{lost}
	}
	k.lacking.Store(true)
	return OfServer(err)
}

// Get reads an object by itself.
//
// Errors: [*GoneError]; those of [kube.Read].
func (k *Kind[S, T]) Get(ctx context.Context, of Ref) (found *object[S, T], err error) {
	call := k.call("get", of)
	err = kube.Read(ctx, call, func(ctx context.Context) (err error) {
		found, err = kube.Answer[*object[S, T]](k.group.Request(call).Do(ctx))
		return err
	})
	if Reason(err) == kube.NotFound {
		return nil, &GoneError{Kind: k.name, Ref: of}
	}
	return found, k.answered(ctx, err)
}

// List reads all objects, page by page, and the version of the list, from which a watch goes on.
func (k *Kind[S, T]) List(ctx context.Context) (all []*object[S, T], version string, err error) {
	err = k.group.List(ctx, k.call("list", Ref{Namespace: k.namespace}), metav1.ListOptions{}, func() { all, version = nil, "" },
		func(ctx context.Context, request *rest.Request) (string, error) {
			page, err := kube.Answer[*listOf[S, T]](request.Do(ctx))
			if err != nil {
				return "", err
			}
			for i := range page.Items {
				all = append(all, &page.Items[i])
			}
			version = page.ResourceVersion
			return page.Continue, nil
		})
	return all, version, k.answered(ctx, err)
}

// All reads all objects.
//
// Errors: those of [kube.Group.List].
func (k *Kind[S, T]) All(ctx context.Context) ([]*object[S, T], error) {
	all, _, err := k.List(ctx)
	return all, err
}

// Recent returns all objects by a list that all reads of a run share, in no order.
//
// Errors: those of [kube.Group.List].
func (k *Kind[S, T]) Recent(ctx context.Context) ([]*object[S, T], error) {
	named, err := k.recent.All(ctx, k.named)
	return slices.Collect(maps.Values(named)), err
}

// Read reads an object for a refresh, as [kube.Recent] does.
//
// Errors: [*GoneError]; those of [kube.Read].
func (k *Kind[S, T]) Read(ctx context.Context, of Ref) (*object[S, T], error) {
	return k.recent.Read(ctx, types.NamespacedName(of),
		func(ctx context.Context) (*object[S, T], error) { return k.Get(ctx, of) }, k.named)
}

// named reads all objects by their names.
func (k *Kind[S, T]) named(ctx context.Context) (map[types.NamespacedName]*object[S, T], error) {
	all, _, err := k.List(ctx)
	named := make(map[types.NamespacedName]*object[S, T], len(all))
	for _, o := range all {
		named[types.NamespacedName(o.Ref())] = o
	}
	return named, err
}
