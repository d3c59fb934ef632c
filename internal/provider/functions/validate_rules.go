package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// validateRulesFunction lists what is wrong with a rule set.
type validateRulesFunction struct{}

var problemTypes = map[string]attr.Type{
	"kind": types.StringType, "severity": types.StringType, "entries": types.ListType{ElemType: types.Int64Type},
	"column": types.Int64Type, "message": types.StringType,
}

func (f *validateRulesFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "validate_rules"
}

func (f *validateRulesFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "List what is wrong with a rule set",
		MarkdownDescription: "Checks a rule set as `hap_rule_set` does and returns every problem of the rules, in the same order, without " +
			"failing. It says nothing of what `hap_rule_set` warns of beside them: plans that no rule is for, and rules that are empty. It is " +
			"pure: no connection, no provider configuration.",
		Parameters: []function.Parameter{function.DynamicParameter{Name: "rule_set", MarkdownDescription: ruleSetArgumentDescription}},
		Return:     function.ListReturn{ElementType: types.ObjectType{AttrTypes: problemTypes}},
	}
}

func (f *validateRulesFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var ruleSet types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &ruleSet); resp.Error != nil {
		return
	}
	src, err := ruleSetArgument(newArgument(0, "rule_set", ruleSet))
	if err != nil {
		resp.Error = err
		return
	}
	_, problems := rules.Compile(src)
	found := make([]attr.Value, len(problems))
	for i, p := range problems {
		found[i] = problemValue(p)
	}
	resp.Error = resp.Result.Set(ctx, types.ListValueMust(types.ObjectType{AttrTypes: problemTypes}, found))
}

// problemValue is a problem as an object; every part is there, so nothing in it can fail.
func problemValue(p rules.Problem) attr.Value {
	entries := make([]attr.Value, len(p.Entries))
	for i, n := range p.Entries {
		entries[i] = types.Int64Value(int64(n))
	}
	return types.ObjectValueMust(problemTypes, map[string]attr.Value{
		"kind": types.StringValue(string(p.Kind)), "severity": types.StringValue(string(p.Severity)),
		"entries": types.ListValueMust(types.Int64Type, entries), "column": types.Int64Value(int64(p.Column)),
		"message": types.StringValue(p.Message),
	})
}

const ruleSetArgumentDescription = "The rule set: an object with `rules` or `legacy`, and optionally `syntax`, `plans`, " +
	"`required_plans`, `eu_access_platform_regions` and `platform_regions`, as in `hap_rule_set`; or a whole `hap_rule_set`."
