package ledger

import "testing"

// A claim without a record that stays, and one whose end releases the account, find each other in both orders. A claim is not found by itself, nor on another account, nor once it is replaced.
func TestUnrecorded(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stays, ends [2]string // the account, and the claim
		replaced    bool
		meet        bool
	}{
		"on one account":             {stays: [2]string{"a", "blue"}, ends: [2]string{"a", "green"}, meet: true},
		"on two accounts":            {stays: [2]string{"b", "blue"}, ends: [2]string{"a", "green"}},
		"the same claim":             {stays: [2]string{"a", "blue"}, ends: [2]string{"a", "blue"}},
		"one that stays is replaced": {stays: [2]string{"a", "blue"}, ends: [2]string{"a", "green"}, replaced: true},
	} {
		for _, first := range []string{"stays", "ends"} {
			var l Ledger
			keep := func() string { return l.KeepUnrecorded(test.stays[0], test.stays[1], "the "+test.stays[1]) }
			release := func() string { return l.Release(test.ends[0], test.ends[1], "the "+test.ends[1]) }
			other, met := "", ""
			if first == "stays" {
				other = keep()
				if test.replaced {
					l.ReplaceStaying(test.stays[1])
				}
				met = release()
			} else if !test.replaced {
				other = release()
				met = keep()
			}
			want := map[string]string{"stays": "the blue", "ends": "the green"}[first]
			if !test.meet {
				want = ""
			}
			if other != "" || met != want {
				t.Errorf("%s, %s first: met %q and %q, want %q", name, first, other, met, want)
			}
		}
	}
}
