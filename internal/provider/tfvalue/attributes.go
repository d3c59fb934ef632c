package tfvalue

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/pool/account"
)

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

// Usage is what the clusters on an account are made of, as attributes of an object; null is what was not counted.
type Usage struct {
	Shoots         types.Int64 `tfsdk:"shoots"`
	Instances      types.Int64 `tfsdk:"instances"`
	OwnInstances   types.Int64 `tfsdk:"own_instances"`
	OtherInstances types.Int64 `tfsdk:"other_instances"`
	Suspended      types.Int64 `tfsdk:"suspended"`
}

// WithUsage adds the attributes of [Usage] to those of an account; own says whose its own instances are, within a sentence.
func WithUsage(own string, attributes map[string]schema.Attribute) map[string]schema.Attribute {
	attributes["shoots"] = ComputedNumber("The Shoots on it; null where Gardener was not asked.")
	attributes["instances"] = ComputedNumber("The live rows of the broker's database that name it; null where the database was not asked.")
	attributes["own_instances"] = ComputedNumber("The rows of " + own + "; null where the database was not asked.")
	attributes["other_instances"] = ComputedNumber("The rows of other Global Accounts; null where the database was not asked.")
	attributes["suspended"] = ComputedNumber("The rows of suspended clusters, which have no Shoot and occupy the account all the same; null " +
		"where the database was not asked.")
	return attributes
}

// UsageOf shows a usage as it was counted by a source. The rows of the Global Account are its own, the rest are others'.
func UsageOf(u account.Usage, by account.Source, globalAccount string) Usage {
	var shown Usage
	if by != account.SourceDatabase {
		shown.Shoots = types.Int64Value(int64(u.Shoots))
	}
	if by == account.SourceDatabase || by == account.SourceBoth {
		own, others := u.Of(globalAccount)
		shown.Instances, shown.Suspended = types.Int64Value(int64(u.Instances)), types.Int64Value(int64(u.Suspended))
		shown.OwnInstances, shown.OtherInstances = types.Int64Value(int64(own)), types.Int64Value(int64(others))
	}
	return shown
}
