package requests

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/api"
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

// ProgressPause is the pause between two reads of what a scheduler has done.
const ProgressPause = time.Second

// progress is what a scheduler was seen to do with the requests of a namespace, for all that wait for it. Its zero value is ready.
type progress struct {
	mu     sync.Mutex
	looked time.Time
	moved  time.Time // when it was seen to have done something
	seen   map[types.UID]bool
}

// progress is what a scheduler was seen to do with the requests of a namespace.
func (o *Operator) progress(namespace string) *progress {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.works[namespace] == nil {
		o.works[namespace] = &progress{}
	}
	return o.works[namespace]
}

// since returns when the scheduler has last done something; the zero value where it was not seen to.
func (p *progress) since(requests *api.RequestKind) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.looked) < ProgressPause/2 { // another that waits has just read it
		return p.moved
	}
	seen, news := map[types.UID]bool{}, false
	whole := requests.Seen(func(r *api.ClusterRequest) {
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
func (t *tenancies) since(ctx context.Context, clusters *api.ClusterKind, period time.Duration) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Since(t.tried) < period {
		return t.moved
	}
	all, _, err := clusters.List(ctx)
	t.tried, t.blind = time.Now(), nil // after the call: what waits for this read asks no server again that did not answer it
	if err != nil {
		if api.Reason(err) == kube.Forbidden {
			t.blind = err
		}
		return t.moved
	}
	seen, news := map[string]bool{}, false
	for _, c := range all {
		for _, uid := range api.Tenants(c) {
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

// ErrNotSeen is why a wait has ended for a request that no scheduler has seen.
var ErrNotSeen = errors.New("the request was not picked up")

// whileScheduling is a context that ends as soon as no request of the namespace was picked up or granted for a while, and no Cluster got a
// request of any other.
func (o *Operator) whileScheduling(
	ctx context.Context, requests *api.RequestKind, works *progress,
) (context.Context, context.CancelFunc) {
	within, end := context.WithCancelCause(ctx)
	patience := o.Patience
	last := time.Now()
	go func() {
		ticker := time.NewTicker(min(ProgressPause, patience))
		defer ticker.Stop()
		for {
			select {
			case <-within.Done():
				return
			case <-ticker.C:
			}
			last = latest(last, works.since(requests))
			if time.Since(last) > patience/3 {
				last = latest(last, o.tenancies.since(within, o.objects.Clusters, patience/3))
			}
			if time.Since(last) > patience {
				end(ErrNotSeen)
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
