package pool

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// A destroy that leaves the account for other claims says for which; one that was to leave it does not.
func TestReleaseNamesTheClaimsForWhichTheAccountIsKept(t *testing.T) {
	t.Parallel()
	own, other, another := identity("ga-1", "first").Key(), identity("ga-1", "second").Key(), identity("ga-1", "third").Key()
	for name, test := range map[string]struct {
		changes []func(*account.Account)
		mode    account.Mode
		want    []account.OtherClaim
	}{
		"none":                {nil, account.MarkDirty, nil},
		"another claim":       {[]func(*account.Account){bearing("ga-1", "second")}, account.MarkDirty, []account.OtherClaim{{Account: "a", Key: other, Record: recordOf("ga-1", "second"), Unreadable: false}}},
		"to be left anyhow":   {[]func(*account.Account){bearing("ga-1", "second")}, account.Keep, nil},
		"one of no tenant":    {[]func(*account.Account){bearing("ga-2", "second")}, account.MarkDirty, nil},
		"one that is garbled": {[]func(*account.Account){garbled("ga-1", "third")}, account.ReturnToPool, []account.OtherClaim{{Account: "a", Key: another, Unreadable: true}}},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, anAccount("a", append(test.changes, heldBy("ga-1"), bearing("ga-1", "first", newly))...))
			req := w.releaseOf("ga-1", "first", "a", test.mode)
			var reported []account.OtherClaim
			req.Kept = func(others []account.OtherClaim) { reported = others }
			_, err := w.pool().Release(t.Context(), req)
			equal(t, "error", err, nil)
			equal(t, "kept for", reported, test.want)
			_, recorded := w.at("a").Records[own]
			equal(t, "still recorded", recorded, false)
		})
	}
}
