package account

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// warnUnruled says that no rule leads to the pool of the account.
func warnUnruled(diags *diag.Diagnostics, plan accountModel, ruleSet types.Object) {
	if ruleSet.IsNull() || !tfvalue.Known(plan.HyperscalerType, plan.Shared, plan.EUAccess) {
		return
	}
	target := plan.supply().Target
	leads, known, more := request.LeadsTo(ruleSet, target)
	diags.Append(more...)
	if known && !leads {
		diags.AddAttributeWarning(typePath, diagnose.SummaryUnruledPool, fmt.Sprintf(
			"No rule of the rule set leads to pool %s: no claim and no cluster ever comes to account %s. Correct hyperscaler_type, shared and "+
				"eu_access, or add a rule.", target, tfvalue.Name(plan.Name)))
	}
}

// warnMisplaced says that the account takes no cluster of its pool.
func warnMisplaced(diags *diag.Diagnostics, plan accountModel) {
	if !tfvalue.Known(plan.HyperscalerType, plan.ProviderType) {
		return
	}
	a := account.Account{HyperscalerType: plan.HyperscalerType.ValueString(),
		Credentials: &account.Credentials{ProviderType: plan.ProviderType.ValueString()}}
	if want := a.Misplaced(); want != "" {
		diags.AddAttributeWarning(providerPath, diagnose.SummaryMisplaced, fmt.Sprintf(
			"Account %s is of provider type %s, and the clusters of pool %s are of provider type %s: Gardener refuses each of them on this "+
				"account, also after a claim has taken it. Correct provider_type, or hyperscaler_type.",
			tfvalue.Name(plan.Name), plan.ProviderType.ValueString(), plan.HyperscalerType.ValueString(), want))
	}
}
