// Package ruleset is the resource hap_rule_set, which lives in the state alone.
package ruleset

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
)

var (
	_ resource.ResourceWithConfigure      = (*ruleSetResource)(nil)
	_ resource.ResourceWithImportState    = (*ruleSetResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*ruleSetResource)(nil)
	_ resource.ResourceWithValidateConfig = (*ruleSetResource)(nil)
)

// Family registers the object.
var Family = family.Family{Resources: []func() resource.Resource{func() resource.Resource { return &ruleSetResource{} }}}

// ruleSetResource checks a rule set and keeps it in state; nothing of it exists anywhere else.
type ruleSetResource struct{ backend *backend.Backend }

// The values of pool_check.
const (
	poolCheckError = "error"
	poolCheckWarn  = "warn"
	poolCheckOff   = "off"
)

func (r *ruleSetResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_rule_set"
}

// ImportState refuses: there is nothing outside of the state to import.
func (r *ruleSetResource) ImportState(_ context.Context, _ resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resp.Diagnostics.AddError(diagnose.SummaryImportMissing, "A hap_rule_set lives in the state alone, so there is nothing to import. "+
		"Nothing was done. Take the import away, and apply: that makes the rule set of the configuration.")
}

func (r *ruleSetResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	legacy := map[string]schema.Attribute{}
	for name, description := range request.LegacyDescriptions {
		legacy[name] = schema.StringAttribute{Optional: true, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "A set of rules that maps a cluster request (plan and regions) to a pool, checked as a whole: every problem is " +
			"reported in one run. It lives in the state alone; other objects take it by `rule_set = hap_rule_set.<name>`. With `pool_check = " +
			"\"off\"` it needs no connection.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true,
				MarkdownDescription: "A hash of the rules in their normal form: the same for sets that mean the same."},
			"rules": schema.ListAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: request.RuleSetDescriptions["rules"] + " Exactly one of `rules` " +
					"and `legacy` is needed.",
				Validators: request.NoNulls,
			},
			"legacy": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: request.RuleSetDescriptions["legacy"],
				Attributes: legacy,
			},
			"syntax": schema.StringAttribute{Optional: true, MarkdownDescription: request.RuleSetDescriptions["syntax"]},
			"plans": schema.MapAttribute{
				Optional: true, Validators: request.NoNullsInside, ElementType: request.ListOfStrings,
				MarkdownDescription: request.RuleSetDescriptions["plans"],
			},
			"required_plans": schema.SetAttribute{Optional: true, Validators: request.NoNullsInSet, ElementType: types.StringType,
				MarkdownDescription: request.RuleSetDescriptions["required_plans"]},
			"eu_access_platform_regions": schema.SetAttribute{Optional: true, Validators: request.NoNullsInSet, ElementType: types.StringType,
				MarkdownDescription: request.RuleSetDescriptions["eu_access_platform_regions"]},
			"platform_regions": schema.SetAttribute{Optional: true, Validators: request.NoNullsInSet, ElementType: types.StringType,
				MarkdownDescription: request.RuleSetDescriptions["platform_regions"]},
			"pool_check": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(poolCheckError),
				MarkdownDescription: "What happens when an entry without `*` leads to a pool that has no account, on any hyperscaler of its plan: " +
					"`error` (default) or `warn`; `off` does not look. An apply looks. A plan only warns, as the accounts may be made in the same " +
					"apply; but it fails where the rule set exists already and a pool of it has vanished. `euAccess=*` leads to two pools. An " +
					"entry with the `*` of a region needs at least one of its pools, and only warns where there is none.",
				Validators: []validator.String{stringvalidator.OneOf(poolCheckError, poolCheckWarn, poolCheckOff)},
			},
			"rule_file": schema.StringAttribute{Computed: true, MarkdownDescription: "The rules as YAML with the key `rule`, for the Kyma " +
				"Environment Broker: always in its own syntax (arrow, without `*`), with the same outcome as here for every request that the broker " +
				"can get, which has both regions. Only `plans` cannot be said in it: the broker has a table of its own. Rules in arrow syntax " +
				"stay as written."},
			"helm_values": schema.StringAttribute{Computed: true, MarkdownDescription: "`rule_file` below the key `hap`, as the Helm chart of the " +
				"broker takes it: `helm upgrade --values`."},
			"entries": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "What each entry means.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"number": schema.Int64Attribute{Computed: true, MarkdownDescription: "The entry's place, from 1."},
					"text":   schema.StringAttribute{Computed: true, MarkdownDescription: "The entry as written."},
					"plan":   schema.StringAttribute{Computed: true, MarkdownDescription: "The plan that it is for."},
					"platform_region": schema.StringAttribute{Computed: true,
						MarkdownDescription: "The platform region that it matches: one, `*` for any, or empty where it does not ask."},
					"hyperscaler_region": schema.StringAttribute{Computed: true, MarkdownDescription: "The hyperscaler region that it matches, likewise."},
					"hyperscaler_type": schema.StringAttribute{Computed: true,
						MarkdownDescription: "The pool's hyperscaler type, with placeholders for what the request decides."},
					"shared": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the pool is shared."},
					"eu_access": schema.StringAttribute{Computed: true,
						MarkdownDescription: "Whether the pool is one for EU access: `true`, `*` for \"if the request has EU access\", or empty."},
					"label_selector": schema.StringAttribute{Computed: true,
						MarkdownDescription: "For `kubectl`: selects the accounts of the pool; of a pool that is not shared, those without the " +
							"label `dirty`."},
				}},
			},
		},
	}
}

func (r *ruleSetResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.backend = family.Backend(req.ProviderData, &resp.Diagnostics)
}

// ValidateConfig checks the rules as soon as they are known, so that `validate` finds mistakes already.
func (r *ruleSetResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var model ruleSetResourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	model.warnEmptyLegacy(&resp.Diagnostics)
	if !model.known() || request.HasNull(model.Rules) || request.HasNullInside(model.Plans) || request.HasNull(listOf(model.RequiredPlans)) {
		resp.Diagnostics.Append(model.checkKnown()...)
		return
	}
	_, diags := model.compile()
	resp.Diagnostics.Append(diags...)
}

// ModifyPlan makes everything that follows from the rules known in the plan, and looks for missing pools. Terraform calls it
// for a rule set without changes, too.
func (r *ruleSetResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var model ruleSetResourceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || !model.known() {
		return
	}
	set, diags := model.compile()
	if diags.HasError() {
		resp.Diagnostics.Append(diags.Errors()...)
		return
	}
	var before types.String
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(model.keepText(ctx, req.State, &set)...)
		resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("id"), &before)...)
	}
	resp.Diagnostics.Append(model.compute(set, r.backend)...)
	if !model.ID.Equal(before) { // where the broker never reads the file, each plan would repeat it else
		warnOwnPlans(&resp.Diagnostics, set)
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &model)...)
	if model.PoolCheck.ValueString() != poolCheckOff {
		standing, diags := r.standing(ctx, req.State, model.PoolCheck.ValueString())
		resp.Diagnostics.Append(diags...)
		r.planPools(ctx, &resp.Diagnostics, set, &model, standing)
	}
}

func (r *ruleSetResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	r.apply(ctx, req.Plan, &resp.State, &resp.Diagnostics)
}

// Read changes nothing: the rule set is in the state alone. It notes that this run refreshes, see [ruleSetResource.standing].
func (r *ruleSetResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var id types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("id"), &id)...)
	r.backend.Ledger.First(refreshed, id.ValueString())
}

func (r *ruleSetResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	r.apply(ctx, req.Plan, &resp.State, &resp.Diagnostics)
}

// Delete has nothing to remove: the rule set is in the state alone.
func (r *ruleSetResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// apply computes the outputs, checks the pools, and writes the state unless something is wrong.
func (r *ruleSetResource) apply(ctx context.Context, plan tfsdk.Plan, state *tfsdk.State, diags *diag.Diagnostics) {
	var model ruleSetResourceModel
	diags.Append(plan.Get(ctx, &model)...)
	if diags.HasError() {
		return
	}
	set, problems := model.compile()
	diags.Append(problems.Errors()...)
	if diags.HasError() {
		return
	}
	diags.Append(model.compute(set, r.backend)...)
	if model.PoolCheck.ValueString() != poolCheckOff {
		r.checkPools(ctx, diags, set, &model)
	}
	if !diags.HasError() {
		diags.Append(state.Set(ctx, &model)...)
	}
}
