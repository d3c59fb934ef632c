package claim

import (
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// A claim is read and written as the framework would, whatever is null, known or unknown in it.
func TestConvert_asTheFrameworkDoes(t *testing.T) {
	t.Parallel()
	schema := claimSchema(t.Context())
	of := schema.Type().TerraformType(t.Context())
	for name, leaf := range map[string]func(tftypes.Type) any{
		"known":   known,
		"unknown": func(tftypes.Type) any { return tftypes.UnknownValue },
		"null":    func(tftypes.Type) any { return nil },
	} {
		raw := fillValue(t, of, leaf)
		var want claimModel
		state := tfsdk.State{Schema: schema, Raw: raw}
		diags := state.Get(t.Context(), &want)
		got := decode(t.Context(), raw, &diags)
		if diags.HasError() || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: read %+v, want %+v (%v)", name, got, want, diags)
		}
		var written tftypes.Value
		encode(t.Context(), got, &written, &diags)
		diags.Append(state.Set(t.Context(), &want)...)
		if diags.HasError() || !written.Equal(raw) || !written.Equal(state.Raw) {
			t.Errorf("%s: wrote %s, want %s (%v)", name, written, raw, diags)
		}
	}
	identity := tfsdk.ResourceIdentity{Schema: identitySchema, Raw: fillValue(t, identitySchema.Type().TerraformType(t.Context()), known)}
	var id claimIdentity
	diags := identity.Get(t.Context(), &id)
	var written tftypes.Value
	encodeIdentity(t.Context(), id, &written, &diags)
	if diags.HasError() || !written.Equal(identity.Raw) {
		t.Errorf("wrote the identity %s, want %s (%v)", written, identity.Raw, diags)
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

// After an error what was there stays.
func TestConvert_anErrorIsTold(t *testing.T) {
	t.Parallel()
	before := tftypes.NewValue(tftypes.String, "before")
	now := before
	var diags diag.Diagnostics
	if encode(t.Context(), claimModel{}, &now, &diags); !diags.HasError() || !now.Equal(before) {
		t.Errorf("a model without types was written as %s (%v)", now, diags)
	}
}

// Reading and writing a claim takes a few allocations for each attribute, and none for the struct and the schema.
func TestConvert_allocations(t *testing.T) { //nolint:paralleltest // what other tests allocate would count
	of := claimSchema(t.Context()).Type().TerraformType(t.Context())
	raw := fillValue(t, of, known)
	var diags diag.Diagnostics
	m := decode(t.Context(), raw, &diags)
	read := testing.AllocsPerRun(100, func() { decode(t.Context(), raw, &diags) })
	write := testing.AllocsPerRun(100, func() { encode(t.Context(), m, &raw, &diags) })
	if read > 250 || write > 600 { // Get and Set of tfsdk take 1351 and 2549
		t.Errorf("%.0f allocations to read a claim and %.0f to write it, at most 250 and 600", read, write)
	}
}
