package tfvalue

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// duration checks that a text is a duration within bounds.
type Duration struct {
	What       string // as it is called in the message
	Least      time.Duration
	Most       time.Duration
	Summary    string
	ForExample string
}

func (d Duration) Description(context.Context) string {
	return fmt.Sprintf("must be a duration from %s to %s, e.g. %s", d.Least, d.Most, d.ForExample)
}

func (d Duration) MarkdownDescription(ctx context.Context) string { return d.Description(ctx) }

func (d Duration) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if v, err := time.ParseDuration(req.ConfigValue.ValueString()); err != nil || v < d.Least || v > d.Most {
		resp.Diagnostics.AddAttributeError(req.Path, d.Summary, fmt.Sprintf("%q is not usable: the %s %s.", req.ConfigValue.ValueString(), d.What, d.Description(ctx)))
	}
}

// durationOf reads a duration that was checked; 0 where there is none.
func DurationOf(value types.String) time.Duration {
	d, _ := time.ParseDuration(value.ValueString())
	return d
}
