package rules

import (
	"fmt"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// legacyPlan is what the four properties say of one plan.
type legacyPlan struct {
	*plan
	base    labels         // what every request gets
	regions []legacyRegion // those that add something to base, in the order in which the properties name them
	named   bool           // an element, or the required plans, name the plan
}

// legacyRegion is one region of a legacyPlan.
type legacyRegion struct {
	name   Pattern
	labels labels // what a request in the region gets, with what every request gets
	named  bool   // an element names the region together with the plan, and not for all plans
}

// legacyPlan takes what concerns one plan out of all elements.
func (c *compiler) legacyPlan(p *plan) legacyPlan {
	lp := legacyPlan{plan: p, named: c.named[p]}
	var regions []legacyRegion
	numbers := make(map[string]int)
	for _, e := range c.set.elements {
		switch {
		case !e.concerns(p):
		case e.region == "":
			lp.base |= 1 << e.property
		default:
			i, known := numbers[e.region]
			if !known {
				i, regions = len(regions), append(regions, legacyRegion{name: Pattern(e.region)})
				numbers[e.region] = i
			}
			regions[i].labels |= 1 << e.property
			regions[i].named = regions[i].named || e.plan != nil
		}
	}
	for _, r := range regions {
		if r.labels |= lp.base; r.labels != lp.base {
			lp.regions = append(lp.regions, r)
		}
	}
	return lp
}

func (e legacyElement) concerns(p *plan) bool { return e.plan == nil || e.plan == p }

// legacyEntry is an entry that has a part of the four properties.
type legacyEntry struct {
	draft
	// implied says that no element names the requests of the entry: it is there because every known plan has a pool, because
	// of an element for all plans, or because two regions meet in it.
	implied bool
}

// size is how many entries the plan has in the arrow syntax.
func (lp legacyPlan) size() int { return 1 + 2*len(lp.regions) + len(lp.regions)*len(lp.regions) }

// entries returns the plan in the arrow syntax, where matching and labels are separate, so that every legacy set can be
// written in it.
//
// A request in two regions gets the labels of both. The entry that says so also settles the two entries that each match
// one of the regions.
func (lp legacyPlan) entries() []legacyEntry {
	entries := make([]legacyEntry, 0, lp.size())
	add := func(platform, hyperscaler Pattern, l labels, implied bool) {
		entries = append(entries, legacyEntry{newDraft(platform, hyperscaler, l), implied})
	}
	add("", "", lp.base, !lp.named)
	for _, r := range lp.regions {
		add(r.name, "", r.labels, !r.named)
	}
	for _, h := range lp.regions {
		add("", h.name, h.labels, !h.named)
		for _, p := range lp.regions {
			add(p.name, h.name, p.labels|h.labels, true)
		}
	}
	return entries
}

// readLegacySet reads the legacy properties and, unless the set has entries as well, fills it with entries that say the
// same.
func (c *compiler) readLegacySet(src Source) {
	if src.Entries != nil {
		c.reportSource("legacy", "", "Rules and legacy: the rule set has both, and they exclude each other. Remove one of the two.")
	} else if c.set.syntax != nil && c.set.syntax.name != SyntaxAttribute {
		c.reportSource("syntax", string(c.set.syntax.name), "Syntax of legacy: syntax says how rules are written, "+
			"and the legacy properties have a form of their own. Leave syntax out.")
	}
	first := len(c.problems)
	c.set.legacy, c.set.elements = src.Legacy.texts(), c.readLegacy(*src.Legacy)
	for _, name := range src.RequiredPlans {
		if p := c.set.plans.byName[name]; p != nil {
			c.named[p] = true
		}
	}
	if src.Entries == nil {
		c.set.syntax = syntaxNamed(brokerSyntax)
		c.addLegacy()
	}
	slices.SortStableFunc(c.problems[first:], byElement)
}

// addLegacy fills the set with entries for all known plans.
func (c *compiler) addLegacy() {
	var drafts [][]legacyEntry
	total := 0
	for _, name := range c.set.plans.names {
		lp := c.legacyPlan(c.set.plans.byName[name])
		if total += lp.size(); total > MaxLegacyEntries {
			c.reportSource("legacy", "", fmt.Sprintf("Too many regions: the four properties expand to more than %d entries, one for each "+
				"plan, each of its regions and each pair of them. Write rules instead.", MaxLegacyEntries))
			return
		}
		drafts = append(drafts, lp.entries())
	}
	c.set.entries = make([]Entry, 0, total) // never grows: the index points into it
	reported := make(map[int]bool)
	for i, name := range c.set.plans.names {
		p := c.set.plans.byName[name]
		for _, d := range drafts[i] {
			if label := longestLabel(p, d.draft); len(label) > account.MaxLabelValueLength {
				c.reportLongRegion(p, d.draft, label, reported)
				continue
			}
			e := newEntry(len(c.set.entries)+1, "", c.set.syntax, p, d.draft)
			e.Text, e.legacy, e.implied = e.Canonical(), true, d.implied
			c.set.entries = append(c.set.entries, e)
			p.index.add(&c.set.entries[len(c.set.entries)-1])
		}
	}
}

// reportLongRegion reports the first element with the longer region of a draft, once.
func (c *compiler) reportLongRegion(p *plan, d draft, label string, reported map[int]bool) {
	region := d.longer().pattern
	i := slices.IndexFunc(c.set.elements, func(e legacyElement) bool { return e.concerns(p) && e.region == string(region) })
	if reported[i] {
		return
	}
	reported[i] = true
	e := c.set.elements[i]
	c.problems = append(c.problems, legacyProblem(KindParse, SeverityError, e.property, e.column, c.set.legacy[e.property], "Region too long",
		fmt.Sprintf("for plan %s it leads to the hyperscaler type %q, which has at least %d characters; a label value has %d at most. "+
			"Write a shorter region.", p.name, label, len(label), account.MaxLabelValueLength)))
}
