package rules

import (
	"fmt"
	"strings"
)

// Pattern says which values of a region an entry matches: PatternNone, PatternAny, or the one region that it names.
type Pattern string

const (
	// PatternNone matches every request, with or without the region.
	PatternNone Pattern = ""
	// PatternAny matches every request that has the region.
	PatternAny Pattern = "*"
)

func (p Pattern) literal() bool { return p != PatternNone && p != PatternAny }

// The values of Entry.EUAccess.
const (
	// EUAccessNever adds no label.
	EUAccessNever = ""
	// EUAccessAlways adds euAccess=true.
	EUAccessAlways = "true"
	// EUAccessOnRequest adds euAccess=true if the request has EU access.
	EUAccessOnRequest = "*"
)

// Entry is one rule entry of a set. It is read only. A set of legacy properties has entries of SyntaxArrow that say the
// same.
type Entry struct {
	Number int    // the entry's place in the rule set, from 1
	Text   string // the entry as the user wrote it; Canonical in a set of legacy properties
	Plan   string // the plan that the entry is for, never an alias
	// PlatformRegion and HyperscalerRegion say which regions the entry matches.
	PlatformRegion, HyperscalerRegion Pattern
	// HyperscalerType is the value of the label hyperscalerType. What the request decides is a placeholder:
	// "<hyperscaler>" (where the plan runs on several), "<platform_region>", "<hyperscaler_region>".
	HyperscalerType string
	Shared          bool   // the entry adds shared=true
	EUAccess        string // EUAccessNever, EUAccessAlways or EUAccessOnRequest

	syntax               *syntax
	plan                 *plan
	priority             int    // by the syntax; the higher one wins
	platform             uint32 // PlatformRegion and HyperscalerRegion in the index
	hyperscaler          uint32
	addPlatformRegion    bool
	addHyperscalerRegion bool
	legacy               bool // made of legacy properties
	implied              bool // as legacyEntry.implied
}

// newEntry makes an entry of a draft without errors.
func newEntry(number int, text string, s *syntax, plan *plan, d draft) Entry {
	e := Entry{
		Number: number, Text: text, Plan: plan.name,
		PlatformRegion: d.platform.pattern, HyperscalerRegion: d.hyperscaler.pattern,
		Shared: d.shared, EUAccess: d.euAccess,
		syntax: s, plan: plan,
		addPlatformRegion: d.platform.suffix, addHyperscalerRegion: d.hyperscaler.suffix,
	}
	e.priority = s.priority(min(1, len(e.PlatformRegion))+min(1, len(e.HyperscalerRegion)), e.labels(true))
	hyperscaler := "<hyperscaler>"
	if len(plan.hyperscalers) == 1 {
		hyperscaler = plan.hyperscalers[0]
	}
	e.HyperscalerType = e.typeOn(hyperscaler, "<platform_region>", "<hyperscaler_region>")
	return e
}

// typeOn returns the hyperscaler type on one hyperscaler, with the literals of the entry, and for regions that the entry
// does not fix the given ones.
func (e *Entry) typeOn(hyperscaler, platformRegion, hyperscalerRegion string) string {
	if e.PlatformRegion.literal() {
		platformRegion = string(e.PlatformRegion)
	}
	if e.HyperscalerRegion.literal() {
		hyperscalerRegion = string(e.HyperscalerRegion)
	}
	if e.addPlatformRegion {
		hyperscaler += "_" + platformRegion
	}
	if e.addHyperscalerRegion {
		hyperscaler += "_" + hyperscalerRegion
	}
	return hyperscaler
}

// Canonical returns the normal form of the entry in its own syntax: the same for entries that differ in blanks, the order
// of attributes, other names of attributes and of the plan, or a written-out "true".
func (e *Entry) Canonical() string { return e.syntax.canonical(e) }

// String names the entry in a message: entry 4 ("gcp(PR=cf-sa30)").
func (e *Entry) String() string {
	if e.legacy {
		return fmt.Sprintf("legacy, as the entry %q,", e.Text)
	}
	return fmt.Sprintf("entry %d (%q)", e.Number, shorten(strings.TrimSpace(oneLine(e.Text))))
}
