package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// requestModel is a cluster request as the user writes it, the same wherever one is asked for.
type requestModel struct {
	Plan              types.String `tfsdk:"plan"`
	PlatformRegion    types.String `tfsdk:"platform_region"`
	HyperscalerRegion types.String `tfsdk:"hyperscaler_region"`
	Hyperscaler       types.String `tfsdk:"hyperscaler"`
}

var requestDescriptions = map[string]string{
	"global_account":     "The Global Account, the tenant that the account is for.",
	"plan":               "The plan of the cluster, e.g. `aws` or `sap-converged-cloud`.",
	"platform_region":    "The region of the BTP subaccount, e.g. `cf-eu11`.",
	"hyperscaler_region": "The region in which the cluster runs, e.g. `eu-central-1`.",
	"hyperscaler":        "The hyperscaler, where the plan runs on several (`trial` and `free` run on `aws` or `azure`).",
}

func (m requestModel) known() bool {
	return whollyKnown(m.Plan, m.PlatformRegion, m.HyperscalerRegion, m.Hyperscaler)
}

func (m requestModel) rules() rules.Request {
	return rules.Request{
		Plan: m.Plan.ValueString(), PlatformRegion: m.PlatformRegion.ValueString(),
		HyperscalerRegion: m.HyperscalerRegion.ValueString(), Hyperscaler: m.Hyperscaler.ValueString(),
	}
}

func (m requestModel) record() pool.Request {
	return pool.Request{
		Plan: m.Plan.ValueString(), PlatformRegion: m.PlatformRegion.ValueString(),
		HyperscalerRegion: m.HyperscalerRegion.ValueString(), Hyperscaler: m.Hyperscaler.ValueString(),
	}
}

func (m requestModel) equal(other requestModel) bool {
	return m.Plan.Equal(other.Plan) && m.PlatformRegion.Equal(other.PlatformRegion) &&
		m.HyperscalerRegion.Equal(other.HyperscalerRegion) && m.Hyperscaler.Equal(other.Hyperscaler)
}

// requestFrom restores the request that a claim was recorded with; what was not given is null.
func requestFrom(r pool.Request) requestModel {
	return requestModel{
		Plan: textOrNull(r.Plan), PlatformRegion: textOrNull(r.PlatformRegion),
		HyperscalerRegion: textOrNull(r.HyperscalerRegion), Hyperscaler: textOrNull(r.Hyperscaler),
	}
}

// match asks the rules which pool the request leads to. ok is false while something is unknown, and after errors.
func (m requestModel) match(ctx context.Context, ruleSet types.Object) (match rules.Match, ok bool, diags diag.Diagnostics) {
	src, known, diags := ruleSetFrom(ctx, ruleSet)
	if diags.HasError() || !known {
		return rules.Match{}, false, diags
	}
	set, diags := compileFor(src)
	if diags.HasError() || !m.known() {
		return rules.Match{}, false, diags
	}
	match, err := set.Match(m.rules())
	if err != nil {
		reportNoMatch(&diags, err)
		return rules.Match{}, false, diags
	}
	return match, true, diags
}

func reportNoMatch(diags *diag.Diagnostics, err error) {
	var wrong *rules.RequestError
	if !errors.As(err, &wrong) {
		diags.AddError(summaryUnexpected, fmt.Sprintf("Matching the request: %s. Please report this issue to the provider developers.", err))
		return
	}
	diags.AddAttributeError(path.Root(wrong.Field), string(wrong.Reason), wrong.Message)
}

// textOrNull is the one place where the empty text of the world becomes the null of the configuration.
func textOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// numberOrNull makes the 0 that means "no limit" null.
func numberOrNull(n int) types.Int64 {
	if n == 0 {
		return types.Int64Null()
	}
	return types.Int64Value(int64(n))
}

// allowedGlobalAccount checks an element of multi_account.allowed_global_accounts.
type allowedGlobalAccount struct{}

var _ validator.String = allowedGlobalAccount{}

func (allowedGlobalAccount) Description(ctx context.Context) string {
	return `must be "*" or ` + strings.TrimPrefix(labelValue{}.Description(ctx), "must be ")
}

func (v allowedGlobalAccount) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

func (allowedGlobalAccount) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.ValueString() != "*" {
		labelValue{"multi_account.allowed_global_accounts: Global Account", summaryInvalidGA}.ValidateString(ctx, req, resp)
	}
}

// labelValue checks a text that becomes the value of a label; it is never cut short and never sent if it is wrong.
type labelValue struct{ what, summary string }

var _ validator.String = labelValue{}

func (v labelValue) Description(context.Context) string {
	return "must be the value of a Kubernetes label: at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends"
}

func (v labelValue) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

func (v labelValue) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	value := req.ConfigValue.ValueString()
	if err := pool.CheckLabelValue(value); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, v.summary, fmt.Sprintf("%s %q cannot stand in a label: %s. Write it exactly as the accounts carry it.", v.what, value, err))
	}
}
