package rules_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

func TestConvertLegacy(t *testing.T) {
	t.Parallel()
	plans := rules.Plans{
		"aws": {"aws"}, "azure": {"azure"}, "gcp": {"gcp"}, "sap-converged-cloud": {"openstack"}, "trial": {"aws", "azure"},
	}
	gcp := rules.Plans{"gcp": {"gcp"}}
	const taken, onRequest, settled = "Taken for a platform region", "Converted to euAccess=*", "Settled by euAccess=*"
	tests := []struct {
		name     string
		legacy   rules.Legacy
		plans    rules.Plans
		entries  string
		warnings []string
	}{
		{"seed 001, Examples, no configuration", rules.Legacy{}, plans, "aws azure gcp sap-converged-cloud trial", nil},
		{"seed 001, Examples, all gcp clusters", rules.Legacy{PlatformRegionRule: "gcp"}, plans,
			"aws azure gcp(PR=*) sap-converged-cloud trial", nil},
		{"seed 001, Examples, with region specified", rules.Legacy{PlatformRegionRule: "gcp:cf-sa30"}, plans,
			"aws azure gcp gcp(PR=cf-sa30) sap-converged-cloud trial", []string{"platform_region_rule 1 " + taken}},
		{"seed 001, Examples, multiple elements", rules.Legacy{PlatformRegionRule: "gcp:cf-sa30;gcp:cf-jp30;aws:cf-eu11;openstack"}, plans,
			"aws aws(PR=cf-eu11) azure gcp gcp(PR=cf-sa30) gcp(PR=cf-jp30) sap-converged-cloud(PR=*) trial", []string{
				"platform_region_rule 1 " + taken, "platform_region_rule 13 " + taken, "platform_region_rule 25 " + taken,
			}},
		{"seed 001, Examples, cluster region", rules.Legacy{PlatformRegionRule: "gcp", ClusterRegionRule: "azure"}, plans,
			"aws azure(CR=*) gcp(PR=*) sap-converged-cloud trial", nil},
		{"seed 001, Examples, both regions", rules.Legacy{PlatformRegionRule: "gcp", ClusterRegionRule: "gcp"}, plans,
			"aws azure gcp(PR=*,CR=*) sap-converged-cloud trial", nil},
		{"seed 001, Examples, all four",
			rules.Legacy{PlatformRegionRule: "gcp", ClusterRegionRule: "gcp", SharedRule: "gcp", EUAccessRule: "gcp"}, plans,
			"aws azure gcp(PR=*,CR=*,shared,euAccess) sap-converged-cloud trial", nil},
		{"seed 001, Examples, initial configuration without EU access",
			rules.Legacy{PlatformRegionRule: "gcp:cf-sa30", ClusterRegionRule: "sap-converged-cloud", SharedRule: "trial;sap-converged-cloud"}, plans,
			"aws azure gcp gcp(PR=cf-sa30) sap-converged-cloud(CR=*,shared) trial(shared)", []string{"platform_region_rule 1 " + taken}},
		{"rules.md: legacy platform *:cf-eu11", rules.Legacy{PlatformRegionRule: "*:cf-eu11"}, plans,
			"aws aws(PR=cf-eu11) azure azure(PR=cf-eu11) gcp gcp(PR=cf-eu11) sap-converged-cloud sap-converged-cloud(PR=cf-eu11) " +
				"trial trial(PR=cf-eu11)", []string{"platform_region_rule 1 " + taken}},
		{"EU access of the platform region", rules.Legacy{EUAccessRule: "*:cf-eu11;gcp;*:cf-ch20"}, plans,
			"aws(euAccess=*) azure(euAccess=*) gcp(euAccess) sap-converged-cloud(euAccess=*) trial(euAccess=*)", []string{
				"eu_access_rule 1 " + taken, "eu_access_rule 1 " + onRequest, "eu_access_rule 15 " + taken, "eu_access_rule 15 " + onRequest,
			}},
		{"EU access of the platform region, one with a suffix", rules.Legacy{EUAccessRule: "gcp:cf-eu11;gcp:cf-ch20", PlatformRegionRule: "gcp:cf-eu11;gcp:cf-sa30"}, gcp,
			"gcp(euAccess=*) gcp(PR=cf-eu11,euAccess) gcp(PR=cf-sa30,euAccess=*)", []string{
				"platform_region_rule 1 " + taken, "platform_region_rule 13 " + taken,
				"eu_access_rule 1 " + taken, "eu_access_rule 13 " + taken, "eu_access_rule 13 " + onRequest,
			}},
		{"EU access of a region with a suffix", rules.Legacy{PlatformRegionRule: "gcp", EUAccessRule: "gcp:cf-eu11"}, gcp,
			"gcp(PR=*) gcp(PR=cf-eu11,euAccess)", []string{"eu_access_rule 1 " + taken}},
		{"shared in regions that both stand in the type", rules.Legacy{PlatformRegionRule: "gcp", ClusterRegionRule: "gcp", SharedRule: "gcp:eu"}, gcp,
			"gcp(PR=*,CR=*) gcp(PR=eu,CR=*,shared) gcp(PR=*,CR=eu,shared) gcp(PR=eu,CR=eu,shared,euAccess=*)", []string{"shared_rule 1 " + settled}},
		{"two regions meet", rules.Legacy{PlatformRegionRule: "gcp", ClusterRegionRule: "gcp", SharedRule: "gcp:eu", EUAccessRule: "gcp:cf-eu11"}, gcp,
			"gcp(PR=*,CR=*) gcp(PR=eu,CR=*,shared) gcp(PR=cf-eu11,CR=*,euAccess) gcp(PR=*,CR=eu,shared) " +
				"gcp(PR=eu,CR=eu,shared,euAccess=*) gcp(PR=cf-eu11,CR=eu,shared,euAccess)", []string{"shared_rule 1 " + settled, "eu_access_rule 1 " + taken}},
		{"a region that adds nothing", rules.Legacy{SharedRule: "gcp:eu;gcp"}, gcp, "gcp(shared)", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			entries, problems := rules.ConvertLegacy(tt.legacy, tt.plans)
			if got := strings.Join(entries, " "); got != tt.entries {
				t.Errorf("got  %s\nwant %s", got, tt.entries)
			}
			var warnings []string
			for _, w := range tt.warnings {
				field, rest, _ := strings.Cut(w, " ")
				column, summary, _ := strings.Cut(rest, " ")
				warnings = append(warnings, fmt.Sprintf("warning %s inexpressible %s %s in %s", field, column, summary, field))
			}
			if got := legacyShorts(problems); !slices.Equal(got, warnings) {
				t.Errorf("problems are\n%q\nwant\n%q", got, warnings)
			}
		})
	}
	if entries, problems := rules.ConvertLegacy(rules.Legacy{}, nil); len(entries) != 14 || len(problems) != 0 {
		t.Errorf("the default plans become %q, %v", entries, problems)
	}
	if entries, problems := rules.ConvertLegacy(rules.Legacy{}, rules.Plans{"gcp": nil}); entries != nil || !slices.Equal(legacyShorts(problems), []string{"plans parse 0 No hyperscaler"}) {
		t.Errorf("a plan without a hyperscaler becomes %q, %v", entries, problems)
	}
}

func TestConvertLegacyRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		legacy rules.Legacy
		want   []string // field, column and what the message says behind the element
	}{
		{"seed 001, Examples, initial configuration", rules.Legacy{
			PlatformRegionRule: "gcp:cf-sa30", ClusterRegionRule: "sap-converged-cloud",
			SharedRule: "trial;sap-converged-cloud", EUAccessRule: "azure:cf-ch20;aws:cf-eu11",
		}, []string{
			`eu_access_rule 1 plan azure gets EU access in cf-ch20 without the region in its hyperscaler type, and euAccess=* would grant it in cf-eu11 too. ` +
				`Set syntax = "arrow" and write "azure", "azure(PR=cf-ch20) -> EU" for plan azure.`,
			`eu_access_rule 15 plan aws gets EU access in cf-eu11 without the region in its hyperscaler type, and euAccess=* would grant it in cf-ch20 too. ` +
				`Set syntax = "arrow" and write "aws", "aws(PR=cf-eu11) -> EU" for plan aws.`,
		}},
		{"shared in a region", rules.Legacy{SharedRule: "trial:eu"}, []string{
			`shared_rule 1 an entry that matches the hyperscaler region also adds it to the hyperscaler type, and plan trial does not get it there. ` +
				`Set syntax = "arrow" and write "trial", "trial(PR=eu) -> S", "trial(HR=eu) -> S", "trial(PR=eu,HR=eu) -> S" for plan trial.`,
		}},
		{"shared in a region, beside the hyperscaler region", rules.Legacy{SharedRule: "gcp:eu", ClusterRegionRule: "gcp"}, []string{
			`shared_rule 1 an entry that matches the platform region also adds it to the hyperscaler type, and plan gcp does not get it there. Set`,
		}},
		{"shared in a platform region", rules.Legacy{SharedRule: "gcp:cf-eu11"}, []string{
			`shared_rule 1 an entry that matches the platform region also adds it to the hyperscaler type, and plan gcp does not get it there. Set`,
		}},
		{"platform region where the hyperscaler region is one", rules.Legacy{PlatformRegionRule: "gcp:me-central2"}, []string{
			`platform_region_rule 1 an entry that matches the hyperscaler region also adds it to the hyperscaler type, and plan gcp does not get it there. Set`,
		}},
		{"hyperscaler region where the platform region is one", rules.Legacy{ClusterRegionRule: "gcp:cf-sa30"}, []string{
			`cluster_region_rule 1 an entry that matches the platform region also adds it to the hyperscaler type, and plan gcp does not get it there. Set`,
		}},
		{"a hyperscaler region that must be there", rules.Legacy{ClusterRegionRule: "gcp:cf-sa30", PlatformRegionRule: "gcp:cf-sa30"}, []string{
			`cluster_region_rule 1 a request of plan gcp with the platform region cf-sa30 and without a hyperscaler region must fail, but the entry for other regions would take it. Set`,
		}},
		{"a platform region that must be there", rules.Legacy{ClusterRegionRule: "gcp", PlatformRegionRule: "gcp:eu"}, []string{
			`platform_region_rule 1 a request of plan gcp with the hyperscaler region eu and without a platform region must fail, but the entry for other regions would take it. Set`,
		}},
		{"EU access in regions of its own", rules.Legacy{EUAccessRule: "gcp:cf-eu11;gcp:cf-ch20;gcp:cf-eu99"}, []string{
			`eu_access_rule 1 plan gcp gets EU access in cf-eu11 without the region in its hyperscaler type, and euAccess=* grants it in cf-eu11 and cf-ch20 alone. Set`,
			`eu_access_rule 13 plan gcp gets EU access in cf-ch20 without`, `eu_access_rule 25 plan gcp gets EU access in cf-eu99 without`,
		}},
		{"EU access with as many attributes as another region",
			rules.Legacy{EUAccessRule: "gcp:cf-eu11", PlatformRegionRule: "gcp:cf-ch20"}, []string{
				`eu_access_rule 1 plan gcp gets EU access in cf-eu11 without the region in its hyperscaler type, and euAccess=* would have as many attributes as the entry for cf-ch20. Set`,
			}},
		{"no attribute left", rules.Legacy{ClusterRegionRule: "gcp", PlatformRegionRule: "gcp", EUAccessRule: "gcp:eu"}, []string{
			`eu_access_rule 1 for plan gcp two entries would match a request with platform region eu and hyperscaler region eu, and no attribute is left to settle them. Set`,
		}},
		{"all plans", rules.Legacy{SharedRule: "*:cf-eu11;gcp"}, []string{
			`shared_rule 1 an entry that matches the platform region also adds it to the hyperscaler type, and plan alicloud does not get it there. ` +
				`The same holds for 12 more plans. Set syntax = "arrow" and write "alicloud", "alicloud(PR=cf-eu11) -> S" for plan alicloud.`,
		}},
		{"many entries", rules.Legacy{SharedRule: "gcp:a;gcp:b;gcp:c"}, []string{
			`shared_rule 1 an entry that matches the hyperscaler region also adds it to the hyperscaler type, and plan gcp does not get it there. ` +
				`Set syntax = "arrow" and write "gcp", "gcp(PR=a) -> S", "gcp(PR=b) -> S", "gcp(PR=c) -> S", "gcp(HR=a) -> S", "gcp(PR=a,HR=a) -> S" and 10 more for plan gcp.`,
			`shared_rule 7 an entry`, `shared_rule 13 an entry`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			entries, problems := rules.ConvertLegacy(tt.legacy, nil)
			if entries != nil || len(problems) != len(tt.want) {
				t.Fatalf("entries are %q, problems are %v, want %d", entries, problems, len(tt.want))
			}
			for i, p := range problems {
				field := strings.TrimPrefix(p.Field, "legacy.")
				_, message, _ := strings.Cut(strings.TrimPrefix(p.Message, "Not convertible in "+field+": "), `": `)
				if got := fmt.Sprintf("%s %d %s", field, p.Column, message); !strings.HasPrefix(got, tt.want[i]) || p.Severity != rules.SeverityError {
					t.Errorf("got\n%s\nwant\n%s", got, tt.want[i])
				}
			}
		})
	}
}

// generateLegacy calls check for random legacy sets. The seed of a failing set is printed.
func generateLegacy(t *testing.T, sets int, check func(t *testing.T, s legacySpecs, l rules.Legacy)) {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range sets {
		s := randomLegacy(r)
		check(t, s, s.legacy(r))
		if t.Failed() {
			t.FailNow()
		}
	}
}

// A converted set compiles without a finding and answers every request as the properties do; if there are warnings, then
// every request that does not do what they warn of.
func TestConvertedSetsAnswerAlike(t *testing.T) {
	t.Parallel()
	all := legacyRequests()
	exact, assumed, refused, compared := 0, 0, 0, 0
	generateLegacy(t, 800, func(t *testing.T, _ legacySpecs, l rules.Legacy) {
		entries, problems := rules.ConvertLegacy(l, legacyPlans)
		if (entries == nil) != problems.HasErrors() {
			t.Fatalf("%+v: entries are %q, problems are %v", l, entries, problems)
		}
		switch {
		case entries == nil:
			refused++
			return
		case len(problems) > 0:
			assumed++
		default:
			exact++
		}
		legacy, found := rules.Compile(rules.Source{Legacy: &l, Plans: legacyPlans})
		if len(found) > 0 {
			t.Fatalf("%+v: %v", l, found)
		}
		converted, found := rules.Compile(rules.Source{Entries: entries, Plans: legacyPlans})
		if len(found) > 0 {
			t.Fatalf("%+v becomes %q: %v", l, entries, found)
		}
		for _, r := range all {
			if len(problems) > 0 && (strings.HasPrefix(r.HyperscalerRegion, "cf-") || r.EUAccess != nil) {
				continue
			}
			compared++
			if got, want := answer(converted, r), answer(legacy, r); got != want {
				t.Errorf("%+v becomes %q: %v is %s, want %s; %v", l, entries, r, got, want, problems)
				return
			}
		}
	})
	t.Logf("%d exact, %d with warnings, %d refused", exact, assumed, refused)
	if exact < 25 || assumed < 25 || refused < 100 || compared < 50_000 {
		t.Errorf("too little was tried: %d exact, %d with warnings, %d refused, %d requests", exact, assumed, refused, compared)
	}
}
