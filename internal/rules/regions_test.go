package rules_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// An EU label for a region that has no EU access leads its tenants past the pool of the region that was meant.
func TestWarnsOfEUAccessInAnotherRegion(t *testing.T) {
	t.Parallel()
	near := `the regions with EU access are cf-eu11, cf-ch20, cf-eu01, cf-eu02. Did you mean "cf-eu11"? ` +
		"Correct the region, or add it to eu_access_platform_regions."
	for _, tt := range []struct {
		name string
		src  rules.Source
		want []string // as short
		text string   // in the message of the first
	}{
		{"arrow", rules.Source{Syntax: arrow, Entries: []string{"aws", "aws(PR=cf-eu1l) -> EU"}},
			[]string{"warning eu_access [2] 8 EU access in another region"}, "leads requests in cf-eu1l to a pool with EU access, and " + near},
		{"arrow, with a hyperscaler region", rules.Source{Syntax: arrow, Entries: []string{"aws(HR=eu-central-1, PR=cf-eu1l) -> S,EU"}},
			[]string{"warning eu_access [1] 25 EU access in another region"}, near},
		{"attribute", rules.Source{Entries: []string{"aws(euAccess, PR=cf-eu1l)"}},
			[]string{"warning eu_access [1] 18 EU access in another region"}, near},
		{"attribute, written out", rules.Source{Entries: []string{"aws(platformRegion=cf-eu10, euAccess=true)"}},
			[]string{"warning eu_access [1] 20 EU access in another region"}, "in cf-eu10"},
		{"on request it is no label for the region", rules.Source{Entries: []string{"aws(PR=cf-eu1l, euAccess=*)"}}, nil, ""},
		{"any region", rules.Source{Entries: []string{"aws(PR=*, euAccess)"}}, nil, ""},
		{"a hyperscaler region", rules.Source{Entries: []string{"aws(CR=eu-central-1, euAccess)"}}, nil, ""},
		{"the right region", rules.Source{Syntax: arrow, Entries: []string{"aws(PR=cf-eu11) -> EU", "azure(PR=cf-ch20) -> EU"}}, nil, ""},
		{"no label", rules.Source{Syntax: arrow, Entries: []string{"aws(PR=cf-eu1l) -> PR"}}, nil, ""},
		{"own regions", rules.Source{
			Syntax: arrow, EUAccessPlatformRegions: []string{"cf-eu30"}, Entries: []string{"aws(PR=cf-eu30) -> EU", "azure(PR=cf-eu01) -> EU"},
		}, []string{"warning eu_access [2] 10 EU access in another region"}, "the regions with EU access are cf-eu30. "},
		{"no regions", rules.Source{Syntax: arrow, EUAccessPlatformRegions: []string{}, Entries: []string{"aws(PR=cf-eu11) -> EU"}},
			[]string{"warning eu_access [1] 8 EU access in another region"}, "no region is in eu_access_platform_regions."},
		{"legacy", rules.Source{Legacy: &rules.Legacy{EUAccessRule: "azure:cf-ch20; aws:cf-eu1l"}},
			[]string{"warning eu_access [] 20 EU access in another region in eu_access_rule"}, `"aws:cf-eu1l" leads requests in cf-eu1l`},
		{"legacy, all plans", rules.Source{Legacy: &rules.Legacy{EUAccessRule: "*:cf-eu10"}},
			[]string{"warning eu_access [] 3 EU access in another region in eu_access_rule"}, "in cf-eu10"},
		{"legacy, a hyperscaler region", rules.Source{Legacy: &rules.Legacy{EUAccessRule: "azure:switzerlandnorth;aws:eu-central-1"}}, nil, ""},
		{"legacy, another property", rules.Source{Legacy: &rules.Legacy{SharedRule: "aws:cf-eu1l"}}, nil, ""},
		{"legacy, a platform region with another kind of name", rules.Source{
			Legacy: &rules.Legacy{EUAccessRule: "aws:frankfurt"}, PlatformRegions: []string{"frankfurt", "cf-eu11"},
		}, []string{"warning eu_access [] 5 EU access in another region in eu_access_rule"}, "in frankfurt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			problems := checkProblems(t, tt.src, tt.want...)
			if len(problems) > 0 && !strings.Contains(problems[0].Message, tt.text) {
				t.Errorf("%s, want %q", problems[0].Message, tt.text)
			}
		})
	}
}

// A region outside of the list of the landscape is an error at its place, with the nearest.
func TestPlatformRegions(t *testing.T) {
	t.Parallel()
	landscape := []string{"cf-eu10", "cf-eu11", "cf-sa30"}
	for _, tt := range []struct {
		name string
		src  rules.Source
		want []string
		text string
	}{
		{"attribute", rules.Source{Entries: []string{"gcp", "gcp(PR=cf-sa3O)", "aws(PR=cf-eu11,shared)"}},
			[]string{"unknown_region [2] 8 Unknown platform region"},
			`Unknown platform region: found "cf-sa3O", which platform_regions does not have. Did you mean "cf-sa30"? Correct the region, ` +
				"or add it to platform_regions."},
		{"arrow, before the EU access", rules.Source{Syntax: arrow, Entries: []string{"aws(PR=cf-eu1l) -> EU"}},
			[]string{"unknown_region [1] 8 Unknown platform region"}, `Did you mean "cf-eu11"?`},
		{"nothing near", rules.Source{Syntax: arrow, Entries: []string{"aws(PR=xx)"}},
			[]string{"unknown_region [1] 8 Unknown platform region"}, "does not have. Correct"},
		{"any region, no region, a hyperscaler region", rules.Source{Entries: []string{"gcp(PR=*)", "aws", "azure(CR=cf-sa3O)"}}, nil, ""},
		{"EU access", rules.Source{Entries: []string{"aws"}, EUAccessPlatformRegions: []string{"cf-eu1l", "cf-eu11"}},
			[]string{"unknown_region [] 0 Unknown platform region"}, `found "cf-eu1l"`},
		{"the default of EU access is no error", rules.Source{Entries: []string{"aws(euAccess=*)"}}, nil, ""},
		{"legacy, near", rules.Source{Legacy: &rules.Legacy{PlatformRegionRule: "gcp:cf-sa3O"}},
			[]string{"unknown_region [] 5 Unknown platform region in platform_region_rule"}, `Did you mean "cf-sa30"?`},
		{"legacy, a hyperscaler region", rules.Source{Legacy: &rules.Legacy{PlatformRegionRule: "gcp:us-central1;gcp:cf-sa30"}}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.src.PlatformRegions = landscape
			problems := checkProblems(t, tt.src, tt.want...)
			if len(problems) > 0 && !strings.Contains(problems[0].Message, tt.text) {
				t.Errorf("%s, want %q", problems[0].Message, tt.text)
			}
		})
	}
	checkProblems(t, rules.Source{Entries: []string{"aws"}, PlatformRegions: []string{}}, "parse [] 0 No platform regions")
	checkProblems(t, rules.Source{Entries: []string{"aws"}, PlatformRegions: []string{"cf eu", "cf-eu10"}},
		"parse [] 0 Invalid platform region")
}

// A request in a region that the landscape does not have is an error at the region. Apart from that the list changes no answer, and
// a set without it keeps its ID.
func TestPlatformRegionsOfRequests(t *testing.T) {
	t.Parallel()
	random := uint64(time.Now().UnixNano())
	t.Logf("random seed %d", random)
	r := rand.New(rand.NewPCG(random, 0))
	answered, refused := 0, 0
	for range 80 {
		src := randomSource(r)
		src.PlatformRegions = nil
		plain, _ := rules.Compile(src)
		src.PlatformRegions = slices.Concat(filePlatforms, legacyRegions, src.EUAccessPlatformRegions, []string{"other"})
		set, problems := rules.Compile(src)
		if set == nil {
			t.Fatalf("%+v: %v", src, problems)
		}
		if set.ID() == plain.ID() {
			t.Fatalf("%+v has the ID of the set without platform regions", src)
		}
		for _, q := range brokerRequests() {
			_, err := set.Match(q)
			var wrong *rules.RequestError
			switch {
			case slices.Contains(src.PlatformRegions, q.PlatformRegion):
				answered++
				if got, want := answer(set, q), answer(plain, q); got != want {
					t.Fatalf("%+v: %v is %s, want %s", src, q, got, want)
				}
			case !errors.As(err, &wrong) || wrong.Field != "platform_region" || wrong.Reason != rules.ReasonUnknownRegion:
				t.Fatalf("%+v: %v is %v, want an error at the region", src, q, err)
			default:
				refused++
			}
		}
	}
	if answered == 0 || refused == 0 {
		t.Errorf("too little was tried: %d, %d", answered, refused)
	}
	set, _ := rules.Compile(rules.Source{Entries: []string{"aws(PR=*)"}, PlatformRegions: []string{"cf-eu10", "cf-eu11"}})
	_, err := set.Match(request("aws", "cf-eu1l"))
	if err == nil || !strings.Contains(err.Error(), `found "cf-eu1l", which platform_regions does not have. Did you mean "cf-eu11"?`) {
		t.Errorf("a near miss: %v", err)
	}
	if _, err = set.Match(request("aws")); err == nil || strings.Contains(err.Error(), "platform_regions") {
		t.Errorf("no region is none that is unknown: %v", err)
	}
}

// No rule leads to the pool of a platform region that the landscape does not have.
func TestLeadsToKnowsThePlatformRegions(t *testing.T) {
	t.Parallel()
	src := rules.Source{Entries: []string{"gcp(PR=*)", "aws(CR=*)", "azure(PR=*,CR=*)"}, PlatformRegions: []string{"cf-eu10"}}
	set, _ := rules.Compile(src)
	for hyperscalerType, want := range map[string]bool{
		"gcp_cf-eu10": true, "gcp_cf-eu1O": false, "aws_cf-eu1O": true, "azure_cf-eu10_westeurope": true, "azure_cf-eu1O_westeurope": false,
	} {
		if got := set.LeadsTo(account.Target{HyperscalerType: hyperscalerType}); got != want {
			t.Errorf("leads to %s: %t, want %t", hyperscalerType, got, want)
		}
	}
}
