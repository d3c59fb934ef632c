package pool

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// cache holds the newest snapshot: one list and one count that the claims of a process share, kept up to date by the
// answers to its own writes. What others do meanwhile is caught by the precondition of each write.
type cache struct {
	store   Store
	counter Counter
	loading sharedCall // lists and counts
	besides sharedCall // answers of the source that does not count

	mu      sync.Mutex
	newest  *snapshot
	pending map[string]string // the name of the cloud account ([snapshot.countedAs]) → key of the claim that is about to write it
	placed  placements        // the claims of this run
	warned  bool              // the doubts about a count have been returned
	told    bool              // it has been returned that bindings may be hidden
	changed chan struct{}     // closed and replaced whenever the snapshot or pending changes

	unwritable refusals // of all claims of the run
}

const (
	// maxAge is how old a list and a count may be when a call begins. A run can take long, and what the broker does
	// meanwhile counts for the limit.
	maxAge = time.Minute
	// maxFreeAge is how old the list may be by which a free account is taken. The broker, or another run, may have claimed
	// for the same Global Account since, and a list that does not show it leads to a second account.
	// A refusal also needs a list and a count this fresh.
	maxFreeAge = 2 * time.Second
)

func newCache(store Store, counter Counter) *cache {
	return &cache{
		store: store, counter: counter, newest: newSnapshot(),
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

// fetch lists, and counts where a count is wanted. A list is kept although its count has failed.
func (c *cache) fetch(ctx context.Context, count func(context.Context) (Counts, error)) error {
	began, begun := time.Now(), c.snapshot()
	accounts, hidden, err := c.list(ctx)
	if err != nil {
		return err
	}
	arrived := time.Now()
	var counts Counts
	if count != nil {
		counts, err = count(ctx)
	}
	c.update(func(s *snapshot) *snapshot {
		next := s.withList(accounts, begun).asOf(began, arrived, hidden)
		if count == nil || err != nil {
			return next
		}
		if next, err = next.withCounts(counts, began); err == nil {
			c.placed.recount(next)
		}
		return next
	})
	return err
}

// list lists the accounts and their siblings. Siblings that the user may not list are hidden; what hides them is returned.
func (c *cache) list(ctx context.Context) (accounts []Account, hidden, err error) {
	if accounts, err = c.store.List(ctx); err != nil {
		return nil, nil, err
	}
	siblings, err := c.store.Siblings(ctx) // one after the other: a server that asks for patience is asked by one request at a time
	if errors.As(err, new(*ForbiddenError)) {
		hidden, err = err, nil
	}
	return append(accounts, siblings...), hidden, err
}

// wrote records what a write of this process has made of an account; nil = the write found it gone.
func (c *cache) wrote(name string, a *Account) {
	c.update(func(s *snapshot) *snapshot { return s.with(name, a) })
}

// placement returns the account of a claim that this process has made or adopted before.
func (c *cache) placement(key string) (account string, made bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.placed.account(key)
}

// take notes a claim that this process makes or adopts; the caller has the lock.
func (c *cache) take(key string, a Account, cluster string) {
	c.placed.take(c.newest, key, a, cluster)
}

// unplace forgets a claim that failed.
func (c *cache) unplace(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.placed, key)
}

// use returns how many clusters an account has and how many places are reserved on it, as last counted. Placements are left
// out: they end with the run.
func (c *cache) use(a *Account) (clusters, reserved int) {
	s := c.snapshot()
	return s.counts.Clusters(a.Name), s.counts.Reservations(s.whole(a), time.Now())
}

// view returns what the process knows now; c.mu is held, and stays so while the view is used.
func (c *cache) view() view {
	return view{snapshot: c.newest, now: time.Now(), placed: c.placed, uncounted: c.uncounted() != nil}
}

// preview selects an account and leaves it to all claims.
func (c *cache) preview(q Query, p Policy) (Decision, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.view().choose(q, p, "", nil)
}

// doubts returns what is in doubt about the count, and about the bindings that lead into the accounts, each once: it concerns all claims of
// the run alike.
func (c *cache) doubts() (doubts []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.warned {
		doubts = c.newest.counts.doubts()
		c.warned = len(doubts) > 0
	}
	if c.newest.hidden != nil && !c.told {
		c.told = true
		doubts = append(doubts, hiddenDoubt(c.newest.hidden))
	}
	return doubts
}

// Doubts returns what this run could not see when it decided, each once: a claim says it by itself, a release does not.
func (p *Pool) Doubts() []string { return p.cache.doubts() }

// hiddenDoubt says what it means that bindings of another kind cannot be listed.
func hiddenDoubt(hidden error) string {
	return fmt.Sprintf("Bindings of another kind that refer to the credentials of an account, and lead a Global Account or a cluster into "+
		"it, are not seen: %v. Grant the verb list for them.", hidden)
}
