package pool

import (
	"strings"
	"testing"
)

// The tenant's label was taken from an account on which clusters still are: a claim that took it would share it with them.

func TestAccountWithClustersIsNotClaimed(t *testing.T) {
	t.Parallel()
	suspended := func(w *world) { w.counter.suspended = map[string]int{"a": 2} }
	for name, test := range map[string]struct {
		changes []func(*Account)
		arrange func(w *world)
		claimed bool
	}{
		"nothing on it":     {nil, func(*world) {}, true},
		"one cluster on it": {nil, func(w *world) { w.counter.add("a", "theirs") }, false},
		"another tenant's record on it, too": {[]func(*Account){bearing("ga-2", "first")}, func(w *world) { w.counter.add("a", "theirs") },
			false},
		"the tenant's own record on it, too": {[]func(*Account){bearing("ga-1", "before")}, func(w *world) { w.counter.add("a", "ours") },
			false},
		"suspended ones alone": {nil, suspended, true},
		"the tenant's own record and row": {[]func(*Account){bearing("ga-1", "before")},
			func(w *world) { w.counter.rows = map[string]string{"a": "ga-1"} }, false},
		"suspended ones, and one that is not": {nil, func(w *world) { suspended(w); w.counter.add("a", "theirs") }, false},
	} {
		for _, pin := range []string{"", "a"} {
			parallel(t, name+"/pin "+pin, func(t *testing.T) {
				w := newWorld(t, account("a", test.changes...))
				test.arrange(w)
				claim, err := w.pool().Claim(t.Context(), request("ga-1", "first", pinnedTo(pin)))
				if test.claimed {
					equal(t, "account and error", []any{claim.Account.Name, err}, []any{"a", nil})
					return
				}
				w.wantWrites(t)
				if pin == "" {
					tally := as[*ExhaustedError](t, err).Tally
					equal(t, "tally", tally, Tally{ClassOccupied: 1})
					equal(t, "told", tally.String(), "free 0, claimed 0, dirty 0, internal 0, occupied 1")
				} else {
					equal(t, "why", strings.Contains(as[*PinError](t, err).Why, "no Global Account holds it"), true)
				}
			})
		}
	}
}

// With both sources, rows that are suspended do not hide Shoots.
func TestSuspendedRowsDoNotHideShoots(t *testing.T) {
	t.Parallel()
	var shoots, rows Counts
	shoots.Add("a", "one")
	shoots.Add("a", "two")
	rows.AddInstances("a", "ga-2", true, 3)
	_, err := Select(pointers([]Account{account("a")}), combine(shoots, rows), queryOf(func(*Query) {}), Policy{})
	equal(t, "tally", as[*ExhaustedError](t, err).Tally[ClassOccupied], 1)
}

// A claim whose record was there, and is gone, has no say about the account any more (F22b): it was released before, and
// the tenant may hold the account anew, by the broker.
func TestReleaseWithoutItsRecordWritesNothing(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{MarkDirty, ReturnToPool} {
		for _, dirt := range []Dirt{Clean, Releasing} {
			w := newWorld(t, account("a", heldBy("ga-1"), dirty(dirt)))
			req := w.releaseOf("ga-1", "first", "a", mode)
			req.Recorded = true
			outcome, err := w.pool().Release(t.Context(), req)
			equal(t, "outcome", []any{outcome, err}, []any{OutcomeUnrecorded, nil})
			w.wantWrites(t)
		}
	}
}

// A claim on a shared account has never held anything, whatever becomes of the account's labels.
func TestClaimOnASharedAccountNeverWrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", heldBy("ga-1")))
	id := identity("ga-1", "first")
	id.Pool = Target{HyperscalerType: "aws", Shared: true}.String()
	for _, mode := range modes() {
		outcome, err := w.pool().Release(t.Context(), ReleaseRequest{Identity: id, Account: "a", UID: uidOfA, Mode: mode})
		equal(t, "outcome", []any{outcome, err}, []any{OutcomeShared, nil})
	}
	_, err := w.pool().Update(t.Context(), w.updateOf(func(r *UpdateRequest) { r.Identity, r.UID = id, uidOfA }))
	wantError[*UnusableError](t, err)
	w.wantWrites(t)
}

// What the tenant had before and has taken back does not come from the pool: it does not go back there unwiped.
func TestAccountThatWasTakenBackIsNotNewlyClaimed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a"))
	_, err := w.pool().Update(t.Context(), w.updateOf(func(r *UpdateRequest) { r.UID, r.Reclaim = uidOfA, true }))
	equal(t, "error", err, nil)
	equal(t, "newly claimed", w.recordsOfA()["ga-1/first"].NewlyClaimed, false)
}

// A server that fails every write, and answers every read, is not asked for ever.
func TestWritesThatAllFailEnd(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(t *testing.T, w *world) error{
		"claim": func(t *testing.T, w *world) error {
			_, err := w.pool().Claim(t.Context(), request("ga-2", "first"))
			return err
		},
		"release": func(_ *testing.T, w *world) error {
			_, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
			return err
		},
		"update": func(t *testing.T, w *world) error {
			_, err := w.pool().Update(t.Context(), w.updateOf(func(r *UpdateRequest) { r.UID = uidOfA }))
			return err
		},
	} {
		virtual(t, name, func(t *testing.T) {
			w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")), account("b"))
			w.storm = func(call string) fault {
				if call == "write" {
					return fault{lost: lostBefore}
				}
				return fault{}
			}
			wantError[*UnknownOutcomeError](t, call(t, w))
			want := retryBudget
			if name == "release" {
				want += 3 // its fence may have arrived
			}
			equal(t, "write calls", w.called("write"), want)
			w.wantWrites(t)
		})
	}
}
