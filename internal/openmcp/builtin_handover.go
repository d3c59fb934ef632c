package openmcp

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
)

// HandOver gives the very request from the built-in scheduler to the operator, which adopts it as it stands: neither its status nor its
// Cluster changes. Where the status does not tell yet what the request holds, it is told before: the operator would make a second Cluster.
// It waits until the operator has taken it; taken = false where none does so within [SchedulerTime], or did not for another request of
// this run. A request that the operator serves already is left as it is.
//
// Errors: [*GoneError]; [*WaitError] where it is being deleted; those of [kube.Read] and [kube.Write].
func (p *Platform) HandOver(ctx context.Context, r *ClusterRequest) (_ *ClusterRequest, taken bool, err error) {
	if r.DeletionTimestamp != nil { // it leaves its Cluster by the built-in scheduler alone
		return r, false, &WaitError{Kind: kindRequest, Ref: r.Ref(), For: UntilGone, Phase: r.Status.Phase, Err: errBeingDeleted}
	}
	cluster, err := p.heldBy(ctx, string(r.UID))
	if err != nil {
		return r, false, err
	}
	if cluster != nil {
		r, err = p.tellDecision(ctx, r, cluster, clusters.Decision{Action: clusters.Reuse, Reason: clusters.ReasonGranted,
			Message: "The built-in scheduler has granted it."})
		if err != nil {
			return r, false, err
		}
	}
	if err := p.unserve(ctx, r, map[string]any{OperationAnnotation: nil}); err != nil {
		return r, false, err
	}
	return p.awaitTaken(ctx, r)
}

// errBeingDeleted says why a request cannot be handed over.
var errBeingDeleted = errors.New("it is being deleted, which the built-in scheduler has to carry out")

// awaitTaken waits until the operator has put its finalizer on a request that was handed over.
func (p *Platform) awaitTaken(ctx context.Context, from *ClusterRequest) (last *ClusterRequest, taken bool, err error) {
	requests, err := p.requests.of(from.Namespace)
	if err != nil {
		return from, false, err
	}
	p.builtin.mu.Lock()
	absent := p.builtin.absent
	p.builtin.mu.Unlock()
	patience := cmp.Or(requests.progress.patience, SchedulerTime)
	if absent {
		patience = min(patience, progressPause)
	}
	within, cancel := context.WithTimeoutCause(ctx, patience, errNotSeen)
	defer cancel()
	last = from
	err = requests.watcher.Await(within, from.Namespace, from.Name, func(live *ClusterRequest) (bool, error) {
		if live == nil || live.UID != from.UID {
			return false, requests.exists(within, from.Ref(), from.UID)
		}
		last = live
		return slices.Contains(live.Finalizers, requestFinalizer), nil
	})
	switch {
	case err == nil:
		return last, true, nil
	case isGone(err):
		return last, false, err
	case ctx.Err() == nil && within.Err() != nil && errors.Is(context.Cause(within), errNotSeen):
		p.builtin.mu.Lock()
		p.builtin.absent = true
		p.builtin.mu.Unlock()
		last, err = p.RequestNow(ctx, from.Ref())
		return last, false, err
	}
	return last, false, err
}
