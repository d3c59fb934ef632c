package rules

import (
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

func TestRequestForAPool(t *testing.T) {
	t.Parallel()
	set, problems := Compile(Source{Entries: []string{
		"aws(PR=cf-us10)", "aws", "gcp(PR=*,CR=*)", "azure(euAccess=*)", "trial(shared)", "openstack(CR=*)", "gdch(euAccess)",
	}})
	if set == nil {
		t.Fatal(problems)
	}
	for want, target := range map[Request]account.Target{
		{Plan: "aws"}:                            {HyperscalerType: "aws"},
		{Plan: "aws", PlatformRegion: "cf-us10"}: {HyperscalerType: "aws_cf-us10"},
		{Plan: "gcp", PlatformRegion: "cf-sa30", HyperscalerRegion: "us_east"}: {HyperscalerType: "gcp_cf-sa30_us_east"},
		{Plan: "azure"}: {HyperscalerType: "azure"},
		{Plan: "azure", PlatformRegion: "cf-ch20"}:             {HyperscalerType: "azure", EUAccess: true},
		{Plan: "trial", Hyperscaler: "azure"}:                  {HyperscalerType: "azure", Shared: true},
		{Plan: "sap-converged-cloud", HyperscalerRegion: "eu"}: {HyperscalerType: "openstack_eu"},
		{Plan: "gdch"}: {HyperscalerType: "gdch", EUAccess: true},
	} {
		if got, found := set.RequestFor(target); !found || got != want {
			t.Errorf("%v: got %+v (%v), want %+v", target, got, found, want)
		}
	}
	for _, target := range []account.Target{{}, {HyperscalerType: "gcp"}, {HyperscalerType: "aws", Shared: true, EUAccess: true}, {HyperscalerType: "gdch"}} {
		if got, found := set.RequestFor(target); found {
			t.Errorf("%v: got %+v", target, got)
		}
	}
}
