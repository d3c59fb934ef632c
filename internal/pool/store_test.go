package pool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// memStore keeps accounts in memory the way the API server does: a write is refused unless it names the UID and the
// version that it has. Single calls can be made to go wrong, and every commit is logged, with what other parties do.
type memStore struct {
	script   // of "allowed", "list", "siblings", "outside", "get", "write", "create", "delete" and "credentials"
	mu       sync.Mutex
	accounts map[string]account.Account
	revision int
	log      []commit
	parked   []func()                   // writes whose sender has given up on them, but the network has not
	users    func(account string) int   // how many clusters are on an account
	labelled bool                       // accounts are objects of the user's
	outside  map[string]account.Account // bindings of other namespaces, by name
	// credentials are the names of credentials that are not there; kept are accounts that something keeps when they are deleted.
	noCredentials, kept map[string]bool
	refuses             map[string]error           // accounts on which each write is refused
	secrets             map[string]account.Account // what the labels of credentials say
}

// commit is one change of one account, ours or another party's.
type commit struct {
	account       string
	ours          bool
	change        account.Change
	before, after account.Account // zero: there was or is none
	at            time.Time
	users         int
	twins         []account.Account // the other objects with the same credentials, as they were
}

// fault is what happens to one call.
type fault struct {
	before, after func() // run before the call is judged, and once its answer is on its way
	answer        error  // refuses the call
	hang          bool   // answers when the caller has lost patience
	deaf          bool   // answers well although the caller has lost patience
	lost          loss
}

// loss says what becomes of a write whose answer does not arrive.
type loss int

const (
	delivered loss = iota
	lostBefore
	lostAfter
	lostOnTheWay // takes effect when deliver is called, if its precondition still holds then
	crash        // takes effect, and the process dies
	crashBefore  // the process dies before anything is sent
)

var (
	errCut     = errors.New("connection cut")
	errCrashed = errors.New("the process died")
)

func newStore(accounts ...account.Account) *memStore {
	s := &memStore{accounts: map[string]account.Account{}, users: func(string) int { return 0 }}
	for _, a := range accounts {
		s.create(a)
	}
	return s
}

// script says what becomes of calls.
type script struct {
	lock   sync.Mutex
	calls  map[string]int           // how often each was called
	faults map[string]map[int]fault // what goes wrong, by call and its number
	storm  func(call string) fault  // what goes wrong where faults says nothing; nil = nothing
}

// at sets what the n-th call of a kind does, counted from 1.
func (s *script) at(call string, n int, f fault) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.faults == nil {
		s.faults = map[string]map[int]fault{}
	}
	if s.faults[call] == nil {
		s.faults[call] = map[int]fault{}
	}
	s.faults[call][n] = f
}

func (s *script) enter(call string) fault {
	s.lock.Lock()
	if s.calls == nil {
		s.calls = map[string]int{}
	}
	s.calls[call]++
	f, ok := s.faults[call][s.calls[call]]
	storm := s.storm
	s.lock.Unlock()
	if !ok && storm != nil {
		f = storm(call)
	}
	if f.before != nil {
		f.before()
	}
	return f
}

func (s *script) called(call string) int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.calls[call]
}

// on is at for the calls of a store.
func (s *memStore) on(call string, n int, f fault) { s.script.at(call, n, f) }

func (f fault) leave(ctx context.Context) error {
	if f.after != nil {
		f.after()
	}
	if f.hang {
		<-ctx.Done()
	}
	if f.deaf {
		return nil
	}
	return context.Cause(ctx)
}

func (s *memStore) Allowed(ctx context.Context) error {
	f := s.enter("allowed")
	if f.answer != nil {
		return f.answer
	}
	if err := f.leave(ctx); err != nil {
		return &account.UnreachableError{Verb: "create", Tries: 1, Err: err}
	}
	return nil
}

func (s *memStore) List(ctx context.Context) ([]account.Account, error) {
	f := s.enter("list")
	if f.answer != nil {
		return nil, f.answer
	}
	s.mu.Lock()
	var list []account.Account
	for _, name := range slices.Sorted(maps.Keys(s.accounts)) {
		if kind, _ := account.BindingName(name); kind == "" {
			list = append(list, clone(s.accounts[name]))
		}
	}
	s.mu.Unlock()
	if err := f.leave(ctx); err != nil {
		return nil, &account.UnreachableError{Verb: "list", Tries: 1, Err: err}
	}
	return list, nil
}

func (s *memStore) Get(ctx context.Context, name string) (account.Account, error) {
	f := s.enter("get")
	if f.answer != nil {
		return account.Account{}, f.answer
	}
	s.mu.Lock()
	a, ok := s.accounts[name]
	a = clone(a)
	s.mu.Unlock()
	if err := f.leave(ctx); err != nil {
		return account.Account{}, &account.UnreachableError{Verb: "get", Tries: 1, Err: err}
	}
	if !ok {
		return account.Account{}, &account.NotFoundError{Account: name}
	}
	return a, nil
}

// Write does not care whether the caller still waits: a request that was sent is on its way.
func (s *memStore) Write(ctx context.Context, judged account.Account, change account.Change) (account.Account, error) {
	f := s.enter("write")
	if f.answer != nil {
		return account.Account{}, f.answer
	}
	s.mu.Lock()
	refused := s.refuses[judged.Name]
	s.mu.Unlock()
	if refused != nil {
		return account.Account{}, refused
	}
	var after account.Account
	err := s.send(ctx, f, judged.Name, func() (err error) {
		after, err = s.commit(judged, change)
		return err
	})
	if err != nil {
		return account.Account{}, err
	}
	return after, nil
}

// send does a write, or what becomes of it.
func (s *memStore) send(ctx context.Context, f fault, accountName string, do func() error) (err error) {
	switch f.lost {
	case crashBefore:
		panic(errCrashed)
	case lostBefore:
	case lostOnTheWay:
		s.mu.Lock()
		s.parked = append(s.parked, func() { _ = do() })
		s.mu.Unlock()
	default:
		err = do()
	}
	gaveUp := f.leave(ctx)
	switch {
	case f.lost == crash:
		panic(errCrashed)
	case f.lost != delivered:
		return &account.UnknownOutcomeError{Account: accountName, Err: errCut}
	case err == nil && gaveUp != nil:
		return &account.UnknownOutcomeError{Account: accountName, Err: gaveUp}
	}
	return err
}

func (s *memStore) commit(judged account.Account, change account.Change) (account.Account, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, ok := s.accounts[judged.Name]
	switch {
	case !ok:
		return account.Account{}, &account.NotFoundError{Account: judged.Name}
	case now.UID != judged.UID:
		return account.Account{}, &account.ConflictError{Account: judged.Name, Err: errors.New("metadata.uid: field is immutable")}
	case now.Version != judged.Version:
		return account.Account{}, &account.ConflictError{Account: judged.Name, Err: fmt.Errorf("version %s is not %s", judged.Version, now.Version)}
	}
	before := clone(now)
	after := clone(now)
	if change.Tenant != nil {
		after.Tenant = *change.Tenant
	}
	if change.Dirty != nil {
		after.Dirty = *change.Dirty
	}
	if !change.LastHeld.IsZero() {
		after.LastHeld = change.LastHeld.UTC().Truncate(time.Second)
	}
	for key, record := range change.Records {
		delete(after.Records, key)
		if record != nil {
			after.Records[key] = *record
		}
	}
	supply(&after, change)
	return s.settle(before, after, change, true), nil
}

// settle stores what an account has become; s.mu is held.
func (s *memStore) settle(before, after account.Account, change account.Change, ours bool) account.Account {
	s.revision++
	after.Version = fmt.Sprint(s.revision)
	s.accounts[after.Name] = after
	entry := commit{account: after.Name, ours: ours, change: copyChange(change), before: before, after: clone(after), at: time.Now(), users: s.users(after.Name)}
	for _, other := range s.accounts {
		if other.Name != after.Name && keyOf(other) == keyOf(after) {
			entry.twins = append(entry.twins, clone(other))
			entry.users += s.users(other.Name)
		}
	}
	s.log = append(s.log, entry)
	return clone(after)
}

// keyOf is what the cloud account of an object is known by.
func keyOf(a account.Account) account.CredentialsRef {
	key, _ := a.CredentialsKey()
	return key
}

// deliver lets the writes through that were lost on the way.
func (s *memStore) deliver() {
	s.mu.Lock()
	parked := s.parked
	s.parked = nil
	s.mu.Unlock()
	for _, write := range parked {
		write()
	}
}

// create makes an account as its owner does; one of the same name before it is gone then.
func (s *memStore) create(a account.Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a = clone(a)
	a.UID = fmt.Sprintf("uid-%d", s.revision+1)
	if a.Credentials == nil {
		a.Credentials = &account.Credentials{ProviderType: "aws", Ref: account.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: namespace, Name: "secret-" + a.Name}}
	}
	s.settle(account.Account{}, a, account.Change{}, false)
}

// edit changes an account as another party does: the broker, the clean-up job, a person.
func (s *memStore) edit(name string, change func(*account.Account)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, after := clone(s.accounts[name]), clone(s.accounts[name])
	change(&after)
	s.settle(before, after, account.Change{}, false)
}

func (s *memStore) remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, commit{account: name, before: s.accounts[name]})
	delete(s.accounts, name)
}

// at returns an account as it is now; zero where there is none.
func (s *memStore) at(name string) account.Account {
	s.mu.Lock()
	defer s.mu.Unlock()
	return clone(s.accounts[name])
}

// wrote returns what we wrote, one line a commit: "a tenant=ga-1 +first", "a dirty=true -first".
func (s *memStore) wrote() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := []string{}
	for _, c := range s.log {
		if c.ours {
			lines = append(lines, c.String())
		}
	}
	return lines
}

func (c commit) String() string {
	parts := []string{c.account}
	switch {
	case c.before.UID == "":
		parts = append(parts, "made")
	case c.after.UID == "":
		parts = append(parts, "deleted")
	}
	if c.change.Tenant != nil {
		parts = append(parts, "tenant="+*c.change.Tenant)
	}
	if c.change.Dirty != nil {
		value := string(*c.change.Dirty)
		if value == "" {
			value = "clean"
		}
		parts = append(parts, "dirty="+value)
	}
	parts = append(parts, supplied(c.change)...)
	for _, key := range slices.Sorted(maps.Keys(c.change.Records)) {
		if record := c.change.Records[key]; record != nil {
			parts = append(parts, "+"+record.Name)
		} else {
			parts = append(parts, "-"+c.before.Records[key].Name)
		}
	}
	return strings.Join(parts, " ")
}

func copyChange(c account.Change) account.Change {
	if c.Tenant != nil {
		tenant := *c.Tenant
		c.Tenant = &tenant
	}
	if c.Dirty != nil {
		dirty := *c.Dirty
		c.Dirty = &dirty
	}
	records := make(map[string]*account.Record, len(c.Records))
	for key, record := range c.Records {
		if record != nil {
			r := *record
			record = &r
		}
		records[key] = record
	}
	c.Records = records
	return c
}
