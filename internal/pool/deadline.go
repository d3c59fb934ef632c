package pool

import (
	"context"
	"errors"
	"time"
)

// checkTimeout bounds what is done about a write of unknown outcome, or about a fence that stands, when the caller has
// given up meanwhile: somebody has to find out what stands.
const checkTimeout = 10 * time.Second

// endOf is the key under which a context carries the caller's own deadline.
type endOf struct{}

// within keeps a part of the caller's time back for such a check, so that the call ends by the caller's deadline even
// then: up to checkTimeout, at most a quarter.
func within(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	reserve := min(checkTimeout, time.Until(end)/4)
	return context.WithDeadline(context.WithValue(ctx, endOf{}, end), end.Add(-reserve))
}

// detached is the context of the check itself. Whoever was interrupted gets checkTimeout; whoever ran out of time gets
// what within kept back.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	end := time.Now().Add(checkTimeout)
	if last, ok := ctx.Value(endOf{}).(time.Time); ok && errors.Is(ctx.Err(), context.DeadlineExceeded) && last.Before(end) {
		end = last
	}
	return context.WithDeadline(context.WithoutCancel(ctx), end)
}
