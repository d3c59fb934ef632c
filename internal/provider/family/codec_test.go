package family

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// After an error what was there stays.
func TestCodec_anErrorIsReported(t *testing.T) {
	t.Parallel()
	type other struct {
		Size types.Int64 `tfsdk:"size"`
	}
	misfit := codecOf[other]("thing", func(context.Context) schema.Schema {
		return schema.Schema{Attributes: map[string]schema.Attribute{"name": schema.StringAttribute{Optional: true}}}
	})
	before := tftypes.NewValue(tftypes.String, "before")
	now := before
	var diags diag.Diagnostics
	if misfit.encode(t.Context(), other{}, &now, &diags); !diags.HasError() || !now.Equal(before) {
		t.Errorf("a model that does not fit was written as %s (%v)", now, diags)
	}
	var more diag.Diagnostics
	if misfit.decode(t.Context(), before, &more); !more.HasError() {
		t.Error("a model that does not fit was read")
	}
}
