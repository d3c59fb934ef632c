package rules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/hap-project/terraform-provider-hap/internal/words"
)

// inexpressible makes the problem of a plan that has no equal in a syntax.
func (s *Set) inexpressible(p *plan, to *syntax) Problem {
	e, why := s.whyNot(p, s.atFault(p, to), to)
	problem := Problem{Kind: KindInexpressible, Severity: SeverityError, Field: "rules", Entries: []int{e.Number}, Text: e.Text}
	name := e.String()
	if el, found := s.elementOf(e); found {
		problem.Field, problem.Entries, problem.Column, problem.Text = "legacy."+legacyNames[el.property], nil, el.column, s.legacy[el.property]
		name = fmt.Sprintf("%q of %s, which makes the entry %q", el.text, legacyNames[el.property], e.Text)
	}
	problem.Message = fmt.Sprintf("No equal in %s syntax for %s: %s %s", to.name, name, why, remedyFor(e, to))
	return problem
}

// remedyFor says what to do where an entry has no equal.
func remedyFor(e *Entry, to *syntax) string {
	if e.legacy {
		return fmt.Sprintf("Convert to syntax %q, which can say all that the properties can.", brokerSyntax)
	}
	remedy := fmt.Sprintf("Keep %s syntax, or change the entry", e.syntax.name)
	if to.name == brokerSyntax {
		remedy += "; the rule file of the set is in the broker's syntax all the same"
	}
	return remedy + "."
}

// atFault returns an entry of a plan without which the others that it is not taken from have an equal, and with which they have
// none. Entries of which that is likely are taken away first: those that grant no EU access, and the narrow ones.
func (s *Set) atFault(p *plan, to *syntax) *Entry {
	order := slices.Clone(p.index.entries)
	grants := func(e *Entry) int { return min(1, len(e.EUAccess)) }
	slices.SortStableFunc(order, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(grants(a), grants(b)), cmp.Compare(b.priority, a.priority), cmp.Compare(b.Number, a.Number))
	})
	without := sort.Search(len(order), func(n int) bool {
		var rest index
		for _, e := range order[n:] {
			clone := *e // the index writes its numbers into it
			rest.add(&clone)
		}
		_, found := s.write(&rest, p, to)
		return found
	})
	return order[max(0, without-1)]
}

// elementOf returns, in a set of legacy properties, the first element that makes the entry: one of its regions, else one of all.
func (s *Set) elementOf(e *Entry) (legacyElement, bool) {
	for _, inRegion := range []bool{true, false} {
		i := slices.IndexFunc(s.elements, func(el legacyElement) bool {
			named := el.region != "" && (el.region == string(e.PlatformRegion) || el.region == string(e.HyperscalerRegion))
			return el.concerns(e.plan) && named == inRegion && (inRegion || el.region == "")
		})
		if i >= 0 {
			return s.elements[i], true
		}
	}
	return legacyElement{}, false
}

// attempt is the nearest that a syntax has for an entry of the set.
type attempt struct {
	choice
	of *Entry
}

// attempts returns the entries of a syntax that come nearest to those of a plan: the same matchers, the same labels.
func (s *Set) attempts(p *plan, g grid, to *syntax) []attempt {
	var all []attempt
	add := func(e *Entry, c choice) {
		for _, side := range [...]struct {
			region *uint32
			label  labels
		}{{&c.platform, withPlatform}, {&c.hyperscaler, withCluster}} {
			if !to.suffixes.allows(*side.region, c.labels&side.label != 0) {
				*side.region, c.labels = max(*side.region, anyRegion), c.labels|side.label
			}
		}
		all = append(all, attempt{c, e})
	}
	for _, e := range p.index.entries {
		if e.EUAccess != EUAccessOnRequest || to.onRequest {
			add(e, choice{e.platform, e.hyperscaler, e.labels(false), e.EUAccess == EUAccessOnRequest})
			continue
		}
		for region := firstLiteral; region < uint32(len(g.platforms)); region++ {
			if g.access[region] && e.platform < firstLiteral && p.index.at(g, region, e.hyperscaler) == e {
				add(e, choice{region, e.hyperscaler, e.labels(true), false})
			}
		}
		add(e, choice{e.platform, e.hyperscaler, e.labels(g.access[e.platform]), false})
	}
	return all
}

// whyNot shows what goes wrong with the nearest entries that a syntax has: a request that they do not answer as the set does, and
// the entry of the set that does. It is a request of the suspect, if there is one.
func (s *Set) whyNot(p *plan, suspect *Entry, to *syntax) (e *Entry, why string) {
	w := newWriter(s.grid(&p.index), p, to)
	g, tries := w.grid, s.attempts(p, w.grid, to)
	for platform := range uint32(len(g.platforms)) {
		for hyperscaler := range uint32(len(g.hyperscalers)) {
			winner := p.index.at(g, platform, hyperscaler)
			if winner == nil || winner != suspect && why != "" {
				continue
			}
			if found := s.differs(winner, w, tries, platform, hyperscaler); found != "" {
				e, why = winner, found
			}
			if e == suspect && why != "" {
				return e, why
			}
		}
	}
	if why == "" { // the nearest entries would do, but for the length of a label
		return suspect, "the hyperscaler type of an entry that is needed is too long for a label."
	}
	return e, why
}

// at returns the entry that applies to a request of the grid, or nil.
func (ix *index) at(g grid, platform, hyperscaler uint32) *Entry {
	return ix.best(ix.numbers(g.platforms[platform], g.hyperscalers[hyperscaler]))
}

// differs compares the entry with the tries at one request that it wins; empty where they agree.
func (s *Set) differs(e *Entry, w *writer, tries []attempt, p, h uint32) string {
	g, to := w.grid, w.syntax
	var best []attempt
	for _, t := range tries {
		switch {
		case !t.matches(p, h):
		case len(best) > 0 && t.priority(to) < best[0].priority(to):
		case len(best) > 0 && t.priority(to) == best[0].priority(to):
			best = append(best, t)
		default:
			best = []attempt{t}
		}
	}
	text := func(t attempt) string {
		entry := g.entry(e.plan, to, t.choice)
		return fmt.Sprintf("%q", entry.Canonical())
	}
	outside := slices.DeleteFunc(slices.Clone(platformExamples), func(region string) bool { return s.euAccessRegions[region] })
	r := e.plan.exampleRequest(g.platforms[p], g.hyperscalers[h], outside)
	want := g.pools[p][h]
	switch {
	case len(best) == 0:
		if want == noPool {
			return ""
		}
		return fmt.Sprintf("no entry would match the request (%v).", r)
	case len(best) > 1:
		unsettled := "no entry settles them"
		if g.suffixLength(p, h, want) > w.entryRoom {
			unsettled = "the hyperscaler type of an entry that settles them is too long for a label"
		}
		return fmt.Sprintf("%s and %s would both match the request (%v) with %s each, and %s.",
			text(best[0]), text(best[1]), r, words.Count(best[0].priority(to), "attribute"), unsettled)
	}
	got := w.outcome(p, h, best[0].labels)
	switch {
	case got == want:
		return ""
	case want == noPool:
		because := "the entry adds a region that it lacks"
		if e.labels(g.access[p]).without(p == noRegion, h == noRegion) != noPool {
			because = "its hyperscaler type is too long for a label"
		}
		return fmt.Sprintf("the request (%v) must fail, because %s, and %s would take it.", r, because, text(best[0]))
	case best[0].of != e:
		return fmt.Sprintf("%s would win the request (%v), because it has more attributes there.", text(best[0]), r)
	}
	why := fmt.Sprintf("%s would lead the request (%v) to %s, not to %s.",
		text(best[0]), r, g.describe(e.plan, got, p, h), g.describe(e.plan, want, p, h))
	if to.suffixes[firstLiteral] == always {
		why += fmt.Sprintf(" In %s syntax an entry adds each region that it matches to the hyperscaler type.", to.name)
		if to.onRequest && want&withEUAccess != 0 {
			why += fmt.Sprintf(" Without that, euAccess=* grants EU access in all of %s.",
				strings.Join(slices.Sorted(maps.Keys(s.euAccessRegions)), ", "))
		}
	}
	return why
}

// describe names the pool of a cell for a message.
func (g grid) describe(p *plan, l labels, platform, hyperscaler uint32) string {
	if l == noPool {
		return "an error"
	}
	e := g.entry(p, syntaxNamed(brokerSyntax), choice{platform, hyperscaler, l, false})
	text := e.HyperscalerType
	if e.Shared {
		text += " (shared)"
	}
	if e.EUAccess == EUAccessAlways {
		text += " (EU access)"
	}
	return text
}
