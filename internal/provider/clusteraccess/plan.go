package clusteraccess

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/access"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// PlanCreate plans where a new AccessRequest lies. It asks no server.
func (r *accessResource) PlanCreate(_ context.Context, plan, config accessModel, _ place) accessModel {
	if r.PlanMade(&plan, config.Namespace, plan.Name, &plan.Namespace, &plan.ID) {
		r.foreseeDenied(plan)
	}
	return plan
}

// foreseeDenied refuses an AccessRequest that the provider would deny, where no operator decides on it.
func (r *accessResource) foreseeDenied(plan accessModel) {
	if !r.Backend.Platform.Builtin() || !tfvalue.Known(plan.Namespace, plan.Name, plan.ClusterRef, plan.RequestRef) {
		return
	}
	at := path.Root("cluster_ref")
	if !plan.RequestRef.IsNull() {
		at = path.Root("request_ref")
	}
	d, err := access.Decide(plan.wanted())
	if err != nil || d.Status != adr.AccessDenied { // what is wrong with the names the schema says
		return
	}
	r.Diags.AddAttributeError(at, diagnose.SummaryAccessNotGranted, fmt.Sprintf("%s: access would be denied (%s): %s\n\nNothing was written. "+
		"Without an operator the provider grants access to what lies in the namespace of the AccessRequest. Give the AccessRequest that "+
		"namespace.", r.Attempt(family.Planning, plan), d.Reason, d.Message))
}

// PlanUpdate plans what makes another AccessRequest, and what an apply waits for. It asks no server.
func (r *accessResource) PlanUpdate(_ context.Context, plan, _ accessModel, of kept) (_ accessModel, by path.Paths) {
	state := of.Model
	by = plan.moved(state)
	plan.update(state)
	if plan.Granted.IsUnknown() && state.Phase.ValueString() == api.Denied && plan.asksAs(state) {
		warnDenied(r.Diags, state)
	}
	if r.Later() && !plan.AccessRequestID.IsNull() { // a plan cannot read the access
		plan.AccessRequestID = types.StringUnknown()
	}
	if of.Place.Moved { // only what differs can be replaced
		plan.UID, plan.computed = types.StringUnknown(), awaited()
		by.Append(path.Root("uid"))
	}
	if sameName := plan.Ref() == state.Ref(); len(by) > 0 || !sameName {
		r.Clash(r.Backend.Ledger.Destroy(r.Noted(state), sameName), state)
	} else {
		r.Clash(r.Backend.Ledger.Retain(r.Noted(state)), state)
	}
	return plan, by
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

// update plans an existing AccessRequest: an apply waits where it asks for something else, or has nothing yet.
func (m *accessModel) update(state accessModel) {
	if m.asksAs(state) && (state.Granted.ValueBool() || m.WaitFor.ValueString() == waitNone) { // unknown, it may turn out to wait
		m.computed = state.computed
		return
	}
	m.computed = awaited()
	if state.Granted.ValueBool() { // another access leads to the same Cluster
		m.Shoot = state.Shoot
	}
}
