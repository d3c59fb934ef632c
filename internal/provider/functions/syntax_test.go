package functions

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// A syntax of rules that the texts do not name is one that no user finds.
func TestTexts_nameEachSyntax(t *testing.T) {
	t.Parallel()
	var definition function.DefinitionResponse
	(&convertRulesFunction{}).Definition(t.Context(), function.DefinitionRequest{}, &definition)
	for _, syntax := range rules.Syntaxes() {
		for where, text := range map[string]string{
			"the function convert_rules":    definition.Definition.MarkdownDescription,
			"its parameter syntax":          definition.Definition.Parameters[1].GetMarkdownDescription(),
			"the attribute syntax of rules": request.RuleSetDescriptions["syntax"],
		} {
			if !strings.Contains(text, string(syntax)) {
				t.Errorf("%s does not name the syntax %q: %s", where, syntax, text)
			}
		}
	}
}
