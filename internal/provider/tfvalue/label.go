package tfvalue

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// LabelValue checks a text that becomes the value of a label; it is never cut short and never sent if it is wrong.
type LabelValue struct {
	What, Summary string // how the message calls it, and the summary of the error
	Also          string // one more text that is taken; empty = there is none
}

// Description says which values a label may have.
func (v LabelValue) Description(context.Context) string {
	const rule = "the value of a Kubernetes label: at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends"
	if v.Also != "" {
		return fmt.Sprintf("must be %q or %s", v.Also, rule)
	}
	return "must be " + rule
}

// MarkdownDescription says which values a label may have.
func (v LabelValue) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString checks a value that is known.
func (v LabelValue) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || v.Also != "" && req.ConfigValue.ValueString() == v.Also {
		return
	}
	value := req.ConfigValue.ValueString()
	if err := account.CheckLabelValue(value); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, v.Summary,
			fmt.Sprintf("%s %q cannot stand in a label: %s. Write it exactly as the accounts carry it.", v.What, value, err))
	}
}
