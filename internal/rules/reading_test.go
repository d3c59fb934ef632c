package rules_test

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// A list without "->" that the broker would read otherwise is doubted as long as the set does not say its syntax.
func TestOtherReading(t *testing.T) {
	t.Parallel()
	warned := []string{"warning other_reading [1] 0 Two readings"}
	for _, tt := range []struct {
		name string
		src  rules.Source
		want []string
		text string
	}{
		{"a platform region", rules.Source{Entries: []string{"gcp(PR=cf-sa30)", "gcp"}}, warned,
			`Here entry 1 ("gcp(PR=cf-sa30)") leads to gcp_cf-sa30, and as KEB reads it to gcp. If the list is KEB's, set syntax = "arrow". ` +
				`If the entries mean what they mean here, set syntax = "attribute", and this warning ends.`},
		{"a hyperscaler region", rules.Source{Entries: []string{"aws(HR=eu-central-1)"}}, warned,
			"leads to aws_eu-central-1, and as KEB reads it to aws"},
		{"both, of several hyperscalers", rules.Source{Entries: []string{"trial(PR=a,HR=b)"}}, warned,
			"leads to aws or azure_a_b, and as KEB reads it to aws or azure."},
		{"many", rules.Source{Entries: manyTexts(20, "gcp(PR=cf-eu%d)")}, warned, "; and 15 more. If"},
		{"it says its syntax", rules.Source{Syntax: attribute, Entries: []string{"gcp(PR=cf-sa30)"}}, nil, ""},
		{"no region", rules.Source{Entries: []string{"gcp", "aws()"}}, nil, ""},
		{"any region, which adds it in both", rules.Source{Entries: []string{"gcp(PR=*)"}}, nil, ""},
		{"an attribute that KEB does not have", rules.Source{Entries: []string{"gcp(PR=cf-sa30)", "trial(shared)"}}, nil, ""},
		{"a name that KEB does not have", rules.Source{Entries: []string{"gcp(PR=cf-sa30)", "aws(CR=b)"}}, nil, ""},
		{"EU access", rules.Source{Entries: []string{"gcp(PR=cf-sa30)", "aws(euAccess=*)"}}, nil, ""},
		{"no value", rules.Source{Entries: []string{"gcp(PR=cf-sa30)", "aws(PR)"}}, nil, ""},
		{"legacy", rules.Source{Legacy: &rules.Legacy{PlatformRegionRule: "gcp:cf-sa30"}}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			problems := checkProblems(t, tt.src, tt.want...)
			if len(problems) > 0 && !strings.Contains(problems[0].Message, tt.text) {
				t.Errorf("%s, want %q", problems[0].Message, tt.text)
			}
		})
	}
	// an arrow shows which reading is meant
	_, problems := rules.Compile(rules.Source{Entries: []string{"gcp(PR=cf-sa30)", "aws -> EU"}})
	if got := shorts(problems); len(got) != 1 || got[0] != "parse [2] 5 Arrow in attribute syntax" {
		t.Errorf("with an arrow: %q", got)
	}
}
