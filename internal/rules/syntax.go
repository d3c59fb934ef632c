package rules

import (
	"fmt"
	"slices"
	"strings"
)

// Syntax names a way to write the entries of a rule set.
type Syntax string

const (
	// SyntaxAttribute is PLAN(ATTR[=VALUE], ...), the syntax of ADR 001 and the default.
	SyntaxAttribute Syntax = "attribute"
	// SyntaxArrow is PLAN[(PR=x, HR=y)] [-> OUT, ...], what the Kyma Environment Broker (KEB) runs in production.
	SyntaxArrow Syntax = "arrow"
)

// brokerSyntax is the syntax that the broker reads, and the one in which an entry can say all that legacy properties can.
const brokerSyntax = SyntaxArrow

// syntaxes are the ways to write entries. A further one is a row here, and a file with what the row names.
var syntaxes = []*syntax{
	{
		name: SyntaxAttribute, read: (*entryReader).readAttributeEntry, canonical: attributeText,
		duplicates: sameLabels, duplicatesWhy: " with the same attributes",
		priority: countAllAttributes,
		suffixes: suffixes{noRegion: never, anyRegion: always, firstLiteral: always}, onRequest: true,
	},
	{
		name: SyntaxArrow, read: (*entryReader).readArrowEntry, canonical: arrowText,
		duplicates: anyLabels, duplicatesWhy: ` (what is after "->" does not count)`,
		priority: countMatchers,
		suffixes: suffixes{noRegion: optional, anyRegion: always, firstLiteral: optional},
	},
}

// syntax is one way to write entries.
type syntax struct {
	name Syntax
	// read reads an entry: what it says goes into the reader's draft, what is wrong with it is reported there.
	read func(*entryReader)
	// canonical is Entry.Canonical.
	canonical func(*Entry) string
	// duplicates reports whether two entries of one plan with the same matchers are the same; duplicatesWhy says so in the
	// message, after "matches the same requests".
	duplicates    func(a, b *Entry) bool
	duplicatesWhy string
	// priority breaks the tie between entries that match the same request: the higher one wins. It is given how many of the
	// two regions the entry matches, and the labels that it gives; with euAccess=* the one for EU access, too.
	priority func(regions int, l labels) int
	// suffixes and onRequest say what an entry can be written for: when a region becomes part of the hyperscaler type, and
	// whether there is euAccess=*.
	suffixes  suffixes
	onRequest bool
}

// suffixes says for each kind of pattern, by its number in the index, whether an entry adds the region to the hyperscaler
// type.
type suffixes [firstLiteral + 1]suffix

type suffix uint8

const (
	optional suffix = iota
	never
	always
)

// allows reports whether an entry with this pattern can add the region, or leave it out.
func (s suffixes) allows(pattern uint32, added bool) bool {
	rule := s[min(pattern, firstLiteral)]
	return rule == optional || added == (rule == always)
}

// syntaxNamed returns the syntax of a name, or nil.
func syntaxNamed(name Syntax) *syntax {
	if i := slices.IndexFunc(syntaxes, func(s *syntax) bool { return s.name == name }); i >= 0 {
		return syntaxes[i]
	}
	return nil
}

// Syntaxes returns the names of all ways to write entries.
func Syntaxes() []Syntax {
	names := make([]Syntax, len(syntaxes))
	for i, s := range syntaxes {
		names[i] = s.name
	}
	return names
}

// unknownSyntax says of a syntax that there is none of this name.
func unknownSyntax(name Syntax) string {
	known := make([]string, len(syntaxes))
	for i, syntax := range Syntaxes() {
		known[i] = fmt.Sprintf("%q", syntax)
	}
	return fmt.Sprintf("Unknown syntax: found %q; expected %s.", name, strings.Join(known, " or "))
}

func parenthesized(attributes []string) string {
	if len(attributes) == 0 {
		return ""
	}
	return "(" + strings.Join(attributes, ",") + ")"
}
