package openmcp

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// WantedRequest is what a configuration says of a ClusterRequest.
type WantedRequest struct {
	Ref
	Purpose             string // what the operator goes by
	Labels, Annotations map[string]string
	ADR                 *ADRRequest // what the built-in scheduler goes by, in place of the purpose; nil = the operator serves it
}

// Request makes a ClusterRequest, or finds the one that this configuration has made in a run that was cut short: found says
// which.
//
// Errors: [*ExistsError]; those of [kube.Write]; those of [Platform.TakeBack].
func (p *Platform) Request(ctx context.Context, w WantedRequest) (request *ClusterRequest, found bool, err error) {
	finalizers, annotations, err := w.metadata()
	if err != nil {
		return nil, false, err
	}
	requests, err := p.requests.of(w.Namespace)
	if err != nil {
		return nil, false, err
	}
	create := func(ctx context.Context) (*ClusterRequest, error) {
		return requests.create(ctx, metav1.ObjectMeta{
			Namespace: w.Namespace, Name: w.Name, Labels: w.Labels, Annotations: annotations, Finalizers: finalizers,
		}, RequestSpec{w.purpose()})
	}
	request, found, err = made(ctx, requests, w.Ref, annotations[markAnnotation], create)
	if left, ok := errors.AsType[*ExistsError](err); ok && left.Deleting && w.ADR != nil && p.finishRelease(ctx, w.Ref) == nil {
		request, found, err = made(ctx, requests, w.Ref, annotations[markAnnotation], create)
	}
	if err == nil && found && w.ADR != nil {
		request, err = p.TakeBack(ctx, request)
	}
	return request, found, err
}

// RequestOf reads a ClusterRequest for a refresh, as [kube.Recent] does.
//
// Errors: [*GoneError]; those of [kube.Read].
func (p *Platform) RequestOf(ctx context.Context, of Ref) (*ClusterRequest, error) {
	requests, err := p.requests.of(of.Namespace)
	if err != nil {
		return nil, err
	}
	return requests.read(ctx, of)
}

// RequestNow reads a ClusterRequest by itself.
//
// Errors: [*GoneError]; those of [kube.Read].
func (p *Platform) RequestNow(ctx context.Context, of Ref) (*ClusterRequest, error) {
	requests, err := p.requests.of(of.Namespace)
	if err != nil {
		return nil, err
	}
	return requests.get(ctx, of)
}

// ClusterOf reads a Cluster for a refresh, as [kube.Recent] does.
//
// Errors: [*GoneError]; those of [kube.Read].
func (p *Platform) ClusterOf(ctx context.Context, of Ref) (*Cluster, error) {
	return p.clusters.read(ctx, of)
}

// ClusterNow reads a Cluster by itself.
//
// Errors: [*GoneError]; those of [kube.Read].
func (p *Platform) ClusterNow(ctx context.Context, of Ref) (*Cluster, error) {
	return p.clusters.get(ctx, of)
}

// Clusters reads all Clusters of the platform cluster.
//
// Errors: those of [kube.Group.List].
func (p *Platform) Clusters(ctx context.Context) ([]*Cluster, error) {
	all, _, err := p.clusters.list(ctx)
	return all, err
}

// RecentClusters returns the Clusters of all namespaces by a list that all reads of a run share, in no order.
//
// Errors: those of [kube.Group.List].
func (p *Platform) RecentClusters(ctx context.Context) ([]*Cluster, error) {
	named, err := p.clusters.recent.All(ctx, p.clusters.named)
	return slices.Collect(maps.Values(named)), err
}

// Tenants returns the uids of the requests that hold a Cluster: each has a finalizer there.
func Tenants(c *Cluster) (uids []string) {
	for _, finalizer := range c.Finalizers {
		if uid, ok := strings.CutPrefix(finalizer, tenantFinalizer); ok && !slices.Contains(uids, uid) {
			uids = append(uids, uid)
		}
	}
	return uids
}

// IsGranted reports whether a request has its Cluster.
func IsGranted(r *ClusterRequest) bool { return r.Status.Phase == Granted && r.Status.Cluster != nil }

// Describe makes the labels and annotations of this request what the configuration wants, and takes away those that it wanted
// before.
//
// Errors: those of [kube.Write].
func (p *Platform) Describe(ctx context.Context, of Ref, uid string, w, before WantedRequest) (*ClusterRequest, error) {
	annotations := changed(w.Annotations, before.Annotations)
	if w.ADR != nil {
		text, err := encode(w.ADR)
		if err != nil {
			return nil, err
		}
		annotations[requestAnnotation] = string(text)
	}
	return p.change(ctx, of, uid, map[string]any{"labels": changed(w.Labels, before.Labels), "annotations": annotations})
}

// LeftAlone reports whether a request says that schedulers are to leave it alone.
func LeftAlone(r *ClusterRequest) bool { return r.Annotations[OperationAnnotation] == OperationIgnore }

// IsRefused reports whether a scheduler of another party has denied a request. Nothing is done for it until a scheduler judges it again,
// see [Platform.Reschedule]. The released operator denies none.
func IsRefused(r *ClusterRequest) bool {
	return !IsBuiltin(r) && denies(r.Status.Status, r.Generation, nil) && r.DeletionTimestamp == nil
}

// Reschedule has the scheduler judge this request again: it makes a Cluster anew that was deleted under it, and decides anew on one
// that was denied.
//
// Errors: those of [kube.Write].
func (p *Platform) Reschedule(ctx context.Context, of Ref, uid string) (*ClusterRequest, error) {
	return p.change(ctx, of, uid, map[string]any{"annotations": map[string]any{OperationAnnotation: operationReconcile}})
}

// change changes the metadata of this request.
func (p *Platform) change(ctx context.Context, of Ref, uid string, metadata map[string]any) (*ClusterRequest, error) {
	requests, err := p.requests.of(of.Namespace)
	if err != nil {
		return nil, err
	}
	return requests.revise(ctx, of, types.UID(uid), func(*ClusterRequest) (map[string]any, error) {
		return map[string]any{"metadata": metadata}, nil
	})
}

// changed is a merge patch of a map: what is wanted now, and a null for what was wanted before.
func changed(now, before map[string]string) map[string]any {
	patch := map[string]any{}
	for key := range before {
		patch[key] = nil
	}
	for key, value := range now {
		patch[key] = value
	}
	return patch
}
