package pool

import (
	"context"
	"sync"
	"time"
)

// cache holds the newest snapshot: one list and one count that the claims of a process share, kept up to date by the
// answers to its own writes. What others do meanwhile is caught by the precondition of each write.
type cache struct {
	store   Store
	counter Counter
	loading sharedCall // lists and counts

	mu      sync.Mutex
	newest  *snapshot
	pending map[string]string // account → key of the claim that is about to write it
	placed  placements        // the claims of this run
	warned  bool              // the doubts about a count have been returned
	changed chan struct{}     // closed and replaced whenever the snapshot or pending changes
}

const (
	// maxAge is how old a list and a count may be when a call begins. A run can take long, and what the broker does
	// meanwhile counts for the limit.
	maxAge = time.Minute
	// maxFreeAge is how old the list may be by which a free account is taken. The broker, or another run, may have claimed
	// for the same Global Account since, and a list that does not show it leads to a second account.
	// Nor does an older list, or an older count, refuse a claim.
	maxFreeAge = 2 * time.Second
)

func newCache(store Store, counter Counter) *cache {
	return &cache{
		store: store, counter: counter, newest: &snapshot{list: &index{}},
		pending: map[string]string{}, placed: placements{}, changed: make(chan struct{}),
	}
}

// snapshot returns what is known now.
func (c *cache) snapshot() *snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.newest
}

// update replaces the snapshot.
func (c *cache) update(next func(*snapshot) *snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.newest = next(c.newest)
	c.notify()
}

func (c *cache) notify() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// recent returns a snapshot whose list and count are not older than maxAge.
func (c *cache) recent(ctx context.Context) (*snapshot, error) {
	return c.load(ctx, time.Now().Add(-maxAge))
}

// recentList returns a snapshot whose list is not older than maxAge, for what is asked of the accounts alone: it costs no count,
// and a count that fails does not stop it.
func (c *cache) recentList(ctx context.Context) (*snapshot, error) {
	err := c.relist(ctx, time.Now().Add(-maxAge))
	return c.snapshot(), err
}

// load returns a snapshot whose list and count were begun at or after notBefore.
func (c *cache) load(ctx context.Context, notBefore time.Time) (*snapshot, error) {
	err := c.loading.do(ctx, func() bool {
		s := c.snapshot()
		return !s.counted.IsZero() && !s.counted.Before(notBefore)
	}, func(ctx context.Context) error { return c.fetch(ctx, c.counter.Count) })
	return c.snapshot(), err
}

// relist makes sure that there is a list which was begun at or after notBefore; the count stays.
func (c *cache) relist(ctx context.Context, notBefore time.Time) error {
	return c.loading.do(ctx, func() bool {
		return !c.snapshot().listed.Before(notBefore)
	}, func(ctx context.Context) error { return c.fetch(ctx, nil) })
}

// fetch lists, and counts where a count is wanted. A list stands although its count has failed.
func (c *cache) fetch(ctx context.Context, count func(context.Context) (Counts, error)) error {
	began, begun := time.Now(), c.snapshot()
	accounts, err := c.store.List(ctx)
	if err != nil {
		return err
	}
	arrived := time.Now()
	var counts Counts
	if count != nil {
		counts, err = count(ctx)
	}
	c.update(func(s *snapshot) *snapshot {
		next := s.withList(accounts, begun)
		next.listed, next.arrived = began, arrived
		if count != nil && err == nil {
			next.counts, next.counted = counts, began
			c.placed.settle(next)
		}
		return next
	})
	return err
}

// fresh reports whether a free account may be taken by the newest list: it is at most maxFreeAge old, counted from its
// first request; or the claim was waiting when it was begun, and it came at most maxFreeAge ago. Else a list that takes
// longer than maxFreeAge would never do.
func (c *cache) fresh(waiting time.Time) bool {
	s := c.snapshot()
	return time.Since(s.listed) <= maxFreeAge || !s.listed.Before(waiting) && time.Since(s.arrived) <= maxFreeAge
}

// wrote records what a write of this process has made of an account; nil = the write found it gone.
func (c *cache) wrote(name string, a *Account) {
	c.update(func(s *snapshot) *snapshot { return s.with(name, a) })
}

// placement returns the account of a claim that this process has made or adopted before.
func (c *cache) placement(key string) (account string, made bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if claim := c.placed[key]; claim != nil {
		return claim.account, true
	}
	return "", false
}

// place notes a claim that this process has made or adopted.
func (c *cache) place(key string, a Account, cluster string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.take(key, a, cluster)
}

// take is place for a caller that has the lock.
func (c *cache) take(key string, a Account, cluster string) {
	claim := &placement{account: a.Name, cluster: cluster, shared: a.Shared}
	if a.Shared || cluster == "" {
		claim.least = c.newest.unnamed(c.newest.counts, a.Name, a.Shared, c.placed.names()[a.Name])
	}
	c.placed[key] = claim
}

// unplace forgets a claim that failed.
func (c *cache) unplace(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.placed, key)
}

// choose selects an account for a query. The claim of the key takes no place itself.
func (c *cache) choose(q Query, p Policy, key string) (Decision, error) {
	s := c.newest
	return choose(s.candidates(q), places{Counts: s.counts, placed: c.placed.byAccount(s, s.counts, key), now: time.Now()}, q, p)
}

// use returns how many clusters an account has and how many places are reserved on it, as last counted. Placements are left
// out: they end with the run.
func (c *cache) use(a *Account) (clusters, reserved int) {
	counts := c.snapshot().counts
	return counts.Clusters(a.Name), counts.Reservations(a, time.Now())
}

// preview selects an account and leaves it to all claims.
func (c *cache) preview(q Query, p Policy) (Decision, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.choose(q, p, "")
}

// reserve selects an account for the claim of this key and, where it is to be written, keeps it from the other claims of
// this process until release is called. Where another claim has it, busy is closed at the next change.
func (c *cache) reserve(q Query, p Policy, key, cluster string) (d Decision, release func(), busy <-chan struct{}, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	d, err = c.choose(q, p, key)
	if err != nil {
		return d, func() {}, nil, err
	}
	if d.Action == ActionShare { // nothing is written, so the place is taken here
		c.take(key, d.Account, cluster)
		return d, func() {}, nil, nil
	}
	name := d.Account.Name
	if by, reserved := c.pending[name]; reserved && by != key {
		return d, func() {}, c.changed, nil
	}
	c.pending[name] = key
	return d, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.pending[name] == key {
			delete(c.pending, name)
			c.notify()
		}
	}, nil, nil
}

// doubts returns what is in doubt about the count, once: it concerns all claims of the run alike.
func (c *cache) doubts() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.warned {
		return nil
	}
	doubts := c.newest.counts.doubts()
	c.warned = len(doubts) > 0
	return doubts
}
