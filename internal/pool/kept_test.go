package pool

import "testing"

// A destroy that leaves the account for other claims says for which; one that was to leave it does not.
func TestReleaseNamesTheClaimsForWhichTheAccountIsKept(t *testing.T) {
	t.Parallel()
	own, other, another := identity("ga-1", "first").Key(), identity("ga-1", "second").Key(), identity("ga-1", "third").Key()
	for name, test := range map[string]struct {
		changes []func(*Account)
		mode    Mode
		want    []OtherClaim
	}{
		"none":                {nil, MarkDirty, nil},
		"another claim":       {[]func(*Account){bearing("ga-1", "second")}, MarkDirty, []OtherClaim{{"a", other, recordOf("ga-1", "second"), false}}},
		"to be left anyhow":   {[]func(*Account){bearing("ga-1", "second")}, Keep, nil},
		"one of no tenant":    {[]func(*Account){bearing("ga-2", "second")}, MarkDirty, nil},
		"one that is garbled": {[]func(*Account){garbled("ga-1", "third")}, ReturnToPool, []OtherClaim{{Account: "a", Key: another, Unreadable: true}}},
	} {
		parallel(t, name, func(t *testing.T) {
			w := newWorld(t, account("a", append(test.changes, heldBy("ga-1"), bearing("ga-1", "first", newly))...))
			req := w.releaseOf("ga-1", "first", "a", test.mode)
			var told []OtherClaim
			req.Kept = func(others []OtherClaim) { told = others }
			_, err := w.pool().Release(t.Context(), req)
			equal(t, "error", err, nil)
			equal(t, "kept for", told, test.want)
			_, recorded := w.at("a").Records[own]
			equal(t, "still recorded", recorded, false)
		})
	}
}
