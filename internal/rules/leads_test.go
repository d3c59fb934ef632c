package rules

import (
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

// A rule set leads to the pools that some request gets, and to no others.
func TestLeadsTo(t *testing.T) {
	t.Parallel()
	set, problems := Compile(Source{Entries: []string{
		"aws", "aws(PR=cf-eu11, euAccess)", "gcp(PR=*)", "azure(euAccess=*)", "openstack(CR=*, shared)", "trial(PR=*, CR=*, shared)",
		"alicloud(PR=a, CR=*)",
	}})
	if set == nil {
		t.Fatal(problems)
	}
	for text, want := range map[string]bool{
		"aws": true, "aws,shared": false, "aws,euAccess": false, "aws_cf-eu11,euAccess": true, "aws_cf-eu11": false, "aws_cf-eu12,euAccess": false,
		"gcp": false, "gcp_": false, "gcp_x": true, "gcp_x_y": true, "gcpx": false, "azure": true, "azure,euAccess": true, "azure_x": false,
		"openstack_eu-de-1,shared": true, "openstack_eu-de-1": false, "openstack,shared": false, "aws_a_b,shared": true, "azure_a_b,shared": true,
		"aws_a,shared": false, "gcp_a_b,shared": false, "alicloud_a_b": true, "alicloud_a": false, "alicloud_a_": false, "alicloud_ab_c": false,
		"gdch": false,
	} {
		target := account.Target{HyperscalerType: text}
		if rest, ok := strings.CutSuffix(text, ",euAccess"); ok {
			target.HyperscalerType, target.EUAccess = rest, true
		}
		if rest, ok := strings.CutSuffix(target.HyperscalerType, ",shared"); ok {
			target.HyperscalerType, target.Shared = rest, true
		}
		if got := set.LeadsTo(target); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

// Whatever a request leads to, the set says that it leads there.
func TestLeadsTo_whereEachRequestLeads(t *testing.T) {
	t.Parallel()
	set, problems := Compile(Source{Entries: []string{"aws(PR=*)", "aws(PR=cf-eu11,CR=x)", "gcp(euAccess=*)", "trial(shared)", "azure(CR=*)"}})
	if set == nil {
		t.Fatal(problems)
	}
	for _, plan := range []string{"aws", "gcp", "trial", "azure"} {
		for _, platform := range []string{"", "cf-eu11", "cf-us10"} {
			for _, region := range []string{"", "x", "y_z"} {
				match, err := set.Match(Request{Plan: plan, PlatformRegion: platform, HyperscalerRegion: region, Hyperscaler: hyperscalerOf(plan)})
				if err == nil && !set.LeadsTo(match.Target()) {
					t.Errorf("%s %s %s: %s", plan, platform, region, match.Target())
				}
			}
		}
	}
}

func hyperscalerOf(plan string) string {
	if plan == "trial" {
		return "aws"
	}
	return ""
}
