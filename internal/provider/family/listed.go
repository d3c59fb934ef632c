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
	object, ok := of.(attr.TypeWithAttributeTypes)
	if !ok {
		return ruleSet, timeout, fmt.Errorf("a resource is described by %T", of)
	}
	null := func(name string) types.Object {
		nested, _ := object.AttributeTypes()[name].(attr.TypeWithAttributeTypes)
		return types.ObjectNull(nested.AttributeTypes())
	}
	return null("rule_set"), timeouts.Value{Object: null("timeouts")}, nil
}
