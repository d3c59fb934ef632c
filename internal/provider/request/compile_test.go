package request

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// A rule set of the same content is compiled once, and one of another content never replaces it.
func TestCompiled_onceByContent(t *testing.T) {
	t.Parallel()
	var c compiledSets
	sources := map[string]func() rules.Source{
		"entries":       func() rules.Source { return rules.Source{Entries: []string{"aws"}} },
		"other entries": func() rules.Source { return rules.Source{Entries: []string{"gcp"}} },
		"no EU access": func() rules.Source {
			return rules.Source{Entries: []string{"aws"}, EUAccessPlatformRegions: []string{}}
		},
		"arrow":       func() rules.Source { return rules.Source{Entries: []string{"aws"}, Syntax: "arrow"} },
		"plans":       func() rules.Source { return rules.Source{Entries: []string{"aws"}, Plans: rules.Plans{"aws": {"aws"}}} },
		"other plans": func() rules.Source { return rules.Source{Entries: []string{"aws"}, Plans: rules.Plans{"aws": {"gcp"}}} },
		"no aws":      func() rules.Source { return rules.Source{Entries: []string{"aws"}, Plans: rules.Plans{"gdch": nil}} },
		"regions": func() rules.Source {
			return rules.Source{Entries: []string{"aws"}, PlatformRegions: []string{"cf-eu10"}}
		},
		"required":     func() rules.Source { return rules.Source{Entries: []string{"aws"}, RequiredPlans: []string{"aws"}} },
		"legacy":       func() rules.Source { return rules.Source{Legacy: &rules.Legacy{SharedRule: "trial"}} },
		"other legacy": func() rules.Source { return rules.Source{Legacy: &rules.Legacy{SharedRule: "aws"}} },
	}
	first := map[*rules.Set]string{}
	for name, source := range sources {
		set, _ := c.compile(source())
		if set == nil || first[set] != "" {
			t.Fatalf("%s: got the set of %q", name, first[set])
		}
		first[set] = name
	}
	for name, source := range sources {
		if set, _ := c.compile(source()); first[set] != name {
			t.Errorf("%s: compiled anew, or got the set of %q", name, first[set])
		}
	}
	faulty := func() (*rules.Set, rules.Problems) { return c.compile(rules.Source{Entries: []string{"aws("}}) }
	_, problems := faulty()
	if set, again := faulty(); set != nil || len(again) == 0 || &again[0] != &problems[0] {
		t.Errorf("a faulty set is not kept: %v, %v", set, again)
	}
}

// However many rule sets come, few are kept.
func TestCompiled_isBounded(t *testing.T) {
	t.Parallel()
	var c compiledSets
	for i := range 3 * maxCompiled {
		c.compile(rules.Source{Entries: []string{fmt.Sprintf("aws(PR=cf-eu%d)", i)}})
	}
	if len(c.last) != maxCompiled {
		t.Errorf("%d rule sets are kept, want %d", len(c.last), maxCompiled)
	}
}

// The attribute is read as the framework would read it, each part into its own place.
func TestRuleSetFrom_asTheFrameworkDoes(t *testing.T) {
	t.Parallel()
	list := func(values ...string) types.List {
		elements := make([]attr.Value, len(values))
		for i, value := range values {
			elements[i] = types.StringValue(value)
		}
		return types.ListValueMust(types.StringType, elements)
	}
	legacyTypes, legacy := map[string]attr.Type{}, map[string]attr.Value{}
	for name := range LegacyDescriptions {
		legacyTypes[name], legacy[name] = types.StringType, types.StringValue("the "+name)
	}
	object := types.ObjectValueMust(map[string]attr.Type{
		"legacy": types.ObjectType{AttrTypes: legacyTypes}, "rules": ListOfStrings, "syntax": types.StringType,
		"plans": types.MapType{ElemType: ListOfStrings}, "required_plans": ListOfStrings, "eu_access_platform_regions": ListOfStrings,
		"platform_regions": ListOfStrings,
	}, map[string]attr.Value{
		"legacy": types.ObjectValueMust(legacyTypes, legacy), "rules": list("aws", "gcp"), "syntax": types.StringValue("arrow"),
		"plans": types.MapValueMust(ListOfStrings, map[string]attr.Value{
			"trial": list("aws", "azure"), "gdch": types.ListNull(types.StringType), "edge": list(),
		}),
		"required_plans": list("trial"), "eu_access_platform_regions": list(), "platform_regions": list("cf-eu10"),
	})
	var model RuleSet
	if diags := object.As(t.Context(), &model, basetypes.ObjectAsOptions{}); diags.HasError() {
		t.Fatal(diags)
	}
	want := rules.Source{
		Syntax: "arrow", Entries: []string{"aws", "gcp"}, RequiredPlans: []string{"trial"},
		Plans:                   rules.Plans{"trial": {"aws", "azure"}, "gdch": nil, "edge": {}}, // null takes out, empty is an error
		EUAccessPlatformRegions: []string{}, PlatformRegions: []string{"cf-eu10"}, Legacy: &rules.Legacy{
			PlatformRegionRule: "the platform_region_rule", ClusterRegionRule: "the cluster_region_rule",
			SharedRule: "the shared_rule", EUAccessRule: "the eu_access_rule",
		},
	}
	if got, known := ruleSetFrom(object); !known || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(model.Source(), want) {
		t.Errorf("read %+v, known %t, want %+v", got, known, want)
	}
	if _, known := ruleSetFrom(types.ObjectUnknown(object.AttributeTypes(t.Context()))); known {
		t.Error("an unknown rule set is known")
	}
}
