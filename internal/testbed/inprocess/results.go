package inprocess

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// asJSON is the plan as a CLI shows it in JSON, as far as plan checks go by it.
func (p *plan) asJSON() *tfjson.Plan {
	all := &tfjson.Plan{OutputChanges: map[string]*tfjson.Change{}}
	for _, c := range p.changes {
		if c.data && c.actions.NoOp() {
			continue
		}
		typeName, name := c.typeName, c.address[strings.LastIndex(c.address, ".")+1:]
		mode := tfjson.ManagedResourceMode
		if c.data {
			mode = tfjson.DataResourceMode
		}
		all.ResourceChanges = append(all.ResourceChanges, &tfjson.ResourceChange{
			Address: c.address, Mode: mode, Type: typeName, Name: name, Change: asChange(c.actions, c.was, c.planned),
		})
	}
	for name, value := range p.outputs {
		before, actions := p.before[name], update
		switch {
		case before == cty.NilVal:
			before, actions = cty.NullVal(cty.DynamicPseudoType), creation
		case before.RawEquals(value):
			actions = nothing
		}
		all.OutputChanges[name] = asChange(actions, before, value)
	}
	return all
}

func asChange(actions tfjson.Actions, before, after cty.Value) *tfjson.Change {
	return &tfjson.Change{Actions: actions, Before: plain(before), After: plain(after), AfterUnknown: unknown(after)}
}

// plain is a value as JSON has it. What is not known is left out.
func plain(value cty.Value) any {
	known, _ := cty.Transform(value, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if !v.IsKnown() {
			return cty.NullVal(v.Type()), nil
		}
		return v, nil
	})
	encoded, err := ctyjson.Marshal(known, known.Type())
	if err != nil {
		return err
	}
	var read any
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	if err := decoder.Decode(&read); err != nil {
		return err
	}
	if attributes, ok := read.(map[string]any); ok && value.Type().IsObjectType() {
		for name := range value.Type().AttributeTypes() {
			if !value.GetAttr(name).IsKnown() {
				delete(attributes, name)
			}
		}
	}
	return read
}

// unknown has true where a value is not known.
func unknown(value cty.Value) any {
	switch {
	case !value.IsKnown():
		return true
	case value.IsNull() || !value.CanIterateElements():
		return false
	case value.Type().IsObjectType() || value.Type().IsMapType():
		all := map[string]any{}
		for key, element := range value.Elements() {
			if is := unknown(element); is != false {
				all[key.AsString()] = is
			}
		}
		return all
	}
	all := []any{}
	for _, element := range value.Elements() {
		all = append(all, unknown(element))
	}
	return all
}

// stateJSON is the state as a CLI shows it in JSON, as far as state checks go by it.
func (s *session) stateJSON() *tfjson.State {
	module := &tfjson.StateModule{}
	for _, address := range slices.Sorted(maps.Keys(s.state)) {
		o := s.state[address]
		attributes, _ := plain(o.value).(map[string]any)
		shown := &tfjson.StateResource{Address: address, Type: o.typeName, AttributeValues: attributes, Tainted: o.tainted}
		if from := s.schemas[(&block{typeName: o.typeName}).provider()]; from != nil && from.identity(o) != nil {
			shown.IdentityValues, shown.IdentitySchemaVersion = from.identity(o), new(uint64)
		}
		module.Resources = append(module.Resources, shown)
	}
	outputs := map[string]*tfjson.StateOutput{}
	for name, value := range s.outputs {
		outputs[name] = &tfjson.StateOutput{Value: plain(value)}
	}
	return &tfjson.State{Values: &tfjson.StateValues{RootModule: module, Outputs: outputs}}
}

// flat is the state as a TestCheckFunc knows it: each attribute is a text.
func (s *session) flat() *terraform.State {
	state := terraform.NewState() //nolint:staticcheck // what a TestCheckFunc is given
	for address, o := range s.state {
		attributes := map[string]string{}
		flatten(attributes, "", plain(o.value))
		state.RootModule().Resources[address] = &terraform.ResourceState{
			Type: o.typeName, Primary: &terraform.InstanceState{ID: attributes["id"], Attributes: attributes, Tainted: o.tainted},
		}
	}
	for name, value := range s.outputs {
		state.RootModule().Outputs[name] = &terraform.OutputState{Type: "string", Value: plain(value)}
	}
	return state
}

func flatten(into map[string]string, at string, value any) {
	inner := strings.TrimPrefix(at+".", ".")
	switch value := value.(type) {
	case map[string]any:
		if at != "" {
			into[inner+"%"] = fmt.Sprint(len(value))
		}
		for name, element := range value {
			flatten(into, inner+name, element)
		}
	case []any:
		into[inner+"#"] = fmt.Sprint(len(value))
		for i, element := range value {
			flatten(into, inner+fmt.Sprint(i), element)
		}
	case nil:
	default:
		into[at] = fmt.Sprint(value)
	}
}
