package openmcp

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// fieldManager is under which name the provider writes.
const fieldManager = "terraform-provider-hap"

// kind reads and writes the objects of one kind.
type kind[Spec, State any] struct {
	name    string
	version schema.GroupVersion
	group   *kube.Group
	// namespace is where the objects are listed and watched; empty = everywhere, or they lie in none.
	namespace string
	watcher   *kube.Watcher[*object[Spec, State]]
	recent    kube.Recent[*object[Spec, State]]
	progress  progress // of the scheduler, where these are requests
}

func newKind[Spec, State any](name string, version schema.GroupVersion, client *kube.Client, namespace string) (*kind[Spec, State], error) {
	group, err := client.Group(version, codecs.WithoutConversion())
	if err != nil {
		return nil, err
	}
	k := &kind[Spec, State]{name: name, version: version, group: group, namespace: namespace}
	k.recent.Few = 1 // requests come in groups, and there are few of any kind
	k.watcher = kube.NewWatcher(group, k.call("watch", Ref{Namespace: namespace}), k.list)
	return k, nil
}

// kinds are the objects of one kind in several namespaces: each namespace is listed and watched by itself, as far as the rights go.
type kinds[Spec, State any] struct {
	name    string
	version schema.GroupVersion
	client  *kube.Client

	mu sync.Mutex
	in map[string]*kind[Spec, State]
}

func newKinds[Spec, State any](name string, version schema.GroupVersion, client *kube.Client) *kinds[Spec, State] {
	return &kinds[Spec, State]{name: name, version: version, client: client, in: map[string]*kind[Spec, State]{}}
}

// of returns the objects of a namespace.
func (k *kinds[S, T]) of(namespace string) (*kind[S, T], error) {
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

func (k *kind[S, T]) call(verb string, of Ref) kube.Call {
	return kube.Call{Verb: verb, Resource: strings.ToLower(k.name) + "s", Namespace: of.Namespace, Name: of.Name}
}

func (k *kind[S, T]) get(ctx context.Context, of Ref) (found *object[S, T], err error) {
	call := k.call("get", of)
	err = kube.Read(ctx, call, func(ctx context.Context) (err error) {
		found, err = kube.Answer[*object[S, T]](k.group.Request(call).Do(ctx))
		return err
	})
	if reason(err) == kube.NotFound {
		return nil, &GoneError{Kind: k.name, Ref: of}
	}
	return found, ofServer(err)
}

// list reads all objects, page by page, and the version of the list, from which a watch goes on.
func (k *kind[S, T]) list(ctx context.Context) (all []*object[S, T], version string, err error) {
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
	return all, version, ofServer(err)
}

// read reads an object for a refresh, as [kube.Recent] does.
func (k *kind[S, T]) read(ctx context.Context, of Ref) (*object[S, T], error) {
	return k.recent.Read(ctx, types.NamespacedName(of),
		func(ctx context.Context) (*object[S, T], error) { return k.get(ctx, of) }, k.named)
}

// create makes an object. It never touches one that is there.
func (k *kind[S, T]) create(ctx context.Context, meta metav1.ObjectMeta, spec any) (*object[S, T], error) {
	return k.write(ctx, k.call("create", Ref{meta.Namespace, meta.Name}), "", map[string]any{
		"apiVersion": k.version.String(), "kind": k.name, "metadata": meta, "spec": spec,
	}, &metav1.CreateOptions{FieldManager: fieldManager, FieldValidation: metav1.FieldValidationStrict})
}

// merge changes fields of the very object by a JSON merge patch. change is complete but for the uid.
func (k *kind[S, T]) merge(ctx context.Context, of Ref, uid types.UID, change map[string]any) (*object[S, T], error) {
	metadata, _ := change["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		change["metadata"] = metadata
	}
	metadata["uid"] = string(uid)
	return k.write(ctx, k.call("patch", of), types.MergePatchType, change,
		&metav1.PatchOptions{FieldManager: fieldManager, FieldValidation: metav1.FieldValidationStrict})
}

// mergeStatus changes the status of the very object by a JSON merge patch. Where the answer is lost it is sent again: it says the same.
func (k *kind[S, T]) mergeStatus(ctx context.Context, of Ref, uid types.UID, status map[string]any) (written *object[S, T], err error) {
	call := k.call("patch", of)
	call.Subresource = "status"
	for range statusTries {
		written, err = k.write(ctx, call, types.MergePatchType, map[string]any{"metadata": map[string]any{"uid": string(uid)}, "status": status},
			&metav1.PatchOptions{FieldManager: fieldManager, FieldValidation: metav1.FieldValidationStrict})
		if why := reason(err); why != kube.UnknownOutcome && why != kube.Throttled {
			break
		}
	}
	return written, err
}

// statusTries bounds how often a status is sent.
const statusTries = 5

func (k *kind[S, T]) write(
	ctx context.Context, call kube.Call, patch types.PatchType, body any, options runtime.Object,
) (written *object[S, T], err error) {
	content, err := encode(body)
	if err != nil {
		return nil, err
	}
	err = kube.Write(ctx, call, func(ctx context.Context) (err error) {
		request := k.group.Request(call).Body(content).SpecificallyVersionedParams(options, metav1.ParameterCodec, metav1.Unversioned)
		if patch != "" {
			request.SetHeader("Content-Type", string(patch))
		}
		written, err = kube.Answer[*object[S, T]](request.Do(ctx))
		return err
	})
	return written, ofServer(err)
}

// removeTries bounds how often a deletion is sent where its answer is lost. Sending it again deletes nothing else: it bears the uid.
const removeTries = 5

// withdraw deletes the very object. Where it is gone, or going, nothing is done.
func (k *kind[S, T]) withdraw(ctx context.Context, of Ref, uid types.UID) (err error) {
	for range removeTries {
		err = k.remove(ctx, of, metav1.Preconditions{UID: &uid})
		switch reason(err) {
		case kube.NotFound, kube.Conflict: // gone, or another object has the name
			return nil
		case kube.UnknownOutcome, kube.Throttled: // send it again
		default:
			return err
		}
	}
	return fmt.Errorf("the deletion of %s %s was sent %d times: %w", k.name, of, removeTries, err)
}

// remove sends the deletion of an object once.
func (k *kind[S, T]) remove(ctx context.Context, of Ref, only metav1.Preconditions) error {
	call := k.call("delete", of)
	return ofServer(kube.Write(ctx, call, func(ctx context.Context) error {
		return k.group.Request(call).Body(&metav1.DeleteOptions{Preconditions: &only}).Do(ctx).Error()
	}))
}

// awaitGone waits until the very object is gone. Each state of it is shown.
func (k *kind[S, T]) awaitGone(ctx context.Context, of Ref, uid types.UID, see func(*object[S, T])) error {
	return k.watcher.Await(ctx, of.Namespace, of.Name, func(live *object[S, T]) (bool, error) {
		if live == nil || live.UID != uid {
			return true, nil
		}
		see(live)
		return false, nil
	})
}

// exists asks for the very object, behind a list that may be older than it; nil = it lives.
func (k *kind[S, T]) exists(ctx context.Context, of Ref, uid types.UID) error {
	live, err := k.get(ctx, of)
	if err == nil && live.UID != uid {
		return &GoneError{Kind: k.name, Ref: of, UID: string(uid)}
	}
	if IsGone(err) {
		return &GoneError{Kind: k.name, Ref: of, UID: string(uid)}
	}
	return nil // where the look fails, the watch goes on
}

// lookTime bounds the look behind a write whose answer was lost, also where the caller has given up.
const lookTime = 10 * time.Second
