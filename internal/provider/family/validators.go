package family

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/helpers/validatordiag"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
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

// Texts is a map of labels or annotations that a configuration sets. A null in it is refused: it would be sent as "", and would never be
// read back as null.
func Texts(description string, rules ...validator.Map) schema.MapAttribute {
	return schema.MapAttribute{
		Optional: true, ElementType: types.StringType, MarkdownDescription: description,
		Validators: append([]validator.Map{mapvalidator.NoNullValues()}, rules...),
	}
}

// Unreserved checks that labels or annotations of an object on the platform cluster have no key that others write, nor an operation that
// is carried out once. A key that ends with a slash means all that begin with it.
type Unreserved []string

func (u Unreserved) has(key string) bool {
	return slices.ContainsFunc(u, func(taken string) bool {
		return key == taken || strings.HasSuffix(taken, "/") && strings.HasPrefix(key, taken)
	})
}

// Description says which keys are taken.
func (u Unreserved) Description(context.Context) string {
	return "must not have the keys " + strings.Join(u, ", ")
}

// MarkdownDescription says which keys are taken.
func (u Unreserved) MarkdownDescription(ctx context.Context) string { return u.Description(ctx) }

// ValidateMap checks the keys.
func (u Unreserved) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	for key, value := range req.ConfigValue.Elements() {
		at := req.Path.AtMapKey(key)
		text, _ := value.(types.String)
		if u.has(key) {
			resp.Diagnostics.AddAttributeError(at, diagnose.SummaryReservedKey, fmt.Sprintf("%s is written by the operator, or by this provider, "+
				"which go by it. Take it out of the configuration.", key))
		}
		if key == api.OperationAnnotation && !text.IsUnknown() && text.ValueString() != api.OperationIgnore {
			resp.Diagnostics.AddAttributeError(at, diagnose.SummaryReservedKey, fmt.Sprintf("%s: %s is carried out once, and taken away by the "+
				"controller: a configuration cannot have it, other than %s. To have a controller look again, write it by hand.",
				key, text.ValueString(), api.OperationIgnore))
		}
	}
}
