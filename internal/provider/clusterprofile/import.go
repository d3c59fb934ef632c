package clusterprofile

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// configIdentity is what tells a ProviderConfig from all others, also outside of its state.
type configIdentity struct {
	Name types.String `tfsdk:"name"`
}

// IdentitySchema describes configIdentity for `import { identity = { } }`.
func (r *configResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: "The name of the ProviderConfig."},
	}}
}

// ImportState takes an identity, or the name; Read does the rest.
func (r *configResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id := configIdentity{types.StringValue(req.ID)}
	if req.ID == "" {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &id)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if _, err := r.backend.OpenMCP.API(); err != nil { // also where settings are known only after an apply: there is nothing to read yet
		diagnose.Report(&resp.Diagnostics, r.backend.OpenMCP.Attempt("Importing provider configuration %s", id.Name.ValueString()), err)
		return
	}
	if name := id.Name.ValueString(); !objectName.MatchString(name) {
		resp.Diagnostics.AddError(diagnose.SummaryInvalidImport, fmt.Sprintf("%q is not the name of a ProviderConfig. The import ID is its "+
			"name, for example aws-blue.", name))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, namePath, id.Name)...)
}
