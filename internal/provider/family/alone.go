package family

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// aloneKey is where the private state of a plan keeps that the object is destroyed, and has no successor at its address.
const aloneKey = "destroyed_alone"

// PlanAlone notes in the private state of a plan whether it destroys the object without a successor at its address. The apply of a destroy
// cannot tell that from the destroy of a replacement. The call belongs at the beginning of each ModifyPlan of such a type: a destroy that
// has failed leaves its note in the state, and a replacement has to take it away.
func PlanAlone(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	alone := req.Plan.Raw.IsNull()
	if resp.Private != nil && alone != Alone(ctx, resp.Private, &resp.Diagnostics) {
		resp.Diagnostics.Append(resp.Private.SetKey(ctx, aloneKey, map[bool][]byte{true: []byte("true"), false: []byte("false")}[alone])...)
	}
}

// Alone reports whether the private state of an apply says that the object is destroyed without a successor at its address.
func Alone(ctx context.Context, private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}, diags *diag.Diagnostics) bool {
	text, more := private.GetKey(ctx, aloneKey)
	diags.Append(more...)
	return string(text) == "true"
}
