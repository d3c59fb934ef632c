package clusteraccess

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// An attribute and the field of the API that it sets have the same form, and names that follow from each other: one codec by the
// types of the schema serves all of them.

// abbreviated are the fields whose names do not follow from that of their attribute.
var abbreviated = map[string]string{"client_id": "clientID", "non_resource_urls": "nonResourceURLs"}

// fieldOf is the API's name of an attribute.
func fieldOf(attribute string) string {
	if field := abbreviated[attribute]; field != "" {
		return field
	}
	words := strings.Split(attribute, "_")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

// encoded is a known value as the API has it; nil = it is null.
func encoded(value attr.Value) any {
	if value.IsNull() || value.IsUnknown() {
		return nil
	}
	switch value := value.(type) {
	case types.String:
		return value.ValueString()
	case types.Bool:
		return value.ValueBool()
	case types.List:
		all := []any{}
		for _, element := range value.Elements() {
			all = append(all, encoded(element))
		}
		return all
	case types.Object:
		all := map[string]any{}
		for name, attribute := range value.Attributes() {
			if field := encoded(attribute); field != nil {
				all[fieldOf(name)] = field
			}
		}
		return all
	}
	return nil // no attribute of the schema has another type
}

// textOf is spec.token or spec.oidc as an attribute says it; nil = it is null. What the API fills in is written out.
func textOf(value types.Object) json.RawMessage {
	fields, ok := encoded(value).(map[string]any)
	if !ok {
		return nil
	}
	if _, oidc := fields["issuer"]; oidc {
		for field, preset := range map[string]string{"groupsClaim": "groups", "usernameClaim": "sub"} {
			if fields[field] == nil {
				fields[field] = preset
			}
		}
	}
	text, _ := json.Marshal(fields) // texts cannot fail
	return text
}

// decoded is a value of the API as an attribute of a type. Fields that the schema does not have are left out.
func decoded(of attr.Type, value any) (attr.Value, error) {
	switch of := of.(type) {
	case types.ObjectType:
		fields, ok := value.(map[string]any)
		if !ok {
			return types.ObjectNull(of.AttrTypes), misfit(value)
		}
		all := map[string]attr.Value{}
		for name, attribute := range of.AttrTypes {
			field, err := decoded(attribute, fields[fieldOf(name)])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", fieldOf(name), err)
			}
			all[name] = field
		}
		return types.ObjectValueMust(of.AttrTypes, all), nil
	case types.ListType:
		elements, ok := value.([]any)
		if !ok {
			return types.ListNull(of.ElemType), misfit(value)
		}
		all := []attr.Value{}
		for _, element := range elements {
			one, err := decoded(of.ElemType, element)
			if err != nil {
				return nil, err
			}
			all = append(all, one)
		}
		return types.ListValueMust(of.ElemType, all), nil
	}
	if text, ok := value.(string); ok && of.Equal(types.StringType) {
		return types.StringValue(text), nil
	}
	if truth, ok := value.(bool); ok && of.Equal(types.BoolType) {
		return types.BoolValue(truth), nil
	}
	if of.Equal(types.BoolType) {
		return types.BoolNull(), misfit(value)
	}
	return types.StringNull(), misfit(value)
}

// misfit is an error where a value is there and does not fit.
func misfit(value any) error {
	if value == nil {
		return nil
	}
	return fmt.Errorf("the server says %T", value)
}

// asSeen is an attribute as the server has it: the same where it says the same, as an empty list does that the configuration leaves out.
func asSeen(now types.Object, live json.RawMessage) (types.Object, error) {
	if sameText(textOf(now), live) {
		return now, nil
	}
	of := types.ObjectType{AttrTypes: now.AttributeTypes(context.Background())}
	if len(live) == 0 {
		return types.ObjectNull(of.AttrTypes), nil
	}
	var fields any
	if err := json.Unmarshal(live, &fields); err != nil {
		return now, err
	}
	seen, err := decoded(of, fields)
	if err != nil {
		return now, err
	}
	object, _ := seen.(types.Object)
	return object, nil
}

// sameText reports whether two texts in JSON say the same.
func sameText(a, b json.RawMessage) bool {
	var left, right any
	if len(a) == 0 || len(b) == 0 || json.Unmarshal(a, &left) != nil || json.Unmarshal(b, &right) != nil {
		return bytes.Equal(a, b)
	}
	return reflect.DeepEqual(left, right)
}
