package provider

import (
	"bytes"
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
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/kube"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/acceptance"
	"github.com/hap-project/terraform-provider-hap/internal/testbed/hostile"
)

// What both providers are asked to do with an object.
const (
	askedRead = iota
	askedMade
	askedChanged
	askedDestroyed
	askedKinds
)

// What is read and applied without the framework is what the framework keeps, says and writes, for objects of each type: with states that
// have other values than the provider writes, before servers that do what they are asked, that have lost the object, or fail.
func TestDirectly_keepsAsTheFramework(t *testing.T) {
	t.Parallel()
	acceptance.OneByOne(t)
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
			compared := [askedKinds]int{}
			for round := range rounds * askedKinds {
				if c.compare(fmt.Sprintf("seed %d, round %d", seed, round), v, round%askedKinds) {
					compared[round%askedKinds]++
				}
			}
			if slices.Min(compared[:]) < rounds/2 {
				t.Errorf("seed %d: of %d answers to reads, creations, changes and destroys each, only %v were compared", seed, rounds, compared)
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

// compare asks both providers the same question about an object, each before a server of its own, which are alike. compared = false: by the
// framework it waits, for longer than a test can.
func (c comparison) compare(title string, maker *victim, kind int) (compared bool) {
	c.Helper()
	api := maker.api
	if kind == askedMade || c.IntN(4) == 0 {
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
	question := c.question(planner, kind, maker.hostile.URL)
	planner.hostile.End()
	defer framework.hostile.End()
	defer direct.hostile.End()
	for _, v := range []*victim{framework, direct} {
		if meets != nil && !meets.refuses {
			v.hostile.Do(meets.Mischief, nil)
		}
	}
	want, waited := within(hostileTime, framework, question)
	if waited {
		return false
	}
	got, waited := within(20*hostileTime, direct, question)
	if waited {
		c.Errorf("%s: the provider by itself does not answer, and the framework does", title)
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
func within(d time.Duration, v *victim, question func(*victim) string) (answer string, waited bool) {
	all := v.Ctx
	v.within(d, func(ctx context.Context) {
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

// question is one call with random values; its answer is a text. Mostly the object is of the server that is asked, and not of the one at
// maker.
func (c comparison) question(v *victim, kind int, maker string) func(*victim) string {
	c.Helper()
	was, elsewhere := c.shaken(v), c.IntN(8) == 0
	null := v.Dynamic(tftypes.NewValue(c.of, nil))
	if kind == askedRead {
		return func(v *victim) string {
			resp, err := v.Server.ReadResource(v.Ctx, &tfprotov6.ReadResourceRequest{
				TypeName: c.name, CurrentState: was.State, Private: c.madeBy(v, was.Private, maker, elsewhere), CurrentIdentity: was.Identity,
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
	if kind != askedDestroyed {
		config := maps.Clone(c.config)
		if kind == askedMade {
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
		request := *request
		request.PlannedPrivate = c.madeBy(v, request.PlannedPrivate, maker, elsewhere)
		resp, err := v.Server.ApplyResourceChange(v.Ctx, &request)
		if err != nil {
			v.Fatal(err)
		}
		return c.answer(v, resp.NewState, resp.NewIdentity, resp.Private, resp.Diagnostics)
	}
}

// madeBy is private state in which the server that is asked has made the object, in place of the one at maker; elsewhere: it has not.
func (c comparison) madeBy(v *victim, private []byte, maker string, elsewhere bool) []byte {
	c.Helper()
	if private == nil || elsewhere {
		return private
	}
	notes := c.notes(private)
	for key, text := range notes {
		notes[key] = bytes.ReplaceAll(text, []byte(maker), []byte(v.hostile.URL))
	}
	text, err := json.Marshal(notes)
	if err != nil {
		c.Fatal(err)
	}
	return text
}

// notes are those of private state.
func (c comparison) notes(private []byte) (notes map[string][]byte) {
	c.Helper()
	if err := json.Unmarshal(private, &notes); private != nil && err != nil {
		c.Fatal(err)
	}
	return notes
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
		if c.IntN(16) == 0 { // also of what is write-only, which no state has
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
	"IDENTITY": regexp.MustCompile(
		`(?s)(Unexpected Identity Change: .*?New Identity: [^\n]*|Unexpected error: [^\n]* has changed its identity [^\n]*)`),
}

func isError(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError }

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
	if state == nil || identity == nil {
		return strings.Join(append(lines, fmt.Sprintf("state: %t, identity: %t", state != nil, identity != nil)), "\n")
	}
	if kept, err := state.Unmarshal(c.of); err != nil {
		c.Error(err)
	} else if !kept.IsNull() {
		attributes := v.Attributes(kept)
		for _, a := range c.block.Attributes {
			if a.WriteOnly && slices.ContainsFunc(said, isError) { // the framework keeps what a state must not have then
				delete(attributes, a.Name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(attributes)) {
			lines = append(lines, fmt.Sprintf("%s = %v", name, attributes[name]))
		}
	}
	by, err := identity.IdentityData.Unmarshal(c.identities[c.name].ValueType())
	if err != nil {
		c.Error(err)
	}
	notes := c.notes(private)
	lines = append(lines, fmt.Sprintf("identity %v", by), fmt.Sprintf("private state: %t", private != nil))
	for _, key := range slices.Sorted(maps.Keys(notes)) {
		lines = append(lines, fmt.Sprintf("private %s = %s", key, notes[key]))
	}
	text := strings.Join(lines, "\n")
	for name, some := range differs {
		text = some.ReplaceAllString(text, name)
	}
	return text
}

// The framework keeps the value of before where a type calls a new one equal, and refuses what a type calls invalid. The provider by itself
// does not ask types. So none judges values in a way of its own, but that of sets, which have each element once.
func TestDirectly_noTypeJudgesValues(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	seen := 0
	sets := func(of attr.Type) bool { _, is := of.(types.SetType); return is }
	var walk func(at string, of attr.Type)
	walk = func(at string, of attr.Type) {
		seen++
		values := reflect.TypeOf(of.ValueType(ctx))
		for i := range values.NumMethod() {
			if name := values.Method(i).Name; strings.HasSuffix(name, "SemanticEquals") || name == "ValidateAttribute" && !sets(of) {
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

// What an import has left in private state is for the framework: the read after it goes there, and takes the note away.
func TestDirectly_readsAnImportByTheFramework(t *testing.T) {
	t.Parallel()
	asked := 0
	api := hostileLandscape()
	v := newVictimServed(t, hostile.NewServer(api), api, func(p *hapProvider) tfprotov6.ProviderServer {
		return directing(counting(p, &asked), p)
	})
	defer v.hostile.End()
	imported, err := v.Server.ImportResourceState(v.Ctx, &tfprotov6.ImportResourceStateRequest{TypeName: "hap_account", ID: "aws-2"})
	if err != nil || len(imported.ImportedResources) != 1 {
		t.Fatal(err, sayings(imported.Diagnostics))
	}
	one := imported.ImportedResources[0]
	for round, byFramework := range []int{1, 0} {
		asked = 0
		resp, err := v.Server.ReadResource(v.Ctx, &tfprotov6.ReadResourceRequest{
			TypeName: one.TypeName, CurrentState: one.State, Private: one.Private, CurrentIdentity: one.Identity,
		})
		if v.hear(err, resp.Diagnostics); asked != byFramework || strings.Contains(string(resp.Private), "import_before_read") {
			t.Errorf("read %d asked the framework %d times, and kept %s: %s", round, asked, resp.Private, sayings(v.said))
		}
		one.State, one.Private, one.Identity = resp.NewState, resp.Private, resp.NewIdentity
	}
}
