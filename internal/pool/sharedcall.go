package pool

import (
	"context"
	"errors"
	"sync"
	"time"
)

// answerSlack is how long a caller whose deadline is over waits for the end of the shared attempt: the caller that began it
// has much the same deadline, and the attempt knows what the server answered last.
const answerSlack = 500 * time.Millisecond

// sharedCall lets callers that want the same thing at the same time share one attempt at it. An attempt runs in the context
// of the caller that began it: it ends with that caller, and the others go on with an attempt of their own. singleflight
// needs a detached context for that. Its requests would go on after Ctrl-C, and a caller whose time is over would not learn
// what the server answered last, which only the context of a caller makes the attempt say in time.
type sharedCall struct {
	mu      sync.Mutex
	running *attempt // nil = none
}

// attempt is one call on its way. What it holds may be read when done is closed.
type attempt struct {
	done   chan struct{}
	err    error
	gaveUp bool // its caller has given up
}

// do returns once the call is settled: by itself, or by an attempt of this caller or of another. It shares the failure of
// an attempt too, except where the other caller has given up.
func (c *sharedCall) do(ctx context.Context, settled func() bool, call func(context.Context) error) error {
	for {
		c.mu.Lock()
		if settled() {
			c.mu.Unlock()
			return nil
		}
		other := c.running
		if other == nil {
			own := &attempt{done: make(chan struct{})}
			c.running = own
			c.mu.Unlock()
			return c.run(ctx, own, call)
		}
		c.mu.Unlock()
		select {
		case <-other.done:
			if other.err != nil && !other.gaveUp && !settled() { // an attempt that wanted more may have got so far
				return other.err
			}
		case <-ctx.Done():
			return other.late(ctx)
		}
	}
}

func (c *sharedCall) run(ctx context.Context, own *attempt, call func(context.Context) error) error {
	own.err = call(ctx)
	own.gaveUp = ctx.Err() != nil
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = nil
	close(own.done)
	return own.err
}

// late ends the wait of a caller whose time is over.
func (a *attempt) late(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return context.Cause(ctx)
	}
	select {
	case <-a.done:
		return errors.Join(context.Cause(ctx), a.err)
	case <-time.After(answerSlack):
		return context.Cause(ctx)
	}
}

// sharedAnswer is the newest answer to a question that several callers ask. Its zero value is ready. Whether a question was asked after a
// moment is known by its number: what a clock says of two moments may be the same.
type sharedAnswer[T any] struct {
	call   sharedCall
	gather func(context.Context) // waits before a question is asked, for those that it can serve, too; nil = it is asked at once

	mu     sync.Mutex
	asked  int // how often
	number int // of the question that the answer is to; 0 = there is none
	answer T
}

// moment is now, for [sharedAnswer.after]. The moment 0 is before all.
func (s *sharedAnswer[T]) moment() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// after returns an answer to a question that was asked after a moment.
func (s *sharedAnswer[T]) after(ctx context.Context, moment int, ask func(context.Context) (T, error)) (T, error) {
	err := s.call.do(ctx, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.number > moment
	}, func(ctx context.Context) error {
		if s.gather != nil {
			s.gather(ctx)
		}
		s.mu.Lock()
		s.asked++
		number := s.asked
		s.mu.Unlock()
		answer, err := ask(ctx)
		if err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.answer, s.number = answer, number
		return nil
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answer, err
}
