package claim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// replaces lists the changes that make another claim; none = the claim is updated in place. The schema has no modifiers for it: the
// framework merges their results after ModifyPlan, which has to know them for the ledger and for its warnings.
func replaces(plan, state claimModel, h holder, rule answer) path.Paths {
	return append(identityReplaces(plan, state, h), requestReplaces(plan, state, rule)...)
}

// identityReplaces lists the changed inputs that distinguish a claim from others. One that is unknown yet does not touch a claim
// that exists. Where only the label on the account names another Global Account, the claim stays what it is: an apply makes it
// again, or fails.
func identityReplaces(plan, state claimModel, h holder) (changed path.Paths) {
	add := func(name string, now, before types.String) {
		if !now.IsUnknown() && !now.Equal(before) {
			changed.Append(path.Root(name))
		}
	}
	add("name", plan.Name, state.Name)
	add("binding_name", plan.BindingName, state.BindingName)
	if plan.GlobalAccount.ValueString() != h.GlobalAccount {
		add("global_account", plan.GlobalAccount, state.GlobalAccount)
	}
	return changed
}

// refusesOther refuses to plan another claim in place of one that was imported and not changed since, and reports whether it has: nothing
// but the import ID says that it is meant. Without a record the account would be released because of that, and with one that of another
// configuration goes.
func (r *claimResource) refusesOther(plan, state claimModel, h holder) bool {
	recorded := !importedWithoutRequest(state) || !state.ClaimedAt.IsNull()
	differs := identityReplaces(plan, state, h)
	if recorded && (h.Imported == nil || h.Instance != "") || state.Shared.ValueBool() || len(differs) == 0 {
		return false
	}
	if recorded {
		r.Diags.AddAttributeError(differs[0], diagnose.SummaryOtherImport, fmt.Sprintf("The import has taken claim %q of Global Account %s on "+
			"account %s, which is recorded, and the configuration says another %s. Nothing was planned for it: another claim would end that one, "+
			"which may be that of another configuration. Make the configuration say what was imported. To end that claim all the same, change "+
			"its owner and apply that first, which takes it up.", state.Name.ValueString(), h.GlobalAccount, state.BindingName.ValueString(),
			words.List(names(differs))))
		return true
	}
	want := func(now, is types.String) string { return cmp.Or(now.ValueString(), is.ValueString()) }
	id := strings.Join([]string{
		want(plan.GlobalAccount, state.GlobalAccount), want(plan.BindingName, state.BindingName), want(plan.Name, state.Name),
	}, "/")
	r.Diags.AddAttributeError(differs[0], diagnose.SummaryOtherImport, fmt.Sprintf("The import has taken account %s for claim %q of Global "+
		"Account %s, which is not recorded on it, and the configuration says another %s. Nothing was planned for it: another claim would "+
		"release the account. Make the configuration say what was imported. Or import what it says: the ID is %s, after a state rm where "+
		"the import was applied.", state.BindingName.ValueString(), state.Name.ValueString(), h.GlobalAccount, words.List(names(differs)), id))
	return true
}

// names are the attributes of paths.
func names(paths path.Paths) (all []string) {
	for _, p := range paths {
		all = append(all, p.String())
	}
	return all
}

// requestReplaces lists the parts of a changed request that lead to another pool. The rules alone never replace a claim.
func requestReplaces(plan, state claimModel, rule answer) (changed path.Paths) {
	if importedWithoutRequest(state) || !plan.Model.Known() || !rule.known || rule.match.Target() == state.stateTarget() {
		return nil
	}
	was := state.Attributes()
	for name, value := range plan.Attributes() {
		if !value.Equal(was[name]) {
			changed.Append(path.Root(name))
		}
	}
	return changed
}

// unseenRules says how rules that are configured do not reach the provider.
const unseenRules = "Set rule_set = hap_rule_set.<name>. Where it is set, take it out of ignore_changes in the lifecycle block: what is " +
	"ignored of a write-only attribute does not reach the provider, and ignore_changes = all ignores it."

// reportNoRules refuses to make a claim without rules.
func reportNoRules(diags *diag.Diagnostics) {
	diags.AddAttributeError(request.RuleSetPath, diagnose.SummaryNoRuleSet, "A claim is to be made, and rule_set is not set: the rules say "+
		"which pool its request leads to. Nothing was done for it. "+unseenRules)
}

// judgeWithoutRules refuses another request of an existing claim, where no rules say whether it leads to another pool. A claim that is
// asked for as before needs none.
func judgeWithoutRules(diags *diag.Diagnostics, plan, state claimModel) {
	if importedWithoutRequest(state) || !plan.Model.Known() || plan.Model == state.Model {
		return
	}
	was, changed := state.Attributes(), []string{}
	for name, value := range plan.Attributes() {
		if !value.Equal(was[name]) {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	diags.AddAttributeError(request.RuleSetPath, diagnose.SummaryNoRuleSet, fmt.Sprintf("The request of the claim on account %s changes "+
		"(%s), and rule_set is not set: only the rules say whether it leads to another pool, and so to another claim. Nothing was planned for "+
		"it. %s Or take the change back.", state.BindingName.ValueString(), strings.Join(changed, ", "), unseenRules))
}
