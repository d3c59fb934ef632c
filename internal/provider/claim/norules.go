package claim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
)

// unseenRules says how rules that are configured do not reach the provider.
const unseenRules = "Set rule_set = hap_rule_set.<name>. Where it is set, take it out of ignore_changes in the lifecycle block: what is " +
	"ignored of a write-only attribute does not reach the provider, and ignore_changes = all ignores it."

// reportNoRules refuses to make a claim without rules.
func reportNoRules(diags *diag.Diagnostics) {
	diags.AddAttributeError(request.RuleSetPath, diagnose.SummaryNoRuleSet, "A claim is to be made, and rule_set is not set: the rules say "+
		"which pool its request leads to. Nothing was done for it. "+unseenRules)
}

// judgeWithoutRules refuses another request of a claim that stands, where no rules say whether it leads to another pool. A claim that is
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
