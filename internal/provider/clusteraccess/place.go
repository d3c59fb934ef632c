package clusteraccess

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

// accessIdentity is what tells an AccessRequest from all others, also outside of its state.
type accessIdentity struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
}

// IdentitySchema describes accessIdentity for `import { identity = { } }`.
func (r *accessResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"namespace": identityschema.StringAttribute{OptionalForImport: true,
			Description: "The namespace of the AccessRequest on the platform cluster. Default: the provider's platform.namespace."},
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: "The name of the AccessRequest."},
	}}
}

// ImportState takes an identity or <namespace>/<name>; a name alone is one in the provider's namespace. Read does the rest.
func (r *accessResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	var id accessIdentity
	if req.ID == "" {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &id)...)
	} else if of, whole := parsed(req.ID); whole {
		id = accessIdentity{types.StringValue(of.Namespace), types.StringValue(of.Name)}
	} else {
		id.Name = types.StringValue(req.ID)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	api, err := r.backend.OpenMCP.API()
	if err != nil { // also where settings are known only after an apply: there is nothing to read yet
		diagnose.Report(&resp.Diagnostics, r.backend.OpenMCP.Attempt("Importing access %s", id.Name.ValueString()), err)
		return
	}
	if id.Namespace.IsNull() {
		id.Namespace = types.StringValue(api.Namespace())
	}
	if !objectName.MatchString(id.Name.ValueString()) || !objectName.MatchString(id.Namespace.ValueString()) {
		resp.Diagnostics.AddError(diagnose.SummaryInvalidImport, fmt.Sprintf(
			"%q is no access. The import ID of an access is <namespace>/<name> of its AccessRequest, for example team-a/deploy.",
			id.Namespace.ValueString()+"/"+id.Name.ValueString()))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("namespace"), id.Namespace)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("name"), id.Name)...)
}

// parsed takes an ID apart; whole = it has a namespace.
func parsed(id string) (of openmcp.Ref, whole bool) {
	namespace, name, whole := strings.Cut(id, "/")
	return openmcp.Ref{Namespace: namespace, Name: name}, whole
}

// place says where an AccessRequest was seen last.
type place struct {
	Server string `json:"server"`          // the API server of the platform cluster
	Moved  bool   `json:"moved,omitempty"` // its request has another Cluster by now
}

// stored is where Terraform keeps an AccessRequest.
type stored family.Stored

// set keeps what the user sees, the identity, and the place.
func (s stored) set(ctx context.Context, m accessModel, p place) diag.Diagnostics {
	return family.Stored(s).Set(ctx, &m, accessIdentity{m.Namespace, m.Name}, p)
}
