package rules_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// alphabet is what a search is about: few regions, as it tries all entries that can be written. The first platform region has
// EU access.
type alphabet struct{ platforms, regions []string }

// With the second and the third one, no label is long enough for some pairs of regions. A region of one side is none of the other,
// or it could replace it in a pool.
var searchAlphabets = []alphabet{
	{[]string{"cf-eu11", "a"}, []string{"b", "c"}},
	{[]string{"cf-eu11", longest}, []string{longest[1:], "c"}},
	{[]string{longest, longA}, []string{longest[1:], longB}},
}

func (a alphabet) euAccess() []string { return a.platforms[:1] }

// cell is a request of plan gcp and what the set answers: what is added to the hyperscaler, or "error".
type cell struct{ platform, hyperscaler, want string }

// cellsOf returns the requests that can make a difference.
func (a alphabet) cellsOf(set *rules.Set) []cell {
	var all []cell
	for _, platform := range append([]string{"", "fresh"}, a.platforms...) {
		for _, region := range append([]string{"", "fresh"}, a.regions...) {
			all = append(all, cell{platform, region, strings.TrimPrefix(answer(set, request("gcp", platform, region)), "gcp")})
		}
	}
	return all
}

// candidate is an entry for plan gcp.
type candidate struct {
	platform, hyperscaler        string // "" nothing, "*" any, else a region
	addsPlatform, addsHyperscale bool
	shared                       bool
	eu                           string // "", "true", "*"
	attributes                   int
}

func (e candidate) matches(c cell) bool {
	fits := func(pattern, region string) bool {
		return pattern == "" || pattern == "*" && region != "" || pattern == region
	}
	return fits(e.platform, c.platform) && fits(e.hyperscaler, c.hyperscaler)
}

// answer returns what the entry adds to the hyperscaler, in the form of cell.want.
func (e candidate) answer(c cell, euAccess []string) string {
	s := ""
	if e.addsPlatform && c.platform == "" || e.addsHyperscale && c.hyperscaler == "" {
		return "error"
	}
	if e.addsPlatform {
		s += "_" + c.platform
	}
	if e.addsHyperscale {
		s += "_" + c.hyperscaler
	}
	if len("gcp"+s) > account.MaxLabelValueLength {
		return "error"
	}
	if e.shared {
		s += ",shared"
	}
	if e.eu == "true" || e.eu == "*" && slices.Contains(euAccess, c.platform) {
		s += ",euAccess"
	}
	return s
}

// candidates returns all entries of a syntax with these patterns that fit into a label.
func candidates(syntax rules.Syntax, platform, hyperscaler string) []candidate {
	var all []candidate
	both, access := []bool{false, true}, []string{"", "true"}
	platformSuffix, regionSuffix := both, both
	if syntax == attribute {
		access = append(access, "*")
		platformSuffix, regionSuffix = []bool{platform != ""}, []bool{hyperscaler != ""}
	}
	if platform == "*" {
		platformSuffix = []bool{true}
	}
	if hyperscaler == "*" {
		regionSuffix = []bool{true}
	}
	for _, p := range platformSuffix {
		for _, h := range regionSuffix {
			for _, shared := range both {
				for _, eu := range access {
					e := candidate{platform, hyperscaler, p, h, shared, eu, 0}
					for _, counts := range []bool{platform != "", hyperscaler != "", syntax == attribute && shared, syntax == attribute && eu != ""} {
						if counts {
							e.attributes++
						}
					}
					if len("gcp_"+platform+"_"+hyperscaler) <= account.MaxLabelValueLength || !p || !h {
						all = append(all, e)
					}
				}
			}
		}
	}
	return all
}

// search finds entries of a syntax that answer all cells rightly, among all that can be written. For each pair of patterns,
// the wider ones first, it tries no entry and each one that is right somewhere; a cell is judged as soon as all the patterns that
// match it have been tried.
type search struct {
	alphabet
	cells   []cell
	choices [][]candidate // for each pair of patterns
	judged  [][]int       // the cells to judge after each pair
	chosen  []candidate
}

func newSearch(a alphabet, syntax rules.Syntax, set *rules.Set) *search {
	cells := a.cellsOf(set)
	s := &search{alphabet: a, cells: cells}
	last := make([]int, len(cells)) // the last pair that matches each cell
	literal := func(p string) bool { return p != "" && p != "*" }
	for literals := range 3 {
		for _, platform := range append([]string{"", "*"}, a.platforms...) {
			for _, region := range append([]string{"", "*"}, a.regions...) {
				n := 0
				for _, p := range []string{platform, region} {
					if literal(p) {
						n++
					}
				}
				if n == literals {
					s.add(candidates(syntax, platform, region), last)
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

// add adds the entries of a pair of patterns.
func (s *search) add(all []candidate, last []int) {
	var useful []candidate
	for _, e := range all {
		right := func(c cell) bool { return e.matches(c) && e.answer(c, s.euAccess()) == c.want }
		if slices.ContainsFunc(s.cells, right) {
			useful = append(useful, e)
		}
	}
	for i, c := range s.cells {
		if len(all) > 0 && all[0].matches(c) {
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
		switch {
		case e.attributes > most:
			most, got = e.attributes, e.answer(c, s.euAccess())
		case e.attributes == most:
			got = "two"
		}
	}
	return got == c.want
}

// What Convert refuses cannot be written in the syntax: a search over all entries finds nothing.
func TestRefusedSetsAreInexpressible(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("random seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	refused, converted := map[rules.Syntax]int{}, map[rules.Syntax]int{}
	for range 1500 {
		syntax, a := pick(r, attribute, arrow), searchAlphabets[r.IntN(len(searchAlphabets))]
		src := rules.Source{Syntax: syntax, EUAccessPlatformRegions: a.euAccess()}
		for range 1 + r.IntN(6) {
			s := randomSpec(r, syntax)
			s.plan, s.pr = "gcp", pick(r, slices.Concat(a.platforms, []string{"", "*", "*"})...)
			s.cr = pick(r, slices.Concat(a.regions, []string{"", "*"})...)
			s.finish(r, syntax)
			src.Entries = append(src.Entries, s.text)
		}
		set, _ := rules.Compile(src)
		if set == nil {
			continue
		}
		to := map[rules.Syntax]rules.Syntax{attribute: arrow, arrow: attribute}[syntax]
		entries, problems := set.Convert(to)
		if possible := newSearch(a, to, set).found(0); possible == (problems != nil) {
			t.Fatalf("%q in %s syntax: it has an equal: %v, but it becomes %q, %v", src.Entries, to, possible, entries, problems)
		}
		if problems != nil {
			refused[to]++
		} else {
			converted[to]++
		}
	}
	t.Logf("converted %v, refused %v", converted, refused)
	for _, to := range rules.Syntaxes() {
		if refused[to] == 0 || converted[to] < 20 {
			t.Errorf("too little was tried: converted %v, refused %v", converted, refused)
		}
	}
}
