package pool

import (
	"errors"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

func TestWhatARunLeaves(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		changes []func(*account.Account)
		goes    bool
	}{
		"its own, on a free account":               {[]func(*account.Account){bearing("ga-1", "first")}, true},
		"its own, on an account of another tenant": {[]func(*account.Account){heldBy("ga-2"), bearing("ga-1", "first"), bearing("ga-2", "first")}, true},
		"its own, on a dirty account":              {[]func(*account.Account){bearing("ga-1", "first"), dirty(account.Dirtied)}, true},
		"its own, of a later format":               {[]func(*account.Account){bearing("ga-1", "first", ofLaterFormat)}, true},
		"its own, on a shared account":             {[]func(*account.Account){shared, bearing("ga-1", "first")}, false},
		"its own by name, of another owner":        {[]func(*account.Account){bearing("ga-1", "first", ownedBy("colleague"))}, false},
		"its own, where it counts":                 {[]func(*account.Account){heldBy("ga-1"), bearing("ga-1", "first")}, false},
		"another claim's":                          {[]func(*account.Account){bearing("ga-1", "second")}, false},
		"its own, and it cannot be read":           {[]func(*account.Account){garbled("ga-1", "first")}, false},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("b", test.changes...), anAccount("a", heldBy("ga-1"), bearing("ga-1", "first")))
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
	w := newWorld(t, anAccount("a", heldBy("ga-1"), bearing("ga-1", "first")), anAccount("b", bearing("ga-1", "first")))
	w.refusing(errAdmission, "b")
	claim := w.claim(t, w.pool(), request("ga-1", "first"))
	equal(t, "account", claim.Account.Name, "a")
	if len(claim.LeftBehind) != 1 || claim.LeftBehind[0].Account != "b" || !errors.Is(claim.LeftBehind[0].Err, errAdmission) {
		t.Errorf("left behind: %v", claim.LeftBehind)
	}
}
