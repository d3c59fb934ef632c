package tfvalue

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

type inner struct {
	Name types.String `tfsdk:"name"`
}

type model struct {
	inner
	Size  types.Int64 `tfsdk:"size"`
	Names types.List  `tfsdk:"names"`
}

var modelTypes = map[string]attr.Type{
	"name": types.StringType, "size": types.Int64Type, "names": types.ListType{ElemType: types.StringType},
}

// A model comes back as it was, with what is null and what is unknown.
func TestCodec(t *testing.T) {
	t.Parallel()
	codec := NewCodec[model](types.ObjectType{AttrTypes: modelTypes})
	for _, m := range []model{
		{inner{types.StringValue("a")}, types.Int64Value(7), types.ListValueMust(types.StringType, []attr.Value{types.StringValue("b")})},
		{inner{types.StringUnknown()}, types.Int64Null(), types.ListUnknown(types.StringType)},
	} {
		raw, err := codec.Encode(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := codec.Decode(t.Context(), raw)
		if err != nil || !got.Name.Equal(m.Name) || !got.Size.Equal(m.Size) || !got.Names.Equal(m.Names) {
			t.Errorf("%+v came back as %+v, %v", m, got, err)
		}
	}
}

// What does not fit is an error and never a value that is lost.
func TestCodec_misfits(t *testing.T) {
	t.Parallel()
	type wrong struct {
		inner
		Size  types.String `tfsdk:"size"`
		Names types.List   `tfsdk:"names"`
	}
	type unknown struct {
		model
		Other types.String `tfsdk:"other"`
	}
	object := types.ObjectType{AttrTypes: modelTypes}
	for what, err := range map[string]error{
		"a field of another type":         errorOf(NewCodec[wrong](object).Encode(t.Context(), wrong{})),
		"a field without an attribute":    errorOf(NewCodec[unknown](object).Encode(t.Context(), unknown{})),
		"an attribute without a field":    errorOf(NewCodec[inner](object).Encode(t.Context(), inner{})),
		"no object":                       errorOf(NewCodec[model](types.StringType).Decode(t.Context(), tftypes.Value{})),
		"null":                            errorOf(NewCodec[model](object).Decode(t.Context(), tftypes.NewValue(object.TerraformType(t.Context()), nil))),
		"a list whose type was never set": errorOf(NewCodec[model](object).Encode(t.Context(), model{})),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if err := errorOf(NewCodec[inner](object).Encode(t.Context(), inner{})); !strings.Contains(err.Error(), "[names size]") {
		t.Errorf("the error does not name what is missing: %v", err)
	}
}

func errorOf[T any](_ T, err error) error { return err }
