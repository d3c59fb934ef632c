package pool

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// count writes a number with its noun: "1 account", "2 accounts".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// clustersAre writes a number of clusters with its verb: "1 cluster is", "2 clusters are".
func clustersAre(n int) string {
	if n == 1 {
		return "1 cluster is"
	}
	return fmt.Sprintf("%d clusters are", n)
}

// verb puts an s to a verb for one thing.
func verb(n int, plural string) string {
	if n == 1 {
		return plural + "s"
	}
	return plural
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
