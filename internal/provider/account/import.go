package account

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
)

// identitySchema describes what distinguishes an account from all others, also outside of its state.
var identitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
	"namespace": identityschema.StringAttribute{OptionalForImport: true,
		Description: "The namespace of the Gardener project. Default: the provider's; another one is an error."},
	"name": identityschema.StringAttribute{RequiredForImport: true, Description: "The name of the object."},
}}

// Import takes an identity, or the name of the account.
func (r *accountResource) Import(id string, by family.Identity) family.Identity {
	name, namespace := by["name"], by["namespace"]
	if id != "" {
		name = types.StringValue(id)
	}
	if !kube.IsName(name.ValueString()) {
		r.Diags.AddError(diagnose.SummaryInvalidImport, fmt.Sprintf(
			"%q is not the name of an account. The import ID of an account is its name, for example aws-account-7.", name.ValueString()))
	}
	if p, err := r.Backend.Garden.Pool(); err == nil && !namespace.IsNull() && namespace.ValueString() != p.Namespace() {
		elsewhere := settings.Same(theAccount, "namespace", namespace.ValueString(), p.Namespace())
		diagnose.Report(r.Diags, r.Backend.Garden.Attempt("Importing an account by identity"), elsewhere)
	}
	return family.Identity{"name": name}
}

// Gone says why an account leaves the state, or that there is none to import.
func (r *accountResource) Gone(of kept, err error) {
	name, uid := of.Model.Name.ValueString(), of.Model.UID.ValueString()
	if why := of.Model.inUse(); uid != "" && why != "" {
		for _, o := range of.Model.places() {
			r.Backend.Ledger.Lose(o, fmt.Sprintf("Account %s (UID %s) does not exist any more, and when it was last seen %s", name, uid, why))
		}
	}
	lost, _ := errors.AsType[*account.NotFoundError](err)
	switch {
	case uid == "":
		diagnose.ReportNoImport(r.Diags, diagnose.Import{
			What: "account " + name, LookedAt: fmt.Sprintf("%s %s in namespace %s", r.Backend.Settings.Kind, name, r.pool.Namespace()), ID: name,
			Form:  "the name of the account, for example aws-account-7",
			Check: "that the provider leads to the Gardener project of the pool, and that pool.kind says what its accounts are",
		})
	case lost.Anew != "":
		stops := ": an apply that asks for the account stops"
		if r.Backend.Settings.Kind == garden.Secret { // the object is the user's, and an apply labels it
			stops = ". An apply that asks for the account puts it into the pool"
		}
		r.Diags.AddWarning(diagnose.SummaryAccountAnew, fmt.Sprintf("Account %s (UID %s) was deleted, and another party has made an object of "+
			"this name anew (UID %s). The old one is removed from the state, and the new one is left alone%s. "+
			"If the new one is meant to be this account, import it: its import ID is its name, %s.", name, uid, lost.Anew, stops, name))
	default:
		r.Diags.AddWarning(diagnose.SummaryAccountLost, fmt.Sprintf("Account %s (UID %s) does not exist any more. It is removed from "+
			"the state; the next apply puts it into the pool again.", name, uid))
	}
}

// warnUncounted says, once in a run, that the clusters on the accounts could not be counted.
func (r *accountResource) warnUncounted(diags *diag.Diagnostics, s pool.Supplied) {
	if s.Uncounted != nil && r.Backend.Ledger.First("uncounted accounts") {
		f := diagnose.Explain(s.Uncounted)
		diags.AddWarning(diagnose.SummaryCountDoubt, fmt.Sprintf("The clusters on account %s, and on all others, could not be counted: %s. The "+
			"state keeps the numbers of before.\n\n%s", s.Account.Name, f.Brief, f.Remedy))
	}
}

// warnQuarantine says that another party has changed, or taken away, the label by which the account was put aside.
func warnQuarantine(diags *diag.Diagnostics, a account.Account, keys garden.LabelKeys) {
	switch {
	case a.Quarantine == "" || a.Dirty == account.Quarantined:
		return
	case a.Dirty == account.Clean:
		diags.AddAttributeWarning(quarantinePath, diagnose.SummaryQuarantineGone, fmt.Sprintf(
			"Account %s was quarantined (%s), and another party has taken its label %s away: it is in circulation. The next apply quarantines it "+
				"again, unless the configuration gives the quarantine up.", a.Name, a.Quarantine, keys.Dirty))
		return
	}
	why := "another party has overwritten the label. It stays out of circulation"
	if a.Dirty == account.Dirtied {
		why = "the broker marks an account so when the last cluster of its tenant goes. It stays out of circulation, and the clean-up job may " +
			"wipe it"
	}
	diags.AddAttributeWarning(quarantinePath, diagnose.SummaryQuarantineLost, fmt.Sprintf(
		"Account %s was quarantined (%s), and its label says %s=%s now: %s. When the label is gone, the next apply quarantines it again.",
		a.Name, a.Quarantine, keys.Dirty, a.Dirty, why))
}

// Identity is the name of the account and the namespace where it is.
func (r *accountResource) Identity(of kept) family.Identity {
	return family.Identity{"namespace": types.StringValue(cmp.Or(of.Place.Namespace, r.pool.Namespace())), "name": of.Model.Name}
}
