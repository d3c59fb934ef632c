package clusteraccess

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
)

var (
	_ resource.ResourceWithConfigure   = (*accessResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*accessResource)(nil)
	_ resource.ResourceWithImportState = (*accessResource)(nil)
	_ resource.ResourceWithIdentity    = (*accessResource)(nil)
)

// Family registers the resource and what reads its access.
var Family = family.Family{
	Resources:          []func() resource.Resource{func() resource.Resource { return &accessResource{} }},
	EphemeralResources: []func() ephemeral.EphemeralResource{func() ephemeral.EphemeralResource { return &clusterAccess{} }},
}

// accessResource is an AccessRequest on the platform cluster.
type accessResource struct{ backend *backend.Backend }

func (r *accessResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_access_request"
}

func (r *accessResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = accessSchema(ctx)
}

func (r *accessResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.backend = family.Backend(req.ProviderData, &resp.Diagnostics)
}

// Create makes the AccessRequest and waits for access. As soon as it is there it is in the state, and no error is told any more:
// Terraform would taint it, and the next apply would begin anew.
func (r *accessResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var plan accessModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	ctx, cancel := family.BoundedBy(ctx, &resp.Diagnostics, "create", plan.Timeouts.Create, createTimeout)
	defer cancel()
	if resp.Diagnostics.HasError() {
		return
	}
	api, made, err := r.make(ctx, &resp.Diagnostics, &plan)
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.backend.OpenMCP.Attempt("Asking for access %s", plan.ref()), err)
		return
	}
	stored, at := stored{&resp.State, resp.Identity, resp.Private}, place{Server: r.backend.OpenMCP.Server()}
	resp.Diagnostics.Append(stored.set(ctx, plan.seen(made), at)...)
	if plan, err = r.await(ctx, &resp.Diagnostics, api, plan, made); err != nil {
		resp.State.RemoveResource(ctx) // it is gone
		diagnose.Report(&resp.Diagnostics, r.backend.OpenMCP.Attempt("Waiting for access %s", plan.ref()), err)
		return
	}
	resp.Diagnostics.Append(stored.set(ctx, plan, at)...)
}

// make makes the AccessRequest, in the provider's namespace where the configuration names none.
func (r *accessResource) make(
	ctx context.Context, diags *diag.Diagnostics, plan *accessModel,
) (api *openmcp.Platform, made *openmcp.AccessRequest, err error) {
	if api, err = r.backend.OpenMCP.API(); err != nil {
		return nil, nil, err
	}
	plan.place(api.Namespace())
	made, found, err := api.RequestAccess(ctx, plan.wanted())
	journal.LogRequest(ctx, "access asked for", plan.ref().String(), err)
	if found {
		r.backend.AdoptObject(string(made.UID))
		warnAdopted(diags, made)
	}
	return api, made, err
}

// await waits for access as the configuration says, and returns its state. What keeps it away is a warning. The only error is that the
// AccessRequest is gone.
func (r *accessResource) await(
	ctx context.Context, diags *diag.Diagnostics, api *openmcp.Platform, m accessModel, live *openmcp.AccessRequest,
) (_ accessModel, err error) {
	name, waits := live.Ref().String(), m.WaitFor.ValueString() == waitGranted
	if waits {
		live, err = api.AwaitAccess(ctx, live, journal.TellRequest(ctx, name))
		journal.LogRequest(ctx, "wait for access", name, err)
	}
	if openmcp.IsGone(err) {
		return m, err
	}
	m = m.seen(live)
	if err != nil {
		warnWaiting(diags, err)
	}
	if !openmcp.IsAccessGranted(live) {
		return m, nil
	}
	if err := api.CheckCluster(ctx, live, (*openmcp.Platform).RequestNow); err != nil {
		warnUnusable(diags, err)
		return m, nil
	}
	read := api.Access
	if waits {
		read = api.AwaitUsable
	}
	access, err := read(ctx, live)
	switch {
	case openmcp.IsUnusable(err):
		m.ExpiresAt = textOfTime(access.ExpiresAt)
		warnWaiting(diags, err)
		return m, nil
	case err != nil:
		r.warnUnread(diags, err)
	}
	return m.granted(textOfTime(access.ExpiresAt)), nil
}

// warnUnread says once in a run that Secrets cannot be read.
func (r *accessResource) warnUnread(diags *diag.Diagnostics, err error) {
	if r.backend.TellOnce("access", diagnose.Explain(err).Summary) {
		warnUnread(diags, err)
	}
}

// Read reads the AccessRequest, and when its access ends. Where the provider leads to no platform cluster yet, what the state has stays.
func (r *accessResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state accessModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, cancel := family.BoundedBy(ctx, &resp.Diagnostics, "read", state.Timeouts.Read, backend.ReadTimeout)
	defer cancel()
	at := family.PlaceOf[place](ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if r.backend.OpenMCP.Later() {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, accessIdentity{state.Namespace, state.Name})...) // Terraform before 1.12 keeps none
		return
	}
	fresh := state.UID.IsNull() // from an import
	api, live, err := r.find(ctx, at, state, (*openmcp.Platform).AccessRequestOf)
	if openmcp.IsGone(err) && !fresh {
		warnGone(&resp.Diagnostics, err)
		resp.Diagnostics.Append(resp.Identity.Set(ctx, accessIdentity{state.Namespace, state.Name})...)
		resp.State.RemoveResource(ctx)
		return
	}
	if err == nil {
		if fresh {
			state = state.imported(live)
		}
		state, err = state.refreshed(live)
	}
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.backend.OpenMCP.Attempt("Reading access %s", state.ref()), err)
		return
	}
	at = place{Server: r.backend.OpenMCP.Server()}
	if moved := api.CheckCluster(ctx, live, (*openmcp.Platform).RequestOf); moved != nil {
		warnMoved(&resp.Diagnostics, moved)
		state, at.Moved = state.seen(live), true
	} else {
		state = r.look(ctx, &resp.Diagnostics, api, state, live)
	}
	resp.Diagnostics.Append(stored{&resp.State, resp.Identity, resp.Private}.set(ctx, state, at)...)
}

// look is the state of an AccessRequest with what its Secret says. Where that cannot be read, what the state has stays.
func (r *accessResource) look(
	ctx context.Context, diags *diag.Diagnostics, api *openmcp.Platform, state accessModel, live *openmcp.AccessRequest,
) accessModel {
	before := state.ExpiresAt
	state = state.seen(live)
	if !openmcp.IsAccessGranted(live) {
		return state
	}
	access, err := api.Access(ctx, live)
	switch {
	case openmcp.IsUnusable(err):
		state.ExpiresAt = textOfTime(access.ExpiresAt)
		warnUnusable(diags, err)
		return state
	case err != nil:
		r.warnUnread(diags, err)
		return state.granted(before)
	}
	return state.granted(textOfTime(access.ExpiresAt))
}

// find reads the very AccessRequest of a state; one from an import has no uid yet.
//
// Errors: those of [backend.Find].
func (r *accessResource) find(
	ctx context.Context, at place, state accessModel,
	read func(*openmcp.Platform, context.Context, openmcp.Ref) (*openmcp.AccessRequest, error),
) (*openmcp.Platform, *openmcp.AccessRequest, error) {
	of := backend.Standing{Kind: "AccessRequest", Ref: state.ref(), UID: state.UID.ValueString(), Server: at.Server}
	return backend.Find(r.backend.OpenMCP, of, func(api *openmcp.Platform, ref openmcp.Ref) (*openmcp.AccessRequest, error) {
		return read(api, ctx, ref)
	})
}

// Update writes what differs, has the cluster provider look again where access cannot be used, and waits.
func (r *accessResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan, state accessModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, cancel := family.BoundedBy(ctx, &resp.Diagnostics, "update", plan.Timeouts.Update, updateTimeout)
	defer cancel()
	at := family.PlaceOf[place](ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	api, live, err := r.find(ctx, at, state, (*openmcp.Platform).AccessRequestNow)
	if err == nil {
		live, err = r.change(ctx, api, plan, state, live)
	}
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.backend.OpenMCP.Attempt("Changing access %s", state.ref()), err)
		return
	}
	if plan.AccessRequestID.IsUnknown() && plan.Granted.ValueBool() { // the plan did not know the platform cluster
		plan.AccessRequestID = plan.ID
	}
	if plan.Granted.IsUnknown() { // otherwise nothing is waited for, and what was planned stands until the next refresh
		if plan, err = r.await(ctx, &resp.Diagnostics, api, plan, live); err != nil {
			diagnose.Report(&resp.Diagnostics, r.backend.OpenMCP.Attempt("Waiting for access %s", state.ref()), err)
			return
		}
	}
	resp.Diagnostics.Append(stored{&resp.State, resp.Identity, resp.Private}.set(ctx, plan, place{Server: r.backend.OpenMCP.Server()})...)
}

// change makes the very AccessRequest what the plan says, where it is not. Where it says so already, and is granted, it is the Secret
// that cannot be used.
func (r *accessResource) change(
	ctx context.Context, api *openmcp.Platform, plan, state accessModel, live *openmcp.AccessRequest,
) (_ *openmcp.AccessRequest, err error) {
	if !plan.asksAs(state) || !plan.describesAs(state) {
		live, err = api.ChangeAccess(ctx, live, plan.wanted(), state.wanted())
		journal.LogRequest(ctx, "access changed", state.ref().String(), err)
		return live, err
	}
	if !plan.Granted.IsUnknown() || !openmcp.IsAccessGranted(live) {
		return live, nil
	}
	if _, unusable := api.Access(ctx, live); openmcp.IsUnusable(unusable) {
		live, err = api.RenewAccess(ctx, live)
		journal.LogRequest(ctx, "access shown to the cluster provider again", state.ref().String(), err)
	}
	return live, err
}

// Delete withdraws the AccessRequest, and waits until it is gone.
func (r *accessResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state accessModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	ctx, cancel := family.BoundedBy(ctx, &resp.Diagnostics, "delete", state.Timeouts.Delete, deleteTimeout)
	defer cancel()
	at := family.PlaceOf[place](ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if r.backend.AdoptedObject(state.UID.ValueString()) {
		diagnose.ReportKept(&resp.Diagnostics, "AccessRequest", state.ref().String(), state.UID.ValueString())
		return
	}
	api, _, err := r.find(ctx, at, state, (*openmcp.Platform).AccessRequestNow)
	if openmcp.IsGone(err) {
		return
	}
	if err == nil {
		err = api.WithdrawAccess(ctx, state.ref(), state.UID.ValueString())
		journal.LogRequest(ctx, "access withdrawn", state.ref().String(), err)
	}
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.backend.OpenMCP.Attempt("Withdrawing access %s", state.ref()), err)
	}
}
