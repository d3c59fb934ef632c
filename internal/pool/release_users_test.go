package pool

import (
	"errors"
	"testing"
)

// Clusters on an account that is being released: never is it marked or freed under one (history_test.go checks that
// of every commit), and a release that cannot go on leaves no fence behind.
func TestClustersStopARelease(t *testing.T) {
	t.Parallel()
	const fence, opened = "a dirty=releasing +first", "a dirty=clean +first"
	fails := func(look int, err error) func(w *world) {
		return func(w *world) { w.counter.at("users", look, fault{answer: err}) }
	}
	unknown := &UnreachableError{Verb: "list", Resource: "shoots", Tries: 8, Err: errCut}
	there := func(w *world) { w.counter.add("a", "blue") }
	for name, test := range map[string]struct {
		arrange func(w *world)
		fenced  bool  // before: an earlier try died
		inUse   []any // users and AfterFence; nil = the count failed
		writes  []string
	}{
		"one is there (F21)": {there, false, []any{1, false}, nil},
		"one comes behind the fence (F22)": {func(w *world) {
			w.counter.at("users", 2, fault{before: func() { w.counter.add("a", "blue", "green") }})
		}, false, []any{2, true}, []string{fence, opened}},
		"one has come since an earlier try died":      {there, true, []any{1, true}, []string{opened}},
		"not known before the fence":                  {fails(1, unknown), false, nil, nil},
		"not known behind the fence":                  {fails(2, unknown), false, nil, []string{fence, opened}},
		"not known behind an old fence":               {fails(1, unknown), true, nil, []string{opened}},
		"what a counter cannot find is no account":    {fails(1, &NotFoundError{Account: "its Secret"}), false, nil, nil},
		"what it cannot find is none, behind a fence": {fails(2, &NotFoundError{Account: "its Secret"}), false, nil, []string{fence, opened}},
		"the account goes, and its fence with it": {func(w *world) {
			w.counter.at("users", 2, fault{before: func() { w.remove("a") }, answer: unknown})
		}, false, nil, []string{fence}},
	} {
		for _, mode := range []Mode{MarkDirty, ReturnToPool} {
			parallel(t, name+"/"+string(mode), func(t *testing.T) {
				w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
				if test.fenced {
					w.edit("a", dirty(Releasing))
				}
				test.arrange(w)
				outcome, err := w.pool().Release(t.Context(), ofFirst(mode))
				equal(t, "outcome", outcome, Outcome(""))
				if test.inUse != nil {
					inUse := as[*InUseError](t, err)
					equal(t, "account, users, after the fence", []any{inUse.Account, len(inUse.Users), inUse.AfterFence},
						append([]any{"a"}, test.inUse...))
				} else if !errors.Is(err, unknown) {
					equal(t, "error", as[*NotFoundError](t, err).Account, "its Secret")
				}
				equal(t, "says that a fence is left", errors.As(err, new(*FenceLeftError)), false)
				w.wantWrites(t, test.writes...)
				equal(t, "dirt", w.at("a").Dirty, Clean)
			})
		}
	}
	for name, test := range map[string]struct {
		account func(*Account)
		mode    Mode
		on      string
		want    Outcome
	}{
		"keep asks no source: the account stays with its tenant": {bearing("ga-1", "first"), Keep, "a", OutcomeKept},
		"nor does one of two claims":                             {bearing("ga-1", "second"), MarkDirty, "a", OutcomeKept},
		"clusters on another account are no reason":              {bearing("ga-1", "first"), MarkDirty, "b", OutcomeDirtied},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first"), test.account), account("b", heldBy("ga-1")))
			w.counter.add(test.on, "blue")
			outcome, err := w.pool().Release(t.Context(), ofFirst(test.mode))
			equal(t, "outcome", []any{outcome, err}, []any{test.want, nil})
		})
	}
}
