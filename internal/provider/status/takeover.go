package status

import (
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/overview"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
	"github.com/hap-project/terraform-provider-hap/internal/takeover"
)

// importOptionsModel says how import_config names the rules. It is nil where the configuration does not say.
type importOptionsModel struct {
	RuleSet      types.String `tfsdk:"rule_set"`
	AccountRules types.String `tfsdk:"account_rules"`
	Recorded     types.Bool   `tfsdk:"recorded_claims"`
}

// terms are the rules of a configuration that takes the pool over.
func (m *importOptionsModel) terms(set *rules.Set, source rules.Source) takeover.Terms {
	by := takeover.Terms{Rules: set, Source: source}
	if m != nil {
		by.Recorded = m.Recorded.ValueBool()
		by.RuleSet, by.Ruled = m.RuleSet.ValueString(), takeover.Ruled(m.AccountRules.ValueString())
	}
	return by
}

// decisionModel is what a person has to decide.
type decisionModel struct {
	Account   string       `tfsdk:"account"`
	Kind      string       `tfsdk:"kind"`
	Found     string       `tfsdk:"found"`
	Choices   []string     `tfsdk:"choices"`
	Command   types.String `tfsdk:"command"`
	Resources []string     `tfsdk:"resources"`
}

// takeOver fills in the configuration that takes the pool over, and the decisions, as far as they are asked for.
func (m *statusModel) takeOver(o overview.Overview, by takeover.Terms) {
	m.ImportConfig, m.ImportDecisions = types.StringNull(), nil
	if !m.wants("import_config") && !m.wants("import_decisions") {
		return
	}
	config, decisions := takeover.Config(o, by)
	m.text(&m.ImportConfig, "import_config", func() string { return config })
	if !m.wants("import_decisions") {
		return
	}
	m.ImportDecisions = make([]decisionModel, len(decisions))
	for i, d := range decisions {
		m.ImportDecisions[i] = decisionModel{
			Account: d.Account, Kind: string(d.Kind), Found: d.Found, Choices: d.Choices, Command: tfvalue.TextOrNull(d.Command),
			Resources: append([]string{}, d.Resources...),
		}
	}
}

// reference is an expression that names an object: hap_rule_set.broker, module.rules.set, local.rules["a"].
var reference = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z_][A-Za-z0-9_-]*|\[([0-9]+|"[A-Za-z0-9_.-]*")\])+$`)

func importOptions() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true, MarkdownDescription: "What `import_config` has, and how it names the rules.",
		Attributes: map[string]schema.Attribute{
			"rule_set": schema.StringAttribute{
				Optional: true, MarkdownDescription: "The expression that the blocks have as their `rule_set`, such as " +
					"`\"hap_rule_set.broker\"`. Default: a local value, which comes with the text. Needs the argument `rule_set`.",
				Validators: []validator.String{
					stringvalidator.RegexMatches(reference, "an expression such as hap_rule_set.broker"),
					stringvalidator.AlsoRequires(path.MatchRoot("rule_set")),
				},
			},
			"account_rules": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Which accounts get `rule_set`, so that a plan warns as soon as no rule leads to their pool: " +
					tfvalue.Quoted(takeover.RuledChoices()) + ". Default `none`. One to whose pool no rule leads today gets none, and is a decision " +
					"(`no_rule`): no plan warns of what was taken over. Needs the argument `rule_set`.",
				Validators: []validator.String{
					stringvalidator.OneOf(takeover.RuledChoices()...), stringvalidator.AlsoRequires(path.MatchRoot("rule_set")),
				},
			},
			"recorded_claims": schema.BoolAttribute{
				Optional: true, MarkdownDescription: "Whether it has the claims that are recorded, too: for a landscape whose state is lost. A " +
					"claim that is imported into a second state is refused to the first. Default `false`: a comment names each. With " +
					"`expired_claims` it always has them.",
			},
		},
	}
}

func importConfig() schema.Attribute {
	return tfvalue.ComputedText("Configuration text that takes over the pool as it is now: an `import` block and a resource " +
		"block for each account (`hap_account`), and a claim named like the account for each that a Global Account holds without a claim " +
		"(`hap_credentials_binding_claim`, with `on_destroy = \"keep\"`). A claim that is recorded is left out, because a configuration has " +
		"made it; see `import_options`. No object says whether another state has an account. The name of a resource is that of the " +
		"account, made fit for the language and unique. A comment names what is left out, and what is to be decided. With `expired_claims` it " +
		"has the expired claims alone, with `on_destroy = \"keep\"` where that was recorded, else `mark_dirty`.")
}

func importDecisions() schema.Attribute {
	return tfvalue.ComputedList("What `import_config` cannot settle, because a person has to: the worst first, then by account.",
		map[string]schema.Attribute{
			"account": tfvalue.ComputedText("The account, or the object that is none yet."),
			"kind": tfvalue.ComputedText("What it is about: one of the [kinds of problems](../guides/troubleshooting.md#problems-of-a-pool), " +
				"or `other_kind` (a binding of another kind than `pool.kind` is an account to a provider of that kind), `no_rule` (no rule leads " +
				"to a claim, or to the pool of an account), `other_pool` (the rules lead a claim elsewhere) or `left_out`."),
			"found": tfvalue.ComputedText("What was found."),
			"choices": schema.ListAttribute{Computed: true, ElementType: types.StringType,
				MarkdownDescription: "What there is to choose from."},
			"command": tfvalue.ComputedText("The `kubectl` command of one of the choices, as in `problems`; null where none is safe to give."),
			"resources": schema.ListAttribute{Computed: true, ElementType: types.StringType,
				MarkdownDescription: "The addresses of the blocks that `import_config` has for the account all the same; empty where it has none."},
		})
}
