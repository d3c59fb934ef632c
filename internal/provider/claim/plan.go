package claim

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// ModifyPlan asks the rules at plan time already. What follows from them alone becomes known; the account does not: a
// look at the live pool must never be a planned value, because Terraform plans twice.
func (r *claimResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		r.planDestroy(ctx, req, resp)
		return
	}
	var plan, config claimModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	plan.Model = config.Model
	match, known, diags := plan.Match(ctx, config.RuleSet)
	if req.State.Raw.IsNull() {
		resp.Diagnostics.Append(diags...)
		planRequest(ctx, config, resp)
		if known {
			r.planCreate(ctx, plan, config.RuleSet, match, resp)
			r.declare(ctx, req.Private, plan, match.Target(), resp)
		}
		return
	}
	var state claimModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	planRequest(ctx, config, resp)
	if importedWithoutRequest(state) && plan.sameBut(state) {
		resp.Plan.Raw = req.State.Raw.Copy()
	}
	if state.GlobalAccount.IsNull() { // nobody holds the account: the claim is going to be made again on it
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("claimed_at"), types.StringUnknown())...)
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("newly_claimed"), types.BoolUnknown())...)
	}
	if len(resp.RequiresReplace) == 0 { // otherwise it is another claim anyway
		planUpdate(plan, state, match, known, diags, resp)
		if len(resp.RequiresReplace) == 0 && !state.GlobalAccount.IsNull() {
			keepUse(ctx, plan, state, resp)
		}
		warnUnknown(&resp.Diagnostics, plan, state, config)
		warnReturn(&resp.Diagnostics, plan, state, holderOf(ctx, req.Private, &resp.Diagnostics, state))
	}
	switch {
	case len(resp.RequiresReplace) == 0:
		r.declareKept(ctx, req.Private, state, resp)
	case known: // the replacement is another claim, or this one anew
		r.declareNew(plan, match.Target(), resp)
	}
}

// planRequest plans the request as it is configured. Its attributes are computed only so that it may stay empty after an
// import, see unrecordedRequest.
func planRequest(ctx context.Context, config claimModel, resp *resource.ModifyPlanResponse) {
	for name, value := range map[string]types.String{
		"plan": config.Plan, "platform_region": config.PlatformRegion, "hyperscaler_region": config.HyperscalerRegion, "hyperscaler": config.Hyperscaler,
	} {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root(name), value)...)
	}
}

// sameBut reports whether the configuration asks for what the state says, the request left aside.
func (m claimModel) sameBut(state claimModel) bool {
	return m.Name.Equal(state.Name) && m.GlobalAccount.Equal(state.GlobalAccount) && m.BindingName.Equal(state.BindingName) &&
		m.ClusterName.Equal(state.ClusterName) && m.Owner.Equal(state.Owner) && m.OnDestroy.Equal(state.OnDestroy) && m.Timeouts.Equal(state.Timeouts)
}

// keepUse plans the use of the account as it was last seen, so that a changed owner does not show as if the clusters were
// going to change. An update keeps to it, and the next refresh counts again.
func keepUse(ctx context.Context, plan, state claimModel, resp *resource.ModifyPlanResponse) {
	if state.ClusterCount.IsNull() { // a state that was never refreshed
		return
	}
	use := map[string]any{"cluster_count": state.ClusterCount, "limit": state.Limit, "dirty": state.Dirty}
	if plan.ClusterName.Equal(state.ClusterName) { // otherwise another place may come to be reserved
		use["reserved"] = state.Reserved
	}
	for name, value := range use {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root(name), value)...)
	}
}

// declare notes a claim that the configuration makes, and refuses the second one of the same identity. A replacement
// brings what its predecessor kept: it was noted when the predecessor was planned.
func (r *claimResource) declare(ctx context.Context, private privateState, plan claimModel, target pool.Target, resp *resource.ModifyPlanResponse) {
	predecessor, diags := private.GetKey(ctx, holderKey)
	resp.Diagnostics.Append(diags...)
	if predecessor == nil {
		r.declareNew(plan, target, resp)
	}
}

func (r *claimResource) declareNew(plan claimModel, target pool.Target, resp *resource.ModifyPlanResponse) {
	if r.backend == nil || plan.GlobalAccount.IsUnknown() || plan.Name.IsUnknown() {
		return
	}
	r.declareOnce(pool.Identity{GlobalAccount: plan.GlobalAccount.ValueString(), Pool: target.String(), Name: plan.Name.ValueString()}, resp)
}

// declareKept notes a claim that stands and stays.
func (r *claimResource) declareKept(ctx context.Context, private privateState, state claimModel, resp *resource.ModifyPlanResponse) {
	if r.backend == nil {
		return
	}
	id := state.identityOf(holderOf(ctx, private, &resp.Diagnostics, state))
	r.declareOnce(id, resp)
	if r.backend.Keep(id) {
		keptAndDestroyed(&resp.Diagnostics, id, state)
	}
}

// planDestroy refuses to destroy what another object of the same state keeps. That is what a replacement leaves behind
// which creates first and stops half way: the old object and the new one are the same claim on the same account, and
// the apply that destroys the old one cannot see the new one.
func (r *claimResource) planDestroy(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var state claimModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if r.backend == nil || resp.Diagnostics.HasError() {
		return
	}
	id := state.identityOf(holderOf(ctx, req.Private, &resp.Diagnostics, state))
	if r.backend.End(id) {
		keptAndDestroyed(&resp.Diagnostics, id, state)
	}
}

func keptAndDestroyed(diags *diag.Diagnostics, id pool.Identity, state claimModel) {
	diags.AddError(diagnose.SummaryKeptAndDestroyed, fmt.Sprintf(
		"The %s is in the state twice, once to be kept and once to be destroyed, which would release account %s under the claim that is kept. "+
			"A replacement that stopped half way leaves this behind. Nothing was planned for it. Take the resource out of the state with `state rm`, and import it as %s.",
		id, state.BindingName.ValueString(), state.ID.ValueString()))
}

// identityOf is the identity of a claim that stands, without the namespace, which is the provider's.
func (m claimModel) identityOf(h holder) pool.Identity {
	return pool.Identity{GlobalAccount: h.GlobalAccount, Pool: m.stateTarget().String(), Name: m.Name.ValueString()}
}

func (r *claimResource) declareOnce(id pool.Identity, resp *resource.ModifyPlanResponse) {
	if !r.backend.Declare(id) {
		resp.Diagnostics.AddAttributeError(path.Root("name"), diagnose.SummaryDuplicate, fmt.Sprintf(
			"The %s stands twice in this configuration. Give each claim of one Global Account on one pool a name of its own. If a resource was renamed, say so with a moved block.", id))
	}
}

// planCreate makes known what the rules say, and warns when there seems to be nothing left to claim.
func (r *claimResource) planCreate(ctx context.Context, plan claimModel, ruleSet types.Object, match rules.Match, resp *resource.ModifyPlanResponse) {
	target := match.Target()
	plan.setTarget(target)
	for name, value := range map[string]any{
		"hyperscaler_type": plan.HyperscalerType, "shared": plan.Shared, "eu_access": plan.EUAccess,
	} {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root(name), value)...)
	}
	if r.backend == nil || plan.GlobalAccount.IsUnknown() || !plan.BindingName.IsUnknown() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, backend.PreviewTimeout)
	defer cancel()
	_, err := r.backend.Preview(ctx, target, plan.GlobalAccount.ValueString())
	var exhausted *pool.ExhaustedError
	switch {
	case err == nil:
		request.WarnStrayLimits(ctx, &resp.Diagnostics, r.backend, ruleSet)
	case errors.As(err, &exhausted):
		resp.Diagnostics.AddAttributeWarning(path.Root("plan"), diagnose.SummaryPoolEmpty, fmt.Sprintf(
			"As it looks now the apply will fail (%s): %s.\n\n%s", request.RuleName(match.Entry()), err, diagnose.Explain(err).Remedy))
	case backend.WillFail(err):
		resp.Diagnostics.AddWarning(diagnose.SummaryPoolUnchecked, fmt.Sprintf(
			"The plan could not look whether pool %s has an account for Global Account %s%s. As it looks now the apply will fail: %s.\n\n%s",
			target, plan.GlobalAccount.ValueString(), r.backend.Where(), diagnose.Explain(err).Brief, diagnose.Explain(err).Remedy))
	}
}

// planUpdate keeps the claim on its account. Only a changed request that leads to another pool replaces it; when the
// rules alone have changed, a warning says where they lead now.
func planUpdate(plan, state claimModel, match rules.Match, known bool, noMatch diag.Diagnostics, resp *resource.ModifyPlanResponse) {
	changed := !plan.Equal(state.Model) && !importedWithoutRequest(state)
	switch {
	case changed && plan.Model.Known():
		resp.Diagnostics.Append(noMatch...)
		if known && match.Target() != state.stateTarget() {
			for name, differs := range map[string]bool{
				"plan": !plan.Plan.Equal(state.Plan), "platform_region": !plan.PlatformRegion.Equal(state.PlatformRegion),
				"hyperscaler_region": !plan.HyperscalerRegion.Equal(state.HyperscalerRegion), "hyperscaler": !plan.Hyperscaler.Equal(state.Hyperscaler),
			} {
				if differs {
					resp.RequiresReplace.Append(path.Root(name))
				}
			}
		}
	case !changed && noMatch.HasError():
		for _, d := range noMatch.Errors() {
			resp.Diagnostics.AddAttributeWarning(request.RuleSetPath, diagnose.SummaryClaimMoved, fmt.Sprintf(
				"The claim stays on account %s of pool %s, but its request could not be made any more with the rules as they are now: %s", state.BindingName.ValueString(), state.stateTarget(), d.Detail()))
		}
	case !changed && known && match.Target() != state.stateTarget():
		resp.Diagnostics.AddAttributeWarning(request.RuleSetPath, diagnose.SummaryClaimMoved, fmt.Sprintf(
			"The claim stays on account %s of pool %s, but the rules now lead to pool %s (%s). To move it there, replace it: destroy its clusters and use -replace.",
			state.BindingName.ValueString(), state.stateTarget(), match.Target(), request.RuleName(match.Entry())))
	}
}

// warnUnknown says what happens when an input of a standing claim turns out to lead elsewhere. Terraform asks again
// during the apply, and takes a replacement that was not planned for a bug of the provider.
func warnUnknown(diags *diag.Diagnostics, plan, state, config claimModel) {
	var unknown []string
	for _, input := range []struct {
		name  string
		value types.String
	}{
		{"global_account", plan.GlobalAccount}, {"name", plan.Name}, {"binding_name", config.BindingName}, {"plan", plan.Plan},
		{"platform_region", plan.PlatformRegion}, {"hyperscaler_region", plan.HyperscalerRegion}, {"hyperscaler", plan.Hyperscaler},
	} {
		if input.value.IsUnknown() {
			unknown = append(unknown, input.name)
		}
	}
	if len(unknown) > 0 {
		diags.AddAttributeWarning(path.Root(unknown[0]), diagnose.SummaryInputUnknown, fmt.Sprintf(
			"The claim stands on account %s, and %s will be known only after apply. If it turns out to make another claim, this apply stops with \"inconsistent final plan\" and touches nothing: plan again, and the claim is replaced.",
			state.BindingName.ValueString(), strings.Join(unknown, ", ")))
	}
}

// warnReturn says at plan what a destroy would refuse.
func warnReturn(diags *diag.Diagnostics, plan, state claimModel, h holder) {
	if !plan.returns() || state.Shared.ValueBool() || state.NewlyClaimed.ValueBool() && !h.Used {
		return
	}
	refusal := &pool.ReturnRefusedError{Account: state.BindingName.ValueString(), Used: state.NewlyClaimed.ValueBool()}
	diags.AddAttributeWarning(path.Root("on_destroy"), diagnose.SummaryReturnRefused, fmt.Sprintf(
		"A destroy with on_destroy = %q will be refused: %s. Use \"mark_dirty\" or \"keep\".", pool.ReturnToPool, refusal))
}
