// Package words writes numbers and lists as English has them, and compares how words are spelt.
package words

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Count writes a number with its noun: "1 account", "2 accounts".
func Count(n int, noun string) string { return fmt.Sprintf("%d %s", n, Noun(n, noun)) }

// Noun puts a noun into the form for n things: "account" and "accounts", "try" and "tries".
func Noun(n int, noun string) string {
	stem, y := strings.CutSuffix(noun, "y")
	switch {
	case n == 1:
		return noun
	case y && !strings.ContainsAny(stem[max(len(stem)-1, 0):], "aeiou"):
		return stem + "ies"
	}
	return noun + "s"
}

// Verb puts the plural of a verb into the form for n things: "names" and "name", "is" and "are".
func Verb(n int, plural string) string {
	switch {
	case n != 1:
		return plural
	case plural == "are":
		return "is"
	case plural == "have":
		return "has"
	}
	return plural + "s"
}

// List joins names: "a", "a and b", "a, b and c".
func List(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// First joins the first n names, and says how many more there are: "a; b; and 3 more".
func First(n int, names []string) string {
	text := strings.Join(names[:min(n, len(names))], "; ")
	if more := len(names) - n; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// Numbers lists names with their numbers: "ga-2 (3), ga-7 (1)".
func Numbers(numbers map[string]int) string {
	listed := make([]string, 0, len(numbers))
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		listed = append(listed, fmt.Sprintf("%s (%d)", name, numbers[name]))
	}
	return strings.Join(listed, ", ")
}

// Capitalized begins a text with a capital.
func Capitalized(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// WithoutStop is the text of an error, to go on after it.
func WithoutStop(err error) string { return strings.TrimRight(err.Error(), ".") }

// Ended is the text of an error as the end of a sentence. One that ends with a question gets no stop behind it.
func Ended(err error) string {
	if text := WithoutStop(err); strings.HasSuffix(text, "?") {
		return text
	}
	return WithoutStop(err) + "."
}
