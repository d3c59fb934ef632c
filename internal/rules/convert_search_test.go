package rules_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// cell is a class of requests and what the properties answer: what is added to the hyperscaler, or "error".
type cell struct{ platform, hyperscaler, want string }

// cells returns the requests of one plan that can make a difference, apart from those that conversion warns of: the default
// EU access decides, and no hyperscaler region is called like a platform region.
func (s legacySpecs) cells(plan string) []cell {
	var all []cell
	for _, platform := range append([]string{"", "fresh"}, legacyRegions...) {
		for _, region := range append([]string{"", "fresh"}, legacyRegions...) {
			if strings.HasPrefix(region, "cf-") {
				continue
			}
			runsOn := legacyPlans[plan][0]
			want := s.target(rules.Request{Plan: plan, PlatformRegion: platform, HyperscalerRegion: region, Hyperscaler: runsOn})
			all = append(all, cell{platform, region, strings.TrimPrefix(want, runsOn)})
		}
	}
	return all
}

// candidate is an entry of the attribute syntax without its plan.
type candidate struct {
	platform, hyperscaler string // "" nothing, "*" any, else a region
	shared                bool
	eu                    string // "", "true", "*"
}

func (e candidate) matches(c cell) bool {
	fits := func(pattern, region string) bool {
		return pattern == "" || pattern == "*" && region != "" || pattern == region
	}
	return fits(e.platform, c.platform) && fits(e.hyperscaler, c.hyperscaler)
}

// answer returns what the entry adds to the hyperscaler, in the form of cell.want.
func (e candidate) answer(c cell) string {
	s := ""
	if e.platform != "" {
		s += "_" + c.platform
	}
	if e.hyperscaler != "" {
		s += "_" + c.hyperscaler
	}
	if e.shared {
		s += ",shared"
	}
	if e.eu == "true" || e.eu == "*" && slices.Contains(rules.DefaultEUAccessPlatformRegions(), c.platform) {
		s += ",euAccess"
	}
	return s
}

func (e candidate) attributes() int {
	n := 0
	for _, has := range []bool{e.platform != "", e.hyperscaler != "", e.shared, e.eu != ""} {
		if has {
			n++
		}
	}
	return n
}

// search looks for entries that answer all cells rightly, among all that can be written for one plan. For each pair of
// patterns, the wider ones first, it tries no entry and each one that is right somewhere; a cell is judged as soon as
// all the patterns that match it have been tried.
type search struct {
	cells   []cell
	choices [][]candidate // for each pair of patterns
	judged  [][]int       // the cells to judge after each pair
	chosen  []candidate
}

func newSearch(cells []cell) *search {
	s := &search{cells: cells}
	last := make([]int, len(cells))
	for literals := range 3 {
		for _, platform := range append([]string{"", "*"}, legacyRegions...) {
			for _, region := range append([]string{"", "*"}, legacyRegions...) {
				isLiteral := func(p string) bool { return p != "" && p != "*" }
				n := 0
				for _, p := range []string{platform, region} {
					if isLiteral(p) {
						n++
					}
				}
				if n == literals && !strings.HasPrefix(region, "cf-") {
					s.add(platform, region, last)
				}
			}
		}
	}
	s.judged = make([][]int, len(s.choices))
	for c, pair := range last {
		s.judged[pair] = append(s.judged[pair], c)
	}
	return s
}

// add adds a pair of patterns; last keeps the last pair that matches each cell.
func (s *search) add(platform, region string, last []int) {
	var useful []candidate
	pair := candidate{platform: platform, hyperscaler: region}
	for _, shared := range []bool{false, true} {
		for _, eu := range []string{"", "true", "*"} {
			e := candidate{platform, region, shared, eu}
			right := func(c cell) bool { return e.matches(c) && e.answer(c) == c.want }
			forbidden := func(c cell) bool { return e.matches(c) && c.want == "error" }
			if slices.ContainsFunc(s.cells, right) && !slices.ContainsFunc(s.cells, forbidden) {
				useful = append(useful, e)
			}
		}
	}
	for i, c := range s.cells {
		if pair.matches(c) {
			last[i] = len(s.choices)
		}
	}
	s.choices = append(s.choices, useful)
}

// found reports whether the rest of the pairs can be chosen.
func (s *search) found(pair int) bool {
	if pair == len(s.choices) {
		return true
	}
	try := func() bool {
		return !slices.ContainsFunc(s.judged[pair], func(i int) bool { return !s.right(s.cells[i]) }) && s.found(pair+1)
	}
	if try() {
		return true
	}
	for _, e := range s.choices[pair] {
		s.chosen = append(s.chosen, e)
		if try() {
			return true
		}
		s.chosen = s.chosen[:len(s.chosen)-1]
	}
	return false
}

// right reports whether one of the chosen entries wins alone and answers rightly, or none matches where that is right.
func (s *search) right(c cell) bool {
	most, got := -1, "error"
	for _, e := range s.chosen {
		if !e.matches(c) {
			continue
		}
		switch n := e.attributes(); {
		case n > most:
			most, got = n, e.answer(c)
		case n == most:
			got = "two"
		}
	}
	return got == c.want
}

// What ConvertLegacy refuses cannot be written in the attribute syntax, and the elements that it names are the reason:
// without them the rest can be converted. Plans have nothing to do with each other, so one is looked at after the other.
func TestRefusedSetsAreInexpressible(t *testing.T) {
	t.Parallel()
	refused, converted := 0, 0
	generateLegacy(t, 200, func(t *testing.T, all legacySpecs, _ rules.Legacy) {
		for plan, runsOn := range legacyPlans {
			s := all.without(func(e legacySpec) bool { return e.plan != "*" && e.plan != plan })
			l, plans := s.legacy(nil), rules.Plans{plan: runsOn}
			_, problems := rules.ConvertLegacy(l, plans)
			possible := newSearch(s.cells(plan)).found(0)
			if possible == problems.HasErrors() {
				t.Fatalf("%+v: there are entries for it: %v, but the problems are %v", l, possible, problems)
			}
			if possible {
				converted++
				continue
			}
			refused++
			for _, p := range problems {
				checkRefusal(t, p)
			}
			rest := s.without(func(e legacySpec) bool { return slices.ContainsFunc(problems, e.named) }).legacy(nil)
			if _, problems := rules.ConvertLegacy(rest, plans); problems.HasErrors() {
				t.Errorf("%+v without what was named: %+v: %v", l, rest, problems)
			}
		}
	})
	if refused < 100 || converted < 100 {
		t.Errorf("too little was tried: %d refused, %d converted", refused, converted)
	}
}

// named reports whether the problem is one of the element.
func (e legacySpec) named(p rules.Problem) bool {
	return p.Field == "legacy."+legacyFields[e.property] && strings.HasPrefix(p.Text[p.Column-1:]+";", e.text(nil)+";")
}

// checkRefusal checks that the entries of the arrow syntax that a refusal offers can be written.
func checkRefusal(t *testing.T, p rules.Problem) {
	t.Helper()
	_, offered, found := strings.Cut(p.Message, `Set syntax = "arrow" and write `)
	entries := quoted.FindAllStringSubmatch(offered, -1)
	if !found || p.Kind != rules.KindInexpressible || len(entries) == 0 {
		t.Errorf("the refusal offers nothing: %+v", p)
	}
	var texts []string
	for _, e := range entries {
		texts = append(texts, e[1])
	}
	_, problems := rules.Compile(rules.Source{Syntax: arrow, Entries: texts, Plans: legacyPlans})
	if !strings.Contains(offered, " more for plan") && len(problems) > 0 {
		t.Errorf("%s\n%v", p.Message, problems)
	}
}

var quoted = regexp.MustCompile(`"([^"]*)"`)
