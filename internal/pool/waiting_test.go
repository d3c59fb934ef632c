package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// An operation that waits for others reads again and again, ever less often, until shortly before its deadline: a claim for an account of
// an exhausted pool, a release for the end of clusters that are being deleted.

func waitingFor(reported *[]protocol.Progress) func(*protocol.ClaimRequest) {
	return func(r *protocol.ClaimRequest) {
		r.Wait, r.Tell = true, func(p protocol.Progress) { *reported = append(*reported, p) }
	}
}

// waiting is the release of the claim first of ga-1 on a, and what it has reported of its waiting.
func (w *world) waiting(reported *[]protocol.Progress) protocol.ReleaseRequest {
	req := w.releaseOf("ga-1", "first", "a", account.MarkDirty)
	req.Tell = func(p protocol.Progress) { *reported = append(*reported, p) }
	return req
}

// deleting puts clusters on account a that are being deleted.
func (c *memCounter) deleting(names ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range names {
		c.clusters["a"] = append(c.clusters["a"], account.User{Kind: "Shoot", Name: name, Deleting: true})
	}
}

// row adds a row of the broker's database to the users of account a.
func (c *memCounter) row() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clusters["a"] = append(c.clusters["a"], account.User{Kind: "instance", Name: "5c1f"})
}

// within is the context of a caller that has so much time.
func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// wantPauses checks the backoff: from five seconds on each pause is twice as long, to a minute, and up to a quarter longer.
func wantPauses(t *testing.T, reported []protocol.Progress, took time.Duration) {
	t.Helper()
	sum, pause := time.Duration(0), firstPause
	for i, p := range reported {
		equal(t, "waited", p.Waited, sum)
		sum += p.Pause
		last := i == len(reported)-1
		if p.Pause > pause*5/4 || p.Pause < pause && !last || p.Left < p.Pause {
			t.Errorf("pause %d: %+v", i+1, p)
		}
		pause = min(2*pause, longestPause)
	}
	equal(t, "all pauses", sum, took)
}

func TestClaimWaitsForAnAccount(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		after, most time.Duration
		comes       func(w *world)
	}{
		"the clean-up job frees one":      {30 * time.Minute, 32 * time.Minute, func(w *world) { w.edit("a", stripped) }},
		"the same, at the second read":    {7 * time.Second, 19 * time.Second, func(w *world) { w.edit("a", stripped) }},
		"a new one is added":              {30 * time.Minute, 32 * time.Minute, func(w *world) { w.create(anAccount("z")) }},
		"the Global Account is given one": {30 * time.Minute, 32 * time.Minute, func(w *world) { w.create(anAccount("z", heldBy("ga-1"))) }},
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", heldBy("ga-2"), dirty(account.Dirtied)))
			time.AfterFunc(test.after, func() { test.comes(w) })
			var reported []protocol.Progress
			start := time.Now()
			claim, err := w.pool().Claim(within(t, time.Hour), request("ga-1", "first", waitingFor(&reported)))
			took := time.Since(start)
			equal(t, "error", err, nil)
			if took < test.after || took > test.most || claim.Record.ClaimedAt.Before(start.Add(test.after)) {
				t.Errorf("took %s, claimed at %s", took, claim.Record.ClaimedAt)
			}
			wantPauses(t, reported, took)
			equal(t, "waits for", reported[0].For, "an account of pool aws")
			equal(t, "writes", len(w.wrote()), 1)
		})
	}
}

func TestClaimThatDoesNotWaitForAnAccount(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*protocol.ClaimRequest){
		"it is not to wait":       func(r *protocol.ClaimRequest) { r.Wait = false },
		"a caller without an end": func(*protocol.ClaimRequest) {},
		"it names its account":    pinnedTo("a"),
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", heldBy("ga-2")))
			var reported []protocol.Progress
			ctx := within(t, time.Hour)
			if name == "a caller without an end" {
				ctx = t.Context()
			}
			start := time.Now()
			_, err := w.pool().Claim(ctx, request("ga-1", "first", waitingFor(&reported), change))
			equal(t, "took, reported", []any{time.Since(start), len(reported)}, []any{time.Duration(0), 0})
			if exhausted, ok := errors.AsType[*account.ExhaustedError](err); ok {
				equal(t, "waited", exhausted.Waited, time.Duration(0))
			} else {
				wantError[*account.TakenError](t, err)
			}
		})
	}
}

// Claims that wait side by side share their reads: ten of them take about as many lists as one, however long they wait.
func TestClaimsThatWaitShareTheirLists(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, anAccount("a", heldBy("ga-x")))
		p := w.pool()
		for _, err := range together(10, func(i int) error {
			time.Sleep(time.Duration(i) * 700 * time.Millisecond)
			_, err := p.Claim(within(t, time.Hour), request(fmt.Sprintf("ga-%d", i), "first", waitingFor(new([]protocol.Progress))))
			return err
		}) {
			if waited := as[*account.ExhaustedError](t, err).Waited; waited < 59*time.Minute {
				t.Errorf("waited for %s", waited)
			}
		}
		// Each claim lists and counts once at its beginning. One alone does it some sixty times in an hour, and ten alone some six hundred.
		lists, counts := w.called("list"), w.counter.called("count")
		if lists != counts || lists < 50 || lists > 100 {
			t.Errorf("%d lists and %d counts", lists, counts)
		}
	})
}

// errStarting is an error of a counter with a type of its own, as that of the broker's database.
var errStarting = error(startingError{})

type startingError struct{}

func (startingError) Error() string { return "the database is starting" }

func (startingError) Is(target error) bool { return target == account.ErrNoAnswer }

// between has each of the calls go wrong from one time on until another.
func (w *world) between(from, to time.Duration, f fault, calls ...string) {
	began := time.Now()
	storm := func(call string) fault {
		if at := time.Since(began); slices.Contains(calls, call) && at >= from && at < to {
			return f
		}
		return fault{}
	}
	w.storm, w.counter.storm = storm, storm
}

func unreachableFor(verb string) error {
	return &account.UnreachableError{Verb: verb, Resource: "things", Tries: 8, Err: errCut}
}

// A read that gets no answer does not end a long wait: the operation reads again after the next pause.
func TestWaitOutlastsAnOutage(t *testing.T) {
	t.Parallel()
	comes := func(w *world) { w.edit("a", stripped) }
	hasClaim := func(w *world) {
		w.edit("a", stripped)
		w.edit("a", heldBy("ga-1"))
		w.edit("a", bearing("ga-1", "first"))
	}
	goes := func(w *world) { w.counter.clear("a") }
	for name, test := range map[string]struct {
		releases bool
		call     string
		fault    fault
		then     func(w *world) // amid the outage
		text     string
	}{
		"a claim, no list":                 {false, "list", fault{answer: unreachableFor("list")}, comes, "connection cut"},
		"a claim, no count":                {false, "count", fault{answer: errStarting}, comes, "the database is starting"},
		"a claim, a list that hangs":       {false, "list", fault{hang: true}, comes, "deadline exceeded"},
		"a claim, no read of its account":  {false, "get", fault{answer: unreachableFor("get")}, hasClaim, "connection cut"},
		"a release, no users":              {true, "count", fault{answer: unreachableFor("list")}, goes, "whether clusters are on account a is not known"},
		"a release, a deadline of a query": {true, "count", fault{answer: context.DeadlineExceeded}, goes, "deadline exceeded"},
		"a release, users that hang":       {true, "count", fault{hang: true}, goes, "deadline exceeded"},
		"a release, no account":            {true, "get", fault{answer: unreachableFor("get")}, goes, "connection cut"},
	} {
		virtual(t, name, func(t *testing.T) {
			a := anAccount("a", heldBy("ga-2"), dirty(account.Dirtied))
			if test.releases {
				a = anAccount("a", heldBy("ga-1"), bearing("ga-1", "first"))
			}
			w := newWorld(t, a)
			w.between(10*time.Minute, 20*time.Minute, test.fault, test.call)
			time.AfterFunc(15*time.Minute, func() { test.then(w) })
			time.AfterFunc(20*time.Minute, func() { w.wantWrites(t) })
			var reported []protocol.Progress
			var err error
			start := time.Now()
			if test.releases {
				w.counter.deleting("blue")
				_, err = w.pool().Release(within(t, time.Hour), w.waiting(&reported))
			} else {
				_, err = w.pool().Claim(within(t, time.Hour), request("ga-1", "first", waitingFor(&reported)))
			}
			equal(t, "error", err, nil)
			// One that hangs at the last moment of the outage takes ten minutes.
			if took := time.Since(start); took < 20*time.Minute || took > 32*time.Minute {
				t.Errorf("took %s", took)
			}
			wantFailedReads(t, reported, test.text)
		})
	}
}

// wantFailedReads checks that progress has reported reads that failed, and that the first did not.
func wantFailedReads(t *testing.T, reported []protocol.Progress, text string) {
	t.Helper()
	failed := 0
	for i, p := range reported {
		if p.Failed != nil {
			failed++
			equal(t, fmt.Sprintf("failure in pause %d", i+1), strings.Contains(p.Failed.Error(), text), true)
		}
		equal(t, "waits for", p.For, reported[0].For)
	}
	equal(t, "some failed, and not the first", []bool{failed > 0, reported[0].Failed == nil}, []bool{true, true})
}

// How a wait ends that is in vain. What another read would only repeat ends it, and so does each error of the first read.
func TestWaitThatEndsInVain(t *testing.T) {
	t.Parallel()
	unreachable := unreachableFor("list")
	forbidden := &account.ForbiddenError{Verb: "list", Resource: "shoots", Err: errCut}
	inDoubt := errors.Join(&account.UnknownOutcomeError{Account: "a", Err: errCut}, unreachableFor("get"))
	for name, test := range map[string]struct {
		from        time.Duration // since when each count, and each read of users, fails
		fault       fault
		cancel      time.Duration // 0 = never
		least, most time.Duration
		cause       error // of the error
		says        string
	}{
		"no answer to the end":    {30 * time.Minute, fault{answer: unreachable}, 0, 59 * time.Minute, time.Hour, unreachable, "; the last read failed: "},
		"no end of it":            {30 * time.Minute, fault{hang: true}, 0, 59 * time.Minute, time.Hour, context.DeadlineExceeded, "; the last read failed: "},
		"forbidden":               {30 * time.Minute, fault{answer: forbidden}, 0, 30 * time.Minute, 32 * time.Minute, forbidden, ""},
		"another refusal":         {30 * time.Minute, fault{answer: errCut}, 0, 30 * time.Minute, 32 * time.Minute, errCut, ""},
		"a write in doubt":        {30 * time.Minute, fault{answer: inDoubt}, 0, 30 * time.Minute, 32 * time.Minute, inDoubt, ""},
		"the first read":          {0, fault{answer: unreachable}, 0, 0, 0, unreachable, ""},
		"Ctrl-C (F19)":            {time.Hour, fault{}, 10 * time.Minute, 10 * time.Minute, 10 * time.Minute, context.Canceled, "interrupted while waiting for "},
		"Ctrl-C, the last failed": {30 * time.Minute, fault{answer: unreachable}, 40 * time.Minute, 40 * time.Minute, 40 * time.Minute, context.Canceled, "interrupted while waiting for "},
		"Ctrl-C within a read":    {30 * time.Minute, fault{answer: &account.UnreachableError{Verb: "list", Err: context.Canceled}}, 0, 30 * time.Minute, 32 * time.Minute, context.Canceled, "interrupted while waiting for "},
	} {
		for what, releases := range map[string]bool{"an account of pool aws": false, "the end of 1 cluster on account a: Shoot blue (being deleted)": true} {
			virtual(t, name+", "+what, func(t *testing.T) {
				w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first")))
				w.counter.deleting("blue")
				w.between(test.from, 2*time.Hour, test.fault, "count", "users")
				ctx, cancel := impatient(t, time.Hour, test.cancel)
				defer cancel()
				start := time.Now()
				var err error
				if releases {
					_, err = w.pool().Release(ctx, w.waiting(new([]protocol.Progress)))
				} else {
					_, err = w.pool().Claim(ctx, request("ga-2", "first", waitingFor(new([]protocol.Progress))))
				}
				took := time.Since(start)
				if took < test.least || took > test.most || !errors.Is(err, test.cause) {
					t.Errorf("after %s: %v", took, err)
				}
				if test.says != "" {
					equal(t, err.Error()+": says", strings.Contains(err.Error(), test.says) && strings.Contains(err.Error(), what), true)
				}
				waited, ok := errors.AsType[*WaitError](err)
				equal(t, "it waited in vain", ok, test.least == 59*time.Minute)
				if ok {
					equal(t, "for, waited", []any{waited.For, waited.Waited}, []any{what, took})
				}
				w.wantWrites(t)
			})
		}
	}
}

// A wait whose last read alone gets no answer in time ends with what the read before it has shown: the account is in use, or there is none.
func TestWaitWhoseLastReadFails(t *testing.T) {
	t.Parallel()
	for name, last := range map[string]fault{"no answer": {answer: unreachableFor("list")}, "none before the deadline": {hang: true}} {
		for what, releases := range map[string]bool{"claim": false, "release": true} {
			virtual(t, name+", "+what, func(t *testing.T) {
				w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first")))
				w.counter.deleting("blue")
				w.between(time.Hour-2*cleanUpTime-time.Millisecond, 2*time.Hour, last, "count", "users") // its own work takes as long as the clean-up
				var err error
				var waited time.Duration
				if releases {
					_, err = w.pool().Release(within(t, time.Hour), w.waiting(new([]protocol.Progress)))
					waited = as[*account.InUseError](t, err).Waited
				} else {
					_, err = w.pool().Claim(within(t, time.Hour), request("ga-2", "first", waitingFor(new([]protocol.Progress))))
					waited = as[*account.ExhaustedError](t, err).Waited
				}
				if waited < time.Hour-2*cleanUpTime || waited > time.Hour {
					t.Errorf("waited for %s", waited)
				}
				equal(t, "says that a read failed", errors.As(err, new(*WaitError)), false)
				w.wantWrites(t)
			})
		}
	}
}
