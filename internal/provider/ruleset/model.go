package ruleset

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

type ruleSetResourceModel struct {
	ID                      types.String `tfsdk:"id"`
	Rules                   types.List   `tfsdk:"rules"`
	Legacy                  types.Object `tfsdk:"legacy"`
	Syntax                  types.String `tfsdk:"syntax"`
	Plans                   types.Map    `tfsdk:"plans"`
	RequiredPlans           types.Set    `tfsdk:"required_plans"`
	EUAccessPlatformRegions types.Set    `tfsdk:"eu_access_platform_regions"`
	PlatformRegions         types.Set    `tfsdk:"platform_regions"`
	PoolCheck               types.String `tfsdk:"pool_check"`
	Entries                 types.List   `tfsdk:"entries"`
	RuleFile                types.String `tfsdk:"rule_file"`
	HelmValues              types.String `tfsdk:"helm_values"`
}

var entryType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"number": types.Int64Type, "text": types.StringType, "plan": types.StringType,
	"platform_region": types.StringType, "hyperscaler_region": types.StringType,
	"hyperscaler_type": types.StringType, "shared": types.BoolType, "eu_access": types.StringType, "label_selector": types.StringType,
}}

func (m *ruleSetResourceModel) known() bool {
	return tfvalue.Known(m.Rules, m.Legacy, m.Syntax, m.Plans, m.RequiredPlans, m.EUAccessPlatformRegions, m.PlatformRegions)
}

// warnEmptyLegacy says that none of the four properties is set. They may all be empty, but not by a typing error.
func (m *ruleSetResourceModel) warnEmptyLegacy(diags *diag.Diagnostics) {
	if m.Legacy.IsNull() || m.Legacy.IsUnknown() {
		return
	}
	for _, property := range m.Legacy.Attributes() {
		if !property.IsNull() {
			return
		}
	}
	names := slices.Sorted(maps.Keys(request.LegacyDescriptions))
	diags.AddAttributeWarning(path.Root("legacy"), diagnose.SummaryLegacyEmpty,
		fmt.Sprintf("None of the four properties is set, so every plan leads to the pool of its hyperscaler alone. If that is meant, write %s "+
			"= \"\". Look for a misspelt name, too: Terraform drops an attribute that it does not know inside legacy = { } without a word. The "+
			"names are %s.",
			names[0], strings.Join(names, ", ")))
}

// warnOwnPlans says which plans the rule file cannot pass on to the broker.
func warnOwnPlans(diags *diag.Diagnostics, set *rules.Set) {
	var elsewhere []string
	for _, p := range set.OwnPlans() {
		at := "on " + strings.Join(p.Broker, " or ")
		if len(p.Broker) == 0 {
			at = "unknown (KEB refuses a file with an unknown plan)"
		}
		elsewhere = append(elsewhere, fmt.Sprintf("plan %s: here on %s, there %s", p.Name, strings.Join(p.Hyperscalers, " or "), at))
	}
	if len(elsewhere) == 0 {
		return
	}
	diags.AddAttributeWarning(path.Root("plans"), diagnose.SummaryOwnPlans, fmt.Sprintf(
		"rule_file cannot say which hyperscalers a plan runs on: the Kyma Environment Broker (KEB) goes by a table of its own. As far as this "+
			"provider knows that table:\n\n- %s\n\nIf KEB is to read rule_file, let plans say what KEB's table says. If not, nothing needs to be "+
			"done: this is said once for each change of the rules.", strings.Join(elsewhere, "\n- ")))
}

// compile checks the rules; warnings come along also when there are no errors.
func (m *ruleSetResourceModel) compile() (set *rules.Set, diags diag.Diagnostics) {
	set, problems := rules.Compile(request.RuleSet{
		Rules: m.Rules, Legacy: m.Legacy, Syntax: m.Syntax, Plans: m.Plans,
		RequiredPlans: listOf(m.RequiredPlans), EUAccessPlatformRegions: listOf(m.EUAccessPlatformRegions),
		PlatformRegions: listOf(m.PlatformRegions),
	}.Source())
	diagnose.Problems(&diags, problems)
	return set, diags
}

// checkKnown finds what is wrong with single entries although other parts are still unknown, or null.
func (m *ruleSetResourceModel) checkKnown() diag.Diagnostics {
	var diags diag.Diagnostics
	if m.Rules.IsNull() || !tfvalue.Known(m.Syntax, m.Plans) || request.HasNullInside(m.Plans) {
		return diags
	}
	var known []attr.Value
	var numbers []int
	for i, e := range m.Rules.Elements() {
		if !e.IsNull() && !e.IsUnknown() {
			known, numbers = append(known, e), append(numbers, i+1)
		}
	}
	if len(known) == 0 {
		return diags
	}
	regions := types.ListNull(types.StringType)
	if tfvalue.Known(m.PlatformRegions) {
		regions = listOf(m.PlatformRegions)
	}
	_, problems := rules.Compile(request.RuleSet{
		Rules: types.ListValueMust(types.StringType, known), Legacy: types.ObjectNull(nil), Syntax: m.Syntax, Plans: m.Plans,
		PlatformRegions: regions,
	}.Source())
	var certain rules.Problems
	for _, p := range problems {
		ofItself := p.Kind == rules.KindParse || p.Kind == rules.KindUnknownPlan || p.Kind == rules.KindUnknownRegion
		if len(p.Entries) == 1 && ofItself {
			p.Entries = []int{numbers[p.Entries[0]-1]}
			certain = append(certain, p)
		}
	}
	diagnose.Problems(&diags, certain)
	return diags
}

// keepText keeps the rules as the state has them where they say the same: blanks, the order of attributes and other
// names for them are no change.
func (m *ruleSetResourceModel) keepText(ctx context.Context, from tfsdk.State, set **rules.Set) diag.Diagnostics {
	var state ruleSetResourceModel
	diags := from.Get(ctx, &state)
	if diags.HasError() || m.Rules.IsNull() || state.Rules.IsNull() || !state.Syntax.Equal(m.Syntax) || !state.Plans.Equal(m.Plans) {
		return diags
	}
	before, faults := state.compile()
	if faults.HasError() || !slices.EqualFunc(before.Entries(), (*set).Entries(),
		func(a, b rules.Entry) bool { return a.Canonical() == b.Canonical() }) {
		return diags
	}
	m.Rules = state.Rules
	kept, faults := m.compile()
	diags.Append(faults.Errors()...)
	if kept != nil {
		*set = kept
	}
	return diags
}

// compute fills in what follows from the rules, and from the keys of the labels.
func (m *ruleSetResourceModel) compute(set *rules.Set, b *backend.Backend) diag.Diagnostics {
	var diags diag.Diagnostics
	m.ID, m.RuleFile, m.HelmValues = types.StringValue(set.ID()), types.StringValue(set.RuleFile()), types.StringValue(set.HelmValues())
	compiled := set.Entries()
	entries := make([]attr.Value, 0, len(compiled))
	for i := range compiled {
		e := &compiled[i]
		selector, err := entrySelector(e, b)
		if err != nil {
			diags.AddAttributeError(path.Root("rules").AtListIndex(e.Number-1), diagnose.SummaryUnexpected, err.Error())
		}
		object, more := types.ObjectValue(entryType.AttrTypes, map[string]attr.Value{
			"number": types.Int64Value(int64(e.Number)), "text": types.StringValue(e.Text), "plan": types.StringValue(e.Plan),
			"platform_region": types.StringValue(string(e.PlatformRegion)), "hyperscaler_region": types.StringValue(string(e.HyperscalerRegion)),
			"hyperscaler_type": types.StringValue(e.HyperscalerType), "shared": types.BoolValue(e.Shared),
			"eu_access": types.StringValue(e.EUAccess), "label_selector": selector,
		})
		diags.Append(more...)
		entries = append(entries, object)
	}
	list, more := types.ListValue(entryType, entries)
	diags.Append(more...)
	m.Entries = list
	return diags
}

// entrySelector writes the selector of an entry's pool. A placeholder is no label value, so the selector is built with a short stand-in
// that is one.
func entrySelector(e *rules.Entry, b *backend.Backend) (types.String, error) {
	if b.Settings.KeysUnknown {
		return types.StringUnknown(), nil
	}
	const standIn = "x" // flags say "true", so that nothing else is
	target := account.Target{HyperscalerType: standIn, Shared: e.Shared, EUAccess: e.EUAccess == rules.EUAccessAlways}
	selectors, err := b.Settings.Keys.Selectors(target, "")
	key := b.Settings.Keys.HyperscalerType + "="
	return types.StringValue(strings.Replace(selectors.Pool, key+standIn, key+e.HyperscalerType, 1)), err
}

// listOf returns the elements of a set as a list.
func listOf(set types.Set) types.List {
	if set.IsNull() {
		return types.ListNull(types.StringType)
	}
	return types.ListValueMust(types.StringType, set.Elements())
}
