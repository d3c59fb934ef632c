package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// pollInterval is the time between two tries.
const pollInterval = 25 * time.Millisecond

// final marks an error that trying again cannot cure.
type final struct{ error }

func (f final) Unwrap() error { return f.error }

// StopPolling marks an error of a condition that trying again cannot cure; [Poll] returns it at once.
func StopPolling(err error) error { return final{err} }

// Poll calls condition until it returns no error, an error marked by [StopPolling], or the time is up; then the last
// error says what was still missing.
func Poll(ctx context.Context, timeout time.Duration, condition func(context.Context) error) error {
	var last error
	var stop final
	err := wait.PollUntilContextTimeout(ctx, pollInterval, timeout, true, func(ctx context.Context) (bool, error) {
		err := condition(ctx)
		switch {
		case errors.As(err, &stop):
			return false, stop.error
		case err != nil && (ctx.Err() == nil || last == nil):
			last = err // after the deadline every error only says "deadline exceeded"
		}
		return err == nil, nil
	})
	if err != nil && stop.error == nil && last != nil {
		return fmt.Errorf("gave up waiting (%w): %w", err, last)
	}
	return err
}
