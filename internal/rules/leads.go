package rules

import (
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
)

// LeadsTo reports whether some request leads to a pool: an entry has its labels, with any region where the entry does not fix
// one.
func (s *Set) LeadsTo(target pool.Target) bool {
	entries := s.Entries()
	return slices.ContainsFunc(entries, func(e Entry) bool { return e.leadsTo(target) })
}

func (e *Entry) leadsTo(target pool.Target) bool {
	if e.Shared != target.Shared || e.EUAccess != EUAccessOnRequest && (e.EUAccess == EUAccessAlways) != target.EUAccess {
		return false
	}
	return slices.ContainsFunc(e.plan.hyperscalers, func(hyperscaler string) bool {
		rest, ok := strings.CutPrefix(target.HyperscalerType, hyperscaler)
		return ok && e.adds(rest)
	})
}

// adds reports whether the entry adds this to the hyperscaler, for some request.
func (e *Entry) adds(rest string) bool {
	var regions []Pattern
	if e.addPlatformRegion {
		regions = append(regions, e.PlatformRegion)
	}
	if e.addHyperscalerRegion {
		regions = append(regions, e.HyperscalerRegion)
	}
	return spells(rest, regions)
}

// spells reports whether a text is these regions, each behind an underscore. A region that is not fixed is any text.
func spells(text string, regions []Pattern) bool {
	if len(regions) == 0 {
		return text == ""
	}
	text, ok := strings.CutPrefix(text, "_")
	switch {
	case !ok:
		return false
	case regions[0].literal():
		rest, starts := strings.CutPrefix(text, string(regions[0]))
		return starts && spells(rest, regions[1:])
	}
	for end := 1; end <= len(text); end++ {
		if spells(text[end:], regions[1:]) {
			return true
		}
	}
	return false
}
