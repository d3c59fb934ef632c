package pool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// What becomes of a release whose writes collide, whose answers are lost, or whose process dies; and of two at once.

// way is one way a release can take: the writes it makes when nothing goes wrong, and what stands then.
type way struct {
	name   string
	mode   Mode
	dirt   Dirt
	others []string
	writes []string
	ends   Account // tenant and dirt
}

func ways() []way {
	return []way{
		{"mark_dirty", MarkDirty, Clean, nil, []string{"a dirty=releasing +first", "a dirty=true -first"},
			Account{Tenant: "ga-1", Dirty: Dirtied}},
		{"return_to_pool", ReturnToPool, Clean, nil, []string{"a dirty=releasing +first", "a tenant= dirty=clean -first"}, Account{}},
		{"keep", Keep, Clean, nil, []string{"a -first"}, Account{Tenant: "ga-1"}},
		{"one of two claims", MarkDirty, Clean, []string{"second"}, []string{"a -first"}, Account{Tenant: "ga-1"}},
		{"dirty already", MarkDirty, Dirtied, nil, []string{"a -first"}, Account{Tenant: "ga-1", Dirty: Dirtied}},
		{"an old fence", MarkDirty, Releasing, nil, []string{"a dirty=true -first"}, Account{Tenant: "ga-1", Dirty: Dirtied}},
		{"keep, behind an old fence", Keep, Releasing, nil, []string{"a dirty=clean -first"}, Account{Tenant: "ga-1"}},
	}
}

func (y way) world(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly), dirty(y.dirt)))
	for _, name := range y.others {
		w.edit("a", bearing("ga-1", name))
	}
	return w
}

// ended checks what stands in the end and that nothing was written twice.
func (y way) ended(t *testing.T, w *world) {
	t.Helper()
	a := w.at("a")
	equal(t, "tenant and dirt", []any{a.Tenant, a.Dirty}, []any{y.ends.Tenant, y.ends.Dirty})
	if _, left := a.Records[identity("ga-1", "first").Key()]; left {
		t.Error("the record is still there")
	}
	equal(t, "other records", len(a.Records), len(y.others))
	w.wantWrites(t, y.writes...)
}

func TestEachWriteOfAReleaseGoesWrong(t *testing.T) {
	t.Parallel()
	faults := map[string]func(w *world) fault{
		"conflict":               func(w *world) fault { return fault{before: func() { w.edit("a", func(*Account) {}) }} },
		"lost after the commit":  func(*world) fault { return fault{lost: lostAfter} },
		"lost before the commit": func(*world) fault { return fault{lost: lostBefore} },
		"lost on the way":        func(w *world) fault { return fault{lost: lostOnTheWay, after: w.deliver} },
		"lost, then an edit":     func(w *world) fault { return fault{lost: lostAfter, after: func() { w.edit("a", func(*Account) {}) }} },
	}
	for _, y := range ways() {
		for name, fault := range faults {
			for n := range y.writes {
				t.Run(fmt.Sprintf("%s/%s at write %d", y.name, name, n+1), func(t *testing.T) {
					t.Parallel()
					w := y.world(t)
					w.on("write", n+1, fault(w))
					if _, err := w.release(w.pool(), "ga-1", "first", "a", y.mode); err != nil {
						t.Fatal(err)
					}
					y.ended(t, w)
				})
			}
		}
	}
}

// F22b: the process dies after each write; the next one finishes.
func TestReleaseIsFinishedByTheNextProcess(t *testing.T) {
	t.Parallel()
	for _, y := range ways() {
		for n := range y.writes {
			t.Run(fmt.Sprintf("%s/dies at write %d", y.name, n+1), func(t *testing.T) {
				t.Parallel()
				w := y.world(t)
				req := w.releaseOf("ga-1", "first", "a", y.mode)
				w.on("write", n+1, fault{lost: crash})
				dying(t, func() { _, _ = w.pool().Release(context.Background(), req) })
				equal(t, "writes before the crash", w.wrote(), y.writes[:n+1])
				if _, err := w.pool().Release(t.Context(), req); err != nil {
					t.Fatal(err)
				}
				y.ended(t, w)
			})
		}
	}
	t.Run("as keep: the fence goes", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
		w.on("write", 1, fault{lost: crash})
		dying(t, func() { _, _ = w.release(w.pool(), "ga-1", "first", "a", MarkDirty) })
		outcome, err := w.release(w.pool(), "ga-1", "first", "a", Keep)
		equal(t, "outcome", []any{outcome, err}, []any{OutcomeKept, nil})
		w.wantWrites(t, "a dirty=releasing +first", "a dirty=clean -first")
	})
	t.Run("after the clean-up job has been there (F27)", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
		req := w.releaseOf("ga-1", "first", "a", MarkDirty)
		w.on("write", 2, fault{lost: crash})
		dying(t, func() { _, _ = w.pool().Release(context.Background(), req) })
		w.edit("a", stripped)
		w.edit("a", heldBy("ga-2"))
		outcome, err := w.pool().Release(t.Context(), req)
		equal(t, "outcome", []any{outcome, err}, []any{OutcomeNotHeld, nil})
		w.wantWrites(t, "a dirty=releasing +first", "a dirty=true -first")
	})
}

// The answer to a mark is lost, and the clean-up job is quick, and so is the next tenant.
func TestMarkIsLostAndTheAccountMovesOn(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]func(w *world){
		"cleaned":                         func(w *world) { w.edit("a", stripped) },
		"cleaned and claimed":             func(w *world) { w.edit("a", stripped); w.edit("a", heldBy("ga-2")) },
		"cleaned and claimed, with users": func(w *world) { w.edit("a", stripped); w.edit("a", heldBy("ga-2")); w.counter.add("a", "theirs") },
		"deleted":                         func(w *world) { w.remove("a") },
	} {
		for _, mode := range []Mode{MarkDirty, ReturnToPool} {
			t.Run(name+"/"+string(mode), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
				w.on("write", 2, fault{lost: lostAfter, after: func() { then(w) }})
				_, err := w.release(w.pool(), "ga-1", "first", "a", mode)
				equal(t, "error", err, nil)
				equal(t, "writes", len(w.wrote()), 2)
				equal(t, "write calls", w.called("write"), 2)
			})
		}
	}
}

// Two runs release two claims of one account at once: the first that goes drops its record, the last marks the account.
func TestTwoReleasesAtOnce(t *testing.T) {
	t.Parallel()
	for name, modes := range map[string][2]Mode{"mark and mark": {MarkDirty, MarkDirty}, "mark and keep": {MarkDirty, Keep}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 50 {
				w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "claim-0"), bearing("ga-1", "claim-1")))
				outcomes := make([]Outcome, 2)
				errs := together(2, func(i int) (err error) {
					outcomes[i], err = w.release(w.pool(), "ga-1", fmt.Sprintf("claim-%d", i), "a", modes[i])
					return err
				})
				equal(t, "errors", errs, []error{nil, nil})
				marks := 0
				for _, line := range w.wrote() {
					if line == "a dirty=true -claim-0" || line == "a dirty=true -claim-1" {
						marks++
					}
				}
				dirtied := 0
				for _, o := range outcomes {
					if o == OutcomeDirtied {
						dirtied++
					}
				}
				a := w.at("a")
				equal(t, "marks and reports of one", marks, dirtied)
				equal(t, "records", len(a.Records), 0)
				if modes[1] == MarkDirty {
					equal(t, "marks", marks, 1)
				}
				equal(t, "dirt", a.Dirty, map[int]Dirt{0: Clean, 1: Dirtied}[marks])
			}
		})
	}
	t.Run("the same claim", func(t *testing.T) {
		t.Parallel()
		for range 50 {
			w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
			errs := together(2, func(int) error {
				_, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
				return err
			})
			equal(t, "errors", errs, []error{nil, nil})
			w.wantWrites(t, "a dirty=releasing +first", "a dirty=true -first")
		}
	})
}

// A claim that comes to the account while it is being released keeps it open.
func TestClaimComesDuringARelease(t *testing.T) {
	t.Parallel()
	second := func(w *world) {
		w.edit("a", bearing("ga-1", "second")) // by a process that has seen no fence, or an import (Update)
	}
	for name, arrange := range map[string]func(w *world){
		"before the fence":               func(w *world) { w.on("write", 1, fault{before: func() { second(w) }}) },
		"as the fence's answer is lost":  func(w *world) { w.on("write", 1, fault{lost: lostAfter, after: func() { second(w) }}) },
		"behind the fence":               func(w *world) { w.counter.at("users", 2, fault{before: func() { second(w) }}) },
		"just before the mark":           func(w *world) { w.on("write", 2, fault{before: func() { second(w) }}) },
		"just before a mark that's lost": func(w *world) { w.on("write", 2, fault{before: func() { second(w) }, lost: lostBefore}) },
	} {
		for _, mode := range []Mode{MarkDirty, ReturnToPool} {
			t.Run(name+"/"+string(mode), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
				arrange(w)
				outcome, err := w.release(w.pool(), "ga-1", "first", "a", mode)
				equal(t, "outcome", []any{outcome, err}, []any{OutcomeKept, nil})
				a := w.at("a")
				equal(t, "tenant and dirt", []any{a.Tenant, a.Dirty}, []any{"ga-1", Clean})
				equal(t, "claims", a.Claims(), []string{identity("ga-1", "second").Key()})
			})
		}
	}
}

func TestReleaseGivesUpWhenEveryWriteIsLostToARival(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")))
	edits(w, 1, 2*maxTries)
	_, err := w.release(w.pool(), "ga-1", "first", "a", MarkDirty)
	conflict := as[*ConflictError](t, err)
	equal(t, "account and tries", []any{conflict.Account, conflict.Tries}, []any{"a", maxTries})
	w.wantWrites(t)
}

func TestUnknownOutcomeOfARelease(t *testing.T) {
	t.Parallel()
	for _, y := range ways() {
		for n := range y.writes {
			t.Run(fmt.Sprintf("%s/write %d", y.name, n+1), func(t *testing.T) {
				t.Parallel()
				w := y.world(t)
				req := w.releaseOf("ga-1", "first", "a", y.mode)
				w.on("write", n+1, fault{lost: lostAfter})
				for call := range 9 { // the server takes the write and then answers nothing
					w.on("get", 2+call, fault{answer: &UnreachableError{Verb: "get", Tries: 8, Err: errCut}})
					w.on("write", n+2+call, fault{answer: &UnreachableError{Verb: "patch", Tries: 1, Err: errCut}})
				}
				_, err := w.pool().Release(t.Context(), req)
				wantError[*UnknownOutcomeError](t, err)
				if errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("a deadline appears from nowhere: %v", err)
				}
				w.mu.Lock()
				clear(w.faults)
				w.mu.Unlock()
				if _, err := w.pool().Release(t.Context(), req); err != nil {
					t.Fatal(err)
				}
				y.ended(t, w)
			})
		}
	}
}

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
