// Package selection is the data source hap_binding_selection: which account the next cluster goes to.
package selection

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// Family registers the object.
var Family = family.Family{DataSources: []func() datasource.DataSource{family.NewDataSource(selection)}}

// selection says which account the next cluster of a Global Account goes to.
var selection = family.DataSource[selectionModel]{Type: "binding_selection", Schema: selectionSchema, Read: readSelection}

func selectionSchema(context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Which account the next cluster of a Global Account goes to, and why. It reads the live pool and never writes: " +
			"the same selection as `hap_credentials_binding_claim` makes, as the pool is now.",
		Attributes: map[string]schema.Attribute{
			"rule_set": schema.SingleNestedAttribute{
				Required: true, MarkdownDescription: "The rules: `hap_rule_set.<name>`, or an object with the same inputs.",
				Attributes: request.DataSourceAttributes(),
			},
			"plan":               schema.StringAttribute{Required: true, MarkdownDescription: request.Descriptions["plan"]},
			"platform_region":    schema.StringAttribute{Optional: true, MarkdownDescription: request.Descriptions["platform_region"]},
			"hyperscaler_region": schema.StringAttribute{Optional: true, MarkdownDescription: request.Descriptions["hyperscaler_region"]},
			"hyperscaler":        schema.StringAttribute{Optional: true, MarkdownDescription: request.Descriptions["hyperscaler"]},
			"global_account": schema.StringAttribute{
				Required: true, MarkdownDescription: request.Descriptions["global_account"],
				Validators: []validator.String{tfvalue.LabelValue{What: "Global Account", Summary: diagnose.SummaryInvalidGA}},
			},
			"entry": schema.SingleNestedAttribute{
				Computed: true, MarkdownDescription: "The rule that applies.",
				Attributes: map[string]schema.Attribute{
					"number": tfvalue.ComputedNumber("Its place in the rule set, from 1."),
					"text":   tfvalue.ComputedText("The rule as written."),
				},
			},
			"hyperscaler_type": tfvalue.ComputedText("The pool's hyperscaler type: `<hyperscaler>[_<platform region>][_<hyperscaler region>]`."),
			"shared":           tfvalue.ComputedBool("Whether the pool is shared by all tenants."),
			"eu_access":        tfvalue.ComputedBool("Whether the pool is one for EU access."),
			"label_selector": tfvalue.ComputedText("For `kubectl`: selects the accounts that the Global Account holds in the pool and that do not " +
				"have the label `dirty`; in a shared pool the shared accounts."),
			"claim_label_selector": tfvalue.ComputedText("For `kubectl`: selects the accounts of the pool that no Global Account holds and that " +
				"do not have the label `dirty`, as the broker does; null for a shared pool. Internal accounts and those with clusters are among " +
				"them: `unclaimed` counts what a claim can take."),
			"multi_account_enabled": tfvalue.ComputedBool("Whether the Global Account may hold several accounts of the pool."),
			"limit":                 tfvalue.ComputedNumber("The most clusters per account; null where no limit applies."),
			"action": tfvalue.ComputedText("`reuse` an account that the Global Account holds, `claim` a free one, or " +
				"`share` a shared one."),
			"binding_name": tfvalue.ComputedText("The account that would be used or claimed now."),
			"unclaimed":    tfvalue.ComputedNumber("How many accounts of the pool are free: what a claim could take now."),
			"cooling": tfvalue.ComputedNumber("How many accounts of the pool are free, and are left alone for a while after their last claim " +
				"(`pool.min_free_time` of the provider)."),
			"candidates": tfvalue.ComputedList(fmt.Sprintf("The accounts that were considered, in the order they were judged: those that the "+
				"Global Account holds, or the shared ones; then, where none of those held can take the cluster, up to %d free "+
				"ones, those that cool down last.", account.MaxFreeCandidates), candidateAttributes()),
			"reason": tfvalue.ComputedText("Why this account, in one sentence."),
		},
	}
}

func candidateAttributes() map[string]schema.Attribute {
	return tfvalue.WithUsage("the Global Account itself", map[string]schema.Attribute{
		"name":     tfvalue.ComputedText("The account."),
		"clusters": tfvalue.ComputedNumber("The clusters counted on it, of all tenants."),
		"reserved": tfvalue.ComputedNumber("The places that claims reserve for clusters which are not there yet."),
		"limit":    tfvalue.ComputedNumber("The most clusters that it may have; null where no limit applies."),
		"verdict": tfvalue.ComputedText("`chosen`, `available` or `full`; otherwise the class that keeps it from taking a cluster: `dirty`, " +
			"`quarantined`, `releasing`, `deleting`, `internal`, `taken` (another binding of its credentials is another Global Account's, or " +
			"shared), `unclear` (a label under another key says that another Global Account holds it, or that it is shared or dirty) or " +
			"`cooling`."),
		"why": tfvalue.ComputedText("The reason."),
	})
}

func readSelection(ctx context.Context, call *family.Call, m *selectionModel) {
	match, ok, diags := m.Match(m.RuleSet)
	call.Diags.Append(diags...)
	if !ok {
		return
	}
	of, globalAccount := call.Backend.Garden, m.GlobalAccount.ValueString()
	decision, err := of.Decide(ctx, match.Target(), globalAccount)
	if err != nil {
		diagnose.Report(call.Diags, of.Attempt("Selecting an account of pool %s for Global Account %s (%s)",
			match.Target(), globalAccount, match.Entry().Name()), err)
		return
	}
	for _, w := range decision.Warnings {
		call.Diags.AddAttributeWarning(path.Root("global_account"), diagnose.SummarySelectionWarning, w)
	}
	diagnose.WarnDoubts(call.Diags, decision.Doubts)
	request.WarnStrayLimits(ctx, call.Diags, call.Backend, m.RuleSet)
	selectors, err := call.Backend.Settings.Keys.Selectors(match.Target(), globalAccount)
	if err != nil {
		call.Diags.AddError(diagnose.SummaryUnexpected, err.Error())
		return
	}
	m.fill(match, decision, selectors, of.CountedBy())
}
