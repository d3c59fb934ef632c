package clusterrequest

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/configs"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/journal"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// PlanCreate plans a new request, as far as the platform cluster is known. One in the place of another ends that.
func (r *requestResource) PlanCreate(ctx context.Context, plan, config requestModel, predecessor family.Guarded) requestModel {
	if predecessor.UID != "" {
		if r.planEnd(ctx, predecessor, func() bool { return false }); r.Diags.HasError() {
			return plan
		}
	}
	if !r.planPurpose(&plan, config) {
		return plan
	}
	if r.foreseePurposes(plan); !r.Diags.HasError() && r.PlanMade(&plan, config.Namespace, plan.Name, &plan.Namespace, &plan.ID) {
		if at, tainted := r.Predecessor(plan.Ref()); tainted && predecessor.UID == "" {
			r.planEnd(ctx, at, func() bool { return false })
		}
		r.planSuccessor(ctx, plan, predecessor)
		r.foresee(ctx, plan)
	}
	return plan
}

// planSuccessor refuses a request in the place of another one that could not be made. One that is not known yet is not checked.
func (r *requestResource) planSuccessor(ctx context.Context, plan requestModel, predecessor family.Guarded) {
	if !plan.Known() || !tfvalue.Known(plan.Purpose) {
		return
	}
	w := plan.wanted()
	err := r.Backend.Previews.Try(ctx, connection.AskedPlatform, func(ctx context.Context) error {
		return r.PlanSuccessor(ctx, plan, predecessor, w.Mark(), func(ctx context.Context) error { return r.API.Requests.Check(ctx, w) })
	})
	diagnose.ReportPlatformUnreachable(r.Diags, r.Backend, kind.Type, r.Attempt(family.Planning, plan), err)
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
	r.keepPurposes(&plan, config, state)
	by = plan.another(state)
	needsAnother := len(by) == 0 && plan.needsAnother(state)
	if needsAnother || state.Phase.ValueString() == api.Denied { // a denied one is decided on again
		r.foreseePurposes(plan)
	}
	if needsAnother && !r.Diags.HasError() {
		by = r.outgrown(ctx, plan, state)
	}
	if r.Diags.HasError() {
		return plan, nil
	}
	if state.Phase.ValueString() == phaseLeaving && len(by) == 0 {
		if state.Protection.ValueBool() && !plan.Protection.IsUnknown() && !plan.Protection.ValueBool() { // the next plan ends it
			plan.computed = state.computed
			return plan, nil
		}
		plan.Phase, by = types.StringUnknown(), path.Paths{path.Root("phase")}
	}
	if len(by) > 0 {
		sameName := plan.Namespace.Equal(state.Namespace) && plan.Name.Equal(state.Name)
		r.Clash(r.Backend.Ledger.Destroy(r.Noted(state), sameName), state)
		r.planEnd(ctx, r.guarded(state), func() bool { return false })
		return plan, by
	}
	if r.refuseBack(r.Diags, plan, state); !r.Clash(r.Backend.Ledger.Retain(r.Noted(state)), state) {
		r.planStay(&plan, of)
	}
	return plan, nil
}

// planStay plans a request that stays. An update of the protection alone waits for nothing: the request may be on its way out. That of an
// import is the first to wait for it.
func (r *requestResource) planStay(plan *requestModel, of kept) {
	state := of.Model
	if plan.update(state); plan.protectsAlone(state) && !of.Place.Imported {
		plan.computed = state.unready()
		return
	}
	plan.warnUnknown(r.Diags, state)
	plan.warnPrefixKept(r.Diags, state)
	if state.Phase.ValueString() == api.Denied && !plan.ofADR() {
		warnRefused(r.Diags, state)
	}
}

// update plans an existing request: an apply waits on where it has not what the configuration waits for. Labels and annotations change
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

// PlanDestroy plans the destroy of a request. One that the same plan makes at another address is not to lose its protection for that.
func (r *requestResource) PlanDestroy(ctx context.Context, of kept) {
	r.planEnd(ctx, r.guarded(of.Model), func() bool { return r.Backend.Ledger.AwaitPlanned(ctx, r.Noted(of.Model)) })
}

// planEnd says which cluster goes with a request: with the last of those that hold it and are withdrawn by this plan. It refuses to end the
// last hold on a Cluster that one of these requests protects, unless it has moved to another address of the plan; or that a hap_cluster
// protects, or a hap_shoot of which it is. Where it cannot be looked at, the plan goes by the state, and the apply looks again. The apply
// goes by what the plan has said of the Cluster.
func (r *requestResource) planEnd(ctx context.Context, at family.Guarded, moved func() bool) {
	r.Ends = &family.Ends{}
	ctx, cancel := context.WithTimeout(ctx, connection.PreviewTimeout)
	defer cancel()
	request, cluster, err := r.lastHold(ctx, at)
	of := at.Ref()
	switch {
	case err != nil && at.Cluster != "":
		r.ReportUnseenEnd(at, "this plan withdraws request "+of.String(), err)
		return
	case err != nil || cluster == nil || at.Protected && moved():
		return
	}
	all, behind := r.behind(ctx, cluster)
	kept := family.Keeps(cluster, all)
	switch guards := r.guards(at, cluster, behind...); {
	case len(guards) > 0:
		reportProtected(r.Diags, of, guards, cluster)
	case api.GoesAlong(cluster) && kept != nil:
		diagnose.Report(r.Diags, r.Backend.Platform.Attempt("Planning the end of %s %s", r.Of.Kind, of), kept)
	case api.GoesAlong(cluster):
		r.Ends.Goes = string(cluster.UID) == r.Ends.Cluster
		if r.Backend.Ledger.First("ends", string(cluster.UID)) {
			warnEnds(r.Diags, request, cluster, behind)
		}
	}
}

// lastHold is the request, and the Cluster that goes with it; nil = none does. It notes the Cluster for the apply, whether it goes or not.
//
// Errors: those of [connection.Platform.API], of the reads, and of [requests.Requests.LastHold].
func (r *requestResource) lastHold(ctx context.Context, at family.Guarded) (*api.ClusterRequest, *api.Cluster, error) {
	if err := r.Connect(); err != nil {
		return nil, nil, err
	}
	request, err := r.API.Objects.Requests.Read(ctx, at.Ref())
	if api.IsGone(err) || err == nil && string(request.UID) != at.UID {
		return nil, nil, nil
	}
	_, withdrawn := r.withdraws(at)
	if err != nil {
		return nil, nil, err
	}
	cluster, err := r.API.Requests.LastHold(ctx, request, withdrawn)
	if err != nil {
		return nil, nil, err
	}
	held, err := r.API.Requests.Held(ctx, request)
	// Of several the plan announces one alone, and of another one than its status names none: the apply goes by what it finds.
	if err == nil && len(held) == 1 && (request.Status.Cluster == nil || *request.Status.Cluster == held[0].Ref()) {
		r.Ends.Cluster = string(held[0].UID)
	}
	return request, cluster, err
}

// behind are the Shoots that go with a Cluster which goes with its last request. A plan of a protected hap_shoot that comes later sees what
// this notes.
func (r *requestResource) behind(ctx context.Context, c *api.Cluster) (all []configs.BoundShoot, names []string) {
	if !api.GoesAlong(c) {
		return nil, nil
	}
	all, err := r.Backend.Garden.Behind(ctx, c)
	if err != nil { // fall back to the Cluster's own status
		journal.LogRequest(ctx, "look for the Shoot of a cluster", c.Ref().String(), err)
	}
	for _, s := range all {
		name := family.ShootName(s.Namespace, s.Name)
		r.Backend.Ledger.TakeAlong(name, "this plan withdraws all requests that hold Cluster "+c.Ref().String())
		names = append(names, name)
	}
	return all, names
}
