package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"sync/atomic"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	securityv1alpha1 "github.com/gardener/gardener/pkg/apis/security/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hap-project/terraform-provider-hap/internal/testbed"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/local"
)

const (
	// watchSeconds is after how long the server closes a watch; it is then taken up again.
	watchSeconds = 600
	// listTimeout bounds the list of what is there at the start, which comes in pages.
	listTimeout = 2 * time.Minute
	listLimit   = 500
	// resumeTimeout bounds the attempts to take up a watch again.
	resumeTimeout = time.Minute
)

// ErrGap marks a history that may lack a revision.
var ErrGap = errors.New("revisions are missing")

// stream brings the revisions of one kind of object.
type stream struct {
	client    *rest.RESTClient
	codec     runtime.ParameterCodec // of the options of a list or a watch
	namespace string
	resource  string
	seconds   int64
	version   string // the last one that came
	track     *track
	watches   atomic.Int64 // how often a watch was begun
	done      chan struct{}
	err       error
}

func newStream(ns *testbed.Namespace, track *track, gv schema.GroupVersion, resource string, seconds int64) (*stream, error) {
	scheme := ns.Client().Scheme()
	config := ns.Garden().AdminConfig()
	config.APIPath = "/apis"
	config.GroupVersion = &gv
	config.AcceptContentTypes = runtime.ContentTypeProtobuf
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	config.UserAgent = "history"
	config.Timeout = 0 // it would cut every watch
	restClient, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, err
	}
	return &stream{
		client: restClient, codec: runtime.NewParameterCodec(scheme), namespace: ns.Name, resource: resource, seconds: seconds, track: track,
		done: make(chan struct{}),
	}, nil
}

// begin keeps what is there at a version, or now where none is given.
func (s *stream) begin(ctx context.Context, list client.ObjectList, version string) error {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	options := metav1.ListOptions{Limit: listLimit, ResourceVersion: version}
	if version != "" {
		options.ResourceVersionMatch = metav1.ResourceVersionMatchExact
	}
	for {
		err := s.client.Get().Namespace(s.namespace).Resource(s.resource).VersionedParams(&options, s.codec).Do(ctx).Into(list)
		if err != nil {
			return fmt.Errorf("listing the %s: %w", s.resource, err)
		}
		err = meta.EachListItem(list, func(object runtime.Object) error { return s.keep(Present, object) })
		if err != nil {
			return err
		}
		s.version = list.GetResourceVersion()
		if list.GetContinue() == "" {
			return nil
		}
		options = metav1.ListOptions{Limit: listLimit, Continue: list.GetContinue()}
		list.SetContinue("")
	}
}

// run keeps all that comes until the marker does. Every watch goes on where the one before has ended.
func (s *stream) run(ctx context.Context, marker string) {
	defer close(s.done)
	for {
		events, err := s.watch(ctx)
		if err != nil {
			s.err = err
			return
		}
		s.watches.Add(1)
		ended, err := s.read(events, marker)
		events.Stop()
		if ended || err != nil {
			s.err = err
			return
		}
	}
}

func (s *stream) watch(ctx context.Context) (watch.Interface, error) {
	options := metav1.ListOptions{
		Watch: true, AllowWatchBookmarks: true, ResourceVersion: s.version, TimeoutSeconds: ptr.To(s.seconds),
	}
	var events watch.Interface
	err := local.Poll(ctx, resumeTimeout, func(context.Context) error { // the watch outlives the deadline of the attempts
		var err error
		events, err = s.client.Get().Namespace(s.namespace).Resource(s.resource).VersionedParams(&options, s.codec).Watch(ctx)
		if gone := gapError(err); gone != nil {
			return local.StopPolling(gone)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("watching the %s from version %s: %w", s.resource, s.version, err)
	}
	return events, nil
}

// gapError is the error that says that the server does not know any more what came next.
func gapError(err error) error {
	if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
		return fmt.Errorf("%w: %w", ErrGap, err)
	}
	return nil
}

// read keeps the events of one watch until it ends, or until the marker comes.
func (s *stream) read(events watch.Interface, marker string) (ended bool, err error) {
	for event := range events.ResultChan() {
		if event.Type == watch.Error {
			return false, gapError(apierrors.FromObject(event.Object)) // anything else: take it up again
		}
		object, err := meta.Accessor(event.Object)
		if err != nil {
			return false, fmt.Errorf("the watch of the %s brought %T: %w", s.resource, event.Object, err)
		}
		if object.GetName() == marker {
			return true, nil
		}
		if event.Type != watch.Bookmark {
			if err := s.keep(eventOf(event.Type), event.Object); err != nil {
				return false, err
			}
		}
		s.version = object.GetResourceVersion()
	}
	return false, nil
}

func eventOf(t watch.EventType) Event {
	switch t {
	case watch.Added:
		return Added
	case watch.Deleted:
		return Deleted
	}
	return Modified
}

func (s *stream) keep(event Event, object runtime.Object) error {
	r, err := revisionOf(event, object)
	if err != nil || isMarker(strings.TrimPrefix(r.Name, secretBinding(""))) {
		return err
	}
	return s.track.add(r)
}

// revisionOf keeps what matters of an object.
func revisionOf(event Event, object runtime.Object) (Revision, error) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return Revision{}, err
	}
	r := Revision{
		Event: event, Name: accessor.GetName(), UID: string(accessor.GetUID()),
		Version: number(accessor.GetResourceVersion()), Terminating: accessor.GetDeletionTimestamp() != nil,
	}
	switch object := object.(type) {
	case *securityv1alpha1.CredentialsBinding:
		r.Labels, r.Annotations, r.Credentials = object.Labels, object.Annotations, credentialsOf(object.CredentialsRef)
		r.Rest, err = digest(object.Finalizers, object.OwnerReferences, object.Provider, object.CredentialsRef, object.Quotas)
	case *gardencorev1beta1.Shoot:
		r.Account = ptr.Deref(object.Spec.CredentialsBindingName, "")
		if old := ptr.Deref(object.Spec.SecretBindingName, ""); r.Account == "" && old != "" {
			r.Account = secretBinding(old)
		}
		if tenant, named := object.Labels[testbed.LabelShootTenant]; named {
			r.Labels = map[string]string{testbed.LabelShootTenant: tenant}
		}
	case *gardencorev1beta1.SecretBinding:
		r.Name, r.Labels = secretBinding(object.Name), object.Labels
		r.Credentials = credentialsOf(corev1.ObjectReference{Kind: "Secret", Namespace: object.SecretRef.Namespace, Name: object.SecretRef.Name})
	default:
		return Revision{}, fmt.Errorf("the watch brought %T", object)
	}
	return r, err
}

// secretBinding names a SecretBinding among the bindings.
func secretBinding(name string) string { return testbed.SecretBinding + " " + name }

func credentialsOf(ref corev1.ObjectReference) string {
	return ref.Kind + " " + ref.Namespace + "/" + ref.Name
}

func digest(parts ...any) (uint64, error) {
	hash := fnv.New64a()
	err := json.NewEncoder(hash).Encode(parts)
	return hash.Sum64(), err
}

// wait returns when the stream has ended.
func (s *stream) wait(ctx context.Context) error {
	select {
	case <-s.done:
		return s.err
	case <-ctx.Done():
		return fmt.Errorf("waiting for the last %s: %w", s.resource, ctx.Err())
	}
}
