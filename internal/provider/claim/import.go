package claim

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
)

// claimIdentity is what tells a claim from all others, also outside of its state.
type claimIdentity struct {
	Namespace     types.String `tfsdk:"namespace"`
	GlobalAccount types.String `tfsdk:"global_account"`
	BindingName   types.String `tfsdk:"binding_name"`
	Name          types.String `tfsdk:"name"`
}

// identitySchema describes claimIdentity for `import { identity = { } }`.
var identitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
	"namespace": identityschema.StringAttribute{OptionalForImport: true,
		Description: "The namespace of the Gardener project. Default: the provider's; another one is an error."},
	"global_account": identityschema.StringAttribute{RequiredForImport: true, Description: "The Global Account that the account is for."},
	"binding_name": identityschema.StringAttribute{RequiredForImport: true,
		Description: "The account: the name of its CredentialsBinding."},
	"name": identityschema.StringAttribute{OptionalForImport: true, Description: "The claim's own name. Default: default."},
}}

// IdentitySchema returns the schema of a claim's identity.
func (r *claimResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identitySchema
}

// identity never changes while the claim lives: the Global Account is the one it was made for, whatever the label says.
func (m claimModel) identity(h holder) claimIdentity {
	return claimIdentity{
		Namespace: types.StringValue(h.Namespace), GlobalAccount: types.StringValue(h.GlobalAccount), BindingName: m.BindingName, Name: m.Name,
	}
}

// unrecordedRequest stands in the state of a claim that was imported from an account without a record, which would
// have its request. It is empty and not null, so that a plan may leave it as it is.
var unrecordedRequest = request.Model{
	Plan: types.StringValue(""), PlatformRegion: types.StringValue(""), HyperscalerRegion: types.StringValue(""),
	Hyperscaler: types.StringValue(""),
}

// importedWithoutRequest recognises such a claim, also one of a state in which the request was null.
func importedWithoutRequest(state claimModel) bool { return state.Plan.ValueString() == "" }

// ImportState takes an identity, or <global_account>/<binding_name>[/<name>]; Read does the rest.
func (r *claimResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if req.ID == "" {
		r.importByIdentity(ctx, *req.Identity, resp)
		return
	}
	parts := strings.SplitN(req.ID, "/", 3)
	if len(parts) == 2 {
		parts = append(parts, defaultClaimName)
	}
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" {
		resp.Diagnostics.AddError(diagnose.SummaryInvalidImport, fmt.Sprintf(
			"The import ID %q is not of the form <global_account>/<binding_name>[/<name>], for example ga-1/aws-account-7 or "+
				"ga-1/aws-account-7/blue.", req.ID))
		return
	}
	setImported(ctx, resp, parts[0], parts[1], parts[2])
}

func (r *claimResource) importByIdentity(ctx context.Context, identity tfsdk.ResourceIdentity, resp *resource.ImportStateResponse) {
	var id claimIdentity
	resp.Diagnostics.Append(identity.Get(ctx, &id)...)
	if resp.Diagnostics.HasError() {
		return
	}
	name := defaultClaimName
	if !id.Name.IsNull() {
		name = id.Name.ValueString()
	}
	for attribute, value := range map[string]string{"global_account": id.GlobalAccount.ValueString(),
		"binding_name": id.BindingName.ValueString(), "name": name} {
		if value == "" || strings.Contains(value, "/") {
			resp.Diagnostics.AddError(diagnose.SummaryInvalidImport,
				fmt.Sprintf("The identity's %s is %q: it must not be empty and has no slash.", attribute, value))
		}
	}
	if p, err := r.backend.Pool(); err == nil && !id.Namespace.IsNull() && id.Namespace.ValueString() != p.Namespace() {
		elsewhere := &backend.NamespaceError{Claim: id.Namespace.ValueString(), Provider: p.Namespace()}
		diagnose.Report(&resp.Diagnostics, r.backend.Attempt("Importing a claim by identity"), elsewhere)
	}
	if !resp.Diagnostics.HasError() {
		setImported(ctx, resp, id.GlobalAccount.ValueString(), id.BindingName.ValueString(), name)
	}
}

// setImported writes what readImported goes by.
func setImported(ctx context.Context, resp *resource.ImportStateResponse, globalAccount, account, name string) {
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("global_account"), globalAccount)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("binding_name"), account)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("name"), name)...)
}

// readImported fills a state that has nothing but the claim's identity yet.
func (r *claimResource) readImported(ctx context.Context, state claimModel, resp *resource.ReadResponse) {
	ga, account := state.GlobalAccount.ValueString(), state.BindingName.ValueString()
	p, err := r.backend.Pool()
	var status pool.Status
	var target pool.Target
	if err == nil {
		status, target, err = p.Find(ctx, ga, account, state.Name.ValueString())
	}
	if err != nil {
		diagnose.Report(&resp.Diagnostics, r.backend.Attempt("Importing account %s for Global Account %s", account, ga), err)
		return
	}
	if others := status.Account.Claims(); !status.Recorded && len(others) > 0 {
		ids := make([]string, len(others))
		for i, key := range others {
			ids[i] = fmt.Sprintf("%s/%s/%s", ga, account, status.Account.Records[key].Name)
		}
		resp.Diagnostics.AddError(diagnose.SummaryImportRefused, fmt.Sprintf(
			"Account %s bears claims of Global Account %s, but none is named %q. Import one of these: %s.",
			account, ga, state.Name.ValueString(), strings.Join(ids, ", ")))
		return
	}
	if !status.Recorded && !target.Shared {
		resp.Diagnostics.AddWarning(diagnose.SummaryClaimUnrecorded, fmt.Sprintf(
			"Global Account %s holds account %s without a record of this claim; one is written with the next change of the claim (its owner, for "+
				"example). Until then other configurations do not see it, and its request is not known: plan and regions stay empty in the "+
				"state.", ga, account))
	}
	h := newHolder(r.backend, p.Namespace(), ga, status.Record).seen(status, r.backend.Server(), status.Account.Shared)
	h.Used = h.Used || !status.Account.Shared // what another state has seen is not known
	stored := stored{&resp.State, resp.Identity, resp.Private}
	resp.Diagnostics.Append(stored.set(ctx, state.imported(status, target, ga), h)...)
}
