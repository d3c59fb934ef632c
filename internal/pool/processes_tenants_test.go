package pool

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// Many processes of many tenants, each of which loses some accounts to the others.

// F4: sixty-four processes, each for a tenant of its own, and as many accounts: all succeed, each on its own, and
// hardly any needs more than five tries more, also where each call of all takes equally long, which is the worst.
func TestProcessesOfManyTenants(t *testing.T) {
	t.Parallel()
	const n, rounds = 64, 20
	const mostP99 = 5
	for name, call := range map[string]func(){
		"calls of 50 to 150 ms": func() { time.Sleep(50*time.Millisecond + rand.N(100*time.Millisecond)) }, //nolint:gosec // a test's dice
		"calls in step":         func() { time.Sleep(time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var retries []int
			for round := range rounds {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, freeAccounts(n)...)
					w.storm = func(string) fault { return fault{before: call} }
					retries = append(retries, w.aClaimEach(t, n, round)...)
				})
			}
			slices.Sort(retries)
			p99, most := retries[len(retries)*99/100], retries[len(retries)-1]
			t.Logf("retries: p50 %d, p99 %d, most %d", retries[len(retries)/2], p99, most)
			if p99 > mostP99 {
				t.Errorf("retries: p99 is %d, the most are %d, want p99 of at most %d", p99, most, mostP99)
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
		retries = append(retries, int(p.writes.Load())-1)
		equal(t, "counts", p.counts.Load(), int32(1))
		equal(t, "lists, one for each write", p.lists.Load(), p.writes.Load()) // the last one went well, the others were lost
	}
	equal(t, "tenants on the server", len(slices.Compact(w.holders())), n)
	return retries
}

// A claim whose list has grown old does not go through it account by account: after the first loss it lists anew, without
// a second count, and knows where there is room.
func TestLoserListsAnew(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		left                  int // accounts that the rivals leave
		writes, lists, counts int32
		refused               bool
	}{
		"all but one are left": {63, 2, 2, 1, false},
		"half are left":        {32, 2, 2, 1, false},
		"one account is left":  {1, 2, 2, 1, false},
		"none is left":         {0, 1, 2, 1, true}, // the first list is no older than the claim: it may be refused on it
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const free = 64
				w := newWorld(t, freeAccounts(free)...)
				w.inStep()
				order := w.order(t, "ga-1")
				w.on("list", w.called("list")+1, fault{after: func() {
					for _, name := range order[:free-test.left] {
						w.edit(name, heldBy("ga-of-the-broker"))
					}
				}})
				p, calls := w.process()
				claim, err := p.Claim(t.Context(), request("ga-1", "first"))
				if test.refused {
					equal(t, "tally", as[*ExhaustedError](t, err).Tally, Tally{ClassTaken: free})
				} else {
					equal(t, "account", []any{claim.Account.Name, err}, []any{order[free-test.left], nil})
				}
				got := []int32{calls.writes.Load(), calls.lists.Load(), calls.counts.Load()}
				equal(t, "writes, lists, counts", got, []int32{test.writes, test.lists, test.counts})
			})
		})
	}
	t.Run("a list that fails ends the claim, and nothing is written", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, freeAccounts(8)...)
		order := w.order(t, "ga-1")
		w.on("list", w.called("list")+1, fault{after: func() { w.edit(order[0], heldBy("ga-2")) }})
		refusal := &ForbiddenError{Verb: "list", Resource: "credentialsbindings", Err: errCut}
		w.on("list", w.called("list")+2, fault{answer: refusal})
		_, err := w.pool().Claim(t.Context(), request("ga-1", "first"))
		equal(t, "error", as[*ForbiddenError](t, err), refusal)
		w.wantWrites(t)
	})
}

// Only an account that another tenant got says that the list is old: all else that a lost write can mean concerns that
// account alone.
func TestWhoListsAnewAfterALostWrite(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		between func(w *world, first string)
		lists   int32
	}{
		"a harmless edit":              {func(w *world, first string) { w.edit(first, func(*Account) {}) }, 1},
		"another tenant's void record": {func(w *world, first string) { w.edit(first, bearing("ga-2", "void")) }, 1},
		"it is dirty":                  {func(w *world, first string) { w.edit(first, dirty(Dirtied)) }, 1},
		"it is kept internal":          {func(w *world, first string) { w.edit(first, internal) }, 1},
		"another tenant has it":        {func(w *world, first string) { w.edit(first, heldBy("ga-2")) }, 2},
		"it was given to this tenant":  {func(w *world, first string) { w.edit(first, heldBy("ga-1")) }, 2},
		"it is gone":                   {func(w *world, first string) { w.remove(first) }, 2},
		"it was made anew":             {func(w *world, first string) { w.create(account(first)) }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, freeAccounts(4)...)
			first := w.firstChoice(t, "ga-1")
			w.on("write", 1, fault{before: func() { test.between(w, first) }})
			p, calls := w.process()
			w.claim(t, p, request("ga-1", "first"))
			counts := int32(1)
			if name == "it was made anew" { // it was not free when the clusters were counted: it is listed and counted once more
				test.lists, counts = test.lists+1, 2
			}
			equal(t, "writes, lists, counts", []int32{calls.writes.Load(), calls.lists.Load(), calls.counts.Load()}, []int32{2, test.lists, counts})
		})
	}
}
