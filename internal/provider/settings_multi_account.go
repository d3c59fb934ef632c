package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// multiAccountPath is where the multi-account settings are.
var multiAccountPath = path.Root("multi_account")

func multiAccountAttributes() map[string]schema.Attribute {
	allowed := tfvalue.LabelValue{
		What: "multi_account.allowed_global_accounts: Global Account", Summary: diagnose.SummaryInvalidGA, Also: "*",
	}
	return map[string]schema.Attribute{
		"allowed_global_accounts": schema.SetAttribute{
			Optional: true, ElementType: types.StringType,
			Validators: []validator.Set{setvalidator.NoNullValues(), setvalidator.ValueStringsAre(allowed)},
			MarkdownDescription: "The Global Accounts that may hold several accounts of one pool. `[\"*\"]` is all, empty or absent switches the " +
				"feature off.",
		},
		"limits": schema.MapAttribute{
			Optional: true, ElementType: types.Int64Type,
			MarkdownDescription: "The most clusters per account of a Global Account in `allowed_global_accounts`; accounts of others have no " +
				"limit. The keys are `default`, and per hyperscaler " + tfvalue.Quoted(settings.LimitKeys()[1:]) +
				", or one that a rule set has in its own `plans`, if its name is no near miss of these. A limit means what it means for the " +
				"broker: 0 is the default, and a `default` that is 0 or left out is no limit. A plan warns of both.",
			Validators: []validator.Map{mapvalidator.NoNullValues(), mapvalidator.ValueInt64sAre(int64validator.AtLeast(0))},
		},
		"min_bindings_for_guard": schema.Int64Attribute{
			Optional: true,
			MarkdownDescription: "From so many accounts of one pool on, a Global Account whose accounts have not one cluster counts as wrongly " +
				"counted, and nothing is claimed. Default 0: off.",
			Validators: []validator.Int64{int64validator.AtLeast(0)},
		},
	}
}

// policyFrom reads multi_account; unknown says that a value in it is not known yet.
func policyFrom(ctx context.Context, object types.Object) (policy account.Policy, unknown bool, diags diag.Diagnostics) {
	if object.IsUnknown() || object.IsNull() {
		return account.Policy{}, object.IsUnknown(), nil
	}
	var model struct {
		AllowedGlobalAccounts types.Set   `tfsdk:"allowed_global_accounts"`
		Limits                types.Map   `tfsdk:"limits"`
		MinBindingsForGuard   types.Int64 `tfsdk:"min_bindings_for_guard"`
	}
	diags.Append(object.As(ctx, &model, basetypes.ObjectAsOptions{})...)
	if diags.HasError() {
		return account.Policy{}, false, diags
	}
	unknown = !tfvalue.Known(model.AllowedGlobalAccounts, model.Limits, model.MinBindingsForGuard)
	if model.AllowedGlobalAccounts.IsNull() {
		diags.AddAttributeWarning(multiAccountPath, diagnose.SummaryFeatureOff,
			"multi_account is set without allowed_global_accounts, so it does nothing: each Global Account has one account per pool, without a "+
				"limit. Name the Global Accounts, or write allowed_global_accounts = [] if that is meant. Look for a misspelt name, too: Terraform "+
				"drops an attribute that it does not know inside multi_account = { } without a word.")
	}
	policy.MinBindingsForGuard = int(model.MinBindingsForGuard.ValueInt64())
	for _, e := range model.AllowedGlobalAccounts.Elements() {
		if ga, ok := e.(types.String); ok && !ga.IsUnknown() {
			policy.AllowedGlobalAccounts = append(policy.AllowedGlobalAccounts, ga.ValueString())
		}
	}
	slices.Sort(policy.AllowedGlobalAccounts)
	policy.Limits = map[string]int{}
	keys := settings.LimitKeys()
	for _, key := range slices.Sorted(maps.Keys(model.Limits.Elements())) {
		if meant := settings.MeantLimit(key, keys); meant != "" {
			diags.AddAttributeError(multiAccountPath.AtName("limits").AtMapKey(key), diagnose.SummaryUnknownLimit,
				fmt.Sprintf("multi_account.limits: there is no hyperscaler %q to limit. Did you mean %q? The keys that are always known are %s. A "+
					"hyperscaler of a rule set's own plans may have a limit, too, unless its name is this near to a known one: that one has the limit "+
					"default.", key, meant, strings.Join(keys, ", ")))
		}
		if n, ok := model.Limits.Elements()[key].(types.Int64); ok && !n.IsNull() {
			policy.Limits[key] = int(n.ValueInt64())
		}
	}
	if len(model.AllowedGlobalAccounts.Elements()) > 0 && tfvalue.Known(model.Limits) {
		warnLimits(&diags, policy.Limits)
	}
	return policy, unknown, diags
}

// warnLimits says which limits mean something else than a number of clusters.
func warnLimits(diags *diag.Diagnostics, limits map[string]int) {
	at, otherwise := multiAccountPath.AtName("limits"), "no limit, either"
	if n := limits[account.DefaultLimit]; n > 0 {
		otherwise = fmt.Sprintf("the default, %d", n)
	} else {
		diags.AddAttributeWarning(at, diagnose.SummaryMissingLimit,
			"multi_account.limits has no default, or 0: for the broker that is no limit, and so it is here. An account of a hyperscaler without a "+
				"limit of its own takes any number of clusters, and its Global Account never gets a second one of the pool. Set limits = { default = "+
				"<number> }, or leave it so if no limit is meant.")
	}
	for _, key := range slices.Sorted(maps.Keys(limits)) {
		if key != account.DefaultLimit && limits[key] == 0 {
			diags.AddAttributeWarning(at.AtMapKey(key), diagnose.SummaryZeroLimit, fmt.Sprintf(
				"multi_account.limits: %s = 0 means the default, as for the broker: accounts of %[1]s have %s. Leave it out, or set the number "+
					"that is meant. No limit keeps clusters off a hyperscaler.", key, otherwise))
		}
	}
}
