package pool

import (
	"context"
	"errors"
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

	mu   sync.Mutex
	made map[string]string // key of each claim that this process made or adopted → its account

	sightings sightings

	asking  joint
	allowed bool // the server has said that accounts may be written; behind mu
}

// New returns the pool of one namespace.
func New(namespace string, store Store, counter Counter, policy Policy) *Pool {
	return &Pool{
		namespace: namespace, policy: policy, store: store, counter: counter,
		view: newView(store, counter), made: map[string]string{},
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
	d, err := Select(p.view.candidates(q), p.view.counts, q, p.policy)
	d.Doubts = append(d.Doubts, p.view.counts.Doubts()...)
	return d, err
}

// Missing returns those of the targets for which there is no account at all, whoever holds it.
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

// mayWrite asks once per process whether accounts may be written: who may not learns it before anything is decided.
func (p *Pool) mayWrite(ctx context.Context) error {
	allowed := func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.allowed
	}
	return p.asking.do(ctx, allowed, func(ctx context.Context) error {
		err := p.store.Allowed(ctx)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.allowed = err == nil
		return err
	})
}

// write makes one change on an account as it was judged. Either the change stands (true), or it does not and the
// returned account is what to judge next (false); the error is for everything that ends the matter. A gone account is
// a [NotFoundError].
func (p *Pool) write(ctx context.Context, judged Account, change Change, losses *losses) (Account, bool, error) {
	now, stands, lost, err := p.send(ctx, judged, change)
	switch {
	case stands || err != nil:
		return now, stands, err
	case lost != nil && now.UID == judged.UID && change.standsOn(now):
		return now, true, nil
	case ctx.Err() != nil:
		return now, false, errors.Join(lost, context.Cause(ctx))
	case lost != nil:
		return now, false, losses.pause(ctx, lost)
	}
	return now, false, nil
}

// send is write for a caller who judges a lost answer himself: the change may stand on the account that is returned
// then, and while that is at the version that was judged, it may still come to stand.
func (p *Pool) send(ctx context.Context, judged Account, change Change) (now Account, stands bool, lost, err error) {
	if ctx.Err() != nil {
		return Account{}, false, nil, context.Cause(ctx)
	}
	after, err := p.store.Write(ctx, judged, change)
	if err == nil {
		p.view.put(after)
		return after, true, nil, nil
	}
	var gone *NotFoundError
	var conflict *ConflictError
	var unknown *UnknownOutcomeError
	switch {
	case errors.As(err, &gone):
		p.view.drop(judged.Name)
		return Account{}, false, nil, err
	case errors.As(err, &unknown):
		lost = err
	case !errors.As(err, &conflict):
		return Account{}, false, nil, err
	}
	now, err = p.readAnyway(ctx, judged.Name)
	switch {
	case errors.As(err, &gone):
		return Account{}, false, nil, err
	case err != nil:
		return Account{}, false, nil, errors.Join(lost, err)
	}
	return now, false, lost, nil
}

// read reads one account anew and records what it looks like.
func (p *Pool) read(ctx context.Context, name string) (Account, error) {
	begun := p.view.moment()
	a, err := p.store.Get(ctx, name)
	var gone *NotFoundError
	switch {
	case errors.As(err, &gone):
		p.view.refresh(name, nil, begun)
	case err == nil:
		p.view.refresh(name, &a, begun)
	}
	return a, err
}

// readAnyway reads one account anew, also for a caller who has given up, see lasting.
func (p *Pool) readAnyway(ctx context.Context, name string) (Account, error) {
	if ctx.Err() == nil {
		a, err := p.read(ctx, name)
		if err == nil || ctx.Err() == nil {
			return a, err
		}
	}
	return p.read(lasting(ctx), name)
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
