package rules

import (
	"fmt"
	"strings"
)

// DidYouMean returns a sentence with the nearest candidate, with a blank in front, or nothing if none is near.
func DidYouMean(name string, candidates []string) string {
	if near := nearest(name, candidates); near != "" {
		return fmt.Sprintf(" Did you mean %q?", near)
	}
	return ""
}

// Mistyped returns the candidate that a name is with a typing error or two: the same but for upper and lower case, else the
// one with the fewest errors (about one for three characters). Empty if none is near.
func Mistyped(name string, candidates []string) string {
	lower := strings.ToLower(name)
	best, limit := "", min(len(lower)-1, max(1, len(lower)/3))
	for _, c := range candidates {
		if max(len(c)-len(lower), len(lower)-len(c)) > limit {
			continue // so many letters are missing or too much
		}
		if d := distance(lower, strings.ToLower(c)); d <= limit {
			best, limit = c, d-1
		}
	}
	return best
}

// nearest returns the candidate that was probably meant by name: the one that is mistyped, else one that begins like it.
// Empty if none is near.
func nearest(name string, candidates []string) string {
	lower, best := strings.ToLower(name), Mistyped(name, candidates)
	if best != "" || len(lower) < 2 {
		return best
	}
	for _, c := range candidates {
		if strings.HasPrefix(strings.ToLower(c), lower) {
			return c
		}
	}
	for _, c := range candidates {
		if len(c) > max(2, len(best)) && strings.HasPrefix(lower, strings.ToLower(c)) {
			best = c
		}
	}
	return best
}

// distance counts the typing errors between two words: a byte too much, missing, wrong, or two neighbours exchanged
// (optimal string alignment).
func distance(a, b string) int {
	const far = 1 << 10
	if len(a) > 64 || len(b) > 64 {
		return far // no name is that long
	}
	var rows [3][65]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, above, aboveThat := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], aboveThat[j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}
