package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// ID returns a hash of what the set means: 32 hexadecimal digits, the same for sets that answer every request alike
// because they differ only in blanks, order, other names or written-out defaults. Required plans do not count.
func (s *Set) ID() string {
	h := sha256.New()
	write(h, "hap rule set, version 1", string(s.syntax.name))
	canonical := make([]string, len(s.entries))
	for i := range s.entries {
		canonical[i] = s.entries[i].Canonical()
	}
	slices.Sort(canonical)
	write(h, canonical...)
	for _, name := range s.plans.names {
		write(h, append([]string{name}, slices.Sorted(slices.Values(s.plans.byName[name].hyperscalers))...)...)
	}
	write(h, slices.Sorted(maps.Keys(s.euAccessRegions))...)
	if s.platformRegions != nil { // a set without them keeps the ID that it has in the states of earlier versions
		write(h, slices.Sorted(maps.Keys(s.platformRegions))...)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// write adds a list to a hash, with its length, so that no two sequences of lists have the same hash.
func write(h hash.Hash, values ...string) {
	fmt.Fprintln(h, len(values))
	for _, v := range values {
		fmt.Fprintf(h, "%q\n", v)
	}
}

// RuleFile returns the set as the broker (KEB) reads it: a YAML document with the key rule (ADR 002), in
// the broker's own syntax. Every request that the broker can get, one with both regions, has the pool that the set has for
// it, or none where the set has none; but not one for a plan of [Set.OwnPlans], nor one in a platform region that the set does not
// have: the broker knows no list of them.
//
// Entries of the broker's syntax are kept as they were written, in their order. A plan with other entries, or with a *, which the
// broker does not know, has the entries of [grid.table] in the place of its first entry.
func (s *Set) RuleFile() string {
	broker := syntaxNamed(brokerSyntax)
	texts := s.rewrite((*plan).readByBroker, (*Entry).brokerText, func(p *plan) (texts []string) {
		g := s.grid(&p.index)
		for _, c := range g.table() {
			row := g.entry(p, broker, c) // where no label can be so long, the broker finds no account either
			texts = append(texts, row.Canonical())
		}
		return texts
	})
	var b strings.Builder
	b.WriteString("rule:\n")
	for _, text := range texts {
		// Quoted: YAML would read an entry that is a plan named "null" or "on" as something else. The escapes are YAML's, too.
		b.WriteString("  - " + strconv.QuoteToASCII(text) + "\n")
	}
	return b.String()
}

// HelmValues returns the rule file below the key hap, as the Helm chart of the broker takes it.
func (s *Set) HelmValues() string {
	var b strings.Builder
	b.WriteString("hap:\n")
	for line := range strings.Lines(s.RuleFile()) {
		b.WriteString("  " + line)
	}
	return b.String()
}

// rewrite returns the entries of the set in their order: those of a plan that is kept one by one, those of any other plan
// anew, in the place of its first entry.
func (s *Set) rewrite(keep func(*plan) bool, text func(*Entry) string, anew func(*plan) []string) (texts []string) {
	keeps := make(map[*plan]bool)
	for i := range s.entries {
		e := &s.entries[i]
		kept, known := keeps[e.plan]
		if !known {
			kept = keep(e.plan)
			keeps[e.plan] = kept
		}
		switch {
		case kept:
			texts = append(texts, text(e))
		case !known:
			texts = append(texts, anew(e.plan)...)
		}
	}
	return texts
}

// readByBroker reports whether the broker gives the entries of the plan the meaning that they have here.
func (p *plan) readByBroker() bool {
	return !slices.ContainsFunc(p.index.entries, func(e *Entry) bool {
		return e.syntax.name != brokerSyntax || e.PlatformRegion == PatternAny || e.HyperscalerRegion == PatternAny
	})
}

// brokerText returns the text of an entry of the arrow syntax. Where the broker would stumble over how it is written (it has no
// aliases, no "()", and drops no other blanks than these five), it is the normal form.
func (e *Entry) brokerText() string {
	text := strings.TrimSpace(e.Text)
	compact := strings.Map(func(c rune) rune {
		if strings.ContainsRune(brokerBlanks, c) {
			return -1
		}
		return c
	}, text)
	if lex(text, nil)[0].text != e.Plan || strings.Contains(compact, "()") || strings.ContainsFunc(compact, unicode.IsSpace) {
		return e.Canonical()
	}
	return text
}

// table returns the fewest entries of literals alone that give every request with both regions its pool, in this order: the
// general one, one for each platform region, one for each hyperscaler region, and one for each pair; regions in the order in
// which the set names them, then the EU access regions by name.
//
// An entry of the table covers the regions that it names, and any other ones. It is left out where the next wider entry leads to the
// same pool, but a platform region and a hyperscaler region that both have an entry need one for their pair: the broker takes
// them for ambiguous otherwise.
//
// Where the set has no pool, no entry matches: an entry of the set that matches any other region matches each region, so
// wherever the table has a wider entry, every request that it matches has a pool.
func (g grid) table() []choice {
	const other = anyRegion // how the grid lists a request in any other region
	at := func(platform, hyperscaler uint32) choice {
		c := choice{platform, hyperscaler, g.pools[platform][hyperscaler], false}
		if platform == other {
			c.platform = noRegion // so an entry matches any other region
		}
		if hyperscaler == other {
			c.hyperscaler = noRegion
		}
		return c
	}
	var wide, pairs []choice
	base := g.pools[other][other]
	if base != noPool {
		wide = append(wide, at(other, other))
	}
	rows, columns := make([]bool, len(g.platforms)), make([]bool, len(g.hyperscalers))
	for p := firstLiteral; p < uint32(len(rows)); p++ {
		if rows[p] = g.pools[p][other] != base; rows[p] {
			wide = append(wide, at(p, other))
		}
	}
	for h := firstLiteral; h < uint32(len(columns)); h++ {
		if columns[h] = g.pools[other][h] != base; columns[h] {
			wide = append(wide, at(other, h))
		}
	}
	for p := firstLiteral; p < uint32(len(rows)); p++ {
		for h := firstLiteral; h < uint32(len(columns)); h++ {
			wider := g.pools[p][other]
			if columns[h] {
				wider = g.pools[other][h]
			}
			if rows[p] && columns[h] || g.pools[p][h] != wider {
				pairs = append(pairs, at(p, h))
			}
		}
	}
	return append(wide, pairs...)
}
