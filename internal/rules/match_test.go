package rules_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

func TestRequestErrors(t *testing.T) {
	t.Parallel()
	set := compile(t, attribute, "aws(PR=cf-eu11)", "azure(PR=*,CR=*)", "trial(shared)", "gcp(CR=*)", "openstack")
	arrows := compile(t, arrow, "aws(PR=cf-eu11) -> PR, HR", "gcp -> PR")
	long := strings.Repeat("a", 40)
	literal := compile(t, attribute, "gcp(PR="+long+",CR=*)")
	many := compile(t, attribute, manyEntries(12)...)
	tests := []struct {
		name    string
		set     *rules.Set
		request rules.Request
		want    rules.RequestError
	}{
		{"no plan", set, request(""), rules.RequestError{Field: "plan", Reason: rules.ReasonUnknownPlan,
			Message: "No plan: the request names none. Known plans: "}},
		{"unknown plan", set, request("azur"), rules.RequestError{Field: "plan", Reason: rules.ReasonUnknownPlan,
			Message: `Unknown plan: "azur" is not in the plans table. Did you mean "azure"? Known plans: `}},
		{"no entry for the plan", set, request("free"), rules.RequestError{Field: "plan", Reason: rules.ReasonNoEntry,
			Message: `No entry for plan free: the rule set has entries for aws, azure, gcp, sap-converged-cloud, trial only. ` +
				`Add one, such as "free".`}},
		{"no entry for the region", set, request("aws", "cf-us10"), rules.RequestError{Field: "plan", Reason: rules.ReasonNoEntry,
			Message: `No entry matches: the request has plan aws, platform region cf-us10, no hyperscaler region; ` +
				`the rule set has for this plan entry 1 ("aws(PR=cf-eu11)"). Change the request, or add an entry that matches it.`}},
		{"no entry for a strange region", set, request("aws", "cf us\n"), rules.RequestError{Field: "plan", Reason: rules.ReasonNoEntry,
			Message: `No entry matches: the request has plan aws, platform region "cf us\n", no hyperscaler region; `}},
		{"platform region missing", set, request("aws", "", "eu-central-1", "aws"),
			rules.RequestError{Field: "platform_region", Reason: rules.ReasonNoEntry,
				Message: `No entry matches: the request has plan aws, no platform region, hyperscaler region eu-central-1, hyperscaler aws; ` +
					`the rule set has for this plan entry 1 ("aws(PR=cf-eu11)"). Set platform_region, or add an entry that matches without it.`}},
		{"hyperscaler region missing", set, request("azure", "cf-eu20"),
			rules.RequestError{Field: "hyperscaler_region", Reason: rules.ReasonNoEntry, Message: "No entry matches: "}},
		{"many entries", many, request("gcp", "cf-eu10"), rules.RequestError{Field: "plan", Reason: rules.ReasonNoEntry,
			Message: "No entry matches: "}},
		{"hyperscaler required", set, request("trial"), rules.RequestError{Field: "hyperscaler", Reason: rules.ReasonHyperscalerRequired,
			Message: "Hyperscaler required: trial runs on aws or azure; set hyperscaler to one of them."}},
		{"hyperscaler of another plan", set, request("trial", "", "", "gcp"),
			rules.RequestError{Field: "hyperscaler", Reason: rules.ReasonHyperscalerMismatch,
				Message: `Hyperscaler does not fit: trial runs on aws or azure, not on "gcp". Set hyperscaler to one of them.`}},
		{"hyperscaler of a plan with one", set, request("openstack", "", "", "sap-converged-cloud"),
			rules.RequestError{Field: "hyperscaler", Reason: rules.ReasonHyperscalerMismatch,
				Message: `Hyperscaler does not fit: sap-converged-cloud runs on openstack, not on "sap-converged-cloud". Leave hyperscaler out.`}},
		{"arrow: platform region required", arrows, request("gcp", "", "x"),
			rules.RequestError{Field: "platform_region", Reason: rules.ReasonRegionRequired,
				Message: `Region required: entry 2 ("gcp -> PR") adds the platform region to the hyperscaler type, ` +
					`and the request has none. Set platform_region.`}},
		{"arrow: hyperscaler region required", arrows, request("aws", "cf-eu11"),
			rules.RequestError{Field: "hyperscaler_region", Reason: rules.ReasonRegionRequired, Message: "Region required: "}},
		{"invalid platform region", set, request("azure", "cf eu", "b"),
			rules.RequestError{Field: "platform_region", Reason: rules.ReasonInvalidLabel,
				Message: `Invalid platform region: entry 2 ("azure(PR=*,CR=*)") adds "cf eu" to the label hyperscalerType, where it is invalid: ` +
					`character 3 (' ') is none of letters, digits, '-', '_' and '.'.`}},
		{"invalid hyperscaler region", set, request("azure", "cf-eu20", "*"),
			rules.RequestError{Field: "hyperscaler_region", Reason: rules.ReasonInvalidLabel, Message: `Invalid hyperscaler region: `}},
		{"too long together", set, request("azure", "cf-eu20", strings.Repeat("b", 50)),
			rules.RequestError{Field: "hyperscaler_region", Reason: rules.ReasonInvalidLabel,
				Message: `Invalid hyperscaler region: with "` + strings.Repeat("b", 50) +
					`" the hyperscaler type of entry 2 ("azure(PR=*,CR=*)") is "azure_cf-eu20_` +
					strings.Repeat("b", 50) + `", 64 characters; a label value has 63 at most.`}},
		{"too long beside a longer literal", literal, request("gcp", long, strings.Repeat("b", 19)),
			rules.RequestError{Field: "hyperscaler_region", Reason: rules.ReasonInvalidLabel, Message: "Invalid hyperscaler region: "}},
		{"too long beside a literal", arrows, request("aws", "cf-eu11", strings.Repeat("b", 52)),
			rules.RequestError{Field: "hyperscaler_region", Reason: rules.ReasonInvalidLabel, Message: "Invalid hyperscaler region: "}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m, err := tt.set.Match(tt.request)
			var got *rules.RequestError
			if !errors.As(err, &got) {
				t.Fatalf("Match() = %v, %v; want a RequestError", m, err)
			}
			if got.Field != tt.want.Field || got.Reason != tt.want.Reason || !strings.HasPrefix(err.Error(), tt.want.Message) {
				t.Errorf("got  %s, %s:\n%s\nwant %s, %s:\n%s", got.Field, got.Reason, got.Message, tt.want.Field, tt.want.Reason, tt.want.Message)
			}
		})
	}
	if _, err := many.Match(request("gcp", "cf-eu10")); !strings.Contains(err.Error(), `; entry 10 ("gcp(PR=p9)"); and 2 more.`) {
		t.Errorf("the list of many entries is not cut: %v", err)
	}
}

func manyEntries(n int) []string {
	entries := make([]string, n)
	for i := range entries {
		entries[i] = fmt.Sprintf("gcp(PR=p%d)", i)
	}
	return entries
}

func TestLongestRequestThatFits(t *testing.T) {
	t.Parallel()
	region := strings.Repeat("b", 49)
	m, err := compile(t, attribute, "azure(PR=*,CR=*)").Match(request("azure", "cf-eu20", region))
	if err != nil || len(m.HyperscalerType()) != account.MaxLabelValueLength {
		t.Errorf("Match() = %q, %v; want 63 characters", m.HyperscalerType(), err)
	}
	// a region that is no part of the label may be anything
	if _, err := compile(t, attribute, "azure").Match(request("azure", "cf eu", region+region)); err != nil {
		t.Errorf("Match() with regions that do not matter: %v", err)
	}
}

func TestEUAccess(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	tests := []struct {
		name    string
		entry   string
		regions []string
		region  string
		access  *bool
		want    bool
	}{
		{"default region", "aws(euAccess=*)", nil, "cf-eu11", nil, true},
		{"other region", "aws(euAccess=*)", nil, "cf-eu10", nil, false},
		{"no region", "aws(euAccess=*)", nil, "", nil, false},
		{"own list", "aws(euAccess=*)", []string{"cf-eu10"}, "cf-eu10", nil, true},
		{"own list replaces the default", "aws(euAccess=*)", []string{"cf-eu10"}, "cf-eu11", nil, false},
		{"empty list", "aws(euAccess=*)", []string{}, "cf-eu11", nil, false},
		{"the request says yes", "aws(euAccess=*)", nil, "cf-eu10", &yes, true},
		{"the request says no", "aws(euAccess=*)", nil, "cf-eu11", &no, false},
		{"always", "aws(euAccess)", nil, "cf-eu10", &no, true},
		{"never", "aws", nil, "cf-eu11", &yes, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			set, problems := rules.Compile(rules.Source{Entries: []string{tt.entry}, EUAccessPlatformRegions: tt.regions})
			if set == nil {
				t.Fatal(problems)
			}
			m, err := set.Match(rules.Request{Plan: "aws", PlatformRegion: tt.region, EUAccess: tt.access})
			if err != nil || m.EUAccess() != tt.want {
				t.Errorf("EUAccess() = %v, %v; want %v", m.EUAccess(), err, tt.want)
			}
		})
	}
}

func TestPlans(t *testing.T) {
	t.Parallel()
	t.Run("own table", func(t *testing.T) {
		t.Parallel()
		set, problems := rules.Compile(rules.Source{
			Entries: []string{"mine(PR)", "openstack"},
			Plans:   rules.Plans{"mine": {"aws", "gcp", "aws"}, "openstack": {"own"}, "sap-converged-cloud": {"openstack"}},
		})
		if set == nil {
			t.Fatal(problems)
		}
		m, err := set.Match(request("mine", "a", "", "gcp"))
		if err != nil || m.HyperscalerType() != "gcp_a" {
			t.Errorf("Match(mine) = %s, %v", m.HyperscalerType(), err)
		}
		// a plan called openstack is not the alias
		m, err = set.Match(request("openstack"))
		if err != nil || m.HyperscalerType() != "own" || m.Entry().Plan != "openstack" {
			t.Errorf("Match(openstack) = %s, %v", m.HyperscalerType(), err)
		}
		if _, err := set.Match(request("sap-converged-cloud")); err == nil {
			t.Error("Match(sap-converged-cloud) found the entry of openstack")
		}
		if _, err := set.Match(request("mine", "a")); err == nil || !strings.Contains(err.Error(), "mine runs on aws or gcp;") {
			t.Errorf("Match(mine) without a hyperscaler: %v", err)
		}
	})
	t.Run("no alias without its plan", func(t *testing.T) {
		t.Parallel()
		checkProblems(t, rules.Source{Entries: []string{"openstack"}, Plans: only(rules.Plans{"gcp": {"gcp"}})},
			"unknown_plan [1] 1 Unknown plan")
	})
	t.Run("fresh copies", func(t *testing.T) {
		t.Parallel()
		plans, regions := rules.DefaultPlans(), rules.DefaultEUAccessPlatformRegions()
		plans["gcp"][0], regions[0] = "changed", "changed"
		delete(plans, "aws")
		if got := rules.DefaultPlans(); len(got) != 14 || got["gcp"][0] != "gcp" || !slices.Equal(got["trial"], []string{"aws", "azure"}) {
			t.Errorf("DefaultPlans() = %v", got)
		}
		if got := rules.DefaultEUAccessPlatformRegions(); !slices.Equal(got, []string{"cf-eu11", "cf-ch20"}) {
			t.Errorf("DefaultEUAccessPlatformRegions() = %v", got)
		}
	})
	t.Run("the caller's table may change later", func(t *testing.T) {
		t.Parallel()
		plans := only(rules.Plans{"gcp": {"gcp"}})
		set, _ := rules.Compile(rules.Source{Entries: []string{"gcp"}, Plans: plans})
		plans["gcp"][0] = "changed"
		if m, err := set.Match(request("gcp")); err != nil || m.HyperscalerType() != "gcp" {
			t.Errorf("Match() = %s, %v", m.HyperscalerType(), err)
		}
	})
}

//nolint:paralleltest // AllocsPerRun counts the allocations of all goroutines.
func TestMatchDoesNotAllocate(t *testing.T) {
	yes := true
	set := compile(t, attribute, largeSet()...)
	for _, r := range largeRequests() {
		r.EUAccess = &yes
		if n := testing.AllocsPerRun(100, func() {
			if _, err := set.Match(r.Request); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("Match(%v) allocates %v times", r, n)
		}
	}
}
