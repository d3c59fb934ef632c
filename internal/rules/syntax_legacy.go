package rules

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// Legacy is a rule set in the form of older brokers (ADR 003): four properties, each a list of PLAN[:REGION] separated by semicolons,
// where * means all plans or all regions, never both. A property applies to a request if one of its elements
// does. A region means the platform region or the hyperscaler region, whichever is equal.
//
// The properties are independent of each other, and an empty one applies to nothing; but an empty element, as after a
// trailing semicolon, is a mistake: a plan may have been lost there. Every known plan has a pool: where no property applies,
// the plain hyperscaler type.
type Legacy struct {
	PlatformRegionRule string // adds _<platform region> to the hyperscaler type
	ClusterRegionRule  string // adds _<hyperscaler region> to the hyperscaler type
	SharedRule         string // adds the label shared=true
	EUAccessRule       string // adds the label euAccess=true, also where the request says that it has no EU access
}

// The properties by number.
const (
	legacyPlatform = iota
	legacyCluster
	legacyShared
	legacyEUAccess
	legacyCount
)

// legacyNames are the names of the properties in the attribute legacy.
var legacyNames = [legacyCount]string{"platform_region_rule", "cluster_region_rule", "shared_rule", "eu_access_rule"}

func (l Legacy) texts() [legacyCount]string {
	return [legacyCount]string{l.PlatformRegionRule, l.ClusterRegionRule, l.SharedRule, l.EUAccessRule}
}

// legacyElement is one element of a property.
type legacyElement struct {
	property int
	column   int    // of the element
	text     string // as written, without the blanks around it
	plan     *plan  // nil = all plans
	region   string // empty = all regions
}

// readLegacy reads the four properties and reports the faults of all their elements.
func (c *compiler) readLegacy(l Legacy) []legacyElement {
	var elements []legacyElement
	for property, text := range l.texts() {
		r := legacyReader{compiler: c, property: property, text: text}
		elements = append(elements, r.read()...)
		if more := r.found - MaxProblems; more > 0 {
			c.problems[len(c.problems)-1].Message += fmt.Sprintf(" %d more problems of this property are not listed.", more)
		}
	}
	return elements
}

// legacyReader reads one property.
type legacyReader struct {
	compiler *compiler
	property int
	text     string
	found    int // how many problems
}

func (r *legacyReader) read() []legacyElement {
	if strings.TrimSpace(r.text) == "" {
		return nil
	}
	if n := utf8.RuneCountInString(r.text); n > MaxPropertyLength {
		r.fail(0, "Property too long", "it has %d characters, and a property has %d at most. Write rules in arrow syntax instead.", n,
			MaxPropertyLength)
		r.compiler.unread = true
		return nil
	}
	var elements []legacyElement
	column, lastEmpty := 1, false
	pieces := strings.Split(r.text, ";")
	for i, piece := range pieces {
		text := strings.TrimSpace(piece)
		switch last := i == len(pieces)-1; {
		case text != "":
			start := column + utf8.RuneCountInString(piece[:len(piece)-len(strings.TrimLeftFunc(piece, unicode.IsSpace))])
			if e, ok := r.readElement(text, start); ok {
				elements = append(elements, e)
			}
		case !last:
			r.fail(column+utf8.RuneCountInString(piece), "Empty element", "found \";\" where PLAN or PLAN:REGION belongs. Remove it.")
		case !lastEmpty:
			r.fail(column-1, "Trailing \";\"", "found no element after it. Remove it.")
		}
		lastEmpty = text == ""
		column += utf8.RuneCountInString(piece) + 1
	}
	return elements
}

// readElement reads PLAN, PLAN:REGION, PLAN:* or *:REGION and reports whether it is one.
func (r *legacyReader) readElement(text string, column int) (legacyElement, bool) {
	if tooLong(text) {
		r.fail(column, "Element too long", "it has %d characters, and an element has %d at most. Write \";\" between two elements.",
			utf8.RuneCountInString(text), MaxEntryLength)
		return legacyElement{}, false
	}
	if i := strings.IndexAny(text, "(),=>"); i >= 0 { // a character of another syntax
		r.fail(column+utf8.RuneCountInString(text[:i]), "Unexpected character", "found %q in %q; expected PLAN or PLAN:REGION, "+
			"and \";\" between two of them. Entries such as gcp(PR=cf-sa30) belong into rules.", text[i:i+1], text)
		return legacyElement{}, false
	}
	name, after, colon := strings.Cut(text, ":")
	name, region := strings.TrimSpace(name), strings.TrimSpace(after)
	if (name == "*" || name == "") && (region == "*" || region == "") {
		r.fail(column, "Neither plan nor region", "found %q, which would apply to everything; at least one of the two must be named. "+
			"Write a plan, such as trial, or a region for all plans, such as *:cf-eu11.", text)
		return legacyElement{}, false
	}
	e := legacyElement{property: r.property, column: column, text: text}
	var okPlan, okRegion bool
	e.plan, okPlan = r.readPlan(name, region, column)
	regionColumn := column + utf8.RuneCountInString(text[:len(text)-len(strings.TrimLeftFunc(after, unicode.IsSpace))])
	e.region, okRegion = r.readRegion(region, colon, regionColumn)
	return e, okPlan && okRegion && r.checkElementRegion(e, regionColumn)
}

// readPlan reads the text before the colon; nil = all plans.
func (r *legacyReader) readPlan(name, region string, column int) (*plan, bool) {
	switch {
	case name == "*":
		return nil, true
	case name == "":
		r.fail(column, "No plan", "found \":\" where the plan belongs. Write %q for all plans.", "*:"+region)
		return nil, false
	case r.inTwo(name, column):
		return nil, false
	case strings.Contains(name, "*"):
		r.fail(column, "Invalid plan", "found %q, and * can only mean all plans. Write one element for each plan, or *:REGION.", name)
		return nil, false
	}
	p := r.compiler.set.plans.byName[name]
	if p == nil {
		advice := ""
		if region == "*" {
			advice = fmt.Sprintf(" For all plans in this region write %q.", "*:"+name)
		}
		r.report(KindUnknownPlan, column, "Unknown plan", r.compiler.set.plans.unknown(name)+advice)
		return nil, false
	}
	r.compiler.named[p] = true
	return p, true
}

// readRegion reads the text after the colon; an empty region = all.
func (r *legacyReader) readRegion(region string, colon bool, column int) (string, bool) {
	before, _, second := strings.Cut(region, ":")
	switch {
	case !colon || region == "*":
		return "", true
	case region == "":
		r.fail(column, "No region", "found nothing after \":\". Write a region, or leave \":\" out for all regions.")
		return "", false
	case second && !strings.ContainsFunc(strings.TrimSpace(before), unicode.IsSpace):
		r.fail(column+utf8.RuneCountInString(before), "Second \":\"",
			"an element is PLAN or PLAN:REGION. Write \";\" between two elements.")
		return "", false
	case r.inTwo(region, column):
		return "", false
	case strings.Contains(region, "*"):
		r.fail(column, "Invalid region", "found %q, and * can only mean all regions. Write one element for each region.", region)
		return "", false
	}
	if err := account.CheckLabelValue(region); err != nil {
		r.fail(column, "Invalid region", "%q can be no part of a label: %v. Write a region such as cf-eu11.", region, err)
		return "", false
	}
	return region, true
}

// inTwo reports a name with a blank inside.
func (r *legacyReader) inTwo(name string, column int) bool {
	i := strings.IndexFunc(name, unicode.IsSpace)
	if i < 0 {
		return false
	}
	rest := strings.TrimLeftFunc(name[i:], unicode.IsSpace)
	r.fail(column+utf8.RuneCountInString(name[:len(name)-len(rest)]), "Missing \";\"",
		"found %q after %q. Write \";\" between two elements; no name has a blank.", rest, name[:i])
	return true
}

// fail reports a parse error.
func (r *legacyReader) fail(column int, summary, format string, args ...any) {
	r.report(KindParse, column, summary, fmt.Sprintf(format, shortened(args)...))
}

func (r *legacyReader) report(kind Kind, column int, summary, detail string) {
	if r.found++; r.found > MaxProblems {
		return
	}
	r.compiler.problems = append(r.compiler.problems, legacyProblem(kind, SeverityError, r.property, column, r.text, summary, detail))
}

// legacyProblem makes a problem of a property. The message names the property: a function has no other place for it.
func legacyProblem(kind Kind, severity Severity, property, column int, text, summary, detail string) Problem {
	return Problem{
		Kind: kind, Severity: severity, Field: "legacy." + legacyNames[property], Column: column, Text: text,
		Message: fmt.Sprintf("%s in %s: %s", summary, legacyNames[property], detail),
	}
}
