package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

var _ function.Function = (*convertLegacyRulesFunction)(nil)

func newConvertLegacyRulesFunction() function.Function { return &convertLegacyRulesFunction{} }

// convertLegacyRulesFunction writes the four legacy properties as rules.
type convertLegacyRulesFunction struct{}

func (f *convertLegacyRulesFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "convert_legacy_rules"
}

func (f *convertLegacyRulesFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Write the four legacy properties as rules in attribute syntax",
		MarkdownDescription: "Returns rules in attribute syntax with the same outcome for every request on the plans. Where attribute syntax cannot say what the properties say, " +
			"it is an error that names the element and the rules that arrow syntax would need; the guide \"Writing rules\" explains which these are. " +
			"Regions whose names begin with `cf-` are taken for platform regions. It is pure: no connection, no provider configuration.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "legacy", MarkdownDescription: "An object with `platform_region_rule`, `cluster_region_rule`, `shared_rule` and `eu_access_rule`, all optional, as in `hap_rule_set`."},
		},
		// Variadic so that it can be left out: OpenTofu 1.12 cannot hand on a null.
		VariadicParameter: function.MapParameter{Name: "plans", ElementType: listOfStrings, MarkdownDescription: "Which hyperscalers each plan runs on, once at most; left out, the built-in table. Only these plans get rules."},
		Return:            function.ListReturn{ElementType: types.StringType},
	}
}

func (f *convertLegacyRulesFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var properties types.Dynamic
	var tables []types.Map
	if resp.Error = req.Arguments.Get(ctx, &properties, &tables); resp.Error != nil {
		return
	}
	legacy, err := legacyArgument(newArgument(0, "legacy", properties))
	if err != nil {
		resp.Error = err
		return
	}
	var plans rules.Plans
	switch len(tables) {
	case 0:
	case 1:
		if plans, err = (argument{1, "plans", tables[0]}).plans(); err != nil {
			resp.Error = err
			return
		}
	default:
		resp.Error = function.NewArgumentFuncError(2, "plans: one table of plans at most")
		return
	}
	entries, problems := rules.ConvertLegacy(*legacy, plans)
	if problems.HasErrors() {
		resp.Error = inexpressible(problems)
		return
	}
	values := make([]attr.Value, len(entries))
	for i, e := range entries {
		values[i] = types.StringValue(e)
	}
	resp.Error = resp.Result.Set(ctx, types.ListValueMust(types.StringType, values))
}

// inexpressible tells why there are no rules, at the argument that is at fault.
func inexpressible(problems rules.Problems) *function.FuncError {
	position, text := int64(1), "The properties cannot be converted:"
	for _, p := range problems {
		if p.Severity != rules.SeverityError {
			continue
		}
		text += "\n\n" + p.Detail()
		if p.Field != "plans" {
			position = 0
		}
	}
	return function.NewArgumentFuncError(position, sentence(text))
}
