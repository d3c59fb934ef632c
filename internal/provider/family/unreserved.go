package family

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// Unreserved checks that labels or annotations of an object on the platform cluster have no key that others write, nor an operation that
// is carried out once. A key that ends with a slash stands for all that begin with it.
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
				"controller: it cannot stand in a configuration, other than %s. To have a controller look again, write it by hand.",
				key, text.ValueString(), api.OperationIgnore))
		}
	}
}
