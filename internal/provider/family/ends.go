package family

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// endsKey is where the private state of a plan keeps what the plan has seen of the Cluster of an object that it ends.
const endsKey = "cluster_at_plan"

// Ends is what a plan has seen of the Cluster of an object that it ends. Others may leave the Cluster between the plan and its apply: the
// apply takes no Cluster along that the plan has seen, and not announced. The zero value says nothing: the plan has seen no Cluster, or is
// of a release without this note.
type Ends struct {
	Cluster string `json:"cluster"` // its UID
	Goes    bool   `json:"goes"`    // the plan has announced that it goes along
}

// note writes what a plan that ends an object has seen, also over the note of a plan before it, of which a destroy has failed.
func (e *Ends) note(ctx context.Context, planned privateState, diags *diag.Diagnostics) {
	if e == nil || planned == nil {
		return
	}
	text, _ := json.Marshal(e) // texts cannot fail
	diags.Append(planned.SetKey(ctx, endsKey, text)...)
}

// endsOf is the note of the plan of an apply.
func endsOf(ctx context.Context, private reader, diags *diag.Diagnostics) *Ends {
	var e Ends
	text, more := private.GetKey(ctx, endsKey)
	diags.Append(more...)
	if json.Unmarshal(text, &e) != nil {
		return &Ends{}
	}
	return &e
}
