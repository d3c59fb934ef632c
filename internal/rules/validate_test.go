package rules_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// short returns what the tests compare of a problem: "parse [1] 8 Empty value", with "warning" in front of a warning.
func short(p rules.Problem) string {
	message, _, _ := strings.Cut(p.Message, ":")
	s := fmt.Sprintf("%s %v %d %s", p.Kind, p.Entries, p.Column, message)
	if p.Severity == rules.SeverityWarning {
		s = "warning " + s
	}
	return s
}

func shorts(problems rules.Problems) []string {
	var all []string
	for _, p := range problems {
		all = append(all, short(p))
	}
	return all
}

// checkProblems compiles a source and compares all its problems, in order.
func checkProblems(t *testing.T, src rules.Source, want ...string) rules.Problems {
	t.Helper()
	set, problems := rules.Compile(src)
	if got := shorts(problems); !slices.Equal(got, want) {
		t.Errorf("Compile(%q) reports\n  %s\nwant\n  %s", src.Entries, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
	if (set == nil) != problems.HasErrors() {
		t.Errorf("Compile(%q): set is nil: %v, but there are errors: %v", src.Entries, set == nil, problems.HasErrors())
	}
	return problems
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		syntax rules.Syntax
		text   string
		want   []string // without the kind and the entry
	}{
		{attribute, "", []string{"1 Empty entry"}},
		{attribute, "  \t", []string{"1 Empty entry"}},
		{attribute, "()", []string{"1 No plan"}},
		{attribute, "(PR=)", []string{"1 No plan", "5 Empty value"}},
		{attribute, "*(PR=a)", []string{"1 Invalid plan"}},
		{attribute, "*", []string{"1 Invalid plan"}},
		{attribute, "gcp:cf-sa30", []string{"1 Legacy form"}},
		{attribute, "*:cf-eu11;trial", []string{"1 Legacy form"}},
		{attribute, "gcp, aws", []string{"4 Several plans"}},
		{attribute, "gcp PR=a", []string{`5 Missing "("`}},
		{attribute, "gcp PR=a)", []string{`5 Missing "("`}},
		{attribute, "gcp)", []string{`4 Missing "("`}},
		{attribute, "gcp(", []string{`5 Missing ")"`}},
		{attribute, "gcp(PR=a", []string{`9 Missing ")"`}},
		{attribute, "gcp(PR=a,  ", []string{`10 Missing ")"`}},
		{attribute, "gcp((PR=a)", []string{`5 Second "("`}},
		{attribute, "gcp(()", []string{`5 Second "("`}},
		{attribute, "gcp(PR=(a)", []string{`8 Second "("`}},
		{attribute, "gcp(PR(a)", []string{`7 Second "("`}},
		{attribute, "gcp(PR=a)(CR=b)", []string{`10 Second "("`}},
		{attribute, "gcp(PR=a))", []string{`10 Second ")"`}},
		{attribute, "gcp(PR=a) CR", []string{`11 Text after ")"`}},
		{attribute, "gcp(PR=a),", []string{`10 Text after ")"`}},
		{attribute, "gcp(zone=a)", []string{"5 Unknown attribute"}},
		{attribute, "gcp(pr=a)", []string{"5 Unknown attribute"}},
		{attribute, "gcp(S)", []string{"5 Unknown attribute"}},
		{attribute, "gcp(PR=a,PR=b)", []string{"10 Attribute twice"}},
		{attribute, "gcp(CR=a,HR=a)", []string{"10 Attribute twice"}},
		{attribute, "gcp(platformRegion,shared,PR)", []string{"27 Attribute twice"}},
		{attribute, "gcp(shared,shared=true)", []string{"12 Attribute twice"}},
		{attribute, "gcp(PR=)", []string{"8 Empty value"}},
		{attribute, "gcp(PR=,CR)", []string{"8 Empty value"}},
		{attribute, "gcp(euAccess= )", []string{"15 Empty value"}},
		{attribute, "gcp(PR==a)", []string{`8 Second "="`}},
		{attribute, "gcp(PR=a=b)", []string{`9 Second "="`}},
		{attribute, "gcp(=a)", []string{"5 No attribute"}},
		{attribute, "gcp(PR=cf sa30)", []string{"11 Missing comma"}},
		{attribute, "gcp(PR shared)", []string{"8 Missing comma"}},
		{attribute, "gcp(shared=false)", []string{"12 Invalid value"}},
		{attribute, "gcp(shared=*)", []string{"12 Invalid value"}},
		{attribute, "gcp(euAccess=false)", []string{"14 Invalid value"}},
		{attribute, "gcp(euAccess=TRUE)", []string{"14 Invalid value"}},
		{attribute, "gcp(PR=a,)", []string{"9 Trailing comma"}},
		{attribute, "gcp(,PR=a)", []string{"5 Empty attribute"}},
		{attribute, "gcp(,)", []string{"5 Empty attribute"}},
		{attribute, "gcp(PR=a,,CR=b)", []string{"10 Empty attribute"}},
		{attribute, "gcp(PR=cf-*)", []string{"8 Invalid region"}},
		{attribute, "gcp(PR=**)", []string{"8 Invalid region"}},
		{attribute, "gcp(PR=ä)", []string{"8 Invalid region"}},
		{attribute, "gcp(CR=é, PR=-a)", []string{"8 Invalid region", "14 Invalid region"}},
		{attribute, "gcp(PR=" + strings.Repeat("a", 64) + ")", []string{"8 Invalid region"}},
		{attribute, "gcp(PR=" + strings.Repeat("a", 60) + ")", []string{"8 Region too long"}},
		{attribute, "gcp(CR,PR=" + strings.Repeat("a", 58) + ")", []string{"11 Region too long"}},
		{attribute, "gcp(PR=" + strings.Repeat("a", 20) + ",CR=" + strings.Repeat("b", 39) + ")", []string{"32 Region too long"}},
		{attribute, "trial(PR=" + strings.Repeat("a", 58) + ")", []string{"10 Region too long"}},
		{attribute, "gcp -> S", []string{"5 Arrow in attribute syntax"}},
		{attribute, "aws(PR=cf-eu11) -> EU", []string{"17 Arrow in attribute syntax"}},
		{attribute, "gcp(PR=a -> S", []string{`10 Missing ")"`, "10 Arrow in attribute syntax"}},
		{attribute, "-> S", []string{"1 No plan", "1 Arrow in attribute syntax"}},
		{attribute, "gcp(PR=, foo, CR=a, HR=b, shared=false", []string{
			"8 Empty value", "10 Unknown attribute", "21 Attribute twice", "34 Invalid value", `39 Missing ")"`,
		}},
		{arrow, " ", []string{"1 Empty entry"}},
		{arrow, "-> S", []string{"1 No plan"}},
		{arrow, "gcp:cf-sa30", []string{"1 Legacy form"}},
		{arrow, "aws ->", []string{`7 Nothing after "->"`}},
		{arrow, "aws -> ", []string{`7 Nothing after "->"`}},
		{arrow, "aws -> S -> EU", []string{`10 Second "->"`}},
		{arrow, "aws -> -> EU", []string{`8 Second "->"`}},
		{arrow, "aws -> S,", []string{"9 Trailing comma"}},
		{arrow, "aws -> ,S", []string{"8 Empty label"}},
		{arrow, "aws -> S,,EU", []string{"10 Empty label"}},
		{arrow, "aws -> S, S", []string{"11 Label twice"}},
		{arrow, "aws -> S EU", []string{"10 Missing comma"}},
		{arrow, "aws -> S=true", []string{"9 Value of a label"}},
		{arrow, "aws -> PR=a, X", []string{"10 Value of a label", "14 Unknown label"}},
		{arrow, "aws -> (PR=a)", []string{`8 Unexpected "("`}},
		{arrow, "aws -> S)", []string{`9 Unexpected ")"`}},
		{arrow, "aws -> shared", []string{"8 Unknown label"}},
		{arrow, "aws -> CR, eu", []string{"8 Unknown label", "12 Unknown label"}},
		{arrow, "aws S", []string{`5 Missing "->"`}},
		{arrow, "aws(PR=a) S", []string{`11 Missing "->"`}},
		{arrow, "aws foo", []string{`5 Missing "("`}},
		{arrow, "aws(PR=a) = S", []string{`11 Text after ")"`}},
		{arrow, "aws(PR=a*)", []string{"8 Invalid region"}},
		{arrow, "aws PR=a", []string{`5 Missing "("`}},
		{arrow, "aws(PR)", []string{"5 No value"}},
		{arrow, "aws(PR=)", []string{"8 Empty value"}},
		{arrow, "aws(PR=a,PR=a)", []string{"10 Attribute twice"}},
		{arrow, "aws(CR=a)", []string{"5 Unknown attribute"}},
		{arrow, "aws(shared)", []string{"5 Unknown attribute"}},
		{arrow, "aws(PR=a -> S", []string{`10 Missing ")"`}},
		{arrow, "aws(PR=a", []string{`9 Missing ")"`}},
		{arrow, "aws(HR=a/b) -> S", []string{"8 Invalid region"}},
		{arrow, "gcp(PR=" + strings.Repeat("a", 60) + ") -> PR", []string{"8 Region too long"}},
	}
	for _, tt := range tests {
		t.Run(string(tt.syntax)+" "+tt.text, func(t *testing.T) {
			t.Parallel()
			var want []string
			for _, w := range tt.want {
				want = append(want, "parse [2] "+w)
			}
			// the neighbours must not hide the errors of an entry, nor be touched by them
			problems := checkProblems(t, rules.Source{Syntax: tt.syntax, Entries: []string{"azure", tt.text, "alicloud"}}, want...)
			for _, p := range problems {
				if p.Field != "rules" || p.Text != tt.text || p.Column > utf8.RuneCountInString(tt.text)+1 {
					t.Errorf("problem is %+v", p)
				}
				ends := strings.HasSuffix(p.Message, ".") || strings.HasSuffix(p.Message, "?")
				if !ends || strings.Count(p.Message, ". ") < 1 && !strings.Contains(p.Message, "expected") {
					t.Errorf("message has no remedy: %s", p.Message)
				}
			}
		})
	}
}

func TestLongestLiteralsThatFit(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"gcp(PR=" + strings.Repeat("a", 59) + ")",
		"gcp(CR,PR=" + strings.Repeat("a", 57) + ")",
		"gcp(PR=" + strings.Repeat("a", 20) + ",CR=" + strings.Repeat("b", 38) + ")",
		"trial(PR=" + strings.Repeat("a", 57) + ")",
	} {
		checkProblems(t, rules.Source{Syntax: attribute, Entries: []string{text}})
	}
	// the region is no part of the label
	checkProblems(t, rules.Source{Syntax: arrow, Entries: []string{"gcp(PR=" + strings.Repeat("a", 63) + ")"}})
}

func TestHints(t *testing.T) {
	t.Parallel()
	tests := []struct {
		syntax  rules.Syntax
		text    string
		message string // a part of it
	}{
		{attribute, "aws(PR=cf-eu11) -> EU", `which belongs to the other syntax. Set syntax = "arrow".`},
		{attribute, "aws => EU", `Did you mean "->"? It belongs to the other syntax: then set syntax = "arrow", too.`},
		{attribute, "aws(PR=cf-eu11) → EU", `found "→". Did you mean "->"?`},
		{arrow, "aws => EU", `Not an arrow: found "=>". Did you mean "->"?`},
		{arrow, "aws(PR=cf-eu11)=>PR,S", `found "=>". Did you mean "->"?`},
		{arrow, "aws –> S", `found "–>". Did you mean "->"?`},
		{arrow, "aws --> S", `found "-->". Did you mean "->"?`},
		{arrow, "aws -> S => EU", "Second \"->\""},
		{arrow, "aws =>", "Nothing after"},
		{attribute, "gcp(pr=a)", `Did you mean "PR"?`},
		{attribute, "gcp(sharde)", `Did you mean "shared"?`},
		{attribute, "gcp(euaccess)", `Did you mean "euAccess"?`},
		{attribute, "gcp(S)", `Did you mean "shared"?`},
		{attribute, "gcp(EU)", `Did you mean "euAccess"?`},
		{attribute, "gcp(shared=false)", "leave shared out"},
		{attribute, "gcp(platformRegion=a,PR=b)", "the same attribute as PR"},
		{attribute, "gcp:cf-sa30", "such as gcp(PR=cf-sa30), or use legacy"},
		{attribute, "gpc", `Did you mean "gcp"?`},
		{attribute, "openstak", `Did you mean "openstack"?`},
		{attribute, "sap", `Did you mean "sap-converged-cloud"?`},
		{attribute, "zzz", `"zzz" is not in the plans table. Known plans: alicloud, aws, `},
		{arrow, "gcp(shared)", `syntax = "attribute"`},
		{arrow, "gcp(shared)", `"-> S"`},
		{arrow, "gcp(euAccess)", `"-> EU"`},
		{arrow, "gcp(CR=a)", "it is HR"},
		{arrow, "gcp(platformRegion=a)", "it is PR"},
		{arrow, "gcp(hr=a)", `Did you mean "HR"?`},
		{arrow, "gcp -> CR", "it is HR"},
		{arrow, "gcp -> platformRegion", "it is PR"},
		{arrow, "gcp(PR)", `"-> PR"`},
		{arrow, "gcp -> shared", "it is S"},
		{arrow, "gcp -> euAccess", "it is EU"},
	}
	for _, tt := range tests {
		_, problems := rules.Compile(rules.Source{Syntax: tt.syntax, Entries: []string{tt.text}})
		if len(problems) != 1 && tt.text != "aws =>" || !strings.Contains(problems[len(problems)-1].Message, tt.message) {
			t.Errorf("%s: Compile(%q) reports %v, want one problem with %q", tt.syntax, tt.text, problems, tt.message)
		}
	}
}

func TestValidation(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		src  rules.Source
		want []string
	}{
		{"unknown plan", rules.Source{Entries: []string{"gcp", " gpc(PR=a)"}}, []string{"unknown_plan [2] 2 Unknown plan"}},
		{"unknown plan twice is no duplicate", rules.Source{Entries: []string{"foo", "foo"}},
			[]string{"unknown_plan [1] 1 Unknown plan", "unknown_plan [2] 1 Unknown plan"}},
		{"unknown plan beside parse errors", rules.Source{Entries: []string{"gpc(PR=, CR=ä)"}},
			[]string{"unknown_plan [1] 1 Unknown plan", "parse [1] 8 Empty value", "parse [1] 13 Invalid region"}},
		{"missing plan", rules.Source{Entries: []string{"gcp"}, RequiredPlans: []string{"aws", "gcp", "azure", "aws"}},
			[]string{"missing_plan [] 0 Missing plan", "missing_plan [] 0 Missing plan"}},
		{"a faulty entry is not missing", rules.Source{Entries: []string{"gcp(PR=)"}, RequiredPlans: []string{"gcp"}},
			[]string{"parse [1] 8 Empty value"}},
		{"required plan by alias",
			rules.Source{Entries: []string{"openstack"}, RequiredPlans: []string{"sap-converged-cloud", "openstack"}}, nil},
		{"unknown required plan", rules.Source{Entries: []string{"gcp"}, RequiredPlans: []string{"gpc"}},
			[]string{"unknown_plan [] 0 Unknown plan"}},
		{"duplicate", rules.Source{Entries: []string{"gcp(PR=a)", "aws", "gcp( platformRegion = a )"}},
			[]string{"duplicate [3 1] 0 Duplicate entry"}},
		{"duplicates name the first", rules.Source{Entries: []string{"gcp", "gcp()", "gcp "}},
			[]string{"duplicate [2 1] 0 Duplicate entry", "duplicate [3 1] 0 Duplicate entry"}},
		{"duplicate by alias", rules.Source{Entries: []string{"openstack(CR)", "sap-converged-cloud(HR=*)"}},
			[]string{"duplicate [2 1] 0 Duplicate entry"}},
		{"ADR 002: aws, aws -> S", rules.Source{Syntax: arrow, Entries: []string{"aws", "aws -> S"}},
			[]string{"duplicate [2 1] 0 Duplicate entry"}},
		{"ADR 001: gcp(PR=cf-sa30), gcp(PR=*)", rules.Source{Entries: []string{"gcp(PR=cf-sa30)", "gcp(PR=*)"}},
			[]string{"ambiguous [2 1] 0 Ambiguous entries"}},
		{"ADR 001: gcp(PR=a), gcp(CR=b)", rules.Source{Entries: []string{"gcp(PR=a)", "gcp(CR=b)"}},
			[]string{"ambiguous [2 1] 0 Ambiguous entries"}},
		{"ADR 001: settled by gcp(PR=a,CR=b)", rules.Source{Entries: []string{"gcp(PR=a)", "gcp(CR=b)", "gcp(PR=a,CR=b)"}}, nil},
		{"settled by a wide entry", rules.Source{Entries: []string{"gcp(PR=a)", "gcp(CR=b)", "gcp(PR=*,CR=*)"}}, nil},
		{"settled by a wide entry with an empty region", rules.Source{Entries: []string{"gcp(PR=a)", "gcp(CR=b)", "gcp(PR=a,shared)"}},
			[]string{"warning shadowed [1 3] 0 Shadowed entry"}},
		{"not settled by an entry for a part", rules.Source{Entries: []string{"gcp(PR=*)", "gcp(CR=b)", "gcp(PR=a,CR=b)"}},
			[]string{"ambiguous [2 1] 0 Ambiguous entries"}},
		{"same matchers, other labels", rules.Source{Entries: []string{"gcp(shared)", "gcp(euAccess)"}},
			[]string{"ambiguous [2 1] 0 Ambiguous entries"}},
		{"euAccess in two ways", rules.Source{Entries: []string{"gcp(euAccess)", "gcp(euAccess=*)"}},
			[]string{"ambiguous [2 1] 0 Ambiguous entries"}},
		{"other plans do not meet", rules.Source{Entries: []string{"gcp(PR=a)", "aws(PR=*)"}}, nil},
		{"other regions do not meet", rules.Source{Entries: []string{"gcp(PR=a)", "gcp(PR=b)", "gcp(PR=a,CR=*)", "gcp(PR=b,CR=c)"}}, nil},
		{"arrow: ambiguous", rules.Source{Syntax: arrow, Entries: []string{"gcp(PR=a) -> S", "gcp(HR=b)"}},
			[]string{"ambiguous [2 1] 0 Ambiguous entries"}},
		{"arrow: labels are no priority",
			rules.Source{Syntax: arrow, Entries: []string{"gcp(PR=cf-eu11) -> S, EU", "gcp(HR=b)", "gcp(PR=cf-eu11,HR=b)"}}, nil},
		{"arrow: wildcard", rules.Source{Syntax: arrow, Entries: []string{"gcp(HR=*, PR=*) -> S"}},
			[]string{"warning parse [1] 8 Wildcard unknown to KEB", "warning parse [1] 14 Wildcard unknown to KEB"}},
		{"problems of the whole entry come last", rules.Source{Syntax: arrow, Entries: []string{"gcp(PR=*)", "gcp(PR=*) -> S"}},
			[]string{
				"warning parse [1] 8 Wildcard unknown to KEB", "warning parse [2] 8 Wildcard unknown to KEB",
				"duplicate [2 1] 0 Duplicate entry",
			}},
		{"shadowed", rules.Source{Entries: []string{"gcp(PR=a)", "gcp", "gcp(PR=a,shared)"}},
			[]string{"warning shadowed [1 3] 0 Shadowed entry"}},
		{"shadowed by a wider entry", rules.Source{Entries: []string{"gcp(PR=a)", "gcp(PR=*)", "gcp(shared,euAccess)"}},
			[]string{"warning shadowed [1 3] 0 Shadowed entry", "warning shadowed [2 3] 0 Shadowed entry"}},
		{"not shadowed, other values remain", rules.Source{Entries: []string{"gcp(PR=*)", "gcp(PR=a,CR=*)"}}, nil},
		{"not shadowed, the empty region remains", rules.Source{Entries: []string{"gcp(PR=a)", "gcp(PR=a,CR=*)"}}, nil},
		{"unknown syntax", rules.Source{Syntax: "legacy?", Entries: []string{"gcp("}}, []string{"parse [] 0 Unknown syntax"}},
		{"the broker's page, Empty Pool", rules.Source{Entries: nil}, []string{"parse [] 0 No rules"}},
		{"the broker's page, Empty Pool, as one empty text", rules.Source{Entries: []string{""}}, []string{"parse [1] 1 Empty entry"}},
		{"the broker's page, Empty Pool, and required plans", rules.Source{RequiredPlans: []string{"gcp"}},
			[]string{"parse [] 0 No rules", "missing_plan [] 0 Missing plan"}},
		{"empty plans", rules.Source{Entries: []string{"gcp"}, Plans: only(nil)},
			[]string{"parse [] 0 No plans", "unknown_plan [1] 1 Unknown plan"}},
		{"invalid plans", rules.Source{
			Entries: []string{"a", "b(PR=x)", "c"},
			Plans:   rules.Plans{"": {"aws"}, "a": {}, "b": {"ü", "aws"}, "c": {"a_b"}, "p q": {"aws"}},
		}, []string{
			"parse [] 0 Invalid plan name", "parse [] 0 No hyperscaler", "parse [] 0 Invalid hyperscaler",
			"parse [] 0 Invalid hyperscaler", "parse [] 0 Invalid plan name",
		}},
		{"ambiguous entries of a plan without hyperscalers", rules.Source{Entries: []string{"x(PR=*)", "x(CR=*)"}, Plans: rules.Plans{"x": {}}},
			[]string{"parse [] 0 No hyperscaler", "ambiguous [2 1] 0 Ambiguous entries"}},
		{"invalid EU access regions", rules.Source{Entries: []string{"gcp"}, EUAccessPlatformRegions: []string{"cf-eu11", "", "cf eu"}},
			[]string{"parse [] 0 Invalid platform region", "parse [] 0 Invalid platform region"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.src.Syntax = cmp.Or(tt.src.Syntax, attribute) // where none is said, a list may have another reading, too
			checkProblems(t, tt.src, tt.want...)
		})
	}
}

// All kinds of mistakes in one set: exactly these problems, in the order of the entries.
func TestAllProblemsAtOnce(t *testing.T) {
	t.Parallel()
	problems := checkProblems(t, rules.Source{
		Entries: []string{
			"gcp(PR=a)",              // 1 shadowed by 8
			"gpc",                    // 2
			"aws(PR=cf-sa30)",        // 3
			"azure(PR=, foo",         // 4
			"aws(PR=*)",              // 5 ambiguous with 3
			"aws(HR=b)",              // 6 ambiguous with 3 and 5
			"",                       // 7
			"gcp(PR=a,shared)",       // 8
			"gcp( shared=true, PR=a", // 9
			"gcp(shared, PR=a)",      // 10 duplicate of 8
			"trial -> S",             // 11
		},
		RequiredPlans:           []string{"azure", "free", "fre", "trial"},
		EUAccessPlatformRegions: []string{""},
	},
		"parse [] 0 Invalid platform region",
		"warning shadowed [1 8] 0 Shadowed entry",
		"unknown_plan [2] 1 Unknown plan",
		"parse [4] 10 Empty value",
		"parse [4] 12 Unknown attribute",
		`parse [4] 15 Missing ")"`,
		"ambiguous [5 3] 0 Ambiguous entries",
		"ambiguous [6 3] 0 Ambiguous entries",
		"ambiguous [6 5] 0 Ambiguous entries",
		"parse [7] 1 Empty entry",
		`parse [9] 23 Missing ")"`,
		"duplicate [10 8] 0 Duplicate entry",
		"parse [11] 7 Arrow in attribute syntax",
		"unknown_plan [] 0 Unknown plan", // fre; what is a set by nature is reported in alphabetical order
		"missing_plan [] 0 Missing plan", // free
	)
	fields := map[string]int{}
	for _, p := range problems {
		fields[p.Field]++
	}
	if fields["rules"] != 12 || fields["required_plans"] != 2 || fields["eu_access_platform_regions"] != 1 {
		t.Errorf("fields of the problems: %v", fields)
	}
}
