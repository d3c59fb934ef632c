package pool

import (
	"context"
	"sync"
	"time"
)

// sightings are what those sources know that do not count for the limit: one look, which the claims of a run share.
type sightings struct {
	loading joint

	mu     sync.Mutex
	counts Counts
	began  time.Time
}

// SeesAll reports whether all sources that there are count: else a cluster that is on an account may not be counted.
func (p *Pool) SeesAll() bool {
	counting, ok := p.counter.(*Counting)
	return !ok || counting.unasked() == nil
}

// Sighted reports whether a source that does not count knows of a cluster on the account. What it knows is a minute old at
// most.
func (p *Pool) Sighted(ctx context.Context, account string) (bool, error) {
	if p.SeesAll() {
		return false, nil
	}
	counting, _ := p.counter.(*Counting)
	s, notBefore := &p.sightings, time.Now().Add(-viewAge)
	err := s.loading.do(ctx, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.began.After(notBefore)
	}, func(ctx context.Context) error {
		began := time.Now()
		counts, err := counting.unasked().Count(ctx)
		if err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.counts, s.began = counts, began
		return nil
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts.Clusters(account) > 0, err
}
