package rules

import (
	"cmp"
	"fmt"
	"slices"
)

// maxAmbiguous is how many ambiguous pairs of one plan are reported; the rest is counted. Two long lists of regions can make
// hundreds of thousands.
const maxAmbiguous = 100

// pairs counts ambiguous pairs and keeps the first ones, by their later entry.
type pairs struct {
	kept  [][2]*Entry // later, earlier
	total int
}

// reportAmbiguous reports the pairs of entries that win some request together (ADR 001: an error, found
// here when the set is validated).
func (p *plan) reportAmbiguous(euAccess map[string]bool) Problems {
	found := p.index.ambiguous()
	problems := make(Problems, 0, len(found.kept))
	for _, pair := range found.kept {
		problems = append(problems, p.ambiguous(pair[0], pair[1], euAccess))
	}
	if more := found.total - len(found.kept); more > 0 {
		problems[len(problems)-1].Message += fmt.Sprintf(
			" %d more ambiguous pairs of plan %s are not listed; settle these first.", more, p.name)
	}
	return problems
}

// ambiguous finds the pairs, in the order of their later entries.
//
// A pair overlaps in one of two ways. Either one entry names literals wherever the other does; then the wider one is found
// from the narrower one with at most nine look-ups. Or one names a platform region alone and the other a hyperscaler region
// alone (rows and columns); these overlap in all combinations, so those that a wide entry of higher priority settles are
// removed before the combinations are tried.
func (ix *index) ambiguous() pairs {
	var found pairs
	nested := ix.nestedPairs()
	rows, columns := make(map[int][]*Entry), make(map[int][]*Entry) // by priority
	for _, e := range ix.entries {
		earlier, wanted := nested[e], maxAmbiguous-len(found.kept)
		found.total += len(earlier)
		crossing := func(others []*Entry) {
			more, total := ix.crossing(e, others, wanted)
			earlier = append(earlier, more...)
			found.total += total
		}
		row, column := e.platform >= firstLiteral, e.hyperscaler >= firstLiteral
		switch {
		case row && !column && !ix.settled(e.platform, anyRegion, e.priority):
			rows[e.priority] = append(rows[e.priority], e)
			crossing(columns[e.priority])
		case column && !row && !ix.settled(anyRegion, e.hyperscaler, e.priority):
			columns[e.priority] = append(columns[e.priority], e)
			crossing(rows[e.priority])
		}
		slices.SortFunc(earlier, func(a, b *Entry) int { return cmp.Compare(a.Number, b.Number) })
		for _, other := range earlier[:min(len(earlier), wanted)] {
			found.kept = append(found.kept, [2]*Entry{e, other})
		}
	}
	return found
}

// nestedPairs returns, by the later entry, the pairs in which one entry names literals wherever the other does.
func (ix *index) nestedPairs() map[*Entry][]*Entry {
	found := make(map[*Entry][]*Entry)
	for _, e := range ix.entries {
		platforms, pn := compatible(e.platform)
		hyperscalers, hn := compatible(e.hyperscaler)
		for _, p := range platforms[:pn] {
			for _, h := range hyperscalers[:hn] {
				if ix.top[min(p, firstLiteral)][min(h, firstLiteral)] <= e.priority {
					continue
				}
				for _, other := range ix.cells[cellKey(p, h)] {
					if other.priority != e.priority || other == e || sameLiterals(e, other) && other.Number > e.Number ||
						ix.settled(max(e.platform, other.platform), max(e.hyperscaler, other.hyperscaler), e.priority) {
						continue
					}
					if other.Number < e.Number {
						found[e] = append(found[e], other)
					} else {
						found[other] = append(found[other], e)
					}
				}
			}
		}
	}
	return found
}

// compatible returns the patterns without a literal, and the literal if the number is one; the second result says how many
// they are.
func compatible(region uint32) ([3]uint32, int) {
	if region < firstLiteral {
		return [3]uint32{noRegion, anyRegion}, 2
	}
	return [3]uint32{noRegion, anyRegion, region}, 3
}

// sameLiterals reports whether each of two overlapping entries can be found from the other.
func sameLiterals(a, b *Entry) bool {
	return (a.platform >= firstLiteral) == (b.platform >= firstLiteral) &&
		(a.hyperscaler >= firstLiteral) == (b.hyperscaler >= firstLiteral)
}

// crossing returns the first of the others that no entry settles for the one request where they cross e, and counts them all.
func (ix *index) crossing(e *Entry, others []*Entry, wanted int) (open []*Entry, total int) {
	settling := ix.top[firstLiteral][firstLiteral] > e.priority+1 // no pair is settled otherwise
	for _, other := range others {
		if settling {
			cell := ix.cells[cellKey(max(e.platform, other.platform), max(e.hyperscaler, other.hyperscaler))]
			if len(cell) > 0 && cell[0].priority > e.priority {
				continue
			}
		}
		if total++; total <= wanted {
			open = append(open, other)
		}
	}
	return open, total
}

// settled reports whether an entry of higher priority matches all requests that the two numbers represent.
func (ix *index) settled(platform, hyperscaler uint32, priority int) bool {
	best := ix.best(platform, hyperscaler)
	return best != nil && best.priority > priority
}
