package rules_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// The corpora are in testdata/fuzz.

// FuzzParseAttribute reads one entry of the attribute syntax.
func FuzzParseAttribute(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) { fuzzEntry(t, attribute, text) })
}

// FuzzParseArrow reads one entry of the arrow syntax. KEB agrees, apart from the known differences.
func FuzzParseArrow(f *testing.F) {
	all := kebRequests()
	f.Fuzz(func(t *testing.T, text string) {
		fuzzEntry(t, arrow, text)
		if knownDifference(text) != "" {
			return
		}
		keb := kebLoad([]string{text}, kebPlans)
		_, problems := rules.Compile(rules.Source{Syntax: arrow, Entries: []string{text}, Plans: kebPlans})
		switch {
		case (keb.verdict == "valid") == problems.HasErrors():
			t.Errorf("%q: for KEB it is %s: %v", text, keb.verdict, problems)
		case keb.verdict == "valid":
			compareWithKEB(t, []string{text}, all)
		}
	})
}

// fuzzEntry checks that there is no panic, that the column of every problem is within the text, and that the normal form of a valid
// entry means the same as the entry.
func fuzzEntry(t *testing.T, syntax rules.Syntax, text string) {
	t.Helper()
	set, problems := rules.Compile(rules.Source{Syntax: syntax, Entries: []string{text}})
	for _, p := range problems {
		if p.Column < 1 || p.Column > utf8.RuneCountInString(text)+1 || p.Entries[0] != 1 || p.Message == "" {
			t.Errorf("Compile(%q) reports %+v", text, p)
		}
		checkLines(t, p)
	}
	if set == nil {
		if !problems.HasErrors() {
			t.Errorf("Compile(%q) gives neither a set nor an error", text)
		}
		return
	}
	canonical := set.Entries()[0].Canonical()
	again, problems := rules.Compile(rules.Source{Syntax: syntax, Entries: []string{canonical}})
	if again == nil {
		t.Fatalf("the normal form %q of %q: %v", canonical, text, problems)
	}
	if got := again.Entries()[0].Canonical(); got != canonical || again.ID() != set.ID() {
		t.Errorf("the normal form %q of %q has the normal form %q", canonical, text, got)
	}
}

// checkLines checks that a problem is shown on the lines that it should have.
func checkLines(t *testing.T, p rules.Problem) {
	t.Helper()
	if lines := strings.Split(p.Detail(), "\n"); len(lines) < 3 || len(lines) > 4 {
		t.Errorf("%+v has %d lines: %q", p, len(lines), p.Detail())
	}
}

// FuzzParseLegacy reads legacy properties: no panic, every problem within its text, and a valid set is equal to the set of
// its entries, which is what it becomes in the arrow syntax and what the broker reads, and to what it becomes in the attribute
// syntax, if it can be converted.
func FuzzParseLegacy(f *testing.F) {
	f.Fuzz(func(t *testing.T, platform, cluster, shared, euAccess string) {
		if len(platform)+len(cluster)+len(shared)+len(euAccess) > 200 {
			return // each region makes entries with all others
		}
		l := rules.Legacy{PlatformRegionRule: platform, ClusterRegionRule: cluster, SharedRule: shared, EUAccessRule: euAccess}
		set, problems := rules.Compile(rules.Source{Legacy: &l})
		for _, p := range problems {
			if p.Severity != rules.SeverityError && p.Kind != rules.KindEUAccess || p.Column < 1 || p.Column > utf8.RuneCountInString(p.Text)+1 ||
				p.Entries != nil {
				t.Errorf("Compile(%+v) reports %+v", l, p)
			}
			checkLines(t, p)
		}
		if set == nil {
			return
		}
		again := checkSet(t, rules.Source{Syntax: arrow, Entries: textsOf(set)})
		if again.ID() != set.ID() {
			t.Errorf("%+v and %q differ", l, textsOf(set))
		}
		if file := ruleFileEntries(t, set.RuleFile()); !slices.Equal(file, textsOf(set)) {
			t.Errorf("%+v has the rule file %q, want %q", l, file, textsOf(set))
		}
		checkConversion(t, set)
	})
}

// checkConversion checks that the set answers every request over its own alphabet as it does after conversion to either syntax,
// and that the broker, which knows both regions, answers so with its rule file.
func checkConversion(t *testing.T, set *rules.Set) {
	t.Helper()
	for _, to := range rules.Syntaxes() {
		entries, problems := set.Convert(to)
		if problems != nil {
			continue
		}
		converted, problems := rules.Compile(rules.Source{Syntax: to, Entries: entries})
		if converted == nil {
			t.Fatalf("%q becomes %q: %v", textsOf(set), entries, problems)
		}
		for _, r := range alphabetOf(set, converted) {
			if got, want := answer(converted, r), answer(set, r); r.EUAccess == nil && got != want {
				t.Fatalf("%q becomes %q: %v is %s, want %s", textsOf(set), entries, r, got, want)
			}
		}
	}
	entries := ruleFileEntries(t, set.RuleFile())
	keb := kebLoad(entries, rules.DefaultPlans())
	if keb.verdict != "valid" {
		t.Fatalf("%q has the rule file %q, which is %s", textsOf(set), entries, keb.verdict)
	}
	for _, r := range alphabetOf(set) {
		if r.PlatformRegion == "" || r.HyperscalerRegion == "" || r.EUAccess != nil {
			continue
		}
		got, want := brokerAnswer(keb, r), answer(set, r)
		if hyperscalerType, _, _ := strings.Cut(got, ","); account.CheckLabelValue(hyperscalerType) != nil {
			got = "error" // no account can have it
		}
		if got != want {
			t.Fatalf("%q has the rule file %q: the broker leads %v to %s, want %s", textsOf(set), entries, r, got, want)
		}
	}
}

func textsOf(set *rules.Set) []string {
	var texts []string
	for _, e := range set.Entries() {
		texts = append(texts, e.Text)
	}
	return texts
}

// checkSet returns the set of a source that has no problems.
func checkSet(t *testing.T, src rules.Source) *rules.Set {
	t.Helper()
	set, problems := rules.Compile(src)
	if set == nil || len(butEUAccess(problems)) > 0 {
		t.Fatalf("%+v: %v", src, problems)
	}
	return set
}

// FuzzRuleSet reads the lines of a text as a set: one that is valid never has two winners for any request over its own
// alphabet, and Match finds the winner; its rule file and what it is converted to answer alike.
func FuzzRuleSet(f *testing.F) {
	f.Fuzz(func(t *testing.T, arrows bool, text string) {
		src := rules.Source{Entries: strings.Split(text, "\n")}
		if arrows {
			src.Syntax = arrow
		}
		if len(src.Entries) > 12 {
			return // the alphabet grows with the square
		}
		set, problems := rules.Compile(src)
		if set == nil {
			return
		}
		for _, r := range alphabetOf(set) {
			best := winnersOf(set.Entries(), arrows, r)
			m, err := set.Match(r)
			switch {
			case len(best) > 1:
				t.Fatalf("%q validates (%v), but %v has the winners %v", src.Entries, problems, r, best)
			case len(best) == 0 && err == nil:
				t.Fatalf("%q: Match(%v) = %v, but no entry matches", src.Entries, r, m.Entry())
			case len(best) == 1 && err == nil && (m.Entry().Number != best[0].Number || m.Target().String() != targetOf(best[0], r)):
				t.Fatalf("%q: Match(%v) = %v, %v; want %v, %s", src.Entries, r, m.Entry(), m.Target(), &best[0], targetOf(best[0], r))
			case len(best) == 1 && err != nil && targetOf(best[0], r) != "error":
				t.Fatalf("%q: Match(%v): %v; want %s", src.Entries, r, err, targetOf(best[0], r))
			}
		}
		checkConversion(t, set)
	})
}

// alphabetOf returns every request that can make a difference for the entries of sets: their plans and regions, regions
// that no entry names and none, EU access or not.
func alphabetOf(sets ...*rules.Set) []rules.Request {
	var plans []string
	platforms, regions := []string{"", "fresh", "cf-eu11", "cf-ch20"}, []string{"", "fresh"}
	for _, set := range sets {
		for _, e := range set.Entries() {
			plans = append(plans, e.Plan)
			platforms = append(platforms, string(e.PlatformRegion))
			regions = append(regions, string(e.HyperscalerRegion))
		}
	}
	yes, no := true, false
	var all []rules.Request
	for _, plan := range unique(plans) {
		for _, platform := range unique(platforms) {
			for _, region := range unique(regions) {
				for _, access := range []*bool{nil, &yes, &no} {
					all = append(all, rules.Request{Plan: plan, PlatformRegion: platform, HyperscalerRegion: region,
						Hyperscaler: rules.DefaultPlans()[plan][0], EUAccess: access})
				}
			}
		}
	}
	return all
}

func unique(values []string) []string { return slices.Compact(slices.Sorted(slices.Values(values))) }
