package family

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
)

// GardenerCheck is what Gardener is to check by a dry run, before it is written.
type GardenerCheck struct {
	Type    string // of the resource, such as hap_shoot
	Attempt string // what is tried, for a message
	// Unchecked is what comes of it where Gardener cannot be asked.
	Unchecked string
	Ask       func(context.Context) error
	// Refuse reports a refusal.
	Refuse func(error)
}

// Run has Gardener check, and returns whether nothing is refused. A check that was not made is a warning, once in a run for each type.
func (c GardenerCheck) Run(ctx context.Context, b *backend.Backend, diags *diag.Diagnostics) bool {
	err := b.Previews.Try(ctx, connection.AskedGardener, c.Ask)
	switch {
	case connection.RefusesShoot(err):
		c.Refuse(err)
		return false
	case connection.Unlooked(err) && b.Ledger.First(diagnose.SummaryShootUnchecked, c.Type):
		diags.AddWarning(diagnose.SummaryShootUnchecked, fmt.Sprintf("%s: %s. %s", c.Attempt, diagnose.Explain(err).Brief, c.Unchecked))
	}
	return true
}
