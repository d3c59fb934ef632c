package clusterrequest

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// place puts a request into the provider's namespace where the configuration names none.
func (m *requestModel) place(namespace string) {
	if m.Namespace.IsUnknown() || m.Namespace.IsNull() {
		m.Namespace = types.StringValue(namespace)
	}
}

// ModifyPlan plans what an apply waits for, and says which cluster a destroy takes along.
func (r *requestResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.backend == nil {
		return
	}
	var plan, state requestModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		switch {
		case r.backend.EndObject(state.UID.ValueString()) || r.backend.AdoptedObject(state.UID.ValueString()):
			diagnose.ReportKept(&resp.Diagnostics, "ClusterRequest", state.ref().String(), state.UID.ValueString())
		case r.backend.OpenMCP.Leave("ClusterRequest", state.ref()):
			diagnose.ReportRenamed(&resp.Diagnostics, "ClusterRequest", state.ref().String())
		}
		r.warnCluster(ctx, &resp.Diagnostics, state)
		return
	}
	var config requestModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	r.refuseOther(&resp.Diagnostics, config)
	plan.settlePurpose(config)
	switch {
	case resp.Diagnostics.HasError():
	case req.State.Raw.IsNull():
		r.create(&resp.Diagnostics, &plan, config)
	default:
		resp.RequiresReplace = r.stands(ctx, &resp.Diagnostics, &plan, state)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// stands plans a request that stands, and says by which attributes it would become another.
func (r *requestResource) stands(ctx context.Context, diags *diag.Diagnostics, plan *requestModel, state requestModel) (by path.Paths) {
	if plan.refuseUnknown(diags, state.ref()); diags.HasError() {
		return nil
	}
	if by = plan.another(state); state.Phase.ValueString() == phaseLeaving && len(by) == 0 {
		plan.Phase, by = types.StringUnknown(), path.Paths{path.Root("phase")}
	}
	if len(by) > 0 {
		r.warnCluster(ctx, diags, state)
		return by
	}
	if r.refuseBack(diags, *plan, state); r.backend.KeepObject(state.UID.ValueString()) {
		diagnose.ReportKept(diags, "ClusterRequest", state.ref().String(), state.UID.ValueString())
	} else {
		plan.update(state)
		plan.warnUnknown(diags, state)
	}
	return nil
}

// create plans a new request, as far as the platform cluster is known.
func (r *requestResource) create(diags *diag.Diagnostics, plan *requestModel, config requestModel) {
	if r.backend.OpenMCP.Later() {
		return
	}
	api, err := r.backend.OpenMCP.API()
	if err != nil {
		diagnose.Report(diags, "Planning request "+plan.Name.ValueString(), err)
		return
	}
	if config.Namespace.IsNull() { // otherwise it is configured, and may be known only after an apply
		plan.place(api.Namespace())
	}
	if !plan.Name.IsUnknown() && !plan.Namespace.IsUnknown() {
		plan.ID = types.StringValue(plan.ref().String())
		if !r.backend.OpenMCP.Declare("ClusterRequest", plan.ref()) {
			reportTwice(diags, plan.ref())
		}
		if r.backend.OpenMCP.Leaves("ClusterRequest", plan.ref()) {
			diagnose.ReportRenamed(diags, "ClusterRequest", plan.ref().String())
		}
	}
}

// update plans a request that stands: an apply waits on where it has not what the configuration waits for. Labels and annotations change
// nothing of what it has.
func (m *requestModel) update(state requestModel) {
	m.computed = state.awaiting()
	wait := m.WaitFor.ValueString()
	if m.ofSeed() && wait == waitNone { // the provider itself grants it
		wait = waitGranted
	}
	if state.has(wait) {
		m.computed = state.computed
	}
}

// warnCluster says which cluster goes with a request: with the last of those that hold it and are withdrawn by this plan. What cannot be
// looked at is not told.
func (r *requestResource) warnCluster(ctx context.Context, diags *diag.Diagnostics, state requestModel) {
	if r.backend.OpenMCP.Later() {
		return
	}
	api, err := r.backend.OpenMCP.API()
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, backend.PreviewTimeout)
	defer cancel()
	request, err := api.RequestOf(ctx, state.ref())
	if err != nil || string(request.UID) != state.UID.ValueString() {
		return
	}
	r.backend.OpenMCP.Withdraw(string(request.UID)) // before the look: of two that look at once one sees both
	cluster, err := api.EndsWith(ctx, request, r.backend.OpenMCP.Withdraws)
	if err == nil && cluster != nil && r.backend.TellOnce("ends", string(cluster.UID)) {
		warnEnds(diags, request, cluster)
	}
}
