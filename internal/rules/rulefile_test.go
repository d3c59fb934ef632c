package rules_test

import (
	"regexp"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

func TestRuleFile(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		src  rules.Source
		want string
	}{
		{"seed 002, Initial Configuration", rules.Source{Entries: []string{
			"azure(euAccess=*)", "aws(euAccess=*)", "trial(shared)", "gcp", "gcp(PR=cf-sa30) ", "openstack(CR=*, shared)",
		}}, `rule:
  - "azure(euAccess=*)"
  - "aws(euAccess=*)"
  - "trial(shared)"
  - "gcp"
  - "gcp(PR=cf-sa30)"
  - "sap-converged-cloud(CR=*, shared)"
`},
		{"arrow", rules.Source{Syntax: arrow, Entries: []string{"aws", " aws( PR=cf-eu11)->EU"}},
			"rule:\n  - \"aws\"\n  - \"aws( PR=cf-eu11)->EU\"\n"},
		{"blanks that YAML would fold", rules.Source{Entries: []string{"openstack\n(\tCR\u00a0=\u2003*)"}},
			"rule:\n  - \"sap-converged-cloud\\n(\\tCR\\u00a0=\\u2003*)\"\n"},
		{"names that YAML would take for something else",
			rules.Source{Entries: []string{"null", "on", "1.0"}, Plans: rules.Plans{"null": {"aws"}, "on": {"aws"}, "1.0": {"aws"}}},
			"rule:\n  - \"null\"\n  - \"on\"\n  - \"1.0\"\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			set, problems := rules.Compile(tt.src)
			if set == nil {
				t.Fatal(problems)
			}
			if got := set.RuleFile(); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
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
	// the ID stands in state files: a changed one is a change of the format
	if want != "0ee34647fa735d2562c1fb2f619fe947" {
		t.Errorf("ID() = %s: raise the version in ID if that is meant", want)
	}
}
