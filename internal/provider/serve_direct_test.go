package provider

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
)

// What is planned without the framework is what the framework plans, for objects of each type that are new, stay, change, or are destroyed:
// of configurations in which any value is left out, unknown, or another one, and of states with other values than the provider writes.
func TestPlanDirectly_answersAsTheFramework(t *testing.T) {
	t.Parallel()
	acceptance.OneByOne(t)
	const rounds, ends = 60, 2 // few ends: the plan of one waits for those of others
	identities, err := newPlanner(t).server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for resource := range objectsOfAllTypes() {
		t.Run(resource, func(t *testing.T) {
			t.Parallel()
			seed := rand.Uint64()
			random := shaking{rand.New(rand.NewPCG(seed, 0)), schemaOf(t).ResourceSchemas[resource].Block, identities.IdentitySchemas}
			api, was, direct := newEmptyWorld(t), newPlanner(t).stands(resource, "a"), [kinds]int{}
			for round := range rounds + ends {
				// Each round has providers of its own: what one plan has warned of the next does not.
				plans := 0
				framework := plannerOf(t, api, byFramework)
				mine := plannerOf(t, api, func(p *hapProvider) tfprotov6.ProviderServer { return directing(counting(p, &plans), p) })
				kind := []int{made, kept}[round%2]
				if round >= rounds {
					kind = destroyed
				}
				request := random.request(mine, resource, was, kind)
				want, got := framework.asked(request), mine.asked(request)
				if want != got {
					t.Fatalf("seed %d, round %d: the framework answers\n%s\nand the provider by itself\n%s", seed, round, want, got)
				}
				if plans == 0 {
					direct[kind]++
				}
			}
			want := [kinds]int{made: rounds / 2, kept: max(direct[kept], rounds/10), destroyed: ends}
			if resource == "hap_account" { // credentials_ref is computed in a part
				want = [kinds]int{}
			}
			if direct != want {
				t.Errorf("seed %d: plans of objects that are new, of the state, destroyed: %v without the framework, not %v", seed, direct, want)
			}
		})
	}
}

// What becomes of an object in a plan.
const (
	made = iota
	kept // or changed
	destroyed
	kinds
)

// counted counts what the framework plans, reads and applies.
type counted struct {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	asked *int
}

func (c counted) PlanResourceChange(ctx context.Context, request *tfprotov6.PlanResourceChangeRequest) (
	*tfprotov6.PlanResourceChangeResponse, error) {
	*c.asked++
	return c.ProviderServer.PlanResourceChange(ctx, request)
}

func (c counted) ReadResource(ctx context.Context, request *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	*c.asked++
	return c.ProviderServer.ReadResource(ctx, request)
}

func (c counted) ApplyResourceChange(ctx context.Context, request *tfprotov6.ApplyResourceChangeRequest) (
	*tfprotov6.ApplyResourceChangeResponse, error) {
	*c.asked++
	return c.ProviderServer.ApplyResourceChange(ctx, request)
}

func counting(p *hapProvider, asked *int) tfprotov6.ProviderServer {
	server := byFramework(p)
	lists, _ := server.(tfprotov6.ListResourceServer)
	return counted{server, lists, asked}
}

// asked is the answer to the question for a plan, as a text.
func (p planner) asked(request *tfprotov6.PlanResourceChangeRequest) string {
	p.Helper()
	resp, err := p.server.PlanResourceChange(p.Context(), request)
	if err != nil {
		p.Fatal(err)
	}
	text := fmt.Sprintf("private %s\ndeferred %v\n", resp.PlannedPrivate, resp.Deferred)
	if resp.PlannedIdentity != nil {
		text += fmt.Sprintf("identity %x\n", resp.PlannedIdentity.IdentityData.MsgPack)
	}
	said := make([]string, len(resp.Diagnostics))
	for i, d := range resp.Diagnostics {
		said[i] = fmt.Sprintf("%s at %v: %s: %s\n", d.Severity, d.Attribute, d.Summary, d.Detail)
	}
	slices.Sort(said) // hooks have no order of their own
	text += strings.Join(said, "")
	for _, at := range resp.RequiresReplace {
		text += fmt.Sprintf("replaced by %v\n", at)
	}
	attributes := p.attributes(request.TypeName, resp.PlannedState)
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		text += fmt.Sprintf("%s = %v\n", name, attributes[name])
	}
	return text + fmt.Sprintf("state %x\n", resp.PlannedState.MsgPack)
}

// attributes are those of an encoded object.
func (p planner) attributes(resource string, of *tfprotov6.DynamicValue) (found map[string]tftypes.Value) {
	p.Helper()
	value, err := of.Unmarshal(p.of(resource))
	if err == nil {
		err = value.As(&found)
	}
	if err != nil {
		p.Fatal(err)
	}
	return found
}

// shaking makes questions for plans at random.
type shaking struct {
	*rand.Rand
	block      *tfprotov6.SchemaBlock
	identities map[string]*tfprotov6.ResourceIdentitySchema
}

// request asks for the plan of a new object, of one in the state that mostly stays as it is, or of one that is destroyed.
func (s shaking) request(p planner, resource string, was acceptance.Standing, kind int) *tfprotov6.PlanResourceChangeRequest {
	p.Helper()
	of := p.of(resource)
	config := p.attributes(resource, p.encoded(p.config(resource, "a", nil)))
	r := &tfprotov6.PlanResourceChangeRequest{TypeName: resource, PriorState: p.encoded(tftypes.NewValue(of, nil))}
	if kind == made {
		for _, a := range s.block.Attributes {
			if settable := a.Required || a.Optional; settable && s.IntN(4) == 0 {
				config[a.Name] = s.value(a.ValueType(), true, !a.Required)
			}
		}
		r.Config = p.encoded(tftypes.NewValue(of, config))
		r.ProposedNewState = r.Config
		if s.IntN(2) == 0 { // the second question for a replacement
			r.PriorPrivate, r.PriorIdentity = s.private(was), s.identity(p, resource)
		}
		return r
	}
	state := p.attributes(resource, was.State)
	for _, a := range s.block.Attributes {
		if !a.WriteOnly && s.IntN(8) == 0 {
			state[a.Name] = s.value(a.ValueType(), false, !a.Required)
		}
		switch settable := a.Required || a.Optional; {
		case settable && s.IntN(40) == 0:
			config[a.Name] = s.value(a.ValueType(), true, !a.Required)
		case a.WriteOnly:
		case settable && (!a.Computed || s.IntN(4) > 0):
			config[a.Name] = state[a.Name]
		default:
			config[a.Name] = tftypes.NewValue(a.ValueType(), nil)
		}
	}
	was.State = p.encoded(tftypes.NewValue(of, state))
	wanted := tftypes.NewValue(of, config)
	r.Config, r.ProposedNewState, r.PriorState = p.encoded(wanted), p.encoded(p.over(was, wanted)), was.State
	r.PriorPrivate, r.PriorIdentity = s.private(was), s.identity(p, resource)
	if kind == destroyed {
		r.Config, r.ProposedNewState = p.encoded(tftypes.NewValue(of, nil)), p.encoded(tftypes.NewValue(of, nil))
	}
	return r
}

// private is that of an object, in some with the note of a destroy that has failed.
func (s shaking) private(was acceptance.Standing) []byte {
	if s.IntN(4) == 0 {
		return []byte(strings.Replace(string(was.Private), "{", `{"destroyed_alone":"dHJ1ZQ==",`, 1))
	}
	return was.Private
}

// identity is one of an object, or none.
func (s shaking) identity(p planner, resource string) *tfprotov6.ResourceIdentityData {
	p.Helper()
	if s.IntN(2) == 0 {
		return nil
	}
	of := s.identities[resource].ValueType()
	return &tfprotov6.ResourceIdentityData{IdentityData: p.encoded(s.value(of, false, true))}
}

// value is some value of a type.
func (s shaking) value(of tftypes.Type, unknown, null bool) tftypes.Value {
	switch n := s.IntN(6); {
	case null && n == 0:
		return tftypes.NewValue(of, nil)
	case unknown && n < 3:
		return tftypes.NewValue(of, tftypes.UnknownValue)
	}
	switch of := of.(type) {
	case tftypes.List:
		return tftypes.NewValue(of, []tftypes.Value{s.value(of.ElementType, unknown, false), s.value(of.ElementType, unknown, false)})
	case tftypes.Set:
		return tftypes.NewValue(of, []tftypes.Value{s.value(of.ElementType, unknown, false)})
	case tftypes.Map:
		return tftypes.NewValue(of, map[string]tftypes.Value{"a": s.value(of.ElementType, unknown, false)})
	case tftypes.Object:
		inner := map[string]tftypes.Value{}
		for _, name := range slices.Sorted(maps.Keys(of.AttributeTypes)) {
			inner[name] = s.value(of.AttributeTypes[name], unknown, true)
		}
		return tftypes.NewValue(of, inner)
	}
	switch {
	case of.Is(tftypes.Bool):
		return tftypes.NewValue(of, s.IntN(2) == 0)
	case of.Is(tftypes.Number):
		return tftypes.NewValue(of, s.IntN(3))
	default:
		texts := []string{"", "a", "aws", "ga-1", "default", "keep", "mark_dirty", "5m", "2026-01-01T00:00:00Z", "a/b/c", "{}", "garden-p"}
		return tftypes.NewValue(of, texts[s.IntN(len(texts))])
	}
}
