package rules

import (
	"cmp"
	"slices"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// writer finds the entries of one plan in one syntax with the outcomes of a grid: one at most for each pair of patterns, and
// for every request one winner, with the right labels. A set of such entries is valid: two entries are ambiguous if they win
// together the hardest request that both match (see the package comment), and every such request is in the grid.
//
// It tries all wide entries (those without a literal), then for each platform region the entries that name it alone, likewise
// for each hyperscaler region, and then one entry for each pair of regions. What it tries is complete: an entry that is of any
// use wins the hardest request that it matches, so its labels are those of that request. The one exception is an entry of the
// arrow syntax that makes the hardest request fail because a region is missing; its labels are those of the request that has
// the region. Nor is an entry of use that fits into no label, and a request fails whose pool fits into none.
type writer struct {
	grid
	syntax *syntax
	// How long the regions in a hyperscaler type can be: for a request on the hyperscaler of the plan with the shortest name, and
	// for an entry, which is for all of them.
	requestRoom, entryRoom int
}

// newWriter makes a writer. The grid is its own.
func newWriter(g grid, p *plan, to *syntax) *writer {
	w := &writer{g, to, 0, account.MaxLabelValueLength}
	for _, hyperscaler := range p.hyperscalers {
		room := account.MaxLabelValueLength - len(hyperscaler)
		w.requestRoom, w.entryRoom = max(w.requestRoom, room), min(w.entryRoom, room)
	}
	for platform, row := range w.pools {
		for hyperscaler, l := range row {
			row[hyperscaler] = w.outcome(uint32(platform), uint32(hyperscaler), l)
		}
	}
	return w
}

// outcome returns what comes out for a request of the grid whose winner gives it these labels: nothing where it lacks a region
// that would be added, or where no label can be so long.
func (w *writer) outcome(platform, hyperscaler uint32, l labels) labels {
	if w.suffixLength(platform, hyperscaler, l) > w.requestRoom {
		return noPool
	}
	return l.without(platform == noRegion, hyperscaler == noRegion)
}

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
		if w.syntax.name == brokerSyntax && (e.platform == anyRegion || e.hyperscaler == anyRegion) {
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
	for _, p := range labelled(platform) {
		for _, h := range labelled(hyperscaler) {
			l := w.pools[p][h]
			if l == noPool || p != platform && l&withPlatform == 0 || h != hyperscaler && l&withCluster == 0 ||
				w.suffixLength(platform, hyperscaler, l) > w.entryRoom ||
				!w.syntax.suffixes.allows(platform, l&withPlatform != 0) ||
				!w.syntax.suffixes.allows(hyperscaler, l&withCluster != 0) {
				continue
			}
			add(choice{platform, hyperscaler, l, false})
			if w.syntax.onRequest && l&withEUAccess == 0 && !w.access[platform] {
				add(choice{platform, hyperscaler, l, true}) // one more attribute, or EU access elsewhere
			}
		}
	}
	return all
}

// labelled returns the regions of the requests whose labels an entry with the pattern can have: the hardest one, and where
// that has no region, one that has a region for the entry to add.
func labelled(pattern uint32) []uint32 {
	if pattern == noRegion {
		return []uint32{noRegion, anyRegion}
	}
	return []uint32{pattern}
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
	return winners <= 1 && w.outcome(platform, hyperscaler, got) == w.pools[platform][hyperscaler]
}

// complete adds the entries with literals to wide ones and reports whether that can be done.
func (w *writer) complete(wide []choice) ([]choice, bool) {
	rows := w.alone(wide, len(w.platforms), func(region, other uint32) [2]uint32 { return [2]uint32{region, other} })
	columns := w.alone(wide, len(w.hyperscalers), func(region, other uint32) [2]uint32 { return [2]uint32{other, region} })
	tries := maxSettleTries
	return w.settle(wide, rows, columns, &tries)
}

// maxSettleTries bounds how many combinations of what can be written for single regions are tried. The first one goes unless labels
// are too long for pairs of regions, which real regions never are.
const maxSettleTries = 200

// settle takes for each region one of what can be written for it, the first one where that can be. Where a pair of regions can
// have no entry of its own, because no label is so long, it depends on the region of the other side which one goes. A set whose
// entries are not found within the tries that are left counts as one that has none.
func (w *writer) settle(wide []choice, rows, columns [][][]choice, tries *int) ([]choice, bool) {
	if *tries--; *tries < 0 || !w.prune(wide, rows, columns) {
		return nil, false
	}
	if all, ok := w.joined(wide, rows, columns); ok {
		return all, true
	}
	open := slices.IndexFunc(rows, func(lists [][]choice) bool { return len(lists) > 1 })
	if open < 0 {
		return nil, false
	}
	for _, row := range rows[open] {
		fewer := copied(rows)
		fewer[open] = [][]choice{row}
		if all, ok := w.settle(wide, fewer, copied(columns), tries); ok {
			return all, true
		}
	}
	return nil, false
}

// copied copies what can be written for each region: prune takes out of it.
func copied(regions [][][]choice) [][][]choice {
	all := make([][][]choice, len(regions))
	for i, lists := range regions {
		all[i] = slices.Clone(lists)
	}
	return all
}

// joined joins wide entries with the first ones of each region, adds those of the pairs, and reports whether that can be done.
func (w *writer) joined(wide []choice, rows, columns [][][]choice) ([]choice, bool) {
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

// alone returns what can be written for each region of one side that names no region of the other side; at makes a request
// of the two.
func (w *writer) alone(wide []choice, regions int, at func(region, other uint32) [2]uint32) [][][]choice {
	lists := make([][][]choice, regions)
	for region := firstLiteral; region < uint32(regions); region++ {
		lacking, given := at(region, noRegion), at(region, anyRegion)
		first := product([][]choice{nil}, w.options(lacking[0], lacking[1]))
		for _, entries := range product(first, w.options(given[0], given[1])) {
			if w.rightAt(slices.Concat(wide, entries), lacking, given) {
				lists[region] = append(lists[region], entries)
			}
		}
	}
	return lists
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
