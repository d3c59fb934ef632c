package pool

import (
	"context"
	"errors"
	"sync"
	"time"
)

// view is what one process knows of all accounts: one list and one count that its claims share, kept up to date by the
// answers to its own writes. What others do meanwhile is caught by the precondition of each write.
type view struct {
	store   Store
	counter Counter

	mu       sync.Mutex
	accounts map[string]*Account
	byType   map[string]map[string]*Account // hyperscaler type → name → account
	byClaim  map[string]string              // key of a record that counts → name of its account
	counts   Counts
	began    time.Time         // when the list and count that stand here were begun; zero = none yet
	busy     map[string]string // account → key of the claim that is about to take it
	written  map[string]uint64 // account → number of its last local update
	clock    uint64            // number of the last local update
	changed  chan struct{}     // closed and replaced whenever something above changed
	loading  chan struct{}     // closed when the load under way ends; nil = none
	loadErr  error             // how the last load ended
}

func newView(store Store, counter Counter) *view {
	return &view{store: store, counter: counter, busy: map[string]string{}, written: map[string]uint64{}, changed: make(chan struct{})}
}

// load makes sure that there is a list and a count which were begun at or after notBefore; the zero time takes
// whatever there is. However many ask at once, one list is made.
func (v *view) load(ctx context.Context, notBefore time.Time) error {
	for {
		v.mu.Lock()
		if !v.began.IsZero() && !v.began.Before(notBefore) {
			v.mu.Unlock()
			return nil
		}
		if v.loading == nil {
			done := make(chan struct{})
			v.loading = done
			from := v.clock
			v.mu.Unlock()
			return v.fetch(ctx, from, done)
		}
		wait := v.loading
		v.mu.Unlock()
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-wait:
		}
		v.mu.Lock()
		err := v.loadErr
		v.mu.Unlock()
		// Somebody else's patience may have ended before ours: then it is our turn to try.
		if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
	}
}

// olderThan reports whether the list was begun before t.
func (v *view) olderThan(t time.Time) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.began.Before(t)
}

// fetch lists and counts, and installs both; local updates made meanwhile are newer than the list and stay.
func (v *view) fetch(ctx context.Context, from uint64, done chan struct{}) error {
	began := time.Now()
	accounts, err := v.store.List(ctx)
	var counts Counts
	if err == nil {
		counts, err = v.counter.Count(ctx)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	defer close(done)
	v.loading, v.loadErr = nil, err
	if err != nil {
		return err
	}
	fresh := make(map[string]*Account, len(accounts))
	for i := range accounts {
		fresh[accounts[i].Name] = &accounts[i]
	}
	for name, at := range v.written {
		if at <= from {
			delete(v.written, name)
			continue
		}
		if local, ok := v.accounts[name]; ok {
			fresh[name] = local
		} else {
			delete(fresh, name)
		}
	}
	v.counts, v.began = counts, began
	v.reset(len(fresh))
	for _, a := range fresh {
		v.file(a)
	}
	v.notify()
	return nil
}

func (v *view) reset(size int) {
	v.accounts = make(map[string]*Account, size)
	v.byType, v.byClaim = map[string]map[string]*Account{}, map[string]string{}
}

func (v *view) file(a *Account) {
	v.accounts[a.Name] = a
	for _, key := range a.Claims() {
		v.byClaim[key] = a.Name
	}
	if v.byType[a.HyperscalerType] == nil {
		v.byType[a.HyperscalerType] = map[string]*Account{}
	}
	v.byType[a.HyperscalerType][a.Name] = a
}

func (v *view) notify() {
	close(v.changed)
	v.changed = make(chan struct{})
}

// put records what an account looks like now.
func (v *view) put(a Account) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.remove(a.Name)
	v.file(&a)
	v.notify()
}

// drop records that an account is gone.
func (v *view) drop(name string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.remove(name)
	v.notify()
}

func (v *view) remove(name string) {
	v.clock++
	v.written[name] = v.clock
	if v.accounts == nil {
		v.reset(0)
	}
	if old, ok := v.accounts[name]; ok {
		for _, key := range old.Claims() {
			if v.byClaim[key] == name {
				delete(v.byClaim, key)
			}
		}
		delete(v.byType[old.HyperscalerType], name)
		delete(v.accounts, name)
	}
}

// get returns an account as it was last seen.
func (v *view) get(name string) (Account, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if a, ok := v.accounts[name]; ok {
		return *a, true
	}
	return Account{}, false
}

// findClaim returns the account on which a claim stands, whatever its labels have become since.
func (v *view) findClaim(key string) (Account, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if a, ok := v.accounts[v.byClaim[key]]; ok {
		return *a, true
	}
	return Account{}, false
}

// decide selects an account and, where it is to be written, marks it busy until release is called.
func (v *view) decide(q Query, p Policy) (d Decision, release func(), changed <-chan struct{}, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	q.Busy = func(name string) bool {
		by, busy := v.busy[name]
		return busy && by != q.Key
	}
	d, err = Select(v.candidates(q), v.counts, q, p)
	if err != nil || d.Action == ActionShare {
		return d, func() {}, v.changed, err
	}
	name := d.Account.Name
	v.busy[name] = q.Key
	return d, func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.busy[name] == q.Key {
			delete(v.busy, name)
			v.notify()
		}
	}, v.changed, nil
}

// candidates returns the accounts that a query can concern: those of its pool's type, or the pinned one. Accounts in
// the view are never changed in place, only replaced.
func (v *view) candidates(q Query) []*Account {
	if q.Pin != "" {
		if a, ok := v.accounts[q.Pin]; ok {
			return []*Account{a}
		}
		return nil
	}
	of := v.byType[q.Target.HyperscalerType]
	accounts := make([]*Account, 0, len(of))
	for _, a := range of {
		accounts = append(accounts, a)
	}
	return accounts
}

// use returns how many clusters an account has and how many places are reserved beside them, as last counted.
func (v *view) use(a *Account) (clusters, reserved int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.counts.Clusters(a.Name), v.counts.Reserved(a)
}

const viewAge = time.Minute // temporary, to see the test fail
