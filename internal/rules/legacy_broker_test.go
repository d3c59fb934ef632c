package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// answers says what a set answers to requests: a pool in the form of pool.Target.String, or "error at <field>".
type answers map[rules.Request]string

func (a answers) check(t *testing.T, set *rules.Set) {
	t.Helper()
	for r, want := range a {
		got := answer(set, r)
		if field := errorField(set, r); field != "" {
			got = "error at " + field
		}
		if got != want {
			t.Errorf("Match(%v) = %s, want %s", r, got, want)
		}
	}
}

// The configuration examples of the broker's page, word for word, with the pools that it describes (ADR 003).
func TestLegacyExamples(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		block string
		want  answers
	}{
		{"the broker's examples, no configuration", `
hap: 
  platformRegionRule: ""
  clusterRegionRule: ""
  sharedRule: ""
  euAccessRule: ""
`, answers{
			request("gcp", "cf-sa30", "me-central2"):           "gcp",
			request("gcp"):                                     "gcp",
			request("aws", "cf-eu11"):                          "aws",
			request("azure", "cf-ch20"):                        "azure",
			request("sap-converged-cloud", "cf-eu20", "eu-1"):  "openstack",
			request("openstack", "cf-eu20", "eu-1"):            "openstack",
			request("trial", "", "", "aws"):                    "aws",
			request("trial"):                                   "error at hyperscaler",
			request("eu"):                                      "error at plan",
			request("build-runtime-alicloud", "*", "* *", ""):  "alicloud",
			request("gdch", "not a region, and nobody's care"): "gdch",
		}},
		{"the broker's examples, all gcp clusters", `
hap: 
  platformRegionRule: "gcp"
  clusterRegionRule: ""
  sharedRule: ""
  euAccessRule: ""
`, answers{
			request("gcp", "cf-sa30"):    "gcp_cf-sa30",
			request("gcp", "cf-eu30"):    "gcp_cf-eu30",
			request("gcp"):               "error at platform_region",
			request("aws", "cf-eu30"):    "aws",
			request("build-runtime-gcp"): "gcp",
		}},
		{"the broker's examples, with region specified", `
hap: 
  platformRegionRule: "gcp:cf-sa30"
  clusterRegionRule: ""
  sharedRule: ""
  euAccessRule: ""
`, answers{
			request("gcp", "cf-sa30", "me-central2"): "gcp_cf-sa30",
			request("gcp", "cf-eu30", "me-central2"): "gcp",
			request("gcp"):                           "gcp",
			request("gcp", "cf-eu30", "cf-sa30"):     "gcp_cf-eu30", // ADR 003: whichever is equal
			request("gcp", "", "cf-sa30"):            "error at platform_region",
			request("aws", "cf-sa30"):                "aws",
		}},
		{"the broker's examples, multiple elements", `
hap: 
  platformRegionRule: "gcp:cf-sa30;gcp:cf-jp30;aws:cf-eu11;openstack"
  clusterRegionRule: ""
  sharedRule: ""
  euAccessRule: ""
`, answers{
			request("gcp", "cf-eu30"):                            "gcp",
			request("gcp", "cf-sa30"):                            "gcp_cf-sa30",
			request("gcp", "cf-jp30"):                            "gcp_cf-jp30",
			request("gcp", "cf-eu11"):                            "gcp",
			request("aws", "cf-eu10"):                            "aws",
			request("aws", "cf-eu11"):                            "aws_cf-eu11",
			request("aws", "cf-sa30"):                            "aws",
			request("sap-converged-cloud", "cf-eu20", "eu-de-1"): "openstack_cf-eu20",
			request("sap-converged-cloud", "cf-ap20"):            "openstack_cf-ap20",
			request("azure", "cf-eu20"):                          "azure",
		}},
		{"the broker's examples, cluster region", `
hap: 
  platformRegionRule: "gcp"
  clusterRegionRule: "azure"
  sharedRule: ""
  euAccessRule: ""
`, answers{
			request("azure", "cf-eu20", "westeurope"): "azure_westeurope",
			request("azure", "cf-eu20"):               "error at hyperscaler_region",
			request("gcp", "cf-eu30", "europe-west3"): "gcp_cf-eu30",
		}},
		{"the broker's examples, both regions", `
hap: 
  platformRegionRule: "gcp"
  clusterRegionRule: "gcp"
  sharedRule: ""
  euAccessRule: ""
`, answers{
			request("gcp", "cf-eu30", "europe-west3"): "gcp_cf-eu30_europe-west3",
			request("gcp", "cf-eu30"):                 "error at hyperscaler_region",
			request("gcp", "", "europe-west3"):        "error at platform_region",
		}},
		{"the broker's examples, all four", `
hap: 
  platformRegionRule: "gcp"
  clusterRegionRule: "gcp"
  sharedRule: "gcp"
  euAccessRule: "gcp"
`, answers{
			request("gcp", "cf-eu30", "europe-west3"): "gcp_cf-eu30_europe-west3,shared,euAccess",
			request("gcp", "cf-sa30", "me-central2"):  "gcp_cf-sa30_me-central2,shared,euAccess",
			request("aws", "cf-eu11"):                 "aws",
		}},
		{"the broker's examples, initial configuration", `
hap: 
  platformRegionRule: "gcp:cf-sa30"
  clusterRegionRule: "sap-converged-cloud"
  sharedRule: "trial;sap-converged-cloud"
  euAccessRule: "azure:cf-ch20;aws:cf-eu11"
`, answers{
			request("azure", "cf-eu20", "westeurope"):            "azure",
			request("aws", "cf-eu10", "eu-central-1"):            "aws",
			request("gcp", "cf-eu30", "europe-west3"):            "gcp",
			request("gcp", "cf-sa30", "me-central2"):             "gcp_cf-sa30",
			request("sap-converged-cloud", "cf-eu20", "eu-de-1"): "openstack_eu-de-1,shared",
			request("sap-converged-cloud", "cf-eu20"):            "error at hyperscaler_region",
			request("trial", "cf-us10", "us-east-1", "aws"):      "aws,shared",
			request("trial", "cf-us10", "eastus", "azure"):       "azure,shared",
			request("azure", "cf-ch20", "switzerlandnorth"):      "azure,euAccess",
			request("aws", "cf-eu11", "eu-central-1"):            "aws,euAccess",
			request("azure", "cf-eu11"):                          "azure",
			request("aws", "cf-ch20"):                            "aws",
			request("free", "cf-eu11", "", "aws"):                "aws",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.check(t, compileLegacy(t, legacyBlock(t, tt.block)))
		})
	}
}

// The pools that the initial configuration needs, in the words of the broker's page.
func TestLegacyPools(t *testing.T) {
	t.Parallel()
	set := compileLegacy(t, rules.Legacy{
		PlatformRegionRule: "gcp:cf-sa30", ClusterRegionRule: "sap-converged-cloud",
		SharedRule: "trial;sap-converged-cloud", EUAccessRule: "azure:cf-ch20;aws:cf-eu11",
	})
	var got []string
	for _, e := range set.Entries() {
		for _, target := range set.Targets(&e) {
			got = append(got, target.String())
		}
	}
	slices.Sort(got)
	want := []string{"aws", "aws,euAccess", "aws,shared", "azure", "azure,euAccess", "azure,shared", "gcp", "gcp_cf-sa30"}
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("pools are %q, want %q", got, want)
	}
}

// legacyBlock reads a configuration as the broker's values have it.
func legacyBlock(t *testing.T, block string) rules.Legacy {
	t.Helper()
	var l rules.Legacy
	properties := map[string]*string{
		"platformRegionRule": &l.PlatformRegionRule, "clusterRegionRule": &l.ClusterRegionRule,
		"sharedRule": &l.SharedRule, "euAccessRule": &l.EUAccessRule,
	}
	for _, line := range strings.Split(strings.TrimSpace(block), "\n")[1:] {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		*properties[name] = strings.Trim(value, `"`)
		delete(properties, name)
	}
	if len(properties) > 0 {
		t.Fatalf("the block lacks %v", properties)
	}
	return l
}

// The list of valid and invalid values on the broker's page, in each property (ADR 003).
func TestLegacyFormat(t *testing.T) {
	t.Parallel()
	in := func(plan, region string) rules.Request {
		return rules.Request{Plan: plan, PlatformRegion: region, HyperscalerRegion: "hr", Hyperscaler: "aws"}
	}
	tests := []struct {
		value string
		valid bool
		yes   []rules.Request // where the property applies
		no    []rules.Request
	}{
		{"trial", true, []rules.Request{in("trial", "eu"), in("trial", "us")}, []rules.Request{in("free", "eu"), in("aws", "us")}},
		{"trial:*", true, []rules.Request{in("trial", "eu"), in("trial", "us")}, []rules.Request{in("free", "eu"), in("aws", "us")}},
		{"trial:eu", true, []rules.Request{in("trial", "eu")}, []rules.Request{in("trial", "us"), in("free", "eu")}},
		{"*:eu", true, []rules.Request{in("trial", "eu"), in("free", "eu"), in("aws", "eu")}, []rules.Request{in("trial", "us")}},
		{"eu:*", false, nil, nil},
		{"*:*", false, nil, nil},
		{"*:eu;trial:eu", true, []rules.Request{in("trial", "eu"), in("free", "eu"), in("aws", "eu")}, []rules.Request{in("trial", "us")}},
		{"trial:eu;trial:gcp", true, []rules.Request{in("trial", "eu"), in("trial", "gcp")}, []rules.Request{in("trial", "us"), in("aws", "eu")}},
		// ADR 003: * alone is both, and an element may occur twice
		{"*", false, nil, nil},
		{"trial;trial", true, []rules.Request{in("trial", "us")}, []rules.Request{in("aws", "eu")}},
	}
	for property, field := range legacyFields {
		for _, tt := range tests {
			t.Run("the broker's formats, "+field+" "+tt.value, func(t *testing.T) {
				t.Parallel()
				var texts [4]string
				texts[property] = tt.value
				l := rules.Legacy{PlatformRegionRule: texts[0], ClusterRegionRule: texts[1], SharedRule: texts[2], EUAccessRule: texts[3]}
				set, problems := rules.Compile(rules.Source{Legacy: &l})
				if (set != nil) != tt.valid {
					t.Fatalf("%q is valid: %v, want %v: %v", tt.value, set != nil, tt.valid, problems)
				}
				for applies, requests := range map[bool][]rules.Request{true: tt.yes, false: tt.no} {
					for _, r := range requests {
						want := "aws"
						if applies {
							want += []string{"_" + r.PlatformRegion, "_hr", ",shared", ",euAccess"}[property]
						}
						if got := answer(set, r); got != want {
							t.Errorf("%q: Match(%v) = %s, want %s", tt.value, r, got, want)
						}
					}
				}
			})
		}
	}
}

func TestLegacyWorkedCases(t *testing.T) {
	t.Parallel()
	four := rules.Legacy{
		PlatformRegionRule: "gcp:cf-sa30", ClusterRegionRule: "sap-converged-cloud",
		SharedRule: "trial;sap-converged-cloud", EUAccessRule: "azure:cf-ch20;aws:cf-eu11",
	}
	tests := []struct {
		name   string
		legacy rules.Legacy
		want   answers
	}{
		{"ADR 003: platform gcp:cf-sa30, cluster sap-converged-cloud, shared trial;sap-converged-cloud, " +
			"eu azure:cf-ch20;aws:cf-eu11", four, answers{
			request("sap-converged-cloud", "", "eu-de-1"): "openstack_eu-de-1,shared",
			request("aws", "cf-eu11"):                     "aws,euAccess",
		}},
		{"ADR 003: platform gcp, cluster gcp, shared gcp, eu gcp",
			rules.Legacy{PlatformRegionRule: "gcp", ClusterRegionRule: "gcp", SharedRule: "gcp", EUAccessRule: "gcp"}, answers{
				request("gcp", "cf-eu30", "europe-west3"): "gcp_cf-eu30_europe-west3,shared,euAccess",
			}},
		{"ADR 003: platform *:cf-eu11", rules.Legacy{PlatformRegionRule: "*:cf-eu11"}, answers{
			request("azure", "cf-eu11"): "azure_cf-eu11",
			request("azure", "cf-eu20"): "azure",
		}},
		{"ADR 003: a region means the platform region or the hyperscaler region",
			rules.Legacy{SharedRule: "gcp:a", EUAccessRule: "gcp:b"}, answers{
				request("gcp", "a"):      "gcp,shared",
				request("gcp", "", "a"):  "gcp,shared",
				request("gcp", "a", "b"): "gcp,shared,euAccess",
				request("gcp", "b", "a"): "gcp,shared,euAccess",
				request("gcp", "a", "a"): "gcp,shared",
				request("gcp", "c", "d"): "gcp",
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.check(t, compileLegacy(t, tt.legacy))
		})
	}
}
