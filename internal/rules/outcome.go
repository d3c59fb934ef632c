package rules

import (
	"maps"
	"slices"
)

// labels says what a request gets beside the plain hyperscaler type; bit i is that of legacy property i.
type labels uint8

const (
	withPlatform labels = 1 << legacyPlatform
	withCluster  labels = 1 << legacyCluster
	withShared   labels = 1 << legacyShared
	withEUAccess labels = 1 << legacyEUAccess
	// noPool excludes all other bits: the request fails, because no entry matches it or because it lacks a region that the entry adds.
	noPool labels = 1 << legacyCount
)

// labels returns what the entry adds for a request with or without EU access.
func (e *Entry) labels(access bool) labels {
	return labelsOf(e.addPlatformRegion, e.addHyperscalerRegion, e.Shared,
		e.EUAccess == EUAccessAlways || e.EUAccess == EUAccessOnRequest && access)
}

// labelsOf returns the labels of which this is true, in the order of the legacy properties.
func labelsOf(given ...bool) labels {
	var l labels
	for property, is := range given {
		if is {
			l |= 1 << property
		}
	}
	return l
}

// without returns what comes out for a request that lacks regions: nothing where one of them would have to be added.
func (l labels) without(platform, hyperscaler bool) labels {
	if l != noPool && (platform && l&withPlatform != 0 || hyperscaler && l&withCluster != 0) {
		return noPool
	}
	return l
}

// grid holds what one plan answers to every request in which the platform region decides about EU access. The numbers of the
// regions are those of the index; as part of a request PatternNone is no region, and PatternAny a region that is not listed.
type grid struct {
	platforms    []Pattern
	hyperscalers []Pattern
	access       []bool // by platform region: it has EU access
	pools        [][]labels
}

// grid asks the index of a plan for every request. The EU access regions are listed in any case.
func (s *Set) grid(ix *index) grid {
	g := grid{platforms: ix.platformRegions.patterns(), hyperscalers: ix.hyperscalerRegions.patterns()}
	for _, region := range slices.Sorted(maps.Keys(s.euAccessRegions)) {
		if _, named := ix.platformRegions[region]; !named {
			g.platforms = append(g.platforms, Pattern(region))
		}
	}
	for _, platform := range g.platforms {
		access := s.euAccessRegions[string(platform)]
		row := make([]labels, len(g.hyperscalers))
		for h, hyperscaler := range g.hyperscalers {
			row[h] = noPool
			if e := ix.best(ix.numbers(platform, hyperscaler)); e != nil {
				row[h] = e.labels(access).without(platform == PatternNone, hyperscaler == PatternNone)
			}
		}
		g.access, g.pools = append(g.access, access), append(g.pools, row)
	}
	return g
}

// patterns returns the pattern of each number.
func (l literals) patterns() []Pattern {
	all := make([]Pattern, int(firstLiteral)+len(l))
	all[noRegion], all[anyRegion] = PatternNone, PatternAny
	for region, n := range l {
		all[n] = Pattern(region)
	}
	return all
}

// choice is an entry of a table that is written anew: what it matches, by the numbers of a grid, and what it adds.
type choice struct {
	platform, hyperscaler uint32
	labels                labels
	onRequest             bool // euAccess=*, for which labels have no EU access
}

// matches reports whether the entry matches a request of the grid.
func (c choice) matches(platform, hyperscaler uint32) bool {
	fits := func(pattern, region uint32) bool {
		return pattern == noRegion || pattern == region || pattern == anyRegion && region != noRegion
	}
	return fits(c.platform, platform) && fits(c.hyperscaler, hyperscaler)
}

// entry makes an entry of a choice.
func (g grid) entry(p *plan, s *syntax, c choice) Entry {
	d := newDraft(g.platforms[c.platform], g.hyperscalers[c.hyperscaler], c.labels)
	if c.onRequest {
		d.euAccess = EUAccessOnRequest
	}
	return newEntry(0, "", s, p, d)
}

// suffixLength returns how long at least the regions in the hyperscaler type are. One that is not fixed has one character.
func (g grid) suffixLength(platform, hyperscaler uint32, l labels) (length int) {
	if l&withPlatform != 0 {
		length += 1 + max(1, len(g.platforms[platform]))
	}
	if l&withCluster != 0 {
		length += 1 + max(1, len(g.hyperscalers[hyperscaler]))
	}
	return length
}

// priority returns the priority of the choice as an entry of a syntax.
func (c choice) priority(s *syntax) int {
	l := c.labels
	if c.onRequest {
		l |= withEUAccess
	}
	return s.priority(int(min(c.platform, 1)+min(c.hyperscaler, 1)), l) // noRegion is 0
}
