package adrrequest

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/provider/diagnose"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// full is a request that says all there is to say.
func full() builtin.ADRRequest {
	dedicated := false
	return builtin.ADRRequest{
		Purposes: []string{"mcp", "onboarding"}, Dedicated: &dedicated, KubernetesVersion: "1.30", Prefix: "foo-", GlobalAccount: "ga-1",
		Traits:       []adr.Trait{{Name: "a", Optional: true}, {AnyOf: []string{"b", "c"}, Negated: true}, {AllOf: []string{"d", "e"}}, {OneOf: []string{"f", "g"}}},
		Equivalences: [][]string{{"m", "n"}, {"o", "p", "q"}},
		Definitions: map[string]adr.Purpose{
			"mcp": {Dedicated: true, Traits: []adr.Trait{{Name: "w", Optional: true}, {Name: "x", Negated: true}}}, "onboarding": {},
		},
	}
}

// shared is a request for a purpose whose clusters are shared by so many.
func shared() builtin.ADRRequest {
	return builtin.ADRRequest{Purposes: []string{"workload"}, Definitions: map[string]adr.Purpose{"workload": {TenancyCount: 20}}}
}

// A request is the same after it was written as a configuration, and read again.
func TestModel_roundTrip(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]builtin.ADRRequest{
		"all there is":  full(),
		"a count":       shared(),
		"purpose alone": {Purposes: []string{"mcp"}, Definitions: map[string]adr.Purpose{"mcp": {}}},
		"not defined":   {Purposes: []string{"mcp"}, Definitions: map[string]adr.Purpose{"other": {}, "another": {Dedicated: true}}},
		"no definition": {Purposes: []string{"mcp"}, Definitions: map[string]adr.Purpose{}},
	} {
		m := Of(s)
		if got := m.ADRRequest(); !m.Known() || !reflect.DeepEqual(got, s) {
			t.Errorf("%s: got %+v, want %+v", name, got, s)
		}
	}
	if given := Of(full()).Given(); !slices.Equal(given, names) {
		t.Errorf("given are %q, want %q", given, names)
	}
	if given := None().Given(); given != nil || !None().Known() {
		t.Errorf("of nothing %q are given, and it is known: %t", given, None().Known())
	}
}

// Purposes are a set for a request that exists: order and repetition count for nothing, and what is sent has each once. Neither the
// definitions nor the proposed prefix make another request.
func TestModel_samePurposes(t *testing.T) {
	t.Parallel()
	of := func(purposes ...string) Model {
		m := Of(full())
		m.Purposes = tfvalue.TextList(purposes)
		return m
	}
	for name, test := range map[string]struct {
		a, b Model
		same bool
	}{
		"the same":      {of("x", "y"), of("x", "y"), true},
		"another order": {of("x", "y"), of("y", "x"), true},
		"twice":         {of("x"), of("x", "x"), true},
		"one more":      {of("x"), of("x", "y"), false},
		"one less":      {of("x", "y"), of("y", "y"), false},
		"none":          {of("x"), None(), false},
	} {
		if got := test.a.SamePurposes(test.b); got != test.same {
			t.Errorf("%s: %t", name, got)
		}
	}
	if sent := of("y", "x", "y").ADRRequest().Purposes; !slices.Equal(sent, []string{"y", "x"}) {
		t.Errorf("sent are %q", sent)
	}
	prefix, definitions, trait, same := full(), full(), full(), full()
	same.Equivalences = nil
	prefix.Prefix, definitions.Definitions["mcp"], trait.Traits = "other-", adr.Purpose{}, nil
	if !Of(full()).NeedsAs(Of(same)) || Of(full()).AsksAs(Of(same)) {
		t.Error("other equivalences make another request, or are not sent")
	}
	if !Of(full()).NeedsAs(Of(prefix)) || !Of(full()).NeedsAs(Of(definitions)) || Of(full()).NeedsAs(Of(trait)) {
		t.Error("another prefix or definition makes another request, or another trait does not")
	}
}

// A definition of a purpose that a request does not have changes nothing of it; one that it has does.
func TestModel_definitionsOfOthers(t *testing.T) {
	t.Parallel()
	one, more, changed := full(), full(), full()
	more.Definitions["workload"] = adr.Purpose{Dedicated: true}
	changed.Definitions["mcp"] = adr.Purpose{}
	if !Of(one).AsksAs(Of(more)) || Of(one).AsksAs(Of(changed)) {
		t.Errorf("a definition of another purpose changes it, or one of its own does not: %t, %t", Of(one).AsksAs(Of(more)),
			Of(one).AsksAs(Of(changed)))
	}
	if _, there := Of(more).ADRRequest().Definitions["workload"]; there {
		t.Error("it has the definition of a purpose that is none of its own")
	}
}

// A part that is unknown, however deep, makes the request unknown, and it is not judged.
func TestModel_unknown(t *testing.T) {
	t.Parallel()
	trait := func(parts map[string]attr.Value) types.List {
		all := map[string]attr.Value{
			"trait": types.StringNull(), "any_of": types.ListNull(types.StringType), "all_of": types.ListNull(types.StringType),
			"one_of": types.ListNull(types.StringType), "optional": types.BoolNull(), "negated": types.BoolNull(),
		}
		for name, v := range parts {
			all[name] = v
		}
		return types.ListValueMust(traitsType, []attr.Value{types.ObjectValueMust(requestTrait, all)})
	}
	for name, change := range map[string]func(*Model){
		"purposes": func(m *Model) { m.Purposes = types.ListUnknown(types.StringType) },
		"a purpose": func(m *Model) {
			m.Purposes = types.ListValueMust(types.StringType, []attr.Value{types.StringUnknown()})
		},
		"dedicated":    func(m *Model) { m.Dedicated = types.BoolUnknown() },
		"a trait":      func(m *Model) { m.Traits = trait(map[string]attr.Value{"trait": types.StringUnknown()}) },
		"any of":       func(m *Model) { m.Traits = trait(map[string]attr.Value{"any_of": types.ListUnknown(types.StringType)}) },
		"prefix":       func(m *Model) { m.PrefixProposal = types.StringUnknown() },
		"version":      func(m *Model) { m.VersionWanted = types.StringUnknown() },
		"equivalences": func(m *Model) { m.TraitEquivalences = types.ListUnknown(textsType) },
		"definitions":  func(m *Model) { m.PurposeDefinitions = types.MapUnknown(definitionsType) },
		"a definition": func(m *Model) {
			m.PurposeDefinitions = types.MapValueMust(definitionsType, map[string]attr.Value{"mcp": types.ObjectUnknown(purposeTypes)})
		},
	} {
		m := Of(full())
		change(&m)
		var diags diag.Diagnostics
		m.Validate(&diags)
		if m.Known() || m.AsksAs(m) || diags.HasError() {
			t.Errorf("%s: known is %t, it asks as itself: %t, errors %v", name, m.Known(), m.AsksAs(m), diags)
		}
	}
	m := None()
	m.Purposes, m.Dedicated = types.ListUnknown(types.StringType), types.BoolUnknown()
	if given := m.Given(); given != nil {
		t.Errorf("%q count as given; they may turn out null", given)
	}
}

// What contradicts itself is an error at the attribute at fault; what is denied is none.
func TestModel_Validate(t *testing.T) {
	t.Parallel()
	purpose := func(traits ...adr.Trait) map[string]adr.Purpose {
		return map[string]adr.Purpose{"a.b": {Traits: traits}}
	}
	for name, test := range map[string]struct {
		change func(*builtin.ADRRequest)
		at     string // the path of the error; empty = there is none
		text   string
	}{
		"as it is":               {func(*builtin.ADRRequest) {}, "", ""},
		"a purpose not defined":  {func(s *builtin.ADRRequest) { s.Purposes = []string{"none"} }, "", ""},
		"no purpose":             {func(s *builtin.ADRRequest) { s.Purposes = nil }, "purposes", "one purpose at least"},
		"a purpose without name": {func(s *builtin.ADRRequest) { s.Purposes = []string{"mcp", ""} }, "purposes[1]", "needs a name"},
		"no version":             {func(s *builtin.ADRRequest) { s.KubernetesVersion = "newest" }, "kubernetes_version_wanted", "is no version"},
		"a prefix":               {func(s *builtin.ADRRequest) { s.Prefix = "Foo-" }, "prefix_proposal", "cannot begin a DNS name"},
		"two names for one trait": {func(s *builtin.ADRRequest) { s.Traits[1].Name = "d" }, "traits[1]",
			"trait and any_of exclude each other"},
		"a name in a group": {func(s *builtin.ADRRequest) { s.Traits[1].AnyOf[1] = "" }, "traits[1].any_of[1]", "needs a name"},
		"a contradiction": {func(s *builtin.ADRRequest) { s.Traits = append(s.Traits, adr.Trait{Name: "c"}) }, "traits[4]",
			"asked for and negated at once"},
		"a contradiction in a purpose": {func(s *builtin.ADRRequest) {
			s.Purposes, s.Definitions = []string{"a.b"}, purpose(adr.Trait{Name: "q"}, adr.Trait{Name: "q", Negated: true})
		}, `purpose_definitions["a.b"].traits[1]`, "asked for and negated at once"},
		"two operators for one trait": {func(s *builtin.ADRRequest) { s.Traits[2].OneOf = []string{"x"} }, "traits[2]",
			"all_of and one_of exclude each other"},
		"a name in an equivalence": {func(s *builtin.ADRRequest) { s.Equivalences[1][2] = "" }, "trait_equivalences[1][2]", "needs a name"},
		"a contradiction by an equivalence": {func(s *builtin.ADRRequest) {
			s.Traits = []adr.Trait{{Name: "m"}, {Name: "n", Negated: true}}
		}, "traits[1]", "the traits m and n have the same meaning"},
		"a count of one cluster": {func(s *builtin.ADRRequest) {
			s.Definitions["mcp"] = adr.Purpose{Dedicated: true, TenancyCount: 2}
		}, `purpose_definitions["mcp"].tenancy_count`, "a dedicated Cluster has one request"},
		"a purpose of the name request": {func(s *builtin.ADRRequest) {
			s.Purposes, s.Definitions = []string{"request"}, map[string]adr.Purpose{"request": {}}
		}, `purpose_definitions["request"]`, "means the request itself"},
	} {
		s := full()
		test.change(&s)
		m := Of(s)
		if s.Purposes == nil {
			m.Purposes = types.ListNull(types.StringType)
		}
		var diags diag.Diagnostics
		m.Validate(&diags)
		if test.at == "" {
			if diags.HasError() {
				t.Errorf("%s: %v", name, diags)
			}
			continue
		}
		if len(diags) != 1 || diags[0].Summary() != diagnose.SummaryADRRequest || !strings.Contains(diags[0].Detail(), test.text) {
			t.Errorf("%s: got %v, want one error with %q", name, diags, test.text)
			continue
		}
		if at, ok := diags[0].(diag.DiagnosticWithPath); !ok || at.Path().String() != test.at {
			t.Errorf("%s: the error is not at %s: %v", name, test.at, diags[0])
		}
	}
}

// Each attribute that is configured is refused at its place.
func TestModel_Refuse(t *testing.T) {
	t.Parallel()
	m := None()
	m.Dedicated, m.PrefixProposal, m.VersionWanted = types.BoolValue(false), types.StringValue("foo-"), types.StringUnknown()
	var diags diag.Diagnostics
	m.Refuse(&diags, "the operator grants this request.")
	var want diag.Diagnostics
	want.AddAttributeError(path.Root("dedicated"), diagnose.SummaryOtherScheduler,
		"The attribute dedicated is not heard here: the operator grants this request.")
	want.AddAttributeError(path.Root("prefix_proposal"), diagnose.SummaryOtherScheduler,
		"The attribute prefix_proposal is not heard here: the operator grants this request.")
	if !diags.Equal(want) {
		t.Errorf("got %v, want %v", diags, want)
	}
}

// A part that is in no configuration has no path; what is read of a path stays where the rest cannot be read.
func TestAt(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]string{
		"landscape.clusters": "", "landscape.profiles[1].traits[0]": "", "request": "", "request.name": "name",
		"landscape.purposes.mcp": `purpose_definitions["mcp"]`, "request.traits[x]": "traits", "access_request": "",
	} {
		if got := At(field).String(); got != want {
			t.Errorf("%s: got %q, want %q", field, got, want)
		}
	}
}

// A resource and a data source take the same, and a model reads what both take.
func TestAttributes_sameOnBoth(t *testing.T) {
	t.Parallel()
	ofResource, ofDataSource := ResourceAttributes(), DataSourceAttributes()
	if len(ofResource) != len(names) || len(ofDataSource) != len(names) {
		t.Fatalf("a resource has %d attributes, a data source %d, want %d", len(ofResource), len(ofDataSource), len(names))
	}
	for _, name := range names {
		r, d := ofResource[name], ofDataSource[name]
		if r == nil || d == nil {
			t.Fatalf("there is no attribute %s", name)
		}
		if !r.GetType().Equal(d.GetType()) || !r.GetType().Equal(None().value(name).Type(t.Context())) {
			t.Errorf("%s: a resource has %v, a data source %v, a model %v", name, r.GetType(), d.GetType(), None().value(name).Type(t.Context()))
		}
		if r.GetMarkdownDescription() == "" || r.GetMarkdownDescription() != d.GetMarkdownDescription() || !r.IsOptional() || !d.IsOptional() {
			t.Errorf("%s: the two differ in what they say, or whether it is optional", name)
		}
	}
}
