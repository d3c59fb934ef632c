package pool

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// F32: a free account is taken by a list that is at most two seconds old. Claims on accounts that are held keep the older
// one, for a minute: what the broker does meanwhile has to count.
const window = 2 * time.Second // as the pages promise it

func TestFreeAccountIsTakenByAFreshList(t *testing.T) {
	t.Parallel()
	reclaim := func(r *protocol.UpdateRequest) { r.Reclaim = true }
	for since, asked := range map[time.Duration][]int{ // lists, counts
		0: {0, 0}, window: {0, 0}, window + time.Millisecond: {1, 0}, protocol.MaxAge: {1, 0}, protocol.MaxAge + time.Second: {1, 1}, 5 * time.Hour: {1, 1},
	} {
		parallel(t, fmt.Sprintf("listed %s before", since), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, freeAccounts(8)...)
				p := w.pool()
				w.claim(t, p, request("ga-other", "first")) // it lists
				theirs := w.order(t, "ga-1")[1]
				w.edit(theirs, heldBy("ga-1")) // by the broker
				time.Sleep(since)
				lists, counts := w.called("list"), w.counter.called("count")
				claim := w.claim(t, p, request("ga-1", "first"))
				equal(t, "lists and counts", []int{w.called("list") - lists, w.counter.called("count") - counts}, asked)
				// What is left of the window: the precondition protects the account alone.
				equal(t, "account of the broker, newly claimed", []bool{claim.Account.Name == theirs, claim.Record.NewlyClaimed}, []bool{asked[0] > 0, asked[0] == 0})
			})
			synctest.Test(t, func(t *testing.T) { // F7: a claim takes its own account back by a list as fresh
				w := newWorld(t, anAccount("a", bearing("ga-1", "first", newly)), anAccount("b"), anAccount("c", heldBy("ga-2")))
				p := w.pool()
				w.claim(t, p, request("ga-2", "first")) // it lists
				w.edit("b", heldBy("ga-1"))             // by the broker
				time.Sleep(since)
				lists, counts := w.called("list"), w.counter.called("count")
				s, err := p.Update(t.Context(), w.updateOf(reclaim))
				equal(t, "error, tenant", []any{err, w.at("a").Tenant}, []any{nil, "ga-1"})
				equal(t, "lists and counts", []int{w.called("list") - lists, w.counter.called("count") - counts}, asked)
				if asked[0] > 0 {
					equal(t, "held", s.Held, []string{"a", "b"})
				}
			})
		})
	}
	virtual(t, "the claim is on another account by now", func(t *testing.T) {
		w := newWorld(t, anAccount("a"), anAccount("b"), anAccount("c", heldBy("ga-2")))
		p := w.pool()
		w.claim(t, p, request("ga-2", "first")) // it lists
		w.edit("b", heldBy("ga-1"))             // by another run of the same configuration
		w.edit("b", bearing("ga-1", "first"))
		time.Sleep(window + time.Millisecond)
		_, err := p.Update(t.Context(), w.updateOf(reclaim))
		equal(t, "other", as[*protocol.ElsewhereError](t, err).Other, "b")
		w.wantWrites(t, "c +first")
	})
}

func TestHeldAccountNeedsNoFreshList(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		account func(*account.Account)
		target  account.Target
		call    func(t *testing.T, w *world, p *Pool)
	}{
		"held":   {heldBy("ga-1"), aws, func(t *testing.T, w *world, p *Pool) { t.Helper(); w.claim(t, p, request("ga-1", "second")) }},
		"shared": {shared, sharedAWS, func(t *testing.T, w *world, p *Pool) { t.Helper(); w.claim(t, p, request("ga-1", "second", onShared)) }},
		"a change of a claim": {heldBy("ga-1"), aws, func(t *testing.T, w *world, p *Pool) {
			t.Helper()
			_, err := p.Update(t.Context(), w.updateOf())
			equal(t, "error", err, nil)
		}},
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", test.account), anAccount("b"))
			p := w.pool()
			w.claim(t, p, request("ga-1", "first", func(r *protocol.ClaimRequest) { r.Target = test.target }))
			time.Sleep(protocol.MaxAge)
			test.call(t, w, p)
			equal(t, "lists", w.called("list"), 1)
		})
	}
}

// One list is in flight at a time. It serves every claim that was waiting when it began, however long it takes.
func TestOneListServesAllThatWait(t *testing.T) {
	t.Parallel()
	for name, took := range map[string]map[string]time.Duration{
		"a list that takes longer than it is fresh": {"list": 3 * time.Second, "write": 100 * time.Millisecond},
		"writes that take longer than that":         {"list": 100 * time.Millisecond, "write": 3 * time.Second},
	} {
		virtual(t, name, func(t *testing.T) {
			const tenants, atOnce = 40, 10
			w := newWorld(t, freeAccounts(tenants)...)
			p, flying := w.pool(), 0
			w.storm = func(call string) fault {
				pause := func() { time.Sleep(took[call]) }
				if call != "list" {
					return fault{before: pause}
				}
				return fault{before: func() {
					flying++
					equal(t, "lists in flight", flying, 1)
					pause()
				}, after: func() { flying-- }}
			}
			slots := make(chan struct{}, atOnce)
			errs := together(tenants, func(i int) error {
				slots <- struct{}{}
				defer func() { <-slots }()
				_, err := p.Claim(within(t, 10*time.Minute), request(fmt.Sprintf("ga-%02d", i), "first"))
				return err
			})
			equal(t, "errors", errs, make([]error, tenants))
			if lists := w.called("list"); lists > 2*tenants/atOnce+2 {
				t.Errorf("%d lists for %d claims, %d at a time", lists, tenants, atOnce)
			}
		})
	}
}

// A list that one claim has begun serves the next one, which finds the one before it too old a moment later.
func TestListThatHasJustBegunServesTheNextClaim(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, freeAccounts(10)...)
		p := w.pool()
		w.claim(t, p, request("ga-0", "first"))
		time.Sleep(protocol.MaxFreeAge + time.Second)
		lists := w.called("list")
		w.on("list", lists+1, fault{before: func() { time.Sleep(100 * time.Millisecond) }})
		errs := together(3, func(i int) error {
			time.Sleep(time.Duration(i) * 10 * time.Millisecond)
			_, err := p.Claim(t.Context(), request(fmt.Sprintf("ga-%d", i+1), "first"))
			return err
		})
		equal(t, "errors", errs, make([]error, 3))
		equal(t, "lists", w.called("list")-lists, 1)
	})
}

// A list is as old as its first request: what others do while its pages are read is not in it.
func TestAgeOfAListCountsFromItsFirstRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, freeAccounts(8)...)
		theirs := w.order(t, "ga-1")[1]
		w.on("list", w.called("list")+1, fault{after: func() {
			w.edit(theirs, heldBy("ga-1"))
			time.Sleep(protocol.MaxFreeAge)
		}})
		p := w.pool()
		w.claim(t, p, request("ga-other", "first")) // it was waiting for this list
		time.Sleep(time.Millisecond)
		equal(t, "account", w.claim(t, p, request("ga-1", "first")).Account.Name, theirs)
	})
}

// A refresh of a claim names the accounts that its Global Account holds beside the one it may have.
func TestSecondAccountIsReported(t *testing.T) {
	t.Parallel()
	accounts := []account.Account{
		anAccount("c", heldBy("ga-1"), bearing("ga-1", "first")), anAccount("a", heldBy("ga-1")), anAccount("b", heldBy("ga-2")),
		anAccount("d", heldBy("ga-1"), dirty(account.Dirtied)), anAccount("e", heldBy("ga-1"), func(a *account.Account) { a.EUAccess = true }), anAccount("f"),
	}
	for name, test := range map[string]struct {
		policy account.Policy
		ga     string
		want   []string
	}{
		"one is allowed":        {account.Policy{}, "ga-1", []string{"a", "c"}},
		"several are allowed":   {several(3), "ga-1", nil},
		"the other has but one": {account.Policy{}, "ga-2", []string{"b"}},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, accounts...)
			w.policy = test.policy
			account := map[string]string{"ga-1": "c", "ga-2": "b"}[test.ga]
			s, err := w.pool().Inspect(context.Background(), test.ga, aws, "first", account, w.at(account).UID)
			equal(t, "error", err, nil)
			equal(t, "held", s.Held, test.want)
			equal(t, "requests", []int{w.called("list"), w.called("get")}, []int{1, 0})
		})
	}
}

// A second binding of the account's credentials is no second account.
func TestSecondBindingIsNoSecondAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("b", heldBy("ga-1"), bearing("ga-1", "first"), withSecret("one")), anAccount("a", heldBy("ga-1"), withSecret("one")),
		anAccount("c", heldBy("ga-1"), withSecret("two")))
	s, err := w.pool().Inspect(t.Context(), "ga-1", aws, "first", "b", w.at("b").UID)
	equal(t, "error", err, nil)
	equal(t, "held", s.Held, []string{"a", "c"})
}

// The list comes before the count. A count that takes long makes it old: the account is then taken by a new list.
func TestSlowCountMakesTheListOld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, freeAccounts(8)...)
		other := w.order(t, "ga-1")[1]
		p := w.pool()
		lists := w.called("list")
		w.counter.at("count", w.counter.called("count")+1, fault{before: func() {
			time.Sleep(10 * time.Second)
			w.edit(other, heldBy("ga-1"))
			time.Sleep(20 * time.Second)
		}})
		claim := w.claim(t, p, request("ga-1", "first"))
		equal(t, "account", claim.Account.Name, other)
		equal(t, "lists", w.called("list")-lists, 2)
	})
}

// A refusal is final only on a list that is younger than the claim; all that wait for one share it.
func TestRefusalsAreJudgedAgainOnOneFreshList(t *testing.T) {
	t.Parallel()
	for name, freed := range map[string]bool{"still none": false, "one was freed": true} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", heldBy("ga-99"), dirty(account.Dirtied)))
			p := w.pool()
			w.on("list", 1, fault{after: func() {
				time.Sleep(protocol.MaxFreeAge + time.Second) // all fifty have begun by now, later than this list, and it is old
				if freed {
					w.edit("a", stripped)
				}
			}})
			var exhausted, claimed int
			for _, err := range together(50, func(i int) error {
				time.Sleep(time.Duration(i+1) * time.Millisecond)
				_, err := p.Claim(t.Context(), request(fmt.Sprintf("ga-%d", i), "first"))
				return err
			}) {
				if err == nil {
					claimed++
					continue
				}
				wantError[*account.ExhaustedError](t, err)
				exhausted++
			}
			want := map[bool][]int{false: {0, 50}, true: {1, 49}}[freed]
			equal(t, "claimed and refused", []int{claimed, exhausted}, want)
			equal(t, "lists", w.called("list"), 2)
			equal(t, "counts", w.counter.called("count"), 2)
		})
	}
}

// Nor does it bring back an account that a write has found gone meanwhile.
func TestSlowListDoesNotBringBackWhatIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a"), anAccount("b"))
	c := newCache(w.memStore, w.counter)
	_, err := c.load(t.Context(), time.Now())
	equal(t, "first list", err, nil)
	w.on("list", 2, fault{after: func() { w.remove("a"); c.wrote("a", nil) }})
	equal(t, "slow list", c.relist(t.Context(), time.Now()), nil)
	s := c.snapshot()
	equal(t, "a and b", []bool{s.Account("a") != nil, s.Account("b") != nil}, []bool{false, true})
}

// pastStore answers each list with the accounts of an earlier moment, as a cache before the server may.
type pastStore struct {
	*memStore
	past []account.Account
}

func (s *pastStore) List(context.Context) ([]account.Account, error) { return s.past, nil }

// F15: nor is a list believed that is older than what is known of an account.
func TestListOfThePastIsNotBelieved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a"), anAccount("b"))
	past, err := w.List(t.Context())
	equal(t, "error", err, nil)
	w.edit("a", heldBy("ga-2"))
	now, err := w.List(t.Context())
	equal(t, "error", err, nil)
	store := &pastStore{w.memStore, now}
	c := newCache(store, w.counter)
	_, err = c.load(t.Context(), time.Now())
	equal(t, "first list", err, nil)
	store.past = past
	equal(t, "list of the past", c.relist(t.Context(), time.Now()), nil)
	s := c.snapshot()
	equal(t, "tenant of a, and b", []any{s.Account("a").Tenant, s.Account("b") != nil}, []any{"ga-2", true})
}

// An exhausted pool is not listed and counted once for each claim that it refuses.
func TestExhaustedPoolIsListedOnceForManyClaims(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, anAccount("a", heldBy("ga-other")))
		p := w.pool()
		refused := func() {
			for i := range 50 {
				time.Sleep(time.Millisecond) // each claim begins after the list that refuses it
				_, err := p.Claim(t.Context(), request(fmt.Sprintf("ga-%d", i), "first"))
				wantError[*account.ExhaustedError](t, err)
			}
		}
		refused()
		equal(t, "lists and counts", []int{w.memStore.calls["list"], w.counter.called("count")}, []int{1, 1})
		time.Sleep(protocol.MaxFreeAge + time.Millisecond) // by then an account may have come back
		refused()
		equal(t, "lists and counts", []int{w.memStore.calls["list"], w.counter.called("count")}, []int{2, 2})
	})
}

// Labels that were stripped and set again can leave one claim's record on two accounts. It is found on the first of them by name, as long
// as one bears it.
func TestClaimOnTwoAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"d", "b", "c", "a"} {
		w.create(anAccount(name, heldBy("ga-1"), bearing("ga-1", "first")))
	}
	p := w.pool()
	for _, name := range []string{"a", "b", "c", "d"} {
		at, err := p.Locate(t.Context(), identity("ga-1", "first"))
		equal(t, "account", []any{at, err}, []any{name, nil})
		w.edit(name, func(a *account.Account) { clear(a.Records) })
		_, _, err = p.Find(t.Context(), "ga-1", name, "first") // this process sees it
		equal(t, "error", err, nil)
	}
}
