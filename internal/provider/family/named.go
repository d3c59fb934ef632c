package family

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// objectName is how an object of Kubernetes may be called, nameRule says it.
var objectName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$`)

const nameRule = "must be small letters, digits, - and ., with a letter or a digit at both ends"

// The longest names of namespaces, and of objects in them.
const (
	LongestNamespace = 63
	LongestName      = 253
)

// NameRules are the rules for the name of an object of at most so many characters.
func NameRules(most int) []validator.String {
	return []validator.String{stringvalidator.LengthBetween(1, most), stringvalidator.RegexMatches(objectName, nameRule)}
}

// Named is the identity of an object in a namespace of the platform cluster.
type Named struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
}

// NamedSchema describes [Named] for `import { identity = { } }`.
func NamedSchema(kind string) identityschema.Schema {
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"namespace": identityschema.StringAttribute{OptionalForImport: true,
			Description: "The namespace of the " + kind + " on the platform cluster. Default: the provider's platform.namespace."},
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: "The name of the " + kind + "."},
	}}
}

// ImportNamed takes an identity or <namespace>/<name>; a name alone is one in the provider's namespace. Read does the rest.
func ImportNamed(
	ctx context.Context, platform *backend.Platform, kind string, req resource.ImportStateRequest, resp *resource.ImportStateResponse,
) {
	var id Named
	if req.ID == "" {
		resp.Diagnostics.Append(req.Identity.Get(ctx, &id)...)
	} else if namespace, name, both := strings.Cut(req.ID, "/"); both {
		id = Named{types.StringValue(namespace), types.StringValue(name)}
	} else {
		id.Name = types.StringValue(req.ID)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	api, err := platform.API()
	if err != nil { // also where settings are known only after an apply: there is nothing to read yet
		diagnose.Report(&resp.Diagnostics, platform.Attempt("Importing %s %s", kind, id.Name.ValueString()), err)
		return
	}
	if id.Namespace.IsNull() {
		id.Namespace = types.StringValue(api.Namespace())
	}
	if !objectName.MatchString(id.Name.ValueString()) || !objectName.MatchString(id.Namespace.ValueString()) {
		resp.Diagnostics.AddError(diagnose.SummaryInvalidImport, fmt.Sprintf(
			"%q is no %s. The import ID of a %s is <namespace>/<name>, for example team-a/blue.",
			id.Namespace.ValueString()+"/"+id.Name.ValueString(), kind, kind))
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("namespace"), id.Namespace)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("name"), id.Name)...)
}
