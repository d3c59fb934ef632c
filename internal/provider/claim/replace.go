package claim

import (
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// replaces lists the changes that make another claim; none = the claim is updated in place. The schema has no modifiers for it:
// the framework merges what they say behind ModifyPlan, which has to know it for the ledger and for its warnings.
func replaces(plan, state claimModel, h holder, rule answer) path.Paths {
	return append(identityReplaces(plan, state, h), requestReplaces(plan, state, rule)...)
}

// identityReplaces lists the changed inputs that a claim is told from others by. One that is unknown yet does not touch a claim
// that stands. Where only the label on the account names another Global Account, the claim stays what it is: an apply makes it
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
