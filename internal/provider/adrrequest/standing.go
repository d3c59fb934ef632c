package adrrequest

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/openmcp/builtin"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// Of is the model of a request that stands: what a configuration would have to say to ask for the same. Defaults are null.
func Of(s builtin.ADRRequest) Model {
	m := None()
	m.Purposes, m.Dedicated = tfvalue.TextList(s.Purposes), types.BoolPointerValue(s.Dedicated)
	m.PrefixProposal, m.VersionWanted = tfvalue.TextOrNull(s.Prefix), tfvalue.TextOrNull(s.KubernetesVersion)
	m.GlobalAccount = tfvalue.TextOrNull(s.GlobalAccount)
	m.Traits = traitsValue(s.Traits, requestTrait)
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
		if _, group := kind["any_of"]; group {
			parts["any_of"] = types.ListNull(types.StringType)
			if len(t.AnyOf) > 0 {
				parts["any_of"] = tfvalue.TextList(t.AnyOf)
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
