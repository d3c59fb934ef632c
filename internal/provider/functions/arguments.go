package functions

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/hap-project/terraform-provider-hap/internal/rules"
)

// argument is a value of any type that was handed to a function, or a part of one. Functions take objects with optional
// keys, which only a dynamic parameter can; so every key and type is checked here, and an error names the key.
type argument struct {
	position int64
	// name says which part of the argument this is: "rule_set", "rule_set.rules[2]".
	name  string
	value attr.Value
	// hints takes the hints beside a result; nil = there are none.
	hints *hints
}

func newArgument(position int64, name string, value types.Dynamic) argument {
	if value.IsNull() {
		return argument{position: position, name: name}
	}
	return argument{position: position, name: name, value: value.UnderlyingValue()}
}

// null reports whether the part is left out.
func (a argument) null() bool { return a.value == nil || a.value.IsNull() }

func (a argument) errorf(format string, args ...any) *function.FuncError {
	return function.NewArgumentFuncError(a.position, a.name+": "+sentence(fmt.Sprintf(format, args...)))
}

// fields returns the parts of an object or a map, whatever their keys.
func (a argument) fields() (map[string]attr.Value, *function.FuncError) {
	switch v := a.value.(type) {
	case basetypes.ObjectValue:
		return v.Attributes(), nil
	case basetypes.MapValue:
		return v.Elements(), nil
	}
	return nil, a.errorf("an object is needed, not %s", kindOf(a.value))
}

// object returns the parts of an object that has only these keys; keys that start with "-" are taken and not returned.
func (a argument) object(keys ...string) (map[string]argument, *function.FuncError) {
	if a.null() {
		return nil, a.errorf("an object is needed, not null")
	}
	values, err := a.fields()
	if err != nil {
		return nil, err
	}
	parts := map[string]argument{}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if slices.Contains(keys, "-"+key) {
			continue
		}
		if !slices.Contains(keys, key) {
			known := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return strings.HasPrefix(k, "-") })
			return nil, a.errorf("there is no key %q.%s The keys are %s", key, rules.DidYouMean(key, known), strings.Join(known, ", "))
		}
		parts[key] = a.part(a.name+"."+key, values[key])
	}
	return parts, nil
}

// named returns the parts of an object or a map with any keys, by key.
func (a argument) named() ([]argument, *function.FuncError) {
	values, err := a.fields()
	if err != nil {
		return nil, err
	}
	parts := make([]argument, 0, len(values))
	for _, key := range slices.Sorted(maps.Keys(values)) {
		parts = append(parts, a.part(a.name+"."+key, values[key]))
	}
	return parts, nil
}

// key returns the key of a part in the object of which it is one.
func (a argument) key(of argument) string { return strings.TrimPrefix(a.name, of.name+".") }

// text returns a string; "" where it is left out.
func (a argument) text() (string, *function.FuncError) {
	if a.null() {
		return "", nil
	}
	v, ok := a.value.(basetypes.StringValue)
	if !ok {
		return "", a.errorf("a string is needed, not %s", kindOf(a.value))
	}
	return v.ValueString(), nil
}

// flag returns a bool; nil where it is left out.
func (a argument) flag() (*bool, *function.FuncError) {
	if a.null() {
		return nil, nil //nolint:nilnil // left out, and nothing wrong with that
	}
	v, ok := a.value.(basetypes.BoolValue)
	if !ok {
		return nil, a.errorf("true or false is needed, not %s", kindOf(a.value))
	}
	return v.ValueBoolPointer(), nil
}

// mostNumber bounds the numbers that functions take.
const mostNumber = 1<<31 - 1

// number returns a whole number, from the least one on.
func (a argument) number(least int64) (int, *function.FuncError) {
	v, ok := a.value.(basetypes.NumberValue)
	if a.null() || !ok {
		return 0, a.errorf("a number is needed, not %s", kindOf(a.value))
	}
	n, accuracy := v.ValueBigFloat().Int64()
	switch {
	case v.ValueBigFloat().IsInt() && v.ValueBigFloat().Sign() > 0 && (accuracy != 0 || n > mostNumber):
		return 0, a.errorf("a number of %d at most is needed, not %s", mostNumber, v.ValueBigFloat().Text('g', 10))
	case accuracy != 0 || n < least:
		return 0, a.errorf("a whole number from %d on is needed, not %s", least, v.ValueBigFloat().Text('g', 10))
	}
	return int(n), nil
}

// list returns the elements of a list, set or tuple; nil where it is left out, and not nil where it is empty.
func (a argument) list() ([]argument, *function.FuncError) {
	if a.null() {
		return nil, nil
	}
	var values []attr.Value
	switch v := a.value.(type) {
	case basetypes.ListValue:
		values = v.Elements()
	case basetypes.SetValue:
		values = v.Elements()
	case basetypes.TupleValue:
		values = v.Elements()
	default:
		return nil, a.errorf("a list is needed, not %s", kindOf(a.value))
	}
	elements := make([]argument, len(values))
	for i, v := range values {
		elements[i] = a.part(fmt.Sprintf("%s[%d]", a.name, i), v)
	}
	return elements, nil
}

// texts returns a list of strings.
func (a argument) texts() ([]string, *function.FuncError) {
	elements, err := a.list()
	if err != nil || elements == nil {
		return nil, err
	}
	texts := make([]string, len(elements))
	for i, e := range elements {
		if e.null() {
			return nil, e.errorf("a string is needed, not null")
		}
		if texts[i], err = e.text(); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// plans returns a table of plans; nil where it is left out. A null in it is a plan that is taken out of the built-in table.
func (a argument) plans() (rules.Plans, *function.FuncError) {
	if a.null() {
		return nil, nil
	}
	parts, err := a.named()
	if err != nil {
		return nil, err
	}
	plans := rules.Plans{}
	for _, part := range parts {
		hyperscalers, err := part.texts()
		if err != nil {
			return nil, err
		}
		plans[part.key(a)] = hyperscalers
	}
	return plans, nil
}

// sentence drops the full stop that Terraform puts after the error of an argument itself.
func sentence(s string) string { return strings.TrimRight(s, ".") }

// kindOf names the type of a value as people know it, with its article.
func kindOf(value attr.Value) string {
	if value == nil || value.IsNull() {
		return "null"
	}
	switch value.(type) {
	case basetypes.StringValue:
		return "a string"
	case basetypes.NumberValue:
		return "a number"
	case basetypes.BoolValue:
		return "a bool"
	case basetypes.ListValue, basetypes.SetValue, basetypes.TupleValue:
		return "a list"
	case basetypes.ObjectValue, basetypes.MapValue:
		return "an object"
	}
	return "a " + value.Type(context.Background()).String()
}
