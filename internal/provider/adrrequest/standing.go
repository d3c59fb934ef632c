package adrrequest

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// Of is the model of an existing request: what a configuration would have to say to ask for the same. Defaults are null.
func Of(s builtin.ADRRequest) Model {
	m := None()
	m.Purposes, m.Dedicated = tfvalue.TextList(s.Purposes), types.BoolPointerValue(s.Dedicated)
	m.PrefixProposal, m.VersionWanted = tfvalue.TextOrNull(s.Prefix), tfvalue.TextOrNull(s.KubernetesVersion)
	m.GlobalAccount = tfvalue.TextOrNull(s.GlobalAccount)
	m.Traits = traitsValue(s.Traits, requestTrait)
	if len(s.Equivalences) > 0 {
		groups := make([]attr.Value, len(s.Equivalences))
		for i, group := range s.Equivalences {
			groups[i] = tfvalue.TextList(group)
		}
		m.TraitEquivalences = types.ListValueMust(textsType, groups)
	}
	if len(s.Definitions) == 0 {
		return m
	}
	definitions := make(map[string]attr.Value, len(s.Definitions))
	for name, purpose := range s.Definitions {
		definitions[name] = types.ObjectValueMust(purposeTypes, map[string]attr.Value{
			"dedicated": trueOrNull(purpose.Dedicated), "traits": traitsValue(purpose.Traits, purposeTrait),
			"tenancy_count": tfvalue.NumberOrNull(purpose.TenancyCount),
		})
	}
	m.PurposeDefinitions = types.MapValueMust(definitionsType, definitions)
	return m
}

func traitsValue(all []adr.Trait, kind map[string]attr.Type) types.List {
	element := types.ObjectType{AttrTypes: kind}
	if len(all) == 0 {
		return types.ListNull(element)
	}
	values := make([]attr.Value, len(all))
	for i, t := range all {
		parts := map[string]attr.Value{
			"trait": tfvalue.TextOrNull(t.Name), "optional": trueOrNull(t.Optional), "negated": trueOrNull(t.Negated),
		}
		for name, group := range map[string][]string{"any_of": t.AnyOf, "all_of": t.AllOf, "one_of": t.OneOf} {
			if _, ofRequest := kind[name]; !ofRequest {
				continue
			}
			parts[name] = types.ListNull(types.StringType)
			if len(group) > 0 {
				parts[name] = tfvalue.TextList(group)
			}
		}
		values[i] = types.ObjectValueMust(kind, parts)
	}
	return types.ListValueMust(element, values)
}

func trueOrNull(flag bool) types.Bool {
	if !flag {
		return types.BoolNull()
	}
	return types.BoolValue(true)
}
