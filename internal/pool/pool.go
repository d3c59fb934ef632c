// Package pool takes accounts of the Hyperscaler Account Pool for Global Accounts, and gives them back, without ever handing one to two
// tenants. It is pure Go over two small interfaces: [Store], the accounts, and [Counter], the clusters on them. Package account
// judges, package protocol says the steps, and this package does them:
//
//   - Taking and giving back: [Pool.Claim], [Pool.Update] and [Pool.Release]; for the pool's owner [Pool.Add], [Pool.Amend] and
//     [Pool.Remove]. The engine does their steps. It alone has contexts, clocks and locks. Each write is one [account.Change] under
//     optimistic concurrency: its precondition is the object and version that was judged (ADR 007, 009, 010, 013).
//   - Reading: [Pool.Inspect], [Pool.Find], [Pool.Locate], [Pool.Preview], [Pool.MayHost], [Pool.Missing], [Pool.Claims], and
//     [Pool.Inventory], from which the package overview says who holds what.
//   - Counting: [Counting], by one or two sources (ADR 006, 012). [Upcoming] knows clusters that no source counts yet.
//
// A process keeps one immutable snapshot of list and count, which its claims share. Correctness never depends on it.
package pool

import (
	"context"
	"sync"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// Pool is all accounts of one namespace as one process uses them. Its claims share one list and one count; everything
// that decides who gets an account is settled by the server, through the precondition of each write.
type Pool struct {
	namespace string
	policy    account.Policy
	store     Store
	counter   Counter
	cache     *cache

	tenants keyedLock
	turns   turns
	made    madeCredentials
	rights  sharedAnswer[bool] // whether accounts may be written
	counts  sharedAnswer[fullCount]
	crowd   crowd
	hosting sharedAnswer[account.Counts] // by the sources that count

	chance func(time.Duration) time.Duration // of the pauses; nil = real chance

	reservationsEnd sync.Once // for the warning of it
	denied          sync.Once // for the warning that Shoots must not be listed
}

// New returns the pool of one namespace.
func New(namespace string, store Store, counter Counter, policy account.Policy) *Pool {
	p := &Pool{namespace: namespace, policy: policy, store: store, counter: counter,
		cache: newCache(store, counter), tenants: newKeyedLock(), turns: make(turns, maxWriting), made: newMadeCredentials(),
		crowd: crowd{pace: crowdPace}}
	p.counts.gather = p.crowd.gather
	return p
}

// Namespace returns the namespace of the Gardener project.
func (p *Pool) Namespace() string { return p.namespace }

// Identity returns the identity of a claim in this pool.
func (p *Pool) Identity(globalAccount string, target account.Target, name string) account.Identity {
	return account.Identity{Namespace: p.namespace, GlobalAccount: globalAccount, Pool: target.String(), Name: name}
}

// recent makes sure that there is a list and a count that an operation may begin with.
func (p *Pool) recent(op *operation) error {
	defer op.timed("listing and counting")()
	ctx, cancel := op.reading()
	defer cancel()
	_, err := p.cache.recent(ctx)
	return err
}

// mayWrite asks once per process whether accounts may be written, so that a user without the right learns it before
// anything is decided.
func (p *Pool) mayWrite(op *operation) error {
	defer op.timed("asking for the right to write")()
	ctx, cancel := op.reading()
	defer cancel()
	_, err := p.rights.after(ctx, 0, func(ctx context.Context) (bool, error) {
		err := p.store.Allowed(ctx)
		return err == nil, err
	})
	return err
}

// engine returns what does the steps of an operation; see [operation.patience].
func (p *Pool) engine(op *operation, tenant string, work time.Duration, tell func(protocol.Progress)) *engine {
	e := &engine{pool: p, op: op, tenant: tenant, patience: op.patience(work, tell)}
	if p.chance != nil {
		e.patience.chance = p.chance
	}
	return e
}

// empty reports whether no source knows of a living cluster on an account now, or of one that is to come. A count that fails says no.
func (p *Pool) empty(op *operation, account string) bool {
	defer op.timed("counting clusters")()
	occupied, err := p.Occupied(op.ctx, account)
	return err == nil && !occupied
}

// Occupied reports whether any source knows of a living cluster on an account now, or of one that is to come, by whichever binding of its
// credentials, also a source that does not count.
func (p *Pool) Occupied(ctx context.Context, account string) (bool, error) {
	moment := p.counts.moment()
	defer p.crowd.joins()()
	found, err := p.counts.after(ctx, moment, p.countEverywhere)
	if err != nil {
		return false, err
	}
	s := p.cache.snapshot()
	counts, err := s.Joined(found.counts)
	return err == nil && (counts.Living(account) > 0 || len(found.comingTo(s.BindingsOf(account))) > 0), err
}

// joining returns the count of a counter in which the bindings of each cloud account are counted together.
func (p *Pool) joining(counter Counter) func(context.Context) (account.Counts, error) {
	return func(ctx context.Context) (account.Counts, error) {
		counts, err := counter.Count(ctx)
		if err != nil {
			return account.Counts{}, err
		}
		return p.cache.snapshot().Joined(counts)
	}
}

// keyedLock is one mutex per key whose waiters can give up. It only saves conflicts; correctness comes from the server.
type keyedLock struct {
	mu    sync.Mutex
	locks map[string]chan struct{}
}

func newKeyedLock() keyedLock { return keyedLock{locks: map[string]chan struct{}{}} }

// lock waits for the key, and returns what gives it back, and whether it had to wait.
func (l *keyedLock) lock(ctx context.Context, key string) (unlock func(), waited bool, err error) {
	l.mu.Lock()
	held := l.locks[key]
	if held == nil {
		held = make(chan struct{}, 1)
		l.locks[key] = held
	}
	l.mu.Unlock()
	unlock = func() { <-held }
	select {
	case held <- struct{}{}:
		return unlock, false, nil
	default:
	}
	select {
	case held <- struct{}{}:
		return unlock, true, nil
	case <-ctx.Done():
		return nil, true, context.Cause(ctx)
	}
}
