package tfvalue

import "github.com/hashicorp/terraform-plugin-framework/datasource/schema"

// ComputedText describes a text that a data source computes.
func ComputedText(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

// ComputedBool describes a bool that a data source computes.
func ComputedBool(description string) schema.BoolAttribute {
	return schema.BoolAttribute{Computed: true, MarkdownDescription: description}
}

// ComputedNumber describes a number that a data source computes.
func ComputedNumber(description string) schema.Int64Attribute {
	return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
}

// ComputedList describes a list of objects that a data source computes.
func ComputedList(description string, attributes map[string]schema.Attribute) schema.ListNestedAttribute {
	return schema.ListNestedAttribute{
		Computed: true, MarkdownDescription: description, NestedObject: schema.NestedAttributeObject{Attributes: attributes},
	}
}
