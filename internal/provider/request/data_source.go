package request

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// DataSourceAttributes are the inputs of a rule set that a data source consults.
func DataSourceAttributes() map[string]schema.Attribute {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: description}
	}
	texts := func(input string) schema.ListAttribute {
		return schema.ListAttribute{
			Optional: true, Validators: NoNulls, ElementType: types.StringType, MarkdownDescription: RuleSetDescriptions[input],
		}
	}
	legacy := map[string]schema.Attribute{}
	for name, description := range LegacyDescriptions {
		legacy[name] = text(description)
	}
	return map[string]schema.Attribute{
		"legacy": schema.SingleNestedAttribute{
			Optional: true, MarkdownDescription: RuleSetDescriptions["legacy"], Attributes: legacy,
		},
		"rules":  texts("rules"),
		"syntax": text(RuleSetDescriptions["syntax"]),
		"plans": schema.MapAttribute{
			Optional: true, Validators: NoNullsInside, ElementType: ListOfStrings,
			MarkdownDescription: RuleSetDescriptions["plans"],
		},
		"required_plans":             texts("required_plans"),
		"eu_access_platform_regions": texts("eu_access_platform_regions"),
		"platform_regions":           texts("platform_regions"),
	}
}
