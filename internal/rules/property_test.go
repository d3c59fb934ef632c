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

// generate calls check for random sets of both syntaxes. The seed of a failing set is printed.
func generate(t *testing.T, sets int, check func(t *testing.T, syntax rules.Syntax, specs []spec)) {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range sets {
		syntax := pick(r, rules.SyntaxAttribute, rules.SyntaxAttribute, rules.SyntaxArrow)
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
	requestInMessage = regexp.MustCompile(`the request \(plan (\S+), (no platform region|platform region (\S+)), (no hyperscaler region|hyperscaler region ([^\s,)]+))\)`)
	remedyInMessage  = regexp.MustCompile(`(?:Add|replace both by) the entry ("(?:[^"\\]|\\.)*")`)
)

// The request in an ambiguity's message hits both entries, and the entry that it suggests settles the pair; where it
// suggests none, there is none.
func TestAmbiguityMessages(t *testing.T) {
	t.Parallel()
	all := requests()
	suggested, none := 0, 0
	generate(t, 1500, func(t *testing.T, syntax rules.Syntax, specs []spec) {
		_, problems := rules.Compile(rules.Source{Syntax: syntax, Entries: texts(specs)})
		for _, p := range problems {
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
				if s, ok := anySettling(specs[later], specs[earlier], syntax, all); ok {
					t.Errorf("%q would settle it: %s", s.text, p.Message)
				}
				continue
			}
			suggested++
			text, err := strconv.Unquote(remedy[1])
			if err != nil {
				t.Fatal(err)
			}
			_, after := rules.Compile(rules.Source{Syntax: syntax, Entries: append(texts(specs), text)})
			for _, q := range after {
				if q.Kind == rules.KindAmbiguous && slices.Equal(q.Entries, p.Entries) ||
					slices.Contains(q.Entries, len(specs)+1) && q.Severity == rules.SeverityError && q.Kind != rules.KindAmbiguous {
					t.Errorf("%q, with %q added: %s", texts(specs), text, q.Detail())
				}
			}
		}
	})
	if suggested < 500 || none < 50 {
		t.Errorf("too little was tried: %d with a remedy, %d without", suggested, none)
	}
}

// anySettling looks for an entry that settles a pair among all that can be written.
func anySettling(a, b spec, syntax rules.Syntax, all []rules.Request) (spec, bool) {
	for _, pr := range append([]string{"", "*"}, alphabetPR[:3]...) {
		for _, cr := range append([]string{"", "*"}, alphabetCR[:3]...) {
			for _, shared := range []bool{false, true} {
				for _, eu := range []string{"", "true"} {
					s := spec{plan: a.plan, pr: pr, cr: cr, shared: shared, eu: eu}
					s.finish(nil, syntax)
					if s.settles(a, b, all) {
						return s, true
					}
				}
			}
		}
	}
	return spec{}, false
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
