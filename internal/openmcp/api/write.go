package api

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// fieldManager is under which name the provider writes.
const fieldManager = "terraform-provider-hap"

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
