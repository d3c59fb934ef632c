package protocol

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// What a user reads of a claim, an update or a release that was refused.
func TestErrorsOfTheProtocolTell(t *testing.T) {
	t.Parallel()
	id := identity("first")
	for _, test := range []struct {
		err  error
		text string
	}{
		{&UnusableError{id, "a", account.Verdict(account.ClassDirty)},
			`claim "first" of Global Account ga-1 on pool aws belongs on account a, which cannot be used: ` +
				`it is dirty and waits for the clean-up job`},
		{&UnusableError{id, "a", account.VerdictMoved}, `claim "first" of Global Account ga-1 on pool aws belongs on account a, which cannot be used: ` +
			`it belongs to another pool by now`},
		{&OwnerError{id, "a", "them", "us", longAgo},
			`claim "first" of Global Account ga-1 on pool aws is on account a since 2026-03-01T12:00:00Z, ` +
				`recorded by owner "them", not by owner "us"`},
		{&OwnerError{id, "a", "them", "", longAgo},
			`claim "first" of Global Account ga-1 on pool aws is on account a since 2026-03-01T12:00:00Z, ` +
				`recorded by owner "them", not by owner ""`},
		{&NewerRecordError{id, "a", 3},
			`claim "first" of Global Account ga-1 on pool aws is recorded on account a in format 3; this version writes format 1`},
		{&DuplicateError{id, "a"},
			`claim "first" of Global Account ga-1 on pool aws was made twice in this run; the first one is on account a`},
		{&ReturnRefusedError{"a", false}, "account a was not taken from the pool by this claim, so it may not be clean"},
		{&ReturnRefusedError{"a", true}, "clusters have been on account a since this claim took it from the pool, or may have been, so it may " +
			"not be clean"},
		{&FenceLeftError{Account: "a", Err: errBroken, Unseen: true},
			"whether a fence (label dirty=releasing) comes to account a is not known: the connection was cut"},
	} {
		equal(t, "text", test.err.Error(), test.text)
	}
}
