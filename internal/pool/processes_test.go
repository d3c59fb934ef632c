package pool

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Many processes at once, each with a list of its own. What they know of each other is what the server answers.

// process counts the calls that one process makes.
type process struct {
	*memStore
	counter             *memCounter
	lists, writes, asks atomic.Int32
	counts              atomic.Int32
}

func (p *process) List(ctx context.Context) ([]account.Account, error) {
	p.lists.Add(1)
	return p.memStore.List(ctx)
}

func (p *process) Write(ctx context.Context, judged account.Account, change account.Change) (account.Account, error) {
	p.writes.Add(1)
	return p.memStore.Write(ctx, judged, change)
}

func (p *process) Allowed(ctx context.Context) error {
	p.asks.Add(1)
	return p.memStore.Allowed(ctx)
}

func (p *process) Count(ctx context.Context) (account.Counts, error) {
	p.counts.Add(1)
	return p.counter.Count(ctx)
}

func (p *process) Users(ctx context.Context, bindings ...string) ([]account.User, error) {
	return p.counter.Users(ctx, bindings...)
}

// called are the writes, lists and counts of a process.
func (p *process) called() [3]int32 {
	return [3]int32{p.writes.Load(), p.lists.Load(), p.counts.Load()}
}

// process starts one, and returns its pool and what counts its calls.
func (w *world) process() (*Pool, *process) {
	p := &process{memStore: w.memStore, counter: w.counter}
	return New(namespace, p, p, w.policy), p
}

// inStep makes every call take a second, so that all processes do the same thing at the same moment. For synctest.
func (w *world) inStep() {
	w.storm = func(string) fault { return fault{before: func() { time.Sleep(time.Second) }} }
}

// order returns the unclaimed accounts in the order in which a Global Account tries them.
func (w *world) order(t *testing.T, ga string) []string {
	t.Helper()
	accounts, err := w.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return orderOf(ga, accounts...)
}

// F4: sixty-four processes, each for a tenant of its own, and as many accounts: all succeed, and hardly any needs more than five tries
// more, also where each call of all takes equally long, which is the worst.
func TestProcessesOfManyTenants(t *testing.T) {
	t.Parallel()
	const n, rounds, mostP99 = 64, 10, 5
	var retries []int32
	for round := range rounds {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, freeAccounts(n)...)
			w.inStep()
			called := make([]*process, n)
			equal(t, "errors", together(n, func(i int) error {
				var p *Pool
				p, called[i] = w.process()
				_, err := p.Claim(t.Context(), request(fmt.Sprintf("ga-%d-%d", round, i), "first"))
				return err
			}), make([]error, n))
			for _, p := range called {
				retries = append(retries, p.writes.Load()-1)
			}
		})
	}
	slices.Sort(retries)
	if p99 := retries[len(retries)*99/100]; p99 > mostP99 {
		t.Errorf("retries: p99 is %d, the most are %d, want p99 of at most %d", p99, retries[len(retries)-1], mostP99)
	}
}

// A claim whose list has grown old does not go through it account by account: where an account that it wants is another tenant's by then it
// lists anew, without a second count. All else that a lost write can mean concerns that account alone.
func TestLoserListsAnew(t *testing.T) {
	t.Parallel()
	others := func(n int) func(w *world, order []string) {
		return func(w *world, order []string) {
			for _, name := range order[:n] {
				w.edit(name, heldBy("ga-of-the-broker"))
			}
		}
	}
	first := func(change func(*account.Account)) func(w *world, order []string) {
		return func(w *world, order []string) { w.edit(order[0], change) }
	}
	for name, test := range map[string]struct {
		between func(w *world, order []string) // the list and the write
		called  [3]int32                       // writes, lists, counts
	}{
		"half of them are taken":       {others(32), [3]int32{2, 2, 1}},
		"all but one are taken":        {others(63), [3]int32{2, 2, 1}},
		"all are taken":                {others(64), [3]int32{1, 2, 1}}, // the first list is no older than the claim: it may be refused on it
		"a harmless edit":              {first(func(*account.Account) {}), [3]int32{2, 1, 1}},
		"another tenant's void record": {first(bearing("ga-2", "void")), [3]int32{2, 1, 1}},
		"it is dirty":                  {first(dirty(account.Dirtied)), [3]int32{2, 1, 1}},
		"it is kept internal":          {first(internal), [3]int32{2, 1, 1}},
		"it was given to this tenant":  {first(heldBy("ga-1")), [3]int32{2, 2, 1}},
		"it is gone":                   {func(w *world, order []string) { w.remove(order[0]) }, [3]int32{2, 2, 1}},
		// It was not free when the clusters were counted: it is listed and counted once more.
		"it was made anew": {func(w *world, order []string) { w.create(anAccount(order[0])) }, [3]int32{2, 3, 2}},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, freeAccounts(64)...)
			order := w.order(t, "ga-1")
			w.on("write", 1, fault{before: func() { test.between(w, order) }})
			p, calls := w.process()
			_, err := p.Claim(t.Context(), request("ga-1", "first"))
			equal(t, "refused", err != nil, name == "all are taken")
			equal(t, "writes, lists, counts", calls.called(), test.called)
		})
	}
}
