// Package request is a cluster request and the rule set that answers it, as users write them in a configuration. All
// objects that take the two share it.
package request

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// Model is a cluster request as the user writes it, the same wherever one is asked for.
type Model struct {
	Plan              types.String `tfsdk:"plan"`
	PlatformRegion    types.String `tfsdk:"platform_region"`
	HyperscalerRegion types.String `tfsdk:"hyperscaler_region"`
	Hyperscaler       types.String `tfsdk:"hyperscaler"`
}

// Descriptions describe the attributes of a request, and global_account, which goes with it.
var Descriptions = map[string]string{
	"global_account":     "The Global Account, the tenant that the account is for.",
	"plan":               "The plan of the cluster, e.g. `aws` or `sap-converged-cloud`.",
	"platform_region":    "The region of the BTP subaccount, e.g. `cf-eu11`.",
	"hyperscaler_region": "The region in which the cluster runs, e.g. `eu-central-1`.",
	"hyperscaler":        "The hyperscaler, where the plan runs on several (`trial` and `free` run on `aws` or `azure`).",
}

// Attributes are the values by the names of their attributes.
func (m Model) Attributes() map[string]types.String {
	return map[string]types.String{
		"plan": m.Plan, "platform_region": m.PlatformRegion, "hyperscaler_region": m.HyperscalerRegion, "hyperscaler": m.Hyperscaler,
	}
}

// Known reports whether no part of the request is unknown.
func (m Model) Known() bool {
	return tfvalue.Known(m.Plan, m.PlatformRegion, m.HyperscalerRegion, m.Hyperscaler)
}

// Record is the request as a claim is recorded with it.
func (m Model) Record() account.Request {
	return account.Request{
		Plan: m.Plan.ValueString(), PlatformRegion: m.PlatformRegion.ValueString(),
		HyperscalerRegion: m.HyperscalerRegion.ValueString(), Hyperscaler: m.Hyperscaler.ValueString(),
	}
}

// From restores the request that a claim was recorded with; what was not given is null.
func From(r account.Request) Model {
	return Model{
		Plan: tfvalue.TextOrNull(r.Plan), PlatformRegion: tfvalue.TextOrNull(r.PlatformRegion),
		HyperscalerRegion: tfvalue.TextOrNull(r.HyperscalerRegion), Hyperscaler: tfvalue.TextOrNull(r.Hyperscaler),
	}
}

// Match asks the rules which pool the request leads to. ok is false while something is unknown, and after errors.
func (m Model) Match(ruleSet types.Object) (match rules.Match, ok bool, diags diag.Diagnostics) {
	src, known := ruleSetFrom(ruleSet)
	if !known {
		return rules.Match{}, false, nil
	}
	set, diags := compileFor(src)
	if diags.HasError() || !m.Known() {
		return rules.Match{}, false, diags
	}
	match, err := set.Match(rules.Request{
		Plan: m.Plan.ValueString(), PlatformRegion: m.PlatformRegion.ValueString(),
		HyperscalerRegion: m.HyperscalerRegion.ValueString(), Hyperscaler: m.Hyperscaler.ValueString(),
	})
	if err != nil {
		diagnose.NoMatch(&diags, err)
		return rules.Match{}, false, diags
	}
	return match, true, diags
}

// Rules compiles a rule set, and returns its source beside. The set is nil while something in it is unknown, where there is none,
// and after errors.
func Rules(ruleSet types.Object) (*rules.Set, rules.Source, diag.Diagnostics) {
	src, known := ruleSetFrom(ruleSet)
	if !known {
		return nil, rules.Source{}, nil
	}
	set, diags := compileFor(src)
	return set, src, diags
}

// LeadsTo asks the rules whether some request leads to a pool. known is false while something in them is unknown, and after
// errors.
func LeadsTo(ruleSet types.Object, target account.Target) (leads, known bool, diags diag.Diagnostics) {
	set, _, diags := Rules(ruleSet)
	return set != nil && set.LeadsTo(target), set != nil, diags
}
