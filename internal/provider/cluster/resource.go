package cluster

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
)

var (
	_ resource.ResourceWithConfigure      = (*clusterResource)(nil)
	_ resource.ResourceWithValidateConfig = (*clusterResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*clusterResource)(nil)
	_ resource.ResourceWithImportState    = (*clusterResource)(nil)
	_ resource.ResourceWithIdentity       = (*clusterResource)(nil)
)

// Family registers the resource.
var Family = family.Family{Resources: []func() resource.Resource{func() resource.Resource { return &clusterResource{} }}}

// kind is what the API calls a cluster.
const kind = "Cluster"

// clusterResource is a Cluster on the platform cluster.
type clusterResource struct{ backend *backend.Backend }

func (r *clusterResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_cluster"
}

func (r *clusterResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = clusterSchema(ctx)
}

func (r *clusterResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.backend = family.Backend(req.ProviderData, &resp.Diagnostics)
}

// attempt says what was tried, for a message.
func (r *clusterResource) attempt(what string, m clusterModel) string {
	return r.backend.OpenMCP.Attempt("%s Cluster %s", what, m.ref())
}

// Create makes the Cluster and waits for it. It is in the state before the wait, and no error is told any more: Terraform would taint it,
// and the next apply would destroy the cluster. The one exception is a Cluster that another party has deleted meanwhile.
func (r *clusterResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan clusterModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	ctx, cancel := family.BoundedBy(ctx, &resp.Diagnostics, "create", plan.Timeouts.Create, createTimeout)
	defer cancel()
	checkNames(&resp.Diagnostics, plan) // some values are known only now
	if resp.Diagnostics.HasError() {
		return
	}
	api, made, err := r.make(ctx, &resp.Diagnostics, &plan)
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.attempt("Making", plan), err)
		return
	}
	stored, at := stored{&resp.State, resp.Identity, resp.Private}, place{Server: r.backend.OpenMCP.Server()}
	resp.Diagnostics.Append(stored.set(ctx, plan.seen(made), at)...)
	live, err := r.await(ctx, &resp.Diagnostics, api, plan, made)
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.attempt("Making", plan), err)
		resp.State.RemoveResource(ctx)
		return
	}
	resp.Diagnostics.Append(stored.set(ctx, plan.seen(live), at)...)
}

// make makes the Cluster, in the provider's namespace where the configuration names none.
func (r *clusterResource) make(
	ctx context.Context, diags *diag.Diagnostics, plan *clusterModel,
) (api *openmcp.Platform, made *openmcp.Cluster, err error) {
	if api, err = r.backend.OpenMCP.API(); err != nil {
		return nil, nil, err
	}
	plan.place(api.Namespace())
	if err := r.adopts(ctx, api, *plan); err != nil {
		return nil, nil, err
	}
	made, found, err := api.MakeCluster(ctx, plan.wanted())
	journal.LogRequest(ctx, "cluster made", plan.ref().String(), err)
	if found {
		r.backend.AdoptObject(string(made.UID))
		warnAdopted(diags, made)
	}
	return api, made, err
}

// await waits for what the configuration says. The only error is that the Cluster is gone: what keeps it from being ready is a warning.
func (r *clusterResource) await(
	ctx context.Context, diags *diag.Diagnostics, api *openmcp.Platform, m clusterModel, from *openmcp.Cluster,
) (*openmcp.Cluster, error) {
	if m.WaitFor.ValueString() == waitCreated {
		return from, nil
	}
	last, err := api.AwaitReady(ctx, from, journal.TellRequest(ctx, m.ref().String()))
	journal.LogRequest(ctx, "wait for a cluster", m.ref().String(), err)
	if err == nil || openmcp.IsGone(err) {
		return last, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), backend.PreviewTimeout)
	defer cancel()
	warnNotReady(diags, last, unknownProfile(ctx, api, last.Spec.Profile), err)
	return last, nil
}

// Read reads the Cluster. Where the provider leads to no platform cluster yet, what the state has stays.
func (r *clusterResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state clusterModel
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
	_, live, err := r.find(ctx, at, state, (*openmcp.Platform).ClusterOf)
	switch {
	case openmcp.IsGone(err) && !fresh:
		warnGone(&resp.Diagnostics, err)
		resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
		resp.State.RemoveResource(ctx)
		return
	case err != nil:
		diagnose.Report(&resp.Diagnostics, r.attempt("Reading", state), err)
		return
	case fresh:
		state = state.imported(live)
	}
	warnEnds(&resp.Diagnostics, live)
	at.Server = r.backend.OpenMCP.Server()
	resp.Diagnostics.Append(stored{&resp.State, resp.Identity, resp.Private}.set(ctx, state.refreshed(live).seen(live), at)...)
}

// find reads the very Cluster of a state; one from an import has no uid yet.
//
// Errors: those of [backend.Find].
func (r *clusterResource) find(
	ctx context.Context, at place, state clusterModel,
	read func(*openmcp.Platform, context.Context, openmcp.Ref) (*openmcp.Cluster, error),
) (*openmcp.Platform, *openmcp.Cluster, error) {
	of := backend.Standing{Kind: kind, Ref: state.ref(), UID: state.UID.ValueString(), Server: at.Server}
	return backend.Find(r.backend.OpenMCP, of, func(api *openmcp.Platform, ref openmcp.Ref) (*openmcp.Cluster, error) {
		return read(api, ctx, ref)
	})
}

// Update writes what differs, and waits.
func (r *clusterResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state clusterModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, cancel := family.BoundedBy(ctx, &resp.Diagnostics, "update", plan.Timeouts.Update, updateTimeout)
	defer cancel()
	at := family.PlaceOf[place](ctx, req.Private, &resp.Diagnostics)
	checkNames(&resp.Diagnostics, plan) // some values are known only now
	if resp.Diagnostics.HasError() {
		return
	}
	api, live, err := r.find(ctx, at, state, (*openmcp.Platform).ClusterNow)
	if err == nil && !plan.sendsAs(state) {
		live, err = api.ChangeCluster(ctx, state.UID.ValueString(), plan.wanted(), state.wanted())
		journal.LogRequest(ctx, "cluster changed", state.ref().String(), err)
	}
	stored := stored{&resp.State, resp.Identity, resp.Private}
	switch {
	case err != nil:
	case !plan.Ready.IsUnknown(): // nothing is waited for: the plan says all, and the next refresh what has come since
		resp.Diagnostics.Append(stored.set(ctx, plan, at)...)
	default:
		if live, err = r.await(ctx, &resp.Diagnostics, api, plan, live); err == nil {
			resp.Diagnostics.Append(stored.set(ctx, plan.seen(live).asPlanned(plan), at)...)
		}
	}
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.attempt("Changing", state), err)
	}
}

// Delete deletes the Cluster, where no request holds it, and waits until it is gone.
func (r *clusterResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state clusterModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, cancel := family.BoundedBy(ctx, &resp.Diagnostics, "delete", state.Timeouts.Delete, deleteTimeout)
	defer cancel()
	at := family.PlaceOf[place](ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if r.backend.AdoptedObject(state.UID.ValueString()) {
		diagnose.ReportKept(&resp.Diagnostics, kind, state.ref().String(), state.UID.ValueString())
		return
	}
	api, _, err := r.find(ctx, at, state, (*openmcp.Platform).ClusterNow)
	if openmcp.IsGone(err) {
		return
	}
	if err == nil {
		err = api.RemoveCluster(ctx, state.ref(), state.UID.ValueString(), journal.TellRequest(ctx, state.ref().String()))
		journal.LogRequest(ctx, "cluster deleted", state.ref().String(), err)
	}
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.attempt("Destroying", state), err)
	}
}
