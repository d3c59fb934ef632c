package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/hostile"
)

// What becomes of an object whose answer two providers give.
const (
	keptRead = iota
	keptMade
	keptChanged
	keptDestroyed
	keptKinds
)

// What is read and applied without the framework is what the framework keeps, says and writes, for objects of each type: with states that
// have other values than the provider writes, before servers that do what they are asked, that have lost the object, or fail.
func TestDirectly_keepsAsTheFramework(t *testing.T) {
	t.Parallel()
	const rounds = 8
	landscape, lives := hostileLandscape(), hostileLives(t)
	identities, err := newPlanner(t).server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lives {
		if l.kind != "resource" || l.kind+" "+l.name == writesNothing {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			seed := rand.Uint64()
			c := comparison{
				T: t, life: l, shaking: shaking{rand.New(rand.NewPCG(seed, 0)), schemaOf(t).ResourceSchemas[l.name].Block, identities.IdentitySchemas},
			}
			v := newVictim(t, landscape.Clone())
			var made bool
			if l.standing, made = l.make(v, time.Minute); !made {
				t.Fatal(sayings(v.said))
			}
			v.hostile.End()
			compared := 0
			for round := range rounds * keptKinds {
				if c.compare(fmt.Sprintf("seed %d, round %d", seed, round), v.api, round%keptKinds) {
					compared++
				}
			}
			if compared < rounds*keptKinds*2/3 {
				t.Errorf("seed %d: only %d answers of %d were compared", seed, compared, rounds*keptKinds)
			}
		})
	}
}

// comparison compares two providers.
type comparison struct {
	*testing.T
	*life
	shaking
}

// compare asks both providers the same question, each before a server of its own, which are alike. compared = false: what they were asked
// for waits, for longer than a test can.
func (c comparison) compare(title string, there *hostile.API, kind int) (compared bool) {
	c.Helper()
	api := there
	if kind == keptMade || c.IntN(4) == 0 {
		api = hostileLandscape() // without the object
	}
	var meets *cause
	if all := causes(); c.IntN(2) == 0 {
		meets = &all[c.IntN(len(all))]
	}
	asked := 0
	framework := c.provider(api.Clone(), func(p *hapProvider) tfprotov6.ProviderServer { return readable(byFramework(p)) })
	direct := c.provider(api.Clone(), func(p *hapProvider) tfprotov6.ProviderServer { return readable(directing(counting(p, &asked), p)) })
	planner := c.provider(api.Clone(), serverOf)
	question := c.question(planner, kind)
	planner.hostile.End()
	defer framework.hostile.End()
	defer direct.hostile.End()
	for _, v := range []*victim{framework, direct} {
		if meets != nil && !meets.refuses {
			v.hostile.Do(meets.Mischief, nil)
		}
	}
	want, waited := within(framework, question)
	if waited {
		return false
	}
	got, waited := within(direct, question)
	if waited {
		return false
	}
	if want != got {
		c.Errorf("%s: the framework answers\n%s\nand the provider by itself\n%s", title, want, got)
	}
	if asked > 0 {
		c.Errorf("%s: the framework was asked", title)
	}
	if want, got := framework.api.Commits(), direct.api.Commits(); want != got {
		c.Errorf("%s: %d writes by the framework, %d without", title, want, got)
	}
	return true
}

// within asks a question, and reports whether its time was over before the answer: the object waits for something.
func within(v *victim, question func(*victim) string) (answer string, waited bool) {
	all := v.Ctx
	v.within(hostileTime, func(ctx context.Context) {
		v.Ctx = ctx
		answer, waited = question(v), ctx.Err() != nil
	})
	v.Ctx = all
	return answer, waited
}

func (c comparison) provider(api *hostile.API, served func(*hapProvider) tfprotov6.ProviderServer) *victim {
	c.Helper()
	v := newVictimServed(c.T, hostile.NewServer(api), api, served)
	v.Ctx = kube.Hurried(v.Ctx)
	return v
}

// question is one call with random values; its answer is a text.
func (c comparison) question(v *victim, kind int) func(*victim) string {
	c.Helper()
	was := c.shaken(v)
	null := v.Dynamic(tftypes.NewValue(c.of, nil))
	if kind == keptRead {
		return func(v *victim) string {
			resp, err := v.Server.ReadResource(v.Ctx, &tfprotov6.ReadResourceRequest{
				TypeName: c.name, CurrentState: was.State, Private: was.Private, CurrentIdentity: was.Identity,
			})
			if err != nil {
				v.Fatal(err)
			}
			return c.answer(v, resp.NewState, resp.NewIdentity, resp.Private, resp.Diagnostics)
		}
	}
	request := &tfprotov6.ApplyResourceChangeRequest{
		TypeName: c.name, PriorState: was.State, PlannedState: null, Config: null, PlannedPrivate: was.Private, PlannedIdentity: was.Identity,
	}
	if kind != keptDestroyed {
		config := maps.Clone(c.config)
		if kind == keptMade {
			if request.PriorState, was.State = null, nil; c.IntN(2) == 0 {
				was = acceptance.Standing{} // else the object succeeds one with notes
			}
		} else {
			maps.Copy(config, changes[c.name])
		}
		wanted := v.Attributes(acceptance.Filled(v, c.of, config))
		for _, a := range c.block.Attributes {
			if a.Optional && c.IntN(12) == 0 {
				wanted[a.Name] = c.value(a.ValueType(), false, true)
			}
		}
		value := tftypes.NewValue(c.of, wanted)
		planned, err := v.Server.PlanResourceChange(v.Ctx, &tfprotov6.PlanResourceChangeRequest{
			TypeName: c.name, PriorState: request.PriorState, PriorPrivate: was.Private, PriorIdentity: was.Identity,
			ProposedNewState: v.Dynamic(c.proposed(v, value, was)), Config: v.Dynamic(value),
		})
		if err != nil {
			v.Fatal(err)
		}
		request.Config, request.PlannedState = v.Dynamic(value), planned.PlannedState
		request.PlannedPrivate, request.PlannedIdentity = planned.PlannedPrivate, planned.PlannedIdentity
	}
	return func(v *victim) string {
		resp, err := v.Server.ApplyResourceChange(v.Ctx, request)
		if err != nil {
			v.Fatal(err)
		}
		return c.answer(v, resp.NewState, resp.NewIdentity, resp.Private, resp.Diagnostics)
	}
}

// shaken is the object with some random values, and with or without what else Terraform keeps of it.
func (c comparison) shaken(v *victim) acceptance.Standing {
	c.Helper()
	was := c.standing
	state, err := was.State.Unmarshal(c.of)
	if err != nil {
		c.Fatal(err)
	}
	attributes := v.Attributes(state)
	for _, a := range c.block.Attributes {
		if !a.WriteOnly && c.IntN(16) == 0 {
			attributes[a.Name] = c.value(a.ValueType(), false, !a.Required)
		}
	}
	was.State = v.Dynamic(tftypes.NewValue(c.of, attributes))
	was.Private = c.private(was)
	switch c.IntN(8) {
	case 0:
		was.Private = nil
	case 1:
		was.Identity = nil
	}
	return was
}

// differs are what differs in two answers to the same question: what the clock, the port of the server and chance say; and the words for an
// identity that must not change, which no user should read.
var differs = map[string]*regexp.Regexp{
	"TIME":     regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`),
	"SERVER":   regexp.MustCompile(`127\.0\.0\.1:\d+`),
	"INSTANCE": regexp.MustCompile(`"instance":"[A-Z2-7]+"`),
	"IDENTITY": regexp.MustCompile(`(?s)(Unexpected Identity Change: .*?New Identity: .*?\n|Unexpected error: .* has changed the identity [^\n]*\n)`),
}

// answer is what a provider answers, as a text, without what [differs].
func (c comparison) answer(
	v *victim, state *tfprotov6.DynamicValue, identity *tfprotov6.ResourceIdentityData, private []byte, said []*tfprotov6.Diagnostic,
) string {
	c.Helper()
	var lines []string
	for _, d := range said {
		lines = append(lines, fmt.Sprintf("%s at %v: %s: %s", d.Severity, d.Attribute, d.Summary, d.Detail))
	}
	slices.Sort(lines)
	if kept, err := state.Unmarshal(c.of); err != nil {
		c.Error(err)
	} else if !kept.IsNull() {
		attributes := v.Attributes(kept)
		for _, name := range slices.Sorted(maps.Keys(attributes)) {
			lines = append(lines, fmt.Sprintf("%s = %v", name, attributes[name]))
		}
	}
	lines = append(lines, fmt.Sprintf("state %q", state.MsgPack))
	if identity != nil {
		lines = append(lines, fmt.Sprintf("identity %q", identity.IdentityData.MsgPack))
	}
	var notes map[string][]byte
	if err := json.Unmarshal(private, &notes); private != nil && err != nil {
		c.Error(err)
	}
	lines = append(lines, fmt.Sprintf("private state: %t", private != nil))
	for _, key := range slices.Sorted(maps.Keys(notes)) {
		lines = append(lines, fmt.Sprintf("private %s = %s", key, notes[key]))
	}
	text := strings.Join(lines, "\n")
	for name, some := range differs {
		text = some.ReplaceAllString(text, name)
	}
	return text
}

// The framework keeps the value of before where a type calls a new one equal, and the provider by itself does not ask types. So none has an
// equality of its own.
func TestDirectly_noTypeHasAnEqualityOfItsOwn(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	seen := 0
	var walk func(at string, of attr.Type)
	walk = func(at string, of attr.Type) {
		seen++
		values := reflect.TypeOf(of.ValueType(ctx))
		for i := range values.NumMethod() {
			if name := values.Method(i).Name; strings.HasSuffix(name, "SemanticEquals") {
				t.Errorf("%s: %s has %s", at, values, name)
			}
		}
		if nests, ok := of.(attr.TypeWithAttributeTypes); ok {
			for name, inner := range nests.AttributeTypes() {
				walk(at+"."+name, inner)
			}
		}
		if nests, ok := of.(attr.TypeWithElementType); ok {
			walk(at+"[]", nests.ElementType())
		}
	}
	for _, of := range (&hapProvider{}).Resources(ctx) {
		var named resource.MetadataResponse
		of().Metadata(ctx, resource.MetadataRequest{ProviderTypeName: typeName}, &named)
		var schema resource.SchemaResponse
		of().Schema(ctx, resource.SchemaRequest{}, &schema)
		walk(named.TypeName, schema.Schema.Type())
	}
	if seen < 200 {
		t.Errorf("only %d types were walked", seen)
	}
}
