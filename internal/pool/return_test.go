package pool

import (
	"fmt"
	"testing"
	"time"
)

// return_to_pool: an account goes back unwiped only where the claim took it from the pool and has not seen it used (F23).

// recordsOfA returns the records on the account a by the names of their claims.
func (w *world) recordsOfA() map[string]Record {
	records := map[string]Record{}
	for _, r := range w.at("a").Records {
		records[r.GlobalAccount+"/"+r.Name] = r
	}
	return records
}

func TestUsedAccountIsNotReturned(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		record  []func(*Record)
		seen    bool
		refused bool
		used    bool
	}{
		"taken from the pool, never seen used": {record: []func(*Record){newly}},
		"taken from the pool, and seen used":   {record: []func(*Record){newly}, seen: true, refused: true, used: true},
		"not taken from the pool":              {refused: true},
		"not taken from the pool, and used":    {seen: true, refused: true},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", test.record...)))
			req := w.releaseOf("ga-1", "first", "a", ReturnToPool)
			req.Used = test.seen
			outcome, err := w.pool().Release(t.Context(), req)
			if !test.refused {
				equal(t, "outcome", []any{outcome, err}, []any{OutcomeReturned, nil})
				return
			}
			equal(t, "why", as[*ReturnRefusedError](t, err).Used, test.used)
			w.wantWrites(t)
			outcome, err = w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
			equal(t, "marked instead", []any{outcome, err}, []any{OutcomeDirtied, nil})
		})
	}
}

// A fence that cannot be taken down, because the account changes each time, is said to stand.
func TestFenceThatCannotBeTakenDownIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
	w.counter.at("users", 2, fault{before: func() {
		w.counter.add("a", "late")
		w.storm = func(call string) fault {
			if call == "write" {
				return fault{before: func() { w.edit("a", func(*Account) {}) }}
			}
			return fault{}
		}
	}})
	_, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
	equal(t, "account", as[*FenceLeftError](t, err).Account, "a")
	equal(t, "tries", as[*ConflictError](t, err).Tries, maxTries)
	equal(t, "users", len(as[*InUseError](t, err).Users), 1)
	equal(t, "dirt", w.at("a").Dirty, Releasing)
}

// An account that is to go back as it is is looked at once it is taken: the count by which it was chosen is older.
func TestTakenAccountIsLookedAt(t *testing.T) {
	t.Parallel()
	returning := func(r *ClaimRequest) { r.ReleaseMode = ReturnToPool }
	down := fault{answer: &UnreachableError{Verb: "list", Tries: 1, Err: errCut}}
	for name, test := range map[string]struct {
		arrange func(w *world)
		ending  func(*ClaimRequest)
		used    bool // as the caller is told
		counts  int
	}{
		"nothing on it":              {func(*world) {}, returning, false, 2},
		"old suspended rows":         {func(w *world) { w.counter.suspended = map[string]int{"a": 2} }, returning, false, 2},
		"a cluster, since the count": {late, returning, true, 2},
		"the look fails":             {func(w *world) { w.counter.at("count", 2, down) }, returning, true, 2},
		"it will be wiped anyway":    {late, func(r *ClaimRequest) { r.ReleaseMode = MarkDirty }, false, 1},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, account("a"))
			test.arrange(w)
			claim := w.claim(t, w.pool(), request("ga-1", "first", test.ending))
			equal(t, "used", claim.Used, test.used)
			w.wantWrites(t, "a tenant=ga-1 +first")
			equal(t, "counts", w.counter.called("count"), test.counts)
		})
	}
	virtual(t, "once for all claims that wait", func(t *testing.T) {
		const n = 20
		w := newWorld(t, freeAccounts(n)...)
		w.storm = func(string) fault { return fault{before: func() { time.Sleep(time.Second) }} }
		p := w.pool()
		errs := together(n, func(i int) error {
			claim, err := p.Claim(t.Context(), request(fmt.Sprintf("ga-%02d", i), "first", returning))
			equal(t, "used", claim.Used, false)
			return err
		})
		equal(t, "errors", errs, make([]error, n))
		if counts := w.counter.called("count"); counts > n/2 {
			t.Errorf("%d counts for %d claims", counts, n)
		}
	})
	parallel(t, "by every source there is, whichever counts", func(t *testing.T) {
		w := newWorld(t, account("a"))
		rows := newCounter()
		rows.rows["a"] = "ga-2"
		p := New(namespace, w.memStore, &Counting{Shoots: w.counter, Instances: rows, Source: SourceGardener}, Policy{})
		equal(t, "used", w.claim(t, p, request("ga-1", "first", returning)).Used, true)
	})
	parallel(t, "not one that was held", func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-1")))
		w.claim(t, w.pool(), request("ga-1", "first", returning))
		equal(t, "counts", w.counter.called("count"), 1)
	})
}

// late puts a cluster on the account after the count, before the claim is written.
func late(w *world) { w.on("write", 1, fault{before: func() { w.counter.add("a", "theirs") }}) }

// A release that is refused and takes down the fence which it found has written something, and says so.
func TestRefusedReturnTakesDownTheFence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first"), dirty(Releasing)))
	_, err := w.release(w.pool(), "ga-1", "first", "a", ReturnToPool)
	wantError[*ReturnRefusedError](t, err)
	wantError[*FenceLoweredError](t, err)
	w.wantWrites(t, "a dirty=clean +first")
}
