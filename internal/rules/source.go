package rules

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// Source is a rule set as the user wrote it: exactly one of Entries and Legacy.
type Source struct {
	// Syntax is the syntax of Entries; empty means SyntaxAttribute. Legacy has a form of its own.
	Syntax Syntax
	// Entries are the rule entries, at least one; nil where Legacy is set.
	Entries []string
	// Legacy are the four properties of seed 001; nil where Entries are set.
	Legacy *Legacy
	// Plans replaces the built-in table of plans; nil means DefaultPlans.
	Plans Plans
	// RequiredPlans are plans that must have an entry each; with Legacy it is enough that they are known.
	RequiredPlans []string
	// EUAccessPlatformRegions are the platform regions whose requests have EU access; nil means
	// DefaultEUAccessPlatformRegions, an empty list means none.
	EUAccessPlatformRegions []string
}

// Set is a valid rule set, ready to match. It never changes and may be used from many goroutines.
//
// A set of legacy properties is a set of the entries in SyntaxArrow that answer every request as the properties do; so
// entries, numbers, ID and rule file mean the same in every set.
type Set struct {
	syntax          *syntax
	entries         []Entry
	plans           planTable
	euAccessRegions map[string]bool
	legacy          [legacyCount]string // the properties as written, and what they are made of
	elements        []legacyElement
}

// Compile reads and validates a rule set (seed 002, Validation; seed 001, Format and Validation). It reports all problems
// at once: first those of the set itself, then those of the entries in their order or of the legacy properties in theirs,
// then those of the required plans. The order depends on nothing else, such as the order of what is a set by nature. The
// set is nil if one of the problems is an error; warnings come beside a set.
func Compile(src Source) (*Set, Problems) {
	syntax := syntaxNamed(cmp.Or(src.Syntax, SyntaxAttribute))
	c := compiler{set: &Set{syntax: syntax}}
	if syntax == nil {
		c.reportSource("syntax", string(src.Syntax), unknownSyntax(src.Syntax))
	}
	c.readPlans(src.Plans)
	c.readEUAccessRegions(src.EUAccessPlatformRegions)
	switch {
	case src.Legacy != nil:
		c.readLegacySet(src)
	case len(src.Entries) == 0:
		c.reportSource("rules", "", "No rules: the rule set has no entry. Add at least one, such as \"gcp\", or set legacy.")
	}
	if syntax != nil {
		if src.Entries != nil || src.Legacy == nil {
			c.readEntries(src.Entries)
		}
		c.checkRequiredPlans(src.RequiredPlans)
	}
	if c.problems.HasErrors() {
		return nil, c.problems
	}
	return c.set, c.problems
}

// compiler collects a set and its problems.
type compiler struct {
	set      *Set
	problems Problems
	// named holds the plans that an entry or a legacy element names, a faulty one too: its plan is not missing.
	named map[*plan]bool
}

func (c *compiler) readEUAccessRegions(regions []string) {
	if regions == nil {
		regions = DefaultEUAccessPlatformRegions()
	}
	c.set.euAccessRegions = make(map[string]bool, len(regions))
	for _, region := range sorted(regions) {
		if err := pool.CheckLabelValue(region); err != nil {
			c.reportSource("eu_access_platform_regions", region, fmt.Sprintf(
				"Invalid platform region: %q can be no platform region: %v. Write a region such as cf-eu11.", region, err))
			continue
		}
		c.set.euAccessRegions[region] = true
	}
}

// readEntries reads, places and checks all entries.
func (c *compiler) readEntries(texts []string) {
	c.set.entries = make([]Entry, 0, len(texts)) // never grows: the index points into it
	found := Problems{}
	r := entryReader{}
	for i, text := range texts {
		r.reset(text)
		c.set.syntax.read(&r)
		plan := c.resolve(&r)
		checkLiterals(&r, plan)
		if plan != nil && !r.problems.HasErrors() {
			c.set.entries = append(c.set.entries, newEntry(i+1, text, c.set.syntax, plan, r.draft))
			found = append(found, plan.index.add(&c.set.entries[len(c.set.entries)-1])...)
		}
		for _, p := range r.problems {
			p.Field, p.Entries, p.Text = "rules", []int{i + 1}, text
			found = append(found, p)
		}
	}
	for _, name := range c.set.plans.names {
		plan := c.set.plans.byName[name]
		found = append(found, plan.reportAmbiguous(c.set.euAccessRegions)...)
		found = append(found, plan.reportShadowed()...)
	}
	slices.SortStableFunc(found, byEntry)
	c.problems = append(c.problems, found...)
}

// resolve returns the plan that the entry names, or nil after a report.
func (c *compiler) resolve(r *entryReader) *plan {
	name := r.draft.plan
	if name.kind != wordToken {
		return nil
	}
	plan := c.set.plans.byName[name.text]
	if plan == nil {
		r.report(KindUnknownPlan, name.column, "Unknown plan: "+c.set.plans.unknown(name.text))
		return nil
	}
	c.named[plan] = true
	return plan
}

func (c *compiler) checkRequiredPlans(required []string) {
	for _, name := range sorted(required) {
		p := Problem{Severity: SeverityError, Field: "required_plans", Text: name}
		plan := c.set.plans.byName[name]
		switch {
		case plan == nil:
			p.Kind, p.Message = KindUnknownPlan, "Unknown plan: "+c.set.plans.unknown(name)
		case !c.named[plan]:
			p.Kind = KindMissingPlan
			p.Message = fmt.Sprintf("Missing plan: no entry names the required plan %s. "+
				"Add an entry for it, such as %q, or take it out of required_plans.", plan.name, plan.name)
		default:
			continue
		}
		c.problems = append(c.problems, p)
	}
}

// sorted returns the elements of a set without repetitions.
func sorted(set []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(set)))
}

// reportSource reports an error of the set itself; text is the value at fault.
func (c *compiler) reportSource(field, text, message string) {
	c.problems = append(c.problems, Problem{
		Kind: KindParse, Severity: SeverityError, Field: field, Text: text, Message: message,
	})
}
