package selection

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

type selectionModel struct {
	request.Model
	RuleSet             types.Object     `tfsdk:"rule_set"`
	GlobalAccount       types.String     `tfsdk:"global_account"`
	Entry               *entryModel      `tfsdk:"entry"`
	HyperscalerType     types.String     `tfsdk:"hyperscaler_type"`
	Shared              types.Bool       `tfsdk:"shared"`
	EUAccess            types.Bool       `tfsdk:"eu_access"`
	LabelSelector       types.String     `tfsdk:"label_selector"`
	ClaimLabelSelector  types.String     `tfsdk:"claim_label_selector"`
	MultiAccountEnabled types.Bool       `tfsdk:"multi_account_enabled"`
	Limit               types.Int64      `tfsdk:"limit"`
	Action              types.String     `tfsdk:"action"`
	BindingName         types.String     `tfsdk:"binding_name"`
	Unclaimed           types.Int64      `tfsdk:"unclaimed"`
	Cooling             types.Int64      `tfsdk:"cooling"`
	Candidates          []candidateModel `tfsdk:"candidates"`
	Reason              types.String     `tfsdk:"reason"`
}

type entryModel struct {
	Number int    `tfsdk:"number"`
	Text   string `tfsdk:"text"`
}

type candidateModel struct {
	tfvalue.Usage
	Name     string      `tfsdk:"name"`
	Clusters int         `tfsdk:"clusters"`
	Reserved int         `tfsdk:"reserved"`
	Limit    types.Int64 `tfsdk:"limit"`
	Verdict  string      `tfsdk:"verdict"`
	Why      string      `tfsdk:"why"`
}

// fill maps what the rules and the pool say to the outputs.
func (m *selectionModel) fill(match rules.Match, decision account.Decision, selectors garden.Selectors, countedBy account.Source) {
	target := match.Target()
	m.Entry = &entryModel{Number: match.Entry().Number, Text: match.Entry().Text}
	m.HyperscalerType = types.StringValue(target.HyperscalerType)
	m.Shared, m.EUAccess = types.BoolValue(target.Shared), types.BoolValue(target.EUAccess)
	m.LabelSelector, m.ClaimLabelSelector = types.StringValue(selectors.Pool), tfvalue.TextOrNull(selectors.Unclaimed)
	m.MultiAccountEnabled, m.Limit = types.BoolValue(decision.MultiAccount), tfvalue.NumberOrNull(decision.Limit)
	m.Action, m.BindingName = types.StringValue(string(decision.Action)), types.StringValue(decision.Account.Name)
	m.Unclaimed, m.Reason = types.Int64Value(int64(decision.Unclaimed)), types.StringValue(decision.Reason)
	m.Cooling = types.Int64Value(int64(decision.Cooling))
	m.Candidates = make([]candidateModel, len(decision.Candidates))
	for i, c := range decision.Candidates {
		m.Candidates[i] = candidateModel{
			Usage: tfvalue.UsageOf(c.Usage, countedBy, m.GlobalAccount.ValueString()), Name: c.Name, Clusters: c.Clusters, Reserved: c.Reserved,
			Limit: tfvalue.NumberOrNull(c.Limit), Verdict: string(c.Verdict), Why: c.Why,
		}
	}
}
