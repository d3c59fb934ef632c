package shoot

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/connection"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

// look is what a plan has the server check, and where it reports what comes back.
type look struct {
	resource *shootResource
	diags    *diag.Diagnostics
}

// askPool reads, and reports what an apply would meet: what is refused is an error already, and so are settings that lead nowhere; a read
// that failed is a warning. It returns whether Gardener is to be asked: neither after an error, nor where the server does not answer.
func (l look) askPool(ctx context.Context, attempt string, at func(context.Context) error) bool {
	err := l.resource.Backend.Previews.Try(ctx, connection.AskedPool, at)
	if l.refused(attempt, err) {
		return false
	}
	diagnose.ReportPoolUnlooked(l.diags, l.resource.Backend, "hap_shoot", attempt, err)
	return !connection.Unusable(err) && !errors.As(err, new(*account.UnreachableError))
}

// askGardener has Gardener check what an apply would send. A check that was not made is reported once in a run.
func (l look) askGardener(ctx context.Context, attempt string, at func(context.Context) error) {
	family.GardenerCheck{
		Type: "hap_shoot", Attempt: attempt, Ask: at, Refuse: func(err error) { l.refused(attempt, err) },
		Unchecked: "So this plan does not say whether Gardener takes the cluster, and further clusters of the plan may not have been checked " +
			"either. The apply has Gardener check them before anything is written. Run plan again to have it checked now.",
	}.Run(ctx, l.resource.Backend, l.diags)
}

// refused reports a refusal as an error.
func (l look) refused(attempt string, err error) bool {
	if !connection.RefusesShoot(err) {
		return false
	}
	diagnose.ReportAt(l.diags, accountPath, attempt, err)
	return true
}
