package openmcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// AwaitGranted waits until this request has its Cluster. One that the built-in scheduler serves is granted by this call. The wait for the
// operator ends where no scheduler does anything for [SchedulerTime]; and where one that has seen the request denies it, or does not grant
// it within [GrantTime], or within [UnusedPurposeTime] where its purpose is not in use anywhere. Each new phase is reported. The request as
// it was seen last comes back beside an error too.
//
// Errors: [*GoneError], [*NoSchedulerError], [*NotGrantedError]; with the built-in scheduler [*DeniedError], [*UndecidedError],
// [*TurnError], [*OperatorRunsError], [*RequestLostError], [*adr.InputError], those of [kube.Read] and [kube.Write].
func (p *Platform) AwaitGranted(ctx context.Context, from *ClusterRequest, tell func(phase string)) (last *ClusterRequest, err error) {
	if IsBuiltin(from) {
		last, err = p.schedule(ctx, from)
		if err == nil {
			tell(last.Status.Phase)
		}
		return last, err
	}
	last = from
	requests, err := p.requests.of(from.Namespace)
	if err == nil && !isSeen(from) {
		last, err = p.awaitScheduler(ctx, requests, from)
	}
	if err != nil {
		return last, err
	}
	told := ""
	see := func(live *ClusterRequest) (bool, error) {
		if live == nil || live.UID != from.UID {
			return false, requests.exists(ctx, from.Ref(), from.UID)
		}
		last = live
		if phase := live.Status.Phase; phase != told {
			told = phase
			tell(phase)
		}
		if denies(live.Status.Status, live.Generation, shownAgain(from.Annotations, from.Status.Status)) {
			return false, ErrDenied
		}
		return IsGranted(live), nil
	}
	waited := time.Duration(0)
	for again := true; again; {
		most := cmp.Or(requests.progress.longest, GrantTime)
		if unused := cmp.Or(requests.progress.unused, UnusedPurposeTime); waited == 0 && unused < most && !p.seemsInUse(ctx, from) {
			most = unused
		}
		over := fmt.Errorf("the scheduler has seen it, and has not granted it for %s", most)
		within, cancel := context.WithTimeoutCause(ctx, most-waited, over)
		err = requests.watcher.Await(within, from.Namespace, from.Name, see)
		again = waited == 0 && errors.Is(err, over) && most < cmp.Or(requests.progress.longest, GrantTime) && p.inUse(ctx, from)
		waited = most
		cancel()
	}
	if err != nil && !IsGone(err) {
		err = &NotGrantedError{Kind: kindRequest, Ref: from.Ref(), Phase: last.Status.Phase, Err: err, Seen: p.explain(ctx, last)}
	}
	return last, err
}

// inUse reports whether a Cluster has the purpose of a request, or another request of its namespace was granted with it. Where that cannot
// be read it counts as in use.
func (p *Platform) inUse(ctx context.Context, r *ClusterRequest) bool {
	all, err := p.Clusters(ctx)
	if err != nil {
		return true
	}
	requests, err := p.requestsIn(ctx, r.Namespace)
	return err != nil || isInUse(r.Spec.Purpose, all, requests)
}

// seemsInUse is [Platform.inUse] by lists that all reads of a run share: they may be older than a Cluster with the purpose.
func (p *Platform) seemsInUse(ctx context.Context, r *ClusterRequest) bool {
	all, err := p.RecentClusters(ctx)
	if err != nil || isInUse(r.Spec.Purpose, all, nil) {
		return true
	}
	requests, err := p.requests.of(r.Namespace)
	if err != nil {
		return true
	}
	named, err := requests.recent.All(ctx, requests.named)
	return err != nil || isInUse(r.Spec.Purpose, all, slices.Collect(maps.Values(named)))
}

func isInUse(purpose string, all []*Cluster, requests []*ClusterRequest) bool {
	return slices.ContainsFunc(all, func(c *Cluster) bool { return slices.Contains(c.Spec.Purposes, purpose) }) ||
		slices.ContainsFunc(requests, func(one *ClusterRequest) bool { return one.Spec.Purpose == purpose && IsGranted(one) })
}

// isSeen reports whether a scheduler has seen a request, or has answered it already.
func isSeen(r *ClusterRequest) bool {
	return slices.Contains(r.Finalizers, requestFinalizer) || IsGranted(r)
}

// awaitScheduler waits until a scheduler has seen this request.
func (p *Platform) awaitScheduler(
	ctx context.Context, requests *kind[RequestSpec, RequestStatus], from *ClusterRequest,
) (last *ClusterRequest, err error) {
	last = from
	begun := time.Now()
	within, cancel := p.whileScheduling(ctx, requests)
	defer cancel()
	err = requests.watcher.Await(within, from.Namespace, from.Name, func(live *ClusterRequest) (bool, error) {
		if live == nil || live.UID != from.UID {
			return false, requests.exists(within, from.Ref(), from.UID)
		}
		last = live
		return isSeen(live), nil
	})
	switch {
	case err == nil, IsGone(err):
		return last, err
	case within.Err() == nil, // the server refused the watch
		errors.Is(ctx.Err(), context.Canceled),                             // an interrupted wait says nothing about the scheduler
		ctx.Err() != nil && requests.progress.since(requests).After(begun): // the scheduler works
		return last, &NotGrantedError{Kind: kindRequest, Ref: from.Ref(), Phase: last.Status.Phase, Err: err}
	}
	return last, &NoSchedulerError{Ref: from.Ref(), Ignored: LeftAlone(last),
		After: time.Since(begun).Round(time.Second), Blind: p.tenancies.unseen(), Err: err}
}

// AwaitCluster waits until a Cluster is ready. Each new phase is reported. The Cluster as it was seen last comes back beside an error
// too; nil = it was not seen.
//
// Errors: [*GoneError]; [*WaitError].
func (p *Platform) AwaitCluster(ctx context.Context, of Ref, tell func(phase string)) (last *Cluster, err error) {
	told := ""
	err = p.clusters.watcher.Await(ctx, of.Namespace, of.Name, func(live *Cluster) (bool, error) {
		if live == nil {
			_, err := p.clusters.get(ctx, of) // the list may be older than the Cluster
			if IsGone(err) {
				return false, err
			}
			return false, nil
		}
		last = live
		if phase := live.Status.Phase; phase != told {
			told = phase
			tell(phase)
		}
		return IsReady(live), nil
	})
	if err != nil && !IsGone(err) {
		wait := &WaitError{Kind: kindCluster, Ref: of, For: "it is ready", Err: err}
		if last != nil {
			wait.Phase, wait.Failing = last.Status.Phase, last.Status.Failing()
		}
		err = wait
	}
	return last, err
}

// IsReady reports whether a Cluster can be used.
func IsReady(c *Cluster) bool {
	return c.Status.Phase == Ready && c.Status.ObservedGeneration == c.Generation && c.DeletionTimestamp == nil
}

// AwaitAnew waits until there is a Cluster of the name again, behind [Platform.Reschedule].
//
// Errors: [*WaitError].
func (p *Platform) AwaitAnew(ctx context.Context, of Ref) error {
	err := p.clusters.watcher.Await(ctx, of.Namespace, of.Name, func(live *Cluster) (bool, error) {
		return live != nil && live.DeletionTimestamp == nil, nil
	})
	if err != nil {
		return &WaitError{Kind: kindCluster, Ref: of, For: "the scheduler has made it anew", Err: err}
	}
	return nil
}
