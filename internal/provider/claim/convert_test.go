package claim

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// A claim is read and written as the framework would, whatever is null, known or unknown in it.
func TestConvert_asTheFrameworkDoes(t *testing.T) {
	t.Parallel()
	schema := claimSchema(t.Context())
	of, codec := schema.Type().TerraformType(t.Context()), tfvalue.NewCodec[claimModel](schema.Type())
	for name, leaf := range map[string]func(tftypes.Type) any{
		"known":   known,
		"unknown": func(tftypes.Type) any { return tftypes.UnknownValue },
		"null":    func(tftypes.Type) any { return nil },
	} {
		raw := fillValue(t, of, leaf)
		var want claimModel
		state := tfsdk.State{Schema: schema, Raw: raw}
		diags := state.Get(t.Context(), &want)
		got, err := codec.Decode(t.Context(), raw)
		if err != nil || diags.HasError() || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: read %+v, want %+v (%v, %v)", name, got, want, diags, err)
		}
		written, err := codec.Encode(t.Context(), got)
		diags.Append(state.Set(t.Context(), &want)...)
		if err != nil || diags.HasError() || !written.Equal(raw) || !written.Equal(state.Raw) {
			t.Errorf("%s: wrote %s, want %s (%v, %v)", name, written, raw, diags, err)
		}
	}
}

// known is some value of a primitive type.
func known(of tftypes.Type) any {
	switch {
	case of.Is(tftypes.String):
		return "text"
	case of.Is(tftypes.Number):
		return 7
	}
	return true
}

// fillValue fills the attributes of a value, and what is inside objects, lists and maps.
func fillValue(t *testing.T, of tftypes.Type, leaf func(tftypes.Type) any) tftypes.Value {
	t.Helper()
	switch of := of.(type) {
	case tftypes.Object:
		attributes := map[string]tftypes.Value{}
		for name, attribute := range of.AttributeTypes {
			attributes[name] = fillValue(t, attribute, leaf)
		}
		return tftypes.NewValue(of, attributes)
	case tftypes.List:
		return tftypes.NewValue(of, []tftypes.Value{fillValue(t, of.ElementType, leaf)})
	case tftypes.Map:
		return tftypes.NewValue(of, map[string]tftypes.Value{"key": fillValue(t, of.ElementType, leaf)})
	}
	return tftypes.NewValue(of, leaf(of))
}

// Reading and writing a claim takes a few allocations for each attribute, and none for the struct and the schema.
func TestConvert_allocations(t *testing.T) { //nolint:paralleltest // what other tests allocate would count
	schema := claimSchema(t.Context()).Type()
	codec, raw := tfvalue.NewCodec[claimModel](schema), fillValue(t, schema.TerraformType(t.Context()), known)
	m, err := codec.Decode(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	read := testing.AllocsPerRun(100, func() { _, _ = codec.Decode(t.Context(), raw) })
	write := testing.AllocsPerRun(100, func() { _, _ = codec.Encode(t.Context(), m) })
	if read > 250 || write > 600 { // Get and Set of tfsdk take 1351 and 2549
		t.Errorf("%.0f allocations to read a claim and %.0f to write it, at most 250 and 600", read, write)
	}
}
