package grants

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/controller-runtime/pkg/client"

	watchtools "k8s.io/client-go/tools/watch"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/openmcp"
)

const (
	// endTimeout bounds the wait for the revisions that are still on their way when a history ends.
	endTimeout = 2 * time.Minute
	// beginTries bounds how often a history begins anew.
	beginTries = 20
	// markerPrefix begins the names of the objects that end a history; no history keeps them.
	markerPrefix = "end-"
)

// errGap marks a history that may lack a revision.
var errGap = errors.New("revisions are missing")

// History is every revision of the Clusters and ClusterRequests of a namespace, from [Follow] to [History.End].
type History struct {
	platform          *openmcp.Platform // nil in a history that was written by hand
	namespace, marker string
	cancel            context.CancelFunc
	streams           []*stream
	end               sync.Once

	revisions []revision
}

// stream brings the revisions of one kind.
type stream struct {
	kind string
	api  dynamic.ResourceInterface
	kept []revision
	err  error
	done chan struct{}
}

// Follow keeps the history of a namespace from now on, until the test ends.
func Follow(t testing.TB, platform *openmcp.Platform, namespace string) *History {
	t.Helper()
	api, err := dynamic.NewForConfig(platform.Config())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(cancel)
	h := &History{platform: platform, namespace: namespace, marker: markerPrefix + rand.String(6), cancel: cancel}
	again := true
	for try := 0; again && try < beginTries; try++ {
		if again, err = h.begin(ctx, api); err != nil {
			t.Fatal(err)
		}
	}
	if again {
		t.Fatalf("%v: the server forgets each revision at once", errGap)
	}
	return h
}

// begin follows each kind from one revision of etcd on. A server that has just begun to cache a kind may not know that revision any more:
// again says so, and nothing is kept.
func (h *History) begin(ctx context.Context, api dynamic.Interface) (again bool, err error) {
	began, all := "", []*stream{}
	for kind, resource := range map[string]string{kindCluster: "clusters", kindRequest: "clusterrequests"} {
		of := schema.GroupVersionResource{Group: "clusters.openmcp.cloud", Version: "v1alpha1", Resource: resource}
		s := &stream{kind: kind, api: api.Resource(of).Namespace(h.namespace), done: make(chan struct{})}
		if began, err = s.begin(ctx, began); err == nil {
			again, err = s.isForgotten(ctx, began)
		}
		if again || err != nil {
			return again, err
		}
		all = append(all, s)
	}
	for _, s := range all {
		events, err := watchtools.NewRetryWatcherWithContext(ctx, began, s)
		if err != nil {
			return false, err
		}
		h.streams = append(h.streams, s)
		go s.run(events, h.marker)
	}
	return false, nil
}

// forgottenTime is how long the answer may take that a server does not know a revision any more: it comes first.
const forgottenTime = 100 * time.Millisecond

// isForgotten reports whether the server cannot watch from a revision on.
func (s *stream) isForgotten(ctx context.Context, version string) (bool, error) {
	events, err := s.api.Watch(ctx, metav1.ListOptions{ResourceVersion: version})
	if err == nil {
		defer events.Stop()
		select {
		case event := <-events.ResultChan():
			if event.Type == watch.Error {
				err = apierrors.FromObject(event.Object)
			}
		case <-time.After(forgottenTime):
		}
	}
	if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
		return true, nil
	}
	return false, err
}

// begin keeps what is there at a version, or now where none is given.
func (s *stream) begin(ctx context.Context, version string) (began string, err error) {
	options := metav1.ListOptions{ResourceVersion: version}
	if version != "" {
		options.ResourceVersionMatch = metav1.ResourceVersionMatchExact
	}
	list, err := s.api.List(ctx, options)
	if err != nil {
		return "", fmt.Errorf("listing each %s: %w", s.kind, err)
	}
	for i := range list.Items {
		s.kept = append(s.kept, revisionOf(present, &list.Items[i]))
	}
	return list.GetResourceVersion(), nil
}

// WatchWithContext begins a watch, or takes it up again where the one before has ended.
func (s *stream) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return s.api.Watch(ctx, options)
}

// run keeps all that comes until the marker does.
func (s *stream) run(events watch.Interface, marker string) {
	defer close(s.done)
	defer events.Stop()
	s.err = fmt.Errorf("%w: the watch of each %s has ended", errGap, s.kind)
	for event := range events.ResultChan() {
		object, ok := event.Object.(*unstructured.Unstructured)
		switch {
		case event.Type == watch.Bookmark:
		case !ok || event.Type == watch.Error:
			s.err = fmt.Errorf("%w: the watch of each %s: %w", errGap, s.kind, apierrors.FromObject(event.Object))
			return
		case object.GetName() == marker:
			s.err = nil
			return
		case !strings.HasPrefix(object.GetName(), markerPrefix):
			s.kept = append(s.kept, revisionOf(eventOf(event.Type), object))
		}
	}
}

// End waits until all that was written so far has arrived; what comes later is not kept. It fails the test where a revision may be
// missing.
func (h *History) End(t testing.TB) {
	t.Helper()
	h.end.Do(func() {
		defer h.cancel()
		ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
		defer cancel()
		if err := h.finish(ctx); err != nil {
			t.Fatalf("the history of %s: %v", h.namespace, err)
		}
	})
}

// finish writes an object that comes after all others, one of each kind, and waits for it.
func (h *History) finish(ctx context.Context) (err error) {
	if h.platform == nil {
		return nil
	}
	specs := map[string]map[string]any{
		kindCluster: {"profile": openmcp.WorkerlessProfile, "tenancy": exclusive}, kindRequest: {"purpose": "end"},
	}
	for kind, spec := range specs {
		marker := openmcp.New(kind, h.namespace, h.marker)
		marker.SetAnnotations(map[string]string{"openmcp.cloud/operation": "ignore"})
		marker.Object["spec"] = spec
		if err = h.platform.Client().Create(ctx, marker); err == nil {
			err = client.IgnoreNotFound(h.platform.Client().Delete(ctx, marker)) // its revisions come all the same
		}
		if err != nil {
			return err
		}
	}
	for _, s := range h.streams {
		select {
		case <-s.done:
			err = errors.Join(err, s.err)
			h.revisions = append(h.revisions, s.kept...)
		case <-ctx.Done():
			return fmt.Errorf("waiting for the last %s: %w", s.kind, ctx.Err())
		}
	}
	slices.SortStableFunc(h.revisions, byVersion)
	return err
}

// number reads a resourceVersion; what is none comes before all.
func number(version string) uint64 {
	n, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
