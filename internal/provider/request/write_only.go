package request

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// WriteOnlyAttributes are the inputs of a rule set that a resource consults and does not keep.
func WriteOnlyAttributes() map[string]schema.Attribute {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, WriteOnly: true, MarkdownDescription: description}
	}
	texts := func(input string) schema.ListAttribute {
		return schema.ListAttribute{
			Optional: true, WriteOnly: true, Validators: NoNulls, ElementType: types.StringType,
			MarkdownDescription: RuleSetDescriptions[input],
		}
	}
	legacy := map[string]schema.Attribute{}
	for name, description := range LegacyDescriptions {
		legacy[name] = text(description)
	}
	return map[string]schema.Attribute{
		"legacy": schema.SingleNestedAttribute{
			Optional: true, WriteOnly: true, MarkdownDescription: RuleSetDescriptions["legacy"], Attributes: legacy,
		},
		"rules":  texts("rules"),
		"syntax": text(RuleSetDescriptions["syntax"]),
		"plans": schema.MapAttribute{
			Optional: true, WriteOnly: true, Validators: NoNullsInside, ElementType: ListOfStrings,
			MarkdownDescription: RuleSetDescriptions["plans"],
		},
		"required_plans":             texts("required_plans"),
		"eu_access_platform_regions": texts("eu_access_platform_regions"),
		"platform_regions":           texts("platform_regions"),
	}
}
