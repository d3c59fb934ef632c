package pool

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// slowly is a server that does writes one after the other, as gardener-apiserver does where its admission sends requests at a rate of its
// own. One that would wait for too long is turned away.
type slowly struct {
	mu                 sync.Mutex
	free, listed       time.Time // when the server can begin with the next write; when the last list was begun
	underway, most     int       // writes
	turnedAway, writes int
	oldest             time.Duration // the greatest age of the last list when a write was sent
}

const (
	timeOfWrite = 400 * time.Millisecond
	longestWait = 34 * time.Second
)

func (s *slowly) storm(call string) fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	switch call {
	case "list":
		s.listed = now
	case "write":
		if s.free.Before(now) {
			s.free = now
		}
		if s.free.Sub(now) > longestWait {
			s.turnedAway++
			return fault{answer: &account.BusyError{Err: errCut}}
		}
		s.free = s.free.Add(timeOfWrite)
		s.underway, s.writes = s.underway+1, s.writes+1
		s.most, s.oldest = max(s.most, s.underway), max(s.oldest, now.Sub(s.listed))
		done := s.free.Sub(now)
		return fault{before: func() {
			time.Sleep(done)
			s.mu.Lock()
			defer s.mu.Unlock()
			s.underway--
		}}
	}
	return fault{}
}

// However many claims are made at a time, no write waits so long at a server that it is turned away, none is sent twice, and each is
// judged by a list that is fresh when it is sent.
func TestClaimsTakeTurnsToWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const claims = 3 * maxWriting
		w, server := newWorld(t, freeAccounts(claims)...), &slowly{}
		w.storm = server.storm
		p, began := w.pool(), time.Now()
		errs := together(claims, func(i int) error {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			_, err := p.Claim(ctx, request(fmt.Sprint("ga-", i), "first"))
			return err
		})
		equal(t, "errors", errs, make([]error, claims))
		equal(t, "writes, turned away, most at a time", []int{server.writes, server.turnedAway, server.most}, []int{claims, 0, maxWriting})
		equal(t, "took", time.Since(began), claims*timeOfWrite)
		if server.oldest > protocol.MaxFreeAge {
			t.Errorf("a write was judged by a list of %s before", server.oldest)
		}
	})
}

// A release takes its turns for each of its writes, and has none while it waits: more of them than there are turns end all the same.
func TestReleasesTakeTurnsToWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const claims = 3 * maxWriting
		var accounts []account.Account
		for i := range claims {
			ga := fmt.Sprint("ga-", i)
			accounts = append(accounts, anAccount(fmt.Sprintf("a-%03d", i), heldBy(ga), bearing(ga, "first")))
		}
		w, server := newWorld(t, accounts...), &slowly{}
		w.storm = server.storm
		p, began := w.pool(), time.Now()
		errs := together(claims, func(i int) error {
			req := w.releaseOf(fmt.Sprint("ga-", i), "first", accounts[i].Name, account.MarkDirty)
			req.Grace = time.Minute
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
			defer cancel()
			_, err := p.Release(ctx, req)
			return err
		})
		equal(t, "errors", errs, make([]error, claims))
		equal(t, "writes, turned away", []int{server.writes, server.turnedAway}, []int{2 * claims, 0})
		if took, most := time.Since(began), time.Minute+2*claims*timeOfWrite+time.Second; took > most || server.most > maxWriting {
			t.Errorf("took %s, want %s at most; %d writes at a time", took, most, server.most)
		}
	})
}

// One that waits for its turn ends when its caller gives up, without a write; its error says what it waited for.
func TestWaitForATurnEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		accounts := freeAccounts(maxWriting + 1)
		w := newWorld(t, accounts...)
		w.storm = func(call string) fault {
			if call == "write" {
				return fault{before: func() { time.Sleep(time.Minute) }}
			}
			return fault{}
		}
		p := w.pool()
		errs := together(maxWriting+1, func(i int) error {
			if i < maxWriting {
				_, err := p.Claim(t.Context(), request(fmt.Sprint("ga-", i), "first", pinnedTo(accounts[i].Name)))
				return err
			}
			time.Sleep(time.Second)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			_, err := p.Claim(ctx, request("late", "first", pinnedTo(accounts[i].Name)))
			late := as[*TimeoutError](t, err)
			equal(t, "steps", late.Steps, []string{"waiting for other writes of this run took 15s"}) // a quarter is kept back
			equal(t, "time of writes", late.Writing, 15*time.Second)
			return nil
		})
		equal(t, "errors", errs, make([]error, maxWriting+1))
		equal(t, "writes", len(w.wrote()), maxWriting)
	})
}
