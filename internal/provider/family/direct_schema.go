package family

import (
	"context"
	"maps"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/defaults"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/objectplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// directSchema is what a schema says about the answers of a resource.
type directSchema struct {
	object, identity tftypes.Type
	attributes       map[string]directAttribute
	writeOnly        bool // some attribute is
	// applies says that what is read or applied depends on nothing else in the schema. That is so where it has no blocks, and each attribute
	// is write-only as a whole or not at all; and no type of an attribute has an equality of its own, which a test sees to.
	applies bool
	// plans says that the plan of an object that is new, or stays as it is, depends on nothing else. That is so where also each default is a
	// fixed text or boolean, no plan modifier acts on such a plan, and each attribute is computed as a whole or not at all.
	plans bool
}

// directAttribute is what a schema says about an attribute of an object.
type directAttribute struct {
	of                  tftypes.Type
	computed, writeOnly bool
	fallback            *tftypes.Value // the default; nil = there is none
}

// idle are the types of the plan modifiers that do nothing where an object is new, or each planned value is as in the state. Those that
// replace an object compare both values before anything else: that of RequiresReplace is also the type of RequiresReplaceIf.
var idle = map[reflect.Type]bool{
	reflect.TypeOf(boolplanmodifier.UseStateForUnknown()):          true,
	reflect.TypeOf(objectplanmodifier.UseStateForUnknown()):        true,
	reflect.TypeOf(stringplanmodifier.RequiresReplace()):           true,
	reflect.TypeOf(stringplanmodifier.UseStateForUnknown()):        true,
	reflect.TypeOf(stringplanmodifier.UseNonNullStateForUnknown()): true,
}

// directSchemaOf reads a schema.
func directSchemaOf(s schema.Schema, identity identityschema.Schema) directSchema {
	ctx := context.Background()
	p := directSchema{
		object: s.Type().TerraformType(ctx), identity: identity.Type().TerraformType(ctx),
		attributes: make(map[string]directAttribute, len(s.Attributes)), applies: len(s.Blocks) == 0, plans: len(s.Blocks) == 0,
	}
	for name, attribute := range s.Attributes {
		fallback, fixed := defaultOf(ctx, attribute)
		p.attributes[name] = directAttribute{
			of: attribute.GetType().TerraformType(ctx), computed: attribute.IsComputed(), writeOnly: attribute.IsWriteOnly(), fallback: fallback,
		}
		// A write-only attribute is dropped with all that is in it. One that a user cannot set is computed with all that is in it.
		computed := attribute.IsComputed() && !attribute.IsOptional() && fallback == nil
		p.plans = p.plans && fixed && isIdle(attribute) && (attribute.IsWriteOnly() || isWhole(attribute, computed))
		p.applies = p.applies && (attribute.IsWriteOnly() || !hidesPart(attribute))
		p.writeOnly = p.writeOnly || attribute.IsWriteOnly()
	}
	return p
}

// defaultOf returns the default of an attribute; nil = it has none. fixed = false: it is no fixed text or boolean.
func defaultOf(ctx context.Context, a schema.Attribute) (value *tftypes.Value, fixed bool) {
	of := field(a, "Default")
	if !of.IsValid() || of.IsZero() {
		return nil, true
	}
	var fallback attr.Value
	switch of.Elem().Type() {
	case reflect.TypeOf(stringdefault.StaticString("")):
		var resp defaults.StringResponse
		if by, ok := of.Interface().(defaults.String); ok {
			by.DefaultString(ctx, defaults.StringRequest{}, &resp)
		}
		fallback = resp.PlanValue
	case reflect.TypeOf(booldefault.StaticBool(false)):
		var resp defaults.BoolResponse
		if by, ok := of.Interface().(defaults.Bool); ok {
			by.DefaultBool(ctx, defaults.BoolRequest{}, &resp)
		}
		fallback = resp.PlanValue
	default:
		return nil, false
	}
	raw, err := fallback.ToTerraformValue(ctx)
	return &raw, err == nil
}

// isIdle reports whether all plan modifiers of an attribute are [idle].
func isIdle(a schema.Attribute) bool {
	modifiers := field(a, "PlanModifiers")
	for i := 0; modifiers.IsValid() && i < modifiers.Len(); i++ {
		if modifier := modifiers.Index(i); modifier.IsNil() || !idle[modifier.Elem().Type()] {
			return false
		}
	}
	return true
}

// field returns a field of an attribute, which the interfaces of the framework do not show; the zero value where there is none.
func field(a schema.Attribute, name string) reflect.Value {
	of := reflect.ValueOf(a)
	if of.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return of.FieldByName(name)
}

// isWhole reports whether what is in an attribute adds nothing to a plan. Where the attribute is computed, so may be what is in it.
func isWhole(a schema.Attribute, computed bool) bool {
	nested, nests := a.(schema.NestedAttribute)
	if !nests {
		return true
	}
	object := nested.GetNestedObject()
	if o, modifies := object.(interface{ ObjectPlanModifiers() []planmodifier.Object }); modifies {
		for _, modifier := range o.ObjectPlanModifiers() {
			if !idle[reflect.TypeOf(modifier)] {
				return false
			}
		}
	}
	for _, inner := range object.GetAttributes() {
		fallback, fixed := defaultOf(context.Background(), inner)
		if fallback != nil || !fixed || inner.IsWriteOnly() || inner.IsComputed() && !computed || !isIdle(inner) || !isWhole(inner, computed) {
			return false
		}
	}
	return true
}

// hidesPart reports whether something in an attribute is write-only.
func hidesPart(a schema.Attribute) bool {
	nested, nests := a.(schema.NestedAttribute)
	if !nests {
		return false
	}
	for _, inner := range nested.GetNestedObject().GetAttributes() {
		if inner.IsWriteOnly() || hidesPart(inner) {
			return true
		}
	}
	return false
}

// decode reads a configuration or a state. ok = false: it cannot be read.
func (p directSchema) decode(from *tfprotov6.DynamicValue) (value tftypes.Value, ok bool) {
	if from == nil {
		return value, false
	}
	value, err := from.Unmarshal(p.object)
	return value, err == nil
}

// decodeIdentity reads an identity; null = there is none. ok = false: it cannot be read.
func (p directSchema) decodeIdentity(from *tfprotov6.ResourceIdentityData) (value tftypes.Value, ok bool) {
	if from == nil {
		return tftypes.NewValue(p.identity, nil), true
	}
	if from.IdentityData == nil {
		return value, false
	}
	value, err := from.IdentityData.Unmarshal(p.identity)
	return value, err == nil
}

// withoutWriteOnly is a state without the values of attributes that are write-only.
func (p directSchema) withoutWriteOnly(state tftypes.Value) tftypes.Value {
	var attributes map[string]tftypes.Value
	if !p.writeOnly || state.IsNull() || state.As(&attributes) != nil {
		return state
	}
	attributes = maps.Clone(attributes) // the value hands out its own
	for name, of := range p.attributes {
		if of.writeOnly {
			attributes[name] = tftypes.NewValue(of.of, nil)
		}
	}
	return tftypes.NewValue(p.object, attributes)
}

// equal reports whether two objects of one schema are equal. The method of a value makes a path for each of its attributes on the way.
func equal(a, b tftypes.Value) bool {
	var some, others map[string]tftypes.Value
	if a.IsNull() || b.IsNull() || a.As(&some) != nil || b.As(&others) != nil || len(some) != len(others) {
		return a.Equal(b)
	}
	for name, value := range some {
		if !value.Equal(others[name]) {
			return false
		}
	}
	return true
}

// plan makes of a proposed object what the framework plans before the hooks see it. What a configuration leaves out is the default, or in a
// new object unknown where it is computed; what is write-only is null; and an object that is destroyed is null. ok = false: the framework
// has to plan the object, because it changes, or the configuration cannot be read.
func (p directSchema) plan(config, proposed, prior tftypes.Value) (planned tftypes.Value, ok bool) {
	if proposed.IsNull() {
		return proposed, !prior.IsNull()
	}
	var wanted, attributes, had map[string]tftypes.Value
	if config.IsNull() || config.As(&wanted) != nil || proposed.As(&attributes) != nil || prior.As(&had) != nil {
		return planned, false
	}
	isNew := prior.IsNull()
	planning := make(map[string]tftypes.Value, len(p.attributes))
	for name, of := range p.attributes {
		now := attributes[name]
		switch open := wanted[name].IsNull(); {
		case of.writeOnly:
			now = tftypes.NewValue(of.of, nil)
		case open && of.fallback != nil:
			now = *of.fallback
		case open && of.computed && isNew:
			now = tftypes.NewValue(of.of, tftypes.UnknownValue)
		}
		if !isNew && !now.Equal(had[name]) {
			return planned, false
		}
		planning[name] = now
	}
	return tftypes.NewValue(p.object, planning), true
}
