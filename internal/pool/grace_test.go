package pool

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// The grace time of a release: a broker that chose the account a moment before the fence may still bring a cluster to it.

const grace = 5 * time.Minute

// graceful is the release of the claim first of ga-1 on a, with a grace time.
func (w *world) graceful(mode account.Mode) protocol.ReleaseRequest {
	req := w.releaseOf("ga-1", "first", "a", mode)
	req.Grace = grace
	return req
}

// since returns what the record of the claim first says of its fence.
func (w *world) since(t *testing.T) time.Time {
	t.Helper()
	return w.at("a").Records[identity("ga-1", "first").Key()].ReleasingSince
}

// TestGraceTime lets things happen in the grace time and says how the release ends then, and after how long.
func TestGraceTime(t *testing.T) {
	t.Parallel()
	const fenced, marked, opened, dropped = "a dirty=releasing +first", "a dirty=true -first", "a dirty=clean +first", "a dirty=clean -first"
	own := bearing("ga-1", "first", newly)
	later := func(w *world) { w.counter.add("a", "late") }
	fencedAnew := func(w *world) {
		w.edit("a", dirty(account.Clean))
		w.edit("a", dirty(account.Releasing))
		w.edit("a", bearing("ga-1", "first", newly, fencedSince(time.Now().UTC())))
	}
	for name, test := range map[string]struct {
		mode      account.Mode             // MarkDirty where it is not said
		account   []func(*account.Account) // nil = the claim alone is on it
		before    func(w *world)
		meanwhile func(w *world)   // in the middle
		outcome   protocol.Outcome // empty = the release is refused
		took      time.Duration
		writes    []string
	}{
		"nothing":                        {outcome: protocol.OutcomeDirtied, took: grace, writes: []string{fenced, marked}},
		"nothing, given back":            {mode: account.ReturnToPool, outcome: protocol.OutcomeReturned, took: grace, writes: []string{fenced, "a tenant= dirty=clean -first"}},
		"a cluster":                      {meanwhile: later, took: grace, writes: []string{fenced, opened}},
		"a cluster, given back":          {mode: account.ReturnToPool, meanwhile: later, took: grace, writes: []string{fenced, opened}},
		"it becomes shared":              {meanwhile: func(w *world) { w.edit("a", shared) }, outcome: protocol.OutcomeShared, took: grace, writes: []string{fenced}},
		"the owner of the claim changes": {meanwhile: changesOwner, took: grace, writes: []string{fenced, "a +first", opened}},
		"a person takes the fence down": {meanwhile: func(w *world) { w.edit("a", dirty(account.Clean)) }, outcome: protocol.OutcomeDirtied, took: 2 * grace,
			writes: []string{fenced, fenced, marked}},
		"the same, no record says since when": {account: []func(*account.Account){}, meanwhile: func(w *world) { w.edit("a", dirty(account.Clean)) },
			outcome: protocol.OutcomeDirtied, took: 2 * grace, writes: []string{"a dirty=releasing", "a dirty=releasing", "a dirty=true -"}},
		"it is another fence by then": {meanwhile: fencedAnew, outcome: protocol.OutcomeDirtied, took: 2 * grace, writes: []string{fenced, marked}},
		"the fence's answer is lost": {before: func(w *world) { w.on("write", 1, fault{lost: lostAfter}) }, outcome: protocol.OutcomeDirtied, took: grace,
			writes: []string{fenced, marked}},
		"the mark is lost, and sent again": {before: func(w *world) { w.on("write", 2, fault{lost: lostBefore}) }, outcome: protocol.OutcomeDirtied, took: grace,
			writes: []string{fenced, marked}},
		"keep, after an old fence": {mode: account.Keep, account: []func(*account.Account){own, dirty(account.Releasing)},
			outcome: protocol.OutcomeKept, writes: []string{dropped}},
		"one of two claims":              {account: []func(*account.Account){own, bearing("ga-1", "second")}, outcome: protocol.OutcomeKept, writes: []string{"a -first"}},
		"a cluster is there at once":     {before: later},
		"may not go back, and is fenced": {mode: account.ReturnToPool, account: []func(*account.Account){bearing("ga-1", "first"), dirty(account.Releasing)}, writes: []string{opened}},
	} {
		virtual(t, name, func(t *testing.T) {
			if test.account == nil {
				test.account = []func(*account.Account){own}
			}
			w := newWorld(t, anAccount("a", append(test.account, heldBy("ga-1"))...))
			if test.before != nil {
				test.before(w)
			}
			if test.mode == "" {
				test.mode = account.MarkDirty
			}
			start := time.Now()
			if test.took > 0 {
				time.AfterFunc(grace/2, func() {
					equal(t, "dirt in the grace time", w.at("a").Dirty, account.Releasing)
					if len(test.account) > 0 {
						equal(t, "fenced since", w.since(t), start.UTC())
					}
					if test.meanwhile != nil {
						test.meanwhile(w)
					}
				})
			}
			req := w.graceful(test.mode)
			outcome, err := w.pool().Release(t.Context(), req)
			equal(t, "took, outcome, refused", []any{time.Since(start), outcome, err != nil}, []any{test.took, test.outcome, test.outcome == ""})
			w.wantWrites(t, test.writes...)
			if err != nil {
				equal(t, "dirt and since", []any{w.at("a").Dirty, w.since(t)}, []any{account.Clean, time.Time{}})
			}
		})
	}
}

func changesOwner(w *world) {
	_, _ = w.pool().Update(context.Background(), w.updateOf(func(r *protocol.UpdateRequest) { r.Owner = "other" }))
}

// A caller that gives up in the grace time finds the account as it was before, within the time that is kept back for that.
func TestGivingUpInTheGraceTimeTakesTheFenceDown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		deadline, cancel time.Duration
		took             time.Duration // until the fence is down
		cause            error
	}{
		"Ctrl-C, long before the deadline": {time.Hour, time.Minute, time.Minute, context.Canceled},
		"the deadline":                     {2 * time.Minute, 0, 110 * time.Second, context.DeadlineExceeded}, // ten seconds are kept back
		"a deadline that comes soon":       {20 * time.Second, 0, 15 * time.Second, context.DeadlineExceeded}, // a quarter is
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
			ctx, cancel := impatient(t, test.deadline, test.cancel)
			defer cancel()
			start := time.Now()
			_, err := w.pool().Release(ctx, w.graceful(account.MarkDirty))
			equal(t, "took, cause", []any{time.Since(start), errors.Is(err, test.cause)}, []any{test.took, true})
			w.wantWrites(t, "a dirty=releasing +first", "a dirty=clean +first")
			equal(t, "dirt and since", []any{w.at("a").Dirty, w.since(t)}, []any{account.Clean, time.Time{}})
		})
	}
}

// An operation that waits holds no lock: the tenant's other claims of the same run go on.
func TestOthersOfTheTenantGoOnWhileOneWaits(t *testing.T) {
	t.Parallel()
	ofGCP := func(r *protocol.ClaimRequest) { r.Target.HyperscalerType = "gcp" }
	for name, wait := range map[string]func(ctx context.Context, w *world, p *Pool) error{
		"a release, for its grace time": func(ctx context.Context, w *world, p *Pool) error {
			_, err := p.Release(ctx, w.graceful(account.MarkDirty))
			return err
		},
		"a release, for the end of a cluster": func(ctx context.Context, w *world, p *Pool) error {
			w.counter.deleting("blue")
			_, err := p.Release(ctx, w.releaseOf("ga-1", "first", "a", account.MarkDirty))
			return err
		},
		"a claim, for an account": func(ctx context.Context, _ *world, p *Pool) error {
			_, err := p.Claim(ctx, request("ga-1", "third", ofGCP, waitingFor(new([]protocol.Progress))))
			return err
		},
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first")), anAccount("b", heldBy("ga-1"), bearing("ga-1", "old")))
			p, start := w.pool(), time.Now()
			var took [5]time.Duration
			errs := together(len(took), func(i int) (err error) {
				if i > 0 {
					time.Sleep(time.Second)
				}
				defer func() { took[i] = time.Since(start) }()
				switch i {
				case 0:
					_ = wait(within(t, time.Hour), w, p)
				case 1:
					_, err = p.Claim(t.Context(), request("ga-1", "second"))
				case 2:
					_, err = w.release(p, "ga-1", "old", "b", account.Keep)
				case 3:
					_, err = p.Inspect(t.Context(), "ga-1", aws, "first", "a", w.at("a").UID)
				case 4:
					_, err = p.Update(t.Context(), w.updateOf()) // of the claim that is being released
				}
				return err
			})
			equal(t, "errors", errs, make([]error, len(took)))
			equal(t, "took", [...]bool{took[0] > time.Second, took[1] == time.Second, took[2] == time.Second, took[3] == time.Second, took[4] == time.Second},
				[...]bool{true, true, true, true, true})
		})
	}
}
