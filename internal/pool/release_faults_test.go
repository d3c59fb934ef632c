package pool

import (
	"strings"
	"testing"
)

// What becomes of a release whose writes collide, whose answers are lost, or whose process dies; and of two at once.

// The answer to the last write is lost, and so is that to the look behind it. The account is looked at before anything else
// is sent: a mark that stands ends the release, and a fence that is still up is taken down. Where no look succeeds the fence
// stays as it is, the error says so, and the next try ends the release.
func TestLastWriteAndTheLookBehindItAreLost(t *testing.T) {
	t.Parallel()
	down := fault{answer: &UnreachableError{Verb: "get", Tries: 8, Err: errCut}}
	for name, test := range map[string]struct {
		mark   loss
		looks  int // that fail
		writes []string
		dirt   Dirt
		failed bool
	}{
		"the mark stands":                     {lostAfter, 1, []string{"a dirty=releasing +first", "a dirty=true -first"}, Dirtied, false},
		"the mark did not arrive":             {lostBefore, 1, []string{"a dirty=releasing +first", "a dirty=clean +first"}, Clean, true},
		"no look succeeds, the mark stands":   {lostAfter, 2, []string{"a dirty=releasing +first", "a dirty=true -first"}, Dirtied, true},
		"no look succeeds, it did not arrive": {lostBefore, 2, []string{"a dirty=releasing +first"}, Releasing, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
			w.on("write", 2, fault{lost: test.mark})
			for i := range test.looks {
				w.on("get", 2+i, down)
			}
			outcome, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
			w.wantWrites(t, test.writes...)
			equal(t, "write calls", w.called("write"), max(2, len(test.writes)+map[loss]int{lostBefore: 1}[test.mark]))
			equal(t, "reads", w.called("get"), 3)
			equal(t, "dirt", w.at("a").Dirty, test.dirt)
			if !test.failed {
				equal(t, "outcome", []any{outcome, err}, []any{OutcomeDirtied, nil})
				return
			}
			wantError[*UnknownOutcomeError](t, err)
			if test.looks > 1 {
				left := as[*FenceLeftError](t, err)
				equal(t, "account, and whether the release may have ended", []any{left.Account, left.Ended}, []any{"a", true})
				equal(t, "says that it stays", strings.Contains(err.Error(), "stays fenced"), false)
			}
			if outcome, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty); err != nil || w.at("a").Dirty != Dirtied {
				t.Errorf("the next try: %s, %v, dirt %q", outcome, err, w.at("a").Dirty)
			}
		})
	}
}

// F22b: a release that died behind its fences is run again, and the account is to be kept by now: all fences go.
func TestNextRunKeepsTheAccount(t *testing.T) {
	t.Parallel()
	for n := range 3 { // fences that are up
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")), account("b", heldBy("ga-1"), withSecret("secret-a")))
		req := w.releaseOf("ga-1", "first", "a", MarkDirty)
		w.on("write", n+1, fault{lost: crashBefore})
		dying(t, func() { _, _ = w.pool().Release(t.Context(), req) })
		req.Mode = Keep
		outcome, err := w.pool().Release(t.Context(), req)
		equal(t, "outcome", []any{outcome, err}, []any{OutcomeKept, nil})
		equal(t, "dirt", []Dirt{w.at("a").Dirty, w.at("b").Dirty}, []Dirt{Clean, Clean})
	}
}
