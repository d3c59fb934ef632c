package rules_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// compileLegacy returns the set of legacy properties that have no errors.
func compileLegacy(t testing.TB, l rules.Legacy) *rules.Set {
	t.Helper()
	set, problems := rules.Compile(rules.Source{Legacy: &l})
	if set == nil || len(problems) > 0 {
		t.Fatalf("%+v: %v", l, problems)
	}
	return set
}

// legacyShorts returns what the tests compare of problems: "shared_rule parse 1 Empty element in shared_rule".
func legacyShorts(problems rules.Problems) []string {
	var all []string
	for _, p := range problems {
		message, _, _ := strings.Cut(p.Message, ": ")
		s := fmt.Sprintf("%s %s %d %s", strings.TrimPrefix(p.Field, "legacy."), p.Kind, p.Column, message)
		if p.Severity == rules.SeverityWarning {
			s = "warning " + s
		}
		all = append(all, s)
	}
	return all
}

func TestLegacyParseErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want []string // kind, column and summary
		hint string   // a part of the first message
	}{
		{"eu:*", []string{"unknown_plan 1 Unknown plan"}, `"eu" is not in the plans table. Known plans: alicloud, aws, `},
		{"eu:*", []string{"unknown_plan 1 Unknown plan"}, `For all plans in this region write "*:eu".`},
		{"*:*", []string{"parse 1 Neither plan nor region"}, "at least one of the two must be named"},
		{"*", []string{"parse 1 Neither plan nor region"}, "Write a plan, such as trial, or a region for all plans, such as *:cf-eu11."},
		{" * : * ", []string{"parse 2 Neither plan nor region"}, ""},
		{":", []string{"parse 1 Neither plan nor region"}, ""},
		{"*:", []string{"parse 1 Neither plan nor region"}, ""},
		{":*", []string{"parse 1 Neither plan nor region"}, ""},
		{"trail", []string{"unknown_plan 1 Unknown plan"}, `Did you mean "trial"?`},
		{"trial; gpc:cf-sa30 ;aws", []string{"unknown_plan 8 Unknown plan"}, `Did you mean "gcp"?`},
		{"trial:", []string{"parse 7 No region"}, "leave \":\" out"},
		{"trial: ;aws", []string{"parse 7 No region"}, ""},
		{":eu", []string{"parse 1 No plan"}, `Write "*:eu" for all plans.`},
		{"trial:eu:gcp", []string{"parse 9 Second \":\""}, "Write \";\" between two elements."},
		{"trial:eu : gcp", []string{"parse 10 Second \":\""}, ""},
		{"trial:eu trial:gcp", []string{"parse 10 Missing \";\""}, `found "trial:gcp" after "eu"`},
		{"trial aws", []string{"parse 7 Missing \";\""}, `found "aws" after "trial"`},
		{"gcp:cf-sa30  cf-jp30", []string{"parse 14 Missing \";\""}, `found "cf-jp30" after "cf-sa30"`},
		{"trial,aws", []string{"parse 6 Unexpected character"}, "and \";\" between two of them"},
		{"aws;gcp(PR=cf-sa30)", []string{"parse 8 Unexpected character"}, "Entries such as gcp(PR=cf-sa30) belong into rules."},
		{"gcp -> S", []string{"parse 6 Unexpected character"}, ""},
		{"tri*", []string{"parse 1 Invalid plan"}, "* can only mean all plans"},
		{"trial:eu*", []string{"parse 7 Invalid region"}, "* can only mean all regions"},
		{"trial:ä", []string{"parse 7 Invalid region"}, "Write a region such as cf-eu11."},
		{"trial:-eu", []string{"parse 7 Invalid region"}, ""},
		{"gcp;", []string{"parse 4 Trailing \";\""}, "Remove it."},
		{"gcp ; ", []string{"parse 5 Trailing \";\""}, ""},
		{";gcp", []string{"parse 1 Empty element"}, "Remove it."},
		{"gcp; ;aws", []string{"parse 6 Empty element"}, ""},
		{"gcp;;", []string{"parse 5 Empty element"}, ""},
		{";", []string{"parse 1 Empty element"}, ""},
		{"trail:ä;;eu:*;ä ö", []string{
			"unknown_plan 1 Unknown plan", "parse 7 Invalid region", "parse 9 Empty element", "unknown_plan 10 Unknown plan", `parse 17 Missing ";"`,
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			for property, field := range legacyFields {
				var texts [4]string
				texts[property] = tt.text
				l := rules.Legacy{PlatformRegionRule: texts[0], ClusterRegionRule: texts[1], SharedRule: texts[2], EUAccessRule: texts[3]}
				set, problems := rules.Compile(rules.Source{Legacy: &l})
				var want []string
				for _, w := range tt.want {
					want = append(want, fmt.Sprintf("%s %s in %s", field, w, field))
				}
				if got := legacyShorts(problems); set != nil || !slices.Equal(got, want) {
					t.Fatalf("%s = %q reports\n%q\nwant\n%q", field, tt.text, got, want)
				}
				if !strings.Contains(problems[0].Message, tt.hint) {
					t.Errorf("%q\nhas no %q", problems[0].Message, tt.hint)
				}
				for _, p := range problems {
					if p.Text != tt.text || p.Entries != nil || p.Column > utf8.RuneCountInString(tt.text)+1 || p.Severity != rules.SeverityError {
						t.Errorf("problem is %+v", p)
					}
				}
			}
		})
	}
}

func TestLegacyValidation(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 30)
	gcp := only(rules.Plans{"gcp": {"gcp"}})
	tests := []struct {
		name string
		src  rules.Source
		want []string
	}{
		{"all properties, by property and column", rules.Source{Legacy: &rules.Legacy{
			PlatformRegionRule: "gcp;x", ClusterRegionRule: "*;y", SharedRule: "z", EUAccessRule: ";aws",
		}}, []string{
			"platform_region_rule unknown_plan 5 Unknown plan in platform_region_rule",
			"cluster_region_rule parse 1 Neither plan nor region in cluster_region_rule",
			"cluster_region_rule unknown_plan 3 Unknown plan in cluster_region_rule",
			"shared_rule unknown_plan 1 Unknown plan in shared_rule",
			"eu_access_rule parse 1 Empty element in eu_access_rule",
		}},
		{"both", rules.Source{Entries: []string{"gcp(PR=)"}, Legacy: &rules.Legacy{SharedRule: "x"}}, []string{
			"legacy parse 0 Rules and legacy", "shared_rule unknown_plan 1 Unknown plan in shared_rule", "rules parse 8 Empty value",
		}},
		{"both, and no entry", rules.Source{Entries: []string{}, Legacy: &rules.Legacy{}}, []string{"legacy parse 0 Rules and legacy"}},
		{"none", rules.Source{}, []string{"rules parse 0 No rules"}},
		{"syntax of rules", rules.Source{Syntax: attribute, Legacy: &rules.Legacy{}}, nil},
		{"syntax arrow", rules.Source{Syntax: arrow, Legacy: &rules.Legacy{}}, []string{"syntax parse 0 Syntax of legacy"}},
		{"unknown syntax", rules.Source{Syntax: "legacy", Legacy: &rules.Legacy{SharedRule: "*"}},
			[]string{"syntax parse 0 Unknown syntax", "shared_rule parse 1 Neither plan nor region in shared_rule"}},
		{"required plans", rules.Source{Legacy: &rules.Legacy{}, RequiredPlans: []string{"gdch", "openstack", "gpc"}},
			[]string{"required_plans unknown_plan 0 Unknown plan"}},
		{"own plans", rules.Source{Legacy: &rules.Legacy{SharedRule: "trial;gcp;openstack"}, Plans: gcp},
			[]string{"shared_rule unknown_plan 1 Unknown plan in shared_rule", "shared_rule unknown_plan 11 Unknown plan in shared_rule"}},
		{"no plans", rules.Source{Legacy: &rules.Legacy{}, Plans: only(nil)}, []string{"plans parse 0 No plans"}},
		{"EU access regions", rules.Source{Legacy: &rules.Legacy{}, EUAccessPlatformRegions: []string{"b c", "", "b c"}},
			[]string{"eu_access_platform_regions parse 0 Invalid platform region", "eu_access_platform_regions parse 0 Invalid platform region"}},
		{"region too long", rules.Source{Legacy: &rules.Legacy{PlatformRegionRule: "trial;gcp:" + long + long + ";y"}},
			[]string{
				"platform_region_rule parse 7 Region too long in platform_region_rule",
				"platform_region_rule unknown_plan 72 Unknown plan in platform_region_rule",
			}},
		{"regions too long together", rules.Source{
			Legacy: &rules.Legacy{PlatformRegionRule: "gcp", ClusterRegionRule: "gcp", SharedRule: "*:" + long}, Plans: gcp,
		},
			[]string{"shared_rule parse 1 Region too long in shared_rule"}},
		{"hyperscaler too long for any region", rules.Source{
			Legacy: &rules.Legacy{SharedRule: "x", ClusterRegionRule: "x"}, Plans: only(rules.Plans{"x": {long + long + "bc"}}),
		},
			[]string{"cluster_region_rule parse 1 Region too long in cluster_region_rule"}},
		{"long regions that do not meet in a label", rules.Source{Legacy: &rules.Legacy{SharedRule: "*:" + long + long}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			set, problems := rules.Compile(tt.src)
			if got := legacyShorts(problems); !slices.Equal(got, tt.want) || (set == nil) != problems.HasErrors() {
				t.Errorf("set is nil: %v, problems are\n%q\nwant\n%q", set == nil, got, tt.want)
			}
		})
	}
}

func TestLegacyRequestErrors(t *testing.T) {
	t.Parallel()
	set := compileLegacy(t, rules.Legacy{PlatformRegionRule: "gcp;*:cf-eu11", ClusterRegionRule: "gcp;azure:cf-ch20", SharedRule: "trial"})
	tests := []struct {
		request rules.Request
		want    rules.RequestError
	}{
		{request("gpc"), rules.RequestError{Field: "plan", Reason: rules.ReasonUnknownPlan,
			Message: `Unknown plan: "gpc" is not in the plans table. Did you mean "gcp"?`}},
		{request("trial"), rules.RequestError{Field: "hyperscaler", Reason: rules.ReasonHyperscalerRequired,
			Message: "Hyperscaler required: trial runs on aws or azure;"}},
		{request("gcp"), rules.RequestError{Field: "platform_region", Reason: rules.ReasonRegionRequired,
			Message: "Region required: platform_region_rule adds the platform region to the hyperscaler type, " +
				"and the request has none. Set platform_region."}},
		{request("gcp", "cf-eu10"), rules.RequestError{Field: "hyperscaler_region", Reason: rules.ReasonRegionRequired,
			Message: "Region required: cluster_region_rule adds the hyperscaler region to the hyperscaler type, and the request has none."}},
		{request("azure", "cf-ch20"), rules.RequestError{Field: "hyperscaler_region", Reason: rules.ReasonRegionRequired,
			Message: "Region required: cluster_region_rule adds"}},
		{request("aws", "", "cf-eu11"), rules.RequestError{Field: "platform_region", Reason: rules.ReasonRegionRequired,
			Message: "Region required: platform_region_rule adds"}},
		{request("gcp", "cf eu", "b"), rules.RequestError{Field: "platform_region", Reason: rules.ReasonInvalidLabel,
			Message: `Invalid platform region: platform_region_rule adds "cf eu" to the label hyperscalerType, where it is invalid: `}},
		{request("gcp", "cf-eu11", strings.Repeat("b", 52)), rules.RequestError{Field: "hyperscaler_region", Reason: rules.ReasonInvalidLabel,
			Message: `Invalid hyperscaler region: with "` + strings.Repeat("b", 52) +
				`" the hyperscaler type of legacy, as the entry "gcp -> PR,HR", is "gcp_cf-eu11_bbb`}},
	}
	for _, tt := range tests {
		_, err := set.Match(tt.request)
		var got *rules.RequestError
		if !errors.As(err, &got) || got.Field != tt.want.Field || got.Reason != tt.want.Reason ||
			!strings.HasPrefix(got.Message, tt.want.Message) {
			t.Errorf("Match(%v) = %+v\nwant %+v", tt.request, err, tt.want)
		}
	}
}

// A set of legacy properties is a set of entries in the arrow syntax.
func TestLegacyEntries(t *testing.T) {
	t.Parallel()
	plans := only(rules.Plans{"aws": {"aws"}, "gcp": {"gcp"}, "trial": {"aws", "azure"}})
	src := rules.Source{Legacy: &rules.Legacy{
		PlatformRegionRule: "gcp:cf-sa30", ClusterRegionRule: "", SharedRule: "trial:*; trial:eu", EUAccessRule: "*:cf-eu11",
	}, Plans: plans}
	set, problems := rules.Compile(src)
	if set == nil || len(problems) > 0 {
		t.Fatal(problems)
	}
	want := []struct{ text, hyperscalerType, targets string }{
		{"aws", "aws", "[]"}, // nothing names aws
		{"aws(PR=cf-eu11) -> EU", "aws", "[]"},
		{"aws(HR=cf-eu11) -> EU", "aws", "[]"},
		{"aws(PR=cf-eu11,HR=cf-eu11) -> EU", "aws", "[]"},
		{"gcp", "gcp", "[gcp]"},
		{"gcp(PR=cf-sa30) -> PR", "gcp_cf-sa30", "[gcp_cf-sa30]"},
		{"gcp(PR=cf-eu11) -> EU", "gcp", "[]"}, // for all plans, so not for gcp by name
		{"gcp(HR=cf-sa30) -> PR", "gcp_<platform_region>", "[]"},
		{"gcp(PR=cf-sa30,HR=cf-sa30) -> PR", "gcp_cf-sa30", "[]"},
		{"gcp(PR=cf-eu11,HR=cf-sa30) -> PR,EU", "gcp_cf-eu11", "[]"}, // two regions meet
		{"gcp(HR=cf-eu11) -> EU", "gcp", "[]"},
		{"gcp(PR=cf-sa30,HR=cf-eu11) -> PR,EU", "gcp_cf-sa30", "[]"},
		{"gcp(PR=cf-eu11,HR=cf-eu11) -> EU", "gcp", "[]"},
		{"trial -> S", "<hyperscaler>", "[aws,shared azure,shared]"}, // eu adds nothing
		{"trial(PR=cf-eu11) -> S,EU", "<hyperscaler>", "[]"},
		{"trial(HR=cf-eu11) -> S,EU", "<hyperscaler>", "[]"},
		{"trial(PR=cf-eu11,HR=cf-eu11) -> S,EU", "<hyperscaler>", "[]"},
	}
	entries := set.Entries()
	if len(entries) != len(want) {
		t.Fatalf("%d entries, want %d", len(entries), len(want))
	}
	for i, w := range want {
		e := entries[i]
		if e.Number != i+1 || e.Text != w.text || e.Canonical() != w.text || e.HyperscalerType != w.hyperscalerType ||
			fmt.Sprint(set.Targets(&e)) != w.targets || (e.Wildcard() || e.Implied()) != (w.targets == "[]") {
			t.Errorf("entry %d is %+v, targets %v; want %+v", i+1, e, set.Targets(&e), w)
		}
	}
	if m, err := set.Match(request("gcp", "cf-sa30")); err != nil || m.Entry().Number != 6 {
		t.Errorf("Match() = entry %v, %v; want 6", m.Entry(), err)
	}
	if file := set.RuleFile(); !strings.HasPrefix(file, "rule:\n  - \"aws\"\n  - \"aws(PR=cf-eu11) -> EU\"\n") ||
		strings.Count(file, "\n") != 1+len(want) {
		t.Errorf("RuleFile() = %s", file)
	}
	// a required plan is named
	src.RequiredPlans = []string{"aws"}
	if set, _ = rules.Compile(src); fmt.Sprint(set.Targets(&set.Entries()[0])) != "[aws]" {
		t.Errorf("targets of a required plan: %v", set.Targets(&set.Entries()[0]))
	}
}

// What answers every request alike has one ID, as entries of the arrow syntax too.
func TestLegacyID(t *testing.T) {
	t.Parallel()
	plans := only(rules.Plans{"gcp": {"gcp"}, "trial": {"aws", "azure"}})
	id := func(src rules.Source) string {
		src.Plans = plans
		set, problems := rules.Compile(src)
		if set == nil {
			t.Fatal(problems)
		}
		return set.ID()
	}
	want := id(rules.Source{Legacy: &rules.Legacy{PlatformRegionRule: "gcp", SharedRule: "trial;gcp:eu"}})
	for _, src := range []rules.Source{
		{Legacy: &rules.Legacy{PlatformRegionRule: " gcp : * ;gcp:eu", SharedRule: "gcp:eu;trial;gcp:eu;trial:eu"}},
		{Syntax: attribute, RequiredPlans: []string{"gcp"}, Legacy: &rules.Legacy{PlatformRegionRule: "gcp", SharedRule: "*:eu;trial"}},
		{Syntax: arrow, Entries: []string{"trial -> S", "gcp(HR=eu) -> S,PR", "gcp(PR=eu) -> S,PR", "gcp(PR=eu,HR=eu) -> S,PR", "gcp -> PR"}},
	} {
		if got := id(src); got != want {
			t.Errorf("ID of %+v is %s, want %s", src, got, want)
		}
	}
	for _, l := range []rules.Legacy{
		{}, {PlatformRegionRule: "gcp", SharedRule: "trial"}, {PlatformRegionRule: "gcp", SharedRule: "trial;gcp:eu", EUAccessRule: "gcp"},
	} {
		if got := id(rules.Source{Legacy: &l}); got == want {
			t.Errorf("%+v has the same ID", l)
		}
	}
}

func TestLegacyDetail(t *testing.T) {
	t.Parallel()
	_, problems := rules.Compile(rules.Source{
		Legacy: &rules.Legacy{SharedRule: "trial;\tsap-convergd-cloud:eu"}, Plans: only(rules.Plans{"trial": {"aws"}}),
	})
	want := "shared_rule:\n  trial; sap-convergd-cloud:eu\n         ^\n" +
		"Unknown plan in shared_rule: \"sap-convergd-cloud\" is not in the plans table. Known plans: trial. " +
		"To add it, write plans = { \"sap-convergd-cloud\" = [\"<hyperscaler>\"] }; the built-in plans stay."
	if len(problems) != 1 || problems[0].Detail() != want {
		t.Errorf("got\n%s\nwant\n%s", problems[0].Detail(), want)
	}
}

// Match answers as the words of ADR 003 say, and so do the entries where they are written out.
func TestLegacyAgreesWithNaive(t *testing.T) {
	t.Parallel()
	all := legacyRequests()
	seen := map[bool]int{}
	generateLegacy(t, 120, func(t *testing.T, s legacySpecs, l rules.Legacy) {
		set, problems := rules.Compile(rules.Source{Legacy: &l, Plans: legacyPlans})
		if set == nil || len(butEUAccess(problems)) > 0 {
			t.Fatalf("%+v: %v", l, problems)
		}
		var texts []string
		for _, e := range set.Entries() {
			texts = append(texts, e.Text)
		}
		written, problems := rules.Compile(rules.Source{Syntax: arrow, Entries: texts, Plans: legacyPlans})
		if written == nil || len(butEUAccess(problems)) > 0 || written.ID() != set.ID() || written.RuleFile() != set.RuleFile() {
			t.Fatalf("%+v becomes %q: %v", l, texts, problems)
		}
		for _, r := range all {
			want := s.target(r)
			seen[want == "error"]++
			if got, alike := answer(set, r), answer(written, r); got != want || alike != want {
				t.Errorf("%+v: %v is %s, and %s as %q, want %s", l, r, got, alike, texts, want)
				return
			}
		}
	})
	if seen[true] < 10_000 || seen[false] < 10_000 {
		t.Errorf("too little was tried: %v", seen)
	}
}
