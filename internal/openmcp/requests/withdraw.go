package requests

import (
	"context"
	"fmt"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// maxTries bounds how often a request is read again that changes under its withdrawal.
const maxTries = 100

// GiveUp withdraws this request for which a caller waits no longer, unless it is granted by now: then it comes back, for a cluster is
// not lost because it was slow. nil = the request is gone. It takes its own time, whatever became of the caller's.
//
// Errors: those of [kube.Write] and [kube.Read]; [*api.WaitError] where it is being deleted, and not gone in time.
func (o *Operator) GiveUp(ctx context.Context, r *api.ClusterRequest) (granted *api.ClusterRequest, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), api.OwnTime)
	defer cancel()
	requests, err := o.objects.Requests.In(r.Namespace)
	if err != nil {
		return nil, err
	}
	var last error
	for range maxTries {
		live, err := requests.Get(ctx, r.Ref())
		switch {
		case api.IsGone(err), err == nil && live.UID != r.UID:
			return nil, nil
		case err != nil:
			return nil, err
		case api.IsGranted(live):
			return live, nil
		}
		// The scheduler grants by its finalizer on a Cluster, and writes the status of the request a moment later.
		if held, err := o.HeldBy(ctx, r); held != nil || err != nil && api.Reason(err) != kube.Forbidden {
			return GrantedAs(live, held), err
		}
		// The version has the server refuse it where the request is granted at this moment.
		err = requests.Remove(ctx, live)
		switch why := api.Reason(err); {
		case why == kube.Conflict, why == kube.UnknownOutcome, why == kube.Throttled: // read again
			last = err
		case err == nil, why == kube.NotFound:
			err := requests.AwaitGone(ctx, r.Ref(), r.UID, func(string) {}, func(now *api.ClusterRequest) { live = now })
			if err != nil {
				return nil, notGone(live, err)
			}
			return nil, nil
		default:
			return nil, err
		}
	}
	return nil, last
}

// GrantedAs is a request whose status does not say yet which Cluster it holds; nil for none.
func GrantedAs(live *api.ClusterRequest, held *api.Cluster) *api.ClusterRequest {
	if held == nil {
		return nil
	}
	ref := held.Ref()
	live.Status.Phase, live.Status.Cluster = api.Granted, &ref
	return live
}

// Withdraw deletes this request and waits until it is gone; and where it was the last that held a Cluster which goes with its
// last request, until that is gone too. The guard is asked of its Cluster before, where it has one, and the judge has the last word before
// each try to delete it. What is waited for is reported, and what holds it.
//
// Errors: those of the guard and of the judge; those of [kube.Write] and [kube.Read]; [*api.WaitError].
func (o *Operator) Withdraw(
	ctx context.Context, live *api.ClusterRequest, guard func(*api.Cluster) error, judge func(*api.ClusterRequest) error, tell func(string),
) error {
	before, err := o.ClusterOf(ctx, live, o.objects.Clusters.Get)
	if err == nil && before != nil && live.DeletionTimestamp == nil {
		err = guard(before)
	}
	if err != nil {
		return err
	}
	requests, err := o.objects.Requests.In(live.Namespace)
	if err == nil {
		err = requests.Withdraw(ctx, live, judge)
	}
	if err != nil {
		return err
	}
	ends, err := o.AwaitWithdrawn(ctx, live, before, tell)
	if err != nil || ends == nil {
		return err
	}
	return o.AwaitEnd(ctx, ends, tell)
}

// AwaitWithdrawn waits until this request is gone, and returns the Cluster that goes because its requests are gone: the one that it had
// before; nil = none goes.
//
// Errors: [*api.WaitError]; those of [kube.Read].
func (o *Operator) AwaitWithdrawn(
	ctx context.Context, live *api.ClusterRequest, before *api.Cluster, tell func(string),
) (*api.Cluster, error) {
	requests, err := o.objects.Requests.In(live.Namespace)
	if err != nil {
		return nil, err
	}
	tell("the request is being withdrawn")
	now := live
	if err := requests.AwaitGone(ctx, live.Ref(), live.UID, tell, func(r *api.ClusterRequest) { now = r }); err != nil {
		return nil, notGone(now, err)
	}
	return o.endsWithRequests(ctx, before)
}

// AwaitEnd waits until a Cluster is gone that goes with its last request.
//
// Errors: [*api.WaitError].
func (o *Operator) AwaitEnd(ctx context.Context, ends *api.Cluster, tell func(string)) error {
	tell("the Cluster goes with its last request")
	last := ends
	err := o.objects.Clusters.AwaitGone(ctx, ends.Ref(), ends.UID, tell, func(c *api.Cluster) { last = c })
	if err != nil {
		failing := append(last.Status.Failing(), api.KeptBy(last.Finalizers)...)
		return &api.WaitError{Kind: api.KindCluster, Ref: ends.Ref(), For: api.UntilGone, Phase: last.Status.Phase, Err: err, Failing: failing}
	}
	return nil
}

// notGone says why a request hangs in its deletion.
func notGone(r *api.ClusterRequest, err error) *api.WaitError {
	wait := &api.WaitError{Kind: api.KindRequest, Ref: r.Ref(), For: api.UntilGone, Phase: r.Status.Phase, Err: err}
	if api.LeftAlone(r) {
		wait.Failing = append(wait.Failing, "It bears the annotation "+api.OperationAnnotation+": "+api.OperationIgnore+
			", with which the scheduler never lets it go")
	}
	wait.Failing = append(wait.Failing, api.KeptBy(r.Finalizers)...)
	return wait
}

// ClusterOf reads the Cluster of a request; nil = it has none, or that is gone.
func (o *Operator) ClusterOf(
	ctx context.Context, r *api.ClusterRequest, read func(context.Context, api.Ref) (*api.Cluster, error),
) (*api.Cluster, error) {
	if r.Status.Cluster == nil {
		return nil, nil
	}
	cluster, err := read(ctx, *r.Status.Cluster)
	if api.IsGone(err) {
		return nil, nil
	}
	return cluster, err
}

// endsWithRequests returns a Cluster that goes because its requests are gone; nil = it stays. What was seen of it before does not decide:
// another request may have been withdrawn at the same time.
func (o *Operator) endsWithRequests(ctx context.Context, before *api.Cluster) (*api.Cluster, error) {
	if before == nil {
		return nil, nil
	}
	cluster, err := o.objects.Clusters.Get(ctx, before.Ref())
	switch {
	case api.IsGone(err):
		return nil, nil
	case err != nil:
		return nil, err
	case cluster.UID == before.UID && len(api.Tenants(cluster)) == 0 &&
		(api.GoesAlong(cluster) || cluster.DeletionTimestamp != nil):
		return cluster, nil
	}
	return nil, nil
}

// Held returns the Cluster of a request, also where other requests hold it as well. It may answer from a list that a refresh has read.
//
// Errors: those of [kube.Read].
func (o *Operator) Held(ctx context.Context, r *api.ClusterRequest) ([]*api.Cluster, error) {
	cluster, err := o.ClusterOf(ctx, r, o.objects.Clusters.Read)
	if err != nil || cluster == nil {
		return nil, err
	}
	return []*api.Cluster{cluster}, nil
}

// LastHold returns the Cluster that a request is the last to hold, or that is held by others too which are all withdrawn; nil = the request
// holds none, or others hold it. It reads as a refresh does.
//
// Errors: those of [kube.Read].
func (o *Operator) LastHold(ctx context.Context, r *api.ClusterRequest, withdrawn func(uid string) bool) (*api.Cluster, error) {
	return o.lastHold(ctx, r, withdrawn, o.objects.Clusters.Read)
}

// LastHoldNow is [Operator.LastHold], and reads the Cluster by itself.
//
// Errors: those of [kube.Read].
func (o *Operator) LastHoldNow(ctx context.Context, r *api.ClusterRequest, withdrawn func(uid string) bool) (*api.Cluster, error) {
	return o.lastHold(ctx, r, withdrawn, o.objects.Clusters.Get)
}

func (o *Operator) lastHold(
	ctx context.Context, r *api.ClusterRequest, withdrawn func(uid string) bool,
	read func(context.Context, api.Ref) (*api.Cluster, error),
) (*api.Cluster, error) {
	cluster, err := o.ClusterOf(ctx, r, read)
	if err != nil || cluster == nil || !api.Holds(cluster, r) || !api.IsLastOf(cluster, string(r.UID), withdrawn) {
		return nil, err
	}
	return cluster, nil
}

// HeldBy returns the Cluster that a request holds; of several the one that its status names; nil = none.
//
// Errors: [*adr.InputError] where it holds several and the status names none of them; those of [kube.Read].
func (o *Operator) HeldBy(ctx context.Context, r *api.ClusterRequest) (*api.Cluster, error) {
	held, err := o.AllHeldBy(ctx, r)
	if err != nil || len(held) == 0 {
		return nil, err
	}
	for _, c := range held {
		if r.Status.Cluster != nil && *r.Status.Cluster == c.Ref() {
			return c, nil
		}
	}
	if len(held) > 1 {
		return nil, &adr.InputError{
			Field:   "landscape.clusters",
			Message: fmt.Sprintf("%v holds two grants, on %v and on %v; take one away", r.Ref(), held[0].Ref(), held[1].Ref()),
		}
	}
	return held[0], nil
}

// AllHeldBy returns all Clusters that a request holds. It holds two where the creation of one arrived late.
//
// Errors: those of [kube.Read].
func (o *Operator) AllHeldBy(ctx context.Context, r *api.ClusterRequest) ([]*api.Cluster, error) {
	all, err := o.objects.Clusters.All(ctx)
	return slices.DeleteFunc(all, func(c *api.Cluster) bool { return !api.Holds(c, r) }), err
}
