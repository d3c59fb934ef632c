package pool

import (
	"context"
	"slices"
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
	counts   Counts
	began    time.Time         // when the list and count that stand here were begun; zero = none yet
	relisted time.Time         // when the list that stands here was begun; it may be newer than the count
	arrived  time.Time         // when it had come
	busy     map[string]string // account → key of the claim that is about to take it
	written  map[string]uint64 // account → number of its last local update
	clock    uint64            // number of the last update, local or by a list
	listed   uint64            // number of the update by the list that stands here
	doubted  bool              // what is in doubt about a count was told
	placed   placements        // the claims of this run
	changed  chan struct{}     // closed and replaced whenever something above changed
	loading  joint             // lists and counts
}

const (
	// viewAge is how old a list and a count may be when a call begins. An apply can take long, and what the broker does
	// meanwhile counts for the limit.
	viewAge = time.Minute
	// freeAge is how old the list may be by which a free account is taken. The broker, or another run, may have claimed
	// for the same Global Account since, and a list that does not show it leads to a second account.
	freeAge = 2 * time.Second
)

func newView(store Store, counter Counter) *view {
	return &view{
		store: store, counter: counter, busy: map[string]string{}, written: map[string]uint64{}, placed: placements{}, changed: make(chan struct{}),
	}
}

// recent makes sure that there is a list and a count which are not older than viewAge.
func (v *view) recent(ctx context.Context) error { return v.load(ctx, time.Now().Add(-viewAge)) }

// load makes sure that there is a list and a count which were begun at or after notBefore.
func (v *view) load(ctx context.Context, notBefore time.Time) error {
	return v.loading.do(ctx, func() bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		return !v.began.IsZero() && !v.began.Before(notBefore)
	}, func(ctx context.Context) error { return v.fetch(ctx, v.counter.Count) })
}

// relist makes sure that there is a list which was begun at or after notBefore; the count stays.
func (v *view) relist(ctx context.Context, notBefore time.Time) error {
	return v.loading.do(ctx, func() bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		return !v.relisted.Before(notBefore)
	}, func(ctx context.Context) error { return v.fetch(ctx, nil) })
}

// olderThan reports whether the list and the count were begun before t.
func (v *view) olderThan(t time.Time) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.began.Before(t)
}

// fresh reports whether a free account may be taken by the list that stands here: it is at most freeAge old, counted from
// its first request; or the claim was waiting when it was begun, and it came at most freeAge ago. Else a list that takes
// longer than freeAge would never do.
func (v *view) fresh(waiting time.Time) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return time.Since(v.relisted) <= freeAge || !v.relisted.Before(waiting) && time.Since(v.arrived) <= freeAge
}

// fetch lists, counts where a count is wanted, and installs what came; local updates made meanwhile are newer than the
// list and stay.
func (v *view) fetch(ctx context.Context, count func(context.Context) (Counts, error)) error {
	began, from := time.Now(), v.moment()
	accounts, err := v.store.List(ctx)
	arrived := time.Now()
	var counts Counts
	if err == nil && count != nil {
		counts, err = count(ctx)
	}
	if err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	fresh := make(map[string]*Account, len(accounts))
	for i := range accounts {
		fresh[accounts[i].Name] = &accounts[i]
	}
	for name, known := range v.accounts {
		if listed, ok := fresh[name]; ok && listed.olderThan(known) { // some cache has answered with the past
			fresh[name] = known
		}
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
	v.clock++
	v.listed, v.relisted, v.arrived = v.clock, began, arrived
	v.reset(len(fresh))
	for _, a := range fresh {
		v.file(a)
	}
	if count != nil {
		v.placed.recounted(v.counts, counts, v.accounts)
		v.counts, v.began = counts, began
	}
	v.notify()
	return nil
}

func (v *view) reset(size int) {
	v.accounts = make(map[string]*Account, size)
	v.byType = map[string]map[string]*Account{}
}

func (v *view) file(a *Account) {
	v.accounts[a.Name] = a
	if v.byType[a.HyperscalerType] == nil {
		v.byType[a.HyperscalerType] = map[string]*Account{}
	}
	v.byType[a.HyperscalerType][a.Name] = a
}

func (v *view) notify() {
	close(v.changed)
	v.changed = make(chan struct{})
}

// moment numbers the present for refresh.
func (v *view) moment() uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.clock
}

// refresh records what a read that was begun at a moment has found; nil = no such account. Where a write of ours or a
// list came meanwhile, what is here may be newer, and it stays.
func (v *view) refresh(name string, found *Account, begun uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if max(v.written[name], v.listed) > begun {
		return
	}
	v.remove(name)
	if found != nil {
		a := *found
		v.file(&a)
	}
	v.notify()
}

// put records what a write of ours has made of an account.
func (v *view) put(a Account) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.remove(a.Name)
	v.file(&a)
	v.notify()
}

// drop records that a write of ours found an account gone.
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

// findClaim returns the account on which a claim stands, whatever its pool has become since; the first by name should
// there be several.
func (v *view) findClaim(key string) (Account, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var found *Account
	for name, a := range v.accounts {
		if _, ok := a.Holds(key); ok && (found == nil || name < found.Name) {
			found = a
		}
	}
	if found == nil {
		return Account{}, false
	}
	return *found, true
}

// clearVoid adds to a change by which a claim takes a free account the removal of what would come alive there: records of
// other Global Accounts, and records of claims that stand on other accounts by now.
func (v *view) clearVoid(a Account, claim, globalAccount string, change Change) {
	for key, record := range a.Records {
		if key == claim {
			continue
		}
		other, stands := v.findClaim(key)
		if record.GlobalAccount != globalAccount || stands && other.Name != a.Name {
			change.Records[key] = nil
		}
	}
}

// mayReturn reports whether a claim may take back an account from which its tenant's label was taken. Clusters on it are
// taken for the tenant's own where a record of the tenant lies there, unless the broker's database says that they are
// another's: a record is left behind when the broker frees an account, too.
func (v *view) mayReturn(a *Account, globalAccount string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.counts.on(a.Name).Living() == 0 || a.remembers(globalAccount) && !v.counts.ofOthers(a.Name, globalAccount)
}

// made returns the account of a claim that this process has made or adopted before.
func (v *view) made(key string) (account string, made bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if claim := v.placed[key]; claim != nil {
		return claim.account, true
	}
	return "", false
}

// place notes a claim that this process has made or adopted.
func (v *view) place(key string, a Account, cluster string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.placed[key] = &placement{account: a.Name, cluster: cluster, shared: a.Shared}
}

// unplace forgets a claim that failed.
func (v *view) unplace(key string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.placed, key)
}

// places returns what is taken on the accounts, but for the claim of a key; v.mu is held.
func (v *view) places(but string) places {
	return places{Counts: v.counts, placed: v.placed.byAccount(v.counts, but), now: time.Now()}
}

// decide selects an account for the claim of this key and, where it is to be written, marks it busy until release is
// called. Where another claim has it marked, busy is closed at the next change.
func (v *view) decide(q Query, key, cluster string, p Policy) (d Decision, release func(), busy <-chan struct{}, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	d, err = choose(v.candidates(q), v.places(key), q, p)
	if err != nil {
		return d, func() {}, nil, err
	}
	if d.Action == ActionShare { // nothing is written, so the place is taken here
		v.placed[key] = &placement{account: d.Account.Name, cluster: cluster, shared: true}
		return d, func() {}, nil, nil
	}
	name := d.Account.Name
	if by, marked := v.busy[name]; marked && by != key {
		return d, func() {}, v.changed, nil
	}
	v.busy[name] = key
	return d, func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.busy[name] == key {
			delete(v.busy, name)
			v.notify()
		}
	}, nil, nil
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

// doubts returns what is in doubt about the count that stands here, once: it concerns all claims of the run alike.
func (v *view) doubts() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.doubted {
		return nil
	}
	doubts := v.counts.Doubts()
	v.doubted = len(doubts) > 0
	return doubts
}

// use returns how many clusters an account has and how many places are reserved beside them, as last counted. Placements
// are left out: they end with the run.
func (v *view) use(a *Account) (clusters, reserved int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.counts.Clusters(a.Name), v.counts.Reserved(a, time.Now())
}

// held returns the names of the accounts of a pool that a Global Account holds and can use, sorted.
func (v *view) held(globalAccount string, target Target) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var held []string
	for name, a := range v.byType[target.HyperscalerType] {
		if a.Target() == target && Classify(a, Usage{}, globalAccount) == ClassHeld {
			held = append(held, name)
		}
	}
	slices.Sort(held)
	return held
}
