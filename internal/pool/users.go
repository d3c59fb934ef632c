package pool

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// users finds the clusters on one cloud account. The releases of a process share one count, by which most accounts have none; for an
// account that has some the clusters are read once more, with their names.
//
// Each of these counts begins once the fence of its release is up: a cluster may come between a count and the fence. With a count from
// before the fence the scenario "two releases of two tenants in one process, and the broker for one of them" fails (EXPLORED.md).
func (p *Pool) users(ctx context.Context, bindings []string) ([]account.User, error) {
	moment := p.counts.moment()
	defer p.crowd.joins()()
	found, err := p.counts.after(ctx, moment, p.countEverywhere)
	if err != nil {
		return nil, err
	}
	known, err := p.knownBindings(ctx, bindings, found.counts)
	for try := 1; try < maxCounts && isUnlisted(err); try++ { // a cluster may have gone since, with its binding
		if found, err = p.counts.after(ctx, p.counts.moment(), p.countEverywhere); err != nil {
			return nil, err
		}
		known, err = p.knownBindings(ctx, bindings, found.counts)
	}
	if err != nil {
		return nil, err
	}
	bindings = known
	coming := found.comingTo(bindings)
	if found.counts.Unused(bindings) {
		return coming, nil
	}
	users, err := p.counter.Users(ctx, bindings...)
	return append(users, coming...), err
}

// maxCounts is how often clusters are counted while the count names bindings which no list shows.
const maxCounts = 3

// isUnlisted reports whether clusters name bindings that no list shows, although the user may list them all.
func isUnlisted(err error) bool {
	hidden, is := errors.AsType[*account.HiddenBindingsError](err)
	return is && hidden.Err == nil
}

// knownBindings returns the bindings of a cloud account, once it is known which binding each cluster of a count names: one that the list
// lacks may be newer than it.
//
// Errors: [account.HiddenBindingsError], and those of [Store].
func (p *Pool) knownBindings(ctx context.Context, bindings []string, counts account.Counts) ([]string, error) {
	unknown := p.cache.snapshot().UnknownBindings(counts)
	if unknown == nil {
		return bindings, nil
	}
	if err := p.cache.relist(ctx, time.Now()); err != nil {
		return nil, err
	}
	s := p.cache.snapshot()
	return s.BindingsOf(bindings[0]), s.UnknownBindings(counts)
}

// fullCount is what one count by all sources has found. All releases whose fences were up when it began share it.
type fullCount struct {
	counts account.Counts
	coming map[string][]account.User // see [Upcoming]
}

// comingTo returns the upcoming clusters on bindings of one cloud account.
func (s fullCount) comingTo(bindings []string) (users []account.User) {
	for _, binding := range bindings {
		for _, user := range s.coming[binding] {
			if !slices.Contains(users, user) { // it may name two of them
				users = append(users, user)
			}
		}
	}
	return users
}

// countEverywhere counts the clusters by all sources there are, whichever the settings count by.
func (p *Pool) countEverywhere(ctx context.Context) (s fullCount, err error) {
	if upcoming(p.counter) == nil {
		s.counts, err = everywhere(p.counter).Count(ctx)
		return s, err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) { s.counts, err = everywhere(p.counter).Count(ctx); return err })
	group.Go(func() (err error) { s.coming, err = p.cache.upcoming(ctx); return err })
	return s, group.Wait()
}

// upcoming reads the upcoming clusters. Where the user must not read any they are not asked for again: see [cache.doubts].
func (c *cache) upcoming(ctx context.Context) (map[string][]account.User, error) {
	c.mu.Lock()
	blind := c.blind
	c.mu.Unlock()
	if blind {
		return nil, nil
	}
	coming, hidden, err := upcoming(c.counter).Upcoming(ctx)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if hidden != nil {
		c.unseen, c.blind = hidden, coming == nil
	}
	return coming, nil
}

// crowdPace is how long after the beginning of a count the next one begins at the earliest, unless all releases wait for it. An API server
// answers a list from its cache, once etcd has confirmed that the cache is up to date, and asks etcd for that once in 100 ms (Kubernetes
// 1.31 and newer). A list that is sent earlier waits in the server, where no further release can join it.
const crowdPace = 100 * time.Millisecond

// crowd is the operations of a process that count the clusters after a write of their own. The one that is about to count waits for the
// others, so that one count serves them all. That saves counts, and decides nothing.
type crowd struct {
	pace time.Duration // see [crowdPace]; also how long the fences of others are waited for; 0 = nothing is waited for

	mu      sync.Mutex
	fencing int           // operations whose fence is on its way
	active  int           // operations that will count, or have
	most    int           // active at once since the last count began
	waiting int           // operations that wait for the next count
	counted time.Time     // when the last count began
	changed chan struct{} // closed and replaced at each change that a wait can end by; nil = no operation waits for one
}

// enters notes an operation that is going to count, until the function is called that it returns.
func (c *crowd) enters() (leaves func()) {
	return c.note(func() { c.active++; c.most = max(c.most, c.active) }, func() { c.active-- })
}

// fences notes that a fence is about to be put up, until the function is called that it returns.
func (c *crowd) fences() (done func()) {
	return c.note(func() { c.fencing++ }, func() { c.fencing-- })
}

// joins notes an operation that waits for a count. Once a count has begun it waits no more.
func (c *crowd) joins() (leaves func()) {
	var of time.Time
	return c.note(func() { c.waiting++; of = c.counted }, func() {
		if of.Equal(c.counted) && c.waiting > 0 {
			c.waiting--
		}
	})
}

func (c *crowd) note(now, then func()) (end func()) {
	change := func(do func()) {
		c.mu.Lock()
		defer c.mu.Unlock()
		do()
		if c.changed != nil {
			close(c.changed)
			c.changed = nil
		}
	}
	change(now)
	return func() { change(then) }
}

// gather waits for those that a count about to begin can serve, too.
func (c *crowd) gather(ctx context.Context) {
	for since := time.Now(); ; {
		left, changed := c.begin(since)
		if left <= 0 || ctx.Err() != nil {
			return
		}
		over := time.NewTimer(left)
		select {
		case <-changed:
		case <-over.C:
		case <-ctx.Done():
		}
		over.Stop()
	}
}

// begin begins a count, or says how long others are waited for at most, and what is closed when that may be over earlier.
func (c *crowd) begin(since time.Time) (left time.Duration, changed <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	until := c.counted.Add(c.pace)
	if c.fencing > 0 && until.Before(since.Add(c.pace)) {
		until = since.Add(c.pace)
	}
	if left = time.Until(until); left > 0 && c.waiting < c.most {
		if c.changed == nil {
			c.changed = make(chan struct{})
		}
		return left, c.changed
	}
	c.counted, c.waiting, c.most = time.Now(), 0, c.active
	return 0, nil
}
