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

// standingSet is a resource and a state of a rule set that was applied with this pool_check.
func standingSet(t *testing.T, poolCheck string) (*ruleSetResource, tfsdk.State) {
	t.Helper()
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
		PoolCheck: types.StringValue(poolCheck),
	}
	set, faults := model.compile()
	diags.Append(faults...)
	diags.Append(model.compute(set, r.backend)...)
	diags.Append(state.Set(ctx, &model)...)
	if diags.HasError() {
		t.Fatal(diags)
	}
	return r, state
}

func refresh(t *testing.T, r *ruleSetResource, state tfsdk.State) {
	t.Helper()
	r.Read(t.Context(), fwresource.ReadRequest{State: state}, &fwresource.ReadResponse{State: state})
}

// Only a run that has refreshed the rule set goes by what it demands: -refresh=false goes past the check.
func TestRuleSet_demandsOfTheStateCountAfterARefresh(t *testing.T) {
	t.Parallel()
	r, state := standingSet(t, poolCheckError)
	want := func(when, poolCheck string, n int) {
		t.Helper()
		if got, diags := r.standing(t.Context(), state, poolCheck); len(got) != n || diags.HasError() {
			t.Errorf("%s, pool_check = %q: %v (%v), want %d demands", when, poolCheck, got, diags, n)
		}
	}
	want("before the refresh", poolCheckError, 0)
	refresh(t, r, state)
	want("after the refresh", poolCheckError, 3)
	want("after the refresh", poolCheckWarn, 0)
}

// A pool that no apply has asked for cannot have vanished: a change to pool_check = "error" may come with the accounts.
func TestRuleSet_poolsOfAnUncheckedSetHaveNotVanished(t *testing.T) {
	t.Parallel()
	for _, before := range []string{poolCheckWarn, poolCheckOff} {
		r, state := standingSet(t, before)
		refresh(t, r, state)
		if got, diags := r.standing(t.Context(), state, poolCheckError); len(got) != 0 || diags.HasError() {
			t.Errorf("applied with pool_check = %q: %v (%v), want no demands", before, got, diags)
		}
	}
}
