package journal

import (
	"context"

	"github.com/hap-project/terraform-provider-hap/internal/shoots"
)

// shootJournal is the log of what becomes of clusters.
var shootJournal = newJournal(logShoots)

// LogShoot notes what was done with a cluster.
func LogShoot(ctx context.Context, what, name string, err error) {
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
