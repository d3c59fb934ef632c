package pool

import (
	"slices"
	"testing"
)

// An account goes back to the pool without a clean-up only where nobody is known to have used it (F23).

// recordsOfA returns the records on the account a by the names of their claims.
func (w *world) recordsOfA() map[string]Record {
	records := map[string]Record{}
	for _, r := range w.at("a").Records {
		records[r.GlobalAccount+"/"+r.Name] = r
	}
	return records
}

func used(r *Record) { r.Used = true }

func TestUsedAccountIsNotReturned(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		record  []func(*Record)
		change  func(*ReleaseRequest)
		refused bool
		used    bool
	}{
		"never used":                        {record: []func(*Record){newly}},
		"used, as its record says":          {record: []func(*Record){newly, used}, refused: true, used: true},
		"used, as the caller has seen":      {record: []func(*Record){newly}, change: func(r *ReleaseRequest) { r.Used = true }, refused: true, used: true},
		"not taken from the pool":           {refused: true},
		"not taken from the pool, and used": {record: []func(*Record){used}, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", test.record...)))
			req := w.releaseOf("ga-1", "first", "a", ReturnToPool)
			if test.change != nil {
				test.change(&req)
			}
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

// The one that took the account learns in the same write that another claim has come, so that it cannot forget it when
// that one is gone again.
func TestSecondClaimOnAnAccountIsRemembered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a"))
	w.claim(t, w.pool(), request("ga-1", "first"))
	before := w.recordsOfA()["ga-1/first"]
	w.claim(t, w.pool(), request("ga-1", "second"))
	w.claim(t, w.pool(), request("ga-1", "third"))
	writes := w.wrote()
	equal(t, "writes", len(writes), 3)
	equal(t, "records of the second write", slices.ContainsFunc([]string{"a +first +second", "a +second +first"}, func(s string) bool { return s == writes[1] }), true)
	equal(t, "third write", writes[2], "a +third")
	before.Used = true
	equal(t, "the first record", w.recordsOfA()["ga-1/first"], before)
	equal(t, "the second is used", w.recordsOfA()["ga-1/second"].Used, false)

	for _, name := range []string{"second", "third"} {
		outcome, err := w.release(w.pool(), "ga-1", name, "a", Keep)
		equal(t, name, []any{outcome, err}, []any{OutcomeKept, nil})
	}
	_, err := w.release(w.pool(), "ga-1", "first", "a", ReturnToPool)
	equal(t, "used", as[*ReturnRefusedError](t, err).Used, true)
}

// The answer to the first write is lost; before the account is read again a second claim of the tenant comes to it, and
// the first one's record is told. It stands all the same, whatever becomes of the second, and no list is needed to know.
func TestClaimIsToldOfAnotherWhileItsAnswerIsLost(t *testing.T) {
	t.Parallel()
	for name, goes := range map[string]bool{"the other stays": false, "the other goes again": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, account("a"))
			w.on("write", 1, fault{lost: lostAfter, after: func() {
				w.claim(t, w.pool(), request("ga-1", "second"))
				if goes {
					_, err := w.release(w.pool(), "ga-1", "second", "a", Keep)
					equal(t, "release", err, nil)
				}
			}})
			w.on("list", 3, fault{answer: &UnreachableError{Verb: "list", Tries: 1, Err: errCut}})
			claim := w.claim(t, w.pool(), request("ga-1", "first"))
			equal(t, "account", claim.Account.Name, "a")
			equal(t, "used", claim.Record.Used, true)
			equal(t, "record", claim.Record, w.recordsOfA()["ga-1/first"])
			equal(t, "lists", w.called("list"), 2)
		})
	}
}

// A claim writes on the records of others too. What becomes of those says nothing about itself.
func TestLostClaimStandsWhateverBecomesOfTheFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a"))
	w.claim(t, w.pool(), request("ga-1", "first"))
	w.on("write", 2, fault{lost: lostAfter, after: func() {
		_, err := w.release(w.pool(), "ga-1", "first", "a", Keep)
		equal(t, "release", err, nil)
	}})
	w.on("list", 3, fault{answer: &UnreachableError{Verb: "list", Tries: 1, Err: errCut}})
	claim := w.claim(t, w.pool(), request("ga-1", "second"))
	equal(t, "records", len(w.recordsOfA()), 1)
	equal(t, "record", claim.Record, w.recordsOfA()["ga-1/second"])
}

func TestRecordOfALaterFormatIsNotToldOfASecondClaim(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly, ofLaterFormat)))
	w.claim(t, w.pool(), request("ga-1", "second"))
	w.wantWrites(t, "a +second")
}

// What is known of an account's use outlives that the claim is taken up and updated.
func TestUseIsNotForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly, used)))
	w.claim(t, w.pool(), request("ga-1", "first", reserving("blue")))
	equal(t, "used, taken up", w.recordsOfA()["ga-1/first"].Used, true)

	w = newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
	for _, seen := range []bool{true, false} {
		_, err := w.pool().Update(t.Context(), w.updateOf(func(r *UpdateRequest) { r.UID, r.Used = uidOfA, seen }))
		equal(t, "error", err, nil)
		equal(t, "used, updated", w.recordsOfA()["ga-1/first"].Used, true)
	}
}

// A claim that comes to an account clears what other tenants have left there, and leaves what its own has: those claims
// may stand in some state, and count again now.
func TestClaimClearsVoidRecordsOfOthers(t *testing.T) {
	t.Parallel()
	for name, tenant := range map[string]func(*Account){"free": stripped, "held": heldBy("ga-1")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, account("a", tenant, bearing("ga-1", "before"), bearing("ga-2", "first"), bearing("ga-3", "first", ofLaterFormat)))
			w.claim(t, w.pool(), request("ga-1", "first"))
			records := w.recordsOfA()
			equal(t, "records", len(records), 2)
			equal(t, "the tenant's own", records["ga-1/before"], recordOf("ga-1", "before"))
			equal(t, "the new one", records["ga-1/first"].Name, "first")
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
	returning := func(r *ClaimRequest) { r.OnDestroy = ReturnToPool }
	down := fault{answer: &UnreachableError{Verb: "list", Tries: 1, Err: errCut}}
	refused := fault{answer: &ForbiddenError{Verb: "patch", Resource: "r", Namespace: "n", Err: errCut}}
	for name, test := range map[string]struct {
		arrange func(w *world)
		ending  func(*ClaimRequest)
		used    bool // as the caller is told
		writes  []string
		counts  int
	}{
		"nothing on it":                      {func(*world) {}, returning, false, []string{"a tenant=ga-1 +first"}, 2},
		"old suspended rows":                 {func(w *world) { w.counter.suspended = map[string]int{"a": 2} }, returning, false, []string{"a tenant=ga-1 +first"}, 2},
		"a cluster, since the count":         {late, returning, true, []string{"a tenant=ga-1 +first", "a +first"}, 2},
		"a cluster, and the note is lost":    {func(w *world) { late(w); w.on("write", 2, fault{lost: lostBefore}) }, returning, true, []string{"a tenant=ga-1 +first", "a +first"}, 2},
		"a cluster, and the note is refused": {func(w *world) { late(w); w.on("write", 2, refused) }, returning, true, []string{"a tenant=ga-1 +first"}, 2},
		"nobody can look":                    {func(w *world) { w.counter.at("count", 2, down) }, returning, true, []string{"a tenant=ga-1 +first", "a +first"}, 2},
		"it will be wiped anyway":            {late, func(r *ClaimRequest) { r.OnDestroy = MarkDirty }, false, []string{"a tenant=ga-1 +first"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, account("a"))
			test.arrange(w)
			claim := w.claim(t, w.pool(), request("ga-1", "first", test.ending))
			equal(t, "used", claim.Record.Used, test.used)
			equal(t, "account and record", claim.Account.Records[identity("ga-1", "first").Key()], claim.Record)
			w.wantWrites(t, test.writes...)
			equal(t, "counts", w.counter.called("count"), test.counts)
		})
	}
	t.Run("not one that was held", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, account("a", heldBy("ga-1")))
		w.claim(t, w.pool(), request("ga-1", "first", returning))
		equal(t, "counts", w.counter.called("count"), 1)
	})
}

// late puts a cluster on the account after the count, before the claim is written.
func late(w *world) { w.on("write", 1, fault{before: func() { w.counter.add("a", "theirs") }}) }
