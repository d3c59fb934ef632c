package cluster

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// ValidateConfig checks what needs no server; unknown values pass.
func (r *clusterResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config clusterModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if !resp.Diagnostics.HasError() {
		checkNames(&resp.Diagnostics, config)
	}
}

// ModifyPlan plans what an apply waits for, and refuses what requests that hold the Cluster stand against.
func (r *clusterResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.backend == nil {
		return
	}
	var plan, state clusterModel
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	}
	if req.Plan.Raw.IsNull() {
		r.end(ctx, &resp.Diagnostics, state)
		return
	}
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() {
		return
	}
	switch {
	case req.State.Raw.IsNull():
		var config clusterModel
		resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
		r.create(ctx, &resp.Diagnostics, &plan, config)
	case plan.another(state):
		r.refuseHeld(ctx, &resp.Diagnostics, state, openmcp.ClusterNotReplaced)
		r.warnShoot(ctx, &resp.Diagnostics, state)
		r.warnProfile(ctx, &resp.Diagnostics, plan)
	case r.backend.KeepObject(state.UID.ValueString()):
		diagnose.ReportKept(&resp.Diagnostics, kind, state.ref().String(), state.UID.ValueString())
	default:
		plan.update(state)
		warnUnknown(&resp.Diagnostics, plan, state)
		r.refuseChange(ctx, &resp.Diagnostics, plan, state)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &plan)...)
}

// create plans a new Cluster, as far as the platform cluster is known.
func (r *clusterResource) create(ctx context.Context, diags *diag.Diagnostics, plan *clusterModel, config clusterModel) {
	if r.backend.OpenMCP.Later() {
		return
	}
	api, err := r.backend.OpenMCP.API()
	if err != nil {
		diagnose.Report(diags, "Planning Cluster "+plan.Name.ValueString(), err)
		return
	}
	if config.Namespace.IsNull() { // otherwise it is configured, and may be known only after an apply
		plan.place(api.Namespace())
	}
	if tfvalue.Known(plan.Name, plan.Namespace) {
		plan.ID = types.StringValue(plan.ref().String())
		if !r.backend.OpenMCP.Declare(kind, plan.ref()) {
			reportTwice(diags, plan.ref())
		}
		if r.backend.OpenMCP.Leaves(kind, plan.ref()) {
			diagnose.ReportRenamed(diags, kind, plan.ref().String())
		}
	}
	r.planAdoption(ctx, diags, api, *plan)
	r.warnProfile(ctx, diags, *plan)
}

// warnProfile says that no ClusterProfile has the name of the profile, unless this plan makes what publishes it.
func (r *clusterResource) warnProfile(ctx context.Context, diags *diag.Diagnostics, plan clusterModel) {
	profile := plan.Profile.ValueString()
	config := profile[strings.LastIndex(profile, ".")+1:] // <environment>.<provider>.<name>
	if plan.Profile.IsUnknown() || r.backend.OpenMCP.Declared("ProviderConfig", openmcp.Ref{Name: config}) {
		return
	}
	api, err := r.backend.OpenMCP.API()
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, backend.PreviewTimeout)
	defer cancel()
	if unknown := unknownProfile(ctx, api, profile); unknown != "" {
		diags.AddAttributeWarning(path.Root("profile"), diagnose.SummaryNoProfile,
			unknown+" Correct profile, unless it is about to be published.")
	}
}

// another reports whether a plan makes another Cluster. What is not known yet does not: it may turn out to be the same.
func (m clusterModel) another(state clusterModel) bool {
	differs := func(planned, now types.String) bool { return !planned.IsUnknown() && !planned.Equal(now) }
	return differs(m.Namespace, state.Namespace) || differs(m.Name, state.Name) || differs(m.Profile, state.Profile)
}

// update plans a Cluster that stands: an apply waits where its spec changes, or where it is not ready. Labels and annotations change
// nothing of what it has.
func (m *clusterModel) update(state clusterModel) {
	m.computed = state.computed
	waits := m.WaitFor.ValueString() == waitReady && !state.Ready.ValueBool()
	if waits || !m.specifies(state) {
		m.computed = state.awaiting(!m.Version.Equal(state.Version))
	}
}

// end plans a destroy.
func (r *clusterResource) end(ctx context.Context, diags *diag.Diagnostics, state clusterModel) {
	switch {
	case r.backend.EndObject(state.UID.ValueString()) || r.backend.AdoptedObject(state.UID.ValueString()):
		diagnose.ReportKept(diags, kind, state.ref().String(), state.UID.ValueString())
	case r.backend.OpenMCP.Leave(kind, state.ref()):
		diagnose.ReportRenamed(diags, kind, state.ref().String())
	default:
		r.refuseHeld(ctx, diags, state, openmcp.ClusterNotDeleted)
		r.warnShoot(ctx, diags, state)
	}
}

// look reads the very Cluster for a plan; nil = it cannot be seen now, and the apply looks before it writes.
func (r *clusterResource) look(ctx context.Context, state clusterModel) (*openmcp.Platform, *openmcp.Cluster) {
	if r.backend.OpenMCP.Later() {
		return nil, nil
	}
	api, err := r.backend.OpenMCP.API()
	if err != nil {
		return nil, nil
	}
	live, err := api.ClusterOf(ctx, state.ref())
	if err != nil || string(live.UID) != state.UID.ValueString() {
		return api, nil
	}
	return api, live
}

// refuseHeld refuses to take a Cluster away that requests hold which this plan does not withdraw.
func (r *clusterResource) refuseHeld(ctx context.Context, diags *diag.Diagnostics, state clusterModel, what string) {
	ctx, cancel := context.WithTimeout(ctx, backend.PreviewTimeout)
	defer cancel()
	api, live := r.look(ctx, state)
	if live == nil || len(openmcp.Tenants(live)) == 0 {
		return
	}
	all, sure := r.backend.OpenMCP.AwaitWithdrawn(ctx, openmcp.Tenants(live))
	if all {
		return
	}
	held := api.HoldersOf(ctx, live, what, r.backend.OpenMCP.Withdraws)
	switch {
	case held == nil:
	case sure:
		diagnose.Report(diags, r.attempt("Planning the end of", state), held)
	default:
		f := diagnose.Explain(held)
		diags.AddWarning(f.Summary, fmt.Sprintf("%s. As it looks now the apply will fail.\n\n%s", f.Brief, f.Remedy))
	}
}

// refuseChange refuses to take from requests what they hold the Cluster for.
func (r *clusterResource) refuseChange(ctx context.Context, diags *diag.Diagnostics, plan, state clusterModel) {
	if plan.specifies(state) || !tfvalue.Known(plan.Purposes, plan.Tenancy) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, backend.PreviewTimeout)
	defer cancel()
	api, live := r.look(ctx, state)
	if live == nil {
		return
	}
	if held := api.Refusal(ctx, live, plan.wanted(), state.wanted()); held != nil {
		diagnose.Report(diags, r.attempt("Planning a change of", state), held)
	}
}
