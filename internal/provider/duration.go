package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// duration checks that a text is a duration within bounds.
type duration struct {
	what       string // as it is called in the message
	least      time.Duration
	most       time.Duration
	summary    string
	forExample string
}

func (d duration) Description(context.Context) string {
	return fmt.Sprintf("must be a duration from %s to %s, e.g. %s", d.least, d.most, d.forExample)
}

func (d duration) MarkdownDescription(ctx context.Context) string { return d.Description(ctx) }

func (d duration) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if v, err := time.ParseDuration(req.ConfigValue.ValueString()); err != nil || v < d.least || v > d.most {
		resp.Diagnostics.AddAttributeError(req.Path, d.summary, fmt.Sprintf("%q is not usable: the %s %s.", req.ConfigValue.ValueString(), d.what, d.Description(ctx)))
	}
}

// durationOf reads a duration that was checked; 0 where there is none.
func durationOf(value types.String) time.Duration {
	d, _ := time.ParseDuration(value.ValueString())
	return d
}
