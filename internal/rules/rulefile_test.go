package rules_test

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

func TestRuleFile(t *testing.T) {
	t.Parallel()
	entries, properties := brokerSources(t)
	long := strings.Repeat("a", 40)
	tests := []struct {
		name string
		src  rules.Source
		want []string
	}{
		{"the broker's initial configuration, entries", entries, []string{
			"azure", "azure(PR=cf-ch20) -> EU", "azure(PR=cf-eu11) -> EU", "aws", "aws(PR=cf-ch20) -> EU", "aws(PR=cf-eu11) -> EU",
			"trial -> S", "gcp", "gcp(PR=cf-sa30) -> PR", "sap-converged-cloud -> HR,S",
		}},
		{"the broker's initial configuration, properties", properties, []string{
			"aws", "aws(PR=cf-eu11) -> EU", "aws(HR=cf-eu11) -> EU", "aws(PR=cf-eu11,HR=cf-eu11) -> EU",
			"azure", "azure(PR=cf-ch20) -> EU", "azure(HR=cf-ch20) -> EU", "azure(PR=cf-ch20,HR=cf-ch20) -> EU",
			"gcp", "gcp(PR=cf-sa30) -> PR", "gcp(HR=cf-sa30) -> PR", "gcp(PR=cf-sa30,HR=cf-sa30) -> PR",
			"sap-converged-cloud -> HR,S", "trial -> S",
		}},
		{"a region of its own", rules.Source{Entries: []string{"gcp", "gcp(PR=cf-sa30)"}}, []string{"gcp", "gcp(PR=cf-sa30) -> PR"}},
		{"arrow, as written and in its order", rules.Source{Syntax: arrow, Entries: []string{
			"gcp(PR=a) -> PR", "aws", "gcp", " aws( PR=cf-eu11)->EU", "gcp(PR=b)",
		}}, []string{"gcp(PR=a) -> PR", "aws", "gcp", "aws( PR=cf-eu11)->EU", "gcp(PR=b)"}},
		{"arrow, what the broker would not read", rules.Source{Syntax: arrow, Entries: []string{
			"openstack -> S", "gcp()", "aws( \t)->S", "azure\u00a0-> S", "trial\n->\f S",
		}}, []string{"sap-converged-cloud -> S", "gcp", "aws -> S", "azure -> S", "trial\n->\f S"}},
		{"arrow, a * in one of two plans", rules.Source{Syntax: arrow, Entries: []string{
			"aws", "gcp(HR=*) -> S", "aws(PR=a)->EU", "gcp(PR=a,HR=b)",
		}}, []string{"aws", "gcp -> HR,S", "gcp(PR=a,HR=b)", "aws(PR=a)->EU"}},
		{"a table is in the place of the first entry", rules.Source{Entries: []string{
			"gcp(CR=y,PR=b,shared)", "aws", "gcp", "gcp(PR=b)", "gcp(CR=x,shared,euAccess=*)",
		}}, []string{
			"gcp", "gcp(PR=b) -> PR", "gcp(HR=x) -> HR,S", "gcp(PR=b,HR=y) -> PR,HR,S", "gcp(PR=b,HR=x) -> HR,S",
			"gcp(PR=cf-ch20,HR=x) -> HR,S,EU", "gcp(PR=cf-eu11,HR=x) -> HR,S,EU", "aws",
		}},
		{"a pair of regions that both have an entry", rules.Source{Entries: []string{"gcp(PR=a,shared)", "gcp(CR=b)"}},
			[]string{"gcp(PR=a) -> PR,S", "gcp(HR=b) -> HR", "gcp(PR=a,HR=b) -> PR,S"}},
		{"no pool for other regions", rules.Source{Entries: []string{"gcp(CR=x)", "gcp(PR=a,CR=y)"}},
			[]string{"gcp(HR=x) -> HR", "gcp(PR=a,HR=y) -> PR,HR"}},
		{"regions that change nothing", rules.Source{Entries: []string{"gcp(PR=*)", "gcp(PR=a,euAccess=*)"}}, []string{"gcp -> PR"}},
		{"no EU access region", rules.Source{Entries: []string{"gcp(euAccess=*)"}, EUAccessPlatformRegions: []string{}}, []string{"gcp"}},
		{"a pair that no account can be for", rules.Source{Entries: []string{"gcp(PR=" + long + ",shared)", "gcp(PR=*,CR=" + long + ",shared)"}},
			[]string{"gcp(PR=" + long + ") -> PR,S", "gcp(HR=" + long + ") -> PR,HR,S", "gcp(PR=" + long + ",HR=" + long + ") -> PR,HR,S"}},
		{"names that YAML would take for something else",
			rules.Source{Entries: []string{"null", "on", "1.0"}, Plans: rules.Plans{"null": {"aws"}, "on": {"aws"}, "1.0": {"aws"}}},
			[]string{"null", "on", "1.0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			set, problems := rules.Compile(tt.src)
			if set == nil {
				t.Fatal(problems)
			}
			if got := ruleFileEntries(t, set.RuleFile()); !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

// The broker has a table of plans of its own, which no rule file changes.
func TestOwnPlans(t *testing.T) {
	t.Parallel()
	set, problems := rules.Compile(rules.Source{Entries: []string{"gcp", "edge", "trial", "aws", "azure"}, Plans: rules.Plans{
		"gcp": {"stackit"}, "edge": {"aws"}, "trial": {"aws"}, "aws": {"stackit", "aws"}, "azure": {"azure"}, "unused": {"stackit"},
	}})
	if set == nil {
		t.Fatal(problems)
	}
	want := []rules.OwnPlan{
		{Name: "edge", Hyperscalers: []string{"aws"}}, {Name: "gcp", Hyperscalers: []string{"stackit"}, Broker: []string{"gcp"}},
	}
	if got := set.OwnPlans(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := compile(t, attribute, "gcp", "trial").OwnPlans(); got != nil {
		t.Errorf("of the built-in plans %+v are own ones", got)
	}
}

// The file is YAML, with each entry quoted, so that none is read as something else.
func TestRuleFileIsYAML(t *testing.T) {
	t.Parallel()
	set := compile(t, arrow, "gcp\n", "aws(\tPR=a )\n -> S")
	if got, want := set.RuleFile(), "rule:\n  - \"gcp\"\n  - \"aws(\\tPR=a )\\n -> S\"\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Sets with the same meaning share an ID; any other difference changes it.
func TestID(t *testing.T) {
	t.Parallel()
	withDefaults := rules.Source{
		Syntax: attribute, Entries: []string{"aws", " gcp( shared = true , PR )"},
		Plans: rules.DefaultPlans(), EUAccessPlatformRegions: []string{"cf-ch20", "cf-eu11", "cf-ch20"}, RequiredPlans: []string{"aws"},
	}
	sameMeaning := []rules.Source{
		{Entries: []string{"gcp(PR=*,shared)", "aws"}},
		withDefaults,
	}
	plans := func(change func(rules.Plans)) rules.Plans {
		p := rules.DefaultPlans()
		change(p)
		return p
	}
	others := []rules.Source{
		{Entries: []string{"gcp(PR=*)", "aws"}},
		{Entries: []string{"gcp(PR=*,shared)"}},
		{Entries: []string{"gcp(PR=*,shared)", "aws", "azure"}},
		{Entries: []string{"gcp(CR=*,shared)", "aws"}},
		{Entries: []string{"gcp(PR=x,shared)", "aws"}},
		{Entries: []string{"gcp(PR=*,euAccess)", "aws"}},
		{Entries: []string{"gcp(PR=*,euAccess=*)", "aws"}},
		{Entries: []string{"gcp(PR=*,shared)", "aws"}, EUAccessPlatformRegions: []string{}},
		{Entries: []string{"gcp(PR=*,shared)", "aws"}, EUAccessPlatformRegions: []string{"cf-ch20"}},
		{Entries: []string{"gcp(PR=*,shared)", "aws"}, Plans: plans(func(p rules.Plans) { p["new"] = []string{"aws"} })},
		{Entries: []string{"gcp(PR=*,shared)", "aws"}, Plans: plans(func(p rules.Plans) { p["gcp"] = []string{"aws"} })},
		{Entries: []string{"gcp(PR=*,shared)", "aws"}, Plans: plans(func(p rules.Plans) { p["gcp"] = []string{"gcp", "aws"} })},
		{Entries: []string{"aws"}},
		{Syntax: arrow, Entries: []string{"aws"}},
		{Syntax: arrow, Entries: []string{"gcp(PR=*) -> S", "aws"}},
	}
	id := func(src rules.Source) string {
		set, problems := rules.Compile(src)
		if set == nil {
			t.Fatal(problems)
		}
		return set.ID()
	}
	want := id(sameMeaning[0])
	if !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(want) {
		t.Errorf("ID() = %q, want 32 hexadecimal digits", want)
	}
	for _, src := range sameMeaning[1:] {
		if got := id(src); got != want {
			t.Errorf("ID of %+v = %s, want %s", src, got, want)
		}
	}
	seen := map[string]int{want: -1}
	for i, src := range others {
		got := id(src)
		if j, known := seen[got]; known {
			t.Errorf("sets %d and %d have the ID %s", i, j, got)
		}
		seen[got] = i
	}
	// states have the ID: a changed one is a change of the format
	if want != "0ee34647fa735d2562c1fb2f619fe947" {
		t.Errorf("ID() = %s: raise the version in ID if that is meant", want)
	}
}
