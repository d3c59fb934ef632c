package rules

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// Bounds on what a rule set may be. Real sets stay far below: a broker's list has some dozens of entries of at most 100
// characters. Without bounds one faulty entry of 50,000 parentheses makes gigabytes of messages, and the memory of the provider
// ends before its errors are read.
const (
	// MaxEntries is how many entries a rule set has at most.
	MaxEntries = 5_000
	// MaxLegacyEntries is how many entries the four legacy properties may be written out as: one for each plan, each of its regions,
	// and each pair of them.
	MaxLegacyEntries = 50_000
	// MaxEntryLength is how many characters an entry, or an element of a legacy property, has at most.
	MaxEntryLength = 1_000
	// MaxPropertyLength is how many characters a legacy property has at most.
	MaxPropertyLength = 100_000
	// MaxNames is how many elements each set of names has at most: plans, required_plans, platform_regions and
	// eu_access_platform_regions.
	MaxNames = 1_000
	// MaxHyperscalers is on how many hyperscalers a plan runs at most.
	MaxHyperscalers = 50
	// MaxProblemsOfEntry is how many problems of one entry are listed at most.
	MaxProblemsOfEntry = 10
	// MaxProblems is how many problems of one rule set are listed at most.
	MaxProblems = 1_000
	// MaxQuoted is how many characters of a text a message quotes at most.
	MaxQuoted = 160
)

// shorten cuts a text for a message.
func shorten(text string) string {
	if len(text) <= MaxQuoted {
		return text
	}
	characters := 0
	for i := range text {
		if characters == MaxQuoted {
			return text[:i] + "…"
		}
		characters++
	}
	return text
}

// shortened cuts the texts among the arguments of a message.
func shortened(args []any) []any {
	for i := range args {
		if text, ok := args[i].(string); ok {
			args[i] = shorten(text)
		}
	}
	return args
}

// withinBounds reports the parts of a source that exceed a bound, and returns the source without them. A part that is too large
// is not read at all.
func (c *compiler) withinBounds(src Source) Source {
	tooMany := func(field string, n, most int, noun string) bool {
		if n > most {
			c.reportSource(field, "", fmt.Sprintf("Too many %s: %s has %d, and a rule set has %d at most. Remove some.", noun, field, n, most))
		}
		return n > most
	}
	if tooMany("rules", len(src.Entries), MaxEntries, "entries") {
		src.Entries = []string{}
		c.unread = true
	}
	if tooMany("plans", len(src.Plans), MaxNames, "plans") {
		src.Plans = nil
	}
	if tooMany("required_plans", len(src.RequiredPlans), MaxNames, "plans") {
		src.RequiredPlans = nil
	}
	if tooMany("eu_access_platform_regions", len(src.EUAccessPlatformRegions), MaxNames, "regions") {
		src.EUAccessPlatformRegions = nil
	}
	if tooMany("platform_regions", len(src.PlatformRegions), MaxNames, "regions") {
		src.PlatformRegions = nil
	}
	return src
}

// tooLong reports whether a text has more characters than an entry may have.
func tooLong(text string) bool {
	return len(text) > MaxEntryLength && utf8.RuneCountInString(text) > MaxEntryLength
}

// ofOneEntry bounds the problems of one entry.
func (ps Problems) ofOneEntry() Problems {
	if len(ps) <= MaxProblemsOfEntry {
		return ps
	}
	listed := slices.Clone(ps[:MaxProblemsOfEntry])
	listed[len(listed)-1].Message += fmt.Sprintf(" %d more problems of this entry are not listed.", len(ps)-MaxProblemsOfEntry)
	return listed
}

// bounded bounds the problems of a rule set. Errors go before warnings, or a set with an error would seem to have none.
func (ps Problems) bounded() Problems {
	if len(ps) <= MaxProblems {
		return ps
	}
	errors := 0
	for i := range ps {
		if ps[i].Severity == SeverityError {
			errors++
		}
	}
	warnings := max(0, MaxProblems-errors)
	listed := make(Problems, 0, MaxProblems)
	for _, p := range ps {
		switch {
		case len(listed) == MaxProblems:
		case p.Severity == SeverityError:
			listed = append(listed, p)
		case warnings > 0:
			warnings--
			listed = append(listed, p)
		}
	}
	listed[len(listed)-1].Message += fmt.Sprintf(" %d more problems of the rule set are not listed; settle these first.", len(ps)-len(listed))
	return listed
}
