// Package api has the objects of openMCP's API on a platform cluster: their fields, and how they are read, written and awaited. It writes
// with strict field validation, so that no field is dropped without a word, and it deletes and changes only the object that was judged, by
// its UID and its version. What waits shares one watch for each kind and namespace, and what reads many objects one list.
//
// What an object says of itself is read here, too: whether a request is granted, who holds a Cluster ([Grants]), and which configuration
// has made it ([MarkOf]).
package api

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// fieldManager is under which name the provider writes.
const fieldManager = "terraform-provider-hap"

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

// Create makes an object. It never touches one that is there.
func (k *Kind[S, T]) Create(ctx context.Context, meta metav1.ObjectMeta, spec any) (*object[S, T], error) {
	return k.write(ctx, k.call("create", Ref{meta.Namespace, meta.Name}), "", k.body(meta, spec),
		&metav1.CreateOptions{FieldManager: fieldManager, FieldValidation: metav1.FieldValidationStrict})
}

// Check has the server check the creation of an object, which makes none. A server one of whose webhooks cannot check checks nothing.
//
// Errors: as of [Kind.Create], and those of [kube.Read].
func (k *Kind[S, T]) Check(ctx context.Context, meta metav1.ObjectMeta, spec any) error {
	content, err := Encode(k.body(meta, spec))
	if err != nil {
		return err
	}
	call := k.call("create", Ref{meta.Namespace, meta.Name})
	options := &metav1.CreateOptions{
		DryRun: []string{metav1.DryRunAll}, FieldManager: fieldManager, FieldValidation: metav1.FieldValidationStrict,
	}
	err = kube.Read(ctx, call, func(ctx context.Context) error {
		return k.group.Request(call).Body(content).SpecificallyVersionedParams(options, metav1.ParameterCodec, metav1.Unversioned).Do(ctx).Error()
	})
	if err != nil && strings.Contains(err.Error(), "does not support dry run") {
		return nil
	}
	return OfServer(err)
}

func (k *Kind[S, T]) body(meta metav1.ObjectMeta, spec any) map[string]any {
	if k.client.Run != "" {
		meta.Annotations = maps.Clone(meta.Annotations)
		if meta.Annotations == nil {
			meta.Annotations = map[string]string{}
		}
		meta.Annotations[kube.RunAnnotation] = k.client.Run
	}
	return map[string]any{"apiVersion": k.version.String(), "kind": k.name, "metadata": meta, "spec": spec}
}

// Merge changes fields of this object, as it was judged, by a JSON merge patch. Where another party has changed it since, nothing is
// written.
func (k *Kind[S, T]) Merge(ctx context.Context, judged *object[S, T], change map[string]any) (*object[S, T], error) {
	metadata, _ := change["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		change["metadata"] = metadata
	}
	maps.Copy(metadata, versionOf(judged))
	return k.write(ctx, k.call("patch", judged.Ref()), types.MergePatchType, change,
		&metav1.PatchOptions{FieldManager: fieldManager, FieldValidation: metav1.FieldValidationStrict})
}

// versionOf names this object, as it was judged, in the metadata of a patch.
func versionOf[S, T any](judged *object[S, T]) map[string]any {
	return map[string]any{"uid": string(judged.UID), "resourceVersion": judged.ResourceVersion}
}

// Revise changes this object as it is now. Where another party changes it meanwhile, or the answer is lost, it is read and judged again. A
// change of nil writes nothing.
//
// Errors: [*GoneError]; that of the judge; those of [kube.Read] and [kube.Write].
func (k *Kind[S, T]) Revise(
	ctx context.Context, of Ref, uid types.UID, change func(live *object[S, T]) (map[string]any, error),
) (written *object[S, T], err error) {
	var lost error
	for range reviseTries {
		live, readErr := k.Get(ctx, of)
		if IsGone(readErr) || readErr == nil && live.UID != uid {
			readErr = &GoneError{Kind: k.name, Ref: of, UID: string(uid)}
		}
		if readErr != nil {
			return nil, AlsoLost(lost, readErr)
		}
		patch, judgeErr := change(live)
		if judgeErr != nil {
			return live, AlsoLost(lost, judgeErr)
		}
		if patch == nil {
			return live, nil
		}
		written, err = k.Merge(ctx, live, patch)
		switch Reason(err) {
		case kube.UnknownOutcome:
			lost = err
		case kube.Conflict, kube.Throttled:
		default:
			if err != nil {
				err = AlsoLost(lost, err)
			}
			return written, err
		}
		if !Pause(ctx) {
			break
		}
	}
	return nil, AlsoLost(lost, err)
}

// reviseTries bounds how often an object is read again that changes under a write. A provider writes its Cluster many times a minute while
// that comes up.
const reviseTries = 100

// MergeStatus changes the status of this object, as it was judged, by a JSON merge patch. Where the answer is lost, or another party
// has changed anything but the status, the object is judged again, and the change sent again. The judge reports whether the object has that
// status already; its error says that the status must not be written any more, and comes back with the object.
//
// Errors: [*GoneError]; that of the judge; Conflict of [kube.Write] where another party has written another status; others of [kube.Read]
// and [kube.Write].
func (k *Kind[S, T]) MergeStatus(
	ctx context.Context, judged *object[S, T], status map[string]any, judge func(*object[S, T]) (says bool, err error),
) (written *object[S, T], err error) {
	call := k.call("patch", judged.Ref())
	call.Subresource = "status"
	for range reviseTries {
		written, err = k.write(ctx, call, types.MergePatchType, map[string]any{"metadata": versionOf(judged), "status": status},
			&metav1.PatchOptions{FieldManager: fieldManager, FieldValidation: metav1.FieldValidationStrict})
		switch Reason(err) {
		case kube.UnknownOutcome, kube.Throttled, kube.Conflict:
		default:
			return written, err
		}
		if !Pause(ctx) {
			return nil, err
		}
		live, readErr := k.Get(ctx, judged.Ref())
		switch {
		case readErr != nil:
			return nil, AlsoLost(err, readErr)
		case live.UID != judged.UID:
			return nil, &GoneError{Kind: k.name, Ref: judged.Ref(), UID: string(judged.UID)}
		}
		says, judgeErr := judge(live)
		switch {
		case says:
			return live, nil
		case judgeErr != nil:
			return live, judgeErr
		case !reflect.DeepEqual(live.Status, judged.Status):
			return nil, err
		}
		judged = live
	}
	return nil, err
}

func (k *Kind[S, T]) write(
	ctx context.Context, call kube.Call, patch types.PatchType, body any, options runtime.Object,
) (written *object[S, T], err error) {
	content, err := Encode(body)
	if err != nil {
		return nil, err
	}
	err = kube.Write(ctx, call, func(ctx context.Context) (err error) {
		request := k.group.Request(call).Body(content).SpecificallyVersionedParams(options, metav1.ParameterCodec, metav1.Unversioned)
		if patch != "" {
			request.SetHeader("Content-Type", string(patch))
		}
		answer := request.Do(ctx)
		if written, err = kube.Answer[*object[S, T]](answer); err != nil {
			return err
		}
		return k.confirm(call, content, answer, written)
	})
	if err != nil {
		return nil, OfServer(err)
	}
	return written, nil
}

// confirm checks that the answer to a write is of the object, and shows what was sent. One that does not is a lost one.
func (k *Kind[S, T]) confirm(call kube.Call, sent []byte, answer rest.Result, written *object[S, T]) error {
	if written.Name != call.Name || written.Namespace != call.Namespace || written.UID == "" || written.ResourceVersion == "" {
		return &kube.UnconfirmedError{What: "which object it is"}
	}
	got, err := answer.Raw()
	if err != nil {
		return err
	}
	return kube.Confirm(sent, got)
}

// Withdraw deletes this object as it was read. Where it is gone, or going, nothing is done. Where another party has changed it since,
// or the answer is lost, it is read and judged again.
func (k *Kind[S, T]) Withdraw(ctx context.Context, live *object[S, T], judge func(live *object[S, T]) error) (err error) {
	of, uid := live.Ref(), live.UID
	for range reviseTries {
		if live.UID != uid || live.DeletionTimestamp != nil {
			return nil
		}
		if refused := judge(live); refused != nil {
			return AlsoLost(err, refused)
		}
		switch err = k.Remove(ctx, live); Reason(err) {
		case kube.NotFound:
			return nil
		case kube.Conflict, kube.UnknownOutcome, kube.Throttled: // read again
		default:
			return err
		}
		if !Pause(ctx) {
			return err
		}
		again, readErr := k.Get(ctx, of)
		switch {
		case IsGone(readErr):
			return nil
		case readErr != nil:
			return AlsoLost(err, readErr)
		}
		live = again
	}
	return fmt.Errorf("the deletion of %s %s was sent again and again: %w", k.name, of, err)
}

// Anyway judges nothing of an object that is to be deleted.
func Anyway[S, T any](*object[S, T]) error { return nil }

// Remove sends the deletion of this object, as it was judged, once.
func (k *Kind[S, T]) Remove(ctx context.Context, judged *object[S, T]) error {
	call := k.call("delete", judged.Ref())
	only := metav1.Preconditions{UID: &judged.UID, ResourceVersion: &judged.ResourceVersion}
	return OfServer(kube.Write(ctx, call, func(ctx context.Context) error {
		return k.group.Request(call).Body(&metav1.DeleteOptions{Preconditions: &only}).Do(ctx).Error()
	}))
}
