package openmcp

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// SchedulerTime is how long a scheduler may do nothing at all before it counts as absent. One that works may have many requests before
// this one: a single worker of the operator takes up to a second for each.
const SchedulerTime = 30 * time.Second

// GrantTime is how long a scheduler may take to grant a request that it has seen: the operator does both at once, or says nothing.
const GrantTime = 5 * time.Minute

// progressPause is the pause between two looks at what a scheduler has done.
const progressPause = time.Second

// progress is what a scheduler was seen to do with the requests of a namespace, for all that wait for it. Its zero value is ready.
type progress struct {
	patience time.Duration // 0 = SchedulerTime
	longest  time.Duration // that a grant takes; 0 = GrantTime

	mu     sync.Mutex
	looked time.Time
	moved  time.Time // when it was seen to have done something
	seen   map[types.UID]bool
}

// since returns when the scheduler has last done something; the zero value where it was not seen to.
func (p *progress) since(requests *kind[RequestSpec, RequestStatus]) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.looked) < progressPause/2 { // another that waits has just looked
		return p.moved
	}
	seen, news := map[types.UID]bool{}, false
	whole := requests.watcher.Seen(func(r *ClusterRequest) {
		if isSeen(r) {
			seen[r.UID] = true
			news = news || !p.seen[r.UID]
		}
	})
	if !whole {
		return p.moved
	}
	if news && p.seen != nil { // the first look finds what was done before
		p.moved = time.Now()
	}
	p.looked, p.seen = time.Now(), seen
	return p.moved
}

var errNotSeen = errors.New("the request was not picked up")

// whileScheduling is a context that ends as soon as no request of the namespace was picked up or granted for a while.
func whileScheduling(ctx context.Context, requests *kind[RequestSpec, RequestStatus]) (context.Context, context.CancelFunc) {
	within, end := context.WithCancelCause(ctx)
	patience := cmp.Or(requests.progress.patience, SchedulerTime)
	begun := time.Now()
	go func() {
		ticker := time.NewTicker(min(progressPause, patience))
		defer ticker.Stop()
		for {
			select {
			case <-within.Done():
				return
			case <-ticker.C:
			}
			last := requests.progress.since(requests)
			if last.Before(begun) {
				last = begun
			}
			if time.Since(last) > patience {
				end(errNotSeen)
				return
			}
		}
	}()
	return within, func() { end(context.Canceled) }
}
