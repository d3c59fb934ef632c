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
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// answer is what the rules say to a request: the pool, or why there is none. known is false while something is unknown.
type answer struct {
	match rules.Match
	known bool
	diags diag.Diagnostics
}

// ModifyPlan asks the rules at plan time already. What follows from them alone becomes known; the account does not: a
// look at the live pool must never be a planned value, because Terraform plans twice.
func (r *claimResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		r.planDestroy(ctx, req, resp)
		return
	}
	plan, config := decode(ctx, req.Plan.Raw, &resp.Diagnostics), decode(ctx, req.Config.Raw, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	// The request is planned as it is configured. Its attributes are computed only so that it may stay empty after an import, see
	// unrecordedRequest.
	plan.Model = config.Model
	var rule answer
	rule.match, rule.known, rule.diags = plan.Match(config.RuleSet)
	if !req.State.Raw.IsNull() {
		plan = r.planUpdate(ctx, plan, config, rule, req, resp)
	} else {
		plan = r.planCreate(ctx, plan, config, rule, req, resp)
	}
	encode(ctx, plan, &resp.Plan.Raw, &resp.Diagnostics)
}

// planUpdate plans a claim that stands.
func (r *claimResource) planUpdate(
	ctx context.Context, plan, config claimModel, rule answer, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) (planned claimModel) {
	state := decode(ctx, req.State.Raw, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return plan
	}
	planned = plan
	if importedWithoutRequest(state) && plan.sameBut(state) {
		planned = state
	}
	// No Global Account holds the account: the claim is going to be made again on it. Its record keeps the time of the state, unless
	// another run has taken the account back meanwhile.
	lost := state.GlobalAccount.IsNull()
	if lost {
		planned.ClaimedAt, planned.NewlyClaimed = types.StringUnknown(), types.BoolUnknown()
		r.noteComing(planned)
	}
	planned.ExpiresAt = planned.expiresAt()
	h := r.holderOf(ctx, req.Private, &resp.Diagnostics, state)
	resp.RequiresReplace = replaces(plan, state, h, rule)
	last := plan // the settings that the destroy of this claim will go by
	if len(resp.RequiresReplace) > 0 {
		last = state
		if rule.known { // the replacement is another claim, or this one anew
			r.declare(plan, rule.match.Target(), resp)
		}
	} else {
		resp.Diagnostics.Append(warnMoved(plan, state, rule)...)
		warnUnknown(&resp.Diagnostics, plan, state, config)
		if !lost {
			planned.keepUse(state)
		}
		if h.unsettled(plan, state) {
			planned.Reserved = types.Int64Unknown() // without a difference there is no update
		}
		r.declareKept(state, h, resp)
	}
	warnReturn(&resp.Diagnostics, last, state, h)
	if last.marksDirty(state.Shared.ValueBool()) && !h.Internal {
		r.warnStranded(&resp.Diagnostics, state.providerType())
	}
	return planned
}

// keepUse plans the use of the account as it was last seen, so that a changed owner does not show as if the clusters were
// going to change. An update keeps to it, and the next refresh counts again.
func (m *claimModel) keepUse(state claimModel) {
	if state.ClusterCount.IsNull() { // a state that was never refreshed
		return
	}
	m.ClusterCount, m.Limit, m.Dirty = state.ClusterCount, state.Limit, state.Dirty
	if m.ClusterName.Equal(state.ClusterName) { // otherwise another place may come to be reserved
		m.Reserved = state.Reserved
	}
}

// declareCreated notes a claim that the configuration makes. A replacement brings what its predecessor kept: it was noted
// when the predecessor was planned.
func (r *claimResource) declareCreated(
	ctx context.Context, private privateState, plan claimModel, target pool.Target, resp *resource.ModifyPlanResponse,
) {
	predecessor, diags := private.GetKey(ctx, holderKey)
	resp.Diagnostics.Append(diags...)
	if predecessor == nil {
		r.declare(plan, target, resp)
	}
}

// declare notes a claim, and refuses the second one of the same identity.
func (r *claimResource) declare(plan claimModel, target pool.Target, resp *resource.ModifyPlanResponse) {
	if r.backend == nil || plan.GlobalAccount.IsUnknown() || plan.Name.IsUnknown() {
		return
	}
	r.declareOnce(pool.Identity{GlobalAccount: plan.GlobalAccount.ValueString(), Pool: target.String(), Name: plan.Name.ValueString()}, resp)
}

// declareKept notes a claim that stands and stays.
func (r *claimResource) declareKept(state claimModel, h holder, resp *resource.ModifyPlanResponse) {
	if r.backend == nil {
		return
	}
	id := state.identityOf(h)
	r.declareOnce(id, resp)
	if r.backend.Keep(id) {
		keptAndDestroyed(&resp.Diagnostics, id, state)
	}
}

// planDestroy refuses to destroy what another object of the same state keeps. That is what a replacement leaves behind
// which creates first and stops half way: the old object and the new one are the same claim on the same account, and
// the apply that destroys the old one cannot see the new one.
func (r *claimResource) planDestroy(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	state := decode(ctx, req.State.Raw, &resp.Diagnostics)
	if r.backend == nil || resp.Diagnostics.HasError() {
		return
	}
	h := r.holderOf(ctx, req.Private, &resp.Diagnostics, state)
	if state.marksDirty(state.Shared.ValueBool()) && !h.Internal {
		r.warnStranded(&resp.Diagnostics, state.providerType())
	}
	id := state.identityOf(h)
	if r.backend.End(id) {
		keptAndDestroyed(&resp.Diagnostics, id, state)
	}
}

func keptAndDestroyed(diags *diag.Diagnostics, id pool.Identity, state claimModel) {
	diags.AddError(diagnose.SummaryKeptAndDestroyed, fmt.Sprintf(
		"The %s is in the state twice, once to be kept and once to be destroyed, which would release account %s under the claim that is kept. "+
			"A replacement that stopped half way leaves this behind. Nothing was planned for it. Take the resource out of the state with `state "+
			"rm`, and import it as %s.",
		id, state.BindingName.ValueString(), state.ID.ValueString()))
}

// identityOf is the identity of a claim that stands, without the namespace, which is the provider's.
func (m claimModel) identityOf(h holder) pool.Identity {
	return pool.Identity{GlobalAccount: h.GlobalAccount, Pool: m.stateTarget().String(), Name: m.Name.ValueString()}
}

func (r *claimResource) declareOnce(id pool.Identity, resp *resource.ModifyPlanResponse) {
	if !r.backend.Declare(id) {
		resp.Diagnostics.AddAttributeError(path.Root("name"), diagnose.SummaryDuplicate, fmt.Sprintf(
			"The %s stands twice in this configuration. Give each claim of one Global Account on one pool a name of its own. If a resource was "+
				"renamed, say so with a moved block.", id))
	}
}

// planCreate plans a claim that is to be made. What the rules say becomes known, and a warning tells what can be seen of the pool.
func (r *claimResource) planCreate(
	ctx context.Context, plan, config claimModel, rule answer, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) (planned claimModel) {
	plan.ExpiresAt = plan.expiresAt()
	r.noteComing(plan)
	resp.Diagnostics.Append(rule.diags...)
	if !rule.known {
		return plan
	}
	target := rule.match.Target()
	if r.backend != nil {
		r.lookAhead(ctx, plan, config.RuleSet, rule.match, resp)
	}
	r.declareCreated(ctx, req.Private, plan, target, resp)
	plan.setTarget(target)
	return plan
}

// noteComing notes the account on which a claim is going to stand, where that is known: what is planned for the account after it has not to
// find it claimed yet.
func (r *claimResource) noteComing(plan claimModel) {
	if r.backend != nil && tfvalue.Known(plan.BindingName) && plan.BindingName.ValueString() != "" {
		r.backend.Take(plan.BindingName.ValueString(), plan.GlobalAccount.ValueString())
	}
}

// lookAhead warns of what can be seen of the pool now: no account left, or one that would never come back from a release.
func (r *claimResource) lookAhead(
	ctx context.Context, plan claimModel, ruleSet types.Object, match rules.Match, resp *resource.ModifyPlanResponse,
) {
	ctx, cancel := context.WithTimeout(ctx, backend.PreviewTimeout)
	defer cancel()
	account := pool.Account{Name: plan.BindingName.ValueString()}
	if plan.BindingName.IsUnknown() && !plan.GlobalAccount.IsUnknown() {
		account = r.preview(ctx, plan, ruleSet, match, resp)
	}
	if target := match.Target(); plan.marksDirty(target.Shared) && !account.Internal {
		r.warnStranded(&resp.Diagnostics, r.backend.ProviderType(ctx, target, account.Name))
	}
}

// preview looks whether there is something left to claim, and returns the account that would be taken now; zero = there is
// none, or it is not known.
func (r *claimResource) preview(
	ctx context.Context, plan claimModel, ruleSet types.Object, match rules.Match, resp *resource.ModifyPlanResponse,
) pool.Account {
	target := match.Target()
	d, err := r.backend.Preview(ctx, target, plan.GlobalAccount.ValueString())
	switch {
	case err == nil:
		request.WarnStrayLimits(ctx, &resp.Diagnostics, r.backend, ruleSet)
	case errors.As(err, new(*pool.ExhaustedError)) && plan.WaitForAccount.ValueBool():
		resp.Diagnostics.AddAttributeWarning(path.Root("plan"), diagnose.SummaryPoolEmpty, fmt.Sprintf(
			"As it looks now the apply will wait for an account, as long as timeouts.create allows (%s): %s.",
			request.RuleName(match.Entry()), err))
	case errors.As(err, new(*pool.ExhaustedError)):
		resp.Diagnostics.AddAttributeWarning(path.Root("plan"), diagnose.SummaryPoolEmpty, fmt.Sprintf(
			"As it looks now the apply will fail (%s): %s.\n\n%s", request.RuleName(match.Entry()), err, diagnose.Explain(err).Remedy))
	case backend.WillFail(err):
		resp.Diagnostics.AddWarning(diagnose.SummaryPoolUnchecked, fmt.Sprintf(
			"The plan could not look whether pool %s has an account for Global Account %s%s. As it looks now the apply will fail: %s.\n\n%s",
			target, plan.GlobalAccount.ValueString(), r.backend.Where(), diagnose.Explain(err).Brief, diagnose.Explain(err).Remedy))
	}
	return d.Account
}

// warnMoved says where the rules lead now that the claim stands: elsewhere, or nowhere. A changed request without an answer
// is an error.
func warnMoved(plan, state claimModel, rule answer) (diags diag.Diagnostics) {
	if plan.Model != state.Model && !importedWithoutRequest(state) {
		if plan.Model.Known() {
			return rule.diags
		}
		return nil
	}
	account, target := state.BindingName.ValueString(), state.stateTarget()
	for _, d := range rule.diags.Errors() {
		diags.AddAttributeWarning(request.RuleSetPath, diagnose.SummaryClaimMoved, fmt.Sprintf(
			"The claim stays on account %s of pool %s, but its request could not be made any more with the rules as they are now: %s",
			account, target, d.Detail()))
	}
	if rule.known && rule.match.Target() != target {
		diags.AddAttributeWarning(request.RuleSetPath, diagnose.SummaryClaimMoved, fmt.Sprintf(
			"The claim stays on account %s of pool %s, but the rules now lead to pool %s (%s). To move it there, replace it: destroy its clusters "+
				"and use -replace.",
			account, target, rule.match.Target(), request.RuleName(rule.match.Entry())))
	}
	return diags
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
			"The claim stands on account %s, and %s will be known only after apply. If it turns out to make another claim, this apply stops with "+
				"\"inconsistent final plan\" and touches nothing: plan again, and the claim is replaced.",
			state.BindingName.ValueString(), strings.Join(unknown, ", ")))
	}
}

// warnReturn says at plan what a destroy would refuse. That of a claim on an internal account leaves the account as it is.
func warnReturn(diags *diag.Diagnostics, plan, state claimModel, h holder) {
	if !plan.returns() || state.Shared.ValueBool() || h.Internal || state.NewlyClaimed.ValueBool() && !h.Used {
		return
	}
	refusal := &pool.ReturnRefusedError{Account: state.BindingName.ValueString(), Used: state.NewlyClaimed.ValueBool()}
	diags.AddAttributeWarning(path.Root("on_destroy"), diagnose.SummaryReturnRefused, fmt.Sprintf(
		"A destroy with on_destroy = %q will be refused: %s. Use \"mark_dirty\" or \"keep\".", pool.ReturnToPool, refusal))
}
