package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind classifies a problem. The values are part of the provider's interface (function validate_rules).
type Kind string

const (
	// KindParse says that the entry is not of the form of its syntax, or the set itself is malformed (no entries, an invalid plans
	// table, an unknown syntax, a bound that is exceeded). As a warning: KEB reads the entry in another way, or refuses it.
	KindParse Kind = "parse"
	// KindUnknownPlan says that an entry, or the required plans, name a plan that the plans table lacks.
	KindUnknownPlan Kind = "unknown_plan"
	// KindMissingPlan says that a required plan has no entry.
	KindMissingPlan Kind = "missing_plan"
	// KindDuplicate says that an earlier entry is the same.
	KindDuplicate Kind = "duplicate"
	// KindAmbiguous says that for some request two entries win with the same number of attributes.
	KindAmbiguous Kind = "ambiguous"
	// KindShadowed says that another entry always wins where this one matches.
	KindShadowed Kind = "shadowed"
	// KindUnknownRegion says that an entry, or the EU access regions, name a platform region that the landscape does not have.
	KindUnknownRegion Kind = "unknown_region"
	// KindEUAccess warns that an entry gives EU access to a platform region that is none with EU access.
	KindEUAccess Kind = "eu_access"
	// KindOtherReading warns that the broker would read a list of entries otherwise, and that the set does not say its syntax.
	KindOtherReading Kind = "other_reading"
	// KindInexpressible says that an entry, or an element of a legacy property, has no equal in another syntax. Set.Convert alone
	// has such problems.
	KindInexpressible Kind = "inexpressible"
)

// Severity says whether a set with the problem can be used.
type Severity string

const (
	// SeverityError makes the set unusable.
	SeverityError Severity = "error"
	// SeverityWarning leaves the set usable.
	SeverityWarning Severity = "warning"
)

// Problem is one thing that is wrong with a rule set.
type Problem struct {
	Kind     Kind
	Severity Severity
	// Field is the attribute of the rule set at fault: "rules" for all problems of entries, "legacy.shared_rule" and its like
	// for those of a legacy property, "legacy", "syntax", "plans", "required_plans", "platform_regions" or "eu_access_platform_regions".
	Field string
	// Entries are the numbers, from 1, of the entries involved; the problem is reported at the first of them. Empty if the
	// problem is not one of an entry.
	Entries []int
	// Column is the place in the text of Entries[0] or of the legacy property, in characters from 1, or one after its end if
	// something is missing there; 0 if the problem concerns the whole entry or none.
	Column int
	// Text is the text of Entries[0] or of the legacy property as written, else the value at fault, such as the name of a plan.
	Text string
	// Message says in one or two sentences what is wrong, what was expected and what to write instead. It names the legacy
	// property.
	Message string
}

// Detail returns the problem for a diagnostic: the entry or the property, a caret under the column, and the message.
func (p Problem) Detail() string {
	var b strings.Builder
	property, legacy := strings.CutPrefix(p.Field, "legacy.")
	switch {
	case len(p.Entries) > 0:
		fmt.Fprintf(&b, "Entry %d:\n", p.Entries[0])
	case legacy:
		b.WriteString(property + ":\n")
	default:
		return p.Message
	}
	text, column := window(p.Text, p.Column)
	if text = oneLine(text); text == "" {
		b.WriteString("  \"\"\n")
	} else {
		b.WriteString("  " + text + "\n")
		if column > 0 {
			b.WriteString(strings.Repeat(" ", column+1) + "^\n")
		}
	}
	b.WriteString(p.Message)
	return b.String()
}

// window cuts a long text to what is around a column, and returns the column in that.
func window(text string, column int) (string, int) {
	characters := utf8.RuneCountInString(text)
	if characters <= MaxQuoted {
		return text, column
	}
	column = min(column, characters+1)
	from := min(max(0, column-1-MaxQuoted/2), characters-MaxQuoted)
	start, end, n := 0, len(text), 0
	for i := range text {
		switch n {
		case from:
			start = i
		case from + MaxQuoted:
			end = i
		}
		n++
	}
	cut := text[start:end]
	if end < len(text) {
		cut += "…"
	}
	if start == 0 {
		return cut, column
	}
	return "…" + cut, column - from + 1
}

// oneLine replaces blanks and control characters by one space each, so that the columns hold in a terminal.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	return strings.TrimRight(text, " ")
}

// Problems are the problems of one rule set, in the order of [Compile].
type Problems []Problem

// HasErrors reports whether one of the problems makes the set unusable.
func (ps Problems) HasErrors() bool {
	return slices.ContainsFunc(ps, func(p Problem) bool { return p.Severity == SeverityError })
}

// byElement orders problems of legacy properties: by property, then by column.
func byElement(a, b Problem) int {
	property := func(p Problem) int {
		return slices.IndexFunc(legacyNames[:], func(name string) bool { return p.Field == "legacy."+name })
	}
	return cmp.Or(cmp.Compare(property(a), property(b)), cmp.Compare(a.Column, b.Column))
}

// byEntry orders problems of entries: by entry, then by column, problems of the whole entry last. What is equal keeps the
// order in which it was found.
func byEntry(a, b Problem) int {
	return cmp.Or(
		cmp.Compare(a.Entries[0], b.Entries[0]),
		cmp.Compare(uint(a.Column-1), uint(b.Column-1)), // column 0 becomes the largest
	)
}
