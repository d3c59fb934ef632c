package pool

import (
	"context"
	"sync"
	"time"
)

// looks are counts by every source there is, which the claims of a run share: one for all that wait when it is begun.
type looks struct {
	counter Counter
	loading joint

	mu     sync.Mutex
	counts Counts
	began  time.Time
}

// empty reports whether nothing is on an account now. A look that fails says no.
func (l *looks) empty(ctx context.Context, account string) bool {
	notBefore := time.Now()
	err := l.loading.do(ctx, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return !l.began.Before(notBefore)
	}, func(ctx context.Context) error {
		began := time.Now()
		counts, err := l.counter.Count(ctx)
		if err != nil {
			return err
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.counts, l.began = counts, began
		return nil
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	return err == nil && l.counts.on(account).Living() == 0
}
