package inprocess

import (
	"fmt"
	"math/rand/v2"

	"github.com/hashicorp/hcl/v2/hcldec"
	"github.com/zclconf/go-cty/cty"
)

// dataType is a resource of the language itself: what it puts out is known only after an apply.
const dataType = "terraform_data"

var dataSchema = &schema{
	of: cty.Object(map[string]cty.Type{
		"id": cty.String, "input": cty.DynamicPseudoType, "output": cty.DynamicPseudoType, "triggers_replace": cty.DynamicPseudoType,
	}),
	spec: hcldec.ObjectSpec{
		"id":               &hcldec.LiteralSpec{Value: cty.NullVal(cty.String)},
		"input":            &hcldec.AttrSpec{Name: "input", Type: cty.DynamicPseudoType},
		"output":           &hcldec.LiteralSpec{Value: cty.NullVal(cty.DynamicPseudoType)},
		"triggers_replace": &hcldec.AttrSpec{Name: "triggers_replace", Type: cty.DynamicPseudoType},
	},
}

func planTerraformData(c *change, was *object, config cty.Value) {
	planned := config.AsValueMap()
	c.was, c.actions = cty.NullVal(dataSchema.of), creation
	planned["id"] = cty.UnknownVal(cty.String)
	if !planned["input"].IsNull() {
		planned["output"] = cty.UnknownVal(planned["input"].Type())
	}
	if was != nil {
		c.was, c.actions = was.value, anew
		if same := was.value.GetAttr("triggers_replace").RawEquals(planned["triggers_replace"]); same && !was.tainted {
			c.actions = update
			planned["id"] = was.value.GetAttr("id")
			if was.value.GetAttr("input").RawEquals(planned["input"]) {
				c.actions = nothing
				planned["output"] = was.value.GetAttr("output")
			}
		}
	}
	c.planned = cty.ObjectVal(planned)
}

func applyTerraformData(c *change, config cty.Value) *object {
	made := config.AsValueMap()
	made["output"], made["id"] = made["input"], cty.StringVal(fmt.Sprint(rand.Uint64()))
	if id := c.planned.GetAttr("id"); id.IsKnown() {
		made["id"] = id
	}
	return &object{typeName: dataType, value: cty.ObjectVal(made)}
}
