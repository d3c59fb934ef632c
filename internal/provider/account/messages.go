package account

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// warnUnwiped says that an account is marked dirty and leaves the pool: no clean-up job comes to it any more.
func warnUnwiped(diags *diag.Diagnostics, a account.Account, leaves string) {
	tenant := "its last tenant"
	if a.Tenant != "" {
		tenant = "Global Account " + a.Tenant
	}
	diags.AddWarning(diagnose.SummaryUnwiped, fmt.Sprintf("Account %s is marked dirty, and %s the pool before the clean-up job has wiped "+
		"it. It is its owner's again, with all that %s has in it: wipe it by hand, or close it. Do not put it into the pool again before: "+
		"it would be free there for any Global Account.", a.Name, leaves, tenant))
}

// object is the account for the ledger.
func (m accountModel) object() ledger.Object {
	return ledger.Object{Type: "hap_account", ID: m.Name.ValueString(), UID: m.UID.ValueString()}
}

// Clash reports what else a plan wants with an account; false = nothing.
func (r *accountResource) Clash(clash ledger.Clash, m accountModel) bool {
	name := m.Name.ValueString()
	switch clash {
	case ledger.ClashTwice:
		r.Diags.AddAttributeError(namePath, diagnose.SummaryAccountTwice, fmt.Sprintf("Account %s is in this configuration twice. Nothing was "+
			"planned for it. Give each a name and credentials of its own, or remove one of the two blocks.", name))
	case ledger.ClashEnded:
		diagnose.ReportRenamed(r.Diags, m.object().Type, "Account "+name)
	case ledger.ClashKept:
		r.Diags.AddError(diagnose.SummaryObjectKept, fmt.Sprintf("Account %s (UID %s) is in the state twice, once to be kept and once to be "+
			"destroyed or replaced. Nothing was planned for it. Take the address that is to go out of the state with `state rm`, which changes "+
			"nothing on the account. Where that is a deposed object, take the whole resource out, and import it as %s.", name,
			m.UID.ValueString(), name))
	case ledger.NoClash:
	}
	return clash != ledger.NoClash
}

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
