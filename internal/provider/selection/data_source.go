package selection

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

var _ datasource.DataSourceWithConfigure = (*selectionDataSource)(nil)

// Family registers the object.
var Family = family.Family{DataSources: []func() datasource.DataSource{func() datasource.DataSource { return &selectionDataSource{} }}}

// selectionDataSource says which account the next cluster of a Global Account goes to. It never writes.
type selectionDataSource struct{ backend *backend.Backend }

func (d *selectionDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_binding_selection"
}

func (d *selectionDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
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
			"label_selector": tfvalue.ComputedText("Selects the accounts that the Global Account holds in the pool, or the shared ones; for " +
				"`kubectl`."),
			"claim_label_selector":  tfvalue.ComputedText("Selects the accounts that are free to claim; null for a shared pool."),
			"multi_account_enabled": tfvalue.ComputedBool("Whether the Global Account may hold several accounts of the pool."),
			"limit":                 tfvalue.ComputedNumber("The most clusters per account; null where no limit applies."),
			"action": tfvalue.ComputedText("`reuse` an account that the Global Account holds, `claim` a free one, or " +
				"`share` a shared one."),
			"binding_name": tfvalue.ComputedText("The account that would be used or claimed now."),
			"unclaimed":    tfvalue.ComputedNumber("How many accounts of the pool are free to claim."),
			"candidates": tfvalue.ComputedList(fmt.Sprintf("The accounts that were considered, in the order they were judged: those that the "+
				"Global Account holds, or the shared ones; then, where none of those held can take the cluster, up to %d free "+
				"ones.", account.MaxFreeCandidates), candidateAttributes()),
			"reason": tfvalue.ComputedText("Why this account, in one sentence."),
		},
	}
}

func candidateAttributes() map[string]schema.Attribute {
	return tfvalue.WithUsage("Those of the Global Account itself.", map[string]schema.Attribute{
		"name":     tfvalue.ComputedText("The account."),
		"clusters": tfvalue.ComputedNumber("The clusters counted on it, of all tenants."),
		"reserved": tfvalue.ComputedNumber("The places that claims reserve for clusters which are not there yet."),
		"limit":    tfvalue.ComputedNumber("The most clusters that it may have; null where no limit applies."),
		"verdict": tfvalue.ComputedText("`chosen`, `available` or `full`; otherwise the class that keeps it from taking a cluster: `dirty`, " +
			"`quarantined`, `releasing`, `deleting` or `internal`."),
		"why": tfvalue.ComputedText("The reason."),
	})
}

func (d *selectionDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.backend = family.Backend(req.ProviderData, &resp.Diagnostics)
}

func (d *selectionDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model selectionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	match, ok, diags := model.Match(model.RuleSet)
	resp.Diagnostics.Append(diags...)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, backend.ReadTimeout)
	defer cancel()
	decision, err := d.backend.Garden.Decide(ctx, match.Target(), model.GlobalAccount.ValueString())
	if err != nil {
		diagnose.Report(&resp.Diagnostics, d.backend.Garden.Attempt("Selecting an account of pool %s for Global Account %s (%s)",
			match.Target(), model.GlobalAccount.ValueString(), match.Entry().Name()), err)
		return
	}
	for _, w := range decision.Warnings {
		resp.Diagnostics.AddAttributeWarning(path.Root("global_account"), diagnose.SummarySelectionWarning, w)
	}
	diagnose.WarnDoubts(&resp.Diagnostics, decision.Doubts)
	request.WarnStrayLimits(ctx, &resp.Diagnostics, d.backend, model.RuleSet)
	selectors, err := d.backend.Settings.Keys.Selectors(match.Target(), model.GlobalAccount.ValueString())
	if err != nil {
		resp.Diagnostics.AddError(diagnose.SummaryUnexpected, err.Error())
		return
	}
	model.fill(match, decision, selectors, d.backend.Garden.CountedBy())
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}
