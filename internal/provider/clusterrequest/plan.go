package clusterrequest

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
)

// PlanCreate plans a new request, as far as the platform cluster is known.
func (r *requestResource) PlanCreate(_ context.Context, plan, config requestModel, _ family.Place) requestModel {
	if r.planPurpose(&plan, config) {
		r.PlanMade(&plan, config.Namespace, plan.Name, &plan.Namespace, &plan.ID)
	}
	return plan
}

// planPurpose refuses a request for the other scheduler, and settles the purpose of this one; false = there is an error.
func (r *requestResource) planPurpose(plan *requestModel, config requestModel) bool {
	r.refuseOther(r.Diags, config)
	plan.settlePurpose(config)
	return !r.Diags.HasError()
}

// PlanUpdate plans an existing request, and returns the attributes by which it would become another one.
func (r *requestResource) PlanUpdate(ctx context.Context, plan, config requestModel, of kept) (_ requestModel, by path.Paths) {
	state := of.Model
	if !r.planPurpose(&plan, config) {
		return plan, nil
	}
	if plan.refuseUnknown(r.Diags, state.Ref()); r.Diags.HasError() {
		return plan, nil
	}
	if by = plan.another(state); state.Phase.ValueString() == phaseLeaving && len(by) == 0 {
		plan.Phase, by = types.StringUnknown(), path.Paths{path.Root("phase")}
	}
	if len(by) > 0 {
		sameName := plan.Namespace.Equal(state.Namespace) && plan.Name.Equal(state.Name)
		r.Clash(r.Backend.Ledger.Destroy(r.Noted(state), sameName), state)
		r.PlanDestroy(ctx, of)
		return plan, by
	}
	if r.refuseBack(r.Diags, plan, state); !r.Clash(r.Backend.Ledger.Retain(r.Noted(state)), state) {
		plan.update(state)
		plan.warnUnknown(r.Diags, state)
		if state.Phase.ValueString() == api.Denied && !plan.ofADR() {
			warnRefused(r.Diags, state)
		}
	}
	return plan, nil
}

// update plans a request that stands: an apply waits on where it has not what the configuration waits for. Labels and annotations change
// nothing of what it has.
func (m *requestModel) update(state requestModel) {
	m.computed = state.awaiting()
	wait := m.WaitFor.ValueString()
	if m.WaitFor.IsUnknown() { // it may turn out to be this
		wait = waitReady
	}
	if m.ofADR() && wait == waitNone { // the provider itself grants it
		wait = waitGranted
	}
	if state.has(wait) {
		m.computed = state.computed
	}
}

// PlanDestroy says which cluster goes with a request: with the last of those that hold it and are withdrawn by this plan. What cannot be
// looked at is not told.
func (r *requestResource) PlanDestroy(ctx context.Context, of kept) {
	if r.Later() || r.Connect() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, connection.PreviewTimeout)
	defer cancel()
	request, err := r.API.Objects.Requests.Read(ctx, of.Model.Ref())
	if err != nil || string(request.UID) != of.Model.UID.ValueString() {
		return
	}
	cluster, err := r.API.Requests.EndsWith(ctx, request, func(uid string) bool {
		return r.Backend.Ledger.Destroyed(ledger.Object{Type: kind.Type, UID: uid}) // this one is noted: of two that read at once one sees both
	})
	if err == nil && cluster != nil && r.Backend.Ledger.First("ends", string(cluster.UID)) {
		warnEnds(r.Diags, request, cluster)
	}
}
