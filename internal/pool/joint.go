package pool

import (
	"context"
	"errors"
	"sync"
	"time"
)

// answerSlack is how long somebody whose time is over waits for what the attempt ends with: it was begun by somebody
// whose time ends with his, and it knows the cause.
const answerSlack = 500 * time.Millisecond

// joint lets however many want the same thing at the same time share one attempt at it.
type joint struct {
	mu     sync.Mutex
	under  chan struct{} // closed when the attempt under way ends; nil = none
	err    error         // how the last one ended
	gaveUp bool          // it ended because its caller gave up
}

// do returns once it is settled: by itself, or by an attempt, its own or somebody else's. It shares the failure of an
// attempt too, except where only somebody else's patience has ended.
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

// late is for somebody whose time is over.
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
