package rules_test

import (
	"slices"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// kebChart is the rule list of the broker's newest chart (values.yaml of KEB, July 2026, hap.rule).
var kebChart = []string{
	"aws", "aws(PR=cf-eu11) -> EU", "azure", "azure(PR=cf-ch20) -> EU", "gcp", "gcp(PR=cf-sa30) -> PR", "trial -> S",
	"sap-converged-cloud(HR=*) -> S", "azure_lite", "preview", "free",
}

// kebBuildRuntimes are the rules that the broker's own tests add to those: the plans of build runtimes, and the newest hyperscalers.
var kebBuildRuntimes = []string{
	"build-runtime-aws", "build-runtime-aws(PR=cf-eu11) -> EU", "build-runtime-azure", "build-runtime-azure(PR=cf-ch20) -> EU",
	"build-runtime-gcp", "build-runtime-gcp(PR=cf-sa30) -> PR", "alicloud", "build-runtime-alicloud", "gdch",
}

// The broker's own list is valid as it is, with one warning about the entry that the broker itself never matches, and leads each
// request to the pool that the comments beside the list name.
func TestKEBChart(t *testing.T) {
	t.Parallel()
	entries := slices.Concat(kebChart, kebBuildRuntimes)
	required := []string{"aws", "azure", "azure_lite", "free", "gcp", "preview", "sap-converged-cloud", "trial"}
	checkProblems(t, rules.Source{
		Syntax: arrow, Entries: entries, RequiredPlans: required,
		PlatformRegions: []string{"cf-ch20", "cf-eu01", "cf-eu02", "cf-eu10", "cf-eu11", "cf-sa30", "cf-us10"},
	}, "warning parse [8] 24 Wildcard unknown to KEB")
	set := compile(t, arrow, entries...)
	for r, want := range map[rules.Request]string{
		request("aws", "cf-eu10", "eu-central-1", "aws"):                  "aws",
		request("aws", "cf-eu11", "eu-central-1", "aws"):                  "aws,euAccess",
		request("azure", "cf-ch20", "switzerlandnorth", "azure"):          "azure,euAccess",
		request("azure", "cf-eu20", "westeurope", "azure"):                "azure",
		request("gcp", "cf-sa30", "southamerica-east1", "gcp"):            "gcp_cf-sa30",
		request("gcp", "cf-eu30", "europe-west3", "gcp"):                  "gcp",
		request("trial", "cf-us10", "us-east-1", "aws"):                   "aws,shared",
		request("trial", "cf-ap21", "eastus", "azure"):                    "azure,shared",
		request("sap-converged-cloud", "cf-eu01", "eu-de-2", "openstack"): "openstack_eu-de-2,shared",
		request("sap-converged-cloud", "cf-eu02", "eu-de-1", "openstack"): "openstack_eu-de-1,shared",
		request("azure_lite", "cf-eu20", "westeurope", "azure"):           "azure",
		request("preview", "cf-eu10", "eu-central-1", "aws"):              "aws",
		request("free", "cf-eu10", "eu-central-1", "aws"):                 "aws",
		request("free", "cf-eu20", "westeurope", "azure"):                 "azure",
		request("build-runtime-gcp", "cf-sa30", "southamerica-east1"):     "gcp_cf-sa30",
		request("alicloud", "cf-cn20", "cn-beijing"):                      "alicloud",
		request("gdch", "cf-gdch", "gdch-1"):                              "gdch",
	} {
		if got := answer(set, r); got != want {
			t.Errorf("%v leads to %s, want %s", r, got, want)
		}
	}
}

// Pasted without syntax = "arrow", the broker's list says what is missing, or what it would mean.
func TestKEBChartWithoutItsSyntax(t *testing.T) {
	t.Parallel()
	_, problems := rules.Compile(rules.Source{Entries: kebChart})
	if !problems.HasErrors() {
		t.Fatalf("the list with arrows is read in attribute syntax: %v", problems)
	}
	checkProblems(t, rules.Source{Entries: []string{"gcp", "gcp(PR=cf-sa30)", "aws(HR=eu-central-1)"}},
		"warning other_reading [2] 0 Two readings")
}

// The broker counts four platform regions as ones with EU access. Two of them have pools of their own without the label: they are
// not in the default of eu_access_platform_regions, and a rule that gives them the label is not doubted.
func TestEUAccessRegionsOfKEB(t *testing.T) {
	t.Parallel()
	for region, labelled := range map[string]bool{"cf-eu11": true, "cf-ch20": true, "cf-eu01": false, "cf-eu02": false} {
		checkProblems(t, rules.Source{Syntax: arrow, Entries: []string{"sap-converged-cloud(PR=" + region + ") -> EU"}})
		m, err := compile(t, attribute, "sap-converged-cloud(euAccess=*)").Match(request("sap-converged-cloud", region))
		if err != nil || m.EUAccess() != labelled {
			t.Errorf("euAccess=* in %s: EU access %t, %v; want %t", region, m.EUAccess(), err, labelled)
		}
	}
}
