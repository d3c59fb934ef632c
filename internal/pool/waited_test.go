package pool

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// An operation that waits for others of its process judges anew what it was about to write: another party may have come to the cloud account
// meanwhile.

// busyFrom has other operations of the process write, as many as may at a time, between two moments.
func busyFrom(p *Pool, begin, end time.Duration) {
	time.AfterFunc(begin, func() {
		for range maxWriting {
			p.turns <- struct{}{}
		}
	})
	time.AfterFunc(end, func() {
		for range maxWriting {
			<-p.turns
		}
	})
}

func TestReleaseThatWaits(t *testing.T) {
	t.Parallel()
	const grace = time.Minute
	secondBinding := func(w *world) {
		w.create(anAccount("b", withSecret("secret-a"), heldBy("ga-1")))
		w.counter.add("b", "blue")
	}
	for name, test := range map[string]struct {
		others []account.Account
		wait   func(t *testing.T, w *world, p *Pool) // between the fence and the mark
		comes  func(w *world)                        // while it waits
	}{
		"for its turn, and a cluster comes by a new binding": {nil,
			func(_ *testing.T, _ *world, p *Pool) { busyFrom(p, 50*time.Second, 80*time.Second) }, secondBinding},
		"for its turn, and the broker takes the other binding": {[]account.Account{anAccount("b", withSecret("secret-a"))},
			func(_ *testing.T, _ *world, p *Pool) { busyFrom(p, 50*time.Second, 80*time.Second) },
			func(w *world) { w.edit("b", heldBy("ga-2")); w.counter.add("b", "blue") }},
		"for another operation of its tenant, and a cluster comes by a new binding": {
			[]account.Account{anAccount("y"), anAccount("z", heldBy("ga-1"), bearing("ga-1", "second"))}, slowUpdate, secondBinding},
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, append(test.others, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first")))...)
			p := w.pool()
			req := w.releaseOf("ga-1", "first", "a", account.MarkDirty)
			req.Grace = grace
			test.wait(t, w, p)
			time.AfterFunc(70*time.Second, func() { test.comes(w) })
			outcome, err := p.Release(t.Context(), req)
			if err == nil {
				t.Errorf("the release ends: %s", outcome)
			}
			equal(t, "dirt of a", w.at("a").Dirty, account.Clean)
		})
	}
}

// slowUpdate has another claim of the tenant be changed, by a write of 40 s that begins 10 s before the end of the grace time, and another
// tenant list a second before that end.
func slowUpdate(t *testing.T, w *world, p *Pool) {
	t.Helper()
	var slow atomic.Bool
	w.storm = func(call string) fault {
		if call == "write" && slow.CompareAndSwap(true, false) {
			return fault{before: func() { time.Sleep(40 * time.Second) }}
		}
		return fault{}
	}
	time.AfterFunc(50*time.Second, func() {
		slow.Store(true)
		_, err := p.Update(context.Background(), protocol.UpdateRequest{Identity: identity("ga-1", "second"), Account: "z", UID: w.at("z").UID,
			WasOwner: "pipeline", Details: account.Details{Owner: "pipeline", ClusterName: "green"}, ClaimedAt: longAgo})
		equal(t, "error of the update", err, nil)
	})
	time.AfterFunc(59*time.Second, func() {
		_, err := p.Claim(context.Background(), request("ga-2", "other", pinnedTo("y")))
		equal(t, "error of the other claim", err, nil)
	})
}

// The new binding gets no label by what was known of the old one before the wait.
func TestMoveThatWaits(t *testing.T) {
	t.Parallel()
	virtual(t, "", func(t *testing.T) {
		w := newWorld(t, old(heldBy("ga-1"), bearing("ga-1", "first", newly)), anAccount("a"))
		r, p := w.moveOf(), w.pool()
		for range maxWriting {
			p.turns <- struct{}{}
		}
		time.AfterFunc(30*time.Second, func() { w.edit("SecretBinding a", lost) })
		time.AfterFunc(time.Minute, func() {
			for range maxWriting {
				<-p.turns
			}
		})
		_, err := p.Move(t.Context(), r)
		equal(t, "is a MoveError", isA[*protocol.MoveError](err), true)
		w.wantWrites(t)
	})
}

// lost gives an account to another Global Account, as the broker does after a clean-up.
func lost(a *account.Account) { a.Tenant, a.Records = "ga-2", nil }

// Of two owners' operations the one that waits sees who has come to the account meanwhile.
func TestSupplyThatWaits(t *testing.T) {
	t.Parallel()
	virtual(t, "a removal", func(t *testing.T) {
		w := newWorld(t, anAccount("a"))
		p := w.pool()
		busyFrom(p, 0, time.Minute)
		time.AfterFunc(30*time.Second, func() { w.counter.add("a", "blue") })
		time.Sleep(time.Second)
		err := p.Remove(t.Context(), protocol.RemoveRequest{Name: "a", UID: w.at("a").UID, Alone: true})
		equal(t, "is refused", isA[*account.SupplyError](err), true)
		equal(t, "the account is there", w.at("a").Name, "a")
	})
	virtual(t, "an addition", func(t *testing.T) {
		w := newWorld(t)
		p := w.pool()
		busyFrom(p, 0, time.Minute)
		supply := supplyOf()
		time.AfterFunc(30*time.Second, func() {
			w.create(anAccount("b", func(a *account.Account) { a.Credentials = &supply.Credentials }, heldBy("ga-1")))
		})
		time.Sleep(time.Second)
		_, err := p.Add(t.Context(), supply)
		equal(t, "is refused", isA[*account.SameCredentialsError](err), true)
		equal(t, "accounts", len(w.accounts), 1)
	})
}

// Claims of one run that wait for each other share their counts, whatever other bindings lead into the accounts: one binding of another kind
// each, or one that may lead into any because its annotation cannot be read.
func TestClaimsThatWaitShareCounts(t *testing.T) {
	t.Parallel()
	const claims = 60
	for name, test := range map[string]struct {
		others func(i int) []account.Account
		counts int // at most
	}{
		"a binding of another kind each": {func(i int) []account.Account { return []account.Account{sibling(nameOf(i), "secret-"+nameOf(i))} }, claims / 2},
		"an annotation that cannot be read": {func(i int) []account.Account {
			if i > 0 {
				return nil
			}
			return []account.Account{anAccount("x", func(a *account.Account) { a.SameAsUnread = "garbage" })}
		}, 2},
	} {
		virtual(t, name, func(t *testing.T) {
			var accounts []account.Account
			for i := range claims + 5 {
				accounts = append(append(accounts, anAccount(nameOf(i))), test.others(i)...)
			}
			w := newWorld(t, accounts...)
			w.storm = oneWriteAtATime()
			w.counter.storm = func(string) fault { return fault{before: func() { time.Sleep(300 * time.Millisecond) }} }
			p, failed := w.pool(), make(chan error, claims)
			for i := range claims {
				go func() {
					_, err := p.Claim(context.Background(), request("ga-"+nameOf(i), "first"))
					failed <- err
				}()
			}
			for range claims {
				equal(t, "error", <-failed, nil)
			}
			if n := w.counter.called("count"); n > test.counts {
				t.Errorf("%d claims count %d times, want %d at most", claims, n, test.counts)
			}
		})
	}
}

func nameOf(i int) string { return fmt.Sprintf("a-%03d", i) }

// A claim that has its account by a count from before a long wait counts anew: a cluster has come by another binding meanwhile.
func TestClaimThatWaitsCountsAnew(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		rival bool // another claim takes the account a moment before
		storm func() func(call string) fault
	}{
		"for another claim that is about to take the account": {true, func() func(string) fault {
			var first atomic.Bool
			return func(call string) fault {
				if call == "write" && first.CompareAndSwap(false, true) {
					refused := &account.ForbiddenError{Verb: "patch", Resource: "credentialsbindings", Namespace: namespace, Err: errCut}
					return fault{before: func() { time.Sleep(50 * time.Second) }, answer: refused}
				}
				return fault{}
			}
		}},
		"for a server that takes no writes": {false, func() func(string) fault {
			var tries atomic.Int32
			return func(call string) fault {
				if call == "write" && tries.Add(1) <= 11 {
					return fault{answer: &account.BusyError{Account: "a", Err: errCut}}
				}
				return fault{}
			}
		}},
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", withSecret("secret-a")), sibling("a", "secret-a"), anAccount("z"))
			p := w.pool()
			w.claim(t, p, request("ga-9", "other", pinnedTo("z"))) // there is a list and a count
			time.Sleep(10 * time.Second)
			w.storm = test.storm()
			if test.rival {
				go func() { _, _ = p.Claim(context.Background(), request("ga-2", "rival", pinnedTo("a"))) }()
			}
			time.Sleep(100 * time.Millisecond)
			time.AfterFunc(25*time.Second, func() { w.counter.add("SecretBinding a", "blue") })
			time.Sleep(3 * time.Second)
			if _, err := p.Claim(t.Context(), request("ga-1", "first", pinnedTo("a"))); err == nil {
				t.Error("the claim is made")
			}
			equal(t, "tenant", w.at("a").Tenant, "")
		})
	}
}

// A claim that loses one account after the other, each with a binding of another kind, goes on as long as there are free ones.
func TestClaimThatLosesManyAccounts(t *testing.T) {
	t.Parallel()
	virtual(t, "", func(t *testing.T) {
		const busy = 12
		var accounts []account.Account
		for i := range busy + 1 {
			accounts = append(accounts, anAccount(nameOf(i)), sibling(nameOf(i), "secret-"+nameOf(i)))
		}
		w := newWorld(t, accounts...)
		order, next := w.order(t, "ga-1"), 0
		w.storm = func(call string) fault {
			if call != "write" || next == busy {
				return fault{}
			}
			name := order[next]
			next++
			return fault{before: func() { w.edit(name, heldBy("ga-2")); time.Sleep(5 * time.Second) }}
		}
		equal(t, "account", w.claim(t, w.pool(), request("ga-1", "first")).Account.Name, order[busy])
	})
}

// Moves that get their turn one after the other share their lists.
func TestMovesThatWaitShareLists(t *testing.T) {
	t.Parallel()
	virtual(t, "", func(t *testing.T) {
		const moves = 60
		var accounts []account.Account
		for i := range moves {
			was := sibling(nameOf(i), "secret-"+nameOf(i))
			heldBy("ga-" + nameOf(i))(&was)
			bearing("ga-"+nameOf(i), "first", newly)(&was)
			accounts = append(accounts, was, anAccount(nameOf(i)))
		}
		w := newWorld(t, accounts...)
		w.storm = oneWriteAtATime()
		p, failed := w.pool(), make(chan error, moves)
		for i := range moves {
			from := "SecretBinding " + nameOf(i)
			req := w.moveOf(func(r *protocol.MoveRequest) {
				r.Identity, r.Account, r.UID = identity("ga-"+nameOf(i), "first"), from, w.at(from).UID
				r.Credentials = account.CredentialsRef{}
			})
			go func() {
				_, err := p.Move(context.Background(), req)
				failed <- err
			}()
		}
		for range moves {
			equal(t, "error", <-failed, nil)
		}
		if n := w.called("list"); n > moves/2 {
			t.Errorf("%d moves list %d times", moves, n)
		}
	})
}

// A mark that was decided, and is not sent because a cluster has come while the release waited for its turn, is no mark in doubt.
func TestReleaseWhoseMarkWasNotSent(t *testing.T) {
	t.Parallel()
	virtual(t, "", func(t *testing.T) {
		w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first")))
		p, req := w.pool(), w.releaseOf("ga-1", "first", "a", account.MarkDirty)
		req.Grace = time.Minute
		busyFrom(p, 50*time.Second, 80*time.Second)
		time.AfterFunc(70*time.Second, func() { w.counter.add("a", "blue") })
		w.storm = func(call string) fault {
			switch {
			case call == "get" && w.called("write") >= 2:
				return fault{answer: &account.UnreachableError{Verb: "get", Tries: 1, Err: errCut}}
			case call == "write" && w.called("write") >= 2:
				return fault{lost: lostAfter}
			}
			return fault{}
		}
		_, err := p.Release(t.Context(), req)
		equal(t, "ended", as[*protocol.FenceLeftError](t, err).Ended, false)
		equal(t, "dirt", w.at("a").Dirty, account.Clean)
	})
}

// oneWriteAtATime is a server that takes one write after the other, 0.4 s each, and 0.3 s for a list.
func oneWriteAtATime() func(call string) fault {
	turn := make(chan struct{}, 1)
	return func(call string) fault {
		switch call {
		case "list":
			return fault{before: func() { time.Sleep(300 * time.Millisecond) }}
		case "write":
			return fault{before: func() { turn <- struct{}{}; time.Sleep(400 * time.Millisecond); <-turn }}
		}
		return fault{}
	}
}
