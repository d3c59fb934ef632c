package rules

import "fmt"

// How a region of an entry or of a request appears in the index. Literals follow from firstLiteral on. For an entry the
// number is its pattern; for a request it is the narrowest pattern that fits: no region, one that no entry names, or one
// that entries name. So both can be looked up alike.
const (
	noRegion uint32 = iota
	anyRegion
	firstLiteral
)

// index finds the entries of one plan by what they match.
type index struct {
	entries            []*Entry // in order, without duplicates
	platformRegions    literals
	hyperscalerRegions literals
	// cells holds the entries with the same patterns, the one with the highest priority first.
	cells map[uint64][]*Entry
	// top is the highest priority, plus one, of all entries whose patterns are of these kinds; 0 if there is none. It
	// spares most look-ups.
	top [firstLiteral + 1][firstLiteral + 1]int
}

// literals numbers the regions that the entries name.
type literals map[string]uint32

// cellKey makes one key of the two regions.
func cellKey(platform, hyperscaler uint32) uint64 {
	return uint64(platform)<<32 | uint64(hyperscaler)
}

// number returns the number of a pattern and gives a new literal the next one.
func (l literals) number(p Pattern) uint32 {
	switch p {
	case PatternNone:
		return noRegion
	case PatternAny:
		return anyRegion
	}
	n, known := l[string(p)]
	if !known {
		n = firstLiteral + uint32(len(l))
		l[string(p)] = n
	}
	return n
}

// find returns the number of a request's region.
func (l literals) find(region string) uint32 {
	if region == "" {
		return noRegion
	}
	if n, known := l[region]; known {
		return n
	}
	return anyRegion
}

// numbers returns the numbers of two patterns, which represent all requests that match them.
func (ix *index) numbers(platform, hyperscaler Pattern) (p, h uint32) {
	return ix.platformRegions.find(string(platform)), ix.hyperscalerRegions.find(string(hyperscaler))
}

// add puts an entry into the index of its plan, or returns the problem that it is a duplicate.
func (ix *index) add(e *Entry) Problems {
	if ix.cells == nil {
		ix.platformRegions, ix.hyperscalerRegions = make(literals), make(literals)
		ix.cells = make(map[uint64][]*Entry)
	}
	e.platform = ix.platformRegions.number(e.PlatformRegion)
	e.hyperscaler = ix.hyperscalerRegions.number(e.HyperscalerRegion)
	key := cellKey(e.platform, e.hyperscaler)
	cell := ix.cells[key]
	place := 0
	for i, other := range cell {
		if e.syntax.duplicates(e, other) {
			return Problems{e.problem(KindDuplicate, SeverityError, other, fmt.Sprintf(
				"Duplicate entry: %v matches the same requests%s. Remove one of the two.", other, e.syntax.duplicatesWhy))}
		}
		if other.priority >= e.priority {
			place = i + 1
		}
	}
	cell = append(cell, nil)
	copy(cell[place+1:], cell[place:])
	cell[place] = e
	ix.cells[key] = cell
	ix.entries = append(ix.entries, e)
	top := &ix.top[min(e.platform, firstLiteral)][min(e.hyperscaler, firstLiteral)]
	*top = max(*top, e.priority+1)
	return nil
}

// covers returns the patterns that match all requests that a number represents, the narrowest first; the second result says how
// many they are.
func covers(region uint32) ([3]uint32, int) {
	switch region {
	case noRegion:
		return [3]uint32{noRegion}, 1
	case anyRegion:
		return [3]uint32{anyRegion, noRegion}, 2
	}
	return [3]uint32{region, anyRegion, noRegion}, 3
}

// best returns the entry with the highest priority of those that match all requests that the two numbers represent, or nil.
func (ix *index) best(platform, hyperscaler uint32) *Entry {
	var best *Entry
	need := 0 // the priority of best, plus one
	platforms, pn := covers(platform)
	hyperscalers, hn := covers(hyperscaler)
	for _, p := range platforms[:pn] {
		top := &ix.top[min(p, firstLiteral)]
		for _, h := range hyperscalers[:hn] {
			if top[min(h, firstLiteral)] <= need {
				continue
			}
			if cell := ix.cells[cellKey(p, h)]; len(cell) > 0 && cell[0].priority >= need {
				best, need = cell[0], cell[0].priority+1
			}
		}
	}
	return best
}

// problem makes a problem of the whole entry with another one.
func (e *Entry) problem(kind Kind, severity Severity, other *Entry, message string) Problem {
	return Problem{
		Kind: kind, Severity: severity, Field: "rules",
		Entries: []int{e.Number, other.Number}, Text: e.Text, Message: message,
	}
}
