package builtin

import (
	"context"
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
)

// turn lets one after the other do something, as a mutex does, and whose wait heeds its context.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

// take waits for the turn; pass ends it.
func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t turn) pass() { <-t }

// TurnError says that the time of a request was over before the built-in scheduler came to it: it works for one request of a run after the
// other.
type TurnError struct {
	api.Ref
	Leaving bool  // it is being deleted, and has to leave its Cluster
	Err     error // why it was not waited for any longer
}

func (e *TurnError) Error() string {
	if e.Leaving {
		return fmt.Sprintf("ClusterRequest %s is being deleted, and was not taken off its Cluster: the built-in scheduler was busy with other "+
			"requests of this run (%s)", e.Ref, api.Ended(e.Err))
	}
	return fmt.Sprintf("ClusterRequest %s was not decided on: the built-in scheduler was busy with other requests of this run (%s)", e.Ref,
		api.Ended(e.Err))
}

// Unwrap returns why it was not waited for any longer.
func (e *TurnError) Unwrap() error { return e.Err }
