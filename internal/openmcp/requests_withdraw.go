package openmcp

import (
	"context"
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// maxTries bounds how often a request is read again that changes under its withdrawal.
const maxTries = 100

// GiveUp withdraws this request for which a caller waits no longer, unless it is granted by now: then it comes back, for a cluster is
// not lost because it was slow. nil = the request is gone. It takes its own time, whatever became of the caller's.
//
// Errors: those of [kube.Write] and [kube.Read]; [*WaitError] where it is being deleted, and not gone in time.
func (o *Operator) GiveUp(ctx context.Context, r *ClusterRequest) (granted *ClusterRequest, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ownTime)
	defer cancel()
	requests, err := o.objects.Requests.In(r.Namespace)
	if err != nil {
		return nil, err
	}
	var last error
	for range maxTries {
		live, err := requests.Get(ctx, r.Ref())
		switch {
		case IsGone(err), err == nil && live.UID != r.UID:
			return nil, nil
		case err != nil:
			return nil, err
		case IsGranted(live):
			return live, nil
		}
		// The scheduler grants by its finalizer on a Cluster, and writes the status of the request a moment later.
		if held, err := o.heldBy(ctx, r); held != nil || err != nil && reason(err) != kube.Forbidden {
			return grantedAs(live, held), err
		}
		// The version has the server refuse it where the request is granted at this moment.
		err = requests.remove(ctx, live)
		switch why := reason(err); {
		case why == kube.Conflict, why == kube.UnknownOutcome, why == kube.Throttled: // read again
			last = err
		case err == nil, why == kube.NotFound:
			err := requests.awaitGone(ctx, r.Ref(), r.UID, func(string) {}, func(now *ClusterRequest) { live = now })
			if err != nil {
				return nil, &WaitError{Kind: kindRequest, Ref: r.Ref(), For: UntilGone, Phase: live.Status.Phase, Err: err, Failing: ignored(live)}
			}
			return nil, nil
		default:
			return nil, err
		}
	}
	return nil, last
}

// grantedAs is a request whose status does not say yet which Cluster it holds; nil for none.
func grantedAs(live *ClusterRequest, held *Cluster) *ClusterRequest {
	if held == nil {
		return nil
	}
	ref := held.Ref()
	live.Status.Phase, live.Status.Cluster = Granted, &ref
	return live
}

// Withdraw deletes this request and waits until it is gone; and where it was the last that held a Cluster which goes with its
// last request, until that is gone too. What is waited for is reported, and what holds it.
//
// Errors: those of [kube.Write] and [kube.Read]; [*WaitError].
func (o *Operator) Withdraw(ctx context.Context, live *ClusterRequest, tell func(string)) error {
	before, err := o.clusterOf(ctx, live, o.objects.Clusters.Get)
	if err != nil {
		return err
	}
	requests, err := o.objects.Requests.In(live.Namespace)
	if err == nil {
		err = requests.withdraw(ctx, live, anyway)
	}
	if err != nil {
		return err
	}
	ends, err := o.awaitWithdrawn(ctx, live, before, tell)
	if err != nil || ends == nil {
		return err
	}
	return o.awaitEnd(ctx, ends, tell)
}

// awaitWithdrawn waits until this request is gone, and returns the Cluster that goes because its requests are gone: the one that it had
// before; nil = none goes.
//
// Errors: [*WaitError]; those of [kube.Read].
func (o *Operator) awaitWithdrawn(ctx context.Context, live *ClusterRequest, before *Cluster, tell func(string)) (*Cluster, error) {
	requests, err := o.objects.Requests.In(live.Namespace)
	if err != nil {
		return nil, err
	}
	tell("the request is being withdrawn")
	now := live
	if err := requests.awaitGone(ctx, live.Ref(), live.UID, tell, func(r *ClusterRequest) { now = r }); err != nil {
		return nil, &WaitError{Kind: kindRequest, Ref: live.Ref(), For: UntilGone, Phase: now.Status.Phase, Err: err, Failing: ignored(now)}
	}
	return o.endsBehind(ctx, before)
}

// awaitEnd waits until a Cluster is gone that goes with its last request.
//
// Errors: [*WaitError].
func (o *Operator) awaitEnd(ctx context.Context, ends *Cluster, tell func(string)) error {
	tell("the Cluster goes with its last request")
	last := ends
	err := o.objects.Clusters.awaitGone(ctx, ends.Ref(), ends.UID, tell, func(c *Cluster) { last = c })
	if err != nil {
		failing := append(last.Status.Failing(), keptBy(last.Finalizers)...)
		return &WaitError{Kind: kindCluster, Ref: ends.Ref(), For: UntilGone, Phase: last.Status.Phase, Err: err, Failing: failing}
	}
	return nil
}

// ignored says why a request hangs in its deletion.
func ignored(r *ClusterRequest) (all []string) {
	if LeftAlone(r) {
		all = append(all, "It bears the annotation "+OperationAnnotation+": "+OperationIgnore+", with which the scheduler never lets it go")
	}
	return append(all, keptBy(r.Finalizers)...)
}

// clusterOf reads the Cluster of a request; nil = it has none, or that is gone.
func (o *Operator) clusterOf(
	ctx context.Context, r *ClusterRequest, read func(context.Context, Ref) (*Cluster, error),
) (*Cluster, error) {
	if r.Status.Cluster == nil {
		return nil, nil
	}
	cluster, err := read(ctx, *r.Status.Cluster)
	if IsGone(err) {
		return nil, nil
	}
	return cluster, err
}

// endsBehind returns a Cluster that goes because its requests are gone; nil = it stays. What was seen of it before does not decide: another
// request may have been withdrawn at the same time.
func (o *Operator) endsBehind(ctx context.Context, before *Cluster) (*Cluster, error) {
	if before == nil {
		return nil, nil
	}
	cluster, err := o.objects.Clusters.Get(ctx, before.Ref())
	switch {
	case IsGone(err):
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
func (o *Operator) EndsWith(ctx context.Context, r *ClusterRequest, withdrawn func(uid string) bool) (*Cluster, error) {
	cluster, err := o.clusterOf(ctx, r, o.objects.Clusters.Read)
	if err != nil || cluster == nil {
		return nil, err
	}
	if !Holds(cluster, r) || !isLastOf(cluster, string(r.UID), withdrawn) {
		return nil, nil
	}
	return cluster, nil
}

// heldBy returns the Cluster that a request holds; of several the one that its status names; nil = none.
//
// Errors: [*adr.InputError] where it holds several and the status names none of them; those of [kube.Read].
func (o *Operator) heldBy(ctx context.Context, r *ClusterRequest) (held *Cluster, err error) {
	all, err := o.objects.Clusters.All(ctx)
	if err != nil {
		return nil, err
	}
	var other *Cluster
	for _, c := range all {
		switch {
		case !Holds(c, r):
		case r.Status.Cluster != nil && *r.Status.Cluster == c.Ref():
			return c, nil
		case held == nil:
			held = c
		default:
			other = c
		}
	}
	if other != nil {
		return nil, &adr.InputError{
			Field:   "landscape.clusters",
			Message: fmt.Sprintf("%v holds two grants, on %v and on %v; take one away", r.Ref(), held.Ref(), other.Ref()),
		}
	}
	return held, nil
}
