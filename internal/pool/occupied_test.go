package pool

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// The tenant's label was taken from an account on which clusters still are: a claim that took it would share it with them.

func TestAccountWithClustersIsNotClaimed(t *testing.T) {
	t.Parallel()
	suspended := func(w *world) { w.counter.suspended = map[string]int{"a": 2} }
	for name, test := range map[string]struct {
		changes []func(*account.Account)
		arrange func(w *world)
		claimed bool
	}{
		"nothing on it":     {nil, func(*world) {}, true},
		"one cluster on it": {nil, func(w *world) { w.counter.add("a", "theirs") }, false},
		"another tenant's record on it, too": {[]func(*account.Account){bearing("ga-2", "first")}, func(w *world) { w.counter.add("a", "theirs") },
			false},
		"the tenant's own record on it, too": {[]func(*account.Account){bearing("ga-1", "before")}, func(w *world) { w.counter.add("a", "ours") },
			false},
		"suspended ones alone": {nil, suspended, true},
		"the tenant's own record and row": {[]func(*account.Account){bearing("ga-1", "before")},
			func(w *world) { w.counter.rows = map[string]string{"a": "ga-1"} }, false},
		"suspended ones, and one that is not": {nil, func(w *world) { suspended(w); w.counter.add("a", "theirs") }, false},
	} {
		for _, pin := range []string{"", "a"} {
			parallel(t, name+"/pin "+pin, func(t *testing.T) {
				w := newWorld(t, anAccount("a", test.changes...))
				test.arrange(w)
				claim, err := w.pool().Claim(t.Context(), request("ga-1", "first", pinnedTo(pin)))
				if test.claimed {
					equal(t, "account and error", []any{claim.Account.Name, err}, []any{"a", nil})
					return
				}
				w.wantWrites(t)
				if pin == "" {
					tally := as[*account.ExhaustedError](t, err).Tally
					equal(t, "tally", tally, account.Tally{account.ClassOccupied: 1})
					equal(t, "tally", tally.String(), "free 0, held 0, dirty 0, internal 0, occupied 1")
				} else {
					equal(t, "why", strings.Contains(as[*account.PinError](t, err).Why, "no Global Account holds it"), true)
				}
			})
		}
	}
}
