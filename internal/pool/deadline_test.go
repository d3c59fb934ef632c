package pool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// A server, or a database, that answers for a while and then never again.

// goSilent makes every call from the n-th on, of any kind, go without an answer; what is sent takes effect, or does
// not. The function it returns says whether it came to that.
func (w *world) goSilent(n int, takesEffect bool) (silent func() bool) {
	calls := make(chan int, 1)
	calls <- 0
	strike := func(call string) fault {
		i := <-calls + 1
		calls <- i
		if i < n {
			return fault{}
		}
		f := fault{hang: true}
		if call == "write" && !takesEffect {
			f.lost = lostBefore
		}
		return f
	}
	w.storm, w.counter.storm = strike, strike
	return func() bool {
		i := <-calls
		calls <- i
		return i >= n
	}
}

func (w *world) speakAgain() { w.storm, w.counter.storm = nil, nil }

// longCall is a call that sends many requests.
type longCall struct {
	name  string
	world func(t *testing.T) *world
	call  func(ctx context.Context, w *world, p *Pool) error
	waits time.Duration // by itself
}

// claimed is a world with the account that the claim first of ga-1 is on.
func claimed(changes ...func(*account.Account)) func(*testing.T) *world {
	return func(t *testing.T) *world {
		t.Helper()
		return newWorld(t, anAccount("a", append([]func(*account.Account){heldBy("ga-1"), bearing("ga-1", "first", newly)}, changes...)...))
	}
}

func longCalls() []longCall { return append(claims(), releases()...) }

func claims() []longCall {
	claim := func(ctx context.Context, _ *world, p *Pool) error {
		_, err := p.Claim(ctx, request("ga-1", "first", reserving("green")))
		return err
	}
	return []longCall{
		{"Claim", func(t *testing.T) *world { t.Helper(); return newWorld(t, anAccount("a")) }, claim, 0},
		{"Claim that adopts", claimed(), claim, 0},
		{"Update", claimed(), func(ctx context.Context, w *world, p *Pool) error {
			_, err := p.Update(ctx, w.updateOf())
			return err
		}, 0},
		{"Inspect", claimed(), func(ctx context.Context, w *world, p *Pool) error {
			_, err := p.Inspect(ctx, "ga-1", aws, "first", "a", w.at("a").UID)
			return err
		}, 0},
	}
}

func releases() []longCall {
	release := func(req func(w *world) protocol.ReleaseRequest) func(context.Context, *world, *Pool) error {
		return func(ctx context.Context, w *world, p *Pool) error {
			_, err := p.Release(ctx, req(w))
			return err
		}
	}
	return []longCall{
		{"Release", claimed(), release(func(w *world) protocol.ReleaseRequest { return w.releaseOf("ga-1", "first", "a", account.MarkDirty) }), 0},
		{"Release with a grace time", claimed(), release(func(w *world) protocol.ReleaseRequest {
			req := w.releaseOf("ga-1", "first", "a", account.ReturnToPool)
			req.Grace = 3 * time.Second
			return req
		}), 3 * time.Second},
		{"Release that keeps", claimed(dirty(account.Releasing)),
			release(func(w *world) protocol.ReleaseRequest { return w.releaseOf("ga-1", "first", "a", account.Keep) }), 0},
	}
}

// mostRequests is more than any of the calls sends.
const mostRequests = 20

// F12, F14: whichever request stays without an answer, and all that follow, the call ends by the deadline of its caller, and says so. F19:
// Ctrl-C ends it within ten seconds.
func TestServerGoesSilent(t *testing.T) {
	t.Parallel()
	const after = 4 * time.Second
	for _, c := range longCalls() {
		for name, caller := range map[string]struct{ deadline, interrupted time.Duration }{
			"soon": {8 * time.Second, 0}, "in a while": {40 * time.Second, 0}, "late": {20 * time.Minute, 0},
			"passed": {-time.Minute, 0}, "Ctrl-C": {0, after}, "Ctrl-C long before the deadline": {20 * time.Minute, after},
		} {
			for _, takesEffect := range []bool{false, true} {
				parallel(t, fmt.Sprintf("%s, %s, takes effect %t", c.name, name, takesEffect), func(t *testing.T) {
					least, most := max(0, caller.deadline-max(cleanUpTime, caller.deadline/4)), max(0, caller.deadline)
					if caller.interrupted > 0 {
						least, most = after, after+cleanUpTime
					}
					silence := 0
					for n := 1; n < mostRequests; n++ {
						synctest.Test(t, func(t *testing.T) {
							w := c.world(t)
							silent := w.goSilent(n, takesEffect)
							ctx, cancel := impatient(t, caller.deadline, caller.interrupted)
							defer cancel()
							start := time.Now()
							err := c.call(ctx, w, w.pool())
							took := time.Since(start)
							if caller.deadline < 0 { // nothing is sent, and nothing waits
								silence = 1
								equal(t, "took, deadline, writes", []any{took, errors.Is(err, context.DeadlineExceeded), w.called("write")}, []any{time.Duration(0), true, 0})
								return
							}
							if !silent() {
								equal(t, "error and time where all is answered", []any{err, took}, []any{nil, c.waits})
								return
							}
							silence++
							if err == nil || took > most || took < least {
								t.Errorf("silent from request %d: took %s, want %s to %s, error %v", n, took, least, most, err)
							}
							if n == 1 && caller.interrupted == 0 && !errors.Is(err, context.DeadlineExceeded) {
								t.Errorf("got error %v, want the deadline", err)
							}
							w.speakAgain()
							w.calmAfter(t, c)
						})
					}
					if silence == 0 || silence >= mostRequests-1 {
						t.Errorf("the call sends %d requests", silence)
					}
				})
			}
		}
	}
}

// calmAfter makes the call once more, by another process, when all is answered again: it ends as it always does, and
// no fence is left.
func (w *world) calmAfter(t *testing.T, c longCall) {
	t.Helper()
	equal(t, "error of the next process", c.call(t.Context(), w, w.pool()), nil)
	if w.at("a").Dirty == account.Releasing {
		t.Error("a fence is left")
	}
	if n := len(w.bearers(identity("ga-1", "first").Key())); n > 1 {
		t.Errorf("the claim is on %d accounts", n)
	}
}

// An operation that runs out of time says where the time went, also where each single answer came in time.
func TestTimeoutSaysWhereTheTimeWent(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		slow map[string]time.Duration
		call func(ctx context.Context, w *world) error
		want []string
	}{
		"release": {map[string]time.Duration{"allowed": 20 * time.Second, "count": 35 * time.Second},
			func(ctx context.Context, w *world) error {
				_, err := w.pool().Release(ctx, w.releaseOf("ga-1", "first", "a", account.MarkDirty))
				return err
			}, []string{"listing and counting took 35s", "asking for the right to write took 20s"}},
		"claim": {map[string]time.Duration{"allowed": 30 * time.Second, "list": 25 * time.Second},
			func(ctx context.Context, w *world) error {
				_, err := w.pool().Claim(ctx, request("ga-2", "first"))
				return err
			}, []string{"asking for the right to write took 30s", "listing and counting took 25s"}},
		"update": {map[string]time.Duration{"list": 55 * time.Second},
			func(ctx context.Context, w *world) error {
				_, err := w.pool().Update(ctx, w.updateOf())
				return err
			}, []string{"listing and counting took 55s"}},
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first")), anAccount("b"))
			slow := func(call string) fault {
				return fault{deaf: true, before: func() { time.Sleep(test.slow[call]) }}
			}
			w.storm, w.counter.storm = slow, slow
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err := test.call(ctx, w)
			equal(t, "steps", as[*TimeoutError](t, err).Steps, test.want)
			for _, part := range append(test.want, "not done after 55s", "context deadline exceeded") {
				equal(t, part, strings.Contains(err.Error(), part), true)
			}
			w.wantWrites(t)
		})
	}
}

// The read of the account after a lost answer has time of its own: ten seconds for a caller that is interrupted, for one that runs out of
// time what was kept back. A caller that still waits is not cut short.
func TestReadAfterALostAnswerOutlivesTheCaller(t *testing.T) {
	t.Parallel()
	slowly := func(d time.Duration) fault { return fault{after: func() { time.Sleep(d) }} }
	for name, test := range map[string]struct {
		deadline, cancel time.Duration // 0 = none
		hangs            bool          // the answer to the write
		read             fault
		took             time.Duration
		fails            bool
	}{
		"a caller that waits":                       {20 * time.Minute, 0, false, slowly(time.Minute), time.Minute, false},
		"interrupted, a slow server":                {0, time.Second, true, slowly(9 * time.Second), 10 * time.Second, false},
		"interrupted long before the deadline":      {20 * time.Minute, time.Second, true, fault{hang: true}, 11 * time.Second, true},
		"out of time, a slow server":                {40 * time.Second, 0, true, slowly(9 * time.Second), 39 * time.Second, false},
		"out of time, a server that never answers":  {40 * time.Second, 0, true, fault{hang: true}, 40 * time.Second, true},
		"out of little time, one that never speaks": {8 * time.Second, 0, true, fault{hang: true}, 8 * time.Second, true},
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a"))
			ctx, cancel := impatient(t, test.deadline, test.cancel)
			defer cancel()
			w.on("write", 1, fault{lost: lostAfter, hang: test.hangs})
			w.on("get", 1, test.read)
			start := time.Now()
			claim, err := w.pool().Claim(ctx, request("ga-1", "first"))
			equal(t, "took", time.Since(start), test.took)
			if test.fails {
				wantError[*account.UnknownOutcomeError](t, err)
			} else {
				equal(t, "account", []any{claim.Account, err}, []any{w.at("a"), nil})
			}
			equal(t, "write calls", w.called("write"), 1)
		})
	}
}

// F19: the caller gives up in mid-write, and the write is lost. Nothing else is tried, and the error says that it may still come.
func TestCallerGivesUpInMidWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, anAccount("a"))
	ctx, cancel := context.WithCancel(t.Context())
	w.on("write", 1, fault{lost: lostBefore, after: cancel})
	_, err := w.pool().Claim(ctx, request("ga-1", "first"))
	wantError[*account.UnknownOutcomeError](t, err)
	equal(t, "write calls", w.called("write"), 1)
}
