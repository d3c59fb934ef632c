package rules_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// manyTexts is n texts by a format with their number.
func manyTexts(n int, format string) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf(format, i)
	}
	return texts
}

// Whatever a source holds: the errors name the bound that it exceeds, and all that is said of it stays small. Of each source
// one part alone is too large.
func TestBoundsOfARuleSet(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	manyPlans, manyHyperscalers := rules.Plans{}, manyTexts(51, "h-%d")
	for _, name := range manyTexts(1_001, "plan-%d") {
		manyPlans[name] = []string{"aws"}
	}
	for name, tt := range map[string]struct {
		src  rules.Source
		want string // in a message; "" = no problem
	}{
		"50,000 parentheses": {rules.Source{Entries: []string{"aws" + strings.Repeat("(", 50_000)}},
			"it has 50003 characters, and an entry has 1000 at most"},
		"50,000 closed parentheses": {rules.Source{Entries: []string{"aws" + strings.Repeat(")", 50_000)}}, "an entry has 1000 at most"},
		"an arrow entry of 1 MB":    {rules.Source{Syntax: arrow, Entries: []string{"aws -> " + long}}, "an entry has 1000 at most"},
		"the longest entry":         {rules.Source{Syntax: attribute, Entries: []string{"aws" + strings.Repeat(" ", 997)}}, ""},
		"the longest entry of characters with several bytes": {
			rules.Source{Entries: []string{"aws(PR=" + strings.Repeat("ä", 992) + ")"}}, `ä…" can be no part of a label`},
		"997 parentheses": {rules.Source{Entries: []string{"aws" + strings.Repeat("(", 997)}},
			"987 more problems of this entry are not listed."},
		"as many entries":  {rules.Source{Syntax: attribute, Entries: manyTexts(5_000, "aws(PR=cf-x%d)")}, ""},
		"too many entries": {rules.Source{Entries: manyTexts(5_001, "aws(PR=cf-x%d)")}, "rules has 5001, and a rule set has 5000 at most"},
		"5,000 faulty entries": {rules.Source{Entries: manyTexts(5_000, "gpc-%d((((((")},
			"34000 more problems of the rule set are not listed"},
		"5,000 warnings": {rules.Source{Syntax: arrow, Entries: append(manyTexts(2_000, "aws(PR=cf-%d,HR=*)"), "gpc")},
			"more problems of the rule set are not listed"},
		"too many plans": {rules.Source{Entries: []string{"aws"}, Plans: manyPlans}, "plans has 1001, and a rule set has 1000 at most"},
		"too many hyperscalers": {rules.Source{Entries: []string{"aws"}, Plans: rules.Plans{"x": manyHyperscalers}},
			`plan "x" has 51, and a plan has 50 at most`},
		"a long hyperscaler": {rules.Source{Entries: []string{"aws"}, Plans: rules.Plans{"x": {long}}},
			`x…" of plan "x" can be no hyperscaler`},
		"a long plan":             {rules.Source{Entries: []string{"aws"}, Plans: rules.Plans{long: {"aws"}}}, `x…" can be no plan`},
		"a long plan taken out":   {rules.Source{Entries: []string{"aws"}, Plans: rules.Plans{long: nil}}, `x…" = null`},
		"too many required plans": {rules.Source{Entries: []string{"aws"}, RequiredPlans: manyTexts(1_001, "p-%d")}, "required_plans has 1001"},
		"a long required plan":    {rules.Source{Entries: []string{"aws"}, RequiredPlans: []string{long}}, `x…" is not in the plans table`},
		"too many EU regions": {rules.Source{Entries: []string{"aws"}, EUAccessPlatformRegions: manyTexts(1_001, "cf-%d")},
			"eu_access_platform_regions has 1001"},
		"a long EU region": {rules.Source{Entries: []string{"aws"}, EUAccessPlatformRegions: []string{long}},
			`x…" can be no platform region`},
		"too many regions": {rules.Source{Entries: []string{"aws"}, PlatformRegions: manyTexts(1_001, "cf-%d")},
			"platform_regions has 1001"},
		"many regions": {rules.Source{Syntax: arrow, Entries: []string{"aws(PR=zz)"}, PlatformRegions: manyTexts(1_000, "cf-%d")},
			`found "zz"`},
		"a long property": {rules.Source{Legacy: &rules.Legacy{SharedRule: long}},
			"it has 1048576 characters, and a property has 100000 at most"},
		"a long element": {rules.Source{Legacy: &rules.Legacy{SharedRule: long[:90_000]}},
			"it has 90000 characters, and an element has 1000 at most"},
		"many empty elements": {rules.Source{Legacy: &rules.Legacy{SharedRule: strings.Repeat(";", 90_000)}},
			"89000 more problems of this property are not listed"},
		"many unknown plans": {rules.Source{Legacy: &rules.Legacy{SharedRule: strings.Repeat("a(;", 30_000) + "aws"}},
			"29000 more problems of this property are not listed"},
		"many regions of all plans": {
			rules.Source{Legacy: &rules.Legacy{SharedRule: strings.Join(manyTexts(9_000, "*:r%d"), ";")}}, "expand to more than 50000 entries"},
		"thirty regions of all plans": {rules.Source{Legacy: &rules.Legacy{SharedRule: strings.Join(manyTexts(30, "*:cf-r%d"), ";")}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, problems := rules.Compile(tt.src)
			said := 0
			var text strings.Builder
			for _, p := range problems {
				said += len(p.Detail())
				if text.Len() < 1<<20 {
					text.WriteString(p.Detail() + "\n")
				}
			}
			if tt.want == "" && len(problems) > 0 || !strings.Contains(text.String(), tt.want) {
				t.Errorf("said %.2000s, want %q", text.String(), tt.want)
			}
			if said > 1<<20 || len(problems) > 1_000 || !utf8.ValidString(text.String()) {
				t.Errorf("%d problems say %d bytes", len(problems), said)
			}
			if (set == nil) != problems.HasErrors() {
				t.Errorf("a set: %t, errors: %t", set != nil, problems.HasErrors())
			}
		})
	}
}

// One faulty entry costs no memory to speak of. It made gigabytes once.
func TestFaultyEntryCostsNoMemory(t *testing.T) { //nolint:paralleltest // counts all that is allocated
	for _, src := range []rules.Source{
		{Entries: []string{"aws" + strings.Repeat("(", 50_000)}},
		{Syntax: arrow, Entries: []string{"aws -> " + strings.Repeat("S,", 50_000)}},
		{Legacy: &rules.Legacy{EUAccessRule: strings.Repeat("aws(;", 19_000)}},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, problems := rules.Compile(src)
		said := 0
		for _, p := range problems {
			said += len(p.Detail())
		}
		runtime.ReadMemStats(&after)
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 64<<20 || len(problems) == 0 {
			t.Errorf("%d MB for %d problems with %d bytes", allocated>>20, len(problems), said)
		}
	}
}

// A request quotes no more than a bit of what it holds either.
func TestBoundsOfARequest(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	set := compile(t, attribute, "aws(PR=*)", "gcp(CR=*)", "azure(PR=cf-eu20)")
	for _, r := range []rules.Request{
		request(long), request("aws", long), request("gcp", "", long), request("azure", long, long), request("azure", "cf-eu20", "", long),
	} {
		if _, err := set.Match(r); err == nil || len(err.Error()) > 2_000 {
			t.Errorf("%.20q: an error of %d bytes", r.Plan, len(fmt.Sprint(err)))
		}
	}
}

// A long text is cut around the place of the problem.
func TestDetailOfALongText(t *testing.T) {
	t.Parallel()
	for at := range 800 {
		entry := "aws(PR=a," + strings.Repeat(" ", at) + "zone=b," + strings.Repeat(" ", 800-at) + "CR=c)"
		_, problems := rules.Compile(rules.Source{Syntax: attribute, Entries: []string{entry}})
		if len(problems) != 1 {
			t.Fatalf("%d problems", len(problems))
		}
		lines := strings.Split(problems[0].Detail(), "\n")
		caret := strings.Index(lines[2], "^")
		shown := []rune(lines[1])
		if caret < 0 || len(shown) > 170 || !strings.HasPrefix(string(shown[caret:]), "zone=b") {
			t.Fatalf("at %d:\n%s\n%s", at, lines[1], lines[2])
		}
	}
}
