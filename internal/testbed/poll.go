package testbed

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// final marks an error that trying again cannot cure.
type final struct{ error }

func (f final) Unwrap() error { return f.error }

func stopPolling(err error) error { return final{err} }

// poll calls condition until it returns no error, an error marked by stopPolling, or the time is up;
// then the last error says what was still missing.
func poll(ctx context.Context, timeout time.Duration, condition func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	var last error
	for {
		err := condition(ctx)
		var stop final
		switch {
		case err == nil:
			return nil
		case errors.As(err, &stop):
			return stop.error
		case ctx.Err() == nil || last == nil:
			last = err // after the deadline every error only says "deadline exceeded"
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("gave up waiting (%w): %w", ctx.Err(), last)
		case <-ticker.C:
		}
	}
}
