package clusteraccess

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// ModifyPlan plans where a new AccessRequest lies, what makes another one, and what an apply waits for. It asks no server.
func (r *accessResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.backend == nil {
		return
	}
	var plan, state accessModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		switch {
		case r.backend.EndObject(state.UID.ValueString()) || r.backend.AdoptedObject(state.UID.ValueString()):
			diagnose.ReportKept(&resp.Diagnostics, "AccessRequest", state.ref().String(), state.UID.ValueString())
		case r.backend.OpenMCP.Leave("AccessRequest", state.ref()):
			diagnose.ReportRenamed(&resp.Diagnostics, "AccessRequest", state.ref().String())
		}
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if req.State.Raw.IsNull() {
		var namespace types.String
		resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("namespace"), &namespace)...)
		r.create(&resp.Diagnostics, &plan, namespace)
	} else {
		if r.backend.KeepObject(state.UID.ValueString()) {
			diagnose.ReportKept(&resp.Diagnostics, "AccessRequest", state.ref().String(), state.UID.ValueString())
		}
		resp.RequiresReplace.Append(plan.moved(state)...)
		plan.update(state)
		if r.backend.OpenMCP.Later() && !plan.AccessRequestID.IsNull() { // a plan cannot read the access
			plan.AccessRequestID = types.StringUnknown()
		}
		if family.PlaceOf[place](ctx, req.Private, &resp.Diagnostics).Moved { // only what differs can be replaced
			plan.UID, plan.computed = types.StringUnknown(), awaited()
			resp.RequiresReplace.Append(path.Root("uid"))
		}
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// create plans a new AccessRequest, as far as the platform cluster is known. A namespace that is configured, and not known yet, stays so.
func (r *accessResource) create(diags *diag.Diagnostics, plan *accessModel, namespace types.String) {
	if r.backend.OpenMCP.Later() {
		return
	}
	api, err := r.backend.OpenMCP.API()
	if err != nil {
		diagnose.Report(diags, "Planning access "+plan.Name.ValueString(), err)
		return
	}
	if namespace.IsNull() {
		plan.place(api.Namespace())
	}
	if tfvalue.Known(plan.Namespace, plan.Name) {
		plan.ID = types.StringValue(plan.ref().String())
		if !r.backend.OpenMCP.Declare("AccessRequest", plan.ref()) {
			reportTwice(diags, plan.ref())
		}
		if r.backend.OpenMCP.Leaves("AccessRequest", plan.ref()) {
			diagnose.ReportRenamed(diags, "AccessRequest", plan.ref().String())
		}
	}
}

// moved lists the references that lead elsewhere by now, or that may: the API keeps them for good.
func (m accessModel) moved(state accessModel) (paths path.Paths) {
	for name, ref := range map[string][2]types.Object{
		"cluster_ref": {m.ClusterRef, state.ClusterRef}, "request_ref": {m.RequestRef, state.RequestRef},
	} {
		now, before := refOf(ref[0], m.Namespace.ValueString()), refOf(ref[1], state.Namespace.ValueString())
		if !tfvalue.Known(ref[0]) || (now == nil) != (before == nil) || now != nil && *now != *before {
			paths.Append(path.Root(name))
		}
	}
	return paths
}

// update plans an AccessRequest that stands: an apply waits where it asks for something else, or has nothing yet.
func (m *accessModel) update(state accessModel) {
	if m.asksAs(state) && (state.Granted.ValueBool() || m.WaitFor.ValueString() != waitGranted) {
		m.computed = state.computed
		return
	}
	m.computed = awaited()
}
