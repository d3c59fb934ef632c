package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// A hyperscaler of a rule set's own plans that is a variant of a known one has a limit; a name that may be a typing error is
// refused, and the message does not promise it a limit.
func TestMultiAccount_limitOfAVariant(t *testing.T) {
	t.Parallel()
	read := func(key string) (limit int, message string) {
		limits := types.MapValueMust(types.Int64Type, map[string]attr.Value{"default": types.Int64Value(9), key: types.Int64Value(2)})
		policy, _, diags := policyFrom(t.Context(), types.ObjectValueMust(map[string]attr.Type{
			"allowed_global_accounts": types.SetType{ElemType: types.StringType}, "limits": limits.Type(t.Context()),
			"min_bindings_for_guard": types.Int64Type,
		}, map[string]attr.Value{
			"allowed_global_accounts": types.SetValueMust(types.StringType, []attr.Value{types.StringValue("*")}), "limits": limits,
			"min_bindings_for_guard": types.Int64Null(),
		}))
		for _, d := range diags {
			message += d.Detail()
		}
		return policy.Limits[key], message
	}
	if limit, message := read("openstack-eu"); limit != 2 || message != "" {
		t.Errorf("openstack-eu has the limit %d: %s", limit, message)
	}
	if _, message := read("azurecn"); !strings.Contains(message, `Did you mean "azure"?`) ||
		!strings.Contains(message, "unless its name is this near to a known one: that one has the limit default.") {
		t.Errorf("azurecn: %q", message)
	}
}
