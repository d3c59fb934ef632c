package pool

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// paced is a process before a server as a run meets it: two writes at a time, and a list of Shoots is answered from the cache of the API
// server once etcd has confirmed it, which the API server asks for once in 100 ms at most.
type paced struct {
	*process
	lanes chan struct{}

	mu    sync.Mutex
	asked time.Time // when the API server asked last
}

const (
	pacedWay   = 3 * time.Millisecond // of a request, there and back
	pacedWrite = 5 * time.Millisecond
	pacedList  = 100 * time.Millisecond
)

func (p *paced) Write(ctx context.Context, judged account.Account, change account.Change) (account.Account, error) {
	time.Sleep(pacedWay)
	p.lanes <- struct{}{}
	defer func() { <-p.lanes }()
	time.Sleep(pacedWrite)
	return p.process.Write(ctx, judged, change)
}

func (p *paced) Count(ctx context.Context) (account.Counts, error) {
	time.Sleep(pacedWay)
	p.mu.Lock()
	at := time.Now()
	if next := p.asked.Add(pacedList); next.After(at) {
		at = next
	}
	p.asked = at
	p.mu.Unlock()
	time.Sleep(time.Until(at))
	return p.process.Count(ctx)
}

// held are n accounts with a claim each.
func held(n int) []account.Account {
	accounts := make([]account.Account, n)
	for i := range accounts {
		ga := fmt.Sprintf("ga-%d", i)
		accounts[i] = anAccount(fmt.Sprintf("a-%03d", i), heldBy(ga), bearing(ga, "first", newly))
	}
	return accounts
}

// releaseAll releases held accounts, so many at a time, as a CLI does.
func (w *world) releaseAll(t *testing.T, p *Pool, n, atOnce int, mode account.Mode) {
	t.Helper()
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	together(atOnce, func(int) error {
		for i := range next {
			time.Sleep(pacedWrite)
			if _, err := w.release(p, fmt.Sprintf("ga-%d", i), "first", fmt.Sprintf("a-%03d", i), mode); err != nil {
				t.Error(err)
			}
		}
		return nil
	})
}

// Releases that run at once share the count after their fences: one that is about to count waits for the others, for no longer than the
// API server would have it wait. A release that runs alone waits for none.
func TestReleasesThatRunAtOnceShareTheirCounts(t *testing.T) {
	t.Parallel()
	const releases = 200
	for name, test := range map[string]struct {
		atOnce int
		counts int32 // at most, with the one before the first fence
		within time.Duration
	}{
		"one after the other": {1, releases + 1, releases*pacedList + time.Second},
		"ten at once":         {10, releases/10 + 3, releases/10*pacedList + 300*time.Millisecond},
		"thirty at once":      {30, releases/30 + 3, 2 * time.Second},
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, held(releases)...)
			server := &paced{process: &process{memStore: w.memStore, counter: w.counter}, lanes: make(chan struct{}, 2)}
			began := time.Now()
			w.releaseAll(t, New(namespace, server, server, w.policy), releases, test.atOnce, account.MarkDirty)
			equal(t, "writes", server.writes.Load(), int32(2*releases))
			if counts := server.counts.Load(); counts > test.counts {
				t.Errorf("%d releases took %d counts, want at most %d", releases, counts, test.counts)
			}
			if took := time.Since(began); took > test.within {
				t.Errorf("%d releases took %s, want at most %s", releases, took, test.within)
			}
		})
	}
}

// A release that shares no count with others does not wait for them, whatever the server takes.
func TestReleaseAloneWaitsForNone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, held(3)...)
		p, began := w.pool(), time.Now()
		for i := range 3 {
			_, err := w.release(p, fmt.Sprintf("ga-%d", i), "first", fmt.Sprintf("a-%03d", i), account.MarkDirty)
			equal(t, "error", err, nil)
		}
		equal(t, "took", time.Since(began), time.Duration(0))
	})
}

// A claim that leaves its account with the Global Account (keep) costs one write, and claims share the list before it.
func TestKeepCostsOneWrite(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 10} {
		virtual(t, fmt.Sprintf("%d claims", n), func(t *testing.T) {
			w := newWorld(t, held(n)...)
			w.inStep()
			w.releaseAll(t, w.pool(), n, n, account.Keep)
			equal(t, "writes", w.called("write"), n)
			equal(t, "lists, counts", []int{w.called("list"), w.counter.called("count") + w.counter.called("users")}, []int{1, 0})
			equal(t, "reads", w.called("get"), 0)
			equal(t, "asked for the right to write", w.called("allowed"), 0)
		})
	}
}
