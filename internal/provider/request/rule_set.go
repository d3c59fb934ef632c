package request

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// RuleSet is the inputs of a rule set as they stand in the attribute rule_set of other objects.
type RuleSet struct {
	Legacy                  types.Object `tfsdk:"legacy"`
	Rules                   types.List   `tfsdk:"rules"`
	Syntax                  types.String `tfsdk:"syntax"`
	Plans                   types.Map    `tfsdk:"plans"`
	RequiredPlans           types.List   `tfsdk:"required_plans"`
	EUAccessPlatformRegions types.List   `tfsdk:"eu_access_platform_regions"`
}

// RuleSetPath is where a rule set stands in objects that use one.
var RuleSetPath = path.Root("rule_set")

// RuleSetDescriptions describe the inputs of a rule set; they are the same wherever one stands.
var RuleSetDescriptions = map[string]string{
	"rules": "The entries, e.g. `aws`, `gcp(PR=cf-sa30)`, `azure(euAccess=*)`. Exactly one entry applies to a request: of those that match, " +
		"the one with the most attributes.",
	"legacy": "Instead of `rules`: the four properties of earlier brokers, each a list of `PLAN[:REGION]` separated by semicolons, where " +
		"`*` stands for all plans or all regions.",
	"syntax": "How `rules` are written: `attribute` (default) or `arrow`, as the Kyma Environment Broker reads them in production " +
		"(`aws(PR=cf-eu11) -> EU`).",
	"plans":                      "Which hyperscalers each plan runs on. Default: the built-in table of the Kyma Environment Broker's plans.",
	"required_plans":             "Plans that must have an entry.",
	"eu_access_platform_regions": "The platform regions whose requests have EU access. Default `[\"cf-eu11\", \"cf-ch20\"]`.",
}

// ListOfStrings is the type of one plan's hyperscalers.
var ListOfStrings = types.ListType{ElemType: types.StringType}

// ruleSetFrom reads the attribute rule_set; known is false while anything in it is unknown.
func ruleSetFrom(ctx context.Context, object types.Object) (src rules.Source, known bool, diags diag.Diagnostics) {
	if !tfvalue.Known(object) {
		return rules.Source{}, false, nil
	}
	var model RuleSet
	diags.Append(object.As(ctx, &model, basetypes.ObjectAsOptions{})...)
	if diags.HasError() {
		return rules.Source{}, false, diags
	}
	src, more := model.Source(ctx)
	diags.Append(more...)
	return src, true, diags
}

// Source is the rule set as the rules take it. Lists with nulls are left out; validators report those.
func (m RuleSet) Source(ctx context.Context) (rules.Source, diag.Diagnostics) {
	src := rules.Source{Syntax: rules.Syntax(m.Syntax.ValueString())}
	var diags diag.Diagnostics
	read := func(from interface {
		attr.Value
		ElementsAs(ctx context.Context, into any, allowUnhandled bool) diag.Diagnostics
	}, into any) {
		if !from.IsNull() && !HasNull(from) {
			diags.Append(from.ElementsAs(ctx, into, false)...)
		}
	}
	if !m.Legacy.IsNull() {
		src.Legacy = legacyFrom(m.Legacy)
	}
	read(m.Rules, &src.Entries)
	read(m.Plans, (*map[string][]string)(&src.Plans))
	read(m.RequiredPlans, &src.RequiredPlans)
	read(m.EUAccessPlatformRegions, &src.EUAccessPlatformRegions)
	return src, diags
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

// HasNull reports whether a list or map, or a list in it, has a null element. The validators report them.
func HasNull(v attr.Value) bool {
	var inside []attr.Value
	switch v := v.(type) {
	case types.List:
		inside = v.Elements()
	case types.Map:
		inside = slices.Collect(maps.Values(v.Elements()))
	}
	return slices.ContainsFunc(inside, func(e attr.Value) bool { return e.IsNull() || HasNull(e) })
}

// Validators against nulls, which Terraform lets stand inside lists, sets and maps.
var (
	NoNulls      = []validator.List{listvalidator.NoNullValues()}
	NoNullsInSet = []validator.Set{setvalidator.NoNullValues()}
	NoNullsInMap = []validator.Map{mapvalidator.NoNullValues(), mapvalidator.ValueListsAre(listvalidator.NoNullValues())}
)

// compileFor compiles the rule set of an object that uses one. Warnings about the rules belong to the rule set's own
// resource and are not repeated here; errors are told in one diagnostic, because the set was written elsewhere.
func compileFor(src rules.Source) (*rules.Set, diag.Diagnostics) {
	var diags diag.Diagnostics
	set, problems := rules.Compile(src)
	if set != nil {
		return set, nil
	}
	diags.AddAttributeError(RuleSetPath, diagnose.SummaryInvalidRuleSet, diagnose.InvalidSet(problems))
	return nil, diags
}

// RuleName names the entry that applied in messages.
func RuleName(e *rules.Entry) string { return fmt.Sprintf("rule %d, %q", e.Number, e.Text) }
