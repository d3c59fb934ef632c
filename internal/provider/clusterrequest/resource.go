// Package clusterrequest offers clusters that are requested from openMCP: the resource hap_cluster_request.
package clusterrequest

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// Family registers the resource.
var Family = family.Family{Resources: []func() resource.Resource{
	family.New(family.Resource[requestModel, family.Guarded, *api.ClusterRequest]{
		Type: "cluster_request", Schema: requestSchema, Identity: family.NamedSchema("ClusterRequest"), Private: "place",
		Timeouts: func(m requestModel) timeouts.Value { return m.Timeouts },
		IsGone:   api.IsGone,
		Create:   createTimeout, Update: updateTimeout, Delete: deleteTimeout,
		Hooks: func(call *family.Call) family.Hooks[requestModel, family.Guarded, *api.ClusterRequest] {
			return &requestResource{onPlatform{Call: call, Of: &kind}}
		},
	}),
}}

// kind is what requests are called, and how they are read.
var kind = family.PlatformKind[*api.ClusterRequest]{
	Kind: "ClusterRequest", Type: "hap_cluster_request", Form: "<namespace>/<name>, for example team-a/blue",
	Adopted: diagnose.SummaryRequestAdopted, Lost: diagnose.SummaryRequestGone, Twice: diagnose.SummaryRequestTwice,
	Reads: func(p *openmcp.Platform) (recent, now family.PlatformRead[*api.ClusterRequest]) {
		return p.Objects.Requests.Read, p.Objects.Requests.Get
	},
}

type (
	onPlatform = family.OnPlatform[requestModel, family.Guarded, *api.ClusterRequest]
	kept       = family.Kept[requestModel, family.Guarded]
)

// requestResource is a ClusterRequest on the platform cluster.
type requestResource struct{ onPlatform }

// Report reports an error; a denial of a request that existed before does not taint it.
func (r *requestResource) Report(doing family.Doing, m requestModel, err error) {
	if doing == family.Changing {
		err = standing(err)
	}
	r.onPlatform.Report(doing, m, err)
}

// Check refuses a request for the other scheduler: its plan may not have known the provider block. Of a request that ends it notes what the
// plan has announced, also where another party has withdrawn the request since.
func (r *requestResource) Check(_ context.Context, doing family.Doing, plan requestModel) {
	switch {
	case doing == family.Making:
		r.refuseOther(r.Diags, plan.configured())
	case doing == family.Destroying && r.Ends.Goes:
		r.Backend.Ledger.First(announced, r.Ends.Cluster)
	}
}

// Restore protects a request of the state of a release that knew no protection.
func (r *requestResource) Restore(of *kept) { family.RestoreProtection(&of.Model.Protection) }

// kept is what Terraform keeps of a request that was just made or seen.
func (r *requestResource) kept(m requestModel) kept {
	return kept{Model: m, Place: r.guarded(m)}
}

// guarded is the place of a request, with the Cluster that it has.
func (r *requestResource) guarded(m requestModel) family.Guarded {
	at := r.Guard(m, m.Protection, m.Shoot)
	at.Holders = int(m.Tenants.ValueInt64())
	namespace, _ := m.Cluster.Attributes()["namespace"].(types.String)
	if name, ok := m.Cluster.Attributes()["name"].(types.String); ok && tfvalue.Known(namespace, name) {
		at.Cluster = api.Ref{Namespace: namespace.ValueString(), Name: name.ValueString()}.String()
	}
	return at
}

// Create makes the request, in the provider's namespace where the configuration names none.
func (r *requestResource) Create(ctx context.Context, plan *requestModel, _ requestModel) (*api.ClusterRequest, error) {
	if err := r.Connect(); err != nil {
		return nil, err
	}
	r.Put(&plan.Namespace)
	made, found, err := r.API.Requests.Make(ctx, plan.wanted())
	r.Log(ctx, "request made", *plan, err)
	r.Found(found, made, *plan)
	return made, err
}

// Made is the state of a request that was just made.
func (r *requestResource) Made(plan requestModel, made *api.ClusterRequest) kept {
	return r.kept(plan.seen(view{request: made}))
}

// Refresh is the state of a request and of its Cluster.
func (r *requestResource) Refresh(ctx context.Context, state kept, live *api.ClusterRequest) (kept, error) {
	m, v := state.Model, r.look(ctx, live, r.API.Objects.Clusters.Read)
	v.keepEmpty(r.Diags, m)
	imported := m.UID.IsNull()
	if imported {
		m = m.imported(live)
	}
	m = m.served(live, r.Backend.Platform.Builtin())
	m.Labels, m.Annotations = tfvalue.Standing(m.Labels, live.Labels), tfvalue.Standing(m.Annotations, live.Annotations)
	now := r.kept(m.seen(v))
	now.Place.Imported = imported
	return now, nil
}

// Update writes what differs, has the scheduler look again where the Cluster is gone, and waits.
func (r *requestResource) Update(
	ctx context.Context, plan requestModel, state kept, live *api.ClusterRequest,
) (*kept, error) {
	if plan.protectsAlone(state.Model) && !state.Place.Imported {
		plan.computed = state.Model.computed
		now := r.kept(plan)
		return &now, nil
	}
	live, err := r.change(ctx, plan, state.Model, live)
	if err != nil {
		return r.unprotected(plan, state), err
	}
	if !plan.Ready.IsUnknown() { // nothing is waited for: the plan says all, and the next refresh what has come since
		now := r.kept(plan)
		return &now, nil
	}
	v, err := r.await(ctx, plan, view{request: live})
	v.keepEmpty(r.Diags, state.Model)
	now := r.kept(plan.seen(v).asPlanned(plan))
	return &now, err
}

// unprotected is the state with the protection of the plan alone: what else the plan wants could not be done, and nothing but this stays in
// the way of a destroy. nil = the protection does not change.
func (r *requestResource) unprotected(plan requestModel, state kept) *kept {
	if plan.Protection.IsUnknown() || plan.Protection.Equal(state.Model.Protection) {
		return nil
	}
	m := state.Model
	m.Protection = plan.Protection
	now := r.kept(m)
	return &now
}

// Delete withdraws the request, unless that ends the last hold on a protected Cluster, or on one of which the plan has not said that it
// goes. That is judged before anything is written, and once more right before the built-in scheduler deletes the Cluster: other requests
// may have left it meanwhile.
func (r *requestResource) Delete(ctx context.Context, state kept, live *api.ClusterRequest) error {
	m := state.Model
	at := r.guarded(m)
	r.allow(live)
	if err := r.mayEnd(ctx, at, live); err != nil {
		return err
	}
	err := r.API.Requests.Withdraw(ctx, m.Ref(), m.ObjectUID(), r.Tell(ctx, m), builtin.Guard{
		Before: func(c *api.Cluster) error { return r.mayTakeAlong(ctx, at, c) },
		Goes:   func(c *api.Cluster) error { return r.mayGo(ctx, at, c) },
	})
	r.Log(ctx, "request withdrawn", m, err)
	return err
}

// mayEnd refuses to end the last hold on a Cluster that this request protects, or another one that this run has withdrawn or is about to:
// the plan may not have seen the platform cluster, or the requests as they are by now.
func (r *requestResource) mayEnd(ctx context.Context, at family.Guarded, live *api.ClusterRequest) error {
	of, withdrawn := r.withdraws(at)
	if !r.Backend.Ledger.Guards() { // a protected request that comes later sees that this one is withdrawn
		return nil
	}
	cluster, err := r.API.Requests.LastHoldNow(ctx, live, withdrawn)
	switch {
	case err != nil: // it may be the last hold on what another one protects
		return err
	case cluster == nil && at.Protected && live.Status.Cluster != nil: // its finalizer is gone when the last one is withdrawn
		r.Backend.Ledger.Protect(leftBy(*live.Status.Cluster), "request "+of.String())
		return nil
	case cluster == nil:
		return nil
	}
	if guards := r.guards(at, cluster); len(guards) > 0 {
		reportProtected(r.Diags, of, guards, cluster)
		return family.ErrReported
	}
	return nil
}

// mayGo refuses to delete a Cluster with a request that is being deleted by now, and is the last that holds it.
func (r *requestResource) mayGo(ctx context.Context, at family.Guarded, c *api.Cluster) error {
	guards, err := r.guards(at, c), family.MayEnd(ctx, r.Backend, c)
	if kept, is := errors.AsType[*kube.ProtectedError](err); is {
		guards = append(guards, kept.Kind+" "+kept.Namespace+"/"+kept.Name)
	}
	if len(guards) > 0 {
		reportLeft(r.Diags, at.Ref(), guards, c)
		return cmp.Or(err, family.ErrReported) // it has a remedy of its own
	}
	if err == nil && r.unannounced(c) {
		reportLeftUnannounced(r.Diags, at.Ref(), c)
		return family.ErrReported
	}
	return err
}

// mayTakeAlong refuses to withdraw the last request that holds a Cluster which goes with it, where another state, or a person, protects
// that or a Shoot behind it, or where the plan has not said that the Cluster goes.
func (r *requestResource) mayTakeAlong(ctx context.Context, at family.Guarded, c *api.Cluster) error {
	_, withdrawn := r.withdraws(at)
	if !api.GoesAlong(c) || !slices.Contains(api.Tenants(c), at.UID) || !api.IsLastOf(c, at.UID, withdrawn) {
		return nil
	}
	if err := family.MayEnd(ctx, r.Backend, c); err != nil || !r.unannounced(c) {
		return err
	}
	reportUnannounced(r.Diags, at.Ref(), c)
	return family.ErrReported
}

// withdraws notes that this run withdraws a request, before the Cluster is read: of two requests that are withdrawn at once one sees both.
func (r *requestResource) withdraws(at family.Guarded) (of api.Ref, withdrawn func(uid string) bool) {
	of = at.Ref()
	if at.Protected {
		r.Backend.Ledger.Protect(at.UID, "request "+of.String())
	}
	r.Backend.Ledger.Destroy(ledger.Object{Type: kind.Type, ID: of.String(), UID: at.UID}, true) // what takes its place is no clash
	return of, func(uid string) bool { return r.Backend.Ledger.Destroyed(ledger.Object{Type: kind.Type, UID: uid}) }
}

// leftBy is what a Cluster is called in the ledger that a protected request has left in this run.
func leftBy(of api.Ref) string { return of.String() + ", which was left" }

// guards are the protected objects of this run that keep a Cluster, of which this request is the last holder, or a Shoot behind it.
func (r *requestResource) guards(at family.Guarded, c *api.Cluster, behind ...string) []string {
	held := append(api.Tenants(c), at.UID, leftBy(c.Ref()))
	if api.GoesAlong(c) {
		held = append(append(held, behind...), c.Ref().String())
	}
	return r.Backend.Ledger.Protected(held)
}

// change writes labels and annotations, where they differ, and has a Cluster that is gone made anew.
func (r *requestResource) change(
	ctx context.Context, plan, state requestModel, request *api.ClusterRequest,
) (_ *api.ClusterRequest, err error) {
	of, uid := state.Ref(), state.UID.ValueString()
	if !plan.sendsAs(state) {
		request, err = r.API.Requests.Describe(ctx, of, uid, plan.wanted(), state.wanted())
		journal.LogRequest(ctx, "request changed", of.String(), err)
		if err == nil && builtin.HandedOver(request) {
			warnUnreached(r.Diags, request, r.API.Requests.Unreached(ctx, request))
		}
	}
	if err == nil {
		request, err = r.takeBack(ctx, request)
	}
	if err == nil {
		request, err = r.handOver(ctx, request)
	}
	if err == nil && builtin.IsRefused(request) && !api.LeftAlone(request) {
		request, err = r.API.Requests.Reschedule(ctx, of, uid)
		journal.LogRequest(ctx, "denied request shown to the scheduler again", of.String(), err)
	}
	if err != nil || !api.IsGranted(request) || api.LeftAlone(request) {
		return request, err
	}
	if _, gone := r.API.Objects.Clusters.Get(ctx, *request.Status.Cluster); api.IsGone(gone) {
		request, err = r.API.Requests.Reschedule(ctx, of, uid)
		journal.LogRequest(ctx, "request shown to the scheduler again", of.String(), err)
		if err == nil {
			err = r.API.Requests.AwaitAnew(ctx, *request.Status.Cluster)
		}
	}
	return request, err
}
