package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// ModifyPlan asks the rules at plan time already. What follows from them alone becomes known; the account does not: a
// look at the live pool must never be a planned value, because Terraform plans twice.
func (r *claimResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return // being destroyed
	}
	var plan, config claimModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	match, known, diags := plan.match(ctx, config.RuleSet)
	if req.State.Raw.IsNull() {
		resp.Diagnostics.Append(diags...)
		if known {
			r.planCreate(ctx, plan, match, resp)
		}
		return
	}
	var state claimModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	planUpdate(plan, state, match, known, diags, resp)
}

// planCreate makes known what the rules say, and warns when there seems to be nothing left to claim.
func (r *claimResource) planCreate(ctx context.Context, plan claimModel, match rules.Match, resp *resource.ModifyPlanResponse) {
	target := match.Target()
	plan.setTarget(target)
	for name, value := range map[string]any{
		"hyperscaler_type": plan.HyperscalerType, "shared": plan.Shared, "eu_access": plan.EUAccess,
	} {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root(name), value)...)
	}
	if r.backend == nil || plan.GlobalAccount.IsUnknown() || plan.Name.IsUnknown() || !plan.BindingName.IsUnknown() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, previewTimeout)
	defer cancel()
	_, err := r.backend.preview(ctx, target, plan.GlobalAccount.ValueString(), plan.Name.ValueString())
	var exhausted *pool.ExhaustedError
	if errors.As(err, &exhausted) {
		resp.Diagnostics.AddAttributeWarning(path.Root("plan"), summaryPoolEmpty, fmt.Sprintf(
			"As it looks now the apply will fail (%s): %s. %s", ruleName(match.Entry()), err, exhaustedNext(exhausted)))
	}
}

// planUpdate keeps the claim on its account. Only a changed request that leads to another pool replaces it; when the
// rules alone have changed, a warning says where they lead now.
func planUpdate(plan, state claimModel, match rules.Match, known bool, noMatch diag.Diagnostics, resp *resource.ModifyPlanResponse) {
	changed := !plan.equal(state.requestModel) && !importedWithoutRequest(state)
	switch {
	case changed:
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
	case noMatch.HasError():
		for _, d := range noMatch.Errors() {
			resp.Diagnostics.AddAttributeWarning(ruleSetPath, summaryClaimMoved, fmt.Sprintf(
				"The claim stays on account %s of pool %s, but its request could not be made any more with the rules as they are now: %s", state.BindingName.ValueString(), state.stateTarget(), d.Detail()))
		}
	case known && match.Target() != state.stateTarget():
		resp.Diagnostics.AddAttributeWarning(ruleSetPath, summaryClaimMoved, fmt.Sprintf(
			"The claim stays on account %s of pool %s, but the rules now lead to pool %s (%s). To move it there, replace it: destroy its clusters and use -replace.",
			state.BindingName.ValueString(), state.stateTarget(), match.Target(), ruleName(match.Entry())))
	}
}

// importedWithoutRequest recognises a claim that was imported from an account without a record: nobody knows which
// request it was made for, so the one in the configuration is taken as it is.
func importedWithoutRequest(state claimModel) bool { return state.Plan.IsNull() }

// stillSame decides at apply what was unknown at plan: a changed request must not lead elsewhere, and a pin must name
// the account that the claim stands on.
func stillSame(ctx context.Context, plan *claimModel, state, config claimModel) diag.Diagnostics {
	var diags diag.Diagnostics
	if pin := config.BindingName; !pin.IsNull() && pin.ValueString() != state.BindingName.ValueString() {
		diags.AddAttributeError(path.Root("binding_name"), summaryPin, fmt.Sprintf(
			"binding_name was not known at plan and is %s now, but the claim stands on %s. Nothing was changed; plan again to have it replaced.", pin.ValueString(), state.BindingName.ValueString()))
	}
	plan.BindingName = state.BindingName
	if plan.equal(state.requestModel) || importedWithoutRequest(state) {
		return diags
	}
	target, more := plan.target(ctx, config.RuleSet)
	diags.Append(more...)
	if !more.HasError() && target != state.stateTarget() {
		diags.AddAttributeError(path.Root("plan"), summaryClaimMoved, fmt.Sprintf(
			"The request was not known at plan and leads to pool %s now, but the claim stands on account %s of pool %s. Nothing was changed; plan again to have it replaced.",
			target, state.BindingName.ValueString(), state.stateTarget()))
	}
	return diags
}

// replaceForAnother replaces the claim when the configuration names another Global Account. Where only the label on the
// account has changed, the claim stays what it is: an apply makes it again, or fails.
func replaceForAnother() planmodifier.String {
	const why = "A claim for another Global Account is another claim."
	return stringplanmodifier.RequiresReplaceIf(func(ctx context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
		ga := heldBy(ctx, req.Private, &resp.Diagnostics, req.StateValue.ValueString())
		resp.RequiresReplace = req.PlanValue.ValueString() != ga
	}, why, why)
}

// holderKey is where private state keeps the Global Account that the claim was made for. In the state proper
// global_account follows the label on the account, so that drift shows.
const holderKey = "holder"

type holderRecord struct {
	GlobalAccount string `json:"globalAccount"`
}

func holder(ga string) []byte {
	text, _ := json.Marshal(holderRecord{ga}) // a struct of one string cannot fail
	return text
}

// heldBy returns the Global Account that the claim was made for.
func heldBy(ctx context.Context, private interface {
	GetKey(context.Context, string) ([]byte, diag.Diagnostics)
}, diags *diag.Diagnostics, fallback string) string {
	text, more := private.GetKey(ctx, holderKey)
	diags.Append(more...)
	var record holderRecord
	if text == nil || json.Unmarshal(text, &record) != nil || record.GlobalAccount == "" {
		return fallback
	}
	return record.GlobalAccount
}
