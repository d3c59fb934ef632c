package family

import (
	"context"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/defaults"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/objectplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// form is what a schema says about plans.
type form struct {
	object     tftypes.Type
	none       *tfprotov6.ResourceIdentityData // no identity
	attributes map[string]formed
	// plain says that no more than this is to be known for the plan of an object that is made or stays as it is. It takes attributes at the
	// root of the schema that are computed or write-only as a whole, defaults that are fixed texts or truths, and plan modifiers that do
	// nothing to such a plan.
	plain bool
}

// formed is what a schema says about an attribute of an object.
type formed struct {
	of                  tftypes.Type
	computed, writeOnly bool
	otherwise           *tftypes.Value // the default; nil = there is none
}

// idle are the plan modifiers of the framework that do nothing to a plan which makes an object, or has each value as the state has it.
var idle = map[reflect.Type]bool{
	reflect.TypeOf(boolplanmodifier.UseStateForUnknown()):          true,
	reflect.TypeOf(objectplanmodifier.UseStateForUnknown()):        true,
	reflect.TypeOf(stringplanmodifier.RequiresReplace()):           true,
	reflect.TypeOf(stringplanmodifier.UseStateForUnknown()):        true,
	reflect.TypeOf(stringplanmodifier.UseNonNullStateForUnknown()): true,
}

// formOf reads a schema.
func formOf(s schema.Schema, identity identityschema.Schema) form {
	ctx := context.Background()
	f := form{object: s.Type().TerraformType(ctx), attributes: make(map[string]formed, len(s.Attributes)), plain: len(s.Blocks) == 0}
	of := identity.Type().TerraformType(ctx)
	none, _ := tfprotov6.NewDynamicValue(of, tftypes.NewValue(of, nil)) // null is of each type
	f.none = &tfprotov6.ResourceIdentityData{IdentityData: &none}
	for name, attribute := range s.Attributes {
		as := formed{of: attribute.GetType().TerraformType(ctx), computed: attribute.IsComputed(), writeOnly: attribute.IsWriteOnly()}
		var known bool
		as.otherwise, known = defaultOf(ctx, attribute)
		// What lies in an attribute that is write-only is dropped with it, and in one that a user cannot set it is computed with it.
		whole := as.writeOnly || as.computed && !attribute.IsOptional() && as.otherwise == nil
		f.plain = f.plain && known && modifiersIdle(attribute) && (whole || !formsWithin(attribute))
		f.attributes[name] = as
	}
	return f
}

// defaultOf is the default of an attribute; nil = it has none. It is not known where it is neither a text nor a truth.
func defaultOf(ctx context.Context, a schema.Attribute) (value *tftypes.Value, known bool) {
	of := reflect.ValueOf(a).FieldByName("Default")
	if !of.IsValid() || of.IsNil() {
		return nil, true
	}
	var fixed attr.Value
	switch by := of.Interface().(type) {
	case defaults.String:
		var resp defaults.StringResponse
		by.DefaultString(ctx, defaults.StringRequest{}, &resp)
		fixed = resp.PlanValue
	case defaults.Bool:
		var resp defaults.BoolResponse
		by.DefaultBool(ctx, defaults.BoolRequest{}, &resp)
		fixed = resp.PlanValue
	default:
		return nil, false
	}
	raw, err := fixed.ToTerraformValue(ctx)
	return &raw, err == nil
}

// modifiersIdle reports whether all plan modifiers of an attribute are [idle].
func modifiersIdle(a schema.Attribute) bool {
	modifiers := reflect.ValueOf(a).FieldByName("PlanModifiers")
	for i := 0; modifiers.IsValid() && i < modifiers.Len(); i++ {
		if !idle[modifiers.Index(i).Elem().Type()] {
			return false
		}
	}
	return true
}

// formsWithin reports whether there is something to be known for plans of what lies in an attribute.
func formsWithin(a schema.Attribute) bool {
	nested, nests := a.(schema.NestedAttribute)
	if !nests {
		return false
	}
	object := nested.GetNestedObject()
	if o, modifies := object.(interface{ ObjectPlanModifiers() []planmodifier.Object }); modifies && len(o.ObjectPlanModifiers()) > 0 {
		return true
	}
	for _, inner := range object.GetAttributes() {
		otherwise, known := defaultOf(context.Background(), inner)
		if inner.IsComputed() || inner.IsWriteOnly() || otherwise != nil || !known || !modifiersIdle(inner) || formsWithin(inner) {
			return true
		}
	}
	return false
}

// apply makes of a proposed object what is planned of it, as the framework does, before the hooks see it: values that a configuration
// leaves out are the default, or unknown where they are computed, and write-only ones are left out. Of an object that is destroyed nothing
// is planned. ok = false: the framework has to plan the object, because it would change.
func (f form) apply(config, proposed, prior tftypes.Value) (planned tftypes.Value, ok bool) {
	var wanted, attributes, had map[string]tftypes.Value
	if proposed.IsNull() && !prior.IsNull() {
		return proposed, true
	}
	if config.IsNull() || proposed.IsNull() || config.As(&wanted) != nil || proposed.As(&attributes) != nil || prior.As(&had) != nil {
		return planned, false
	}
	made := prior.IsNull()
	planning := make(map[string]tftypes.Value, len(f.attributes))
	for name, of := range f.attributes {
		now := attributes[name]
		switch open := wanted[name].IsNull(); {
		case of.writeOnly:
			now = tftypes.NewValue(of.of, nil)
		case open && of.otherwise != nil:
			now = *of.otherwise
		case open && of.computed && made:
			now = tftypes.NewValue(of.of, tftypes.UnknownValue)
		}
		if !made && !now.Equal(had[name]) {
			return planned, false
		}
		planning[name] = now
	}
	return tftypes.NewValue(f.object, planning), true
}
