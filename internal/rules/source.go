package rules

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Source is a rule set as the user wrote it: exactly one of Entries and Legacy.
type Source struct {
	// Syntax is the syntax of Entries; empty means SyntaxAttribute. Legacy has a form of its own.
	Syntax Syntax
	// Entries are the rule entries, at least one; nil where Legacy is set.
	Entries []string
	// Legacy are the four properties of older brokers (ADR 003); nil where Entries are set.
	Legacy *Legacy
	// Plans are merged over DefaultPlans: a plan of the same name is replaced, and nil takes the plan out.
	Plans Plans
	// RequiredPlans are plans that must have an entry each; with Legacy it is enough that they are known.
	RequiredPlans []string
	// EUAccessPlatformRegions are the platform regions whose requests have EU access; nil means
	// DefaultEUAccessPlatformRegions, an empty list means none.
	EUAccessPlatformRegions []string
	// PlatformRegions are all platform regions of the landscape: an entry or a request that names another one is an error. Nil
	// means that any region can be one.
	PlatformRegions []string
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
	platformRegions map[string]bool     // nil = any
	legacy          [legacyCount]string // the properties as written, and what they are made of
	elements        []legacyElement
}

// Compile reads and validates a rule set (ADR 001, ADR 003). It reports all problems
// at once: first those of the set itself, then those of the entries in their order or of the legacy properties in theirs,
// then those of the required plans. The order depends on nothing else, such as the order of what is a set by nature. The
// set is nil if one of the problems is an error; warnings come beside a set.
func Compile(src Source) (*Set, Problems) {
	syntax := syntaxNamed(cmp.Or(src.Syntax, SyntaxAttribute))
	c := compiler{set: &Set{syntax: syntax}}
	if syntax == nil {
		c.reportSource("syntax", string(src.Syntax), unknownSyntax(src.Syntax))
	}
	src = c.withinBounds(src)
	c.readPlans(src.Plans)
	c.readPlatformRegions(src.PlatformRegions)
	c.readEUAccessRegions(src.EUAccessPlatformRegions)
	switch {
	case src.Legacy != nil:
		c.readLegacySet(src)
	case len(src.Entries) == 0 && !c.unread:
		c.reportSource("rules", "", "No rules: the rule set has no entry. Add at least one, such as \"gcp\", or set legacy.")
	}
	if syntax != nil {
		if src.Entries != nil || src.Legacy == nil {
			c.readEntries(src)
		}
		if !c.unread {
			c.checkRequiredPlans(src.RequiredPlans)
		}
	}
	if c.problems.HasErrors() {
		return nil, c.problems.bounded()
	}
	return c.set, c.problems.bounded()
}

// compiler collects a set and its problems.
type compiler struct {
	set      *Set
	problems Problems
	// named holds the plans that an entry or a legacy element names, a faulty one too: its plan is not missing.
	named map[*plan]bool
	// unread says that a part was too large to be read: what is missing then may be there.
	unread bool
	// labelled are the platform regions to which an entry may give EU access without a warning.
	labelled []string
}

// readEntries reads, places and checks all entries.
func (c *compiler) readEntries(src Source) {
	c.set.entries = make([]Entry, 0, len(src.Entries)) // never grows: the index points into it
	found := Problems{}
	r := entryReader{}
	for i, text := range src.Entries {
		found = append(found, c.readEntry(&r, i+1, text)...)
	}
	found = append(found, c.otherReading(src)...)
	for _, name := range c.set.plans.names {
		plan := c.set.plans.byName[name]
		found = append(found, plan.reportAmbiguous(c.set.euAccessRegions)...)
		found = append(found, plan.reportShadowed()...)
	}
	slices.SortStableFunc(found, byEntry)
	c.problems = append(c.problems, found...)
}

// readEntry reads one entry, puts it into the index of its plan if nothing is wrong with it, and returns its problems.
func (c *compiler) readEntry(r *entryReader, number int, text string) Problems {
	r.reset(text)
	var found Problems
	if tooLong(text) {
		r.report(KindParse, MaxEntryLength+1, fmt.Sprintf("Entry too long: it has %d characters, and an entry has %d at most. Write one "+
			"entry for each plan and region.", utf8.RuneCountInString(text), MaxEntryLength))
		c.unread = true
	} else {
		c.set.syntax.read(r)
		plan := c.resolve(r)
		checkLiterals(r, plan)
		c.checkRegions(r)
		if plan != nil && !r.problems.HasErrors() {
			c.set.entries = append(c.set.entries, newEntry(number, text, c.set.syntax, plan, r.draft))
			found = plan.index.add(&c.set.entries[len(c.set.entries)-1])
		}
	}
	for _, p := range r.problems.ofOneEntry() {
		p.Field, p.Entries, p.Text = "rules", []int{number}, text
		found = append(found, p)
	}
	return found
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
	if c.set.syntax.name == brokerSyntax && plan.name != name.text {
		r.notForKEB(name.column, fmt.Sprintf("Plan unknown to KEB: here %q is another name of %s, but KEB has no such plan and refuses the "+
			"whole list. Write %s, or give KEB the rule_file of this set.", name.text, plan.name, plan.name))
	}
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
