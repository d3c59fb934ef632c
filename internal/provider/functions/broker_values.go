package functions

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/kebvalues"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// brokerValuesFunction says what the Helm values of the broker mean for the provider.
type brokerValuesFunction struct{}

var (
	legacyTypes = map[string]attr.Type{
		"platform_region_rule": types.StringType, "cluster_region_rule": types.StringType, "shared_rule": types.StringType,
		"eu_access_rule": types.StringType,
	}
	listOfStrings = types.ListType{ElemType: types.StringType}
	ruleSetTypes  = map[string]attr.Type{
		"rules": listOfStrings, "legacy": types.ObjectType{AttrTypes: legacyTypes}, "syntax": types.StringType,
		"plans": types.MapType{ElemType: listOfStrings}, "required_plans": listOfStrings, "eu_access_platform_regions": listOfStrings,
		"platform_regions": listOfStrings,
	}
	multiAccountTypes = map[string]attr.Type{
		"allowed_global_accounts": listOfStrings, "limits": types.MapType{ElemType: types.Int64Type}, "min_bindings_for_guard": types.Int64Type,
	}
	brokerValuesTypes = map[string]attr.Type{
		"rule_set": types.ObjectType{AttrTypes: ruleSetTypes}, "multi_account": types.ObjectType{AttrTypes: multiAccountTypes},
		"plans": listOfStrings, "notes": listOfStrings,
	}
)

func (f *brokerValuesFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "broker_values"
}

func (f *brokerValuesFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Read the Helm values of the broker",
		MarkdownDescription: "Returns what the Helm values of the Kyma Environment Broker (KEB) say about accounts, in the shape that this " +
			"provider takes: `{ rule_set, multi_account, plans, notes }`. `rule_set` goes into each `rule_set`, and its parts into " +
			"`hap_rule_set`; `multi_account` goes into the provider block; `plans` are the plans of `enablePlans`, which are also " +
			"`required_plans` of the rule set; `notes` are sentences about what the broker does with these values beyond what they say.\n\n" +
			"* `hap.rule` is taken in the syntax in which all its entries can be read. Entries that lead elsewhere in attribute and in arrow " +
			"syntax are an error that shows both readings: the second argument decides.\n" +
			"* `hap.platformRegionRule`, `clusterRegionRule`, `sharedRule` and `euAccessRule` become `legacy`. Beside `hap.rule` they are left " +
			"out.\n" +
			"* `hap.multiHyperscalerAccount` means what it means for the broker: a limit of 0 is the default, and a default that is not there " +
			"or 0 is 999999. A limit that the broker's code ignores is left out.\n" +
			"* `broker.enablePlans`, or `enablePlans` of older charts: a plan of which no hyperscaler is known is not required.\n\n" +
			"With OpenTofu a function waits for the provider block, and `multi_account` of that block cannot come from it: the error is a cycle. " +
			"Write a second block `provider \"hap\" { alias = \"values\" }` without settings, and call `provider::hap::values::broker_values`. " +
			"Terraform needs no second block. A module that is given this block as its provider suits both: [Taking over a " +
			"landscape](../guides/taking-over-a-landscape.md) has one.\n\n" +
			"The regions with EU access are no value of the chart, so `eu_access_platform_regions` is null, which is the default. An unknown " +
			"key of `hap` is an error. The rules themselves are checked where they are used. The function is pure: no connection, no provider " +
			"configuration.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "values", MarkdownDescription: "The values as `yamldecode(file(\"values.yaml\"))` gives them: the " +
				"whole file, or its part `hap`."},
		},
		VariadicParameter: function.StringParameter{Name: "syntax", MarkdownDescription: "The syntax of `hap.rule`, `attribute` or `arrow`, " +
			"where the entries do not show it."},
		Return: function.ObjectReturn{AttributeTypes: brokerValuesTypes},
	}
}

func (f *brokerValuesFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var values types.Dynamic
	var syntaxes []string
	if resp.Error = req.Arguments.Get(ctx, &values, &syntaxes); resp.Error != nil {
		return
	}
	syntax, err := syntaxArgument(syntaxes)
	if err != nil {
		resp.Error = err
		return
	}
	read, err := valuesArgument(newArgument(0, "values", values))
	if err != nil {
		resp.Error = err
		return
	}
	config, wrong := read.Configure(syntax)
	if wrong != nil {
		resp.Error = function.NewArgumentFuncError(0, valuesError(wrong))
		return
	}
	resp.Error = resp.Result.Set(ctx, configValue(config))
}

// syntaxArgument reads the second argument; empty = it is left out.
func syntaxArgument(syntaxes []string) (rules.Syntax, *function.FuncError) {
	if len(syntaxes) == 0 {
		return "", nil
	}
	given := rules.Syntax(syntaxes[0])
	if len(syntaxes) > 1 || given != rules.SyntaxArrow && given != rules.SyntaxAttribute {
		return "", function.NewArgumentFuncError(1, `syntax: "attribute" or "arrow" is needed, once`)
	}
	return given, nil
}

// valuesError says what is wrong with the rules of values, and what to do.
func valuesError(err error) string {
	text := "values: hap.rule: " + err.Error()
	switch e, ok := errors.AsType[*rules.SyntaxError](err); {
	case !ok:
		text += ". Hand over values with rules: without one the broker does not start"
	case e.Mixed:
		text += ". Write all entries in one syntax: the broker reads arrow syntax alone"
	default:
		text += `. Say which is meant: broker_values(values, "arrow") or broker_values(values, "attribute")`
	}
	return sentence(text)
}

// valuesArgument reads the values, the whole file or its part hap.
func valuesArgument(a argument) (v kebvalues.Values, err *function.FuncError) {
	if a.null() {
		return v, a.errorf("an object is needed, not null")
	}
	all, err := a.fields()
	if err != nil {
		return v, err
	}
	part := func(of argument, values map[string]attr.Value, key string) argument {
		return argument{position: a.position, name: of.name + "." + key, value: values[key]}
	}
	hap := a
	if _, whole := all["hap"]; whole {
		hap = part(a, all, "hap")
		plans := part(a, all, "enablePlans")
		if broker := part(a, all, "broker"); !broker.null() {
			inner, err := broker.fields()
			if err != nil {
				return v, err
			}
			if newer := part(broker, inner, "enablePlans"); !newer.null() {
				plans = newer
			}
		}
		if v.EnablePlans, err = plans.commaSeparated(); err != nil {
			return v, err
		}
	} else if !slices.ContainsFunc(hapKeys(), func(key string) bool { return all[key] != nil }) {
		keys := slices.Sorted(maps.Keys(all))
		return v, a.errorf("there is no key hap, and none of its keys %s.%s Hand over the whole values of the broker, or their part hap",
			strings.Join(hapKeys(), ", "), rules.DidYouMean("hap", keys))
	}
	err = hapArgument(hap, &v)
	return v, err
}

// hapKeys are the keys of the part hap.
func hapKeys() []string {
	return append([]string{"rule", "multiHyperscalerAccount"}, kebvalues.LegacyKeys()...)
}

// hapArgument reads the part hap.
func hapArgument(hap argument, v *kebvalues.Values) *function.FuncError {
	parts, err := hap.object(hapKeys()...)
	if err != nil {
		return err
	}
	if v.Rule, err = parts["rule"].texts(); err != nil {
		return err
	}
	var legacy rules.Legacy
	into := []*string{&legacy.PlatformRegionRule, &legacy.ClusterRegionRule, &legacy.SharedRule, &legacy.EUAccessRule}
	for i, key := range kebvalues.LegacyKeys() {
		property := parts[key]
		if property.null() {
			continue
		}
		v.Legacy = &legacy
		if *into[i], err = property.text(); err != nil {
			return err
		}
	}
	if multi, is := parts["multiHyperscalerAccount"]; is && !multi.null() {
		v.MultiAccount, err = multiAccountArgument(multi)
	}
	return err
}

// multiAccountArgument reads hap.multiHyperscalerAccount.
func multiAccountArgument(a argument) (*kebvalues.MultiAccount, *function.FuncError) {
	parts, err := a.object("allowedGlobalAccounts", "limits", "minBindingsForGuard")
	if err != nil {
		return nil, err
	}
	m := &kebvalues.MultiAccount{Limits: map[string]int{}}
	if m.AllowedGlobalAccounts, err = parts["allowedGlobalAccounts"].texts(); err != nil {
		return nil, err
	}
	if m.MinBindingsForGuard, err = parts["minBindingsForGuard"].numeral(); err != nil {
		return nil, err
	}
	if parts["limits"].null() {
		return m, nil
	}
	limits, err := parts["limits"].object(kebvalues.LimitKeys()...)
	for key, limit := range limits {
		if m.Limits[key], err = limit.numeral(); err != nil {
			return nil, err
		}
	}
	return m, err
}

// commaSeparated returns a list that is written as one string, or as a list; nil where it is left out.
func (a argument) commaSeparated() ([]string, *function.FuncError) {
	if _, one := a.value.(basetypes.StringValue); !one {
		return a.texts()
	}
	text, err := a.text()
	if err != nil || a.null() {
		return nil, err
	}
	all := []string{}
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			all = append(all, name)
		}
	}
	return all, nil
}

// numeral returns a whole number that may be written as a string, as Helm values often are; 0 where it is left out.
func (a argument) numeral() (int, *function.FuncError) {
	if a.null() {
		return 0, nil
	}
	v, ok := a.value.(basetypes.StringValue)
	if !ok {
		return a.number(0)
	}
	n, err := strconv.ParseUint(v.ValueString(), 10, 31)
	if err != nil {
		return 0, a.errorf("a whole number from 0 on is needed, not %q", v.ValueString())
	}
	return int(n), nil
}

// configValue is the outcome as the function returns it.
func configValue(c kebvalues.Config) attr.Value {
	legacy := types.ObjectNull(legacyTypes)
	if l := c.RuleSet.Legacy; l != nil {
		legacy = types.ObjectValueMust(legacyTypes, map[string]attr.Value{
			"platform_region_rule": types.StringValue(l.PlatformRegionRule), "cluster_region_rule": types.StringValue(l.ClusterRegionRule),
			"shared_rule": types.StringValue(l.SharedRule), "eu_access_rule": types.StringValue(l.EUAccessRule),
		})
	}
	syntax := types.StringNull()
	if c.RuleSet.Syntax != "" {
		syntax = types.StringValue(string(c.RuleSet.Syntax))
	}
	multi := types.ObjectNull(multiAccountTypes)
	if m := c.MultiAccount; m != nil {
		limits := map[string]attr.Value{}
		for key, limit := range m.Limits {
			limits[key] = types.Int64Value(int64(limit))
		}
		multi = types.ObjectValueMust(multiAccountTypes, map[string]attr.Value{
			"allowed_global_accounts": textsValue(m.AllowedGlobalAccounts), "limits": types.MapValueMust(types.Int64Type, limits),
			"min_bindings_for_guard": types.Int64Value(int64(m.MinBindingsForGuard)),
		})
	}
	return types.ObjectValueMust(brokerValuesTypes, map[string]attr.Value{
		"rule_set": types.ObjectValueMust(ruleSetTypes, map[string]attr.Value{
			"rules": textsOrNull(c.RuleSet.Entries), "legacy": legacy, "syntax": syntax, "plans": types.MapNull(listOfStrings),
			"required_plans": textsOrNull(c.RuleSet.RequiredPlans), "eu_access_platform_regions": types.ListNull(types.StringType),
			"platform_regions": types.ListNull(types.StringType),
		}),
		"multi_account": multi, "plans": textsOrNull(c.Plans), "notes": textsValue(c.Notes),
	})
}

// textsOrNull is a list of strings; null where it is nil.
func textsOrNull(texts []string) attr.Value {
	if texts == nil {
		return types.ListNull(types.StringType)
	}
	return textsValue(texts)
}
