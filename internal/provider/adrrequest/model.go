// Package adrrequest is what a request says beyond its name where it is decided on by purposes, traits and prefixes (ADR 015), as users
// write it in a configuration. All objects that take such a request share it.
package adrrequest

import (
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// Model has the attributes. The model of an object embeds it. Its parts may be unknown.
type Model struct {
	Purposes           types.List   `tfsdk:"purposes"`
	Dedicated          types.Bool   `tfsdk:"dedicated"`
	Traits             types.List   `tfsdk:"traits"`
	PrefixProposal     types.String `tfsdk:"prefix_proposal"`
	VersionWanted      types.String `tfsdk:"kubernetes_version_wanted"`
	PurposeDefinitions types.Map    `tfsdk:"purpose_definitions"`
	GlobalAccount      types.String `tfsdk:"global_account"`
	TraitEquivalences  types.List   `tfsdk:"trait_equivalences"`
}

// None is the model of an object that takes no such request.
func None() Model {
	return Model{
		Purposes: types.ListNull(types.StringType), Dedicated: types.BoolNull(), Traits: types.ListNull(traitsType),
		PrefixProposal: types.StringNull(), VersionWanted: types.StringNull(), PurposeDefinitions: types.MapNull(definitionsType),
		GlobalAccount:     types.StringNull(),
		TraitEquivalences: types.ListNull(textsType),
	}
}

// value returns the attribute of a name.
func (m Model) value(name string) attr.Value {
	return map[string]attr.Value{
		namePurposes: m.Purposes, nameDedicated: m.Dedicated, nameTraits: m.Traits, namePrefix: m.PrefixProposal,
		nameVersion: m.VersionWanted, nameDefinitions: m.PurposeDefinitions, nameAccount: m.GlobalAccount, nameSame: m.TraitEquivalences,
	}[name]
}

// Known reports whether nothing of the request is unknown.
func (m Model) Known() bool {
	for _, name := range names {
		if !tfvalue.Known(m.value(name)) {
			return false
		}
	}
	return true
}

// Given returns the names of the attributes that are configured. One that is unknown as a whole may turn out null, and is none of them.
func (m Model) Given() (given []string) {
	for _, name := range names {
		if v := m.value(name); !v.IsNull() && !v.IsUnknown() {
			given = append(given, name)
		}
	}
	return given
}

// ADRRequest is the request that is asked for. It is called where all is [Model.Known].
//
// Of the definitions it has those of its own purposes, so that another purpose can change without it. Where one of its purposes is not
// defined it has all: the denial names them.
func (m Model) ADRRequest() builtin.ADRRequest {
	s := builtin.ADRRequest{
		Purposes: once(texts(m.Purposes)), Dedicated: m.Dedicated.ValueBoolPointer(), Traits: traits(m.Traits),
		KubernetesVersion: m.VersionWanted.ValueString(), Prefix: m.PrefixProposal.ValueString(),
		GlobalAccount: m.GlobalAccount.ValueString(),
		Equivalences:  m.equivalences(),
	}
	all := m.definitions()
	s.Definitions = map[string]adr.Purpose{}
	for _, name := range s.Purposes {
		purpose, ok := all[name]
		if !ok {
			s.Definitions = all
			break
		}
		s.Definitions[name] = purpose
	}
	return s
}

// once are texts without repetition, each where it comes first.
func once(all []string) (left []string) {
	for _, text := range all {
		if !slices.Contains(left, text) {
			left = append(left, text)
		}
	}
	return left
}

// SamePurposes reports whether two models have the same purposes, in whatever order and however often. Their order decides where purposes
// disagree about a negated trait, and that is decided for the life of a request.
func (m Model) SamePurposes(other Model) bool {
	if !tfvalue.Known(m.Purposes, other.Purposes) || m.Purposes.IsNull() != other.Purposes.IsNull() {
		return false
	}
	sorted := func(list types.List) []string { return slices.Sorted(slices.Values(once(texts(list)))) }
	return slices.Equal(sorted(m.Purposes), sorted(other.Purposes))
}

// Aggregate is what the request and its purposes ask for together. It is called where all is [Model.Known].
//
// Errors: [*adr.InputError], [*adr.UnknownPurposeError].
func (m Model) Aggregate() (adr.Aggregated, error) {
	s := m.ADRRequest()
	return adr.Aggregate(adr.Request{Purposes: s.Purposes, Dedicated: s.Dedicated, Traits: s.Traits}, m.definitions(), s.Equivalences)
}

// AsksAs reports whether two models ask for the same, however they write it.
func (m Model) AsksAs(other Model) bool {
	return m.Known() && other.Known() && reflect.DeepEqual(m.ADRRequest(), other.ADRRequest())
}

func (m Model) definitions() map[string]adr.Purpose {
	all := make(map[string]adr.Purpose, len(m.PurposeDefinitions.Elements()))
	for name, definition := range m.PurposeDefinitions.Elements() {
		parts := partsOf(definition)
		list, _ := parts["traits"].(types.List)
		count, _ := parts["tenancy_count"].(types.Int64)
		all[name] = adr.Purpose{
			Dedicated: isTrue(parts["dedicated"]), Traits: traits(list), TenancyCount: int(count.ValueInt64()),
		}
	}
	return all
}

func (m Model) equivalences() (groups [][]string) {
	for _, group := range m.TraitEquivalences.Elements() {
		list, _ := group.(types.List)
		groups = append(groups, texts(list))
	}
	return groups
}

// traits reads the traits of a request or of a purpose.
func traits(list types.List) (all []adr.Trait) {
	for _, element := range list.Elements() {
		parts := partsOf(element)
		name, _ := parts["trait"].(types.String)
		group := func(name string) []string {
			list, _ := parts[name].(types.List)
			return texts(list)
		}
		all = append(all, adr.Trait{
			Name: name.ValueString(), AnyOf: group("any_of"), AllOf: group("all_of"), OneOf: group("one_of"),
			Optional: isTrue(parts["optional"]), Negated: isTrue(parts["negated"]),
		})
	}
	return all
}

func partsOf(v attr.Value) map[string]attr.Value {
	object, _ := v.(types.Object)
	return object.Attributes()
}

func isTrue(v attr.Value) bool {
	flag, _ := v.(types.Bool)
	return flag.ValueBool()
}

func texts(list types.List) (all []string) {
	for _, element := range list.Elements() {
		text, _ := element.(types.String)
		all = append(all, text.ValueString())
	}
	return all
}

// withoutStanding is a model without what never makes another request: the definitions and the equivalences, because a request keeps its
// grant whatever its purposes and traits come to mean, and the proposed prefix, because the prefix was granted.
func (m Model) withoutStanding() Model {
	none := None()
	m.PurposeDefinitions, m.PrefixProposal, m.TraitEquivalences = none.PurposeDefinitions, none.PrefixProposal, none.TraitEquivalences
	return m
}

// NeedsAs reports whether two models ask for the same cluster, whatever the definitions of the purposes and the proposed prefix are.
func (m Model) NeedsAs(other Model) bool {
	return m.withoutStanding().AsksAs(other.withoutStanding())
}

// Changed are the attributes by which one request asks for another cluster than another.
func Changed(m, from Model) (changed path.Paths) {
	for _, name := range names {
		if name != nameDefinitions && name != namePrefix && name != nameSame && !m.value(name).Equal(from.value(name)) {
			changed = append(changed, path.Root(name))
		}
	}
	return changed
}
