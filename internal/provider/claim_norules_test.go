package provider

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// lifecycle { ignore_changes } makes rule_set null, and so does a configuration that was generated. No rules are no empty rule set: they
// are asked for only where they decide.
func TestClaim_withoutRules(t *testing.T) {
	t.Parallel()
	s := subjects()[acceptance.ClaimType]
	for name, test := range map[string]struct {
		to   map[string]any
		want string // in the error; empty = there is nothing to say
	}{
		"nothing else":     {map[string]any{}, ""},
		"the owner":        {map[string]any{"owner": "b"}, ""},
		"a region":         {map[string]any{"platform_region": "cf-eu20"}, "account aws-1 changes (platform_region), and rule_set is not set"},
		"regions and plan": {map[string]any{"plan": "preview", "hyperscaler_region": "eu"}, "changes (hyperscaler_region, plan)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStage(t, acceptance.ClaimType, s)
			test.to["rule_set"] = nil
			var planned *tfprotov6.PlanResourceChangeResponse
			v := st.in(t, func(ctx context.Context, v *victim) {
				st.refresh(ctx, v)
				planned = st.plan(ctx, v, st.configured(v, test.to))
			})
			text := sayings(v.said)
			if test.want == "" {
				if text != "" || len(planned.RequiresReplace) > 0 {
					t.Errorf("the plan says %s and makes another claim by %s", text, planned.RequiresReplace)
				}
				return
			}
			for _, part := range []string{diagnose.SummaryNoRuleSet, test.want, "ignore_changes"} {
				if !strings.Contains(text, part) {
					t.Errorf("the plan does not say %q: %s", part, text)
				}
			}
		})
	}
}

// A claim is not made without rules: the plan says so, and so does the apply of one that did not know them.
func TestClaim_notMadeWithoutRules(t *testing.T) {
	t.Parallel()
	api := hostileLandscape()
	l := &life{kind: "resource", name: acceptance.ClaimType, config: maps.Clone(hostileConfigs()["resource "+acceptance.ClaimType])}
	v := newVictim(t, api)
	defer v.hostile.End()
	l.of = v.Schema.ResourceSchemas[acceptance.ClaimType].ValueType()
	l.config["rule_set"] = nil
	without := acceptance.Filled(v, l.of, l.config)
	l.planned(v.Ctx, v, acceptance.Standing{}, without)
	l.config["rule_set"] = tftypes.NewValue(l.of.(tftypes.Object).AttributeTypes["rule_set"], tftypes.UnknownValue) //nolint:forcetypeassert,errcheck // a panic fails the test
	planned := l.planned(v.Ctx, v, acceptance.Standing{}, acceptance.Filled(v, l.of, l.config))
	if _, made := l.applied(v.Ctx, v, acceptance.Standing{}, without, planned); made || api.Commits() > 0 {
		t.Errorf("a claim was made, %d writes", api.Commits())
	}
	if n := strings.Count(sayings(v.said), diagnose.SummaryNoRuleSet); n != 2 {
		t.Errorf("it was said %d times, want at plan and at apply: %s", n, sayings(v.said))
	}
}

// Terraform 1.14 has the provider write the configuration of what is imported. The account of a claim stays the pool's choice.
func TestClaim_generatedWithoutAPin(t *testing.T) {
	t.Parallel()
	st := newStage(t, acceptance.ClaimType, subjects()[acceptance.ClaimType])
	v := st.in(t, func(ctx context.Context, v *victim) {
		st.refresh(ctx, v)
		resp, err := v.Server.GenerateResourceConfig(ctx, &tfprotov6.GenerateResourceConfigRequest{
			TypeName: acceptance.ClaimType, State: st.life.standing.State,
		})
		v.hear(err, resp.Diagnostics)
		config := st.attributes(v, resp.Config)
		if !config["binding_name"].IsNull() || config["plan"].IsNull() || config["name"].IsNull() {
			t.Errorf("binding_name is %s, plan %s, name %s", config["binding_name"], config["plan"], config["name"])
		}
		planned := st.plan(ctx, v, tftypes.NewValue(st.of, config))
		if now, was := st.attributes(v, planned.PlannedState), st.attributes(v, st.life.standing.State); !same(now, was) {
			t.Errorf("a change is planned: %s, was %s", now, was)
		}
	})
	if text := sayings(v.said); text != "" {
		t.Error(text)
	}
}
