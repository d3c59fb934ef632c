package rules

import (
	"fmt"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// ambiguous makes the problem of an ambiguous pair: the two entries, a request that both win, and what to do.
func (p *plan) ambiguous(later, earlier *Entry, euAccess map[string]bool) Problem {
	overlap := p.exampleRequest(meet(later.PlatformRegion, earlier.PlatformRegion),
		meet(later.HyperscalerRegion, earlier.HyperscalerRegion), platformExamples)
	if len(p.hyperscalers) > 1 {
		overlap.Hyperscaler = p.hyperscalers[0]
	}
	return later.problem(KindAmbiguous, SeverityError, earlier, fmt.Sprintf(
		"Ambiguous entries: %v and %v both match the request (%v) with %s each. %s",
		later, earlier, overlap, words.Count(later.priority, "attribute"), p.settlement(later, earlier, euAccess)))
}

// settlement says what to do about an ambiguous pair. An entry that it proposes makes no further problem, and leads every claim
// that both match to the pool with the labels of both.
func (p *plan) settlement(later, earlier *Entry, euAccess map[string]bool) string {
	remedy, found := p.settling(later, earlier, euAccess)
	narrower := later
	if !later.within(earlier) {
		narrower = earlier
	}
	switch same := later.within(earlier) && earlier.within(later); {
	case same && found:
		return fmt.Sprintf("They match the same requests: keep one of them, or replace both by the entry %q.", remedy)
	case same:
		return "They match the same requests: keep one of them."
	case found && (later.within(earlier) || earlier.within(later)): // it would be shadowed
		return fmt.Sprintf("Replace %v by the entry %q, which has more attributes, or remove one of the two.", narrower, remedy)
	case found:
		return fmt.Sprintf("Add the entry %q, which has more attributes, or remove one of the two.", remedy)
	}
	return "No valid entry with more attributes settles it without a label that neither has: " +
		"narrow one of the two (a region by name instead of *), or remove it."
}

// within reports whether another entry matches all that this one matches; the two overlap.
func (e *Entry) within(other *Entry) bool {
	return meet(e.PlatformRegion, other.PlatformRegion) == e.PlatformRegion &&
		meet(e.HyperscalerRegion, other.HyperscalerRegion) == e.HyperscalerRegion
}

// settling returns the text of an entry with more attributes than the two that matches every request that both match and has
// the attributes of both. There is not always one: what they have together may be no more, the label may be too long, or it may
// be ambiguous with a third entry.
//
// An attribute that neither has would lead claims to another pool, with one exception: euAccess=* is idle where no claim has EU
// access, which follows from the platform region. There it may be added or left out.
func (p *plan) settling(a, b *Entry, euAccess map[string]bool) (string, bool) {
	d := draft{
		platform:    region{pattern: meet(a.PlatformRegion, b.PlatformRegion), suffix: a.addPlatformRegion || b.addPlatformRegion},
		hyperscaler: region{pattern: meet(a.HyperscalerRegion, b.HyperscalerRegion), suffix: a.addHyperscalerRegion || b.addHyperscalerRegion},
		shared:      a.Shared || b.Shared,
		euAccess:    max(a.EUAccess, b.EUAccess), // "true" is the larger one
	}
	variants := []string{d.euAccess}
	idle := len(euAccess) == 0 || d.platform.pattern.literal() && !euAccess[string(d.platform.pattern)]
	if a.syntax.onRequest && d.euAccess != EUAccessAlways && idle {
		variants = append(variants, EUAccessOnRequest, EUAccessNever)
	}
	for _, access := range variants {
		d.euAccess = access
		e := newEntry(0, "", a.syntax, p, d)
		valid := p.index.allows(a.syntax, d) && len(longestLabel(p, d)) <= account.MaxLabelValueLength
		if valid && e.priority > a.priority && !p.index.clashes(&e, a, b) {
			return e.Canonical(), true
		}
	}
	return "", false
}

// allows reports whether a draft can be written in a syntax.
func (ix *index) allows(s *syntax, d draft) bool {
	platform, hyperscaler := ix.numbers(d.platform.pattern, d.hyperscaler.pattern)
	return s.suffixes.allows(platform, d.platform.suffix) && s.suffixes.allows(hyperscaler, d.hyperscaler.suffix)
}

// clashes reports whether a new entry would be ambiguous with one other than the two that it settles.
func (ix *index) clashes(settling, a, b *Entry) bool {
	return slices.ContainsFunc(ix.entries, func(e *Entry) bool {
		if e == a || e == b || e.priority != settling.priority ||
			!overlap(e.PlatformRegion, settling.PlatformRegion) || !overlap(e.HyperscalerRegion, settling.HyperscalerRegion) {
			return false
		}
		platform, hyperscaler := meet(e.PlatformRegion, settling.PlatformRegion), meet(e.HyperscalerRegion, settling.HyperscalerRegion)
		return ix.best(ix.numbers(platform, hyperscaler)).priority <= e.priority
	})
}

// overlap reports whether some request matches both patterns.
func overlap(a, b Pattern) bool { return !a.literal() || !b.literal() || a == b }

// meet returns the pattern of the regions that both patterns match; the two overlap.
func meet(a, b Pattern) Pattern {
	if a == PatternNone || b.literal() {
		return b
	}
	return a
}

// Regions for the example of a request; each list is tried in order until one is named by no entry.
var platformExamples = []string{"cf-eu10", "cf-us10", "cf-ap21"}

var regionExamples = map[string][]string{
	"aws":       {"eu-central-1", "us-east-1"},
	"azure":     {"westeurope", "eastus"},
	"gcp":       {"europe-west3", "us-central1"},
	"openstack": {"eu-de-1", "na-us-1"},
	"alicloud":  {"eu-central-1", "cn-beijing"},
}

// exampleRequest returns a request that matches two patterns and, unless they name it, no literal of the plan.
func (p *plan) exampleRequest(platform, hyperscaler Pattern, platforms []string) Request {
	var regions []string
	if len(p.hyperscalers) > 0 {
		regions = regionExamples[p.hyperscalers[0]]
	}
	return Request{
		Plan:              p.name,
		PlatformRegion:    p.index.platformRegions.example(platform, platforms),
		HyperscalerRegion: p.index.hyperscalerRegions.example(hyperscaler, regions),
	}
}

// example returns a region that matches the pattern and, unless the pattern names it, no literal.
func (l literals) example(p Pattern, preferred []string) string {
	if p != PatternAny {
		return string(p)
	}
	for _, region := range preferred {
		if l.find(region) == anyRegion {
			return region
		}
	}
	for i := 1; ; i++ {
		if region := fmt.Sprintf("region-%d", i); l.find(region) == anyRegion {
			return region
		}
	}
}

// reportShadowed warns of entries that can never apply. It is enough to check the hardest request of each (see the
// package comment): who takes that one takes all.
func (p *plan) reportShadowed() Problems {
	var problems Problems
	for _, e := range p.index.entries {
		winner := p.index.best(e.platform, e.hyperscaler)
		if winner.priority <= e.priority {
			continue
		}
		problems = append(problems, e.problem(KindShadowed, SeverityWarning, winner, fmt.Sprintf(
			"Shadowed entry: it never applies, because %v has more attributes and matches every request that this one matches. "+
				"Remove this entry, or narrow the other one.", winner)))
	}
	return problems
}
