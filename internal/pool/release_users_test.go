package pool

import (
	"context"
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
		{"one comes while the fence is set (F22)", func(w *world) { w.on("write", 1, fault{before: func() { w.counter.add("a", "blue") }}) },
			false,
			[]any{1, true}, []string{"a dirty=releasing +first", "a dirty=clean +first"}},
		{"one comes behind the fence (F22)", func(w *world) {
			w.counter.at("users", 2, fault{before: func() { w.counter.add("a", "blue", "green") }})
		}, false,
			[]any{2, true}, []string{"a dirty=releasing +first", "a dirty=clean +first"}},
		{"one comes as the mark is lost on its way", func(w *world) {
			w.on("write", 2, fault{lost: lostBefore, after: func() { w.counter.add("a", "blue") }})
		}, false,
			[]any{1, true}, []string{"a dirty=releasing +first", "a dirty=clean +first"}},
		{"one comes as the mark meets an edit", func(w *world) {
			w.on("write", 2, fault{before: func() { w.edit("a", func(*Account) {}); w.counter.add("a", "blue") }})
		}, false, []any{1, true}, []string{"a dirty=releasing +first", "a dirty=clean +first"}},
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
			t.Run(test.name+"/"+string(mode), func(t *testing.T) {
				t.Parallel()
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
	t.Run("what a counter cannot find is not the account", func(t *testing.T) {
		t.Parallel()
		for look, writes := range map[int][]string{1: {}, 2: {"a dirty=releasing +first", "a dirty=clean +first"}} {
			w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
			w.counter.at("users", look, fault{answer: &NotFoundError{Account: "its Secret"}})
			outcome, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
			equal(t, "outcome", outcome, Outcome(""))
			equal(t, "error", as[*NotFoundError](t, err).Account, "its Secret")
			w.wantWrites(t, writes...)
		}
	})
	t.Run("keep asks no source: the account stays with its tenant", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
		w.counter.add("a", "blue")
		outcome, err := w.release(w.pool(), "ga-1", "first", "a", Keep)
		equal(t, "outcome", []any{outcome, err}, []any{OutcomeKept, nil})
		w.wantWrites(t, "a -first")
	})
	t.Run("nor does one of two claims", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first"), bearing("ga-1", "second")))
		w.counter.add("a", "blue")
		outcome, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
		equal(t, "outcome", []any{outcome, err}, []any{OutcomeKept, nil})
		w.wantWrites(t, "a -first")
	})
	t.Run("clusters on another account are no reason", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")), account("b", heldBy("ga-1")))
		w.counter.fill("b", 30)
		outcome, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
		equal(t, "outcome", []any{outcome, err}, []any{OutcomeDirtied, nil})
	})
}

// The fence is taken back whatever else happens at that moment.
func TestFenceIsTakenBack(t *testing.T) {
	t.Parallel()
	unknown := &ForbiddenError{Verb: "list", Resource: "shoots", Err: errors.New("no")}
	for name, test := range map[string]struct {
		behind func(w *world) // what happens behind the fence
		number int            // of the write that takes it back
	}{
		"clusters have come":           {func(w *world) { w.counter.at("users", 2, fault{before: func() { w.counter.add("a", "blue") }}) }, 2},
		"not known":                    {func(w *world) { w.counter.at("users", 2, fault{answer: unknown}) }, 2},
		"the mark is refused":          {func(w *world) { w.on("write", 2, fault{answer: unknown}) }, 3},
		"the mark does not get there":  {func(w *world) { w.on("write", 2, fault{answer: &UnreachableError{Verb: "patch", Err: errCut}}) }, 3},
		"the mark's fate is not known": {func(w *world) { w.on("write", 2, fault{lost: lostBefore}); w.on("get", 2, fault{answer: unknown}) }, 3},
	} {
		for meanwhile, arrange := range map[string]func(w *world, number int){
			"":                          func(*world, int) {},
			", and an edit crosses":     func(w *world, n int) { edits(w, n, 1) },
			", and two edits cross":     func(w *world, n int) { edits(w, n, 2) },
			", and that answer is lost": func(w *world, n int) { w.on("write", n, fault{lost: lostAfter}) },
			", and that write is lost":  func(w *world, n int) { w.on("write", n, fault{lost: lostBefore}) },
			", and a new claim stands": func(w *world, n int) {
				w.on("write", n, fault{before: func() { w.edit("a", bearing("ga-1", "second")) }})
			},
		} {
			t.Run(name+meanwhile, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
				test.behind(w)
				arrange(w, test.number)
				_, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
				if err == nil {
					t.Error("the release succeeded")
				}
				a := w.at("a")
				equal(t, "dirt", a.Dirty, Clean)
				if _, ok := a.Holds(identity("ga-1", "first").Key()); !ok {
					t.Error("the claim is gone")
				}
				equal(t, "writes", w.wrote(), []string{"a dirty=releasing +first", "a dirty=clean +first"})
			})
		}
	}
	t.Run("but not from an account that is another's by now", func(t *testing.T) {
		t.Parallel()
		for _, becomes := range []func(*Account){
			func(a *Account) { stripped(a); a.Tenant = "ga-2" }, shared, dirty(Dirtied), stripped,
		} {
			w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
			w.counter.at("users", 2, fault{before: func() { w.edit("a", becomes) }, answer: unknown})
			_, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
			equal(t, "error", as[*ForbiddenError](t, err), unknown)
			w.wantWrites(t, "a dirty=releasing +first")
		}
	})
	t.Run("nor from one that is gone, which leaves no fence to speak of", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
		w.counter.at("users", 2, fault{before: func() { w.remove("a") }, answer: unknown})
		_, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
		equal(t, "error", as[*ForbiddenError](t, err), unknown)
		equal(t, "says that a fence stays", strings.Contains(err.Error(), "stays fenced"), false)
		w.wantWrites(t, "a dirty=releasing +first")
	})
	t.Run("or says that it could not", func(t *testing.T) {
		t.Parallel()
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

// Ctrl-C at each call of a release: either it has not begun, or it is over, or the fence is gone again.
func TestReleaseIsCancelled(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		arrange func(w *world, cancel func())
		writes  []string
		done    bool
	}{
		"during the first look": {func(w *world, cancel func()) { w.counter.at("users", 1, fault{after: cancel}) }, nil, false},
		"while the fence is set": {func(w *world, cancel func()) { w.on("write", 1, fault{after: cancel}) },
			[]string{"a dirty=releasing +first", "a dirty=clean +first"}, false},
		"during the second look": {func(w *world, cancel func()) { w.counter.at("users", 2, fault{after: cancel}) },
			[]string{"a dirty=releasing +first", "a dirty=clean +first"}, false},
		"after the second look": {func(w *world, cancel func()) { w.counter.at("users", 2, fault{after: cancel, deaf: true}) },
			[]string{"a dirty=releasing +first", "a dirty=clean +first"}, false},
		"while it is marked, and that meets an edit": {func(w *world, cancel func()) {
			w.on("write", 2, fault{before: func() { w.edit("a", func(*Account) {}) }, after: cancel, deaf: true})
		}, []string{"a dirty=releasing +first", "a dirty=clean +first"}, false},
		"while it is marked, and that is lost": {func(w *world, cancel func()) { w.on("write", 2, fault{lost: lostBefore, after: cancel}) },
			[]string{"a dirty=releasing +first", "a dirty=clean +first"}, false},
		"while it is marked": {func(w *world, cancel func()) { w.on("write", 2, fault{after: cancel}) },
			[]string{"a dirty=releasing +first", "a dirty=true -first"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
			ctx, cancel := context.WithCancel(t.Context())
			test.arrange(w, cancel)
			outcome, err := w.pool().Release(ctx, w.releaseOf("ga-1", "first", "a", MarkDirty))
			w.wantWrites(t, test.writes...)
			if test.done {
				equal(t, "outcome", []any{outcome, err}, []any{OutcomeDirtied, nil})
				return
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got error %v, want the cancellation", err)
			}
		})
	}
}
