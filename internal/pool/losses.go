package pool

import (
	"context"
	"errors"
	"time"
)

const (
	// maxLost is how many answers to its writes one call may lose before it gives up.
	maxLost = 8
	// firstPause is how long it waits after the second of them; each further pause is twice as long.
	firstPause = 50 * time.Millisecond
)

// losses are the answers that one call has lost. A server that fails each write is given time, and not for ever.
type losses int

// pause waits before the account is judged again; an error says that there was too much of it.
func (l *losses) pause(ctx context.Context, lost error) error {
	*l++
	switch {
	case *l >= maxLost:
		return lost
	case *l == 1:
		return nil
	}
	select {
	case <-time.After(firstPause << (*l - 2)):
		return nil
	case <-ctx.Done():
		return errors.Join(lost, context.Cause(ctx))
	}
}
