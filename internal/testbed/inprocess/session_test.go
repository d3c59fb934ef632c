package inprocess

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	frameworkprovider "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	frameworkresource "github.com/hashicorp/terraform-plugin-framework/resource"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// shelf is a provider of things that it keeps by name; what it is asked for is written down.
type shelf struct {
	things map[string]thingModel
	asked  []string
	// fails has the next making of a thing fail after it; lies has it give another note than the one that was planned.
	fails, lies bool
}

type thing struct{ *shelf }

type thingModel struct {
	Name types.String `tfsdk:"name"`
	Note types.String `tfsdk:"note"`
	ID   types.String `tfsdk:"id"`
}

func (*shelf) Metadata(_ context.Context, _ frameworkprovider.MetadataRequest, resp *frameworkprovider.MetadataResponse) {
	resp.TypeName = "shelf"
}

func (*shelf) Schema(context.Context, frameworkprovider.SchemaRequest, *frameworkprovider.SchemaResponse) {
}

func (*shelf) Configure(context.Context, frameworkprovider.ConfigureRequest, *frameworkprovider.ConfigureResponse) {
}

func (*shelf) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (s *shelf) Resources(context.Context) []func() frameworkresource.Resource {
	return []func() frameworkresource.Resource{func() frameworkresource.Resource { return thing{s} }}
}

func (thing) Metadata(_ context.Context, _ frameworkresource.MetadataRequest, resp *frameworkresource.MetadataResponse) {
	resp.TypeName = "shelf_thing"
}

func (thing) Schema(_ context.Context, _ frameworkresource.SchemaRequest, resp *frameworkresource.SchemaResponse) {
	resp.Schema = resourceschema.Schema{Attributes: map[string]resourceschema.Attribute{
		"name": resourceschema.StringAttribute{Required: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}},
		"note": resourceschema.StringAttribute{Optional: true},
		"id":   resourceschema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
	}}
}

func (r thing) ValidateConfig(ctx context.Context, req frameworkresource.ValidateConfigRequest, resp *frameworkresource.ValidateConfigResponse) {
	var config thingModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	if config.Note.ValueString() == "bad" {
		resp.Diagnostics.AddAttributeError(path.Root("note"), "Bad note", "The note is bad.")
	}
}

func (r thing) Create(ctx context.Context, req frameworkresource.CreateRequest, resp *frameworkresource.CreateResponse) {
	var plan thingModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	r.asked = append(r.asked, "create "+plan.Name.ValueString())
	plan.ID = types.StringValue("id of " + plan.Name.ValueString())
	if r.fails {
		r.fails = false
		resp.Diagnostics.AddError("Broken", "It broke.")
	}
	if r.lies {
		plan.Note = types.StringValue("a lie")
	}
	r.things[plan.Name.ValueString()] = plan
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (r thing) Read(ctx context.Context, req frameworkresource.ReadRequest, resp *frameworkresource.ReadResponse) {
	var state thingModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if found, ok := r.things[state.Name.ValueString()]; ok {
		resp.Diagnostics.Append(resp.State.Set(ctx, &found)...)
		return
	}
	resp.State.RemoveResource(ctx)
}

func (r thing) Update(ctx context.Context, req frameworkresource.UpdateRequest, resp *frameworkresource.UpdateResponse) {
	var plan thingModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	r.asked = append(r.asked, "update "+plan.Name.ValueString())
	r.things[plan.Name.ValueString()] = plan
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (r thing) Delete(ctx context.Context, req frameworkresource.DeleteRequest, resp *frameworkresource.DeleteResponse) {
	var state thingModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	r.asked = append(r.asked, "delete "+state.Name.ValueString())
	delete(r.things, state.Name.ValueString())
	resp.Diagnostics = diag.Diagnostics{}
}

func (thing) ImportState(ctx context.Context, req frameworkresource.ImportStateRequest, resp *frameworkresource.ImportStateResponse) {
	frameworkresource.ImportStatePassthroughID(ctx, path.Root("name"), req, resp)
}

// newShelf is an empty shelf, and a session with it.
func newShelf(t *testing.T) (*shelf, *session) {
	t.Helper()
	s := &shelf{things: map[string]thingModel{}}
	return s, newSession(t, map[string]factory{"shelf": providerserver.NewProtocol6WithError(s)})
}

// thingOf is a configuration of one thing.
func thingOf(label, name, extra string) string {
	return fmt.Sprintf("resource \"shelf_thing\" %q {\n  name = %s\n  %s\n}\n", label, name, extra)
}

// fine wants a step to go through.
func fine(t *testing.T, s *session, step resource.TestStep) {
	t.Helper()
	if err := s.step(step); err != nil {
		t.Fatal(err)
	}
}

// fails wants an error with these words.
func fails(t *testing.T, s *session, step resource.TestStep, like string) {
	t.Helper()
	if err := s.step(step); err == nil || !regexp.MustCompile(like).MatchString(err.Error()) {
		t.Errorf("the error is not like %s: %v", like, err)
	}
}

func (s *shelf) want(t *testing.T, asked ...string) {
	t.Helper()
	if !slices.Equal(s.asked, asked) {
		t.Errorf("asked for %q, want %q", s.asked, asked)
	}
	s.asked = nil
}

// A thing is made, changed, made anew and destroyed, and what refers to it goes along: after it where it is made, before it where it ends.
func TestSession_life(t *testing.T) {
	t.Parallel()
	shelf, s := newShelf(t)
	two := thingOf("two", `"${shelf_thing.one.name}-2"`, "note = shelf_thing.one.id")
	fine(t, s, resource.TestStep{
		Config: two + thingOf("one", `"a"`, "") + "output \"o\" { value = shelf_thing.two.note }\n",
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			plancheck.ExpectResourceAction("shelf_thing.two", plancheck.ResourceActionCreate),
			plancheck.ExpectUnknownValue("shelf_thing.two", tfjsonpath.New("note")),
			plancheck.ExpectKnownValue("shelf_thing.two", tfjsonpath.New("name"), knownvalue.StringExact("a-2")),
		}, PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectKnownValue("shelf_thing.two", tfjsonpath.New("note"), knownvalue.StringExact("id of a")),
			statecheck.ExpectKnownOutputValue("o", knownvalue.StringExact("id of a")),
		},
		Check: resource.TestCheckResourceAttr("shelf_thing.one", "id", "id of a"),
	})
	shelf.want(t, "create a", "create a-2")
	fine(t, s, resource.TestStep{Config: two + thingOf("one", `"a"`, `note = "new"`)})
	shelf.want(t, "update a")
	fine(t, s, resource.TestStep{Config: two + thingOf("one", `"b"`, ""), ConfigPlanChecks: resource.ConfigPlanChecks{
		PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction("shelf_thing.one", plancheck.ResourceActionDestroyBeforeCreate)},
	}})
	shelf.want(t, "delete a-2", "delete a", "create b", "create b-2")
	fine(t, s, resource.TestStep{Config: thingOf("one", `"b"`, ""), PlanOnly: true, ExpectNonEmptyPlan: true})
	shelf.want(t)
	s.end(func(*terraform.State) error { return nil })
	shelf.want(t, "delete b-2", "delete b")
}

// An error has its summary and detail, the address, and the line of the attribute. After it nothing is done.
func TestSession_errors(t *testing.T) {
	t.Parallel()
	shelf, s := newShelf(t)
	fails(t, s, resource.TestStep{Config: thingOf("one", `"a"`, `note = "bad"`)},
		`^Error: Bad note\n\n  with shelf_thing.one,\n  on main.tf line 3:\n   3:   note = "bad"\n\nThe note is bad.\n$`)
	fails(t, s, resource.TestStep{Config: thingOf("one", `"a"`, `colour = "red"`)}, "Error: Unsupported argument")
	fails(t, s, resource.TestStep{Config: thingOf("one", `"a"`, ""), PlanOnly: true}, "the plan is not empty:\nshelf_thing.one: .create.")
	fine(t, s, resource.TestStep{Config: thingOf("one", `"a"`, "")})
	fails(t, s, resource.TestStep{Config: thingOf("one", `"a"`, ""), PlanOnly: true, ExpectNonEmptyPlan: true}, "the plan is empty")
	shelf.want(t, "create a")
}

// A thing whose making fails is tainted, and made anew. What refers to it waits.
func TestSession_failedCreate(t *testing.T) {
	t.Parallel()
	shelf, s := newShelf(t)
	shelf.fails = true
	config := thingOf("one", `"a"`, "") + thingOf("two", "shelf_thing.one.id", "")
	fails(t, s, resource.TestStep{Config: config}, "Error: Broken")
	shelf.want(t, "create a")
	fine(t, s, resource.TestStep{Config: config})
	shelf.want(t, "delete a", "create a", "create id of a")
}

// A provider that does not keep to its plan fails, as with a CLI.
func TestSession_inconsistentResult(t *testing.T) {
	t.Parallel()
	shelf, s := newShelf(t)
	shelf.lies = true
	fails(t, s, resource.TestStep{Config: thingOf("one", `"a"`, `note = "true"`)}, "provider produced inconsistent result: .*a lie")
}

// What terraform_data puts out is known only after an apply.
func TestSession_knownLater(t *testing.T) {
	t.Parallel()
	shelf, s := newShelf(t)
	config := func(input string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"later\" { input = %q }\n", input) + thingOf("one", "terraform_data.later.output", "")
	}
	fine(t, s, resource.TestStep{Config: config("a"), ConfigPlanChecks: resource.ConfigPlanChecks{
		PreApply: []plancheck.PlanCheck{plancheck.ExpectUnknownValue("shelf_thing.one", tfjsonpath.New("name"))},
	}})
	fine(t, s, resource.TestStep{Config: config("b")})
	shelf.want(t, "create a", "delete a", "create b")
}

// What an import block names is taken into the state and read, and nothing is written.
func TestSession_importBlock(t *testing.T) {
	t.Parallel()
	shelf, s := newShelf(t)
	text := types.StringValue
	shelf.things["a"] = thingModel{Name: text("a"), Note: text("old"), ID: text("id of a")}
	block := func(id string) string { return fmt.Sprintf("import {\n to = shelf_thing.one\n id = %q\n}\n", id) }
	config := thingOf("one", `"a"`, `note = "old"`)
	fails(t, s, resource.TestStep{Config: config + block("b")}, "Error: cannot import non-existent remote object\n\n  with shelf_thing.one,")
	fails(t, s, resource.TestStep{Config: block("a")}, "there is no configuration of shelf_thing.one")
	noop := []plancheck.PlanCheck{plancheck.ExpectResourceAction("shelf_thing.one", plancheck.ResourceActionNoop)}
	fine(t, s, resource.TestStep{Config: config + block("a"), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: noop},
		Check: resource.TestCheckResourceAttr("shelf_thing.one", "id", "id of a")})
	shelf.want(t)
	fine(t, s, resource.TestStep{Config: thingOf("one", `"a"`, `note = "new"`) + block("a")})
	shelf.want(t, "update a")
}

// A step that imports holds what comes against the state, or against the configuration, and leaves the state as it was.
func TestSession_importStep(t *testing.T) {
	t.Parallel()
	shelf, s := newShelf(t)
	config := thingOf("one", `"a"`, `note = "old"`)
	fine(t, s, resource.TestStep{Config: config})
	by := func(kind resource.ImportStateKind, id, config string, ignored ...string) error {
		return s.imported(resource.TestStep{ImportStateKind: kind, ResourceName: "shelf_thing.one", ImportState: true, ImportStateId: id,
			ImportStateVerify: true, ImportStateVerifyIgnore: ignored, Config: config})
	}
	want := func(err error, like string) {
		t.Helper()
		if (err == nil) != (like == "") || err != nil && !strings.Contains(err.Error(), like) {
			t.Errorf("the error is not like %q: %v", like, err)
		}
	}
	for _, kind := range []resource.ImportStateKind{resource.ImportCommandWithID, resource.ImportBlockWithID} {
		want(by(kind, "a", ""), "")
		want(by(kind, "b", ""), "cannot import non-existent remote object")
	}
	want(by(resource.ImportBlockWithID, "a", thingOf("one", `"a"`, `note = "new"`)), "importing shelf_thing.one changes something")
	changed := shelf.things["a"]
	changed.Note = types.StringValue("by hand")
	shelf.things["a"] = changed
	want(by(resource.ImportCommandWithID, "a", ""), "by hand")
	want(by(resource.ImportCommandWithID, "a", "", "note"), "")
	want(by(resource.ImportBlockWithID, "a", ""), "importing shelf_thing.one changes something")
	if note := s.state["shelf_thing.one"].value.GetAttr("note").AsString(); note != "old" {
		t.Errorf("the state has the note %q", note)
	}
	shelf.want(t, "create a")
}

// Where a test needs the CLI, the session says for what.
func TestSession_onlyCLI(t *testing.T) {
	t.Parallel()
	_, s := newShelf(t)
	for text, what := range map[string]string{
		thingOf("one", `"a"`, "lifecycle { }"): "lifecycle blocks", thingOf("one", `"a"`, "count = 2"): "count",
		"moved {\n from = shelf_thing.one\n to = shelf_thing.two\n}\n": "moved blocks",
	} {
		fails(t, s, resource.TestStep{Config: text}, "a session does not know "+what)
	}
}

// Each value of an object has the name that a TestCheckFunc knows it by.
func TestFlatten(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	flatten(got, "", map[string]any{"a": "b", "list": []any{"x", map[string]any{"y": 1}}, "map": map[string]any{"k": true}, "none": nil})
	want := map[string]string{"a": "b", "list.#": "2", "list.0": "x", "list.1.%": "1", "list.1.y": "1", "map.%": "1", "map.k": "true"}
	if !maps.Equal(got, want) {
		t.Errorf("%s, want %s", strings.TrimSpace(fmt.Sprint(got)), fmt.Sprint(want))
	}
}
