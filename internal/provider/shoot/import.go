package shoot

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// shootIdentity is what tells a cluster from all others, also outside of its state.
type shootIdentity struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
}

// IdentitySchema describes shootIdentity for `import { identity = { } }`.
func (r *shootResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"namespace": identityschema.StringAttribute{OptionalForImport: true,
			Description: "The namespace of the Gardener project. Default: the provider's; another one is an error."},
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: "The name of the Shoot."},
	}}
}

func identityOf(namespace string, name types.String) shootIdentity {
	return shootIdentity{Namespace: types.StringValue(namespace), Name: name}
}

// shootName is how a Shoot may be called, nameRule says it.
var shootName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)

const nameRule = "must be small letters, digits and -, with a letter or a digit at both ends"

// ImportState takes an identity, the name of a Shoot, or <namespace>/<name> as the attribute id has it; Read does the rest.
func (r *shootResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	var id shootIdentity
	if req.ID == "" {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &id)...)
	} else if namespace, name, both := strings.Cut(req.ID, "/"); both {
		id = identityOf(namespace, types.StringValue(name))
	} else {
		id.Name = types.StringValue(req.ID)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if name := id.Name.ValueString(); !shootName.MatchString(name) {
		resp.Diagnostics.AddError(diagnose.SummaryInvalidImport, fmt.Sprintf(
			"%q is not the name of a Shoot. The import ID of a cluster is its name, for example blue.", name))
		return
	}
	if all, err := r.backend.Shoots(); err == nil && !id.Namespace.IsNull() && id.Namespace.ValueString() != all.Namespace() {
		elsewhere := &backend.ShootElsewhereError{What: "namespace", Shoot: id.Namespace.ValueString(), Provider: all.Namespace()}
		diagnose.Report(&resp.Diagnostics, r.backend.Attempt("Importing cluster %s", id.Name.ValueString()), elsewhere)
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, namePath, id.Name)...)
}
