package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// convertRulesFunction writes a rule set in one of the two syntaxes of entries.
type convertRulesFunction struct{}

func (f *convertRulesFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "convert_rules"
}

func (f *convertRulesFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Write a rule set in another syntax",
		MarkdownDescription: "Returns rules in attribute or arrow syntax with the same outcome for every request, from a rule set in any of " +
			"the three syntaxes: the same hyperscaler type, shared and EU access, or an error where the rule set has one. Where an entry has no " +
			"equal in the syntax, it is an error that names the entry (or the element of a legacy property) and shows a request that it cannot " +
			"lead to the same pool.\n\nEvery request means: any plan, and any platform region, hyperscaler region and hyperscaler, each of them " +
			"given or not. EU access follows from the platform region, as it does for every claim; a request of `match_rules` that sets " +
			"`eu_access` itself is left out of account. The rules go with the `plans`, `eu_access_platform_regions` and `platform_regions` of " +
			"the rule set.\n\nThe " +
			"broker always knows both regions. `rule_file` of `hap_rule_set` asks for no more than that, so it exists for every rule set. The " +
			"function is pure: no connection, no provider configuration.",
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "rule_set", MarkdownDescription: ruleSetArgumentDescription},
			function.StringParameter{Name: "syntax", MarkdownDescription: "The syntax to write: `attribute` or `arrow`."},
		},
		Return: function.ListReturn{ElementType: types.StringType},
	}
}

func (f *convertRulesFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var ruleSet types.Dynamic
	var syntax string
	if resp.Error = req.Arguments.Get(ctx, &ruleSet, &syntax); resp.Error != nil {
		return
	}
	set, err := compiledArgument(ruleSet)
	if err != nil {
		resp.Error = err
		return
	}
	entries, problems := set.Convert(rules.Syntax(syntax))
	if problems.HasErrors() {
		position := int64(0)
		if problems[0].Field == "syntax" {
			position = 1
		}
		resp.Error = function.NewArgumentFuncError(position, sentence(diagnose.ErrorsOf("The rule set cannot be converted:", problems)))
		return
	}
	resp.Error = resp.Result.Set(ctx, entries)
}
