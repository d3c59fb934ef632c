package rules

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// isPlatformRegion tells by its name that a region is a platform region: those of the seeds begin with cf-, and no
// hyperscaler has such a region.
func isPlatformRegion(region string) bool { return strings.HasPrefix(region, "cf-") }

// ConvertLegacy returns entries of SyntaxAttribute, in the order of the plans, with the same outcome as the four properties
// for every request on the plans; nil means DefaultPlans. The entries go with the default EU access regions. There are none
// if a problem is an error: the properties are faulty, or the attribute syntax cannot say what they say. Then the message
// has the entries of the arrow syntax, which can.
//
// What the attribute syntax can say. There an entry that matches a region also adds it to the hyperscaler type, and the
// entry for all other regions takes whatever no other one takes. So a region can make a difference only if
//   - it is matched on one side alone: its name tells that it is a platform region (a warning says that this was assumed);
//   - the platform region is added to the hyperscaler type there, and the hyperscaler region only if it always is.
//
// There are two exceptions. EU access needs no suffix if it is granted in exactly the default EU access regions, by
// euAccess=* (a warning says that a request may override it). And a region of either side can be shared where both regions
// are always added and EU access is not granted, as there is an attribute left, euAccess=*, to settle its two entries.
func ConvertLegacy(l Legacy, plans Plans) ([]string, Problems) {
	c := converter{compiler: compiler{set: &Set{}}, texts: l.texts(), euRegions: DefaultEUAccessPlatformRegions()}
	c.readPlans(plans)
	c.elements = c.readLegacySet(Source{Legacy: &l})
	if c.problems.HasErrors() {
		return nil, c.problems
	}
	var entries []string
	for _, name := range c.set.plans.names {
		p := c.set.plans.byName[name]
		for _, d := range c.convert(c.legacyPlan(p, c.elements)) {
			e := newEntry(0, "", SyntaxAttribute, p, d)
			entries = append(entries, e.Canonical())
		}
	}
	problems := c.result()
	if problems.HasErrors() {
		return nil, problems
	}
	return entries, problems
}

// converter turns legacy properties into entries of SyntaxAttribute.
type converter struct {
	compiler
	texts     [legacyCount]string
	elements  []legacyElement
	euRegions []string
	findings  []finding
}

// finding is what is to say of one element; detail is for the first plan that it concerns.
type finding struct {
	element  legacyElement
	severity Severity
	summary  string
	detail   string
	first    legacyPlan // the first plan that it concerns
	last     *plan
	more     int // how many plans it concerns beside the first
}

// convert returns the entries of one plan. They are of no use if it finds an error.
func (c *converter) convert(lp legacyPlan) []draft {
	var platform, hyperscaler, onRequest []legacyRegion
	for _, r := range lp.regions {
		r.labels &^= c.refuse(lp, r) // and on as if nothing had named them
		switch {
		case r.labels == lp.base:
		case r.labels&withPlatform == 0:
			onRequest = append(onRequest, r)
		default:
			platform = append(platform, r)
			if !isPlatformRegion(r.name) {
				hyperscaler = append(hyperscaler, r)
			}
		}
		if isPlatformRegion(r.name) {
			c.find(lp, r, r.labels&^lp.base, SeverityWarning, "Taken for a platform region", fmt.Sprintf(
				"a legacy region matches a hyperscaler region as well, but none has a name such as %q; only a request with it there would differ.", r.name))
		}
	}
	base := attributeDraft("", "", lp.base)
	if len(onRequest) > 0 {
		base.euAccess = EUAccessOnRequest
		c.checkOnRequest(lp, onRequest, platform)
	}
	drafts := []draft{base}
	for _, r := range platform {
		d := attributeDraft(r.name, "", r.labels)
		if len(onRequest) > 0 && c.canFill(r) {
			d.euAccess = EUAccessOnRequest // never true there; it gives the entry more attributes than the base has
		}
		drafts = append(drafts, d)
	}
	for _, h := range hyperscaler {
		drafts = append(drafts, attributeDraft("", h.name, h.labels))
		for _, p := range platform {
			if d, needed := c.meeting(lp, p, h); needed {
				drafts = append(drafts, d)
			}
		}
	}
	return drafts
}

// meeting returns the entry for the requests in two regions, if the entries of the regions do not do for them.
func (c *converter) meeting(lp legacyPlan, p, h legacyRegion) (draft, bool) {
	d := attributeDraft(p.name, h.name, p.labels|h.labels)
	switch {
	case bits.OnesCount8(uint8(p.labels)) != bits.OnesCount8(uint8(h.labels)):
		return draft{}, false // the one with more labels wins, and it has those of the other
	case p.labels != h.labels:
		return d, true // it has the labels of both, so more than each
	case c.canFill(p):
		d.euAccess = EUAccessOnRequest
		c.find(lp, h, h.labels&^lp.base, SeverityWarning, "Settled by euAccess=*", fmt.Sprintf(
			"a request of plan %s with platform region %s and hyperscaler region %s that says itself that it has EU access would get it.", lp.name, p.name, h.name))
		return d, true
	}
	c.find(lp, h, h.labels&^lp.base, SeverityError, summaryNotConvertible, fmt.Sprintf(
		"for plan %s two entries would match a request with platform region %s and hyperscaler region %s, and no attribute is left to settle them.",
		lp.name, p.name, h.name))
	return draft{}, false
}

// canFill reports whether euAccess=* changes nothing in an entry for the region.
func (c *converter) canFill(r legacyRegion) bool {
	return r.labels&withEUAccess == 0 && !slices.Contains(c.euRegions, r.name)
}

const summaryNotConvertible = "Not convertible"

// refuse reports the labels that no entry for the region can give, whatever the other regions are, and returns them.
func (c *converter) refuse(lp legacyPlan, r legacyRegion) labels {
	added, refused := r.labels&^lp.base, labels(0)
	report := func(l labels, detail string) {
		refused |= l
		c.find(lp, r, l, SeverityError, summaryNotConvertible, detail)
	}
	suffix := func(side string) string {
		return fmt.Sprintf("an entry that matches the %s also adds it to the hyperscaler type, and plan %s does not get it there.", side, lp.name)
	}
	missing := func(side, other string) string {
		return fmt.Sprintf("a request of plan %s with the %s %s and without a %s must fail, but the entry for other regions would take it.",
			lp.name, side, r.name, other)
	}
	// a region matched on one side must not bring in the suffix of the other one
	for _, cross := range [...]struct {
		label, own  labels
		side, other string
		possible    bool
	}{
		{withCluster, withPlatform, "platform region", "hyperscaler region", true},
		{withPlatform, withCluster, "hyperscaler region", "platform region", !isPlatformRegion(r.name)},
	} {
		switch {
		case added&cross.label == 0 || !cross.possible:
		case r.labels&cross.own == 0:
			report(cross.label, suffix(cross.side))
		default:
			report(cross.label, missing(cross.side, cross.other))
		}
	}
	rest := added & (withShared | withEUAccess)
	switch {
	case !isPlatformRegion(r.name) && lp.base&withCluster == 0:
		report(rest, suffix("hyperscaler region"))
	case !isPlatformRegion(r.name) && lp.base&withPlatform == 0:
		report(rest, suffix("platform region"))
	case r.labels&withPlatform == 0 && added&withShared != 0:
		report(withShared, suffix("platform region"))
	}
	return refused
}

// checkOnRequest checks that euAccess=* grants EU access in the regions that want it without a suffix, and nowhere else.
func (c *converter) checkOnRequest(lp legacyPlan, onRequest, platform []legacyRegion) {
	named := func(regions []legacyRegion, name string) bool {
		return slices.ContainsFunc(regions, func(r legacyRegion) bool { return r.name == name })
	}
	why := ""
	for _, name := range c.euRegions {
		if !named(onRequest, name) && !named(platform, name) {
			why = fmt.Sprintf("euAccess=* would grant it in %s too", name)
		}
	}
	for _, r := range platform {
		if r.labels&(withShared|withEUAccess) == lp.base&withShared && slices.Contains(c.euRegions, r.name) {
			why = fmt.Sprintf("euAccess=* would have as many attributes as the entry for %s", r.name)
		}
	}
	for _, r := range onRequest {
		if !slices.Contains(c.euRegions, r.name) {
			why = fmt.Sprintf("euAccess=* grants it in %s alone", strings.Join(c.euRegions, " and "))
		}
	}
	for _, r := range onRequest {
		if why != "" {
			c.find(lp, r, withEUAccess, SeverityError, summaryNotConvertible, fmt.Sprintf(
				"plan %s gets EU access in %s without the region in its hyperscaler type, and %s.", lp.name, r.name, why))
			continue
		}
		c.find(lp, r, withEUAccess, SeverityWarning, "Converted to euAccess=*",
			"a request that says itself whether it has EU access gets what it says; eu_access_rule does not look at that.")
	}
}

// attributeDraft makes a draft that matches the regions, where they are not empty, and gives the labels. A suffix needs a
// matcher in this syntax.
func attributeDraft(platform, hyperscaler string, l labels) draft {
	d := arrowDraft(platform, hyperscaler, l)
	for _, r := range [...]*region{&d.platform, &d.hyperscaler} {
		if r.suffix && r.pattern == PatternNone {
			r.pattern = PatternAny
		}
	}
	return d
}

// inArrowSyntax offers the entries of a plan in the other syntax.
func (lp legacyPlan) inArrowSyntax() string {
	const most = 6
	drafts := lp.entries(isPlatformRegion)
	texts := make([]string, 0, most)
	for _, d := range drafts[:min(most, len(drafts))] {
		e := newEntry(0, "", SyntaxArrow, lp.plan, d.draft)
		texts = append(texts, fmt.Sprintf("%q", e.Canonical()))
	}
	list := strings.Join(texts, ", ")
	if more := len(drafts) - most; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("Set syntax = \"arrow\" and write %s for plan %s.", list, lp.name)
}

// find notes what there is to say of the elements that give a region the labels.
func (c *converter) find(lp legacyPlan, r legacyRegion, l labels, severity Severity, summary, detail string) {
	for _, e := range c.elements {
		if !e.concerns(lp.plan) || e.region != r.name || l&(1<<e.property) == 0 {
			continue
		}
		i := slices.IndexFunc(c.findings, func(f finding) bool { return f.element == e && f.summary == summary })
		if i < 0 {
			c.findings = append(c.findings, finding{e, severity, summary, detail, lp, lp.plan, 0})
			continue
		}
		if f := &c.findings[i]; f.last != lp.plan {
			f.last, f.more = lp.plan, f.more+1
		}
	}
}

// result makes problems of the findings: the errors, or the warnings if there are none.
func (c *converter) result() Problems {
	var problems Problems
	for _, severity := range [...]Severity{SeverityError, SeverityWarning} {
		for _, f := range c.findings {
			if f.severity != severity {
				continue
			}
			if f.more > 0 {
				f.detail += fmt.Sprintf(" The same holds for %d more plans.", f.more)
			}
			if severity == SeverityError {
				f.detail += " " + f.first.inArrowSyntax()
			}
			problems = append(problems, legacyProblem(KindInexpressible, severity, f.element.property, f.element.column,
				c.texts[f.element.property], f.summary, fmt.Sprintf("%q: %s", f.element.text, f.detail)))
		}
		if len(problems) > 0 {
			break
		}
	}
	slices.SortStableFunc(problems, byElement)
	return problems
}
