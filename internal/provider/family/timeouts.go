package family

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// The bounds of a timeout.
const (
	minTimeout = time.Second
	maxTimeout = 24 * time.Hour
)

// Timeouts is the usual attribute timeouts, described by operation; what is wrong in it is reported with its name, and a timeout
// has bounds.
func Timeouts(ctx context.Context, meanings map[string]string) schema.Attribute {
	all, ok := timeouts.AttributesAll(ctx).(schema.SingleNestedAttribute)
	if !ok {
		return timeouts.AttributesAll(ctx)
	}
	for name, attribute := range all.Attributes {
		if text, ok := attribute.(schema.StringAttribute); ok {
			text.MarkdownDescription = meanings[name]
			text.Validators = []validator.String{tfvalue.Duration{What: "timeouts." + name, Least: minTimeout, Most: maxTimeout,
				Summary: diagnose.SummaryInvalidTimeout, ForExample: "90s or 5m"}}
			all.Attributes[name] = text
		}
	}
	return all
}

// TimeOverError says which of the timeouts has ended an operation. It is a [context.DeadlineExceeded].
type TimeOverError struct{ Attribute string }

func (e *TimeOverError) Error() string { return "the time is over: " + e.Attribute }

// Unwrap returns what ends a context.
func (e *TimeOverError) Unwrap() error { return context.DeadlineExceeded }

// boundedBy bounds an operation, such as "create", by its attribute in timeouts, where there is none by the preset. A wait comes on top.
func boundedBy(
	ctx context.Context, diags *diag.Diagnostics, operation string,
	configured func(context.Context, time.Duration) (time.Duration, diag.Diagnostics), preset, wait time.Duration,
) (context.Context, context.CancelFunc) {
	timeout, faults := configured(ctx, preset)
	diags.Append(faults...)
	return context.WithTimeoutCause(ctx, timeout+wait, &TimeOverError{"timeouts." + operation})
}
