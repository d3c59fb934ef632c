package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

const (
	// defaultGrace bridges the time between a broker's choice of an account and the Shoot that it creates there.
	defaultGrace = time.Minute
	maxGrace     = time.Hour
)

// graceTime checks a duration.
type graceTime struct{}

func (graceTime) Description(context.Context) string {
	return "must be a duration from 0s to " + maxGrace.String() + ", e.g. 90s or 5m"
}

func (v graceTime) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v graceTime) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if d, err := time.ParseDuration(req.ConfigValue.ValueString()); err != nil || d < 0 || d > maxGrace {
		resp.Diagnostics.AddAttributeError(req.Path, summaryInvalidGrace, fmt.Sprintf("%q is not usable: the grace time of a release %s.", req.ConfigValue.ValueString(), v.Description(ctx)))
	}
}

// graceFrom reads release_grace; while it is unknown the default stands.
func graceFrom(value types.String) time.Duration {
	if d, err := time.ParseDuration(value.ValueString()); err == nil {
		return d
	}
	return defaultGrace
}
