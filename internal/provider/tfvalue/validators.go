package tfvalue

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Duration checks that a text is a duration within bounds.
//
// The type GoDuration of terraform-plugin-framework-timetypes has no bounds, is not allowed in the attribute timeouts of
// terraform-plugin-framework-timeouts, and refuses a text before any validator, with a summary of its own and a message
// that shows "\n\n" as these four characters (v0.5.0).
type Duration struct {
	What                string        // how the message calls it
	Least, Most         time.Duration // the bounds; both are allowed
	Summary, ForExample string        // the summary of the error, and the end of its message
}

// Description gives the bounds.
func (d Duration) Description(context.Context) string {
	return fmt.Sprintf("must be a duration from %s to %s, e.g. %s", d.Least, d.Most, d.ForExample)
}

// MarkdownDescription gives the bounds.
func (d Duration) MarkdownDescription(ctx context.Context) string { return d.Description(ctx) }

// ValidateString checks a value that is known.
func (d Duration) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	text := req.ConfigValue.ValueString()
	if v, err := time.ParseDuration(text); err != nil || v < d.Least || v > d.Most {
		resp.Diagnostics.AddAttributeError(req.Path, d.Summary, fmt.Sprintf("%q is not usable: the %s %s.", text, d.What, d.Description(ctx)))
	}
}

// DurationOf reads a duration that was checked; where there is none, or none is known yet, the preset counts.
func DurationOf(value types.String, preset time.Duration) time.Duration {
	if d, err := time.ParseDuration(value.ValueString()); err == nil {
		return d
	}
	return preset
}

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
			fmt.Sprintf("%s %q is not a valid label value: %s. Write it exactly as the accounts carry it.", v.What, value, err))
	}
}
