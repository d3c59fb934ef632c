package tfvalue

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// whollyKnown reports whether neither the values nor anything inside them is unknown.
func Known(values ...attr.Value) bool {
	for _, v := range values {
		if v == nil {
			continue
		}
		if v.IsUnknown() {
			return false
		}
		var inside []attr.Value
		switch v := v.(type) {
		case basetypes.ListValuable:
			list, _ := v.ToListValue(context.Background())
			inside = list.Elements()
		case basetypes.SetValuable:
			set, _ := v.ToSetValue(context.Background())
			inside = set.Elements()
		case basetypes.MapValuable:
			m, _ := v.ToMapValue(context.Background())
			inside = slices.Collect(maps.Values(m.Elements()))
		case basetypes.ObjectValuable:
			object, _ := v.ToObjectValue(context.Background())
			inside = slices.Collect(maps.Values(object.Attributes()))
		}
		if !Known(inside...) {
			return false
		}
	}
	return true
}
