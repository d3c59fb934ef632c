package inprocess

import (
	"maps"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	"sigs.k8s.io/yaml"
)

// scope is what expressions of one walk through the configuration can name.
type scope struct {
	*configuration
	values    map[string]cty.Value // of the blocks, by address
	functions map[string]function.Function
	applying  bool
}

// library is the part of the functions of the language that tests call.
var library = map[string]function.Function{
	"concat": stdlib.ConcatFunc, "format": stdlib.FormatFunc, "join": stdlib.JoinFunc, "jsondecode": stdlib.JSONDecodeFunc,
	"jsonencode": stdlib.JSONEncodeFunc, "length": stdlib.LengthFunc, "merge": stdlib.MergeFunc, "range": stdlib.RangeFunc,
	"split":  stdlib.SplitFunc,
	"tolist": stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)), "toset": stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)),
	"yamldecode": yamlDecode, "yamlencode": stdlib.JSONEncodeFunc, // JSON is YAML
}

// yamlDecode reads YAML by way of JSON: it knows no anchors across documents, and no times.
var yamlDecode = function.New(&function.Spec{
	Params: []function.Parameter{{Name: "src", Type: cty.String}},
	Type: func(args []cty.Value) (cty.Type, error) {
		value, err := decodeYAML(args[0])
		return value.Type(), err
	},
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return decodeYAML(args[0]) },
})

func decodeYAML(src cty.Value) (cty.Value, error) {
	if !src.IsKnown() {
		return cty.DynamicVal, nil
	}
	text, err := yaml.YAMLToJSON([]byte(src.AsString()))
	if err != nil {
		return cty.DynamicVal, err
	}
	return stdlib.JSONDecode(cty.StringVal(string(text)))
}

// timestamp is known in an apply alone.
func (s *scope) timestamp([]cty.Value, cty.Type) (cty.Value, error) {
	if !s.applying {
		return cty.UnknownVal(cty.String), nil
	}
	return cty.StringVal(time.Now().UTC().Format(time.RFC3339)), nil
}

// context has the values by the names that expressions call them.
func (s *scope) context() *hcl.EvalContext {
	tree := map[string]map[string]cty.Value{}
	data := map[string]map[string]cty.Value{}
	for address, value := range s.values {
		of := tree
		if rest, isData := strings.CutPrefix(address, "data."); isData {
			of, address = data, rest
		}
		typeName, name, _ := strings.Cut(address, ".")
		if of[typeName] == nil {
			of[typeName] = map[string]cty.Value{}
		}
		of[typeName][name] = value
	}
	variables := objects(tree)
	variables["data"] = cty.ObjectVal(objects(data))
	variables["var"] = cty.ObjectVal(s.variables)
	context := &hcl.EvalContext{Variables: variables, Functions: maps.Clone(library)}
	maps.Copy(context.Functions, s.functions)
	context.Functions["timestamp"] = function.New(&function.Spec{Type: function.StaticReturnType(cty.String), Impl: s.timestamp})
	variables["local"] = s.localValues(context)
	return context
}

// localValues evaluates the locals; one that refers to what is not there yet is left out.
func (s *scope) localValues(context *hcl.EvalContext) cty.Value {
	values := map[string]cty.Value{}
	for name, expression := range s.locals {
		if value, diags := expression.Value(context); !diags.HasErrors() {
			values[name] = value
		}
	}
	return cty.ObjectVal(values)
}

func objects(tree map[string]map[string]cty.Value) map[string]cty.Value {
	all := map[string]cty.Value{}
	for name, values := range tree {
		all[name] = cty.ObjectVal(values)
	}
	return all
}

// value evaluates one expression.
func (s *scope) value(expression hclsyntax.Expression) (cty.Value, hcl.Diagnostics) {
	return expression.Value(s.context())
}
