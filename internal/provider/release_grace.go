package provider

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

const (
	// defaultGrace bridges the time between a broker's choice of an account and the Shoot that it creates there.
	defaultGrace = time.Minute
	maxGrace     = time.Hour
)

// graceTime checks the grace time of a release.
var graceTime = duration{"grace time of a release", 0, maxGrace, summaryInvalidGrace, "90s or 5m"}

// graceFrom reads release_grace; while it is unknown the default stands.
func graceFrom(value types.String) time.Duration {
	if d, err := time.ParseDuration(value.ValueString()); err == nil {
		return d
	}
	return defaultGrace
}
