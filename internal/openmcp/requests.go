package openmcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// WantedRequest is what a configuration says of a ClusterRequest.
type WantedRequest struct {
	Ref
	Purpose             string // what the operator goes by
	Labels, Annotations map[string]string
	Seed                *SeedRequest // what the built-in scheduler goes by, in place of the purpose; nil = the operator serves it
}

// Request makes a ClusterRequest, or finds the one that this very configuration has made in a run that was cut short: found tells
// which.
//
// Errors: [*ExistsError]; those of [kube.Write].
func (p *Platform) Request(ctx context.Context, w WantedRequest) (request *ClusterRequest, found bool, err error) {
	finalizers, annotations, err := w.metadata()
	if err != nil {
		return nil, false, err
	}
	requests, err := p.requests.of(w.Namespace)
	if err != nil {
		return nil, false, err
	}
	return made(ctx, requests, w.Ref, annotations[markAnnotation], func(ctx context.Context) (*ClusterRequest, error) {
		return requests.create(ctx, metav1.ObjectMeta{
			Namespace: w.Namespace, Name: w.Name, Labels: w.Labels, Annotations: annotations, Finalizers: finalizers,
		}, RequestSpec{w.purpose()})
	})
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

// Describe makes the labels and annotations of the very request what the configuration wants, and takes away those that it wanted
// before.
//
// Errors: those of [kube.Write].
func (p *Platform) Describe(ctx context.Context, of Ref, uid string, w, before WantedRequest) (*ClusterRequest, error) {
	annotations := changed(w.Annotations, before.Annotations)
	if w.Seed != nil {
		text, err := encode(w.Seed)
		if err != nil {
			return nil, err
		}
		annotations[seedAnnotation] = string(text)
	}
	return p.change(ctx, of, uid, map[string]any{"labels": changed(w.Labels, before.Labels), "annotations": annotations})
}

// LeftAlone reports whether a request says that schedulers are to leave it alone.
func LeftAlone(r *ClusterRequest) bool { return r.Annotations[OperationAnnotation] == OperationIgnore }

// Reschedule has the scheduler look at the very request again: it makes a Cluster anew that was deleted under it.
//
// Errors: those of [kube.Write].
func (p *Platform) Reschedule(ctx context.Context, of Ref, uid string) (*ClusterRequest, error) {
	return p.change(ctx, of, uid, map[string]any{"annotations": map[string]any{OperationAnnotation: operationReconcile}})
}

// change changes the metadata of the very request.
func (p *Platform) change(ctx context.Context, of Ref, uid string, metadata map[string]any) (*ClusterRequest, error) {
	requests, err := p.requests.of(of.Namespace)
	if err != nil {
		return nil, err
	}
	return requests.merge(ctx, of, types.UID(uid), map[string]any{"metadata": metadata})
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

// AwaitGranted waits until the very request has its Cluster. One that the built-in scheduler serves is granted by this very call. The wait
// for the operator ends where no scheduler does anything for [SchedulerTime], and where one
// that has seen the request does not grant it within [GrantTime]. Each new phase is told. The request as it was seen last comes back
// beside an error too.
//
// Errors: [*GoneError], [*NoSchedulerError], [*NotGrantedError]; with the built-in scheduler [*DeniedError], [*OperatorRunsError],
// [*SeedLostError], [*clusters.InputError], those of [kube.Read] and [kube.Write].
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
	longest := cmp.Or(requests.progress.longest, GrantTime)
	within, cancel := context.WithTimeoutCause(ctx, longest, fmt.Errorf("the scheduler has seen it, and has not granted it for %s", longest))
	defer cancel()
	told := ""
	err = requests.watcher.Await(within, from.Namespace, from.Name, func(live *ClusterRequest) (bool, error) {
		if live == nil || live.UID != from.UID {
			return false, requests.exists(ctx, from.Ref(), from.UID)
		}
		last = live
		if phase := live.Status.Phase; phase != told {
			told = phase
			tell(phase)
		}
		return IsGranted(live), nil
	})
	if err != nil && !isGone(err) {
		err = &NotGrantedError{Kind: kindRequest, Ref: from.Ref(), Phase: last.Status.Phase, Err: err, Seen: p.explain(ctx, last)}
	}
	return last, err
}

// isSeen reports whether a scheduler has seen a request, or has answered it already.
func isSeen(r *ClusterRequest) bool {
	return slices.Contains(r.Finalizers, requestFinalizer) || IsGranted(r)
}

// awaitScheduler waits until a scheduler has seen the very request.
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
	case err == nil, isGone(err):
		return last, err
	case within.Err() == nil, // the server refused the watch
		ctx.Err() != nil && requests.progress.since(requests).After(begun): // the scheduler works
		return last, &NotGrantedError{Kind: kindRequest, Ref: from.Ref(), Phase: last.Status.Phase, Err: err}
	}
	return last, &NoSchedulerError{Ref: from.Ref(), Ignored: LeftAlone(last),
		After: time.Since(begun).Round(time.Second), Err: err}
}

// AwaitCluster waits until a Cluster is ready. Each new phase is told. The Cluster as it was seen last comes back beside an error
// too; nil = it was not seen.
//
// Errors: [*GoneError]; [*WaitError].
func (p *Platform) AwaitCluster(ctx context.Context, of Ref, tell func(phase string)) (last *Cluster, err error) {
	told := ""
	err = p.clusters.watcher.Await(ctx, of.Namespace, of.Name, func(live *Cluster) (bool, error) {
		if live == nil {
			_, err := p.clusters.get(ctx, of) // the list may be older than the Cluster
			if isGone(err) {
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
	if err != nil && !isGone(err) {
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

// GiveUp withdraws the very request for which a caller waits no longer, unless it is granted by now: then it comes back, for a cluster is
// not lost because it was slow. nil = the request is gone. It takes its own time, whatever became of the caller's.
//
// Errors: those of [kube.Write] and [kube.Read]; [*WaitError] where it is being deleted, and not gone in time.
func (p *Platform) GiveUp(ctx context.Context, r *ClusterRequest) (granted *ClusterRequest, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	if IsBuiltin(r) {
		return p.giveUpBuiltin(ctx, r)
	}
	requests, err := p.requests.of(r.Namespace)
	if err != nil {
		return nil, err
	}
	var last error
	for range removeTries {
		live, err := requests.get(ctx, r.Ref())
		switch {
		case isGone(err), err == nil && live.UID != r.UID:
			return nil, nil
		case err != nil:
			return nil, err
		case IsGranted(live):
			return live, nil
		}
		// The version has the server refuse it where the request is granted at this very moment.
		err = requests.remove(ctx, r.Ref(), metav1.Preconditions{UID: &live.UID, ResourceVersion: &live.ResourceVersion})
		switch why := reason(err); {
		case why == kube.Conflict, why == kube.UnknownOutcome, why == kube.Throttled: // look again
			last = err
		case err == nil, why == kube.NotFound:
			if err := requests.awaitGone(ctx, r.Ref(), r.UID, func(*ClusterRequest) {}); err != nil {
				return nil, &WaitError{Kind: kindRequest, Ref: r.Ref(), For: UntilGone, Phase: live.Status.Phase, Err: err, Failing: ignored(live)}
			}
			return nil, nil
		default:
			return nil, err
		}
	}
	return nil, last
}

// Withdraw deletes the very request and waits until it is gone; and where it was the last that held a Cluster which goes with its
// last request, until that is gone too. Where it is gone already nothing is done. Each new phase is told.
//
// Errors: those of [kube.Write] and [kube.Read]; [*WaitError].
func (p *Platform) Withdraw(ctx context.Context, of Ref, uid string, tell func(string)) error {
	requests, err := p.requests.of(of.Namespace)
	if err != nil {
		return err
	}
	live, err := requests.get(ctx, of)
	switch {
	case isGone(err), err == nil && string(live.UID) != uid:
		return nil
	case err != nil:
		return err
	}
	if live, err = p.takeBack(ctx, live); err != nil {
		return err
	}
	before, err := p.clusterOf(ctx, live, p.clusters.get)
	if err != nil {
		return err
	}
	if IsBuiltin(live) { // also where the provider block says operator by now: that one never lets it go
		err = p.release(ctx, live)
	} else {
		err = requests.withdraw(ctx, of, live.UID)
	}
	if err != nil {
		return err
	}
	tell("the request is being withdrawn")
	var phase string
	if err := requests.awaitGone(ctx, of, live.UID, func(r *ClusterRequest) { phase = r.Status.Phase }); err != nil {
		return &WaitError{Kind: kindRequest, Ref: of, For: UntilGone, Phase: phase, Err: err, Failing: ignored(live)}
	}
	ends, err := p.endsBehind(ctx, before)
	if err != nil || ends == nil {
		return err
	}
	tell("the Cluster goes with its last request")
	last := ends
	err = p.clusters.awaitGone(ctx, ends.Ref(), ends.UID, func(c *Cluster) { last = c })
	if err != nil {
		return &WaitError{Kind: kindCluster, Ref: ends.Ref(), For: UntilGone, Phase: last.Status.Phase, Err: err, Failing: last.Status.Failing()}
	}
	return nil
}

// ignored says why a request hangs in its deletion, where it says so itself.
func ignored(r *ClusterRequest) []string {
	if !LeftAlone(r) {
		return nil
	}
	return []string{"It bears the annotation " + OperationAnnotation + ": " + OperationIgnore + ", with which the scheduler never lets it go"}
}

// clusterOf reads the Cluster of a request; nil = it has none, or that is gone.
func (p *Platform) clusterOf(
	ctx context.Context, r *ClusterRequest, read func(context.Context, Ref) (*Cluster, error),
) (*Cluster, error) {
	switch {
	case r.Status.Cluster == nil && IsBuiltin(r): // its run may have been cut short before it told
		return p.heldBy(ctx, string(r.UID))
	case r.Status.Cluster == nil:
		return nil, nil
	}
	cluster, err := read(ctx, *r.Status.Cluster)
	if isGone(err) {
		return nil, nil
	}
	return cluster, err
}

// endsBehind returns a Cluster that goes because its requests are gone; nil = it stays. What was seen of it before does not tell: another
// request may have been withdrawn at the same time.
func (p *Platform) endsBehind(ctx context.Context, before *Cluster) (*Cluster, error) {
	if before == nil {
		return nil, nil
	}
	cluster, err := p.clusters.get(ctx, before.Ref())
	switch {
	case isGone(err):
		return nil, nil
	case err != nil:
		return nil, err
	case cluster.UID == before.UID && len(Tenants(cluster)) == 0 &&
		(cluster.Labels[DeletedWithoutRequests] == "true" || cluster.DeletionTimestamp != nil):
		return cluster, nil
	}
	return nil, nil
}

// EndsWith returns the Cluster that goes with a request, because it is the last that holds it, or all others are withdrawn too; nil =
// none does. It reads as a refresh does.
//
// Errors: those of [kube.Read].
func (p *Platform) EndsWith(ctx context.Context, r *ClusterRequest, withdrawn func(uid string) bool) (*Cluster, error) {
	cluster, err := p.clusterOf(ctx, r, p.clusters.read)
	if err != nil || cluster == nil || cluster.Labels[DeletedWithoutRequests] != "true" {
		return nil, err
	}
	tenants := Tenants(cluster)
	if !slices.Contains(tenants, string(r.UID)) ||
		slices.ContainsFunc(tenants, func(uid string) bool { return uid != string(r.UID) && !withdrawn(uid) }) {
		return nil, nil
	}
	return cluster, nil
}
