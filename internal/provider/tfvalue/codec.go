// Package tfvalue converts between the values of Terraform and those of Go: null and unknown, durations, labels.
package tfvalue

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Codec converts between a model and the value of a whole schema, as Get and Set of tfsdk do. Those inspect the struct, its
// tags and the schema anew at each call, which takes longer than all else that a claim does; a Codec does it once.
type Codec[T any] struct {
	object tftypes.Type
	fields []field
	err    error
}

// field is where a model keeps an attribute.
type field struct {
	name  string
	index []int
	of    attr.Type
}

// NewCodec returns the codec of a model for a schema of this type. The fields of the model are values of the framework and have
// the tag tfsdk, as for tfsdk. A model that does not fit the schema makes a codec that returns errors.
func NewCodec[T any](schema attr.Type) Codec[T] {
	ctx := context.Background()
	c := Codec[T]{object: schema.TerraformType(ctx)}
	of, ok := schema.(attr.TypeWithAttributeTypes)
	if !ok {
		c.err = fmt.Errorf("%s is no object", schema)
		return c
	}
	left := of.AttributeTypes()
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if f.Anonymous {
			continue // its fields are listed by themselves
		}
		name := f.Tag.Get("tfsdk")
		attribute, ok := left[name]
		if !ok || f.Type != reflect.TypeOf(attribute.ValueType(ctx)) {
			c.err = fmt.Errorf("field %s of %T does not fit attribute %q", f.Name, *new(T), name)
			return c
		}
		delete(left, name)
		c.fields = append(c.fields, field{name, f.Index, attribute})
	}
	if len(left) > 0 {
		c.err = fmt.Errorf("%T has no field for %s", *new(T), slices.Sorted(maps.Keys(left)))
	}
	return c
}

// Decode reads a model. It returns an error where the model does not fit the schema, or the value is no known object.
func (c Codec[T]) Decode(ctx context.Context, raw tftypes.Value) (model T, err error) {
	if c.err != nil {
		return model, c.err
	}
	var attributes map[string]tftypes.Value
	if err := raw.As(&attributes); err != nil {
		return model, err
	}
	if raw.IsNull() {
		return model, fmt.Errorf("there is no %T to read", model)
	}
	into := reflect.ValueOf(&model).Elem()
	for _, f := range c.fields {
		value, err := f.of.ValueFromTerraform(ctx, attributes[f.name])
		if err != nil {
			return model, fmt.Errorf("reading %s: %w", f.name, err)
		}
		into.FieldByIndex(f.index).Set(reflect.ValueOf(value))
	}
	return model, nil
}

// Encode writes a model. It returns an error where the model, or a value in it, does not fit the schema.
func (c Codec[T]) Encode(ctx context.Context, model T) (tftypes.Value, error) {
	if c.err != nil {
		return tftypes.Value{}, c.err
	}
	from := reflect.ValueOf(&model).Elem()
	attributes := make(map[string]tftypes.Value, len(c.fields))
	for _, f := range c.fields {
		value, ok := from.FieldByIndex(f.index).Interface().(attr.Value)
		if !ok || !f.of.Equal(value.Type(ctx)) {
			return tftypes.Value{}, fmt.Errorf("writing %s: %T is not of the type %s", f.name, value, f.of)
		}
		raw, err := value.ToTerraformValue(ctx)
		if err != nil {
			return tftypes.Value{}, fmt.Errorf("writing %s: %w", f.name, err)
		}
		attributes[f.name] = raw
	}
	return tftypes.NewValue(c.object, attributes), nil
}
