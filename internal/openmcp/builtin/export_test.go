package builtin

import (
	"context"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// GrantWithoutStatus grants a request as a run does that is cut short before it writes the status.
func (s *Scheduler) GrantWithoutStatus(ctx context.Context, r *api.ClusterRequest) error {
	asked, err := ADRRequestOf(r)
	if err != nil {
		return err
	}
	_, _, err = s.grant(ctx, r, asked, time.Now())
	return err
}

// Busy has the built-in scheduler work for another request of this process, until the returned function is called.
func (s *Scheduler) Busy(ctx context.Context) (done func(), err error) {
	return s.turn.pass, s.turn.take(ctx)
}
