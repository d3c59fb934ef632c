package ruleset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/garden"
	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
	"github.com/hap-project/terraform-provider-hap/internal/provider/backend"
	"github.com/hap-project/terraform-provider-hap/internal/provider/request"
	"github.com/hap-project/terraform-provider-hap/internal/provider/settings"
	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// standingSet is a resource and a state of a rule set that was applied with this pool_check.
func standingSet(t *testing.T, poolCheck string) (*ruleSetResource, tfsdk.State) {
	t.Helper()
	ctx, r := t.Context(), &ruleSetResource{backend: backend.New(settings.Settings{Keys: garden.DefaultLabelKeys()})}
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
		PlatformRegions: types.SetNull(types.StringType),
		PoolCheck:       types.StringValue(poolCheck),
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

// absentIn lists what a rule set needs and these pools are not.
func absentIn(set *rules.Set, there ...account.Target) (absent []rules.Need) {
	for _, n := range set.Needs() {
		if !slices.ContainsFunc(there, n.Meets) {
			absent = append(absent, n)
		}
	}
	return absent
}

// compiled is a rule set that has to be valid.
func compiled(t *testing.T, src rules.Source) *rules.Set {
	t.Helper()
	set, problems := rules.Compile(src)
	if set == nil {
		t.Fatal(problems)
	}
	return set
}

// said is what the pools that are missing are reported as, each with its place.
func said(missing []missingPool) (all []string) {
	for _, m := range missing {
		kind := "error"
		if len(m.demands) == 0 {
			kind = "warning"
		}
		all = append(all, fmt.Sprintf("%s at %s: %s", kind, m.at, m.detail))
	}
	return all
}

// A missing pool is named by labels that one can put on an account: "!dirty" is none.
func TestRuleSet_missingPoolNamesLabels(t *testing.T) {
	t.Parallel()
	r := &ruleSetResource{backend: backend.New(settings.Settings{Keys: garden.DefaultLabelKeys()})}
	set := compiled(t, rules.Source{Entries: []string{
		"gcp", "azure(euAccess=*)", "trial(shared,euAccess)", "aws(PR=*)", "preview(CR=*,euAccess=*)", "openstack(CR=*,shared)",
	}})
	got := said(r.lacking(absentIn(set, account.Target{HyperscalerType: "azure"}, account.Target{HyperscalerType: "openstack_eu-de-1",
		Shared: true}), "ns"))
	want := []string{
		`error at rules[0]: There is no account for rule 1, "gcp" in namespace ns: none has the labels hyperscalerType=gcp (without ` +
			`euAccess and shared). ` +
			"Add one to the pool, or remove the rule.",
		`error at rules[1]: There is no account for rule 2, "azure(euAccess=*)" in namespace ns: none has the labels hyperscalerType=azure, ` +
			`euAccess=true ` +
			"(without shared). Add one to the pool, or remove the rule.",
		`error at rules[2]: There is no account for rule 3, "trial(shared,euAccess)" on aws and on azure in namespace ns: none has the labels ` +
			"hyperscalerType=aws, euAccess=true, shared=true, nor hyperscalerType=azure, euAccess=true, shared=true. " +
			"Plan trial runs on several hyperscalers, and needs the pool on each of them. Add one to the pool, or remove the rule.",
		`warning at rules[3]: There is no account for any pool of rule 4, "aws(PR=*)" in namespace ns: the labels would be ` +
			"hyperscalerType=aws_<platform_region> (without euAccess and shared), with any region. No request that it serves gets an account. " +
			"Add one to a pool, or remove the rule.",
		`warning at rules[4]: There is no account for any pool of rule 5, "preview(CR=*,euAccess=*)" in namespace ns: the labels would be ` +
			"hyperscalerType=aws_<hyperscaler_region> (without euAccess and shared), with any region, and euAccess=true beside them for " +
			"requests with " +
			"EU access. No request that it serves gets an account. Add one to a pool, or remove the rule.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, text := range got {
		if strings.Contains(text, "!") {
			t.Errorf("%q shows a selector, and one cannot label an account with it", text)
		}
	}
}

// A pool that legacy properties lack is reported once, at the property, with the elements that lead to it.
func TestRuleSet_missingPoolOfLegacy(t *testing.T) {
	t.Parallel()
	r := &ruleSetResource{backend: backend.New(settings.Settings{Keys: garden.DefaultLabelKeys()})}
	set := compiled(t, rules.Source{
		Legacy: &rules.Legacy{
			EUAccessRule: "aws:cf-eu11; preview:cf-eu11", SharedRule: "sap-converged-cloud;trial", ClusterRegionRule: "sap-converged-cloud",
		},
		RequiredPlans: []string{"gcp"},
	})
	got := said(r.lackingLegacy(set, absentIn(set), "ns"))
	want := []string{
		`error at legacy.eu_access_rule: There is no account for the requests of plan aws outside of "aws:cf-eu11" of eu_access_rule; ` +
			`the requests of plan preview outside of "preview:cf-eu11" of eu_access_rule in namespace ns: none has the labels hyperscalerType=aws ` +
			"(without euAccess and shared). Add one to the pool, or remove the element.",
		`error at legacy.eu_access_rule: There is no account for "aws:cf-eu11" of eu_access_rule; "preview:cf-eu11" of eu_access_rule in ` +
			"namespace ns: none has the labels hyperscalerType=aws, euAccess=true (without shared). Add one to the pool, or remove the element.",
		"error at legacy: There is no account for plan gcp of required_plans in namespace ns: none has the labels hyperscalerType=gcp " +
			"(without euAccess and shared). Add one to the pool, or remove the element.",
		`warning at legacy.cluster_region_rule: There is no account for any pool of "sap-converged-cloud" of cluster_region_rule; ` +
			`"sap-converged-cloud" of shared_rule in namespace ns: the labels would be hyperscalerType=openstack_<hyperscaler_region>, ` +
			`shared=true ` +
			"(without euAccess), with any region. No request that it serves gets an account. Add one to a pool, or remove the element.",
		`error at legacy.shared_rule: There is no account for "trial" of shared_rule in namespace ns: none has the labels hyperscalerType=aws, ` +
			"shared=true (without euAccess). Add one to the pool, or remove the element.",
		`error at legacy.shared_rule: There is no account for "trial" of shared_rule in namespace ns: none has the labels ` +
			`hyperscalerType=azure, ` +
			"shared=true (without euAccess). Add one to the pool, or remove the element.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := said(r.lackingLegacy(set, absentIn(set, account.Target{HyperscalerType: "aws", EUAccess: true}), "ns")); len(got) != len(want)-1 {
		t.Errorf("with one of the pools %d are missing, want %d", len(got), len(want)-1)
	}
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
