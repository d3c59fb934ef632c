package pool

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Many processes at once, each with a list of its own. What they know of each other is what the server tells them.

// process counts the calls that one process makes.
type process struct {
	*memStore
	counter             *memCounter
	lists, writes, asks atomic.Int32
	counts              atomic.Int32
}

func (p *process) List(ctx context.Context) ([]Account, error) {
	p.lists.Add(1)
	return p.memStore.List(ctx)
}

func (p *process) Write(ctx context.Context, judged Account, change Change) (Account, error) {
	p.writes.Add(1)
	return p.memStore.Write(ctx, judged, change)
}

func (p *process) Allowed(ctx context.Context) error {
	p.asks.Add(1)
	return p.memStore.Allowed(ctx)
}

func (p *process) Count(ctx context.Context) (Counts, error) {
	p.counts.Add(1)
	return p.counter.Count(ctx)
}

func (p *process) Users(ctx context.Context, account string) ([]User, error) {
	return p.counter.Users(ctx, account)
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

// held returns the names of the accounts that ga-1 holds, sorted.
func (s *memStore) held() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for name, a := range s.accounts {
		if a.Tenant == "ga-1" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// A Global Account that may have one account per pool gets one, also where each of its claims is made by a process
// that knows nothing of the others.
func TestProcessesOfOneTenantEndOnOneAccount(t *testing.T) {
	t.Parallel()
	for n, free := range map[int]int{2: 2, 8: 500, 64: 64} {
		t.Run(fmt.Sprintf("%d processes, %d accounts", n, free), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, freeAccounts(free)...)
				w.inStep()
				claims := make([]Claim, n)
				for i, err := range together(n, func(i int) (err error) {
					claims[i], err = w.pool().Claim(t.Context(), request("ga-1", fmt.Sprintf("claim-%d", i)))
					return err
				}) {
					equal(t, fmt.Sprintf("claim %d", i), err, nil)
				}
				equal(t, "tenants on the server", w.holders(), []string{"ga-1"})
				newlyClaimed := 0
				for _, c := range claims {
					equal(t, "account", c.Account.Name, claims[0].Account.Name)
					if c.Record.NewlyClaimed {
						newlyClaimed++
					}
				}
				equal(t, "newly claimed", newlyClaimed, 1)
				equal(t, "claims on it", len(ptr(w.at(claims[0].Account.Name)).Claims()), n)
				equal(t, "writes", len(w.wrote()), n)
			})
		})
	}
}

// The same while answers are lost, writes come late, somebody edits, and processes die.
func TestProcessesOfOneTenantEndOnOneAccountInAStorm(t *testing.T) {
	t.Parallel()
	base := uint64(time.Now().UnixNano())
	for round := range uint64(100) {
		seed := base + round
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			const n = 12
			w := newWorld(t, freeAccounts(8)...)
			s := &storm{w: w, rng: rand.New(rand.NewPCG(seed, 0)), crash: true} //nolint:gosec // a test's dice
			w.storm = s.strikeWithoutRivals
			claim := func(i int) error {
				return surviving(func() error {
					_, err := w.pool().Claim(t.Context(), request("ga-1", fmt.Sprintf("claim-%d", i)))
					return err
				})
			}
			failed := 0
			for _, err := range together(n, claim) {
				var unknown *UnknownOutcomeError
				var unreachable *UnreachableError
				var forbidden *ForbiddenError
				if err == nil {
					continue
				}
				failed++
				if !errors.As(err, &unknown) && !errors.As(err, &unreachable) && !errors.As(err, &forbidden) && !errors.Is(err, errCrashed) {
					t.Errorf("got error %v", err)
				}
			}
			w.deliver()
			if held := w.held(); len(held) > 1 || len(held) == 0 && failed < n {
				t.Errorf("after %d failures of %d the Global Account holds %v", failed, n, held)
			}
			w.storm = nil
			for i, err := range together(n, claim) {
				equal(t, fmt.Sprintf("claim %d, made again", i), err, nil)
			}
			held := w.held()
			equal(t, "accounts", len(held), 1)
			equal(t, "claims on it", len(ptr(w.at(held[0])).Claims()), n)
		})
	}
}

// strikeWithoutRivals is strike where nobody else claims or frees an account.
func (s *storm) strikeWithoutRivals(call string) fault {
	f := s.strike(call)
	edit := func() {
		if s.dice(2) == 0 {
			s.w.deliver()
			return
		}
		s.w.edit(fmt.Sprintf("aws-account-%03d", 1+s.dice(8)), func(*Account) {})
	}
	if f.before != nil {
		f.before = edit
	}
	if f.after != nil {
		f.after = edit
	}
	return f
}

// F29: with several accounts allowed, no account runs over its limit, and none is taken before the others are full.
func TestProcessesOfOneTenantFillAccountAfterAccount(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ processes, limit, free, accounts int }{
		{2, 1, 2, 2}, {2, 2, 2, 1}, {24, 5, 64, 5}, {24, 8, 3, 3}, {48, 16, 500, 3}, {9, 1, 9, 9},
	} {
		t.Run(fmt.Sprintf("%+v", test), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, freeAccounts(test.free)...)
				w.policy = several(test.limit)
				w.inStep()
				for i, err := range together(test.processes, func(i int) error {
					_, err := w.pool().Claim(t.Context(), request("ga-1", fmt.Sprintf("claim-%d", i), reserving(fmt.Sprintf("cluster-%d", i))))
					return err
				}) {
					equal(t, fmt.Sprintf("claim %d", i), err, nil)
				}
				held := w.held()
				equal(t, "accounts", len(held), test.accounts)
				total := 0
				for _, name := range held {
					n := len(ptr(w.at(name)).Claims())
					total += n
					if n > test.limit {
						t.Errorf("%s has %d claims, the limit is %d", name, n, test.limit)
					}
				}
				equal(t, "claims that stand", total, test.processes)
			})
		})
	}
}

// And more than there is room for: as many get a place as there are, the others are told that there is none.
func TestProcessesOfOneTenantWantMoreThanThereIs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const limit, free, n = 5, 3, 24
		w := newWorld(t, freeAccounts(free)...)
		w.policy = several(limit)
		w.inStep()
		stand := 0
		for _, err := range together(n, func(i int) error {
			_, err := w.pool().Claim(t.Context(), request("ga-1", fmt.Sprintf("claim-%d", i), reserving(fmt.Sprintf("cluster-%d", i))))
			return err
		}) {
			if err == nil {
				stand++
				continue
			}
			equal(t, "limit in the refusal", as[*ExhaustedError](t, err).Limit, limit)
		}
		equal(t, "claims that stand", stand, limit*free)
		for _, name := range w.held() {
			equal(t, "claims on "+name, len(ptr(w.at(name)).Claims()), limit)
		}
	})
}

// F4: sixty-four processes, each for a tenant of its own, and as many accounts: all succeed, each on its own, and
// hardly any needs more than five tries more; where each call of all takes equally long, which is the worst, a few more.
func TestProcessesOfManyTenants(t *testing.T) {
	t.Parallel()
	const n, rounds = 64, 20
	for name, test := range map[string]struct {
		call func()
		p99  int
	}{
		"calls of 50 to 150 ms": {func() { time.Sleep(50*time.Millisecond + rand.N(100*time.Millisecond)) }, 5}, //nolint:gosec // a test's dice
		"calls in step":         {func() { time.Sleep(time.Second) }, 7},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var retries []int
			for round := range rounds {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, freeAccounts(n)...)
					w.storm = func(string) fault { return fault{before: test.call} }
					retries = append(retries, w.aClaimEach(t, n, round)...)
				})
			}
			slices.Sort(retries)
			p99, most := retries[len(retries)*99/100], retries[len(retries)-1]
			t.Logf("retries: p50 %d, p99 %d, most %d", retries[len(retries)/2], p99, most)
			if p99 > test.p99 {
				t.Errorf("retries: p99 is %d, the most are %d, want p99 of at most %d", p99, most, test.p99)
			}
		})
	}
}

// aClaimEach lets n processes make a claim each, every one for a tenant of its own, and returns their retries.
func (w *world) aClaimEach(t *testing.T, n, round int) (retries []int) {
	t.Helper()
	counted := make([]*process, n)
	for i, err := range together(n, func(i int) error {
		var p *Pool
		p, counted[i] = w.process()
		_, err := p.Claim(t.Context(), request(fmt.Sprintf("ga-%d-%d", round, i), "first"))
		return err
	}) {
		equal(t, fmt.Sprintf("claim %d of round %d", i, round), err, nil)
		p := counted[i]
		writes := int(p.writes.Load())
		retries = append(retries, writes-1)
		equal(t, "counts", p.counts.Load(), int32(1))
		equal(t, fmt.Sprintf("lists for %d writes", writes), int(p.lists.Load()), 1+(writes-1)/lossesPerList)
	}
	equal(t, "tenants on the server", len(slices.Compact(w.holders())), n)
	return retries
}

// A claim whose list has grown old does not go through it account by account: after two losses it lists anew, without
// a second count, and knows where there is room.
func TestLoserListsAnew(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		left                  int // accounts that the rivals leave
		writes, lists, counts int32
		refused               bool
	}{
		"one account is left": {1, 3, 2, 1, false},
		"half are left":       {32, 3, 2, 1, false},
		"none is left":        {0, 2, 2, 1, true}, // the first list is no older than the claim: it may be refused on it
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const free = 64
				w := newWorld(t, freeAccounts(free)...)
				w.inStep()
				order := w.order(t, "ga-1", free)
				w.on("list", w.called("list")+1, fault{after: func() {
					for _, name := range order[:free-test.left] {
						w.edit(name, heldBy("ga-of-the-broker"))
					}
				}})
				p, calls := w.process()
				claim, err := p.Claim(t.Context(), request("ga-1", "first"))
				if test.refused {
					equal(t, "tally", as[*ExhaustedError](t, err).Tally, Tally{Total: free, Claimed: free})
				} else {
					equal(t, "account", []any{claim.Account.Name, err}, []any{order[free-test.left], nil})
				}
				got := []int32{calls.writes.Load(), calls.lists.Load(), calls.counts.Load()}
				equal(t, "writes, lists, counts", got, []int32{test.writes, test.lists, test.counts})
			})
		})
	}
	t.Run("not for a harmless edit", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, account("a"))
		edits(w, 1, 1)
		p, calls := w.process()
		_, err := p.Claim(t.Context(), request("ga-1", "first"))
		equal(t, "error and lists", []any{err, calls.lists.Load()}, []any{nil, int32(1)})
	})
	t.Run("a list that fails ends the claim, and nothing is written", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, freeAccounts(8)...)
		order := w.order(t, "ga-1", 8)
		w.on("list", w.called("list")+1, fault{after: func() {
			for _, name := range order[:4] {
				w.edit(name, heldBy("ga-2"))
			}
		}})
		refusal := &ForbiddenError{Verb: "list", Resource: "credentialsbindings", Err: errCut}
		w.on("list", w.called("list")+2, fault{answer: refusal})
		_, err := w.pool().Claim(t.Context(), request("ga-1", "first"))
		equal(t, "error", as[*ForbiddenError](t, err), refusal)
		w.wantWrites(t)
	})
}

// order returns the first n unclaimed accounts in the order in which a Global Account tries them.
func (w *world) order(t *testing.T, ga string, n int) []string {
	t.Helper()
	var busy []string
	accounts, err := w.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	q := queryOf(func(q *Query) {
		q.GlobalAccount = ga
		q.Busy = func(name string) bool { return slices.Contains(busy, name) }
	})
	for range n {
		d, err := Select(pointers(accounts), Counts{}, q, Policy{})
		if err != nil {
			t.Fatal(err)
		}
		busy = append(busy, d.Account.Name)
	}
	return busy
}
