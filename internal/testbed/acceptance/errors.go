package acceptance

import (
	"fmt"
	"regexp"
	"strings"
)

// ErrorLike matches an error by its fixed summary and by words of its detail, in this order; the program wraps lines
// as it likes.
func ErrorLike(summary string, words ...string) *regexp.Regexp {
	pattern := "Error: " + regexp.QuoteMeta(summary)
	for _, w := range words {
		parts := strings.Fields(w)
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		pattern += `[\s\S]*?` + strings.Join(parts, `[\s│]+`)
	}
	return regexp.MustCompile(pattern)
}

// SaysInOrder reports whether a text has these words in this order, however its lines are broken.
func SaysInOrder(text string, words []string) bool {
	return strings.Contains(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n│", r) }), " "),
		strings.Join(words, " "))
}

// Equal fails where a text is another one than the wanted.
func Equal(what, got, want string) error {
	if got != want {
		return fmt.Errorf("%s is %q, want %q", what, got, want)
	}
	return nil
}
