package family

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/helpers/validatordiag"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// ObjectName is the rule for the name of an object of Kubernetes, LabelName that for the name of a namespace, or of an object whose name
// has no dots.
var (
	ObjectName validator.String = nameRule{kube.IsName, kube.NameRule}
	LabelName  validator.String = nameRule{kube.IsLabelName, kube.LabelRule}
)

// nameRule checks a name as the API server does.
type nameRule struct {
	holds func(string) bool
	says  string
}

func (r nameRule) Description(context.Context) string { return r.says }

func (r nameRule) MarkdownDescription(context.Context) string { return r.says }

// ValidateString implements [validator.String].
func (r nameRule) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || r.holds(req.ConfigValue.ValueString()) {
		return
	}
	resp.Diagnostics.Append(validatordiag.InvalidAttributeValueMatchDiagnostic(req.Path, r.says, req.ConfigValue.ValueString()))
}

// NamedSchema describes the identity of an object in a namespace of the platform cluster, for `import { identity = { } }`.
func NamedSchema(kind string) identityschema.Schema {
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"namespace": identityschema.StringAttribute{OptionalForImport: true,
			Description: "The namespace of the " + kind + " on the platform cluster. Default: the provider's platform.namespace."},
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: "The name of the " + kind + "."},
	}}
}
