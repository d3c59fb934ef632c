package rules_test

import (
	"cmp"
	"reflect"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// The findings and their order do not depend on who asks: one has sets, another lists.
func TestFindingsHaveOneOrder(t *testing.T) {
	t.Parallel()
	compile := func(required, regions []string) rules.Problems {
		_, problems := rules.Compile(rules.Source{
			Entries: []string{"gcp(PR=)", "gpc", "aws"}, RequiredPlans: required, EUAccessPlatformRegions: regions,
		})
		return problems
	}
	want := compile([]string{"azure", "fre", "free"}, []string{"", "cf eu", "cf-eu11"})
	if len(want) != 7 {
		t.Fatalf("%d problems: %v", len(want), want)
	}
	if got := compile([]string{"free", "fre", "azure", "free"}, []string{"cf-eu11", "cf eu", "", "cf eu"}); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestDetail(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		src  rules.Source
		want string
	}{
		{"column", rules.Source{Entries: []string{"aws", "azure", "trial", "gcp(PR=)"}},
			"Entry 4:\n  gcp(PR=)\n         ^\nEmpty value: found \")\" after \"PR=\". Write a value there."},
		{"after the end", rules.Source{Entries: []string{"gcp(PR=a  "}},
			"Entry 1:\n  gcp(PR=a\n          ^\nMissing \")\": found the end of the entry where the attributes have to end. Close them with \")\"."},
		{"characters of several bytes", rules.Source{Entries: []string{"gcp(ä€, PR==b)"}},
			"Entry 1:\n  gcp(ä€, PR==b)\n      ^\nUnknown attribute: found \"ä€\"; expected PR, CR, shared or euAccess.\n" +
				"Entry 1:\n  gcp(ä€, PR==b)\n             ^\nSecond \"=\": an attribute is written NAME=VALUE. Remove it."},
		{"tabs and newlines", rules.Source{Entries: []string{"\tgcp(\nPR=)"}},
			"Entry 1:\n   gcp( PR=)\n           ^\nEmpty value: found \")\" after \"PR=\". Write a value there."},
		{"empty", rules.Source{Entries: []string{" "}},
			"Entry 1:\n  \"\"\nEmpty entry: found no text. Write a plan, such as gcp, or remove the entry."},
		{"whole entry", rules.Source{Entries: []string{"gcp(PR=cf-sa30)", "gcp"}, RequiredPlans: nil}, ""},
		{"duplicate", rules.Source{Entries: []string{"gcp(PR=cf-sa30)", " gcp(PR=cf-sa30)"}},
			"Entry 2:\n   gcp(PR=cf-sa30)\nDuplicate entry: entry 1 (\"gcp(PR=cf-sa30)\") matches the same requests " +
				"with the same attributes. Remove one of the two."},
		{"ambiguous", rules.Source{Entries: []string{"gcp(PR=*)", "gcp(PR=cf-sa30)"}},
			"Entry 2:\n  gcp(PR=cf-sa30)\nAmbiguous entries: entry 2 (\"gcp(PR=cf-sa30)\") and entry 1 (\"gcp(PR=*)\") both match the request " +
				"(plan gcp, platform region cf-sa30, no hyperscaler region) with 1 attribute each. " +
				"Replace entry 2 (\"gcp(PR=cf-sa30)\") by the entry \"gcp(PR=cf-sa30,euAccess=*)\", " +
				"which has more attributes, or remove one of the two."},
		{"ambiguous, arrow, without a remedy", rules.Source{Syntax: arrow, Entries: []string{"trial(PR=*)", "trial(PR=cf-us10)"}[0:1]},
			"Entry 1:\n  trial(PR=*)\n           ^\nWildcard unknown to KEB: here PR=* matches any region and adds it to the hyperscaler type, " +
				"but KEB reads * as the name of a region and never matches this entry. Name the region, or leave it out and write \"-> PR\"."},
		{"shadowed", rules.Source{Entries: []string{"gcp", "gcp(shared)"}},
			"Entry 1:\n  gcp\nShadowed entry: it never applies, because entry 2 (\"gcp(shared)\") has more attributes and matches every request " +
				"that this one matches. Remove this entry, or narrow the other one."},
		{"missing plan", rules.Source{Entries: []string{"gcp"}, RequiredPlans: []string{"aws"}},
			"Missing plan: no entry names the required plan aws. Add an entry for it, such as \"aws\", or take it out of required_plans."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.src.Syntax = cmp.Or(tt.src.Syntax, attribute)
			_, problems := rules.Compile(tt.src)
			var details []string
			for _, p := range problems {
				details = append(details, p.Detail())
			}
			if got := strings.Join(details, "\n"); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
