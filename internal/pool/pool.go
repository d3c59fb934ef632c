package pool

import (
	"context"
	"sync"
)

// Pool is all accounts of one namespace as one process uses them. Its claims share one list and one count; everything
// that decides who gets an account is settled by the server, through the precondition of each write.
type Pool struct {
	namespace string
	policy    Policy
	store     Store
	counter   Counter
	view      *view
	tenants   keyedLock
	looks     looks

	asking joint

	mu      sync.Mutex
	allowed bool // the server has said that accounts may be written
	warned  bool // that reservations end by the clock
}

// New returns the pool of one namespace.
func New(namespace string, store Store, counter Counter, policy Policy) *Pool {
	everywhere := counter
	if counting, ok := counter.(*Counting); ok {
		everywhere = counting.everywhere()
	}
	return &Pool{
		namespace: namespace, policy: policy, store: store, counter: counter,
		view: newView(store, counter), looks: looks{counter: everywhere},
	}
}

// Namespace returns the namespace of the Gardener project.
func (p *Pool) Namespace() string { return p.namespace }

// Identity returns the identity of a claim in this pool.
func (p *Pool) Identity(globalAccount string, target Target, name string) Identity {
	return Identity{Namespace: p.namespace, GlobalAccount: globalAccount, Pool: target.String(), Name: name}
}

// Preview says which account the next cluster would get. It never writes.
func (p *Pool) Preview(ctx context.Context, target Target, globalAccount string) (Decision, error) {
	if err := p.view.recent(ctx); err != nil {
		return Decision{}, err
	}
	q := Query{Target: target, GlobalAccount: globalAccount}
	p.view.mu.Lock()
	defer p.view.mu.Unlock()
	d, err := choose(p.view.candidates(q), p.view.places(""), q, p.policy)
	d.Doubts = append(d.Doubts, p.view.counts.Doubts()...)
	return d, err
}

// Missing returns those of the targets for which there is no account at all, held or not.
func (p *Pool) Missing(ctx context.Context, targets []Target) ([]Target, error) {
	if err := p.view.recent(ctx); err != nil {
		return nil, err
	}
	p.view.mu.Lock()
	defer p.view.mu.Unlock()
	have := map[Target]bool{}
	for _, a := range p.view.accounts {
		have[a.Target()] = true
	}
	var missing []Target
	for _, t := range targets {
		if !have[t] {
			missing = append(missing, t)
		}
	}
	return missing, nil
}

// mayWrite asks once per process whether accounts may be written, so that a user without the right learns it before
// anything is decided.
func (p *Pool) mayWrite(op *operation) error {
	defer op.during("asking for the right to write")()
	allowed := func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.allowed
	}
	return p.asking.do(op.ctx, allowed, func(ctx context.Context) error {
		err := p.store.Allowed(ctx)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.allowed = err == nil
		return err
	})
}

// keyedLock is one mutex per key whose waiters can give up. It is for politeness alone (claims of one tenant would
// conflict with each other for nothing); correctness comes from the server.
type keyedLock struct {
	mu    sync.Mutex
	locks map[string]chan struct{}
}

// lock waits for the key and returns what gives it back.
func (l *keyedLock) lock(ctx context.Context, key string) (func(), error) {
	l.mu.Lock()
	if l.locks == nil {
		l.locks = map[string]chan struct{}{}
	}
	c, ok := l.locks[key]
	if !ok {
		c = make(chan struct{}, 1)
		l.locks[key] = c
	}
	l.mu.Unlock()
	select {
	case c <- struct{}{}:
		return func() { <-c }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
