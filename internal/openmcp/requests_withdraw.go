package openmcp

import (
	"context"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// GiveUp withdraws this request for which a caller waits no longer, unless it is granted by now: then it comes back, for a cluster is
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
	for range reviseTries {
		live, err := requests.get(ctx, r.Ref())
		switch {
		case IsGone(err), err == nil && live.UID != r.UID:
			return nil, nil
		case err != nil:
			return nil, err
		case IsGranted(live):
			return live, nil
		}
		// The scheduler grants by its finalizer on a Cluster, and writes the status of the request a moment later.
		if held, err := p.heldBy(ctx, r); held != nil || err != nil && reason(err) != kube.Forbidden {
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
// last request, until that is gone too. Where it is gone already nothing is done. What is waited for is reported, and what holds it.
//
// Errors: those of [kube.Write] and [kube.Read]; [*WaitError].
func (p *Platform) Withdraw(ctx context.Context, of Ref, uid string, tell func(string)) error {
	requests, err := p.requests.of(of.Namespace)
	if err != nil {
		return err
	}
	live, err := requests.get(ctx, of)
	switch {
	case IsGone(err), err == nil && string(live.UID) != uid:
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
		err = requests.withdraw(ctx, live, anyway)
	}
	if err != nil {
		return err
	}
	tell("the request is being withdrawn")
	now := live
	if err := requests.awaitGone(ctx, of, live.UID, tell, func(r *ClusterRequest) { now = r }); err != nil {
		return &WaitError{Kind: kindRequest, Ref: of, For: UntilGone, Phase: now.Status.Phase, Err: err, Failing: ignored(now)}
	}
	ends, err := p.endsBehind(ctx, before)
	if err != nil || ends == nil || IsBuiltin(live) && ends.DeletionTimestamp == nil { // the built-in scheduler would have deleted it
		return err
	}
	tell("the Cluster goes with its last request")
	last := ends
	err = p.clusters.awaitGone(ctx, ends.Ref(), ends.UID, tell, func(c *Cluster) { last = c })
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
func (p *Platform) clusterOf(
	ctx context.Context, r *ClusterRequest, read func(context.Context, Ref) (*Cluster, error),
) (*Cluster, error) {
	switch {
	case r.Status.Cluster == nil && IsBuiltin(r): // its run may have been cut short before it wrote the status
		return p.heldBy(ctx, r)
	case r.Status.Cluster == nil:
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
func (p *Platform) endsBehind(ctx context.Context, before *Cluster) (*Cluster, error) {
	if before == nil {
		return nil, nil
	}
	cluster, err := p.clusters.get(ctx, before.Ref())
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

// LastHold returns the Cluster that a request is the last to hold, or that is held by others too which are all withdrawn; nil = the request
// holds none, or others hold it. It reads as a refresh does.
//
// Errors: those of [kube.Read].
func (p *Platform) LastHold(ctx context.Context, r *ClusterRequest, withdrawn func(uid string) bool) (*Cluster, error) {
	return p.lastHold(ctx, r, withdrawn, p.clusters.read)
}

// LastHoldNow is [Platform.LastHold] of a request that is withdrawn by itself, and reads the Cluster by itself.
//
// Errors: those of [kube.Read].
func (p *Platform) LastHoldNow(ctx context.Context, r *ClusterRequest) (*Cluster, error) {
	return p.lastHold(ctx, r, noOther, p.clusters.get)
}

func (p *Platform) lastHold(
	ctx context.Context, r *ClusterRequest, withdrawn func(uid string) bool, read func(context.Context, Ref) (*Cluster, error),
) (*Cluster, error) {
	cluster, err := p.clusterOf(ctx, r, read)
	if err != nil || cluster == nil {
		return nil, err
	}
	uid, last := string(r.UID), false
	switch {
	case IsBuiltin(r) && isGrantedTo(cluster, uid):
		last, err = p.isAlone(ctx, cluster, uid, withdrawn)
	case Holds(cluster, r): // the operator goes by the finalizers alone
		last = isLastOf(cluster, uid, withdrawn)
	}
	if !last {
		return nil, err
	}
	return cluster, nil
}

// GoesAlong reports whether a Cluster is deleted with the last request that holds it.
func GoesAlong(c *Cluster) bool { return c.Labels[DeletedWithoutRequests] == "true" }
