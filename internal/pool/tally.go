package pool

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Tally counts the accounts of one pool by what keeps them from being claimed. An account that several things keep
// is counted once, under the first of Terminating, Dirty, Claimed, Internal.
type Tally struct {
	Total, Free, Claimed, Dirty, Internal, Terminating int
	// Occupied are those that nobody holds and that have clusters all the same.
	Occupied int
}

func (t *Tally) add(a *Account) {
	t.Total++
	switch {
	case a.Terminating:
		t.Terminating++
	case a.Dirty != Clean:
		t.Dirty++
	case a.Tenant != "":
		t.Claimed++
	case a.Internal:
		t.Internal++
	default:
		t.Free++
	}
}

// String lists the counts: "free 0, claimed 3, dirty 1, internal 0, terminating 0".
func (t Tally) String() string {
	text := fmt.Sprintf("free %d, claimed %d, dirty %d, internal %d, terminating %d", t.Free, t.Claimed, t.Dirty, t.Internal, t.Terminating)
	if t.Occupied > 0 {
		text += fmt.Sprintf(", held by nobody and with clusters %d", t.Occupied)
	}
	return text
}

// count writes a number with its noun: "1 account", "2 accounts".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// belong is the verb for a number of things.
func belong(n int) string {
	if n == 1 {
		return "belongs"
	}
	return "belong"
}

// tenants lists Global Accounts with their numbers: "ga-2 (3), ga-7 (1)".
func tenants(rows map[string]int) string {
	listed := make([]string, 0, len(rows))
	for _, ga := range slices.Sorted(maps.Keys(rows)) {
		listed = append(listed, fmt.Sprintf("%s (%d)", ga, rows[ga]))
	}
	return strings.Join(listed, ", ")
}

// isAre joins names with the verb that fits them: "b is", "b and c are".
func isAre(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last] + " are"
}

func names(accounts []*Account) []string {
	out := make([]string, len(accounts))
	for i, a := range accounts {
		out[i] = a.Name
	}
	return out
}
