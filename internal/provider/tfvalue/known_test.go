package tfvalue

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// A value is known where nothing inside it is unknown; null is known, and so is a value that was never set.
func TestKnown(t *testing.T) {
	t.Parallel()
	inside := func(v attr.Value) attr.Value {
		list := types.ListValueMust(types.StringType, []attr.Value{types.StringValue("a"), v})
		return types.ObjectValueMust(map[string]attr.Type{"list": list.Type(t.Context())}, map[string]attr.Value{"list": list})
	}
	for name, test := range map[string]struct {
		value attr.Value
		known bool
	}{
		"a text": {types.StringValue("a"), true}, "null": {types.StringNull(), true}, "unknown": {types.StringUnknown(), false},
		"null, deep inside": {inside(types.StringNull()), true}, "unknown, deep inside": {inside(types.StringUnknown()), false},
		"an object that is unknown": {types.ObjectUnknown(nil), false}, "an object that is null": {types.ObjectNull(nil), true},
		"never set": {types.List{}, true}, "a set of which one is " +
			"unknown": {types.SetValueMust(types.StringType, []attr.Value{types.StringUnknown()}), false},
	} {
		if Known(test.value) != test.known {
			t.Errorf("%s: known is %t", name, !test.known)
		}
	}
	if !Known() || Known(types.StringValue("a"), types.Int64Unknown()) {
		t.Error("several values are known where each of them is")
	}
}
