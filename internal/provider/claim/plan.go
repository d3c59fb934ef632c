package claim

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// answer is what the rules say to a request: the pool, or why there is none. known is false while something is unknown.
type answer struct {
	match   rules.Match
	known   bool
	missing bool // there are no rules to ask: an import brings none, and lifecycle { ignore_changes } takes them away
	diags   diag.Diagnostics
}

// ask asks the rules.
func ask(m claimModel, ruleSet types.Object) (rule answer) {
	if rule.missing = ruleSet.IsNull(); !rule.missing {
		rule.match, rule.known, rule.diags = m.Match(ruleSet)
	}
	return rule
}

// PlanUpdate evaluates the rules at plan time already, and plans an existing claim.
func (r *claimResource) PlanUpdate(ctx context.Context, plan, config claimModel, of kept) (planned claimModel, by path.Paths) {
	state, h := of.Model, of.Place
	plan.Model = config.Model // see PlanCreate
	planned = plan
	rule := ask(plan, config.RuleSet)
	if importedWithoutRequest(state) && plan.sameBut(state) {
		planned = state
	}
	// No Global Account holds the account: the claim is going to be made again on it. Its record keeps the time of the state, unless
	// another run has taken the account back meanwhile.
	lost := state.GlobalAccount.IsNull()
	if rule.missing {
		judgeWithoutRules(r.Diags, plan, state)
	}
	if lost {
		planned.ClaimedAt, planned.NewlyClaimed = types.StringUnknown(), types.BoolUnknown()
		r.noteComing(planned)
	}
	if state.Shared.ValueBool() && state.ClaimedAt.IsNull() { // nothing is ever recorded there
		planned.ClaimedAt = types.StringNull()
	}
	planned.ExpiresAt = planned.expiresAt()
	moves := r.planMove(ctx, &planned, config.BindingName, of)
	if moves {
		plan.BindingName = state.BindingName // no other claim
	}
	if r.refusesOther(plan, state, h) {
		return state, nil
	}
	by = replaces(plan, state, h, rule)
	last := plan // the settings that the destroy of this claim will go by
	if len(by) > 0 {
		last = state
		r.declareReplaced(plan, of, rule)
	} else {
		r.Diags.Append(warnMoved(plan, state, rule)...)
		warnUnknown(r.Diags, plan, state, config, rule)
		if !lost {
			planned.keepUse(state)
		}
		if h.unsettled(plan, state) {
			planned.Reserved = types.Int64Unknown() // without a difference there is no update
		}
		if r.declareKept(of); ofAnother(plan, h) {
			planned = state // without an update
			reportOfAnother(r.Diags, state, h, r.Same)
		}
	}
	warnReturn(r.Diags, last, state, h)
	r.warnMarked(last, of)
	return planned, by
}

// warnMarked says that the destroy of a claim, by these settings, marks an account dirty which no job cleans.
func (r *claimResource) warnMarked(settings claimModel, of kept) {
	if state := of.Model; settings.marksDirty(state.Shared.ValueBool()) && !of.Place.Internal {
		r.warnStranded(r.Diags, state.credentials(), state.BindingName.ValueString())
	}
}

// PlanDestroy says what a destroy leaves behind. The engine refuses to destroy what another object of the same state keeps. Such a pair is
// left by a replacement that creates first and stops half way: the old object and the new one are the same claim on the same account, and
// the apply that destroys the old one cannot see the new one.
func (r *claimResource) PlanDestroy(_ context.Context, of kept) {
	r.note(of, true)
	r.warnMarked(of.Model, of)
}

// PlanCreate plans a claim that is to be made. What the rules say becomes known, and a warning says what can be seen of the pool. The
// account does not become known: what a plan sees of the live pool must never be a planned value, because Terraform plans twice.
func (r *claimResource) PlanCreate(ctx context.Context, plan, config claimModel, predecessor holder) (planned claimModel) {
	// The request is planned as it is configured. Its attributes are computed only so that it may stay empty after an import, see
	// unrecordedRequest.
	plan.Model = config.Model
	rule := ask(plan, config.RuleSet)
	plan.ExpiresAt = plan.expiresAt()
	if diagnose.ReportUnusable(r.Diags, r.Backend, resourceType, "Planning claim "+tfvalue.Name(plan.Name)) {
		return plan
	}
	r.Backend.Ledger.ReplaceStaying(predecessor.Claim)
	r.noteComing(plan)
	r.noteNew(plan, rule)
	if rule.missing {
		reportNoRules(r.Diags)
	}
	r.Diags.Append(rule.diags...)
	if !rule.known {
		return plan
	}
	target := rule.match.Target()
	r.lookAhead(ctx, plan, config.RuleSet, rule.match)
	if id := plan.identityOn(target); predecessor.another(id) {
		if !r.Backend.Ledger.Noted(successorNoted, predecessor.Claim, object(id).ID) { // of a replacement that is forced, or within an apply
			r.declare(plan, target)
		}
		r.warnAdopts(plan, target)
	}
	plan.setTarget(target)
	return plan
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

// noteComing notes the account on which a claim is going to be, where that is known: what is planned for the account after it has not to
// find it claimed yet.
func (r *claimResource) noteComing(plan claimModel) {
	if tfvalue.Known(plan.BindingName) && plan.BindingName.ValueString() != "" {
		r.Backend.Ledger.PlanClaim(plan.BindingName.ValueString(), plan.GlobalAccount.ValueString())
	}
}

// lookAhead warns of what can be seen of the pool now: no account left, or one that would never come back from a release.
func (r *claimResource) lookAhead(ctx context.Context, plan claimModel, ruleSet types.Object, match rules.Match) {
	ctx, cancel := context.WithTimeout(ctx, connection.PreviewTimeout)
	defer cancel()
	account := account.Account{Name: plan.BindingName.ValueString()} // that it is pinned to
	if plan.BindingName.IsUnknown() && !plan.GlobalAccount.IsUnknown() {
		account = r.preview(ctx, plan, ruleSet, match)
	}
	if target := match.Target(); plan.marksDirty(target.Shared) && !account.Internal {
		r.warnStranded(r.Diags, r.Backend.Garden.CredentialsOf(ctx, target, account), plan.BindingName.ValueString())
	}
}

// preview looks whether there is something left to claim, and returns the account that would be taken now; zero = there is
// none, or it is not known.
func (r *claimResource) preview(ctx context.Context, plan claimModel, ruleSet types.Object, match rules.Match) account.Account {
	target := match.Target()
	var d account.Decision
	err := r.Backend.Previews.Try(ctx, connection.AskedPool, func(ctx context.Context) (err error) {
		d, err = r.Backend.Garden.Decide(ctx, target, plan.GlobalAccount.ValueString())
		return err
	})
	if d.Uncounted != "" && r.Backend.Ledger.First("uncounted") {
		diagnose.WarnDoubts(r.Diags, []string{d.Uncounted})
	}
	switch {
	case err == nil:
		request.WarnStrayLimits(ctx, r.Diags, r.Backend, ruleSet)
	case errors.As(err, new(*account.ExhaustedError)) && plan.WaitForAccount.ValueBool():
		r.Diags.AddAttributeWarning(path.Root("plan"), diagnose.SummaryPoolEmpty, fmt.Sprintf(
			"As it looks now the apply will wait for an account, as long as timeouts.create allows (%s): %s.",
			match.Entry().Name(), err))
	case errors.As(err, new(*account.ExhaustedError)):
		r.Diags.AddAttributeWarning(path.Root("plan"), diagnose.SummaryPoolEmpty, fmt.Sprintf(
			"As it looks now the apply will fail (%s): %s.\n\n%s", match.Entry().Name(), err, diagnose.Explain(err).Remedy))
	default:
		diagnose.ReportPoolUnlooked(r.Diags, r.Backend, resourceType, r.Backend.Garden.Attempt(
			"Looking whether pool %s has an account for Global Account %s", target, plan.GlobalAccount.ValueString()), err)
	}
	return d.Account
}

// warnMoved says where the rules lead now that the claim exists: elsewhere, or nowhere. A changed request without an answer
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
			account, target, rule.match.Target(), rule.match.Entry().Name()))
	}
	return diags
}

// warnUnknown says what happens when an input of an existing claim turns out to lead elsewhere. Terraform asks again
// during the apply, and takes a replacement that was not planned for a bug of the provider.
func warnUnknown(diags *diag.Diagnostics, plan, state, config claimModel, rule answer) {
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
	if len(unknown) == 0 && plan.Model != state.Model && !rule.known && !rule.missing && !rule.diags.HasError() {
		unknown = []string{"rule_set"} // another request, and what it leads to is not known
	}
	if len(unknown) > 0 {
		diags.AddAttributeWarning(path.Root(unknown[0]), diagnose.SummaryInputUnknown, fmt.Sprintf(
			"The claim is on account %s, and %s will be known only after apply. If it turns out to make another claim, the apply stops "+
				"and touches nothing: plan again, and the claim is replaced.",
			state.BindingName.ValueString(), strings.Join(unknown, ", ")))
	}
}

// warnReturn says at plan what a destroy would refuse. That of a claim on an internal account leaves the account as it is.
func warnReturn(diags *diag.Diagnostics, plan, state claimModel, h holder) {
	if !plan.returns() || state.Shared.ValueBool() || h.Internal || state.NewlyClaimed.ValueBool() && !h.Used {
		return
	}
	refusal := &protocol.ReturnRefusedError{Account: state.BindingName.ValueString(), Used: state.NewlyClaimed.ValueBool()}
	diags.AddAttributeWarning(path.Root("on_destroy"), diagnose.SummaryReturnRefused, fmt.Sprintf(
		"A destroy with on_destroy = %q will be refused: %s. Use \"mark_dirty\" or \"keep\".", account.ReturnToPool, refusal))
}
