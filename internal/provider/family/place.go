package family

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
)

// placeKey is where private state keeps a place.
const placeKey = "place"

// PlaceOf returns the place that private state has of an object: where it was made, and what else the state cannot say. It is the zero
// value where nothing was kept.
func PlaceOf[P any](ctx context.Context, private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}, diags *diag.Diagnostics) (p P) {
	text, more := private.GetKey(ctx, placeKey)
	diags.Append(more...)
	if text != nil {
		_ = json.Unmarshal(text, &p)
	}
	return p
}

// Stored is where Terraform keeps an object.
type Stored struct {
	State    *tfsdk.State
	Identity *tfsdk.ResourceIdentity
	Private  interface {
		SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
	}
}

// Set keeps what the user sees, the identity, and the place.
func (s Stored) Set(ctx context.Context, model, identity, place any) diag.Diagnostics {
	diags := s.State.Set(ctx, model)
	diags.Append(s.Identity.Set(ctx, identity)...)
	text, _ := json.Marshal(place) // texts cannot fail
	diags.Append(s.Private.SetKey(ctx, placeKey, text)...)
	return diags
}
