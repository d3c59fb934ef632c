package history

import (
	"strings"
	"testing"
)

// The story of an account names who has made each revision and what it changed; other accounts are not in it.
func TestStoryOfAnAccount(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.present("one", values{"hyperscalerType": "aws"})
	s.present("two", values{"hyperscalerType": "aws"})
	s.claim("one", claimA, gaA)
	s.claim("two", claimB, gaB)
	s.patch(byHand, "one", values{"tenantName": "-"}, nil)
	want := `  version 1, present (at the start): hyperscalerType (none) -> "aws"
  version 3, modified (` + ours + `, request 1): tenantName (none) -> "ga-a"; claim-a (none) -> "claim-ga-a of ga-a"
`
	got := s.h.Story(s.log, "one")
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "\n  version 5, modified (by hand): tenantName \"ga-a\" -> (none)") ||
		strings.Contains(got, gaB) || strings.Count(got, "\n") != 2 {
		t.Errorf("%s\nwant it to begin with\n%s", got, want)
	}
}
