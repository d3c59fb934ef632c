package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// multiAccountPath is where the multi-account settings stand.
var multiAccountPath = path.Root("multi_account")

func multiAccountAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"allowed_global_accounts": schema.SetAttribute{
			Optional: true, ElementType: types.StringType,
			Validators: []validator.Set{setvalidator.NoNullValues(), setvalidator.ValueStringsAre(allowedGlobalAccount{})},
			MarkdownDescription: "The Global Accounts that may hold several accounts of one pool. `[\"*\"]` is all, " +
				"empty or absent switches the feature off.",
		},
		"limits": schema.MapAttribute{
			Optional: true, ElementType: types.Int64Type,
			MarkdownDescription: "The most clusters per account, at least 1: `default`, and per hyperscaler " + quoted(limitKeys()[1:]) +
				", or one that a rule set has in its own `plans`. " +
				"`default` is required as soon as `allowed_global_accounts` names one.",
			Validators: []validator.Map{mapvalidator.NoNullValues(), mapvalidator.ValueInt64sAre(int64validator.AtLeast(1))},
		},
		"min_bindings_for_guard": schema.Int64Attribute{
			Optional: true,
			MarkdownDescription: "From so many accounts of one pool on, a Global Account whose accounts have not one cluster " +
				"counts as wrongly counted, and nothing is claimed. Default 0: off.",
			Validators: []validator.Int64{int64validator.AtLeast(0)},
		},
	}
}

// limitKeys lists the keys of multi_account.limits that are known beforehand: "default" and the hyperscalers of the built-in
// plans.
func limitKeys() []string {
	return append([]string{pool.DefaultLimit}, hyperscalersOf(rules.DefaultPlans())...)
}

// hyperscalersOf lists the hyperscalers that plans run on, sorted.
func hyperscalersOf(plans rules.Plans) []string {
	all := slices.Concat(slices.Collect(maps.Values(plans))...)
	slices.Sort(all)
	return slices.Compact(all)
}

// meantLimit returns the known key that a key was probably meant to be: it has a typing error, or names a pool where limits go
// by hyperscaler. Empty for a known key, and for one that may be a hyperscaler of a rule set's own plans.
func meantLimit(key string, known []string) string {
	if slices.Contains(known, key) {
		return ""
	}
	if hyperscaler, _, isPool := strings.Cut(key, "_"); isPool && slices.Contains(known, hyperscaler) {
		return hyperscaler
	}
	return rules.Mistyped(key, known)
}

// policyFrom reads multi_account; unknown says that a value in it is not known yet.
func policyFrom(ctx context.Context, object types.Object) (policy pool.Policy, unknown bool, diags diag.Diagnostics) {
	if object.IsUnknown() || object.IsNull() {
		return pool.Policy{}, object.IsUnknown(), nil
	}
	var model struct {
		AllowedGlobalAccounts types.Set   `tfsdk:"allowed_global_accounts"`
		Limits                types.Map   `tfsdk:"limits"`
		MinBindingsForGuard   types.Int64 `tfsdk:"min_bindings_for_guard"`
	}
	diags.Append(object.As(ctx, &model, basetypes.ObjectAsOptions{})...)
	if diags.HasError() {
		return pool.Policy{}, false, diags
	}
	unknown = !whollyKnown(model.AllowedGlobalAccounts, model.Limits, model.MinBindingsForGuard)
	if model.AllowedGlobalAccounts.IsNull() {
		diags.AddAttributeWarning(multiAccountPath, summaryFeatureOff,
			"multi_account is set without allowed_global_accounts, so it does nothing: "+
				"each Global Account has one account per pool, without a limit. "+
				"Name the Global Accounts, or write allowed_global_accounts = [] if that is meant. Look for a misspelt name, too: "+
				"Terraform drops an attribute that it does not know inside multi_account = { } without a word.")
	}
	policy.MinBindingsForGuard = int(model.MinBindingsForGuard.ValueInt64())
	for _, e := range model.AllowedGlobalAccounts.Elements() {
		if ga, ok := e.(types.String); ok && !ga.IsUnknown() {
			policy.AllowedGlobalAccounts = append(policy.AllowedGlobalAccounts, ga.ValueString())
		}
	}
	slices.Sort(policy.AllowedGlobalAccounts)
	policy.Limits = map[string]int{}
	keys := limitKeys()
	for _, key := range slices.Sorted(maps.Keys(model.Limits.Elements())) {
		if meant := meantLimit(key, keys); meant != "" {
			diags.AddAttributeError(multiAccountPath.AtName("limits").AtMapKey(key), summaryUnknownLimit,
				fmt.Sprintf("multi_account.limits: there is no hyperscaler %q to limit. Did you mean %q? The keys that are always known are %s; "+
					"a hyperscaler of a rule set's own plans may have a limit, too.", key, meant, strings.Join(keys, ", ")))
		}
		if n, ok := model.Limits.Elements()[key].(types.Int64); ok && !n.IsNull() {
			policy.Limits[key] = int(n.ValueInt64())
		}
	}
	if len(model.AllowedGlobalAccounts.Elements()) > 0 && !model.Limits.IsUnknown() {
		if _, ok := policy.Limits[pool.DefaultLimit]; !ok {
			diags.AddAttributeError(multiAccountPath.AtName("limits"), summaryMissingLimit,
				"multi_account.allowed_global_accounts names Global Accounts, so each hyperscaler needs a limit of clusters per account. "+
					`Set at least limits = { default = <number> }; single hyperscalers may have their own beside it.`)
		}
	}
	return policy, unknown, diags
}

// warnStrayLimits warns, once in a run, of limits for hyperscalers that neither a plan nor an account has. It is for a
// selection that has just succeeded: there the plans are known, and the accounts are at hand. A look that fails is none.
func (b *backend) warnStrayLimits(ctx context.Context, diags *diag.Diagnostics, ruleSet types.Object) {
	src, known, faults := ruleSetFrom(ctx, ruleSet)
	if !known || faults.HasError() || b.policyUnknown || len(b.policy.AllowedGlobalAccounts) == 0 {
		return
	}
	if len(strayLimits(b.policy.Limits, hyperscalersOf(src.Plans))) == 0 {
		return
	}
	b.limits.mu.Lock()
	defer b.limits.mu.Unlock()
	if b.limits.told {
		return
	}
	present, err := b.hyperscalersPresent(ctx)
	if err != nil {
		return
	}
	if stray := strayLimits(b.policy.Limits, slices.Concat(hyperscalersOf(src.Plans), present)); len(stray) > 0 {
		b.limits.told = true
		diags.AddWarning(summaryStrayLimit, fmt.Sprintf(
			"multi_account.limits has limits that apply to nothing: %s. Neither does a plan of the rule set run on such a hyperscaler, "+
				"nor is there an account of such a type%s. Correct the name, or remove the limit.", strings.Join(stray, ", "), b.where()))
	}
}

// limitsSeen is what the selections of one run know about the limits.
type limitsSeen struct {
	mu sync.Mutex
	// told says that limits which apply to nothing were told.
	told bool
	// present are the hyperscalers that accounts have, once they were looked at.
	present []string
}

// hyperscalersPresent lists the hyperscalers that accounts have; all selections of a run share one look. The lock of
// b.limits is held.
func (b *backend) hyperscalersPresent(ctx context.Context) ([]string, error) {
	if b.limits.present != nil {
		return b.limits.present, nil
	}
	p, err := b.pool()
	if err != nil {
		return nil, err
	}
	all, err := p.Overview(ctx, pool.Filter{})
	if err != nil {
		return nil, err
	}
	b.limits.present = make([]string, len(all.Pools))
	for i := range all.Pools {
		b.limits.present[i] = all.Pools[i].Hyperscaler()
	}
	return b.limits.present, nil
}

// strayLimits lists the limits for hyperscalers that are neither among these nor known beforehand, sorted.
func strayLimits(limits map[string]int, hyperscalers []string) []string {
	known := slices.Concat(limitKeys(), hyperscalers)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(limits)), func(key string) bool { return slices.Contains(known, key) })
}
