package openmcp

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
)

// SchedulerTime is how long a scheduler may do nothing at all before it counts as absent. One that works may have many requests before
// this one, also of other namespaces: a single worker of the operator takes about a second for each, for its client sends five requests
// a second of each kind.
const SchedulerTime = 30 * time.Second

// GrantTime is how long a scheduler may take to grant a request that it has seen: the operator does both at once, or says nothing.
const GrantTime = 5 * time.Minute

// UnusedPurposeTime is how long a scheduler may take to grant a request that it has seen, where no Cluster has the purpose of the request
// and no other request was granted with it: the purpose may be mistyped. A Cluster that gets the purpose meanwhile gives the request all
// of [GrantTime].
const UnusedPurposeTime = 30 * time.Second

// progressPause is the pause between two reads of what a scheduler has done.
const progressPause = time.Second

// progress is what a scheduler was seen to do with the requests of a namespace, for all that wait for it. Its zero value is ready.
type progress struct {
	patience time.Duration // 0 = SchedulerTime
	longest  time.Duration // that a grant takes; 0 = GrantTime
	unused   time.Duration // that a grant takes whose purpose is not in use; 0 = UnusedPurposeTime

	mu     sync.Mutex
	looked time.Time
	moved  time.Time // when it was seen to have done something
	seen   map[types.UID]bool
}

// since returns when the scheduler has last done something; the zero value where it was not seen to.
func (p *progress) since(requests *kind[RequestSpec, RequestStatus]) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.looked) < progressPause/2 { // another that waits has just read it
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
	if news && p.seen != nil { // the first read finds what was done before
		p.moved = time.Now()
	}
	p.looked, p.seen = time.Now(), seen
	return p.moved
}

// tenancies is what a scheduler was seen to do with the Clusters, which distinguishes one that is busy with other namespaces from one that
// is absent: each request that it grants holds a Cluster. Its zero value is ready.
type tenancies struct {
	mu     sync.Mutex
	tried  time.Time // also where the read failed: a missing right is not tried in each second
	blind  error     // that the last read was not allowed
	looked time.Time
	moved  time.Time // when a request was seen to hold a Cluster that it did not hold at the read before
	seen   map[string]bool
}

// since returns when the scheduler was last seen to have granted anything; the zero value where it was not seen to, or where the rights
// do not show it. It reads at most once in each period, and compares with the read before only where that is younger than three.
func (t *tenancies) since(ctx context.Context, clusters *kind[ClusterSpec, ClusterStatus], period time.Duration) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.tried) < period {
		return t.moved
	}
	all, _, err := clusters.list(ctx)
	t.tried, t.blind = time.Now(), nil // behind the call: what waits for this read asks no server again that did not answer it
	if err != nil {
		if reason(err) == kube.Forbidden {
			t.blind = err
		}
		return t.moved
	}
	seen, news := map[string]bool{}, false
	for _, c := range all {
		for _, uid := range Tenants(c) {
			seen[uid] = true
			news = news || !t.seen[uid]
		}
	}
	if news && time.Since(t.looked) < 3*period {
		t.moved = time.Now()
	}
	t.looked, t.seen = time.Now(), seen
	return t.moved
}

// unseen returns that the last read was not allowed; nil = it was.
func (t *tenancies) unseen() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.blind
}

var errNotSeen = errors.New("the request was not picked up")

// whileScheduling is a context that ends as soon as no request of the namespace was picked up or granted for a while, and no Cluster got a
// request of any other.
func (p *Platform) whileScheduling(
	ctx context.Context, requests *kind[RequestSpec, RequestStatus],
) (context.Context, context.CancelFunc) {
	within, end := context.WithCancelCause(ctx)
	patience := cmp.Or(requests.progress.patience, SchedulerTime)
	last := time.Now()
	go func() {
		ticker := time.NewTicker(min(progressPause, patience))
		defer ticker.Stop()
		for {
			select {
			case <-within.Done():
				return
			case <-ticker.C:
			}
			last = latest(last, requests.progress.since(requests))
			if time.Since(last) > patience/3 {
				last = latest(last, p.tenancies.since(within, p.clusters, patience/3))
			}
			if time.Since(last) > patience {
				end(errNotSeen)
				return
			}
		}
	}()
	return within, func() { end(context.Canceled) }
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
