// Package functions holds the functions of the provider. All are pure: no connection, no provider configuration.
package functions

import (
	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
)

// Family registers the functions.
var Family = family.Family{Functions: []func() function.Function{
	func() function.Function { return &aggregatePurposesFunction{} },
	func() function.Function { return &brokerValuesFunction{} },
	func() function.Function { return &convertRulesFunction{} },
	func() function.Function { return &matchRulesFunction{} },
	func() function.Function { return &scheduleClusterFunction{} },
	func() function.Function { return &selectBindingFunction{} },
	func() function.Function { return &validateRulesFunction{} },
}}
