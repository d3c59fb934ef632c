package request

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// RuleSet is the inputs of a rule set as the attribute rule_set of other objects has them.
type RuleSet struct {
	Legacy                  types.Object `tfsdk:"legacy"`
	Rules                   types.List   `tfsdk:"rules"`
	Syntax                  types.String `tfsdk:"syntax"`
	Plans                   types.Map    `tfsdk:"plans"`
	RequiredPlans           types.List   `tfsdk:"required_plans"`
	EUAccessPlatformRegions types.List   `tfsdk:"eu_access_platform_regions"`
	PlatformRegions         types.List   `tfsdk:"platform_regions"`
}

// RuleSetPath is the path of a rule set in objects that use one.
var RuleSetPath = path.Root("rule_set")

// RuleSetDescriptions describe the inputs of a rule set; they are the same in each object.
var RuleSetDescriptions = map[string]string{
	"rules": "The entries, e.g. `aws`, `gcp(PR=cf-sa30)`, `azure(euAccess=*)`. Exactly one entry applies to a request: of those that match, " +
		"the one with the most attributes.",
	"legacy": "Instead of `rules`: the four properties of earlier brokers, each a list of `PLAN[:REGION]` separated by semicolons, where " +
		"`*` is all plans or all regions.",
	"syntax": "How `rules` are written: `attribute` (default) or `arrow`, as the Kyma Environment Broker reads them in production " +
		"(`aws(PR=cf-eu11) -> EU`).",
	"plans": "Which hyperscalers each plan runs on, merged over the built-in table of the Kyma Environment Broker's plans: a plan of the " +
		"same name is replaced, `null` takes one out, and all others stay.",
	"required_plans":             "Plans that must have an entry.",
	"eu_access_platform_regions": "The platform regions whose requests have EU access. Default `[\"cf-eu11\", \"cf-ch20\"]`.",
	"platform_regions": "All platform regions of the landscape. A rule or a request that names another one is then an error, with the " +
		"nearest. Without it any region can be one.",
}

// ListOfStrings is the type of one plan's hyperscalers.
var ListOfStrings = types.ListType{ElemType: types.StringType}

// ruleSetFrom reads the attribute rule_set; known is false while anything in it is unknown, and where there is none: that is no set
// without rules.
func ruleSetFrom(object types.Object) (src rules.Source, known bool) {
	if object.IsNull() || !tfvalue.Known(object) {
		return rules.Source{}, false
	}
	// Not by object.As, which inspects the struct and the types at each call: every plan of a claim reads its rule set.
	attributes := object.Attributes()
	var m RuleSet
	m.Legacy, _ = attributes["legacy"].(types.Object)
	m.Rules, _ = attributes["rules"].(types.List)
	m.Syntax, _ = attributes["syntax"].(types.String)
	m.Plans, _ = attributes["plans"].(types.Map)
	m.RequiredPlans, _ = attributes["required_plans"].(types.List)
	m.EUAccessPlatformRegions, _ = attributes["eu_access_platform_regions"].(types.List)
	m.PlatformRegions, _ = attributes["platform_regions"].(types.List)
	return m.Source(), true
}

// Source is the rule set as the rules take it; everything in it is known. Lists with nulls are left out; validators report those.
func (m RuleSet) Source() rules.Source {
	src := rules.Source{
		Syntax: rules.Syntax(m.Syntax.ValueString()), Entries: texts(m.Rules), RequiredPlans: texts(m.RequiredPlans),
		EUAccessPlatformRegions: texts(m.EUAccessPlatformRegions), PlatformRegions: texts(m.PlatformRegions),
	}
	if !m.Legacy.IsNull() {
		src.Legacy = legacyFrom(m.Legacy)
	}
	if !m.Plans.IsNull() && !HasNullInside(m.Plans) {
		src.Plans = rules.Plans{}
		for name, hyperscalers := range m.Plans.Elements() {
			list, _ := hyperscalers.(types.List)
			src.Plans[name] = texts(list)
		}
	}
	return src
}

// texts are the elements of a list of strings; nil where there is no list, or one with nulls.
func texts(list types.List) []string {
	if list.IsNull() || HasNull(list) {
		return nil
	}
	elements := list.Elements()
	texts := make([]string, len(elements))
	for i, e := range elements {
		text, _ := e.(types.String)
		texts[i] = text.ValueString()
	}
	return texts
}

// LegacyDescriptions say what each of the four properties adds.
var LegacyDescriptions = map[string]string{
	"platform_region_rule": "Where it applies, `_<platform region>` is added to the hyperscaler type.",
	"cluster_region_rule":  "Where it applies, `_<hyperscaler region>` is added to the hyperscaler type.",
	"shared_rule":          "Where it applies, the pool is shared.",
	"eu_access_rule":       "Where it applies, the pool is one for EU access.",
}

// legacyFrom reads the four properties; one that is left out is empty.
func legacyFrom(object types.Object) *rules.Legacy {
	text := func(name string) string {
		s, _ := object.Attributes()[name].(types.String)
		return s.ValueString()
	}
	return &rules.Legacy{
		PlatformRegionRule: text("platform_region_rule"), ClusterRegionRule: text("cluster_region_rule"),
		SharedRule: text("shared_rule"), EUAccessRule: text("eu_access_rule"),
	}
}

// HasNull reports whether a list has a null element. The validators report them.
func HasNull(list types.List) bool {
	return slices.ContainsFunc(list.Elements(), func(e attr.Value) bool { return e.IsNull() })
}

// HasNullInside reports whether a list in a map of lists has a null element. A null list is none: in plans it takes a plan out.
func HasNullInside(lists types.Map) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(lists.Elements())), func(e attr.Value) bool {
		list, ok := e.(types.List)
		return ok && HasNull(list)
	})
}

// Validators against nulls, which Terraform allows inside lists, sets and maps.
var (
	NoNulls       = []validator.List{listvalidator.NoNullValues()}
	NoNullsInSet  = []validator.Set{setvalidator.NoNullValues()}
	NoNullsInside = []validator.Map{mapvalidator.ValueListsAre(listvalidator.NoNullValues())}
)
