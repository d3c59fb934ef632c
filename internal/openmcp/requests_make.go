package openmcp

import (
	"context"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Operator is the life of requests as the openmcp-operator serves them: they are made, waited for, and withdrawn.
type Operator struct {
	// Patience is how long a scheduler may do nothing at all before it counts as absent; 0 = [SchedulerTime].
	Patience time.Duration
	// Longest is how long a scheduler may take to grant a request that it has seen; 0 = [GrantTime].
	Longest time.Duration

	objects   *Objects
	tenancies tenancies

	mu    sync.Mutex
	works map[string]*progress // by namespace
}

// newOperator serves the requests of a platform cluster.
func newOperator(objects *Objects) *Operator {
	return &Operator{objects: objects, works: map[string]*progress{}}
}

// OperatorRequest is what a configuration says of a ClusterRequest that the operator serves.
type OperatorRequest struct {
	Ref
	Purpose             string // what the operator goes by
	Labels, Annotations map[string]string
}

// Make makes a ClusterRequest, or finds the one that this configuration has made in a run that was cut short: found says which.
//
// Errors: [*ExistsError]; those of [kube.Write].
func (o *Operator) Make(ctx context.Context, w OperatorRequest) (request *ClusterRequest, found bool, err error) {
	requests, err := o.objects.Requests.In(w.Namespace)
	if err != nil {
		return nil, false, err
	}
	mark := markOf(w.Ref, w.Purpose, w.Labels, w.Annotations)
	return made(ctx, requests, w.Ref, mark, func(ctx context.Context) (*ClusterRequest, error) {
		return requests.create(ctx, metav1.ObjectMeta{
			Namespace: w.Namespace, Name: w.Name, Labels: w.Labels, Annotations: marked(w.Annotations, mark),
		}, RequestSpec{w.Purpose})
	})
}

// Describe makes the labels and annotations of this request what the configuration wants, and takes away those that it wanted
// before.
//
// Errors: those of [kube.Write].
func (o *Operator) Describe(ctx context.Context, of Ref, uid string, w, before OperatorRequest) (*ClusterRequest, error) {
	return o.change(ctx, of, uid, map[string]any{
		"labels": changed(w.Labels, before.Labels), "annotations": changed(w.Annotations, before.Annotations),
	})
}

// Reschedule has the scheduler judge this request again: it makes a Cluster anew that was deleted under it, and decides anew on one
// that was denied.
//
// Errors: those of [kube.Write].
func (o *Operator) Reschedule(ctx context.Context, of Ref, uid string) (*ClusterRequest, error) {
	return o.change(ctx, of, uid, map[string]any{"annotations": map[string]any{OperationAnnotation: operationReconcile}})
}

// change changes the metadata of this request.
func (o *Operator) change(ctx context.Context, of Ref, uid string, metadata map[string]any) (*ClusterRequest, error) {
	requests, err := o.objects.Requests.In(of.Namespace)
	if err != nil {
		return nil, err
	}
	return requests.revise(ctx, of, types.UID(uid), func(*ClusterRequest) (map[string]any, error) {
		return map[string]any{"metadata": metadata}, nil
	})
}
