package rules_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// generate calls check for random sets of every syntax. The random seed of a failing set is printed.
func generate(t *testing.T, sets int, check func(t *testing.T, syntax rules.Syntax, specs []spec)) {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("random seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range sets {
		syntax := pick(r, append(rules.Syntaxes(), rules.SyntaxAttribute)...)
		specs := make([]spec, 1+r.IntN(9))
		for i := range specs {
			specs[i] = randomSpec(r, syntax)
		}
		check(t, syntax, specs)
		if t.Failed() {
			t.FailNow()
		}
	}
}

func texts(specs []spec) []string {
	var all []string
	for _, s := range specs {
		all = append(all, s.text)
	}
	return all
}

// relevant returns the problems that naiveProblems finds, in its form.
func relevant(problems rules.Problems) []string {
	var found []string
	for _, p := range problems {
		switch p.Kind {
		case rules.KindShadowed:
			found = append(found, fmt.Sprintf("shadowed %v", p.Entries[:1]))
		case rules.KindParse:
			if p.Severity == rules.SeverityError {
				found = append(found, "unexpected: "+p.Detail())
			}
		default:
			found = append(found, fmt.Sprintf("%s %v", p.Kind, p.Entries))
		}
	}
	slices.Sort(found)
	return found
}

func TestProblemsAgreeWithNaiveCheck(t *testing.T) {
	t.Parallel()
	all := requests()
	seen := map[rules.Kind]int{}
	generate(t, 2000, func(t *testing.T, syntax rules.Syntax, specs []spec) {
		_, problems := rules.Compile(rules.Source{Syntax: syntax, Entries: texts(specs)})
		if got, want := relevant(problems), naiveProblems(specs, all); !slices.Equal(got, want) {
			t.Errorf("%s %q:\ngot  %q\nwant %q", syntax, texts(specs), got, want)
		}
		for _, p := range problems {
			seen[p.Kind]++
			if p.Kind != rules.KindShadowed {
				continue
			}
			if s, by := specs[p.Entries[0]-1], specs[p.Entries[1]-1]; !by.settles(s, s, all) {
				t.Errorf("%q is not shadowed by %q alone", s.text, by.text)
			}
		}
	})
	for _, kind := range []rules.Kind{rules.KindDuplicate, rules.KindAmbiguous, rules.KindShadowed} {
		if seen[kind] < 100 {
			t.Errorf("the generated sets have %d problems of kind %s, too few to prove anything", seen[kind], kind)
		}
	}
}

// Every set that compiles has one winner at most for any request, and Match finds it.
func TestMatchAgreesWithNaiveMatcher(t *testing.T) {
	t.Parallel()
	all := requests()
	compiled, entries, matched, missed := 0, 0, 0, 0
	generate(t, 1500, func(t *testing.T, syntax rules.Syntax, specs []spec) {
		// drop what is wrong until the set compiles
		var set *rules.Set
		for {
			var problems rules.Problems
			if set, problems = rules.Compile(rules.Source{Syntax: syntax, Entries: texts(specs)}); set != nil {
				break
			}
			i := slices.IndexFunc(problems, func(p rules.Problem) bool { return p.Severity == rules.SeverityError })
			specs = slices.Delete(specs, problems[i].Entries[0]-1, problems[i].Entries[0])
		}
		compiled++
		entries += len(specs)
		for _, r := range all {
			best := winners(specs, r)
			if len(best) > 1 {
				t.Errorf("%s %q compiles, but %v has the winners %v", syntax, texts(specs), r, best)
				return
			}
			want := "error"
			if len(best) == 1 {
				want = specs[best[0]].target(r)
			}
			got := "error"
			if m, err := set.Match(r); err == nil {
				got = m.Target().String()
				if m.Entry().Number != best[0]+1 {
					t.Errorf("%s %q: Match(%v) applies entry %d, want %d", syntax, texts(specs), r, m.Entry().Number, best[0]+1)
				}
				matched++
			} else {
				missed++
			}
			if got != want {
				t.Errorf("%s %q: Match(%v) = %s, want %s", syntax, texts(specs), r, got, want)
			}
		}
	})
	if compiled != 1500 || entries < 3*compiled || matched < 10*compiled || missed < 10*compiled {
		t.Errorf("too little was tried: %d sets, %d entries, %d requests matched, %d did not", compiled, entries, matched, missed)
	}
}

var (
	requestInMessage = regexp.MustCompile(`the request \(plan (\S+), (no platform region|platform region (\S+)), ` +
		`(no hyperscaler region|hyperscaler region ([^\s,)]+))\)`)
	remedyInMessage = regexp.MustCompile(`(Add|Replace entry (\d+) \(.*\) by|or replace both by) the entry ("(?:[^"\\]|\\.)*")`)
)

// remedyAccess are the EU access regions of the sets in which remedies are tried: one that the entries name, and another one.
var remedyAccess = []string{"a", "fresh-eu"}

// claims returns the requests that a claim can make: the platform region alone decides about EU access.
func claims() []rules.Request {
	var all []rules.Request
	for _, r := range requests() {
		for _, platform := range []string{r.PlatformRegion, "fresh-eu"} {
			access := slices.Contains(remedyAccess, platform)
			if *r.EUAccess == access {
				r.PlatformRegion = platform
				all = append(all, r)
			}
		}
	}
	return all
}

// The request in an ambiguity's message hits both entries. The entry that it suggests settles the pair, makes no further problem
// and leads each claim that both match to the pool with the labels of both; where it suggests none, there is none.
func TestAmbiguityMessages(t *testing.T) {
	t.Parallel()
	all := claims()
	suggested, none := map[string]int{}, 0
	generate(t, 1500, func(t *testing.T, syntax rules.Syntax, specs []spec) {
		set := ambiguousSet{syntax, specs}
		for _, p := range set.compile(texts(specs)) {
			if p.Kind != rules.KindAmbiguous {
				continue
			}
			later, earlier := p.Entries[0]-1, p.Entries[1]-1
			for _, e := range []int{later, earlier} {
				if !strings.Contains(p.Message, fmt.Sprintf("entry %d (%q)", e+1, strings.TrimSpace(specs[e].text))) {
					t.Errorf("the message does not name entry %d: %s", e+1, p.Message)
				}
			}
			found := requestInMessage.FindStringSubmatch(p.Message)
			if found == nil {
				t.Fatalf("no request in the message: %s", p.Message)
			}
			r := rules.Request{Plan: found[1], PlatformRegion: found[3], HyperscalerRegion: found[5]}
			if best := winners(specs, r); !slices.Contains(best, later) || !slices.Contains(best, earlier) {
				t.Errorf("%q: the winners of the request are %v: %s", texts(specs), best, p.Message)
			}
			remedy := remedyInMessage.FindStringSubmatch(p.Message)
			if remedy == nil {
				none++
				if text, ok := set.anySettling(later, earlier, all); ok {
					t.Errorf("%q: %s would settle it: %s", texts(specs), text, p.Message)
				}
				continue
			}
			text, err := strconv.Unquote(remedy[3])
			if err != nil {
				t.Fatal(err)
			}
			how, _, _ := strings.Cut(remedy[1], " entry")
			suggested[how]++
			place := []int{}
			switch {
			case remedy[2] != "":
				n, _ := strconv.Atoi(remedy[2])
				place = []int{n - 1}
			case how != "Add":
				place = []int{earlier, later}
			}
			if why := set.tryRemedy(later, earlier, place, text, all); why != "" {
				t.Errorf("%q: with %q: %s: %s", texts(specs), text, why, p.Message)
			}
		}
	})
	for _, how := range []string{"Add", "Replace", "or replace both by"} {
		if suggested[how] == 0 || none < 50 {
			t.Errorf("too little was tried: %v with a remedy, %d without", suggested, none)
		}
	}
}

// ambiguousSet is a set in which remedies are tried.
type ambiguousSet struct {
	syntax rules.Syntax
	specs  []spec
}

func (s ambiguousSet) compile(entries []string) rules.Problems {
	_, problems := rules.Compile(rules.Source{Syntax: s.syntax, Entries: entries, EUAccessPlatformRegions: remedyAccess})
	return problems
}

// tryRemedy adds an entry for an ambiguous pair, or replaces entries by it, and says what is wrong then.
func (s ambiguousSet) tryRemedy(later, earlier int, replaces []int, text string, all []rules.Request) string {
	entries, at := texts(s.specs), len(s.specs)
	if len(replaces) > 0 {
		at = replaces[0]
		entries[at] = text
	} else {
		entries = append(entries, text)
	}
	pair := []int{later + 1, earlier + 1}
	if len(replaces) == 2 {
		entries[replaces[1]] = "aws" // a plan of its own keeps the numbers
	}
	for _, p := range s.compile(entries) {
		if p.Severity == rules.SeverityError && (slices.Contains(p.Entries, at+1) || slices.Equal(p.Entries, pair)) {
			return p.Message
		}
	}
	only, problems := rules.Compile(rules.Source{Syntax: s.syntax, Entries: []string{text}, EUAccessPlatformRegions: remedyAccess})
	if only == nil {
		return problems[0].Message
	}
	a, b := s.specs[later], s.specs[earlier]
	union := spec{
		hyperscaler: a.hyperscaler, addsPR: a.addsPR || b.addsPR, addsCR: a.addsCR || b.addsCR, shared: a.shared || b.shared, eu: max(a.eu, b.eu),
	}
	for _, r := range all {
		if !a.matches(r) || !b.matches(r) {
			continue
		}
		claim := r
		claim.EUAccess = nil
		if got, want := answer(only, claim), union.target(r); got != want {
			return fmt.Sprintf("%v is %s, want %s", claim, got, want)
		}
	}
	return ""
}

// anySettling searches for a remedy among all entries that can be written.
func (s ambiguousSet) anySettling(later, earlier int, all []rules.Request) (string, bool) {
	a, b := s.specs[later], s.specs[earlier]
	for _, pr := range append([]string{"", "*"}, alphabetPR[:3]...) {
		for _, cr := range append([]string{"", "*"}, alphabetCR[:3]...) {
			for _, shared := range []bool{false, true} {
				for _, eu := range []string{"", "true", "*"} {
					for output := range 4 {
						e := spec{plan: a.plan, pr: pr, cr: cr, shared: shared, eu: eu, outPR: output&1 != 0, outCR: output&2 != 0}
						if s.syntax == rules.SyntaxArrow && eu == "*" || s.syntax == rules.SyntaxAttribute && output > 0 {
							continue
						}
						e.finish(nil, s.syntax)
						if !e.settles(a, b, all) {
							continue
						}
						places := [][]int{nil}
						for _, i := range []int{later, earlier} {
							if e.pr == s.specs[i].pr && e.cr == s.specs[i].cr {
								places = append(places, []int{i})
							}
						}
						for _, replaces := range places {
							if s.tryRemedy(later, earlier, replaces, e.text, all) == "" {
								return e.text, true
							}
						}
					}
				}
			}
		}
	}
	return "", false
}

// The ID and every answer depend on what the entries mean, not on how and in which order they are written.
func TestIDIsStable(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	equal := 0
	generate(t, 1500, func(t *testing.T, syntax rules.Syntax, specs []spec) {
		set, _ := rules.Compile(rules.Source{Syntax: syntax, Entries: texts(specs)})
		if set == nil {
			return
		}
		var canonical []string
		for _, e := range set.Entries() {
			canonical = append(canonical, e.Canonical())
		}
		for i := range specs {
			specs[i].finish(r, syntax)
		}
		r.Shuffle(len(specs), func(i, j int) { specs[i], specs[j] = specs[j], specs[i] })
		for _, other := range [][]string{texts(specs), canonical} {
			again, problems := rules.Compile(rules.Source{Syntax: syntax, Entries: other})
			if again == nil || again.ID() != set.ID() {
				t.Errorf("%s: %q and %q differ: %v", syntax, canonical, other, problems)
			}
			equal++
		}
	})
	if equal < 300 {
		t.Errorf("only %d pairs of sets were compared", equal)
	}
}
