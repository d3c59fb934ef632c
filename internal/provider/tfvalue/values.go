package tfvalue

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
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

// TextOrNull makes the empty text of the Garden the null of a configuration.
func TextOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// Name is the name of an object for a message; one that is not known yet says so.
func Name(name types.String) string {
	if name.IsUnknown() {
		return "(name known after apply)"
	}
	return name.ValueString()
}

// NumberOrNull makes the 0 that means "no limit" null.
func NumberOrNull(n int) types.Int64 {
	if n == 0 {
		return types.Int64Null()
	}
	return types.Int64Value(int64(n))
}

// Quoted lists words for a description in Markdown.
func Quoted[S ~string](words []S) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = "`" + string(word) + "`"
	}
	return strings.Join(quoted, ", ")
}
