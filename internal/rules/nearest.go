package rules

import (
	"fmt"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// DidYouMean returns a sentence with the nearest candidate, with a blank in front, or nothing if none is near.
func DidYouMean(name string, candidates []string) string {
	if near := nearest(name, candidates); near != "" {
		return fmt.Sprintf(" Did you mean %q?", near)
	}
	return ""
}

// lookAlikes are characters that many fonts show alike.
var lookAlikes = strings.NewReplacer("l", "1", "i", "1", "o", "0")

// Mistyped returns the candidate that a name is with a typing error or two: the same but for upper and lower case and for characters
// that are easily confused, else the one with the fewest errors (about one for three characters). Empty if none is near.
func Mistyped(name string, candidates []string) string {
	lower := strings.ToLower(name)
	best, limit := "", min(len(lower)-1, max(1, len(lower)/3))
	for _, c := range candidates {
		if max(len(c)-len(lower), len(lower)-len(c)) > limit {
			continue // so many letters are missing or too much
		}
		if lookAlikes.Replace(lower) == lookAlikes.Replace(strings.ToLower(c)) {
			return c
		}
		if d := words.Distance(lower, strings.ToLower(c)); d <= limit {
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
