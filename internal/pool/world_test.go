package pool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

func freeAccounts(n int) []account.Account {
	accounts := make([]account.Account, n)
	for i := range accounts {
		accounts[i] = anAccount(fmt.Sprintf("aws-account-%03d", i+1))
	}
	return accounts
}

// orderOf returns the unclaimed ones of the accounts in the order in which a Global Account tries them: each is chosen
// when those before it have gone to other tenants.
func orderOf(ga string, accounts ...account.Account) (order []string) {
	left := slices.Clone(accounts)
	for range accounts {
		d, err := account.Select(pointers(left), account.Places{}, account.Query{Target: aws, GlobalAccount: ga}, account.Policy{})
		if err != nil {
			break
		}
		order = append(order, d.Account.Name)
		left = slices.DeleteFunc(left, func(a account.Account) bool { return a.Name == d.Account.Name })
	}
	return order
}

func pointers(accounts []account.Account) []*account.Account {
	out := make([]*account.Account, len(accounts))
	for i := range accounts {
		out[i] = &accounts[i]
	}
	return out
}

func clone(a account.Account) account.Account {
	records := make(map[string]account.Record, len(a.Records))
	maps.Copy(records, a.Records)
	a.Records, a.Labels, a.FalseFlags = records, maps.Clone(a.Labels), slices.Clone(a.FalseFlags)
	a.Unreadable = slices.Clone(a.Unreadable)
	if a.Credentials != nil {
		c := *a.Credentials
		a.Credentials = &c
	}
	return a
}

// garbled puts a record that cannot be read under the key of a claim.
func garbled(ga, name string) func(*account.Account) {
	return func(a *account.Account) { a.Unreadable = append(a.Unreadable, identity(ga, name).Key()) }
}

const namespace = "garden-kyma"

var aws = account.Target{HyperscalerType: "aws"}

// world is one pool of accounts with the clusters on them. Whatever a test does in it, at its end the history is
// checked against the promises of this package (see check).
type world struct {
	*memStore
	counter *memCounter
	policy  account.Policy
}

func newWorld(t *testing.T, accounts ...account.Account) *world {
	t.Helper()
	counter := newCounter()
	w := &world{memStore: newStore(accounts...), counter: counter}
	w.users = counter.on
	t.Cleanup(func() { w.check(t) })
	return w
}

// pool returns the pool as a process that has just started sees it.
func (w *world) pool() *Pool { return New(namespace, w.memStore, w.counter, w.policy) }

// several allows every Global Account several accounts with at most so many clusters each.
func several(limit int) account.Policy {
	return account.Policy{AllowedGlobalAccounts: []string{"*"}, Limits: map[string]int{account.DefaultLimit: limit}}
}

// anAccount returns an unclaimed account of the pool aws, with changes.
func anAccount(name string, changes ...func(*account.Account)) account.Account {
	a := account.Account{Name: name, HyperscalerType: "aws", Records: map[string]account.Record{}}
	for _, change := range changes {
		change(&a)
	}
	return a
}

func heldBy(ga string) func(*account.Account) { return func(a *account.Account) { a.Tenant = ga } }

func dirty(d account.Dirt) func(*account.Account) { return func(a *account.Account) { a.Dirty = d } }

func unseen(labels ...string) func(*account.Account) {
	return func(a *account.Account) { a.Unseen = labels }
}

// unclear gives an account a label under the key of another scheme.
func unclear(says account.Class) func(*account.Account) {
	return func(a *account.Account) {
		a.Misread = []account.Misread{{Key: "other", Value: "x", Says: says, Others: true}}
	}
}

func shared(a *account.Account) { a.Shared = true }

func internal(a *account.Account) { a.Internal = true }

func terminating(a *account.Account) { a.Terminating = true }

// sibling is a SecretBinding that refers to a Secret.
func sibling(name, secret string, options ...func(*account.Account)) account.Account {
	a := anAccount(account.BindingOf("SecretBinding", name), append([]func(*account.Account){withSecret(secret), ofType("")}, options...)...)
	a.Sibling = true
	return a
}

// ofType gives an account a hyperscaler type; empty = it is in no pool.
func ofType(hyperscaler string) func(*account.Account) {
	return func(a *account.Account) { a.HyperscalerType = hyperscaler }
}

// withSecret gives an account the credentials of a Secret.
func withSecret(name string) func(*account.Account) {
	return func(a *account.Account) {
		a.Credentials = &account.Credentials{ProviderType: "aws", Ref: account.CredentialsRef{APIVersion: "v1", Kind: "Secret", Namespace: namespace, Name: name}}
	}
}

// sameAsSecret declares that an account leads into the cloud account of a Secret, by an annotation.
func sameAsSecret(name string) func(*account.Account) {
	return func(a *account.Account) {
		a.SameAs = account.CredentialsRef{Kind: "Secret", Namespace: namespace, Name: name}
	}
}

// stripped is what the clean-up job leaves: no tenant, no dirt, and the records stay.
func stripped(a *account.Account) { a.Tenant, a.Dirty = "", account.Clean }

// bearing puts the record of a claim on an account.
func bearing(ga, name string, changes ...func(*account.Record)) func(*account.Account) {
	return func(a *account.Account) {
		r := recordOf(ga, name)
		for _, change := range changes {
			change(&r)
		}
		if a.Records == nil {
			a.Records = map[string]account.Record{}
		}
		a.Records[r.Identity(namespace).Key()] = r
	}
}

func newly(r *account.Record) { r.NewlyClaimed = true }

func forCluster(name string) func(*account.Record) {
	return func(r *account.Record) { r.ClusterName = name }
}

func ownedBy(owner string) func(*account.Record) { return func(r *account.Record) { r.Owner = owner } }

func fencedSince(t time.Time) func(*account.Record) {
	return func(r *account.Record) { r.ReleasingSince = t }
}

func ofLaterFormat(r *account.Record) { r.Version = account.RecordVersion + 1 }

var longAgo = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func recordOf(ga, name string) account.Record {
	return account.Record{Name: name, GlobalAccount: ga, Pool: aws.String(), Details: account.Details{Owner: "pipeline"},
		ClaimedAt: longAgo, Version: account.RecordVersion}
}

func identity(ga, name string) account.Identity {
	return account.Identity{Namespace: namespace, GlobalAccount: ga, Pool: aws.String(), Name: name}
}

// request asks for an account of the pool aws.
func request(ga, name string, changes ...func(*protocol.ClaimRequest)) protocol.ClaimRequest {
	r := protocol.ClaimRequest{Name: name, GlobalAccount: ga, Target: aws, Details: account.Details{Owner: "pipeline"}}
	for _, change := range changes {
		change(&r)
	}
	return r
}

func pinnedTo(name string) func(*protocol.ClaimRequest) {
	return func(r *protocol.ClaimRequest) { r.Pin = name }
}

func reserving(cluster string) func(*protocol.ClaimRequest) {
	return func(r *protocol.ClaimRequest) { r.ClusterName = cluster }
}

func ending(mode account.Mode) func(*protocol.ClaimRequest) {
	return func(r *protocol.ClaimRequest) { r.ReleaseMode = mode }
}

// release ends the claim that is on an account.
func (w *world) release(p *Pool, ga, name, account string, mode account.Mode) (protocol.Outcome, error) {
	return p.Release(context.Background(), w.releaseOf(ga, name, account, mode))
}

func (w *world) releaseOf(ga, name, account string, mode account.Mode) protocol.ReleaseRequest {
	id := identity(ga, name)
	return protocol.ReleaseRequest{Identity: id, Account: account, UID: w.at(account).UID, Mode: mode,
		Owner: w.at(account).Records[id.Key()].Owner, ClaimedAt: w.at(account).Records[id.Key()].ClaimedAt}
}

// claim makes a claim that has to succeed.
func (w *world) claim(t *testing.T, p *Pool, req protocol.ClaimRequest) protocol.Claim {
	t.Helper()
	claim, err := p.Claim(t.Context(), req)
	if err != nil {
		t.Fatalf("claim %s of %s: %v", req.Name, req.GlobalAccount, err)
	}
	return claim
}

// dying runs one call of a process that is killed in the middle of it.
func dying(t *testing.T, call func()) {
	t.Helper()
	defer func() {
		if died := recover(); died != errCrashed { //nolint:errorlint // it is this value itself
			t.Errorf("the process should have died in mid-call, got %v", died)
		}
	}()
	call()
}

// impatient is the context of a caller who has until a deadline, or presses Ctrl-C after a while; 0 = never.
func impatient(t *testing.T, deadline, cancelled time.Duration) (context.Context, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	if cancelled > 0 {
		time.AfterFunc(cancelled, cancel)
	}
	if deadline == 0 {
		return ctx, cancel
	}
	ctx, end := context.WithTimeout(ctx, deadline)
	return ctx, func() { end(); cancel() }
}

// memCounter counts clusters that a test puts on accounts.
type memCounter struct {
	script   // of "count" and "users"
	mu       sync.Mutex
	clusters map[string][]account.User
	// suspended are rows of the broker's database, by account.
	suspended map[string]int
	// rows are Global Accounts that have a live row of it, by account.
	rows map[string]string
}

func newCounter() *memCounter {
	return &memCounter{clusters: map[string][]account.User{}, rows: map[string]string{}}
}

// add puts clusters on an account.
func (c *memCounter) add(accountName string, names ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range names {
		c.clusters[accountName] = append(c.clusters[accountName], account.User{Kind: "Shoot", Name: name})
	}
}

// fill puts n clusters on an account.
func (c *memCounter) fill(account string, n int) {
	for i := range n {
		c.add(account, fmt.Sprintf("%s-%03d", account, i+1))
	}
}

func (c *memCounter) clear(account string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.clusters, account)
}

func (c *memCounter) on(account string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.clusters[account])
}

func (c *memCounter) Count(ctx context.Context) (account.Counts, error) {
	f := c.enter("count")
	if f.answer != nil {
		return account.Counts{}, f.answer
	}
	var counts account.Counts
	c.mu.Lock()
	for account, users := range c.clusters {
		for _, u := range users {
			counts.Add(account, u.Name)
		}
	}
	for account, n := range c.suspended {
		counts.AddInstances(account, "ga-9", true, n)
	}
	for account, tenant := range c.rows {
		counts.AddInstances(account, tenant, false, 1)
	}
	c.mu.Unlock()
	return counts, f.leave(ctx)
}

func (c *memCounter) Users(ctx context.Context, bindings ...string) ([]account.User, error) {
	f := c.enter("users")
	if f.answer != nil {
		return nil, f.answer
	}
	c.mu.Lock()
	var users []account.User
	for _, name := range bindings {
		users = append(users, c.clusters[name]...)
	}
	c.mu.Unlock()
	return users, f.leave(ctx)
}

// parallel is a subtest beside the others.
func parallel(t *testing.T, name string, test func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		test(t)
	})
}

// virtual is a subtest beside the others, in virtual time.
func virtual(t *testing.T, name string, test func(t *testing.T)) {
	t.Helper()
	parallel(t, name, func(t *testing.T) { t.Helper(); synctest.Test(t, test) })
}

// together runs n calls at once and returns their errors.
func together(n int, call func(i int) error) []error {
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = call(i) })
	}
	wg.Wait()
	return errs
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// as returns the error of the wanted type, or ends the test.
func as[E error](t *testing.T, err error) E {
	t.Helper()
	var wanted E
	if !errors.As(err, &wanted) {
		t.Fatalf("got error %v, want a %T", err, wanted)
	}
	return wanted
}

// wantError ends the test unless the error is of the wanted type.
func wantError[E error](t *testing.T, err error) {
	t.Helper()
	_ = as[E](t, err)
}

// wantWrites compares all that was written, in order.
func (w *world) wantWrites(t *testing.T, want ...string) {
	t.Helper()
	if want == nil {
		want = []string{}
	}
	equal(t, "writes", w.wrote(), want)
}

// bearers returns the accounts on which a claim is recorded.
func (s *memStore) bearers(key string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for name, a := range s.accounts {
		if _, ok := a.Holds(key); ok {
			names = append(names, name)
		}
	}
	return names
}

// uidOfA is the UID of the first account of a world.
const uidOfA = "uid-1"

func isA[E error](err error) bool {
	var wanted E
	return errors.As(err, &wanted)
}
