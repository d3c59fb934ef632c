package pool

import (
	"errors"
	"strings"
	"testing"
)

// Clusters on an account that is being released: never is it marked or freed under one (history_test.go checks that
// of every commit), and a release that cannot go on leaves no fence behind.

func TestClustersStopARelease(t *testing.T) {
	t.Parallel()
	unknown := &UnreachableError{Verb: "list", Resource: "shoots", Tries: 8, Err: errCut}
	tests := []struct {
		name    string
		arrange func(w *world)
		fenced  bool  // stood before: an earlier try died
		inUse   []any // users and AfterFence; nil = the count failed
		writes  []string
	}{
		{"one is there (F21)", func(w *world) { w.counter.add("a", "blue") }, false, []any{1, false}, nil},
		{"one comes behind the fence (F22)", func(w *world) {
			w.counter.at("users", 2, fault{before: func() { w.counter.add("a", "blue", "green") }})
		}, false,
			[]any{2, true}, []string{"a dirty=releasing +first", "a dirty=clean +first"}},
		{"one has come since an earlier try died", func(w *world) { w.counter.add("a", "blue") }, true, []any{1, true},
			[]string{"a dirty=clean +first"}},
		{"not known before the fence", func(w *world) { w.counter.at("users", 1, fault{answer: unknown}) }, false, nil, nil},
		{"not known behind the fence", func(w *world) { w.counter.at("users", 2, fault{answer: unknown}) }, false, nil,
			[]string{"a dirty=releasing +first", "a dirty=clean +first"}},
		{"not known behind an old fence", func(w *world) { w.counter.at("users", 1, fault{answer: unknown}) }, true, nil,
			[]string{"a dirty=clean +first"}},
	}
	for _, test := range tests {
		for _, mode := range []Mode{MarkDirty, ReturnToPool} {
			parallel(t, test.name+"/"+string(mode), func(t *testing.T) {
				w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
				if test.fenced {
					w.edit("a", dirty(Releasing))
				}
				test.arrange(w)
				outcome, err := w.release(w.pool(), "ga-1", "first", "a", mode)
				equal(t, "outcome", outcome, Outcome(""))
				if test.inUse != nil {
					inUse := as[*InUseError](t, err)
					equal(t, "account, users, after the fence", []any{inUse.Account, len(inUse.Users), inUse.AfterFence},
						append([]any{"a"}, test.inUse...))
				} else {
					equal(t, "error", as[*UnreachableError](t, err), unknown)
				}
				w.wantWrites(t, test.writes...)
				a := w.at("a")
				equal(t, "dirt", a.Dirty, Clean)
				equal(t, "claims", a.Claims(), []string{identity("ga-1", "first").Key()})

				w.counter.clear("a") // when they are gone, the same call ends the claim
				outcome, err = w.release(w.pool(), "ga-1", "first", "a", mode)
				want := map[Mode]Outcome{MarkDirty: OutcomeDirtied, ReturnToPool: OutcomeReturned}[mode]
				equal(t, "the next try", []any{outcome, err}, []any{want, nil})
			})
		}
	}
	parallel(t, "what a counter cannot find is not the account", func(t *testing.T) {
		for look, writes := range map[int][]string{1: {}, 2: {"a dirty=releasing +first", "a dirty=clean +first"}} {
			w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
			w.counter.at("users", look, fault{answer: &NotFoundError{Account: "its Secret"}})
			outcome, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
			equal(t, "outcome", outcome, Outcome(""))
			equal(t, "error", as[*NotFoundError](t, err).Account, "its Secret")
			w.wantWrites(t, writes...)
		}
	})
	parallel(t, "keep asks no source: the account stays with its tenant", func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
		w.counter.add("a", "blue")
		outcome, err := w.release(w.pool(), "ga-1", "first", "a", Keep)
		equal(t, "outcome", []any{outcome, err}, []any{OutcomeKept, nil})
		w.wantWrites(t, "a -first")
	})
	parallel(t, "nor does one of two claims", func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first"), bearing("ga-1", "second")))
		w.counter.add("a", "blue")
		outcome, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
		equal(t, "outcome", []any{outcome, err}, []any{OutcomeKept, nil})
		w.wantWrites(t, "a -first")
	})
	parallel(t, "clusters on another account are no reason", func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")), account("b", heldBy("ga-1")))
		w.counter.fill("b", 30)
		outcome, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
		equal(t, "outcome", []any{outcome, err}, []any{OutcomeDirtied, nil})
	})
}

// What a release says of a fence that it could not take back.
func TestFenceIsTakenBack(t *testing.T) {
	t.Parallel()
	unknown := &ForbiddenError{Verb: "list", Resource: "shoots", Err: errors.New("no")}
	parallel(t, "of an account that is gone no fence is left to speak of", func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
		w.counter.at("users", 2, fault{before: func() { w.remove("a") }, answer: unknown})
		_, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
		equal(t, "error", as[*ForbiddenError](t, err), unknown)
		equal(t, "says that a fence stays", strings.Contains(err.Error(), "stays fenced"), false)
		w.wantWrites(t, "a dirty=releasing +first")
	})
	parallel(t, "or says that it could not", func(t *testing.T) {
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
		w.counter.at("users", 2, fault{answer: unknown})
		w.on("write", 2, fault{answer: &UnreachableError{Verb: "patch", Err: errCut}})
		_, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
		wantError[*UnreachableError](t, err)
		equal(t, "says that a fence stays", strings.Contains(err.Error(), "account a stays fenced"), true)
		equal(t, "the release may have ended", as[*FenceLeftError](t, err).Ended, false)
		equal(t, "cause", as[*ForbiddenError](t, err), unknown)
		equal(t, "dirt", w.at("a").Dirty, Releasing)
		outcome, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
		equal(t, "the next try", []any{outcome, err}, []any{OutcomeDirtied, nil})
		w.wantWrites(t, "a dirty=releasing +first", "a dirty=true -first")
	})
}

// edits changes account a before each of some write calls.
func edits(w *world, first, n int) {
	for i := range n {
		w.on("write", first+i, fault{before: func() { w.edit("a", func(*Account) {}) }})
	}
}
