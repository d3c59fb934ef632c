package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// The pools of euAccess=* are those that a claim can come to: both, unless other entries take the regions of one kind.
func TestTargetsOfEUAccessOnRequest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		entries []string
		src     rules.Source
		want    string // of the first entry
	}{
		{[]string{"azure(euAccess=*)"}, rules.Source{}, "[azure azure,euAccess]"},
		{[]string{"trial(euAccess=*,shared)"}, rules.Source{}, "[aws,shared aws,euAccess,shared azure,shared azure,euAccess,shared]"},
		{[]string{"azure(CR=b,euAccess=*)"}, rules.Source{}, "[azure_b azure_b,euAccess]"},
		{[]string{"azure(PR=cf-ch20,euAccess=*)"}, rules.Source{}, "[azure_cf-ch20,euAccess]"},
		{[]string{"azure(PR=cf-eu20,euAccess=*)"}, rules.Source{}, "[azure_cf-eu20]"},
		{[]string{"azure(euAccess=*)"}, rules.Source{EUAccessPlatformRegions: []string{}}, "[azure]"},
		{[]string{"azure(euAccess=*)", "azure(PR=cf-ch20,euAccess)"}, rules.Source{}, "[azure azure,euAccess]"},
		{[]string{"azure(euAccess=*)", "azure(PR=cf-ch20,euAccess)", "azure(PR=cf-eu11,euAccess)"}, rules.Source{}, "[azure]"},
		{[]string{"azure(euAccess=*)"}, rules.Source{PlatformRegions: []string{"cf-eu20"}}, "[azure]"},
		{[]string{"azure(PR=*,euAccess=*)"}, rules.Source{}, "[]"},
	} {
		tt.src.Entries = tt.entries
		set, problems := rules.Compile(tt.src)
		if set == nil {
			t.Fatal(problems)
		}
		e := set.Entries()[0]
		names := fmt.Sprint(set.Targets(&e))
		if sortedNames(names) != sortedNames(tt.want) {
			t.Errorf("%q: %s, want %s", tt.entries, names, tt.want)
		}
		for _, target := range set.Targets(&e) {
			if _, found := set.RequestFor(target); !found {
				t.Errorf("%q: no request leads to %v", tt.entries, target)
			}
		}
	}
}

func sortedNames(list string) string {
	names := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(strings.Trim(list, "[]"), ",euAccess,shared", ",EU"), ",shared,euAccess",
		",EU"))
	slices.Sort(names)
	return strings.Join(names, " ")
}

// The pools of legacy properties are those of elements that the user wrote.
func TestOriginOfLegacyEntries(t *testing.T) {
	t.Parallel()
	set, problems := rules.Compile(rules.Source{
		Legacy: &rules.Legacy{
			PlatformRegionRule: "gcp : cf-sa30", SharedRule: "trial;gcp", EUAccessRule: "aws:cf-eu11;aws:cf-ch20;azure_lite",
		},
		RequiredPlans: []string{"free"},
	})
	if set == nil {
		t.Fatal(problems)
	}
	got := map[string]string{}
	for _, e := range set.Entries() {
		if !e.Implied() {
			field, text := set.Origin(&e)
			got[e.Text] = field + ": " + text
		}
	}
	want := map[string]string{
		"aws":                     `legacy.eu_access_rule: the requests of plan aws outside of "aws:cf-eu11" of eu_access_rule`,
		"aws(PR=cf-eu11) -> EU":   `legacy.eu_access_rule: "aws:cf-eu11" of eu_access_rule`,
		"aws(HR=cf-eu11) -> EU":   `legacy.eu_access_rule: "aws:cf-eu11" of eu_access_rule`,
		"aws(PR=cf-ch20) -> EU":   `legacy.eu_access_rule: "aws:cf-ch20" of eu_access_rule`,
		"aws(HR=cf-ch20) -> EU":   `legacy.eu_access_rule: "aws:cf-ch20" of eu_access_rule`,
		"azure_lite -> EU":        `legacy.eu_access_rule: "azure_lite" of eu_access_rule`,
		"free":                    `legacy: plan free of required_plans`,
		"gcp -> S":                `legacy.shared_rule: "gcp" of shared_rule`,
		"gcp(PR=cf-sa30) -> PR,S": `legacy.platform_region_rule: "gcp : cf-sa30" of platform_region_rule; "gcp" of shared_rule`,
		"gcp(HR=cf-sa30) -> PR,S": `legacy.platform_region_rule: "gcp : cf-sa30" of platform_region_rule; "gcp" of shared_rule`,
		"trial -> S":              `legacy.shared_rule: "trial" of shared_rule`,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}
