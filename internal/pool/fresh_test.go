package pool

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// F32: a free account is taken by a list that is at most two seconds old. Claims on accounts that are held keep the older
// one.

func TestFreeAccountIsTakenByAFreshList(t *testing.T) {
	t.Parallel()
	const window = 2 * time.Second // as the pages promise it
	for _, since := range []time.Duration{0, window, window + time.Millisecond, 43 * time.Second, maxAge} {
		t.Run(fmt.Sprintf("listed %s before", since), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, freeAccounts(8)...)
				p := w.pool()
				w.claim(t, p, request("ga-other", "first")) // it lists
				theirs := w.order(t, "ga-1")[1]
				w.edit(theirs, heldBy("ga-1")) // by the broker
				time.Sleep(since)
				lists, counts := w.called("list"), w.counter.called("count")
				claim := w.claim(t, p, request("ga-1", "first"))
				if since <= window { // what is left of the window: the precondition protects the account alone
					equal(t, "lists", w.called("list")-lists, 0)
					return
				}
				equal(t, "account, newly claimed", []any{claim.Account.Name, claim.Record.NewlyClaimed}, []any{theirs, false})
				equal(t, "lists and counts", []int{w.called("list") - lists, w.counter.called("count") - counts}, []int{1, 0})
			})
		})
	}
}

func TestHeldAccountNeedsNoFreshList(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		account func(*Account)
		target  Target
	}{"held": {heldBy("ga-1"), aws}, "shared": {shared, sharedAWS}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, account("a", test.account), account("b"))
				p := w.pool()
				there := func(r *ClaimRequest) { r.Target = test.target }
				w.claim(t, p, request("ga-1", "first", there))
				time.Sleep(maxAge)
				w.claim(t, p, request("ga-1", "second", there))
				equal(t, "lists", w.called("list"), 1)
			})
		})
	}
}

// A list is as old as its first request: what others do while its pages are read is not in it.
func TestAgeOfAListCountsFromItsFirstRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, freeAccounts(8)...)
		theirs := w.order(t, "ga-1")[1]
		w.on("list", w.called("list")+1, fault{after: func() {
			w.edit(theirs, heldBy("ga-1"))
			time.Sleep(maxFreeAge)
		}})
		p := w.pool()
		w.claim(t, p, request("ga-other", "first")) // it was waiting for this list
		time.Sleep(time.Millisecond)
		equal(t, "account", w.claim(t, p, request("ga-1", "first")).Account.Name, theirs)
	})
}

// A claim that waits until another one has taken the account that both want goes on by a list of after that, although the
// old one was begun for it.
func TestWaitForAnotherClaimAgesTheList(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, first, other, one := rivals(t, 8)
		tenants, given := []string{one, other}, map[string]string{}
		for _, tenant := range tenants {
			order := w.order(t, tenant)
			given[tenant] = order[len(order)-1]
			if given[tenant] == given[one] && tenant != one {
				given[tenant] = order[len(order)-2]
			}
		}
		w.on("write", 1, fault{before: func() {
			time.Sleep(time.Minute / 2)
			for tenant, account := range given {
				w.edit(account, heldBy(tenant)) // by the broker
			}
			time.Sleep(time.Minute / 2)
		}})
		p, claims := w.pool(), make([]Claim, 2)
		errs := together(2, func(i int) (err error) {
			claims[i], err = p.Claim(t.Context(), request(tenants[i], "first"))
			return err
		})
		equal(t, "errors", errs, []error{nil, nil})
		waited := 0
		for i, claim := range claims {
			if claim.Account.Name != first {
				waited++
				equal(t, "account of the one that waited", claim.Account.Name, given[tenants[i]])
			}
		}
		equal(t, "claims that waited", waited, 1)
	})
}

// One list is in flight at a time. It serves every claim that was waiting when it began, however long it takes.
func TestOneListServesAllThatWait(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ list, write time.Duration }{
		"a list that takes longer than it is fresh": {3 * time.Second, 100 * time.Millisecond},
		"writes that take longer than that":         {100 * time.Millisecond, 3 * time.Second},
		"a quick server":                            {10 * time.Millisecond, 10 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const tenants, atOnce = 100, 10
				w := newWorld(t, freeAccounts(tenants)...)
				p := w.pool()
				flying := make(chan struct{}, 1)
				w.storm = func(call string) fault {
					switch call {
					case "list":
						return fault{before: func() {
							select {
							case flying <- struct{}{}:
							default:
								t.Error("two lists are in flight")
							}
							time.Sleep(test.list)
						}, after: func() { <-flying }}
					case "write":
						return fault{before: func() { time.Sleep(test.write) }}
					}
					return fault{}
				}
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
				defer cancel()
				slots := make(chan struct{}, atOnce)
				errs := together(tenants, func(i int) error {
					slots <- struct{}{}
					defer func() { <-slots }()
					_, err := p.Claim(ctx, request(fmt.Sprintf("ga-%02d", i), "first"))
					return err
				})
				equal(t, "errors", errs, make([]error, tenants))
				if lists := w.called("list"); lists > 2*tenants/atOnce+2 {
					t.Errorf("%d lists for %d claims, %d at a time", lists, tenants, atOnce)
				}
			})
		})
	}
}

// A refresh of a claim names the accounts that its Global Account holds beside the one it may have.
func TestSecondAccountIsTold(t *testing.T) {
	t.Parallel()
	accounts := []Account{
		account("c", heldBy("ga-1"), bearing("ga-1", "first")), account("a", heldBy("ga-1")), account("b", heldBy("ga-2")),
		account("d", heldBy("ga-1"), dirty(Dirtied)), account("e", heldBy("ga-1"), func(a *Account) { a.EUAccess = true }), account("f"),
	}
	for name, test := range map[string]struct {
		policy Policy
		ga     string
		want   []string
	}{
		"one is allowed":        {Policy{}, "ga-1", []string{"a", "c"}},
		"several are allowed":   {several(3), "ga-1", nil},
		"the other has but one": {Policy{}, "ga-2", []string{"b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
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

// F7 and F32: a claim takes its own account back, the same one first. It looks at the pool as it is: a second account that the
// tenant has got since is told, and a claim that another run has made elsewhere is not made twice.
func TestAccountIsTakenBackByAFreshList(t *testing.T) {
	t.Parallel()
	const window = 2 * time.Second // as the pages promise it
	for _, since := range []time.Duration{0, window, window + time.Millisecond, 43 * time.Second, maxAge} {
		t.Run(fmt.Sprintf("listed %s before", since), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, account("a", bearing("ga-1", "first", newly)), account("b"), account("c", heldBy("ga-2")))
				p := w.pool()
				w.claim(t, p, request("ga-2", "first")) // it lists
				w.edit("b", heldBy("ga-1"))             // by the broker
				time.Sleep(since)
				lists, counts := w.called("list"), w.counter.called("count")
				s, err := p.Update(t.Context(), w.updateOf(func(r *UpdateRequest) { r.Reclaim = true }))
				equal(t, "error", err, nil)
				equal(t, "tenants", []string{w.at("a").Tenant, w.at("b").Tenant}, []string{"ga-1", "ga-1"})
				if since <= window { // what is left of the window
					equal(t, "lists", w.called("list")-lists, 0)
					return
				}
				equal(t, "held", s.Held, []string{"a", "b"})
				equal(t, "lists and counts", []int{w.called("list") - lists, w.counter.called("count") - counts}, []int{1, 0})
			})
		})
	}
	t.Run("the claim stands elsewhere by now", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, account("a"), account("b"), account("c", heldBy("ga-2")))
			p := w.pool()
			w.claim(t, p, request("ga-2", "first")) // it lists
			w.edit("b", heldBy("ga-1"))             // by another run of the same configuration
			w.edit("b", bearing("ga-1", "first"))
			time.Sleep(window + time.Millisecond)
			before := w.at("a")
			_, err := p.Update(t.Context(), w.updateOf(func(r *UpdateRequest) { r.Reclaim = true }))
			equal(t, "other", as[*ElsewhereError](t, err).Other, "b")
			equal(t, "account", w.at("a"), before)
		})
	})
	t.Run("the list fails behind a write whose answer was lost", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, account("a", bearing("ga-1", "first", newly)))
			w.on("write", 1, fault{lost: lostBefore, before: func() { time.Sleep(window + time.Millisecond) }})
			w.on("list", w.called("list")+2, fault{answer: &UnreachableError{Err: errors.New("no route")}})
			_, err := w.pool().Update(t.Context(), w.updateOf(func(r *UpdateRequest) { r.Reclaim = true }))
			wantError[*UnreachableError](t, err)
			wantError[*UnknownOutcomeError](t, err) // the write may still arrive
			w.wantWrites(t)
		})
	})
	t.Run("a change of a claim that stands needs none", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")), account("c", heldBy("ga-2")))
			p := w.pool()
			w.claim(t, p, request("ga-2", "first")) // it lists
			time.Sleep(maxAge)
			lists := w.called("list")
			_, err := p.Update(t.Context(), w.updateOf())
			equal(t, "error", err, nil)
			equal(t, "lists", w.called("list")-lists, 0)
		})
	})
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
