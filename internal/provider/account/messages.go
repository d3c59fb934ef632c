package account

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/ledger"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/words"
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

// places are what the pool knows an account by, for the ledger: its name, and its credentials.
func (m accountModel) places() []ledger.Object {
	all := []ledger.Object{{Type: "hap_account", ID: m.Name.ValueString()}}
	if tfvalue.Known(m.CredentialsRef) && !m.CredentialsRef.IsNull() {
		all = append(all, ledger.Object{Type: "credentials", ID: fmt.Sprint(m.ref().Key())})
	}
	return all
}

// inUse says why an account that is gone would not be free if it were put into the pool again, as the state knows it; empty = it would.
func (m accountModel) inUse() string {
	var why []string
	if ga := m.GlobalAccount.ValueString(); ga != "" {
		why = append(why, "Global Account "+ga+" held it")
	}
	if m.Dirty.ValueBool() && m.Quarantine.IsNull() {
		why = append(why, "it was marked dirty or quarantined")
	}
	if n := m.Clusters.ValueInt64(); n > 0 && !m.Shared.ValueBool() {
		why = append(why, "it had "+words.Count(int(n), "cluster"))
	}
	return strings.Join(why, ", and ")
}

// refuseLost refuses to put an account into the pool again that is gone, and was not free when this run last knew of it.
func (r *accountResource) refuseLost(plan accountModel) (refused bool) {
	for _, o := range plan.places() {
		if why := r.Backend.Ledger.Lost(o); why != "" {
			r.Diags.AddAttributeError(namePath, diagnose.SummaryAccountLostInUse, fmt.Sprintf("%s. Put into the pool again it would be free, with "+
				"all that is in the cloud account. Nothing was planned for it. Find out who has deleted it. Where no cluster uses the cloud account, "+
				"and it is wiped, take the account out of the state with `state rm`, and apply. Otherwise make the object again by hand, with all "+
				"of its labels, and import it.", why))
			return true
		}
	}
	return false
}

// Clash reports what else a plan wants with an account; false = nothing.
func (r *accountResource) Clash(clash ledger.Clash, m accountModel) bool {
	name := m.Name.ValueString()
	switch clash {
	case ledger.ClashTwice, ledger.ClashBoth:
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
