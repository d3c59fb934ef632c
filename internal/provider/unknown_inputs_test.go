package provider

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// An input that is unknown at plan may turn out to be any value. Within the apply a CLI plans once more, and holds the second plan against
// the first: what the first one knew has to be so, and an object that was to be kept is kept. Anything else it calls a bug of the provider.
func TestUnknownInputs(t *testing.T) {
	t.Parallel()
	acceptance.OneByOne(t)
	schema := schemaOf(t)
	refused := map[string]bool{}
	for name, s := range subjects() {
		for _, a := range schema.ResourceSchemas[name].Block.Attributes {
			if s.fixed[a.Name] != "" || !a.Optional && !a.Required {
				continue
			}
			turns := []changed{{name: "the same", to: map[string]any{}}}
			for _, c := range s.changes {
				if _, of := c.to[a.Name]; of && c.before == nil || a.Name == "wait_for" && c.before != nil {
					turns = append(turns, c)
				}
			}
			for _, turn := range turns {
				if turn.anew {
					refused[name+" "+a.Name] = true
				}
				t.Run(name+"/"+a.Name+"/"+turn.name, func(t *testing.T) {
					t.Parallel()
					newStage(t, name, s).turnOut(t, a, turn)
				})
			}
		}
	}
	if len(refused) < 20 {
		t.Errorf("only %d inputs can make another object: %v", len(refused), slices.Sorted(maps.Keys(refused)))
	}
}

// turnOut plans with an unknown attribute, and then, as within an apply, with what it turns out to be.
func (s *stage) turnOut(t *testing.T, a *tfprotov6.SchemaAttribute, turn changed) {
	t.Helper()
	if turn.before != nil {
		turn.before(s.api)
	}
	var first, second *tfprotov6.PlanResourceChangeResponse
	unknown := maps.Clone(turn.to)
	unknown[a.Name] = tftypes.NewValue(a.ValueType(), tftypes.UnknownValue)
	v := s.in(t, func(ctx context.Context, v *victim) {
		s.refresh(ctx, v)
		first = s.plan(ctx, v, s.configured(v, unknown))
	})
	was := s.attributes(v, s.life.standing.State)
	planned := s.attributes(v, first.PlannedState)
	if strings.Contains(sayings(v.said), "ERROR") || len(first.RequiresReplace) > 0 || same(planned, was) {
		return // the plan says so: there is no second one of this object
	}
	var config tftypes.Value
	v = s.in(t, func(ctx context.Context, v *victim) { // an apply reads nothing
		config = s.configured(v, turn.to)
		second = s.plan(ctx, v, config)
	})
	text := sayings(v.said)
	if turn.anew && !strings.Contains(text, "ERROR") {
		t.Errorf("it turns out to be another object, and no error says so: %s", second.RequiresReplace)
	}
	if strings.Contains(text, "ERROR") {
		if turn.anew && !strings.Contains(text, diagnose.SummaryTurnedOut) {
			t.Logf("the error is one of its own: %s", text)
		}
		if !turn.anew {
			t.Errorf("the plan within the apply fails: %s", text)
		}
		return
	}
	if len(second.RequiresReplace) > 0 {
		t.Fatalf("the plan within the apply makes the object anew for %s", second.RequiresReplace)
	}
	for name, now := range s.attributes(v, second.PlannedState) {
		if !fits(planned[name], now) {
			t.Errorf("%s was planned as %s, and is planned as %s within the apply", name, planned[name], now)
		}
	}
	s.holds(t, changed{alone: true, before: turn.before}, config, second)
}

func same(a, b map[string]tftypes.Value) bool {
	return maps.EqualFunc(a, b, func(one, other tftypes.Value) bool { return one.Equal(other) })
}

// fits reports whether a later value is one that an earlier plan leaves open.
func fits(planned, now tftypes.Value) bool {
	var before, after map[string]tftypes.Value
	switch {
	case !planned.IsKnown():
		return true
	case planned.IsFullyKnown() || !now.IsKnown() || now.IsNull():
		return planned.Equal(now)
	case planned.As(&before) == nil && now.As(&after) == nil:
		return maps.EqualFunc(before, after, fits)
	}
	return true // a list of which something was unknown
}

// The same of an object that is to be made: what the plan knew of it before its input was known is so in the end.
func TestUnknownInputs_ofNewObjects(t *testing.T) {
	t.Parallel()
	acceptance.OneByOne(t)
	schema := schemaOf(t)
	var made atomic.Int64
	t.Cleanup(func() {
		if made.Load() < 60 { //nolint:mnd // some values are refused for a new object
			t.Errorf("only %d objects were made", made.Load())
		}
	})
	for name, s := range subjects() {
		for _, a := range schema.ResourceSchemas[name].Block.Attributes {
			if s.fixed[a.Name] != "" || !a.Optional && !a.Required {
				continue
			}
			turns := []changed{{name: "as ever", to: map[string]any{}}}
			for _, c := range s.changes {
				if _, of := c.to[a.Name]; of && c.before == nil {
					turns = append(turns, c)
				}
			}
			for _, turn := range turns {
				t.Run(name+"/"+a.Name+"/"+turn.name, func(t *testing.T) {
					t.Parallel()
					if isMade(t, name, s, a, turn) {
						made.Add(1)
					}
				})
			}
		}
	}
}

// isMade plans a new object with an unknown attribute, then with what it turns out to be, and makes it; false = that is refused.
func isMade(t *testing.T, name string, s subject, a *tfprotov6.SchemaAttribute, turn changed) bool {
	t.Helper()
	st := &stage{subject: s, api: hostileLandscape()}
	st.life = &life{kind: "resource", name: name, config: maps.Clone(hostileConfigs()["resource "+name])}
	maps.Copy(st.life.config, s.config)
	if name != "hap_rule_set" { // what is waited for may never come: that is a warning
		st.life.config["timeouts"] = map[string]any{"create": "2s"}
	}
	unknown := maps.Clone(turn.to)
	unknown[a.Name] = tftypes.NewValue(a.ValueType(), tftypes.UnknownValue)
	var first, second *tfprotov6.PlanResourceChangeResponse
	var config tftypes.Value
	st.in(t, func(ctx context.Context, v *victim) {
		st.of = v.Schema.ResourceSchemas[name].ValueType()
		first = st.planned(ctx, v, acceptance.Standing{}, st.configured(v, unknown))
	})
	st.in(t, func(ctx context.Context, v *victim) {
		config = st.configured(v, turn.to)
		second = st.planned(ctx, v, acceptance.Standing{}, config)
	})
	if first == nil || second == nil {
		return false
	}
	var object acceptance.Standing
	var ok bool
	v := st.in(t, func(ctx context.Context, v *victim) {
		object, ok = st.applied(ctx, v, acceptance.Standing{}, config, second)
	})
	if !ok || object.State == nil {
		return false
	}
	before, is := st.attributes(v, first.PlannedState), st.attributes(v, object.State)
	for name, now := range st.attributes(v, second.PlannedState) {
		if !fits(before[name], now) || !fits(now, is[name]) {
			t.Errorf("%s was planned as %s, within the apply as %s, and is %s", name, before[name], now, is[name])
		}
	}
	return true
}
