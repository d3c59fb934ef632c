package pool

import (
	"context"
	"errors"
	"sync"
	"time"
)

// answerSlack is how long a caller whose deadline is over waits for the end of the attempt: the caller that began it has much
// the same deadline, and the attempt knows what stood in its way.
const answerSlack = 500 * time.Millisecond

// joint is a shared call: callers that want the same thing at the same time share one attempt at it. singleflight does not
// do: an attempt that ended because its first caller gave up must not end the others, and it has to end with its last one.
type joint struct {
	mu     sync.Mutex
	under  chan struct{} // closed when the attempt under way ends; nil = none
	err    error         // how the last one ended
	gaveUp bool          // it ended because its caller gave up
}

// do returns once it is settled: by itself, or by an attempt of this caller or of another. It shares the failure of an
// attempt too, except where the other caller has given up.
func (t *joint) do(ctx context.Context, settled func() bool, attempt func(context.Context) error) error {
	for {
		t.mu.Lock()
		if settled() {
			t.mu.Unlock()
			return nil
		}
		wait := t.under
		if wait == nil {
			t.under = make(chan struct{})
			t.mu.Unlock()
			return t.try(ctx, attempt)
		}
		t.mu.Unlock()
		select {
		case <-wait:
			if err, gaveUp := t.last(); err != nil && !gaveUp {
				return err
			}
		case <-ctx.Done():
			return t.late(ctx, wait)
		}
	}
}

func (t *joint) try(ctx context.Context, attempt func(context.Context) error) error {
	err := attempt(ctx)
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.under)
	t.under, t.err, t.gaveUp = nil, err, ctx.Err() != nil
	return err
}

func (t *joint) last() (err error, gaveUp bool) { //nolint:revive // the error is a value here
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err, t.gaveUp
}

// late ends the call of a caller whose time is over.
func (t *joint) late(ctx context.Context, wait <-chan struct{}) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return context.Cause(ctx)
	}
	select {
	case <-wait:
		err, _ := t.last()
		return errors.Join(context.Cause(ctx), err)
	case <-time.After(answerSlack):
		return context.Cause(ctx)
	}
}
