package account

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// accountIdentity is what tells an account from all others, also outside of its state.
type accountIdentity struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
}

// IdentitySchema describes accountIdentity for `import { identity = { } }`.
func (r *accountResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"namespace": identityschema.StringAttribute{OptionalForImport: true,
			Description: "The namespace of the Gardener project. Default: the provider's; another one is an error."},
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: "The name of the object."},
	}}
}

func identityOf(namespace string, name types.String) accountIdentity {
	return accountIdentity{Namespace: types.StringValue(namespace), Name: name}
}

// ImportState takes an identity, or the name of the account; Read does the rest.
func (r *accountResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id := accountIdentity{Name: types.StringValue(req.ID)}
	if req.ID == "" {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &id)...)
	}
	if name := id.Name.ValueString(); !objectName.MatchString(name) && !resp.Diagnostics.HasError() {
		resp.Diagnostics.AddError(diagnose.SummaryInvalidImport, fmt.Sprintf(
			"%q is not the name of an account. The import ID of an account is its name, for example aws-account-7.", name))
	}
	if p, err := r.backend.Pool(); err == nil && !id.Namespace.IsNull() && id.Namespace.ValueString() != p.Namespace() {
		elsewhere := &backend.AccountElsewhereError{What: "namespace", Account: id.Namespace.ValueString(), Provider: p.Namespace()}
		diagnose.Report(&resp.Diagnostics, r.backend.Attempt("Importing an account by identity"), elsewhere)
	}
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, namePath, id.Name)...)
	}
}

// warnQuarantine says that another party has changed, or taken away, the label by which the account was put aside.
func warnQuarantine(diags *diag.Diagnostics, a pool.Account, keys garden.LabelKeys) {
	switch {
	case a.Quarantine == "" || a.Dirty == pool.Quarantined:
		return
	case a.Dirty == pool.Clean:
		diags.AddAttributeWarning(quarantinePath, diagnose.SummaryQuarantineGone, fmt.Sprintf(
			"Account %s was quarantined (%s), and another party has taken its label %s away: it is in circulation. The next apply quarantines it "+
				"again, unless the configuration gives the quarantine up.", a.Name, a.Quarantine, keys.Dirty))
		return
	}
	why := "another party has overwritten the label. It stays out of circulation"
	if a.Dirty == pool.Dirtied {
		why = "the broker marks an account so when the last cluster of its tenant goes. It stays out of circulation, and the clean-up job may " +
			"wipe it"
	}
	diags.AddAttributeWarning(quarantinePath, diagnose.SummaryQuarantineLost, fmt.Sprintf(
		"Account %s was quarantined (%s), and its label says %s=%s now: %s. When the label is gone, the next apply quarantines it again.",
		a.Name, a.Quarantine, keys.Dirty, a.Dirty, why))
}
