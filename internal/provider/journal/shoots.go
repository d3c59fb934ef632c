package journal

import (
	"context"
	"errors"
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// shootJournal is the log of what becomes of clusters.
var shootJournal = newJournal(logShoots)

// LogShoot notes what was done with a cluster. Of a refusal it logs the fields: what Gardener says of them quotes the template, in
// which there may be secrets.
func LogShoot(ctx context.Context, what, name string, err error) {
	if refused, ok := errors.AsType[*shoots.RefusedError](err); ok {
		err = fmt.Errorf("Gardener refuses the fields %q", refused.Fields()) //nolint:staticcheck // a name
	}
	shootJournal.tell(ctx, what, fields{"shoot": name}, err)
}

// TellShoot returns what notes each new state of a cluster that is waited for, at level info.
func TellShoot(ctx context.Context, name string) func(shoots.Status) {
	return func(s shoots.Status) {
		f := fields{"shoot": name, "percent": s.Percent}
		if troubles := s.Troubles(); len(troubles) > 0 {
			f["troubles"] = troubles
		}
		shootJournal.inform(ctx, s.String(), f)
	}
}
