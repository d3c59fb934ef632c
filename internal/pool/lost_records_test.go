package pool

import (
	"errors"
	"testing"
)

func TestWhatARunLeaves(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		changes []func(*Account)
		goes    bool
	}{
		"its own, on a free account":               {[]func(*Account){bearing("ga-1", "first")}, true},
		"its own, on an account of another tenant": {[]func(*Account){heldBy("ga-2"), bearing("ga-1", "first"), bearing("ga-2", "first")}, true},
		"its own, on a dirty account":              {[]func(*Account){bearing("ga-1", "first"), dirty(Dirtied)}, true},
		"its own, of a later format":               {[]func(*Account){bearing("ga-1", "first", ofLaterFormat)}, true},
		"its own, on a shared account":             {[]func(*Account){shared, bearing("ga-1", "first")}, false},
		"its own by name, of another owner":        {[]func(*Account){bearing("ga-1", "first", ownedBy("colleague"))}, false},
		"its own, where it counts":                 {[]func(*Account){heldBy("ga-1"), bearing("ga-1", "first")}, false},
		"another claim's":                          {[]func(*Account){bearing("ga-1", "second")}, false},
		"its own, and it cannot be read":           {[]func(*Account){garbled("ga-1", "first")}, false},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, account("b", test.changes...), account("a", heldBy("ga-1"), bearing("ga-1", "first")))
			before := w.at("b")
			w.claim(t, w.pool(), request("ga-1", "first"))
			if test.goes {
				w.wantWrites(t, "b -first")
				delete(before.Records, identity("ga-1", "first").Key())
				before.Version = w.at("b").Version
			} else {
				w.wantWrites(t)
			}
			equal(t, "all else on b", w.at("b"), before)
		})
	}
}

// A write that is refused leaves the claim as it was made.
func TestDeadRecordThatIsInTheWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, account("a", heldBy("ga-1"), bearing("ga-1", "first")), account("b", bearing("ga-1", "first")))
	w.refusing(errAdmission, "b")
	claim := w.claim(t, w.pool(), request("ga-1", "first"))
	equal(t, "account", claim.Account.Name, "a")
	if len(claim.LeftBehind) != 1 || claim.LeftBehind[0].Account != "b" || !errors.Is(claim.LeftBehind[0].Err, errAdmission) {
		t.Errorf("left behind: %v", claim.LeftBehind)
	}
}
