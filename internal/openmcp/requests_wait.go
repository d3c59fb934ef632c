package openmcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// AwaitGranted waits until this request has its Cluster. The wait ends where no scheduler does anything for [SchedulerTime], and where one
// that has seen the request denies it, or does not grant it within [GrantTime]. Each new phase is reported. The request as it was seen last
// comes back beside an error too.
//
// Errors: [*GoneError], [*NoSchedulerError], [*NotGrantedError].
func (o *Operator) AwaitGranted(ctx context.Context, from *ClusterRequest, tell func(phase string)) (last *ClusterRequest, err error) {
	last = from
	requests, err := o.objects.Requests.In(from.Namespace)
	if err == nil && !isSeen(from) {
		last, err = o.awaitScheduler(ctx, requests, from)
	}
	if err != nil {
		return last, err
	}
	longest := cmp.Or(o.Longest, GrantTime)
	within, cancel := context.WithTimeoutCause(ctx, longest, fmt.Errorf("the scheduler has seen it, and has not granted it for %s", longest))
	defer cancel()
	told := ""
	err = requests.await(within, from.Ref(), func(live *ClusterRequest) (bool, error) {
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
	})
	if err != nil && !IsGone(err) {
		err = &NotGrantedError{Kind: kindRequest, Ref: from.Ref(), Phase: last.Status.Phase, Err: err, Seen: o.explain(ctx, last)}
	}
	return last, err
}

// isSeen reports whether a scheduler has seen a request, or has answered it already.
func isSeen(r *ClusterRequest) bool {
	return slices.Contains(r.Finalizers, requestFinalizer) || IsGranted(r)
}

// awaitScheduler waits until a scheduler has seen this request.
func (o *Operator) awaitScheduler(
	ctx context.Context, requests *RequestKind, from *ClusterRequest,
) (last *ClusterRequest, err error) {
	last = from
	begun := time.Now()
	within, cancel := o.whileScheduling(ctx, requests, o.progress(from.Namespace))
	defer cancel()
	err = requests.await(within, from.Ref(), func(live *ClusterRequest) (bool, error) {
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
		errors.Is(ctx.Err(), context.Canceled),                                      // an interrupted wait says nothing about the scheduler
		ctx.Err() != nil && o.progress(from.Namespace).since(requests).After(begun): // the scheduler works
		return last, &NotGrantedError{Kind: kindRequest, Ref: from.Ref(), Phase: last.Status.Phase, Err: err}
	}
	return last, &NoSchedulerError{Ref: from.Ref(), Ignored: LeftAlone(last),
		After: time.Since(begun).Round(time.Second), Blind: o.tenancies.unseen(), Err: err}
}

// AwaitCluster waits until a Cluster is ready. Each new phase is reported. The Cluster as it was seen last comes back beside an error
// too; nil = it was not seen.
//
// Errors: [*GoneError]; [*WaitError].
func (o *Operator) AwaitCluster(ctx context.Context, of Ref, tell func(phase string)) (last *Cluster, err error) {
	told := ""
	err = o.objects.Clusters.await(ctx, of, func(live *Cluster) (bool, error) {
		if live == nil {
			_, err := o.objects.Clusters.Get(ctx, of) // the list may be older than the Cluster
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

// AwaitAnew waits until there is a Cluster of the name again, behind [Platform.Reschedule].
//
// Errors: [*WaitError].
func (o *Operator) AwaitAnew(ctx context.Context, of Ref) error {
	err := o.objects.Clusters.await(ctx, of, func(live *Cluster) (bool, error) {
		return live != nil && live.DeletionTimestamp == nil, nil
	})
	if err != nil {
		return &WaitError{Kind: kindCluster, Ref: of, For: "the scheduler has made it anew", Err: err}
	}
	return nil
}
