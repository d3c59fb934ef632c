package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

func TestAmbiguityExamples(t *testing.T) {
	t.Parallel()
	taken := []string{"gcp(PR=*)", "gcp(CR=*)"}
	for _, region := range []string{"europe-west3", "us-central1", "region-1"} {
		taken = append(taken, "gcp(CR="+region+",shared)")
	}
	for _, region := range []string{"cf-eu10", "cf-us10"} {
		taken = append(taken, "gcp(PR="+region+",shared)")
	}
	tests := []struct {
		name    string
		src     rules.Source
		message string // of the first ambiguity: the request and what follows
	}{
		{"no literal", rules.Source{Entries: []string{"aws(PR=*)", "aws(CR=*)"}},
			`(plan aws, platform region cf-eu10, hyperscaler region eu-central-1) with 1 attribute each. ` +
				`Add the entry "aws(PR=*,CR=*)", which has more attributes, or remove one of the two.`},
		{"regions that entries name are no examples", rules.Source{Entries: taken},
			"(plan gcp, platform region cf-ap21, hyperscaler region region-2)"},
		{"several hyperscalers", rules.Source{Entries: []string{"trial(PR=*,shared)", "trial(CR=*,shared)"}},
			`(plan trial, platform region cf-eu10, hyperscaler region eu-central-1, hyperscaler aws) with 2 attributes each. ` +
				`Add the entry "trial(PR=*,CR=*,shared)"`},
		{"an unknown hyperscaler", rules.Source{Entries: []string{"x(PR=*)", "x(CR=*)"}, Plans: rules.Plans{"x": {"y"}}},
			"(plan x, platform region cf-eu10, hyperscaler region region-1)"},
		{"the same matchers", rules.Source{Entries: []string{"gcp(PR=a,shared)", "gcp(PR=a,euAccess=*)"}},
			`with 2 attributes each. They match the same requests: keep one of them, or replace both by the entry "gcp(PR=a,shared,euAccess=*)".`},
		{"the same matchers and no more attributes", rules.Source{Entries: []string{"gcp(shared,euAccess)", "gcp(shared,euAccess=*)"}},
			"with 2 attributes each. They match the same requests: keep one of them."},
		{"a label that would be too long", rules.Source{Entries: []string{
			"gcp(PR=" + strings.Repeat("a", 40) + ")", "gcp(CR=" + strings.Repeat("b", 40) + ")",
		}}, "with 1 attribute each. No valid entry with more attributes settles it without a label that neither has: "},
		{"a region and all: euAccess=* adds nothing in cf-sa30", rules.Source{Entries: []string{"gcp(PR=cf-sa30)", "gcp(PR=*)"}},
			`with 1 attribute each. Replace entry 1 ("gcp(PR=cf-sa30)") by the entry "gcp(PR=cf-sa30,euAccess=*)", which has ` +
				`more attributes, or remove one of the two.`},
		{"a region and all: claims in cf-eu11 have EU access, and no entry leads there",
			rules.Source{Entries: []string{"gcp(PR=cf-eu11)", "gcp(PR=*)"}},
			"with 1 attribute each. No valid entry with more attributes settles it without a label that neither has: "},
		{"a region and all: no claim has EU access",
			rules.Source{Entries: []string{"gcp(CR=b)", "gcp(CR=*)"}, EUAccessPlatformRegions: []string{}},
			`Replace entry 1 ("gcp(CR=b)") by the entry "gcp(CR=b,euAccess=*)"`},
		{"a shared pool is none of the two", rules.Source{Entries: []string{"gcp(PR=a,euAccess)", "gcp(PR=*,euAccess)"}},
			"with 2 attributes each. No valid entry with more attributes settles it without a label that neither has: "},
		{"the labels of both", rules.Source{Entries: []string{"gcp(shared)", "gcp(PR=cf-eu11)"}},
			`Replace entry 2 ("gcp(PR=cf-eu11)") by the entry "gcp(PR=cf-eu11,shared)", which has more attributes, or remove one of the two.`},
		{"a third entry that the remedy would meet", rules.Source{Entries: []string{"gcp(PR=*)", "gcp(CR=*)", "gcp(PR=a,CR=b)"}},
			"with 1 attribute each. No valid entry with more attributes settles it without a label that neither has: "},
		{"arrow: labels of both", rules.Source{Syntax: arrow, Entries: []string{"gcp(PR=a) -> PR, S", "gcp(HR=b) -> EU"}},
			`Add the entry "gcp(PR=a,HR=b) -> PR,S,EU", which has more attributes, or remove one of the two.`},
		{"arrow: no more attributes", rules.Source{Syntax: arrow, Entries: []string{"gcp(PR=a)", "gcp(PR=*)"}},
			"with 1 attribute each. No valid entry with more attributes settles it without a label that neither has: " +
				"narrow one of the two (a region by name instead of *), or remove it."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, problems := rules.Compile(tt.src)
			i := slices.IndexFunc(problems, func(p rules.Problem) bool { return p.Kind == rules.KindAmbiguous })
			if i < 0 || !strings.Contains(problems[i].Message, tt.message) {
				t.Errorf("problems are %+v\nwant an ambiguity with %s", problems, tt.message)
			}
		})
	}
}

func TestFewAmbiguousPairsAreListed(t *testing.T) {
	t.Parallel()
	entries := []string{"aws(PR=a)", "aws(CR=b)"}
	for i := range 20 {
		entries = append(entries, fmt.Sprintf("gcp(PR=p%d)", i), fmt.Sprintf("gcp(CR=c%d)", i))
	}
	_, problems := rules.Compile(rules.Source{Entries: entries})
	if len(problems) != 101 {
		t.Fatalf("%d problems, want 1 for aws and 100 for gcp", len(problems))
	}
	for i, p := range problems {
		more := strings.Contains(p.Message, "300 more ambiguous pairs of plan gcp are not listed")
		if p.Kind != rules.KindAmbiguous || more != (i == 100) {
			t.Errorf("problem %d is %+v", i, p)
		}
	}
	if got := problems[100].Entries; !slices.Equal(got, []int{22, 21}) {
		t.Errorf("the last pair is %v, want the 100th in the order of the later entry, [22 21]", got)
	}
}
