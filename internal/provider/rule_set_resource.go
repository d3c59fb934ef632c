package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

var (
	_ resource.Resource                   = (*ruleSetResource)(nil)
	_ resource.ResourceWithConfigure      = (*ruleSetResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*ruleSetResource)(nil)
	_ resource.ResourceWithValidateConfig = (*ruleSetResource)(nil)
)

func newRuleSetResource() resource.Resource { return &ruleSetResource{} }

// ruleSetResource checks a rule set and keeps it in state; nothing of it exists anywhere else.
type ruleSetResource struct{ backend *backend }

type ruleSetResourceModel struct {
	ID                      types.String `tfsdk:"id"`
	Rules                   types.List   `tfsdk:"rules"`
	Legacy                  types.Object `tfsdk:"legacy"`
	Syntax                  types.String `tfsdk:"syntax"`
	Plans                   types.Map    `tfsdk:"plans"`
	RequiredPlans           types.Set    `tfsdk:"required_plans"`
	EUAccessPlatformRegions types.Set    `tfsdk:"eu_access_platform_regions"`
	PoolCheck               types.String `tfsdk:"pool_check"`
	Entries                 types.List   `tfsdk:"entries"`
	RuleFile                types.String `tfsdk:"rule_file"`
}

// The values of pool_check.
const (
	poolCheckError = "error"
	poolCheckWarn  = "warn"
	poolCheckOff   = "off"
)

var entryType = types.ObjectType{AttrTypes: map[string]attr.Type{
	"number": types.Int64Type, "text": types.StringType, "plan": types.StringType,
	"platform_region": types.StringType, "hyperscaler_region": types.StringType,
	"hyperscaler_type": types.StringType, "shared": types.BoolType, "eu_access": types.StringType, "label_selector": types.StringType,
}}

func (r *ruleSetResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_rule_set"
}

func (r *ruleSetResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "A set of rules that maps a cluster request (plan and regions) to a pool, checked as a whole: every problem is reported in one run. " +
			"It lives in the state alone; other objects take it by `rule_set = hap_rule_set.<name>`. With `pool_check = \"off\"` it needs no connection.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{Computed: true, MarkdownDescription: "A hash of the rules in their normal form: the same for sets that mean the same."},
			"rules": schema.ListAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: ruleSetDescriptions["rules"] + " Exactly one of `rules` and `legacy` is needed.",
				Validators: noNulls,
			},
			"legacy": schema.SingleNestedAttribute{
				Optional: true, MarkdownDescription: ruleSetDescriptions["legacy"],
				Attributes: map[string]schema.Attribute{
					"platform_region_rule": schema.StringAttribute{Optional: true, MarkdownDescription: legacyDescriptions["platform_region_rule"]},
					"cluster_region_rule":  schema.StringAttribute{Optional: true, MarkdownDescription: legacyDescriptions["cluster_region_rule"]},
					"shared_rule":          schema.StringAttribute{Optional: true, MarkdownDescription: legacyDescriptions["shared_rule"]},
					"eu_access_rule":       schema.StringAttribute{Optional: true, MarkdownDescription: legacyDescriptions["eu_access_rule"]},
				},
			},
			"syntax": schema.StringAttribute{Optional: true, MarkdownDescription: ruleSetDescriptions["syntax"]},
			"plans": schema.MapAttribute{
				Optional: true, Validators: noNullsInMap, ElementType: listOfStrings, MarkdownDescription: ruleSetDescriptions["plans"],
			},
			"required_plans":             schema.SetAttribute{Optional: true, Validators: noNullsInSet, ElementType: types.StringType, MarkdownDescription: ruleSetDescriptions["required_plans"]},
			"eu_access_platform_regions": schema.SetAttribute{Optional: true, Validators: noNullsInSet, ElementType: types.StringType, MarkdownDescription: ruleSetDescriptions["eu_access_platform_regions"]},
			"pool_check": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(poolCheckError),
				MarkdownDescription: "What happens at apply when an entry without `*` leads to a pool that has no account: `error` (default) or `warn`; `off` does not look. A plan only warns.",
				Validators:          []validator.String{stringvalidator.OneOf(poolCheckError, poolCheckWarn, poolCheckOff)},
			},
			"rule_file": schema.StringAttribute{Computed: true, MarkdownDescription: "The rules as YAML with the key `rule`, as the Kyma Environment Broker reads them."},
			"entries": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "What each entry means.",
				NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
					"number":             schema.Int64Attribute{Computed: true, MarkdownDescription: "The entry's place, from 1."},
					"text":               schema.StringAttribute{Computed: true, MarkdownDescription: "The entry as written."},
					"plan":               schema.StringAttribute{Computed: true, MarkdownDescription: "The plan that it is for."},
					"platform_region":    schema.StringAttribute{Computed: true, MarkdownDescription: "The platform region that it matches: one, `*` for any, or empty where it does not ask."},
					"hyperscaler_region": schema.StringAttribute{Computed: true, MarkdownDescription: "The hyperscaler region that it matches, likewise."},
					"hyperscaler_type":   schema.StringAttribute{Computed: true, MarkdownDescription: "The pool's hyperscaler type, with placeholders for what the request decides."},
					"shared":             schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the pool is shared."},
					"eu_access":          schema.StringAttribute{Computed: true, MarkdownDescription: "Whether the pool is one for EU access: `true`, `*` for \"if the request has EU access\", or empty."},
					"label_selector":     schema.StringAttribute{Computed: true, MarkdownDescription: "The label selector of the pool's accounts, for `kubectl`."},
				}},
			},
		},
	}
}

func (r *ruleSetResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	backend, err := backendFrom(req.ProviderData)
	if err != nil {
		resp.Diagnostics.AddError(summaryUnexpected, err.Error())
	}
	r.backend = backend
}

// ValidateConfig checks the rules as soon as they are known, so that `validate` finds mistakes already.
func (r *ruleSetResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var model ruleSetResourceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !model.known() || hasNull(model.Rules) || hasNull(model.Plans) || hasNull(listOf(model.RequiredPlans)) {
		resp.Diagnostics.Append(model.checkKnown(ctx)...)
		return
	}
	_, diags := model.compile(ctx)
	resp.Diagnostics.Append(diags...)
}

// ModifyPlan makes everything that follows from the rules known in the plan, and warns of missing pools.
func (r *ruleSetResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}
	var model ruleSetResourceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() || !model.known() {
		return
	}
	set, diags := model.compile(ctx)
	if diags.HasError() {
		resp.Diagnostics.Append(diags.Errors()...)
		return
	}
	if !req.State.Raw.IsNull() {
		resp.Diagnostics.Append(model.keepText(ctx, req.State, &set)...)
	}
	resp.Diagnostics.Append(model.compute(set)...)
	resp.Diagnostics.Append(resp.Plan.Set(ctx, &model)...)
	if model.PoolCheck.ValueString() != poolCheckOff {
		r.warnMissing(ctx, &resp.Diagnostics, set, model.Rules.IsNull())
	}
}

func (r *ruleSetResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var model ruleSetResourceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)
	r.apply(ctx, &model, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	}
}

// Read has nothing to look at: the rule set is in the state alone.
func (r *ruleSetResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (r *ruleSetResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var model ruleSetResourceModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)
	r.apply(ctx, &model, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
	}
}

// Delete has nothing to remove: the rule set is in the state alone.
func (r *ruleSetResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// apply computes the outputs and checks the pools.
func (r *ruleSetResource) apply(ctx context.Context, model *ruleSetResourceModel, diags *diag.Diagnostics) {
	if diags.HasError() {
		return
	}
	set, problems := model.compile(ctx)
	diags.Append(problems.Errors()...)
	if diags.HasError() {
		return
	}
	diags.Append(model.compute(set)...)
	if model.PoolCheck.ValueString() == poolCheckOff {
		return
	}
	missing, err := r.missing(ctx, set, model.Rules.IsNull())
	switch warn := model.PoolCheck.ValueString() == poolCheckWarn; {
	case err != nil && warn:
		diags.AddAttributeWarning(path.Root("pool_check"), summaryPoolUnchecked, fmt.Sprintf("Checking that each rule has a pool: %s.", err))
	case err != nil:
		report(diags, `Checking that each rule has a pool (pool_check = "error")`, err)
	default:
		for _, m := range missing {
			if warn {
				diags.AddAttributeWarning(m.at, summaryPoolMissing, m.detail)
			} else {
				diags.AddAttributeError(m.at, summaryPoolMissing, m.detail)
			}
		}
	}
}

// warnMissing looks at the pools as a courtesy; at plan they may still be to come.
func (r *ruleSetResource) warnMissing(ctx context.Context, diags *diag.Diagnostics, set *rules.Set, legacy bool) {
	ctx, cancel := context.WithTimeout(ctx, previewTimeout)
	defer cancel()
	missing, err := r.missing(ctx, set, legacy)
	if err != nil {
		return // apply says why
	}
	for _, m := range missing {
		diags.AddAttributeWarning(m.at, summaryPoolMissing, m.detail)
	}
}

// missingPool is an entry whose pool has no account.
type missingPool struct {
	at     path.Path
	detail string
}

// missing looks for accounts in the pools of all entries without a wildcard, with one list for all.
func (r *ruleSetResource) missing(ctx context.Context, set *rules.Set, legacy bool) ([]missingPool, error) {
	p, err := r.backend.pool()
	if err != nil {
		return nil, err
	}
	at := func(e *rules.Entry) path.Path { return path.Root("rules").AtListIndex(e.Number - 1) }
	if legacy {
		at = func(*rules.Entry) path.Path { return path.Root("legacy") }
	}
	var wanted []pool.Target
	entries := set.Entries()
	for i := range entries {
		wanted = append(wanted, entries[i].Targets()...)
	}
	absent, err := p.Missing(ctx, wanted)
	if err != nil {
		return nil, err
	}
	gone := map[pool.Target]bool{}
	for _, t := range absent {
		gone[t] = true
	}
	var missing []missingPool
	for i := range entries {
		e := &entries[i]
		targets := e.Targets()
		if len(targets) == 0 || slices.ContainsFunc(targets, func(t pool.Target) bool { return !gone[t] }) {
			continue // a plan on several hyperscalers needs a pool on one of them
		}
		selectors := make([]string, len(targets))
		for i, t := range targets {
			s, err := r.backend.keys.Selectors(t, "")
			if err != nil {
				return nil, err
			}
			selectors[i] = s.Pool
		}
		missing = append(missing, missingPool{at(e), fmt.Sprintf(
			"There is no account for %s in namespace %s: none has the labels %s. Add one to the pool, or remove the rule.",
			ruleName(e), p.Namespace(), strings.Join(selectors, ", nor "))})
	}
	return missing, nil
}

func (m *ruleSetResourceModel) known() bool {
	return whollyKnown(m.Rules, m.Legacy, m.Syntax, m.Plans, m.RequiredPlans, m.EUAccessPlatformRegions)
}

// compile checks the rules; warnings come along also when there are no errors.
func (m *ruleSetResourceModel) compile(ctx context.Context) (*rules.Set, diag.Diagnostics) {
	src, diags := ruleSetModel{
		Rules: m.Rules, Legacy: m.Legacy, Syntax: m.Syntax, Plans: m.Plans,
		RequiredPlans: listOf(m.RequiredPlans), EUAccessPlatformRegions: listOf(m.EUAccessPlatformRegions),
	}.source(ctx)
	if diags.HasError() {
		return nil, diags
	}
	set, problems := rules.Compile(src)
	reportProblems(&diags, path.Empty(), problems)
	return set, diags
}

// checkKnown finds what is wrong with single entries although other parts are still unknown, or null.
func (m *ruleSetResourceModel) checkKnown(ctx context.Context) diag.Diagnostics {
	var diags diag.Diagnostics
	if m.Rules.IsNull() || !whollyKnown(m.Syntax, m.Plans) || hasNull(m.Plans) {
		return diags
	}
	var known []attr.Value
	var numbers []int
	for i, e := range m.Rules.Elements() {
		if !e.IsNull() && !e.IsUnknown() {
			known, numbers = append(known, e), append(numbers, i+1)
		}
	}
	if len(known) == 0 {
		return diags
	}
	src, diags := ruleSetModel{
		Rules: types.ListValueMust(types.StringType, known), Legacy: types.ObjectNull(nil), Syntax: m.Syntax, Plans: m.Plans,
	}.source(ctx)
	if diags.HasError() {
		return diags
	}
	_, problems := rules.Compile(src)
	var certain rules.Problems
	for _, p := range problems {
		if len(p.Entries) == 1 && (p.Kind == rules.KindParse || p.Kind == rules.KindUnknownPlan) {
			p.Entries = []int{numbers[p.Entries[0]-1]}
			certain = append(certain, p)
		}
	}
	reportProblems(&diags, path.Empty(), certain)
	return diags
}

// keepText keeps the rules as they stand in the state where they say the same: blanks, the order of attributes and other
// names for them are no change.
func (m *ruleSetResourceModel) keepText(ctx context.Context, from tfsdk.State, set **rules.Set) diag.Diagnostics {
	var state ruleSetResourceModel
	diags := from.Get(ctx, &state)
	if diags.HasError() || m.Rules.IsNull() || state.Rules.IsNull() || !state.Syntax.Equal(m.Syntax) || !state.Plans.Equal(m.Plans) {
		return diags
	}
	before, faults := state.compile(ctx)
	if faults.HasError() || !slices.EqualFunc(before.Entries(), (*set).Entries(), func(a, b rules.Entry) bool { return a.Canonical() == b.Canonical() }) {
		return diags
	}
	m.Rules = state.Rules
	kept, faults := m.compile(ctx)
	diags.Append(faults.Errors()...)
	if kept != nil {
		*set = kept
	}
	return diags
}

// compute fills in what follows from the rules.
func (m *ruleSetResourceModel) compute(set *rules.Set) diag.Diagnostics {
	var diags diag.Diagnostics
	m.ID, m.RuleFile = types.StringValue(set.ID()), types.StringValue(set.RuleFile())
	compiled := set.Entries()
	entries := make([]attr.Value, 0, len(compiled))
	for i := range compiled {
		e := &compiled[i]
		selector, err := entrySelector(e)
		if err != nil {
			diags.AddAttributeError(path.Root("rules").AtListIndex(e.Number-1), summaryUnexpected, err.Error())
		}
		object, more := types.ObjectValue(entryType.AttrTypes, map[string]attr.Value{
			"number": types.Int64Value(int64(e.Number)), "text": types.StringValue(e.Text), "plan": types.StringValue(e.Plan),
			"platform_region": types.StringValue(string(e.PlatformRegion)), "hyperscaler_region": types.StringValue(string(e.HyperscalerRegion)),
			"hyperscaler_type": types.StringValue(e.HyperscalerType), "shared": types.BoolValue(e.Shared),
			"eu_access": types.StringValue(e.EUAccess), "label_selector": types.StringValue(selector),
		})
		diags.Append(more...)
		entries = append(entries, object)
	}
	list, more := types.ListValue(entryType, entries)
	diags.Append(more...)
	m.Entries = list
	return diags
}

// entrySelector writes the selector of an entry's pool. A placeholder is no label value, so the selector is built with
// a stand-in that is one.
func entrySelector(e *rules.Entry) (string, error) {
	in := strings.NewReplacer("<hyperscaler>", "HYPERSCALER", "<platform_region>", "PLATFORM-REGION", "<hyperscaler_region>", "HYPERSCALER-REGION")
	out := strings.NewReplacer("HYPERSCALER-REGION", "<hyperscaler_region>", "PLATFORM-REGION", "<platform_region>", "HYPERSCALER", "<hyperscaler>")
	target := pool.Target{HyperscalerType: in.Replace(e.HyperscalerType), Shared: e.Shared, EUAccess: e.EUAccess == rules.EUAccessAlways}
	selectors, err := garden.DefaultLabelKeys().Selectors(target, "")
	return out.Replace(selectors.Pool), err
}

// listOf returns the elements of a set as a list.
func listOf(set types.Set) types.List {
	if set.IsNull() {
		return types.ListNull(types.StringType)
	}
	return types.ListValueMust(types.StringType, set.Elements())
}
