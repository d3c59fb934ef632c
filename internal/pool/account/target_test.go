package account

import (
	"strings"
	"testing"
)

func TestTarget(t *testing.T) {
	t.Parallel()
	tests := []struct {
		target      Target
		text        string
		hyperscaler string
	}{
		{Target{}, "", ""},
		{Target{HyperscalerType: "aws"}, "aws", "aws"},
		{Target{HyperscalerType: "aws_cf-eu11"}, "aws_cf-eu11", "aws"},
		{Target{HyperscalerType: "gcp_cf-eu30", Shared: true, EUAccess: true}, "gcp_cf-eu30,shared,euAccess", "gcp"},
		{Target{HyperscalerType: "openstack_eu-de-1", Shared: true}, "openstack_eu-de-1,shared", "openstack"},
		{Target{HyperscalerType: "azure_cf-ch20_switzerlandnorth", EUAccess: true}, "azure_cf-ch20_switzerlandnorth,euAccess", "azure"},
	}
	for _, test := range tests {
		equal(t, "text", test.target.String(), test.text)
		equal(t, "read again", ParseTarget(test.text), test.target)
		equal(t, "hyperscaler of "+test.text, test.target.Hyperscaler(), test.hyperscaler)
	}
}

func TestCheckLabelValue(t *testing.T) {
	t.Parallel()
	const ends, empty = "it must start and end with a letter or a digit", "it is empty"
	tests := map[string]string{ // value → part of the reason; "" = fine
		"a": "", "0": "", "ga-1": "", "GA_1.x": "", "8cd57dc2-edb2-45e0-af8b-7d881006e516": "", "a--b": "", "a.-_b": "",
		strings.Repeat("a", 63): "",
		strings.Repeat("a", 64): "it has 64 characters, a label value has 63 at most",
		"":                      empty,
		" ":                     "character 1 (' ')",
		"a b":                   "character 2 (' ')",
		"a/b":                   "character 2 ('/')",
		"x,shared=true":         "character 2 (',')", // F10: what would change a selector
		"x=y":                   "character 2 ('=')",
		"!x":                    "character 1 ('!')",
		"x\n":                   `character 2 ('\n')`,
		"käse":                  "character 2 ('ä')",
		"a€":                    "character 2 ('€')",
		"a\xff":                 "character 2",
		"a-":                    ends,
		"-a":                    ends,
		"_":                     ends,
		".a":                    ends,
		"a.":                    ends,
	}
	for value, reason := range tests {
		err := CheckLabelValue(value)
		if (err == nil) != (reason == "") || err != nil && !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: got %v, want %q", value, err, reason)
		}
	}
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	limits := map[string]int{DefaultLimit: 3, "aws": 180, "gcp": 135}
	tests := []struct {
		name    string
		allowed []string
		target  Target
		enabled bool
		limit   int
	}{
		{"ADR 006: disabled, no list", nil, aws, false, 0},
		{"ADR 006: disabled, []", []string{}, aws, false, 0},
		{"ADR 006: all, [*]", []string{"*"}, aws, true, 180},
		{"ADR 006: listed", []string{"ga-0", "ga-1"}, aws, true, 180},
		{"ADR 006: not listed", []string{"ga-0", "ga-11", "GA-1"}, aws, false, 0},
		{"ADR 006: * among others", []string{"ga-0", "*"}, aws, true, 180},
		{"ADR 006: default where a hyperscaler has no limit", []string{"*"}, Target{HyperscalerType: "azure"}, true, 3},
		{"ADR 006: aws for every aws_… type", []string{"*"}, Target{HyperscalerType: "aws_cf-eu11"}, true, 180},
		{"ADR 006: and so on", []string{"*"}, Target{HyperscalerType: "gcp_cf-sa30", EUAccess: true}, true, 135},
		{"awsome is not aws", []string{"*"}, Target{HyperscalerType: "awsome"}, true, 3},
		{"shared pools have none", []string{"*"}, Target{HyperscalerType: "aws", Shared: true}, true, 0},
	}
	for _, test := range tests {
		p := Policy{AllowedGlobalAccounts: test.allowed, Limits: limits}
		equal(t, test.name+": enabled", p.Enabled("ga-1"), test.enabled)
		equal(t, test.name+": limit", p.Limit("ga-1", test.target), test.limit)
	}
}

func TestCounts(t *testing.T) {
	t.Parallel()
	var counts Counts
	equal(t, "of nothing", []int{counts.Clusters("a"), counts.Total(), counts.Reservations(&Account{}, longAgo)}, []int{0, 0, 0})
	counts.Add("a", "blue")
	counts.Add("a", "green")
	counts.Add("b", "red")
	counts.Add("b", "") // a row of a database that does not know the Shoot's name yet
	counts.Add("c", "")
	equal(t, "clusters", []int{counts.Clusters("a"), counts.Clusters("b"), counts.Clusters("c"), counts.Clusters("d")}, []int{2, 2, 1, 0})
	equal(t, "total", counts.Total(), 5)
	a := anAccount("a", heldBy("ga-1"), bearing("ga-1", "1", forCluster("blue")), bearing("ga-1", "2", forCluster("red")),
		bearing("ga-1", "3", forCluster("new")), bearing("ga-1", "4"))
	equal(t, "reserved", counts.Reservations(&a, longAgo), 1)
}

// A limit means what it means for the broker: 0 or no key is the default, and a default of 0 or none is no limit.
func TestLimitsOfThePolicy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		limits map[string]int
		want   int // for a pool of aws
	}{
		"its own":                {map[string]int{"default": 9, "aws": 4}, 4},
		"the default":            {map[string]int{"default": 9, "gcp": 4}, 9},
		"0 is the default":       {map[string]int{"default": 9, "aws": 0}, 9},
		"no default":             {map[string]int{"gcp": 4}, 0},
		"its own, no default":    {map[string]int{"aws": 4}, 4},
		"the default is 0":       {map[string]int{"default": 0}, 0},
		"its own, default 0":     {map[string]int{"default": 0, "aws": 4}, 4},
		"0, and the default too": {map[string]int{"default": 0, "aws": 0}, 0},
		"no limits":              {nil, 0},
	} {
		policy := Policy{AllowedGlobalAccounts: []string{"*"}, Limits: test.limits}
		equal(t, name, policy.Limit("ga-1", Target{HyperscalerType: "aws_cf-eu11"}), test.want)
	}
}
