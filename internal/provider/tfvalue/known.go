package tfvalue

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
)

// Known reports whether neither the values nor anything inside them is unknown.
func Known(values ...attr.Value) bool {
	for _, v := range values {
		if v.IsNull() { // also a list that was never set: it has no type, and cannot be converted
			continue
		}
		inside, err := v.ToTerraformValue(context.Background())
		if err != nil || !inside.IsFullyKnown() {
			return false
		}
	}
	return true
}
