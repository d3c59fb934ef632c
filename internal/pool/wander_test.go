//go:build !race

package pool

import (
	"context"
	"strings"
	"testing"
)

// F31: claim one of ga-1 stands on the only account. The broker, the clean-up job and claim two of the same Global Account
// do what they can do, in every order. Whatever comes when, a destroyed claim leaves nothing that could come alive, and the
// destroy of the last claim on the account marks it.

// wandering is one such history.
type wandering struct {
	*world
	one, two ReleaseRequest
	oneEnded bool
	twoMade  bool
	twoEnded bool
}

// wanderSteps are what can happen, each with when it can.
var wanderSteps = []struct {
	name string
	can  func(*wandering) bool
	do   func(*testing.T, *wandering)
}{
	{"the broker frees", func(w *wandering) bool { a := w.at("a"); return a.Tenant != "" && a.Dirty == Clean },
		func(_ *testing.T, w *wandering) { w.edit("a", dirty(Dirtied)) }},
	{"the clean-up job strips", func(w *wandering) bool { return w.at("a").Dirty == Dirtied },
		func(_ *testing.T, w *wandering) { w.edit("a", stripped) }},
	{"the broker gives it to another", func(w *wandering) bool { a := w.at("a"); return a.Tenant == "" && a.Dirty == Clean },
		func(_ *testing.T, w *wandering) { w.edit("a", heldBy("ga-2")) }},
	{"the broker gives it back", func(w *wandering) bool { a := w.at("a"); return a.Tenant == "" && a.Dirty == Clean },
		func(_ *testing.T, w *wandering) { w.edit("a", heldBy("ga-1")) }},
	{"two is claimed", func(w *wandering) bool { a := w.at("a"); return !w.twoMade && a.Dirty == Clean && a.Tenant != "ga-2" },
		func(t *testing.T, w *wandering) { w.claimTwo(t) }},
	{"one is destroyed", func(w *wandering) bool { return !w.oneEnded },
		func(t *testing.T, w *wandering) { w.oneEnded = true; w.end(t, w.one) }},
	{"two is destroyed", func(w *wandering) bool { return w.twoMade && !w.twoEnded },
		func(t *testing.T, w *wandering) { w.twoEnded = true; w.end(t, w.two) }},
}

func (w *wandering) claimTwo(t *testing.T) {
	t.Helper()
	claim, err := w.pool().Claim(context.Background(), request("ga-1", "two"))
	if err != nil {
		t.Fatalf("claim two: %v", err)
	}
	w.twoMade = true
	w.two = w.releaseOf("ga-1", "two", "a", MarkDirty)
	w.two.ClaimedAt = claim.Record.ClaimedAt
}

// end destroys a claim and checks what is left of it.
func (w *wandering) end(t *testing.T, req ReleaseRequest) {
	t.Helper()
	before := w.at("a")
	last := before.Tenant == "ga-1" && before.Dirty == Clean && len(before.Claims()) == 1 && before.Claims()[0] == req.Identity.Key()
	if _, err := w.pool().Release(context.Background(), req); err != nil {
		t.Errorf("destroy of %s: %v", req.Identity.Name, err)
	}
	after := w.at("a")
	if last && after.Dirty != Dirtied {
		t.Errorf("the destroy of %s, the last claim, leaves the account %+v", req.Identity.Name, after)
	}
	if !last && (after.Tenant != before.Tenant || after.Dirty != before.Dirty) {
		t.Errorf("the destroy of %s, which is not the last claim of the tenant there, changes the labels: %+v, %+v", req.Identity.Name, before,
			after)
	}
}

// left says what a destroyed claim has left on the account.
func (w *wandering) left() (names []string) {
	for _, r := range w.at("a").Records {
		if r.Name == "one" && w.oneEnded || r.Name == "two" && w.twoEnded {
			names = append(names, r.Name)
		}
	}
	return names
}

func newWandering(t *testing.T) *wandering {
	t.Helper()
	w := &wandering{world: newWorld(t, account("a"))}
	claim := w.claim(t, w.pool(), request("ga-1", "one"))
	w.one = w.releaseOf("ga-1", "one", "a", MarkDirty)
	w.one.ClaimedAt = claim.Record.ClaimedAt
	return w
}

func TestDestroyedClaimDoesNotComeAlive(t *testing.T) {
	t.Parallel()
	const depth = 11
	histories := 0
	var walk func(t *testing.T, steps []int)
	walk = func(t *testing.T, steps []int) {
		t.Helper()
		w := newWandering(t)
		names := make([]string, len(steps))
		for i, s := range steps {
			wanderSteps[s].do(t, w)
			names[i] = wanderSteps[s].name
			if left := w.left(); len(left) > 0 {
				t.Fatalf("%s: the record of %v is left", strings.Join(names[:i+1], ", "), left)
			}
		}
		histories++
		if t.Failed() {
			t.Fatalf("in the history: %s", strings.Join(names, ", "))
		}
		if len(steps) == depth {
			return
		}
		for s := range wanderSteps {
			if wanderSteps[s].can(w) {
				walk(t, append(steps[:len(steps):len(steps)], s))
			}
		}
	}
	walk(t, nil)
	t.Logf("%d histories", histories)
	if histories < 1000 {
		t.Errorf("%d histories: some step never happens", histories)
	}
}
