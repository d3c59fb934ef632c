package pool

import (
	"errors"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/pool/protocol"
)

// Clusters on an account that is being released: never is it marked or freed under one (history_test.go checks that
// of every commit), and a release that cannot go on leaves no fence behind.
func TestClustersStopARelease(t *testing.T) {
	t.Parallel()
	const fence, opened = "a dirty=releasing +first", "a dirty=clean +first"
	fails := func(err error, counts ...int) func(w *world) {
		return func(w *world) {
			for _, n := range counts {
				w.counter.at("count", n, fault{answer: err})
			}
		}
	}
	unknown := &account.UnreachableError{Verb: "list", Resource: "shoots", Tries: 8, Err: errCut}
	there := func(w *world) { w.counter.add("a", "blue") }
	for name, test := range map[string]struct {
		arrange func(w *world)
		fenced  bool  // before: an earlier try died
		inUse   []any // users and AfterFence; nil = the count failed
		writes  []string
	}{
		"one is there (F21)": {there, false, []any{1, false}, nil},
		"one comes after the fence (F22)": {func(w *world) {
			w.counter.at("count", 2, fault{before: func() { w.counter.add("a", "blue", "green") }})
		}, false, []any{2, true}, []string{fence, opened}},
		"one has come since an earlier try died":     {there, true, []any{1, true}, []string{opened}},
		"not known before the fence":                 {fails(unknown, 1, 2), false, nil, nil},
		"not known after the fence":                  {fails(unknown, 2), false, nil, []string{fence, opened}},
		"not known after an old fence":               {fails(unknown, 2), true, nil, []string{opened}},
		"what a counter cannot find is no account":   {fails(&account.NotFoundError{Account: "its Secret"}, 1, 2), false, nil, nil},
		"what it cannot find is none, after a fence": {fails(&account.NotFoundError{Account: "its Secret"}, 2), false, nil, []string{fence, opened}},
		"the account goes, and its fence with it": {func(w *world) {
			w.counter.at("count", 2, fault{before: func() { w.remove("a") }, answer: unknown})
		}, false, nil, []string{fence}},
	} {
		for _, mode := range []account.Mode{account.MarkDirty, account.ReturnToPool} {
			parallel(t, name+"/"+string(mode), func(t *testing.T) {
				w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first", newly)))
				if test.fenced {
					w.edit("a", dirty(account.Releasing))
				}
				test.arrange(w)
				outcome, err := w.pool().Release(t.Context(), ofFirst(mode))
				equal(t, "outcome", outcome, protocol.Outcome(""))
				if test.inUse != nil {
					inUse := as[*account.InUseError](t, err)
					equal(t, "account, users, after the fence", []any{inUse.Account, len(inUse.Users), inUse.AfterFence},
						append([]any{"a"}, test.inUse...))
				} else if !errors.Is(err, unknown) {
					equal(t, "error", as[*account.NotFoundError](t, err).Account, "its Secret")
				}
				equal(t, "says that a fence is left", errors.As(err, new(*protocol.FenceLeftError)), false)
				w.wantWrites(t, test.writes...)
				equal(t, "dirt", w.at("a").Dirty, account.Clean)
			})
		}
	}
	for name, test := range map[string]struct {
		account func(*account.Account)
		mode    account.Mode
		on      string
		want    protocol.Outcome
	}{
		"keep asks no source: the account stays with its tenant": {bearing("ga-1", "first"), account.Keep, "a", protocol.OutcomeKept},
		"nor does one of two claims":                             {bearing("ga-1", "second"), account.MarkDirty, "a", protocol.OutcomeKept},
		"clusters on another account are no reason":              {bearing("ga-1", "first"), account.MarkDirty, "b", protocol.OutcomeDirtied},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first"), test.account), anAccount("b", heldBy("ga-1")))
			w.counter.add(test.on, "blue")
			outcome, err := w.pool().Release(t.Context(), ofFirst(test.mode))
			equal(t, "outcome", []any{outcome, err}, []any{test.want, nil})
		})
	}
}
