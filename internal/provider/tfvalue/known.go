package tfvalue

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
)

// Known reports whether neither the values nor anything inside them is unknown.
func Known(values ...attr.Value) bool {
	for _, v := range values {
		inside, err := v.ToTerraformValue(context.Background())
		if err != nil || !inside.IsFullyKnown() {
			return false
		}
	}
	return true
}
