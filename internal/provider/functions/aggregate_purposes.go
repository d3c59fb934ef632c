package functions

import (
	"context"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
)

// aggregatePurposesFunction says what a request and its purposes ask for together.
type aggregatePurposesFunction struct{}

var (
	textsType       = types.ListType{ElemType: types.StringType}
	aggregatedTrait = map[string]attr.Type{
		"trait": types.StringType, "optional": types.BoolType, "negated": types.BoolType, "sources": textsType,
	}
	aggregatedTypes = map[string]attr.Type{
		"dedicated": types.BoolType, "dedicated_by": textsType, "warnings": textsType, "tenancy_count": types.NumberType,
		"traits": types.ListType{ElemType: types.ObjectType{AttrTypes: aggregatedTrait}},
	}
)

func (f *aggregatePurposesFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "aggregate_purposes"
}

func (f *aggregatePurposesFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Put together what a ClusterRequest and its purposes ask for",
		MarkdownDescription: "Returns one value of `dedicated` and one list of traits from a ClusterRequest and the definitions of its " +
			"purposes, by the rules that the proposal of the Cluster API has for it; no released operator knows purposes with traits. The " +
			"request's own `dedicated` counts; without it the Cluster is dedicated if at least one purpose is. A trait that several sources name " +
			"is required as soon as one of them requires it, and negated as the request says, else as the first purpose in the list that names " +
			"it. `tenancy_count` is the smallest of the purposes', and null where none has one or the Cluster is dedicated. A purpose that is not " +
			"defined is an error. The function knows no equivalences: two names of one meaning are two traits, which " +
			"`schedule_cluster` puts together. The function is pure: no connection, no provider configuration.\n\n" +
			spellingDescription + "\n\n" +
			choices("aggregation"),
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "request", MarkdownDescription: "The request: an object with `purposes`, a list of names, and " +
				"optionally `dedicated` and `traits`. " + traitsDescription + " " + groupsDescription + " The other keys of a request for " +
				"`schedule_cluster` are taken and do not matter."},
			function.DynamicParameter{Name: "purposes", MarkdownDescription: "The definitions of the purposes: an object by name, each " +
				"`{ dedicated, traits, tenancy_count }`, each of which may be left out; or a list of the proposal's " +
				"`Purpose` objects."},
		},
		Return: function.ObjectReturn{AttributeTypes: aggregatedTypes},
	}
}

func (f *aggregatePurposesFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var request, purposes types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &request, &purposes); resp.Error != nil {
		return
	}
	var found hints
	r, err := clusterRequestArgument(newArgument(0, "request", request).telling(&found))
	if err != nil {
		resp.Error = err
		return
	}
	defined, err := purposesArgument(newArgument(1, "purposes", purposes).telling(&found))
	if err != nil {
		resp.Error = err
		return
	}
	wanted, failed := adr.Aggregate(r, defined, nil)
	if failed != nil {
		resp.Error = clusterError(failed)
		return
	}
	wanted.Warnings = append(wanted.Warnings, found.texts...)
	resp.Error = resp.Result.Set(ctx, aggregatedValue(wanted))
}

// aggregatedValue is what is asked for as an object; every part is there, so nothing in it can fail.
func aggregatedValue(a adr.Aggregated) attr.Value {
	traits := make([]attr.Value, len(a.Traits))
	for i, t := range a.Traits {
		traits[i] = types.ObjectValueMust(aggregatedTrait, map[string]attr.Value{
			"trait": types.StringValue(t.String()), "optional": types.BoolValue(t.Optional), "negated": types.BoolValue(t.Negated),
			"sources": textsValue(t.Sources),
		})
	}
	return types.ObjectValueMust(aggregatedTypes, map[string]attr.Value{
		"dedicated": types.BoolValue(a.Dedicated), "dedicated_by": textsValue(a.DedicatedBy), "warnings": textsValue(a.Warnings),
		"tenancy_count": countValue(a.TenancyCount),
		"traits":        types.ListValueMust(types.ObjectType{AttrTypes: aggregatedTrait}, traits),
	})
}

// countValue is a number; null where it is 0.
func countValue(n int) attr.Value {
	if n == 0 {
		return types.NumberNull()
	}
	return types.NumberValue(big.NewFloat(float64(n)))
}

// textsValue is a list of strings, empty rather than null.
func textsValue(texts []string) attr.Value {
	values := make([]attr.Value, len(texts))
	for i, text := range texts {
		values[i] = types.StringValue(text)
	}
	return types.ListValueMust(types.StringType, values)
}
