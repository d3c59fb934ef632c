package pool

import (
	"context"
	"errors"
	"sync"
	"time"
)

// checkTimeout bounds what is done about a write of unknown outcome, or about a fence that stands, when the caller has
// given up meanwhile: somebody has to find out what stands.
const checkTimeout = 10 * time.Second

// tail is the time for that, once per call.
type tail struct {
	begin  sync.Once
	caller context.Context //nolint:containedctx // it says until when the caller waits
	ctx    context.Context //nolint:containedctx // begun at the first need of it
	cancel context.CancelFunc
}

// tailOf is the key under which the context of a call carries its tail.
type tailOf struct{}

// within keeps a part of the caller's time back for the tail, so that the call ends by the caller's deadline even then:
// up to checkTimeout, at most a quarter.
func within(ctx context.Context) (context.Context, context.CancelFunc) {
	t := &tail{caller: ctx, cancel: func() {}}
	work, cancel := context.WithCancel(ctx)
	if end, ok := ctx.Deadline(); ok {
		work, cancel = context.WithDeadline(ctx, end.Add(-min(checkTimeout, time.Until(end)/4)))
	}
	return context.WithValue(work, tailOf{}, t), func() { cancel(); t.cancel() }
}

// lasting returns the context of a call for as long as it lasts, and then its tail. Whoever was interrupted gets
// checkTimeout; whoever ran out of time gets what within kept back.
func lasting(ctx context.Context) context.Context {
	t, ok := ctx.Value(tailOf{}).(*tail)
	if ctx.Err() == nil || !ok {
		return ctx
	}
	t.begin.Do(func() {
		end := time.Now().Add(checkTimeout)
		if last, limited := t.caller.Deadline(); limited && last.Before(end) && !errors.Is(t.caller.Err(), context.Canceled) {
			end = last
		}
		t.ctx, t.cancel = context.WithDeadline(context.WithoutCancel(ctx), end)
	})
	return t.ctx
}
