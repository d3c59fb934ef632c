package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// LeadsTo reports whether some request leads to a pool: an entry has its labels, with any region where the entry does not fix
// one.
func (s *Set) LeadsTo(target account.Target) bool {
	for i := range s.entries {
		if s.Reaches(&s.entries[i], target) {
			return true
		}
	}
	return false
}

// Reaches reports whether an entry of the set has the labels of a pool, with any region where it does not fix one. A platform region
// that the landscape does not have is none.
func (s *Set) Reaches(e *Entry, target account.Target) bool {
	if e.Shared != target.Shared || e.EUAccess != EUAccessOnRequest && (e.EUAccess == EUAccessAlways) != target.EUAccess {
		return false
	}
	return slices.ContainsFunc(e.plan.hyperscalers, func(hyperscaler string) bool {
		rest, ok := strings.CutPrefix(target.HyperscalerType, hyperscaler)
		return ok && s.adds(e, rest)
	})
}

// adds reports whether the entry adds this to the hyperscaler, for some request.
func (s *Set) adds(e *Entry, rest string) bool {
	var regions []added
	if e.addPlatformRegion {
		regions = append(regions, added{e.PlatformRegion, func(region string) bool { return !s.outside(region) }})
	}
	if e.addHyperscalerRegion {
		regions = append(regions, added{e.HyperscalerRegion, func(string) bool { return true }})
	}
	return spells(rest, regions)
}

// added is a region in a hyperscaler type: the one that is fixed, or any one that is possible.
type added struct {
	pattern  Pattern
	possible func(region string) bool
}

// spells reports whether a text is these regions, each after an underscore.
func spells(text string, regions []added) bool {
	if len(regions) == 0 {
		return text == ""
	}
	text, ok := strings.CutPrefix(text, "_")
	switch {
	case !ok:
		return false
	case regions[0].pattern.literal():
		rest, starts := strings.CutPrefix(text, string(regions[0].pattern))
		return starts && spells(rest, regions[1:])
	}
	for end := 1; end <= len(text); end++ {
		if regions[0].possible(text[:end]) && spells(text[end:], regions[1:]) {
			return true
		}
	}
	return false
}

// RequestFor returns the shortest request that leads to a pool, the first of several; false where none is found.
func (s *Set) RequestFor(target account.Target) (best Request, found bool) {
	entries := s.Entries()
	for i := range entries {
		for _, r := range s.requests(&entries[i], target) {
			if found && r.given() >= best.given() {
				continue
			}
			if m, err := s.Match(r); err == nil && m.Target() == target {
				best, found = r, true
			}
		}
	}
	return best, found
}

// given counts what a request names beside its plan.
func (r Request) given() int {
	return min(1, len(r.PlatformRegion)) + min(1, len(r.HyperscalerRegion)) + min(1, len(r.Hyperscaler))
}

// requests are those of an entry that could lead to a pool.
func (s *Set) requests(e *Entry, target account.Target) (all []Request) {
	for _, hyperscaler := range e.plan.hyperscalers {
		rest, ok := strings.CutPrefix(target.HyperscalerType, hyperscaler)
		if !ok || !s.Reaches(e, target) {
			continue
		}
		r := Request{Plan: e.Plan, PlatformRegion: fixed(e.PlatformRegion), HyperscalerRegion: fixed(e.HyperscalerRegion)}
		if len(e.plan.hyperscalers) > 1 {
			r.Hyperscaler = hyperscaler
		}
		rest = strings.TrimPrefix(rest, "_")
		switch {
		case e.addPlatformRegion && e.addHyperscalerRegion:
			for i := range rest {
				if rest[i] == '_' {
					both := r
					both.PlatformRegion, both.HyperscalerRegion = rest[:i], rest[i+1:]
					all = append(all, both)
				}
			}
			continue
		case e.addPlatformRegion:
			r.PlatformRegion = rest
		case e.addHyperscalerRegion:
			r.HyperscalerRegion = rest
		}
		all = append(all, r)
		for _, region := range slices.Sorted(maps.Keys(s.euAccessRegions)) { // where it is the request that has EU access
			r.PlatformRegion = region
			all = append(all, r)
		}
	}
	return all
}

// fixed returns the region that a pattern fixes; "" = none.
func fixed(p Pattern) string {
	if p.literal() {
		return string(p)
	}
	return ""
}
