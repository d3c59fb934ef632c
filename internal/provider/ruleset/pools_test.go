package ruleset

import (
	"testing"

	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
)

// Only a run that has refreshed the rule set goes by what it demands: -refresh=false goes past the check.
func TestRuleSet_demandsOfTheStateCountAfterARefresh(t *testing.T) {
	t.Parallel()
	ctx, r := t.Context(), &ruleSetResource{backend: backend.New(backend.Settings{Keys: garden.DefaultLabelKeys()})}
	var described fwresource.SchemaResponse
	r.Schema(ctx, fwresource.SchemaRequest{}, &described)
	state := tfsdk.State{Schema: described.Schema, Raw: tftypes.NewValue(described.Schema.Type().TerraformType(ctx), nil)}
	legacy, ok := described.Schema.Attributes["legacy"].GetType().(types.ObjectType)
	if !ok {
		t.Fatal("legacy is no object")
	}
	texts, diags := types.ListValueFrom(ctx, types.StringType, []string{"aws", "gcp(PR=*)", "trial(shared)"})
	model := ruleSetResourceModel{
		Rules: texts, Legacy: types.ObjectNull(legacy.AttrTypes), Plans: types.MapNull(request.ListOfStrings),
		RequiredPlans: types.SetNull(types.StringType), EUAccessPlatformRegions: types.SetNull(types.StringType),
	}
	set, faults := model.compile()
	diags.Append(faults...)
	diags.Append(model.compute(set, r.backend)...)
	diags.Append(state.Set(ctx, &model)...)
	if diags.HasError() {
		t.Fatal(diags)
	}
	want := func(when, poolCheck string, n int) {
		t.Helper()
		if got, diags := r.standing(ctx, state, poolCheck); len(got) != n || diags.HasError() {
			t.Errorf("%s, pool_check = %q: %v (%v), want %d demands", when, poolCheck, got, diags, n)
		}
	}
	want("before the refresh", poolCheckError, 0)
	r.Read(ctx, fwresource.ReadRequest{State: state}, &fwresource.ReadResponse{State: state})
	want("after the refresh", poolCheckError, 3)
	want("after the refresh", poolCheckWarn, 0)
}
