package ruleset

import (
	"strings"
	"testing"

	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
)

// A plan warns of own plans that the rule file cannot pass on to the broker, when the file is made and when it changes.
func TestRuleSet_warnsOfOwnPlans(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	r, state := standingSet(t, poolCheckOff)
	planned := func(before tfsdk.State, plans map[string][]string) (tfsdk.State, string) {
		t.Helper()
		var model ruleSetResourceModel
		diags := state.Get(ctx, &model)
		texts, more := types.ListValueFrom(ctx, types.StringType, []string{"gcp", "edge"})
		diags.Append(more...)
		model.Rules = texts
		model.Plans, more = types.MapValueFrom(ctx, request.ListOfStrings, plans)
		diags.Append(more...)
		plan := tfsdk.Plan(state)
		diags.Append(plan.Set(ctx, &model)...)
		resp := fwresource.ModifyPlanResponse{Plan: plan}
		r.ModifyPlan(ctx, fwresource.ModifyPlanRequest{State: before, Plan: plan}, &resp)
		if diags.Append(resp.Diagnostics.Errors()...); diags.HasError() {
			t.Fatal(diags)
		}
		reported := ""
		for _, d := range resp.Diagnostics.Warnings() {
			reported += d.Summary() + ": " + d.Detail()
		}
		return tfsdk.State(resp.Plan), reported
	}
	none := tfsdk.State{Schema: state.Schema, Raw: tftypes.NewValue(state.Schema.Type().TerraformType(ctx), nil)}
	after, reported := planned(none, map[string][]string{"gcp": {"stackit"}, "edge": {"aws", "ionos"}})
	for _, want := range []string{
		diagnose.SummaryOwnPlans, "plan edge: here on aws or ionos, there unknown (KEB refuses a file with an unknown plan)\n",
		"plan gcp: here on stackit, there on gcp\n",
	} {
		if !strings.Contains(reported, want) {
			t.Errorf("a new set gets %q, want %q", reported, want)
		}
	}
	if _, reported := planned(after, map[string][]string{"gcp": {"stackit"}, "edge": {"aws", "ionos"}}); reported != "" {
		t.Errorf("a set without a change gets %q", reported)
	}
	if _, reported := planned(after, map[string][]string{"gcp": {"gcp"}, "edge": {"aws"}}); !strings.Contains(reported, "edge") ||
		strings.Contains(reported, "plan gcp") {
		t.Errorf("other plans get %q, want plan edge alone", reported)
	}
}
