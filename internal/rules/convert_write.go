package rules

import (
	"cmp"
	"slices"
)

// writer looks for the entries of one plan in one syntax that answer as a grid says: one at most for each pair of patterns, and
// for every request one winner, with the right labels. A set of such entries is valid: two entries are ambiguous if they win
// together the hardest request that both match (see the package comment), and every such request is in the grid.
//
// It tries all wide entries (those without a literal), then for each platform region the entries that name it alone, likewise
// for each hyperscaler region, and then one entry for each pair of regions. What it tries is complete: an entry that is of any
// use wins the hardest request that it matches, so its labels are those of that request. The one exception is an entry of the
// arrow syntax that makes the hardest request fail because a region is missing; its labels are those of the request that has
// the region.
type writer struct {
	grid
	syntax Syntax
}

func newWriter(g grid, syntax Syntax) *writer { return &writer{g, syntax} }

// write returns the entries, the wide ones first, and reports whether there are any that answer rightly.
func (w *writer) write() (best []choice, found bool) {
	wide := [][]choice{nil}
	requests := [][2]uint32{{noRegion, noRegion}, {anyRegion, noRegion}, {noRegion, anyRegion}, {anyRegion, anyRegion}}
	for _, pattern := range requests { // a wide pattern has the numbers of the hardest request that it matches
		wide = product(wide, w.options(pattern[0], pattern[1]))
	}
	for _, entries := range wide {
		if !w.rightAt(entries, requests...) {
			continue
		}
		all, ok := w.complete(entries)
		if ok && (!found || w.cost(all).less(w.cost(best))) {
			best, found = all, true
		}
	}
	return best, found
}

// cost says how well entries read; the lower ones count less.
type cost [3]int

func (c cost) less(other cost) bool { return slices.Compare(c[:], other[:]) < 0 }

// cost counts the entries that the broker cannot read, all entries, and those with euAccess=*.
func (w *writer) cost(entries []choice) cost {
	c := cost{0, len(entries), 0}
	for _, e := range entries {
		if w.syntax == SyntaxArrow && (e.platform == anyRegion || e.hyperscaler == anyRegion) {
			c[0]++
		}
		if e.onRequest {
			c[2]++
		}
	}
	return c
}

// product returns each of the lists as it is and with each of the options, the shorter lists first.
func product(lists [][]choice, options []choice) [][]choice {
	all := slices.Clone(lists)
	for _, list := range lists {
		for _, o := range options {
			all = append(all, append(slices.Clone(list), o))
		}
	}
	slices.SortStableFunc(all, func(a, b []choice) int { return cmp.Compare(len(a), len(b)) })
	return all
}

// options returns the entries of a pair of patterns that may be of use.
func (w *writer) options(platform, hyperscaler uint32) []choice {
	var all []choice
	add := func(c choice) {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	if w.syntax == SyntaxAttribute {
		l := w.pools[platform][hyperscaler]
		if l == noPool || (l&withPlatform != 0) != (platform != noRegion) || (l&withCluster != 0) != (hyperscaler != noRegion) {
			return nil
		}
		add(choice{platform, hyperscaler, l, false})
		if l&withEUAccess == 0 && !w.access[platform] {
			add(choice{platform, hyperscaler, l, true}) // one more attribute, or EU access elsewhere
		}
		return all
	}
	withRegion := func(pattern uint32) []uint32 {
		if pattern == noRegion {
			return []uint32{noRegion, anyRegion}
		}
		return []uint32{pattern}
	}
	for _, p := range withRegion(platform) {
		for _, h := range withRegion(hyperscaler) {
			l := w.pools[p][h]
			if l == noPool || platform == anyRegion && l&withPlatform == 0 || hyperscaler == anyRegion && l&withCluster == 0 {
				continue
			}
			add(choice{platform, hyperscaler, l, false})
		}
	}
	return all
}

// rightAt reports whether the entries answer requests as the grid says.
func (w *writer) rightAt(entries []choice, requests ...[2]uint32) bool {
	for _, r := range requests {
		if !w.right(r[0], r[1], entries) {
			return false
		}
	}
	return true
}

// right reports whether of the entries one wins the request and has the right labels, or none matches where there is no pool.
func (w *writer) right(platform, hyperscaler uint32, lists ...[]choice) bool {
	most, winners, got := -1, 0, noPool
	for _, list := range lists {
		for _, c := range list {
			if !c.matches(platform, hyperscaler) {
				continue
			}
			switch n := c.priority(w.syntax); {
			case n > most:
				most, winners = n, 1
				if got = c.labels; c.onRequest && w.access[platform] {
					got |= withEUAccess
				}
			case n == most:
				winners++
			}
		}
	}
	return winners <= 1 && got.without(platform == noRegion, hyperscaler == noRegion) == w.pools[platform][hyperscaler]
}

// complete adds the entries with literals to wide ones and reports whether that can be done.
func (w *writer) complete(wide []choice) ([]choice, bool) {
	rows := make([][][]choice, len(w.platforms)) // what can be written for each platform region alone
	for p := firstLiteral; p < uint32(len(rows)); p++ {
		for _, entries := range product(product([][]choice{nil}, w.options(p, noRegion)), w.options(p, anyRegion)) {
			if w.rightAt(slices.Concat(wide, entries), [2]uint32{p, noRegion}, [2]uint32{p, anyRegion}) {
				rows[p] = append(rows[p], entries)
			}
		}
	}
	columns := make([][][]choice, len(w.hyperscalers))
	for h := firstLiteral; h < uint32(len(columns)); h++ {
		for _, entries := range product(product([][]choice{nil}, w.options(noRegion, h)), w.options(anyRegion, h)) {
			if w.rightAt(slices.Concat(wide, entries), [2]uint32{noRegion, h}, [2]uint32{anyRegion, h}) {
				columns[h] = append(columns[h], entries)
			}
		}
	}
	if !w.prune(wide, rows, columns) {
		return nil, false
	}
	all := slices.Clone(wide)
	for _, row := range rows[firstLiteral:] {
		all = append(all, row[0]...)
	}
	for _, column := range columns[firstLiteral:] {
		all = append(all, column[0]...)
	}
	for p := firstLiteral; p < uint32(len(rows)); p++ {
		for h := firstLiteral; h < uint32(len(columns)); h++ {
			pair, ok := w.pair(p, h, wide, rows[p][0], columns[h][0])
			if !ok {
				return nil, false
			}
			all = append(all, pair...)
		}
	}
	return all, true
}

// prune takes out what goes with nothing that is left for a region of the other side, until that is nothing any more. It
// reports whether something is left for every region.
func (w *writer) prune(wide []choice, rows, columns [][][]choice) bool {
	for again := true; again; {
		again = false
		for p := firstLiteral; p < uint32(len(rows)); p++ {
			for h := firstLiteral; h < uint32(len(columns)); h++ {
				fits := func(row, column []choice) bool {
					_, ok := w.pair(p, h, wide, row, column)
					return ok
				}
				n := len(rows[p]) + len(columns[h])
				rows[p] = slices.DeleteFunc(rows[p], func(row []choice) bool {
					return !slices.ContainsFunc(columns[h], func(column []choice) bool { return fits(row, column) })
				})
				columns[h] = slices.DeleteFunc(columns[h], func(column []choice) bool {
					return !slices.ContainsFunc(rows[p], func(row []choice) bool { return fits(row, column) })
				})
				again = again || len(rows[p])+len(columns[h]) < n
			}
		}
	}
	none := func(entries [][]choice) bool { return len(entries) == 0 }
	return !slices.ContainsFunc(rows[firstLiteral:], none) && !slices.ContainsFunc(columns[firstLiteral:], none)
}

// pair returns what a pair of regions needs beside the other entries, one at most, and reports whether that can be written.
func (w *writer) pair(p, h uint32, wide, row, column []choice) ([]choice, bool) {
	if w.right(p, h, wide, row, column) {
		return nil, true
	}
	for _, c := range w.options(p, h) {
		if own := []choice{c}; w.right(p, h, wide, row, column, own) {
			return own, true
		}
	}
	return nil, false
}
