package pool

import (
	"context"
	"sync"
	"time"
)

// Pool is all accounts of one namespace as one process uses them. Its claims share one list and one count; everything
// that decides who gets an account is settled by the server, through the precondition of each write.
type Pool struct {
	namespace string
	policy    Policy
	store     Store
	counter   Counter
	cache     *cache

	tenants keyedLock
	made    madeCredentials
	rights  sharedAnswer[bool]   // whether accounts may be written
	usage   sharedAnswer[Counts] // by all sources there are
	hosting sharedAnswer[Counts] // by the sources that count

	credentials sharedAnswer[credentialsUse] // what every object of the namespace refers to

	reservationsEnd sync.Once // for the warning of it
}

// New returns the pool of one namespace.
func New(namespace string, store Store, counter Counter, policy Policy) *Pool {
	return &Pool{namespace: namespace, policy: policy, store: store, counter: counter,
		cache: newCache(store, counter), tenants: newKeyedLock(), made: newMadeCredentials()}
}

// Namespace returns the namespace of the Gardener project.
func (p *Pool) Namespace() string { return p.namespace }

// Identity returns the identity of a claim in this pool.
func (p *Pool) Identity(globalAccount string, target Target, name string) Identity {
	return Identity{Namespace: p.namespace, GlobalAccount: globalAccount, Pool: target.String(), Name: name}
}

// recent makes sure that there is a list and a count that an operation may begin with.
func (p *Pool) recent(op *operation) error {
	defer op.timed("listing and counting")()
	ctx, cancel := op.reading()
	defer cancel()
	_, err := p.cache.recent(ctx)
	return err
}

// relist waits for a list that was begun at or after notBefore.
func (p *Pool) relist(op *operation, notBefore time.Time) error {
	defer op.timed("listing")()
	ctx, cancel := op.reading()
	defer cancel()
	return p.cache.relist(ctx, notBefore)
}

// mayWrite asks once per process whether accounts may be written, so that a user without the right learns it before
// anything is decided.
func (p *Pool) mayWrite(op *operation) error {
	defer op.timed("asking for the right to write")()
	ctx, cancel := op.reading()
	defer cancel()
	_, err := p.rights.get(ctx, time.Time{}, func(ctx context.Context) (bool, error) {
		err := p.store.Allowed(ctx)
		return err == nil, err
	})
	return err
}

// empty reports whether no source knows of a living cluster on an account now. A count that fails says no.
func (p *Pool) empty(op *operation, account string) bool {
	defer op.timed("looking for clusters")()
	counter := p.counter
	if counting, ok := counter.(*Counting); ok {
		counter = counting.everywhere()
	}
	counts, err := p.usage.get(op.ctx, time.Now(), counter.Count)
	return err == nil && counts.on(account).living() == 0
}

// lockTenant waits for the other operations of a tenant, which would conflict with this one for nothing.
func (p *Pool) lockTenant(op *operation, globalAccount string) (unlock func(), err error) {
	defer op.timed("waiting for other claims of Global Account " + globalAccount)()
	return p.tenants.lock(op.ctx, globalAccount)
}

// keyedLock is one mutex per key whose waiters can give up. It only saves conflicts; correctness comes from the server.
type keyedLock struct {
	mu    sync.Mutex
	locks map[string]chan struct{}
}

func newKeyedLock() keyedLock { return keyedLock{locks: map[string]chan struct{}{}} }

// lock waits for the key and returns what gives it back.
func (l *keyedLock) lock(ctx context.Context, key string) (unlock func(), err error) {
	l.mu.Lock()
	held := l.locks[key]
	if held == nil {
		held = make(chan struct{}, 1)
		l.locks[key] = held
	}
	l.mu.Unlock()
	select {
	case held <- struct{}{}:
		return func() { <-held }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
