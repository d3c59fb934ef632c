package rules_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// compile returns the set of a source that has no errors.
func compile(t testing.TB, syntax rules.Syntax, entries ...string) *rules.Set {
	t.Helper()
	set, problems := rules.Compile(rules.Source{Syntax: syntax, Entries: entries})
	if set == nil {
		t.Fatalf("%q does not compile: %v", entries, problems)
	}
	return set
}

// request makes a request of plan, platform region, hyperscaler region, hyperscaler; the last ones may be left out.
func request(parts ...string) rules.Request {
	parts = append(parts, "", "", "")
	return rules.Request{Plan: parts[0], PlatformRegion: parts[1], HyperscalerRegion: parts[2], Hyperscaler: parts[3]}
}

// butEUAccess is the problems without the warnings about EU access in a region that is none with EU access: random sets have them.
func butEUAccess(problems rules.Problems) rules.Problems {
	return slices.DeleteFunc(slices.Clone(problems), func(p rules.Problem) bool { return p.Kind == rules.KindEUAccess })
}

// only is the plans of a source that has these and no other: it takes all others out of the built-in table.
func only(plans rules.Plans) rules.Plans {
	all := rules.DefaultPlans()
	for name := range all {
		all[name] = plans[name]
	}
	for name, hyperscalers := range plans {
		all[name] = hyperscalers
	}
	return all
}

const (
	attribute = rules.SyntaxAttribute
	arrow     = rules.SyntaxArrow
)

func TestWorkedCases(t *testing.T) {
	t.Parallel()
	type want struct {
		request rules.Request
		target  string // account.Target.String(); empty = an error
		field   string // of the error
		reason  rules.Reason
	}
	tests := []struct {
		name    string
		syntax  rules.Syntax
		entries []string
		wants   []want
	}{
		{"ADR 001: gcp, gcp(PR=cf-sa30)", attribute, []string{"gcp", "gcp(PR=cf-sa30)"}, []want{
			{request: request("gcp", "cf-sa30"), target: "gcp_cf-sa30"},
			{request: request("gcp", "cf-eu10"), target: "gcp"},
		}},
		{"ADR 001: aws(PR=*)", attribute, []string{"aws(PR=*)"}, []want{
			{request: request("aws", "cf-eu11"), target: "aws_cf-eu11"},
			{request: request("aws"), field: "platform_region", reason: rules.ReasonNoEntry},
		}},
		{"ADR 001: gcp(CR=us-central1)", attribute, []string{"gcp(CR=us-central1)"}, []want{
			{request: request("gcp", "", "us-central1"), target: "gcp_us-central1"},
		}},
		{"ADR 001: gcp(CR=*, PR=*)", attribute, []string{"gcp(CR=*, PR=*)"}, []want{
			{request: request("gcp", "cf-jp30", "asia-northeast1"), target: "gcp_cf-jp30_asia-northeast1"},
		}},
		{"ADR 001: gcp(CR=*, PR=*, euAccess=true, shared=true)", attribute,
			[]string{"gcp(CR=*, PR=*, euAccess=true, shared=true)"}, []want{
				{request: request("gcp", "cf-eu30", "europe-west3"), target: "gcp_cf-eu30_europe-west3,shared,euAccess"},
			}},
		{"ADR 001: azure(euAccess=*)", attribute, []string{"azure(euAccess=*)"}, []want{
			{request: request("azure", "cf-ch20"), target: "azure,euAccess"},
			{request: request("azure", "cf-eu20"), target: "azure"},
		}},
		{"ADR 001: openstack(CR=*, shared)", attribute, []string{"openstack(CR=*, shared)"}, []want{
			{request: request("sap-converged-cloud", "", "eu-de-1"), target: "openstack_eu-de-1,shared"},
			{request: request("openstack", "", "eu-de-1"), target: "openstack_eu-de-1,shared"},
		}},
		{"ADR 001: trial(shared)", attribute, []string{"trial(shared)"}, []want{
			{request: request("trial", "", "", "aws"), target: "aws,shared"},
			{request: request("trial"), field: "hyperscaler", reason: rules.ReasonHyperscalerRequired},
		}},
		{"ADR 001: gcp(PR=a), gcp(CR=b), gcp(PR=a,CR=b)", attribute,
			[]string{"gcp(PR=a)", "gcp(CR=b)", "gcp(PR=a,CR=b)"}, []want{
				{request: request("gcp", "a", "b"), target: "gcp_a_b"},
				{request: request("gcp", "a", "c"), target: "gcp_a"},
				{request: request("gcp", "c", "b"), target: "gcp_b"},
				{request: request("gcp", "c", "c"), field: "plan", reason: rules.ReasonNoEntry},
			}},
		{"ADR 001: azure, gcp", attribute, []string{"azure", "gcp"}, []want{
			{request: request("aws"), field: "plan", reason: rules.ReasonNoEntry},
		}},
		{"ADR 002: aws(PR=cf-eu11) -> EU , aws", arrow, []string{"aws(PR=cf-eu11) -> EU", "aws"}, []want{
			{request: request("aws", "cf-eu11"), target: "aws,euAccess"},
			{request: request("aws", "cf-eu12"), target: "aws"},
		}},
		{"ADR 002: gcp(PR=cf-sa30)", arrow, []string{"gcp(PR=cf-sa30)"}, []want{
			{request: request("gcp", "cf-sa30"), target: "gcp"},
		}},
		{"ADR 002: gcp(PR=cf-sa30) -> PR", arrow, []string{"gcp(PR=cf-sa30) -> PR"}, []want{
			{request: request("gcp", "cf-sa30"), target: "gcp_cf-sa30"},
		}},
		{"ADR 002: aws(PR=cf-eu11, HR=westeu) -> EU, S, PR, HR", arrow,
			[]string{"aws(PR=cf-eu11, HR=westeu) -> EU, S, PR, HR"}, []want{
				{request: request("aws", "cf-eu11", "westeu"), target: "aws_cf-eu11_westeu,shared,euAccess"},
			}},
		{"ADR 002: the default of KEB", arrow, []string{"sap-converged-cloud(HR=*) -> S"}, []want{
			{request: request("sap-converged-cloud", "", "eu-de-1"), target: "openstack_eu-de-1,shared"},
			{request: request("sap-converged-cloud"), field: "hyperscaler_region", reason: rules.ReasonNoEntry},
		}},
		{"ADR 002: a region that the request lacks", arrow, []string{"gcp -> PR", "aws -> HR"}, []want{
			{request: request("gcp", "cf-eu10"), target: "gcp_cf-eu10"},
			{request: request("gcp"), field: "platform_region", reason: rules.ReasonRegionRequired},
			{request: request("aws", "cf-eu10"), field: "hyperscaler_region", reason: rules.ReasonRegionRequired},
		}},
		{"the broker's page, Attribute with *", attribute, []string{"aws(PR=*)"}, []want{
			{request: request("aws", "cf-eu10"), target: "aws_cf-eu10"},
			{request: request("aws", "cf-us10"), target: "aws_cf-us10"},
		}},
		{"the broker's page, Platform Region Attribute", attribute, []string{"gcp(PR=cf-sa30)"}, []want{
			{request: request("gcp", "cf-sa30"), target: "gcp_cf-sa30"},
			{request: request("gcp", "cf-eu30"), field: "plan", reason: rules.ReasonNoEntry},
		}},
		{"the broker's page, Cluster Region Attribute", attribute, []string{"gcp(CR=*)"}, []want{
			{request: request("gcp", "cf-eu30", "us-central1"), target: "gcp_us-central1"},
			{request: request("gcp", "cf-eu30", "europe-west3"), target: "gcp_europe-west3"},
		}},
		{"the broker's page, Shared attribute", attribute, []string{"gcp(CR=us-central1,shared)", "gcp(CR=europe-west3)"}, []want{
			{request: request("gcp", "", "us-central1"), target: "gcp_us-central1,shared"},
			{request: request("gcp", "", "europe-west3"), target: "gcp_europe-west3"},
		}},
		{"the broker's page, Attribute and non-attribute rules", attribute, []string{"gcp(PR=cf-sa30)", "gcp"}, []want{
			{request: request("gcp", "cf-sa30"), target: "gcp_cf-sa30"},
			{request: request("gcp", "cf-jp30"), target: "gcp"},
			{request: request("gcp"), target: "gcp"},
		}},
		{"the broker's page, Pools Divided per Attribute", attribute, []string{
			"azure", "aws", "aws(PR=cf-eu11)", "gcp", "gcp(PR=cf-sa30)", "gcp(PR=cf-jp30)", "sap-converged-cloud",
		}, []want{
			{request: request("azure", "cf-eu20"), target: "azure"},
			{request: request("aws", "cf-eu10"), target: "aws"},
			{request: request("aws", "cf-eu11"), target: "aws_cf-eu11"},
			{request: request("gcp", "cf-eu30"), target: "gcp"},
			{request: request("gcp", "cf-sa30"), target: "gcp_cf-sa30"},
			{request: request("gcp", "cf-jp30"), target: "gcp_cf-jp30"},
			{request: request("sap-converged-cloud", "cf-eu10", "eu-de-1"), target: "openstack"},
		}},
		{"the broker's page, Multiple Attributes in the same rule", attribute,
			[]string{"gcp(CR=*, PR=*)", "azure", "aws", "sap-converged-cloud"}, []want{
				{request: request("azure"), target: "azure"},
				{request: request("aws"), target: "aws"},
				{request: request("gcp", "cf-eu30", "europe-west3"), target: "gcp_cf-eu30_europe-west3"},
				{request: request("sap-converged-cloud"), target: "openstack"},
				{request: request("gcp", "cf-eu30"), field: "hyperscaler_region", reason: rules.ReasonNoEntry},
			}},
		{"the broker's page, Multiple Attributes in the same rule, all four", attribute,
			[]string{"azure", "aws", "gcp(CR=*, PR=*, euAccess=true, shared=true)", "sap-converged-cloud"}, []want{
				{request: request("gcp", "cf-sa30", "me-central2"), target: "gcp_cf-sa30_me-central2,shared,euAccess"},
				{request: request("azure", "cf-ch20"), target: "azure"},
			}},
		{"the broker's page, Simple Rules", attribute, []string{"azure", "gcp"}, []want{
			{request: request("azure", "cf-eu20", "westeurope"), target: "azure"},
			{request: request("gcp"), target: "gcp"},
		}},
		{"the broker's page, Pools Misconfiguration", attribute, []string{"azure"}, []want{
			{request: request("azure"), target: "azure"},
			{request: request("gcp"), field: "plan", reason: rules.ReasonNoEntry},
		}},
		{"the broker's page, Initial Configuration", attribute, []string{
			"azure(euAccess=*)", "aws(euAccess=*)", "trial(shared)", "gcp", "gcp(PR=cf-sa30) ", "openstack(CR=*, shared)",
		}, []want{
			{request: request("azure", "cf-eu20"), target: "azure"},
			{request: request("azure", "cf-ch20"), target: "azure,euAccess"},
			{request: request("aws", "cf-eu10"), target: "aws"},
			{request: request("aws", "cf-eu11"), target: "aws,euAccess"},
			{request: request("trial", "cf-us10", "", "azure"), target: "azure,shared"},
			{request: request("trial", "cf-us10", "", "aws"), target: "aws,shared"},
			{request: request("gcp", "cf-eu30"), target: "gcp"},
			{request: request("gcp", "cf-sa30"), target: "gcp_cf-sa30"},
			{request: request("sap-converged-cloud", "cf-eu20", "eu-de-2"), target: "openstack_eu-de-2,shared"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			set := compile(t, tt.syntax, tt.entries...)
			for _, want := range tt.wants {
				m, err := set.Match(want.request)
				if want.target == "" {
					var failed *rules.RequestError
					if !errors.As(err, &failed) || failed.Field != want.field || failed.Reason != want.reason {
						t.Errorf("Match(%v) = %v, error %#v; want an error at %s, %s", want.request, m, err, want.field, want.reason)
					}
					continue
				}
				if err != nil {
					t.Errorf("Match(%v): %v; want %s", want.request, err, want.target)
					continue
				}
				if got := m.Target().String(); got != want.target {
					t.Errorf("Match(%v) = %s, want %s", want.request, got, want.target)
				}
			}
		})
	}
}

func TestEntries(t *testing.T) {
	t.Parallel()
	type row struct {
		plan            string
		platform        rules.Pattern
		hyperscaler     rules.Pattern
		hyperscalerType string
		shared          bool
		euAccess        string
		wildcard        bool
		targets         []account.Target
	}
	tests := []struct {
		syntax rules.Syntax
		text   string
		want   row
	}{
		{attribute, "gcp", row{plan: "gcp", hyperscalerType: "gcp", targets: []account.Target{{HyperscalerType: "gcp"}}}},
		{attribute, " gcp ( PR = cf-sa30 , shared ) ", row{
			plan: "gcp", platform: "cf-sa30", hyperscalerType: "gcp_cf-sa30", shared: true,
			targets: []account.Target{{HyperscalerType: "gcp_cf-sa30", Shared: true}},
		}},
		{attribute, "gcp(CR,PR=a)", row{
			plan: "gcp", platform: "a", hyperscaler: "*", hyperscalerType: "gcp_a_<hyperscaler_region>", wildcard: true,
		}},
		{attribute, "gcp(PR)", row{plan: "gcp", platform: "*", hyperscalerType: "gcp_<platform_region>", wildcard: true}},
		{attribute, "openstack(euAccess=*)", row{
			plan: "sap-converged-cloud", hyperscalerType: "openstack", euAccess: "*",
			targets: []account.Target{{HyperscalerType: "openstack"}, {HyperscalerType: "openstack", EUAccess: true}},
		}},
		{attribute, "azure(PR=cf-ch20,euAccess=*)", row{
			plan: "azure", platform: "cf-ch20", hyperscalerType: "azure_cf-ch20", euAccess: "*",
			targets: []account.Target{{HyperscalerType: "azure_cf-ch20", EUAccess: true}},
		}},
		{attribute, "azure(PR=cf-eu20,euAccess=*)", row{
			plan: "azure", platform: "cf-eu20", hyperscalerType: "azure_cf-eu20", euAccess: "*",
			targets: []account.Target{{HyperscalerType: "azure_cf-eu20"}},
		}},
		{attribute, "azure(CR,euAccess=*)", row{
			plan: "azure", hyperscaler: "*", hyperscalerType: "azure_<hyperscaler_region>", euAccess: "*", wildcard: true,
		}},
		{attribute, "trial(HR=b,shared=true,euAccess)", row{
			plan: "trial", hyperscaler: "b", hyperscalerType: "<hyperscaler>_b", shared: true, euAccess: "true",
			targets: []account.Target{
				{HyperscalerType: "aws_b", Shared: true, EUAccess: true}, {HyperscalerType: "azure_b", Shared: true, EUAccess: true},
			},
		}},
		{arrow, "gcp(PR=a)", row{plan: "gcp", platform: "a", hyperscalerType: "gcp", targets: []account.Target{{HyperscalerType: "gcp"}}}},
		{arrow, "gcp(PR=a)->PR", row{
			plan: "gcp", platform: "a", hyperscalerType: "gcp_a", targets: []account.Target{{HyperscalerType: "gcp_a"}},
		}},
		{arrow, "gcp() -> HR,PR", row{
			plan: "gcp", hyperscalerType: "gcp_<platform_region>_<hyperscaler_region>", wildcard: true,
		}},
		{arrow, "gcp(HR=b) -> PR", row{plan: "gcp", hyperscaler: "b", hyperscalerType: "gcp_<platform_region>", wildcard: true}},
		{arrow, "gcp(PR=a) -> HR", row{plan: "gcp", platform: "a", hyperscalerType: "gcp_<hyperscaler_region>", wildcard: true}},
		{arrow, "gcp(HR=*) -> EU", row{
			plan: "gcp", hyperscaler: "*", hyperscalerType: "gcp_<hyperscaler_region>", euAccess: "true", wildcard: true,
		}},
	}
	for _, tt := range tests {
		t.Run(string(tt.syntax)+" "+tt.text, func(t *testing.T) {
			t.Parallel()
			set := compile(t, tt.syntax, "aws", tt.text)
			entries := set.Entries()
			if len(entries) != 2 || entries[1].Number != 2 || entries[1].Text != tt.text {
				t.Fatalf("Entries() = %v, want 2 and the second as written", entries)
			}
			e := entries[1]
			if e.Plan != tt.want.plan || e.PlatformRegion != tt.want.platform || e.HyperscalerRegion != tt.want.hyperscaler ||
				e.HyperscalerType != tt.want.hyperscalerType || e.Shared != tt.want.shared || e.EUAccess != tt.want.euAccess ||
				e.Wildcard() != tt.want.wildcard {
				t.Errorf("got %+v, wildcard %v; want %+v", e, e.Wildcard(), tt.want)
			}
			if got := set.Targets(&e); !slices.Equal(got, tt.want.targets) {
				t.Errorf("Targets() = %v, want %v", got, tt.want.targets)
			}
		})
	}
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	tests := []struct {
		syntax rules.Syntax
		want   string
		texts  []string
	}{
		{attribute, "gcp", []string{"gcp", " gcp ", "gcp()", "gcp ( )", "\tgcp\n"}},
		{attribute, "gcp(PR=*)", []string{"gcp(PR)", "gcp(PR=*)", "gcp( platformRegion )", "gcp(platformRegion = *)"}},
		{attribute, "gcp(CR=b)", []string{"gcp(CR=b)", "gcp(HR=b)", "gcp(clusterRegion=b)", "gcp(hyperscalerRegion=b)"}},
		{attribute, "sap-converged-cloud(CR=*,shared)", []string{"openstack(CR=*, shared)", "sap-converged-cloud(shared=true,HR)"}},
		{attribute, "gcp(PR=a,CR=b,shared,euAccess)", []string{"gcp(euAccess=true,shared=true,CR=b,PR=a)"}},
		{attribute, "gcp(euAccess=*)", []string{"gcp( euAccess = * )"}},
		{arrow, "gcp(PR=a,HR=b) -> PR,HR,S,EU", []string{"gcp(HR=b,PR=a)->EU,S,HR,PR", " gcp ( PR = a , HR = b ) -> S , EU , PR , HR "}},
		{arrow, "sap-converged-cloud(HR=*) -> HR,S", []string{"openstack(HR=*) -> S", "sap-converged-cloud(HR=*)->S,HR"}},
		{arrow, "gcp", []string{"gcp", "gcp()"}},
	}
	for _, tt := range tests {
		for _, text := range append(tt.texts, tt.want) {
			entries := compile(t, tt.syntax, text).Entries()
			if got := entries[0].Canonical(); got != tt.want {
				t.Errorf("%s: Canonical() of %q = %q, want %q", tt.syntax, text, got, tt.want)
			}
		}
	}
}
