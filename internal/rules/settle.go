package rules

import (
	"fmt"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// maxAttributes is the number of attributes that an entry can have.
const maxAttributes = 4

// ambiguous makes the problem of an ambiguous pair: the two entries, a request that both win, and what to do.
func (p *plan) ambiguous(later, earlier *Entry) Problem {
	overlap := Request{
		Plan:              p.name,
		PlatformRegion:    p.index.platformRegions.example(meet(later.PlatformRegion, earlier.PlatformRegion), platformExamples),
		HyperscalerRegion: p.index.hyperscalerRegions.example(meet(later.HyperscalerRegion, earlier.HyperscalerRegion), p.regionExamples()),
	}
	if len(p.hyperscalers) > 1 {
		overlap.Hyperscaler = p.hyperscalers[0]
	}
	same := later.platform == earlier.platform && later.hyperscaler == earlier.hyperscaler
	remedy, found := p.settling(later, earlier)
	var advice string
	switch {
	case same && found:
		advice = fmt.Sprintf("They match the same requests: keep one of them, or replace both by the entry %q.", remedy)
	case same:
		advice = "They match the same requests: keep one of them."
	case found:
		advice = fmt.Sprintf("Add the entry %q, which has more attributes, or remove one of the two.", remedy)
	default:
		advice = "No valid entry with more attributes can settle it: " +
			"narrow one of the two (a region by name instead of *), or remove it."
	}
	return later.problem(KindAmbiguous, SeverityError, earlier, fmt.Sprintf(
		"Ambiguous entries: %v and %v both match the request (%v) with %s each. %s",
		later, earlier, overlap, attributes(later.priority), advice))
}

// settling returns the text of an entry with more attributes than the two that matches every request that both match: the
// attributes of both, and if those are not more, one that changes as little as possible. There is not always one.
func (p *plan) settling(a, b *Entry) (string, bool) {
	d := draft{
		platform:    region{pattern: meet(a.PlatformRegion, b.PlatformRegion), suffix: a.addPlatformRegion || b.addPlatformRegion},
		hyperscaler: region{pattern: meet(a.HyperscalerRegion, b.HyperscalerRegion), suffix: a.addHyperscalerRegion || b.addHyperscalerRegion},
		shared:      a.Shared || b.Shared,
		euAccess:    max(a.EUAccess, b.EUAccess), // "true" is the larger one
	}
	for _, used := range [...]bool{d.platform.pattern != PatternNone, d.hyperscaler.pattern != PatternNone} {
		if used {
			d.attributes++
		}
	}
	if a.syntax == SyntaxAttribute {
		for _, used := range [...]bool{d.shared, d.euAccess != EUAccessNever} {
			if used {
				d.attributes++
			}
		}
		if d.attributes <= a.priority && d.euAccess == EUAccessNever {
			d.euAccess = EUAccessOnRequest
			d.attributes++
		}
		if d.attributes <= a.priority && !d.shared {
			d.shared = true
			d.attributes++
		}
	}
	if d.attributes <= a.priority || len(longestLabel(p, d)) > pool.MaxLabelValueLength {
		return "", false
	}
	e := newEntry(0, "", a.syntax, p, d)
	return e.Canonical(), true
}

// meet returns the pattern of the regions that both patterns match; the two overlap.
func meet(a, b Pattern) Pattern {
	switch {
	case a == PatternNone || b.literal():
		return b
	default:
		return a
	}
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

func (p *plan) regionExamples() []string {
	if len(p.hyperscalers) == 0 {
		return nil
	}
	return regionExamples[p.hyperscalers[0]]
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

func attributes(n int) string {
	if n == 1 {
		return "1 attribute"
	}
	return fmt.Sprintf("%d attributes", n)
}
