package pool

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// uncounted returns the source that does not count and knows of living clusters; nil = Gardener, which knows all of them, counts. The
// database is not asked where it does not count: one that is down must not stop the claims.
func (c *cache) uncounted() Counter {
	if counting, ok := c.counter.(*Counting); ok && counting.source() == account.SourceDatabase {
		return counting.Shoots
	}
	return nil
}

// countBeside makes sure that the source which does not count was asked at or after notBefore.
func (c *cache) countBeside(ctx context.Context, notBefore time.Time) error {
	other := c.uncounted()
	if other == nil {
		return nil
	}
	return c.besides.do(ctx, func() bool { return c.snapshot().Beside.Since(notBefore) }, func(ctx context.Context) error {
		asked := time.Now()
		counts, err := other.Count(ctx)
		found := protocol.Beside{Counts: counts, Asked: asked}
		if errors.As(err, new(*account.ForbiddenError)) {
			found, err = protocol.Beside{Denied: err}, nil
		}
		if err != nil {
			return err
		}
		c.update(func(s *protocol.Snapshot) *protocol.Snapshot { return s.WithBeside(found) })
		return nil
	})
}

// shootsUncounted says, once for all claims of a run, that the Shoots of free accounts are not counted.
func (p *Pool) shootsUncounted() (doubts []string) {
	if denied := p.cache.snapshot().Beside.Denied; denied != nil {
		p.denied.Do(func() { doubts = []string{uncountedText(denied)} })
	}
	return doubts
}

func uncountedText(denied error) string {
	return "The broker's database alone counts, and the Shoots must not be listed: " + denied.Error() + ". A free account on which a Shoot " +
		"without a row of the database lives may be claimed."
}

// cache holds the newest snapshot: one list and one count that the claims of a process share, kept up to date by the
// answers to its own writes. What others do meanwhile is caught by the precondition of each write.
type cache struct {
	store   Store
	counter Counter
	loading sharedCall // lists and counts
	besides sharedCall // answers of the source that does not count

	mu       sync.Mutex
	newest   *protocol.Snapshot
	pending  map[string]string   // the name of the cloud account ([protocol.Snapshot.CountedAs]) → key of the claim that will write it
	placed   protocol.Placements // the claims of this run
	releases int                 // under way
	warned   bool                // the doubts about a count have been returned
	reported bool                // it has been returned that bindings may be hidden
	unseen   error               // why upcoming clusters must not be read; nil = they may be, or were not read
	blind    bool                // none of them may be read
	admitted bool                // that has been returned
	outside  error               // why bindings of other namespaces may lead into accounts unseen; nil = none may
	foreign  bool                // that has been returned
	changed  chan struct{}       // closed and replaced whenever the snapshot or pending changes

	unwritable protocol.Refusals // of all claims of the run
}

func newCache(store Store, counter Counter) *cache {
	return &cache{
		store: store, counter: counter, newest: protocol.NewSnapshot(),
		pending: map[string]string{}, placed: protocol.Placements{}, changed: make(chan struct{}),
	}
}

// snapshot returns what is known now.
func (c *cache) snapshot() *protocol.Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.newest
}

// update replaces the snapshot.
func (c *cache) update(next func(*protocol.Snapshot) *protocol.Snapshot) {
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
func (c *cache) recent(ctx context.Context) (*protocol.Snapshot, error) {
	return c.load(ctx, time.Now().Add(-protocol.MaxAge))
}

// recentList returns a snapshot whose list is not older than maxAge, for what is asked of the accounts alone: it costs no count,
// and a count that fails does not stop it.
func (c *cache) recentList(ctx context.Context) (*protocol.Snapshot, error) {
	err := c.relist(ctx, time.Now().Add(-protocol.MaxAge))
	return c.snapshot(), err
}

// load returns a snapshot whose list and count were begun at or after notBefore. A list that is new enough is counted beside: what asks
// for accounts alone has often come before.
func (c *cache) load(ctx context.Context, notBefore time.Time) (*protocol.Snapshot, error) {
	err := c.loading.do(ctx, func() bool {
		s := c.snapshot()
		return !s.Counted.IsZero() && !s.Counted.Before(notBefore)
	}, func(ctx context.Context) error {
		if listed := c.snapshot().Listed; listed.IsZero() || listed.Before(notBefore) {
			if err := c.fetch(ctx); err != nil {
				return err
			}
		}
		return c.count(ctx)
	})
	return c.snapshot(), err
}

// relist makes sure that there is a list which was begun at or after notBefore; the count stays.
func (c *cache) relist(ctx context.Context, notBefore time.Time) error {
	return c.loading.do(ctx, func() bool {
		return !c.snapshot().Listed.Before(notBefore)
	}, c.fetch)
}

// fetch lists.
func (c *cache) fetch(ctx context.Context) error {
	began, begun := time.Now(), c.snapshot()
	accounts, hidden, err := c.list(ctx)
	if err != nil {
		return err
	}
	arrived := time.Now()
	c.update(func(s *protocol.Snapshot) *protocol.Snapshot {
		return s.WithList(accounts, begun).AsOf(began, arrived, hidden)
	})
	return nil
}

// count counts beside the newest list, which stays the newest meanwhile, and is taken to be as old as the list.
func (c *cache) count(ctx context.Context) error {
	counts, err := c.counter.Count(ctx)
	if err != nil {
		return err
	}
	c.update(func(s *protocol.Snapshot) *protocol.Snapshot {
		next, failed := s.WithCounts(counts, s.Listed)
		if err = failed; err == nil {
			c.placed.Recount(next)
		}
		return next
	})
	return err
}

// list lists the accounts and their siblings. Siblings that the user may not list are hidden; what hides them is returned.
func (c *cache) list(ctx context.Context) (accounts []account.Account, hidden, err error) {
	if accounts, err = c.store.List(ctx); err != nil {
		return nil, nil, err
	}
	siblings, err := c.store.Siblings(ctx) // one after the other: a server that asks for patience is asked by one request at a time
	if hidden, err = forbidden(err); err != nil {
		return nil, nil, err
	}
	accounts = append(accounts, siblings...)
	outside, err := c.store.Outside(ctx, accounts)
	unlisted, err := forbidden(err)
	if unlisted != nil {
		c.mu.Lock()
		c.outside = unlisted
		c.mu.Unlock()
	}
	return append(accounts, outside...), hidden, err
}

// forbidden tells what the user may not list from what has failed.
func forbidden(err error) (hidden, failed error) {
	if errors.As(err, new(*account.ForbiddenError)) {
		return err, nil
	}
	return nil, err
}

// wrote records what a write of this process has made of an account; nil = the write found it gone.
func (c *cache) wrote(name string, a *account.Account) {
	c.update(func(s *protocol.Snapshot) *protocol.Snapshot { return s.With(name, a) })
}

// placement returns the account of a claim that this process has made or adopted before.
func (c *cache) placement(key string) (account string, made bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.placed.Account(key)
}

// releasing notes a release, until the function is called that it returns.
func (c *cache) releasing() (done func()) {
	add := func(n int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.releases += n
	}
	add(1)
	return func() { add(-1) }
}

// take notes a claim that this process makes or adopts; the caller has the lock.
func (c *cache) take(key string, a account.Account, cluster string) {
	c.placed.Take(c.newest, key, a, cluster)
}

// unplace forgets a claim that failed.
func (c *cache) unplace(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.placed, key)
}

// use returns how many clusters an account has and how many places are reserved on it, as last counted. Placements are left
// out: they end with the run.
func (c *cache) use(a *account.Account) (clusters, reserved int) {
	s := c.snapshot()
	return s.Counts.Clusters(s.CountedAs(a)), s.Counts.Reservations(s.Whole(a), time.Now())
}

// facts returns what the process knows now; c.mu is held, and stays so while they are used.
func (c *cache) facts() protocol.Facts {
	return protocol.Facts{
		Snapshot: c.newest, Now: time.Now(), Placed: c.placed, Uncounted: c.uncounted() != nil, CountsAll: countsAll(c.counter),
	}
}

// preview selects an account and leaves it to all claims.
func (c *cache) preview(q account.Query, p account.Policy) (account.Decision, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.facts().Choose(q, p, "", nil)
}

// doubts returns what is in doubt about the count, about the bindings that lead into the accounts, and about upcoming clusters, each once:
// it concerns all claims of the run alike.
func (c *cache) doubts() (doubts []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.warned {
		doubts = c.newest.Counts.Doubts()
		c.warned = len(doubts) > 0
	}
	if c.newest.Hidden != nil && !c.reported {
		c.reported = true
		doubts = append(doubts, hiddenDoubt(c.newest.Hidden))
	}
	if c.outside != nil && !c.foreign {
		c.foreign = true
		doubts = append(doubts, outsideDoubt(c.outside))
	}
	if c.unseen != nil && !c.admitted {
		c.admitted = true
		doubts = append(doubts, fmt.Sprintf("Clusters that have no Shoot yet are not seen: %v. An account that one of them is about to come to "+
			"may be given back.", c.unseen))
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

// outsideDoubt says what it means that the bindings of the namespaces in which credentials of accounts lie cannot be listed.
func outsideDoubt(unlisted error) string {
	return fmt.Sprintf("Accounts have credentials of another namespace. Bindings of other namespaces that refer to the same ones, and lead "+
		"another Global Account or a cluster into them, are not seen: %v. Grant the verb list for them (role-outside.yaml), or give each "+
		"account credentials of the pool's own namespace.", unlisted)
}

// places returns what is taken on the accounts, by a count.
func (c *cache) places(counts account.Counts) account.Places {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.facts().Places(counts, "")
}

// noteUnwritable keeps a refusal for [Pool.Unwritable]: another claim may write what this one may not.
func (c *cache) noteUnwritable(a *account.Account, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unwritable.Note(a, err)
}
