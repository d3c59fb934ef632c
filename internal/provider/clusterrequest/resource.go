package clusterrequest

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

var (
	_ resource.ResourceWithConfigure      = (*requestResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*requestResource)(nil)
	_ resource.ResourceWithValidateConfig = (*requestResource)(nil)
	_ resource.ResourceWithImportState    = (*requestResource)(nil)
	_ resource.ResourceWithIdentity       = (*requestResource)(nil)
)

// Family registers the resource.
var Family = family.Family{Resources: []func() resource.Resource{func() resource.Resource { return &requestResource{} }}}

// requestResource is a ClusterRequest on the platform cluster.
type requestResource struct{ backend *backend.Backend }

func (r *requestResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_cluster_request"
}

func (r *requestResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = requestSchema(ctx)
}

func (r *requestResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.backend = family.Backend(req.ProviderData, &resp.Diagnostics)
}

// Create makes the request and waits for it. It is in the state before the wait. One that is not granted in time is withdrawn; once it
// is granted no error is told any more: Terraform would taint it, and the next apply would destroy its cluster.
func (r *requestResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan requestModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	ctx, cancel := family.BoundedBy(ctx, &resp.Diagnostics, "create", plan.Timeouts.Create, createTimeout)
	defer cancel()
	r.refuseOther(&resp.Diagnostics, plan.configured()) // the plan may not have known the provider block
	if resp.Diagnostics.HasError() {
		return
	}
	api, v, err := r.make(ctx, &resp.Diagnostics, &plan)
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.backend.OpenMCP.Attempt("Requesting cluster %s", plan.ref()), err)
		return
	}
	stored, at := stored{&resp.State, resp.Identity, resp.Private}, place{Server: r.backend.OpenMCP.Server()}
	resp.Diagnostics.Append(stored.set(ctx, plan.seen(v), at)...)
	v, err = r.await(ctx, &resp.Diagnostics, api, plan, v)
	if err != nil {
		v, err = r.giveUp(ctx, &resp.Diagnostics, api, v, err)
	}
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.backend.OpenMCP.Attempt("Requesting cluster %s", plan.ref()), err)
	}
	if v.request == nil {
		resp.State.RemoveResource(ctx)
		return
	}
	resp.Diagnostics.Append(stored.set(ctx, plan.seen(v), at)...)
}

// giveUp withdraws a request that was not granted in time: Terraform would taint it, and the next apply destroy the cluster that it has
// been given by then. Where it is granted after all it stays, and there is no error; nor is there one where it cannot be withdrawn, for it
// may be granted by now.
func (r *requestResource) giveUp(
	ctx context.Context, diags *diag.Diagnostics, api *openmcp.Platform, v view, why error,
) (view, error) {
	switch {
	case openmcp.IsGone(why): // another party has withdrawn it
		return view{}, why
	case errors.As(why, new(*openmcp.DeniedError)): // it says so itself, holds nothing, and the next apply makes it anew
		return v, why
	}
	if errors.As(why, new(*openmcp.UndecidedError)) {
		warnUndecided(diags, v.request, why)
		return v, nil
	}
	granted, err := api.GiveUp(ctx, v.request)
	journal.LogRequest(ctx, "request given up", v.request.Ref().String(), err)
	switch {
	case granted != nil:
		warnUntold(diags, granted, why)
		return r.look(context.WithoutCancel(ctx), diags, api, granted, api.ClusterNow)
	case errors.As(err, new(*openmcp.WaitError)): // it is being deleted
		warnStays(diags, v.request, err)
		return v, why
	case err != nil:
		warnKept(diags, v.request, why, err)
		return v, nil
	}
	return view{}, fmt.Errorf("%w. The request was withdrawn", why)
}

// make makes the request, in the provider's namespace where the configuration names none.
func (r *requestResource) make(
	ctx context.Context, diags *diag.Diagnostics, plan *requestModel,
) (api *openmcp.Platform, v view, err error) {
	if api, err = r.backend.OpenMCP.API(); err != nil {
		return nil, v, err
	}
	plan.place(api.Namespace())
	request, found, err := api.Request(ctx, plan.wanted())
	v.request = request
	journal.LogRequest(ctx, "request made", plan.ref().String(), err)
	if found {
		r.backend.AdoptObject(string(request.UID))
		warnAdopted(diags, v.request)
	}
	return api, v, err
}

// view is a request with what was seen of its Cluster; nil = it was not seen.
type view struct {
	request *openmcp.ClusterRequest
	cluster *openmcp.Cluster
	prefix  *string // nil = there is none yet, or it could not be told
	lost    bool    // the Cluster does not exist any more
}

// await waits for what the configuration says. The only error is that the request is not granted, or gone: what keeps its Cluster from
// being ready is a warning.
func (r *requestResource) await(
	ctx context.Context, diags *diag.Diagnostics, api *openmcp.Platform, m requestModel, v view,
) (_ view, err error) {
	tell := journal.TellRequest(ctx, m.ref().String())
	wait := m.WaitFor.ValueString()
	if wait == waitNone && !openmcp.IsBuiltin(v.request) { // the built-in scheduler works in this very call
		return r.look(ctx, diags, api, v.request, api.ClusterNow)
	}
	v.request, err = api.AwaitGranted(ctx, v.request, tell)
	journal.LogRequest(ctx, "wait for a grant", m.ref().String(), err)
	if err != nil {
		return v, err
	}
	if wait == waitReady {
		if v.cluster, err = api.AwaitCluster(ctx, *v.request.Status.Cluster, tell); err != nil {
			journal.LogRequest(ctx, "wait for a cluster", m.ref().String(), err)
			warnNotReady(diags, v.request, err)
		}
		if v.cluster != nil && openmcp.IsBuiltin(v.request) && !openmcp.Holds(v.cluster, v.request) { // the watch may be older than the grant
			v.cluster = nil
		}
	}
	// What was waited for is shown as it was seen then: a list that others share may be older.
	return r.look(context.WithoutCancel(ctx), diags, api, v.request, func(ctx context.Context, of openmcp.Ref) (*openmcp.Cluster, error) {
		if v.cluster != nil {
			return v.cluster, nil
		}
		return api.ClusterNow(ctx, of)
	})
}

// look reads the Cluster of a request, and derives the prefix.
func (r *requestResource) look(
	ctx context.Context, diags *diag.Diagnostics, api *openmcp.Platform, request *openmcp.ClusterRequest,
	read func(context.Context, openmcp.Ref) (*openmcp.Cluster, error),
) (v view, err error) {
	v.request = request
	if !openmcp.IsGranted(request) {
		return v, nil
	}
	ctx, cancel := context.WithTimeout(ctx, backend.ReadTimeout)
	defer cancel()
	if v.cluster, err = read(ctx, *request.Status.Cluster); err != nil {
		v.cluster, v.lost = nil, openmcp.IsGone(err)
		warnUnseen(diags, request, err)
		return v, nil
	}
	if openmcp.IsBuiltin(request) && !openmcp.Holds(v.cluster, request) { // an apply has it granted again
		v.cluster, v.lost = nil, true
		warnUnheld(diags, request)
		return v, nil
	}
	if openmcp.IsUnserved(request) && r.backend.OpenMCP.Builtin() { // an apply takes it back
		v.cluster, v.lost = nil, true
		warnUnserved(diags, request)
		return v, nil
	}
	prefix, err := api.Prefix(ctx, request, v.cluster)
	if err != nil {
		r.warnPrefix(diags, request, err)
	}
	if !errors.As(err, new(*openmcp.PrefixError)) {
		v.prefix = &prefix
	}
	return v, nil
}

// Read reads the request and its Cluster. Where the provider leads to no platform cluster yet, what the state has stays.
func (r *requestResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state requestModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, cancel := family.BoundedBy(ctx, &resp.Diagnostics, "read", state.Timeouts.Read, backend.ReadTimeout)
	defer cancel()
	at := family.PlaceOf[place](ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if r.backend.OpenMCP.Later() {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...) // Terraform before 1.12 keeps none
		return
	}
	fresh := state.UID.IsNull() // from an import
	api, request, err := r.find(ctx, at, state, (*openmcp.Platform).RequestOf)
	if openmcp.IsGone(err) && !fresh {
		warnGone(&resp.Diagnostics, err)
		resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
		resp.State.RemoveResource(ctx)
		return
	}
	v := view{}
	if err == nil {
		v, err = r.look(ctx, &resp.Diagnostics, api, request, api.ClusterOf)
		v.keepEmpty(&resp.Diagnostics, state)
	}
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.backend.OpenMCP.Attempt("Reading request %s", state.ref()), err)
		return
	}
	if fresh {
		state = state.imported(request)
	}
	state = state.served(request, r.backend.OpenMCP.Builtin())
	state.Labels, state.Annotations = tfvalue.Standing(state.Labels, request.Labels), tfvalue.Standing(state.Annotations, request.Annotations)
	at.Server = r.backend.OpenMCP.Server()
	resp.Diagnostics.Append(stored{&resp.State, resp.Identity, resp.Private}.set(ctx, state.seen(v), at)...)
}

// find reads the very ClusterRequest of a state; one from an import has no uid yet.
//
// Errors: those of [backend.Find].
func (r *requestResource) find(
	ctx context.Context, at place, state requestModel,
	read func(*openmcp.Platform, context.Context, openmcp.Ref) (*openmcp.ClusterRequest, error),
) (*openmcp.Platform, *openmcp.ClusterRequest, error) {
	of := backend.Standing{Kind: "ClusterRequest", Ref: state.ref(), UID: state.UID.ValueString(), Server: at.Server}
	return backend.Find(r.backend.OpenMCP, of, func(api *openmcp.Platform, ref openmcp.Ref) (*openmcp.ClusterRequest, error) {
		return read(api, ctx, ref)
	})
}

// Update writes what differs, has the scheduler look again where the Cluster is gone, and waits.
func (r *requestResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state requestModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, cancel := family.BoundedBy(ctx, &resp.Diagnostics, "update", plan.Timeouts.Update, updateTimeout)
	defer cancel()
	at := family.PlaceOf[place](ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	api, request, err := r.find(ctx, at, state, (*openmcp.Platform).RequestNow)
	if err == nil {
		request, err = r.change(ctx, api, plan, state, request)
	}
	v := view{request: request}
	stored := stored{&resp.State, resp.Identity, resp.Private}
	switch {
	case err != nil:
	case !plan.Ready.IsUnknown(): // nothing is waited for: the plan says all, and the next refresh what has come since
		resp.Diagnostics.Append(stored.set(ctx, plan, at)...)
	default:
		v, err = r.await(ctx, &resp.Diagnostics, api, plan, v)
		v.keepEmpty(&resp.Diagnostics, state)
		resp.Diagnostics.Append(stored.set(ctx, plan.seen(v).asPlanned(plan), at)...)
	}
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.backend.OpenMCP.Attempt("Changing request %s", state.ref()), standing(err))
	}
}

// change writes labels and annotations, where they differ, and has a Cluster that is gone made anew.
func (r *requestResource) change(
	ctx context.Context, api *openmcp.Platform, plan, state requestModel, request *openmcp.ClusterRequest,
) (_ *openmcp.ClusterRequest, err error) {
	if !plan.sendsAs(state) {
		request, err = api.Describe(ctx, state.ref(), state.UID.ValueString(), plan.wanted(), state.wanted())
		journal.LogRequest(ctx, "request changed", state.ref().String(), err)
	}
	if err == nil {
		request, err = r.takeBack(ctx, api, request)
	}
	if err == nil {
		request, err = r.handOver(ctx, api, request)
	}
	if err != nil || !openmcp.IsGranted(request) || openmcp.LeftAlone(request) {
		return request, err
	}
	if _, gone := api.ClusterNow(ctx, *request.Status.Cluster); openmcp.IsGone(gone) {
		request, err = api.Reschedule(ctx, state.ref(), state.UID.ValueString())
		journal.LogRequest(ctx, "request shown to the scheduler again", state.ref().String(), err)
		if err == nil {
			err = api.AwaitAnew(ctx, *request.Status.Cluster)
		}
	}
	return request, err
}

// Delete withdraws the request, and waits until it is gone, with the Cluster that goes with it.
func (r *requestResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state requestModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, cancel := family.BoundedBy(ctx, &resp.Diagnostics, "delete", state.Timeouts.Delete, deleteTimeout)
	defer cancel()
	at := family.PlaceOf[place](ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if r.backend.AdoptedObject(state.UID.ValueString()) {
		diagnose.ReportKept(&resp.Diagnostics, "ClusterRequest", state.ref().String(), state.UID.ValueString())
		return
	}
	api, _, err := r.find(ctx, at, state, (*openmcp.Platform).RequestNow)
	if openmcp.IsGone(err) {
		return
	}
	if err == nil {
		err = api.Withdraw(ctx, state.ref(), state.UID.ValueString(), journal.TellRequest(ctx, state.ref().String()))
		journal.LogRequest(ctx, "request withdrawn", state.ref().String(), err)
	}
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.backend.OpenMCP.Attempt("Withdrawing request %s", state.ref()), err)
	}
}
