package tfvalue

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

func Quoted(words []string) string {
	return "`" + strings.Join(words, "`, `") + "`"
}

// textOrNull is the one place where the empty text of the world becomes the null of the configuration.
func TextOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// numberOrNull makes the 0 that means "no limit" null.
func NumberOrNull(n int) types.Int64 {
	if n == 0 {
		return types.Int64Null()
	}
	return types.Int64Value(int64(n))
}
