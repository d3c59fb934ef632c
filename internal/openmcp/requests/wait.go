package requests

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// AwaitGranted waits until this request has its Cluster. The wait ends where no scheduler does anything for [SchedulerTime], and where one
// that has seen the request denies it, or does not grant it within [GrantTime], or within [UnusedPurposeTime] where its purpose is not in
// use anywhere. Each new phase is reported. The request as it was seen last comes back beside an error too.
//
// Errors: [*api.GoneError], [*NoSchedulerError], [*api.NotGrantedError].
func (o *Operator) AwaitGranted(
	ctx context.Context, from *api.ClusterRequest, tell func(phase string),
) (last *api.ClusterRequest, err error) {
	last = from
	requests, err := o.objects.Requests.In(from.Namespace)
	if err == nil && !isSeen(from) {
		last, err = o.awaitScheduler(ctx, requests, from)
	}
	if err != nil {
		return last, err
	}
	reported := ""
	see := func(live *api.ClusterRequest) (bool, error) {
		if live == nil || live.UID != from.UID {
			return false, requests.Exists(ctx, from.Ref(), from.UID)
		}
		last = live
		if phase := live.Status.Phase; phase != reported {
			reported = phase
			tell(phase)
		}
		if api.Denies(live.Status.Status, live.Generation, api.ShownAgain(from.Annotations, from.Status.Status)) {
			return false, api.ErrDenied
		}
		return api.IsGranted(live), nil
	}
	waited := time.Duration(0)
	for again := true; again; {
		most := o.Longest
		if waited == 0 && o.Unused < most && !o.seemsInUse(ctx, requests, from) {
			most = o.Unused
		}
		over := fmt.Errorf("the scheduler has seen it, and has not granted it for %s", most)
		within, cancel := context.WithTimeoutCause(ctx, most-waited, over)
		err = requests.Await(within, from.Ref(), see)
		again = waited == 0 && errors.Is(err, over) && most < o.Longest && o.inUse(ctx, requests, from)
		waited = most
		cancel()
	}
	if err != nil && !api.IsGone(err) {
		err = &api.NotGrantedError{Kind: api.KindRequest, Ref: from.Ref(), Phase: last.Status.Phase, Err: err, Seen: o.explain(ctx, last)}
	}
	return last, err
}

// inUse reports whether a Cluster has the purpose of a request, or another request of its namespace was granted with it. Where that cannot
// be read it counts as in use.
func (o *Operator) inUse(ctx context.Context, requests *api.RequestKind, r *api.ClusterRequest) bool {
	return isInUse(ctx, r.Spec.Purpose, o.objects.Clusters.All, requests.All)
}

// seemsInUse is inUse by lists that all reads of a run share: they may be older than a Cluster with the purpose.
func (o *Operator) seemsInUse(ctx context.Context, requests *api.RequestKind, r *api.ClusterRequest) bool {
	return isInUse(ctx, r.Spec.Purpose, o.objects.Clusters.Recent, requests.Recent)
}

func isInUse(
	ctx context.Context, purpose string, clusters func(context.Context) ([]*api.Cluster, error),
	requests func(context.Context) ([]*api.ClusterRequest, error),
) bool {
	on, err := clusters(ctx)
	if err != nil || slices.ContainsFunc(on, func(c *api.Cluster) bool { return slices.Contains(c.Spec.Purposes, purpose) }) {
		return true
	}
	all, err := requests(ctx)
	return err != nil ||
		slices.ContainsFunc(all, func(one *api.ClusterRequest) bool { return one.Spec.Purpose == purpose && api.IsGranted(one) })
}

// isSeen reports whether a scheduler has seen a request, or has answered it already.
func isSeen(r *api.ClusterRequest) bool {
	return slices.Contains(r.Finalizers, api.RequestFinalizer) || api.IsGranted(r)
}

// awaitScheduler waits until a scheduler has seen this request.
func (o *Operator) awaitScheduler(
	ctx context.Context, requests *api.RequestKind, from *api.ClusterRequest,
) (last *api.ClusterRequest, err error) {
	last = from
	begun := time.Now()
	within, cancel := o.whileScheduling(ctx, requests, o.progress(from.Namespace))
	defer cancel()
	err = requests.Await(within, from.Ref(), func(live *api.ClusterRequest) (bool, error) {
		if live == nil || live.UID != from.UID {
			return false, requests.Exists(within, from.Ref(), from.UID)
		}
		last = live
		return isSeen(live), nil
	})
	switch {
	case err == nil, api.IsGone(err):
		return last, err
	case within.Err() == nil, // the server refused the watch
		errors.Is(ctx.Err(), context.Canceled),                                      // an interrupted wait says nothing about the scheduler
		ctx.Err() != nil && o.progress(from.Namespace).since(requests).After(begun): // the scheduler works
		return last, &api.NotGrantedError{Kind: api.KindRequest, Ref: from.Ref(), Phase: last.Status.Phase, Err: err}
	}
	return last, &NoSchedulerError{Ref: from.Ref(), Ignored: api.LeftAlone(last),
		After: time.Since(begun).Round(time.Second), Blind: o.tenancies.unseen(), Err: err}
}

// AwaitCluster waits until a Cluster is ready; see [api.AwaitReady]. Each new phase is reported. The Cluster as it was seen last comes back
// beside an error too; nil = it was not seen.
//
// Errors: [*api.GoneError]; [*api.WaitError].
func (o *Operator) AwaitCluster(ctx context.Context, of api.Ref, tell func(phase string)) (last *api.Cluster, err error) {
	reported := ""
	err = api.AwaitReady(ctx, o.objects.Clusters, of, func(live *api.Cluster) (bool, error) {
		if live == nil {
			_, err := o.objects.Clusters.Get(ctx, of) // the list may be older than the Cluster
			if api.IsGone(err) {
				return false, err
			}
			return false, nil
		}
		last = live
		if phase := live.Status.Phase; phase != reported {
			reported = phase
			tell(phase)
		}
		return true, nil
	})
	if err != nil && !api.IsGone(err) {
		err = api.NotReady(of, last, err)
	}
	return last, err
}

// AwaitAnew waits until there is a Cluster of the name again, after [Operator.Reschedule].
//
// Errors: [*api.WaitError].
func (o *Operator) AwaitAnew(ctx context.Context, of api.Ref) error {
	err := o.objects.Clusters.Await(ctx, of, func(live *api.Cluster) (bool, error) {
		return live != nil && live.DeletionTimestamp == nil, nil
	})
	if err != nil {
		return &api.WaitError{Kind: api.KindCluster, Ref: of, For: "the scheduler has made it anew", Err: err}
	}
	return nil
}
