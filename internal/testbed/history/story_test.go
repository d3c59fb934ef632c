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
	s.shoot(Added, "one")
	s.shoot(Deleted, "one")
	s.patch(byHand, "one", values{"tenantName": "-"}, nil)
	want := `  version 1, present (at the start): hyperscalerType (none) -> "aws"
  version 3, modified (` + ours + `, request 1): tenantName (none) -> "ga-a"; claim-a (none) -> "claim-ga-a of ga-a"
  version 5, the Shoot cluster is added
  version 6, the Shoot cluster is deleted
`
	got := s.h.Story(s.log, "one", End)
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "\n  version 7, modified (by hand): tenantName \"ga-a\" -> (none)") ||
		strings.Contains(got, gaB) || strings.Count(got, "\n") != 4 {
		t.Errorf("%s\nwant it to begin with\n%s", got, want)
	}

	for range storyLines {
		s.patch(byHand, "one", values{"note": "changed"}, nil)
	}
	for version, want := range map[uint64][2]bool{3: {true, false}, End: {false, true}} {
		got := s.h.Story(s.log, "one", version)
		if shown := [2]bool{strings.Contains(got, "version 1,"), strings.Contains(got, "version 67,")}; shown != want {
			t.Errorf("around version %d the first and the last are shown: %t, want %t\n%s", version, shown, want, got)
		}
	}
}
