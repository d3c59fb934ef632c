package family

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// WithoutInputs returns the nulls of the attributes rule_set and timeouts, which only a configuration can say, for a resource
// that is listed: a null has to know its type.
func WithoutInputs(of attr.Type) (ruleSet types.Object, timeout timeouts.Value, err error) {
	if ruleSet, err = Null(of, "rule_set"); err != nil {
		return ruleSet, timeout, err
	}
	none, err := Null(of, "timeouts")
	return ruleSet, timeouts.Value{Object: none}, err
}

// Null returns the null of a nested attribute of a resource.
func Null(of attr.Type, name string) (types.Object, error) {
	object, ok := of.(attr.TypeWithAttributeTypes)
	if !ok {
		return types.Object{}, fmt.Errorf("a resource is described by %T", of)
	}
	nested, ok := object.AttributeTypes()[name].(attr.TypeWithAttributeTypes)
	if !ok {
		return types.Object{}, fmt.Errorf("a resource has no object %q", name)
	}
	return types.ObjectNull(nested.AttributeTypes()), nil
}
