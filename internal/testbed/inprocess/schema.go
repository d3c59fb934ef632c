package inprocess

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2/hcldec"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"
)

// schema is how objects of one type are written, and what type their values have.
type schema struct {
	version    int64
	attributes []*tfprotov6.SchemaAttribute
	spec       hcldec.ObjectSpec
	of         cty.Type
}

func newSchema(s *tfprotov6.Schema) (*schema, error) {
	if s.Block == nil || len(s.Block.BlockTypes) > 0 {
		return nil, fmt.Errorf("a session knows attributes alone, and no nested blocks")
	}
	of := &schema{version: s.Version, attributes: s.Block.Attributes, spec: hcldec.ObjectSpec{}}
	types := map[string]cty.Type{}
	for _, a := range s.Block.Attributes {
		written, err := writtenType(a)
		if err != nil {
			return nil, err
		}
		of.spec[a.Name] = &hcldec.AttrSpec{Name: a.Name, Type: written, Required: a.Required}
		types[a.Name] = written.WithoutOptionalAttributesDeep()
	}
	of.of = cty.Object(types)
	return of, nil
}

// writtenType is the type of an attribute as a configuration may write it: nested attributes can be left out.
func writtenType(a *tfprotov6.SchemaAttribute) (cty.Type, error) {
	if a.NestedType == nil {
		return typeOf(a.Type)
	}
	types, optional := map[string]cty.Type{}, []string{}
	for _, nested := range a.NestedType.Attributes {
		of, err := writtenType(nested)
		if err != nil {
			return of, err
		}
		types[nested.Name] = of
		if nested.Optional || nested.Computed {
			optional = append(optional, nested.Name)
		}
	}
	object := cty.ObjectWithOptionalAttrs(types, optional)
	switch a.NestedType.Nesting {
	case tfprotov6.SchemaObjectNestingModeSingle:
		return object, nil
	case tfprotov6.SchemaObjectNestingModeList:
		return cty.List(object), nil
	case tfprotov6.SchemaObjectNestingModeMap:
		return cty.Map(object), nil
	case tfprotov6.SchemaObjectNestingModeSet:
		return cty.Set(object), nil
	}
	return object, fmt.Errorf("%s is nested as %s", a.Name, a.NestedType.Nesting)
}

func typeOf(of tftypes.Type) (cty.Type, error) {
	encoded, err := of.MarshalJSON() //nolint:staticcheck // the one way from one type system to the other
	if err != nil {
		return cty.NilType, err
	}
	return ctyjson.UnmarshalType(encoded)
}

// encode writes a value for the server.
func encode(value cty.Value, of cty.Type) (*tfprotov6.DynamicValue, error) {
	encoded, err := msgpack.Marshal(value, of)
	return &tfprotov6.DynamicValue{MsgPack: encoded}, err
}

// decode reads a value of the server.
func decode(value *tfprotov6.DynamicValue, of cty.Type) (cty.Value, error) {
	if value == nil {
		return cty.NullVal(of), nil
	}
	return msgpack.Unmarshal(value.MsgPack, of)
}

// proposed is the configuration over what was, as a CLI merges them: what the provider computes stays, unless it is configured.
func (s *schema) proposed(was, config cty.Value) cty.Value {
	return cty.ObjectVal(proposedAttributes(s.attributes, was, config))
}

func proposedAttributes(attributes []*tfprotov6.SchemaAttribute, was, config cty.Value) map[string]cty.Value {
	all := map[string]cty.Value{}
	for _, a := range attributes {
		configured := config.GetAttr(a.Name)
		before := cty.NullVal(configured.Type())
		if !was.IsNull() {
			before = was.GetAttr(a.Name)
		}
		switch {
		case configured.IsNull() && a.Computed && !(a.Optional && wasConfigured(a, before)):
			all[a.Name] = before
		case a.NestedType != nil:
			all[a.Name] = proposedNested(a.NestedType, before, configured)
		default:
			all[a.Name] = configured
		}
	}
	return all
}

// wasConfigured says that a nested value has what no provider computes: it was configured, and is so no more.
func wasConfigured(a *tfprotov6.SchemaAttribute, value cty.Value) bool {
	if a.NestedType == nil || a.NestedType.Nesting != tfprotov6.SchemaObjectNestingModeSingle || value.IsNull() {
		return false
	}
	return slices.ContainsFunc(a.NestedType.Attributes, func(nested *tfprotov6.SchemaAttribute) bool {
		return !nested.Computed && !value.GetAttr(nested.Name).IsNull()
	})
}

func proposedNested(o *tfprotov6.SchemaObject, was, config cty.Value) cty.Value {
	if config.IsNull() || !config.IsKnown() {
		return config
	}
	if o.Nesting == tfprotov6.SchemaObjectNestingModeSingle {
		return cty.ObjectVal(proposedAttributes(o.Attributes, was, config))
	}
	if config.LengthInt() == 0 {
		return config
	}
	keyed := map[string]cty.Value{}
	var listed []cty.Value
	for key, element := range config.Elements() {
		before := cty.NullVal(element.Type())
		if o.Nesting != tfprotov6.SchemaObjectNestingModeSet && !was.IsNull() && was.IsKnown() && was.HasIndex(key).True() {
			before = was.Index(key)
		}
		value := cty.ObjectVal(proposedAttributes(o.Attributes, before, element))
		listed = append(listed, value)
		if key.Type() == cty.String {
			keyed[key.AsString()] = value
		}
	}
	switch o.Nesting {
	case tfprotov6.SchemaObjectNestingModeMap:
		return cty.MapVal(keyed)
	case tfprotov6.SchemaObjectNestingModeSet:
		return cty.SetVal(listed)
	}
	return cty.ListVal(listed)
}

// later is a configuration of a data source that is read only in the apply: what is computed is not known.
func (s *schema) later(config cty.Value) cty.Value {
	all := maps.Clone(config.AsValueMap())
	for _, a := range s.attributes {
		if a.Computed && all[a.Name].IsNull() {
			all[a.Name] = cty.UnknownVal(all[a.Name].Type())
		}
	}
	return cty.ObjectVal(all)
}
