package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
)

// matchRulesFunction says which pool a request leads to.
type matchRulesFunction struct{}

var matchTypes = map[string]attr.Type{
	"entry": types.StringType, "number": types.Int64Type, "hyperscaler_type": types.StringType,
	"shared": types.BoolType, "eu_access": types.BoolType, "label_selector": types.StringType,
}

func (f *matchRulesFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "match_rules"
}

func (f *matchRulesFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Find the pool that a cluster request leads to",
		MarkdownDescription: "Matches a request against a rule set and returns the entry that applies and the pool's labels. An invalid rule " +
			"set, or a request that no entry matches, is an error. It is pure: no connection, no provider configuration.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "rule_set", MarkdownDescription: ruleSetArgumentDescription},
			function.DynamicParameter{Name: "request", MarkdownDescription: "The cluster request: an object with `plan`, and optionally " +
				"`platform_region`, `hyperscaler_region`, `hyperscaler` and `eu_access` (left out, the platform region decides)."},
		},
		Return: function.ObjectReturn{AttributeTypes: matchTypes},
	}
}

func (f *matchRulesFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var ruleSet, request types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &ruleSet, &request); resp.Error != nil {
		return
	}
	set, err := compiledArgument(ruleSet)
	if err != nil {
		resp.Error = err
		return
	}
	r, err := requestArgument(newArgument(1, "request", request))
	if err != nil {
		resp.Error = err
		return
	}
	match, noMatch := set.Match(r)
	if noMatch != nil {
		resp.Error = function.NewArgumentFuncError(1, sentence(noMatch.Error()))
		return
	}
	selectors, bad := garden.DefaultLabelKeys().Selectors(match.Target(), "")
	if bad != nil {
		resp.Error = function.NewFuncError(bad.Error() + ". Please report this issue to the provider developers.")
		return
	}
	resp.Error = resp.Result.Set(ctx, types.ObjectValueMust(matchTypes, map[string]attr.Value{
		"entry": types.StringValue(match.Entry().Text), "number": types.Int64Value(int64(match.Entry().Number)),
		"hyperscaler_type": types.StringValue(match.HyperscalerType()), "shared": types.BoolValue(match.Shared()),
		"eu_access": types.BoolValue(match.EUAccess()), "label_selector": types.StringValue(selectors.Pool),
	}))
}
