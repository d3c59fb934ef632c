package clusterrequest

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// requestIdentity is what tells a request from all others, also outside of its state.
type requestIdentity struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
}

// IdentitySchema describes requestIdentity for `import { identity = { } }`.
func (r *requestResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"namespace": identityschema.StringAttribute{OptionalForImport: true,
			Description: "The namespace of the request on the platform cluster. Default: the provider's platform.namespace."},
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: "The name of the ClusterRequest."},
	}}
}

// ImportState takes an identity or <namespace>/<name>; a name alone is one in the provider's namespace. Read does the rest.
func (r *requestResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	var id requestIdentity
	if req.ID == "" {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &id)...)
	} else if namespace, name, both := strings.Cut(req.ID, "/"); both {
		id = requestIdentity{types.StringValue(namespace), types.StringValue(name)}
	} else {
		id.Name = types.StringValue(req.ID)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	api, err := r.backend.OpenMCP.API()
	if err != nil { // also where settings are known only after an apply: there is nothing to read yet
		diagnose.Report(&resp.Diagnostics, r.backend.OpenMCP.Attempt("Importing request %s", id.Name.ValueString()), err)
		return
	}
	if id.Namespace.IsNull() {
		id.Namespace = types.StringValue(api.Namespace())
	}
	if !objectName.MatchString(id.Name.ValueString()) || !objectName.MatchString(id.Namespace.ValueString()) {
		resp.Diagnostics.AddError(diagnose.SummaryInvalidImport, fmt.Sprintf(
			"%q is not a request. The import ID of a request is <namespace>/<name>, for example team-a/blue.",
			id.Namespace.ValueString()+"/"+id.Name.ValueString()))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("namespace"), id.Namespace)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("name"), id.Name)...)
}
