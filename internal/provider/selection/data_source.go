package selection

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

var (
	_ datasource.DataSource              = (*selectionDataSource)(nil)
	_ datasource.DataSourceWithConfigure = (*selectionDataSource)(nil)
)

// Family registers the object.
var Family = family.Family{DataSources: []func() datasource.DataSource{func() datasource.DataSource { return &selectionDataSource{} }}}

// selectionDataSource says which account the next cluster of a Global Account goes to. It never writes.
type selectionDataSource struct{ backend *backend.Backend }

func (d *selectionDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_binding_selection"
}

func (d *selectionDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Which account the next cluster of a Global Account goes to, and why. It looks at the live pool and never writes: " +
			"the same selection as `hap_credentials_binding_claim` makes, as it stands now.",
		Attributes: map[string]schema.Attribute{
			"rule_set": schema.SingleNestedAttribute{
				Required: true, MarkdownDescription: "The rules: `hap_rule_set.<name>`, or an object with the same inputs.",
				Attributes: map[string]schema.Attribute{
					"legacy": schema.SingleNestedAttribute{Optional: true, MarkdownDescription: request.RuleSetDescriptions["legacy"], Attributes: map[string]schema.Attribute{
						"platform_region_rule": schema.StringAttribute{Optional: true, MarkdownDescription: request.LegacyDescriptions["platform_region_rule"]},
						"cluster_region_rule":  schema.StringAttribute{Optional: true, MarkdownDescription: request.LegacyDescriptions["cluster_region_rule"]},
						"shared_rule":          schema.StringAttribute{Optional: true, MarkdownDescription: request.LegacyDescriptions["shared_rule"]},
						"eu_access_rule":       schema.StringAttribute{Optional: true, MarkdownDescription: request.LegacyDescriptions["eu_access_rule"]},
					}},
					"rules":                      schema.ListAttribute{Optional: true, Validators: request.NoNulls, ElementType: types.StringType, MarkdownDescription: request.RuleSetDescriptions["rules"]},
					"syntax":                     schema.StringAttribute{Optional: true, MarkdownDescription: request.RuleSetDescriptions["syntax"]},
					"plans":                      schema.MapAttribute{Optional: true, Validators: request.NoNullsInMap, ElementType: request.ListOfStrings, MarkdownDescription: request.RuleSetDescriptions["plans"]},
					"required_plans":             schema.ListAttribute{Optional: true, Validators: request.NoNulls, ElementType: types.StringType, MarkdownDescription: request.RuleSetDescriptions["required_plans"]},
					"eu_access_platform_regions": schema.ListAttribute{Optional: true, Validators: request.NoNulls, ElementType: types.StringType, MarkdownDescription: request.RuleSetDescriptions["eu_access_platform_regions"]},
				},
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
					"number": schema.Int64Attribute{Computed: true, MarkdownDescription: "Its place in the rule set, from 1."},
					"text":   schema.StringAttribute{Computed: true, MarkdownDescription: "The rule as written."},
				},
			},
			"hyperscaler_type":      schema.StringAttribute{Computed: true, MarkdownDescription: "The pool's hyperscaler type: `<hyperscaler>[_<platform region>][_<hyperscaler region>]`."},
			"shared":                schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the pool is shared by all tenants."},
			"eu_access":             schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the pool is one for EU access."},
			"label_selector":        schema.StringAttribute{Computed: true, MarkdownDescription: "Selects the accounts that the Global Account holds in the pool, or the shared ones; for `kubectl`."},
			"claim_label_selector":  schema.StringAttribute{Computed: true, MarkdownDescription: "Selects the accounts that are free to claim; null for a shared pool."},
			"multi_account_enabled": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the Global Account may hold several accounts of the pool."},
			"limit":                 schema.Int64Attribute{Computed: true, MarkdownDescription: "The most clusters per account; null where no limit applies."},
			"action":                schema.StringAttribute{Computed: true, MarkdownDescription: "`reuse` an account that the Global Account holds, `claim` an unclaimed one, or `share` a shared one."},
			"binding_name":          schema.StringAttribute{Computed: true, MarkdownDescription: "The account that would be used or claimed now."},
			"unclaimed":             schema.Int64Attribute{Computed: true, MarkdownDescription: "How many accounts of the pool are free to claim."},
			"candidates": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: fmt.Sprintf("The accounts that were looked at, in the order they were judged: those that the Global Account holds, or the shared ones; then, where none of those held can take the cluster, up to %d unclaimed ones.", pool.MaxFreeCandidates),
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"name":            schema.StringAttribute{Computed: true, MarkdownDescription: "The account."},
					"clusters":        schema.Int64Attribute{Computed: true, MarkdownDescription: "The clusters counted on it, of all tenants."},
					"reserved":        schema.Int64Attribute{Computed: true, MarkdownDescription: "The places that claims reserve for clusters which are not there yet."},
					"shoots":          schema.Int64Attribute{Computed: true, MarkdownDescription: "The Shoots on it; null where Gardener was not asked."},
					"instances":       schema.Int64Attribute{Computed: true, MarkdownDescription: "The live rows of the broker's database that name it; null where the database was not asked, as are the next three."},
					"own_instances":   schema.Int64Attribute{Computed: true, MarkdownDescription: "Those of the Global Account itself."},
					"other_instances": schema.Int64Attribute{Computed: true, MarkdownDescription: "Those of other Global Accounts."},
					"suspended":       schema.Int64Attribute{Computed: true, MarkdownDescription: "Those that are suspended: they have no Shoot, and occupy the account all the same."},
					"limit":           schema.Int64Attribute{Computed: true, MarkdownDescription: "The most clusters that it may have; null where no limit applies."},
					"verdict":         schema.StringAttribute{Computed: true, MarkdownDescription: "`chosen`, `available` or `full`; otherwise the class that keeps it from taking a cluster: `dirty`, `quarantined`, `releasing`, `deleting`, `internal`, or for an account pinned by a claim `occupied` or `unreachable`."},
					"why":             schema.StringAttribute{Computed: true, MarkdownDescription: "The reason."},
				}},
			},
			"reason": schema.StringAttribute{Computed: true, MarkdownDescription: "Why this account, in one sentence."},
		},
	}
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
	match, ok, diags := model.Match(ctx, model.RuleSet)
	resp.Diagnostics.Append(diags...)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, backend.ReadTimeout)
	defer cancel()
	decision, err := d.backend.Decide(ctx, match.Target(), model.GlobalAccount.ValueString())
	if err != nil {
		diagnose.Report(&resp.Diagnostics, d.backend.Attempt("Selecting an account of pool %s for Global Account %s (%s)",
			match.Target(), model.GlobalAccount.ValueString(), request.RuleName(match.Entry())), err)
		return
	}
	for _, w := range decision.Warnings {
		resp.Diagnostics.AddAttributeWarning(path.Root("global_account"), diagnose.SummarySelectionWarning, w)
	}
	diagnose.WarnDoubts(&resp.Diagnostics, decision.Doubts)
	request.WarnStrayLimits(ctx, &resp.Diagnostics, d.backend, model.RuleSet)
	selectors, err := d.backend.Keys.Selectors(match.Target(), model.GlobalAccount.ValueString())
	if err != nil {
		resp.Diagnostics.AddError(diagnose.SummaryUnexpected, err.Error())
		return
	}
	model.fill(match, decision, selectors, d.backend.CountedBy())
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}
