package clusterrequest

import (
	"context"
	"errors"
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
)

// Settle waits for the grant. A request that is not granted in time is withdrawn; once it is granted there is no error any more: Terraform
// would taint it, and the next apply would destroy its cluster.
func (r *requestResource) Settle(ctx context.Context, plan requestModel, made *api.ClusterRequest) (*kept, error) {
	v, err := r.await(ctx, plan, view{request: made})
	if err != nil {
		v, err = r.giveUp(ctx, v, err)
	}
	if v.request == nil {
		return nil, err
	}
	now := r.kept(plan.seen(v))
	return &now, err
}

// giveUp withdraws a request that was not granted in time: Terraform would taint it, and the next apply destroy the cluster that it has
// been given by then. Where it is granted after all it stays, and there is no error; nor is there one where it cannot be withdrawn, for it
// may be granted by now.
func (r *requestResource) giveUp(ctx context.Context, v view, why error) (view, error) {
	switch {
	case api.IsGone(why): // another party has withdrawn it
		return view{}, why
	case errors.As(why, new(*builtin.DeniedError)): // it says so itself, holds nothing, and the next apply makes it anew
		return v, why
	case errors.As(why, new(*builtin.UndecidedError)):
		warnUndecided(r.Diags, v.request, why)
		return v, nil
	}
	granted, err := r.API.Requests.GiveUp(ctx, v.request)
	journal.LogRequest(ctx, "request given up", v.request.Ref().String(), err)
	switch {
	case granted != nil:
		warnNotInStatus(r.Diags, granted, why)
		return r.look(context.WithoutCancel(ctx), granted, r.API.Objects.Clusters.Get), nil
	case errors.As(err, new(*api.WaitError)): // it is being deleted
		warnStays(r.Diags, v.request, err)
		return v, why
	case err != nil:
		warnKept(r.Diags, v.request, why, err)
		return v, nil
	}
	return view{}, fmt.Errorf("%w. The request was withdrawn", why)
}

// await waits for what the configuration says. The only error is that the request is not granted, or gone: what keeps its Cluster from
// being ready is a warning.
func (r *requestResource) await(ctx context.Context, m requestModel, v view) (_ view, err error) {
	tell := r.Tell(ctx, m)
	wait := m.WaitFor.ValueString()
	if wait == waitNone && !builtin.Serves(v.request) { // the built-in scheduler works in this very call
		return r.look(ctx, v.request, r.API.Objects.Clusters.Get), nil
	}
	v.request, err = r.API.Requests.AwaitGranted(ctx, v.request, tell)
	r.Log(ctx, "wait for a grant", m, err)
	if err != nil {
		return v, err
	}
	if wait == waitReady {
		if v.cluster, err = r.API.Requests.AwaitCluster(ctx, *v.request.Status.Cluster, tell); err != nil {
			r.Log(ctx, "wait for a cluster", m, err)
			warnNotReady(r.Diags, v.request, err)
		}
		if v.cluster != nil && builtin.Serves(v.request) && !api.Holds(v.cluster, v.request) { // the watch may be older than the grant
			v.cluster = nil
		}
	}
	// What was waited for is shown as it was seen then: a list that others share may be older.
	return r.look(context.WithoutCancel(ctx), v.request, func(ctx context.Context, of api.Ref) (*api.Cluster, error) {
		if v.cluster != nil {
			return v.cluster, nil
		}
		return r.API.Objects.Clusters.Get(ctx, of)
	}), nil
}
