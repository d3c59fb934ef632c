package family

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
)

const anewWhereKnown = "Another one makes another object, where it is known."

// ReplacedWhereKnown has another value make another object only where it is known: it may turn out to be the same, and what goes with the
// existing object would be lost for nothing.
func ReplacedWhereKnown() planmodifier.String {
	return stringplanmodifier.RequiresReplaceIf(
		func(_ context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
			resp.RequiresReplace = !req.PlanValue.IsUnknown()
		}, anewWhereKnown, anewWhereKnown)
}
