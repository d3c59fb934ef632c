package functions

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/clusters"
	"github.com/hap-project/terraform-provider-hap/internal/clusters/adr"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

// scheduleClusterFunction says which Cluster a request gets.
type scheduleClusterFunction struct{}

var (
	refTypes       = map[string]attr.Type{"namespace": types.StringType, "name": types.StringType}
	candidateTypes = map[string]attr.Type{
		"kind": types.StringType, "namespace": types.StringType, "name": types.StringType, "chosen": types.BoolType, "reason": types.StringType,
	}
	scheduledTypes = map[string]attr.Type{
		"decision": types.StringType, "reason": types.StringType, "cluster": types.ObjectType{AttrTypes: refTypes},
		"profile": types.StringType, "version": types.StringType, "prefix": types.StringType, "prefix_rule": types.StringType,
		"candidates": types.ListType{ElemType: types.ObjectType{AttrTypes: candidateTypes}}, "warnings": textsType,
	}
)

func (f *scheduleClusterFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "schedule_cluster"
}

func (f *scheduleClusterFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Find the Cluster that a ClusterRequest gets",
		MarkdownDescription: "Decides on a ClusterRequest by the rules of the proposal of the Cluster API, which no released operator has: " +
			"purposes with traits, dedicated Clusters, prefixes that cannot collide, and a denial with a reason. A request that holds a grant " +
			"keeps it. Else it gets a shared Cluster that fits, or a new one, or is denied with what no profile meets. A denial is no error, but " +
			"a decision; an error is what cannot be read, and a request, or a part of the landscape that it needs, that contradicts itself. " +
			"The function is pure: no connection, no provider configuration, and the same " +
			"answer twice, so a prefix that has to be drawn is null.\n\n`candidates` are the Clusters by namespace and name, then the profiles by " +
			"name, each with why it was taken or not. Only its own Cluster is considered for a request that holds a grant, and nothing at " +
			"all for a purpose that is not defined. Of `warnings` of one kind, the first 20 are there.\n\nThe prefix of a " +
			"request on a shared Cluster is its proposal, unless that " +
			"is missing, too short, granted on the Cluster already, or one of the two is a prefix of the other, in either direction; then it is " +
			"random. On a dedicated Cluster it is empty.\n\n" + spellingDescription + "\n\n" +
			choices("aggregation", "traits", "versions", "scheduling", "prefixes"),
		Parameters: []function.Parameter{
			function.DynamicParameter{Name: "request", MarkdownDescription: "The request: an object with `namespace`, `name`, `purposes`, a list " +
				"of names, and optionally `dedicated`, `traits`, `kubernetes_version` (a string: none, such as `\"1.30\"`, or in full) and `prefix`. " +
				traitsDescription + " " + groupsDescription},
			function.DynamicParameter{Name: "landscape", MarkdownDescription: "What there is: an object with `purposes` (`{ dedicated, traits, " +
				"tenancy_count }` by name), `profiles` (a list of `{ name, provider, traits, versions = [{ version, deprecated }] }`), " +
				"`clusters` (a list of `{ namespace, name, profile, version, purposes, dedicated, grants = [{ request, prefix }] }`, a `request` " +
				"being `\"<namespace>/<name>\"`) and `equivalences` (a list of lists of traits with the same meaning). What is empty may be left " +
				"out. Of the proposal's objects, `purposes` takes a list of `Purpose`, `profiles` of `ClusterProvider`, `clusters` of `Cluster`, and " +
				"`grants` of `ClusterRequestGrant`."},
		},
		Return: function.ObjectReturn{AttributeTypes: scheduledTypes},
	}
}

func (f *scheduleClusterFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var request, landscape types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &request, &landscape); resp.Error != nil {
		return
	}
	var found hints
	r, err := clusterRequestArgument(newArgument(0, "request", request).telling(&found))
	if err != nil {
		resp.Error = err
		return
	}
	l, err := landscapeArgument(newArgument(1, "landscape", landscape).telling(&found))
	if err != nil {
		resp.Error = err
		return
	}
	decision, failed := adr.Schedule(r, l)
	if failed != nil {
		resp.Error = clusterError(failed)
		return
	}
	decision.Warnings = append(decision.Warnings, found.texts...)
	resp.Error = resp.Result.Set(ctx, decisionValue(decision))
}

// decisionValue is a decision as an object; every part is there, so nothing in it can fail.
func decisionValue(d adr.Decision) attr.Value {
	cluster := types.ObjectNull(refTypes)
	if d.Action == clusters.Reuse {
		cluster = types.ObjectValueMust(refTypes, map[string]attr.Value{
			"namespace": types.StringValue(d.Cluster.Namespace), "name": types.StringValue(d.Cluster.Name),
		})
	}
	prefix := types.StringValue(d.Prefix)
	if d.Action == clusters.Deny || d.PrefixRule.Kind == adr.PrefixRandom {
		prefix = types.StringNull()
	}
	candidates := make([]attr.Value, len(d.Candidates))
	for i, c := range d.Candidates {
		candidates[i] = types.ObjectValueMust(candidateTypes, map[string]attr.Value{
			"kind": types.StringValue(string(c.Kind)), "namespace": tfvalue.TextOrNull(c.Ref.Namespace), "name": types.StringValue(c.Ref.Name),
			"chosen": types.BoolValue(c.Chosen), "reason": types.StringValue(c.Reason),
		})
	}
	return types.ObjectValueMust(scheduledTypes, map[string]attr.Value{
		"decision": types.StringValue(string(d.Action)), "reason": types.StringValue(fmt.Sprintf("%s: %s", d.Reason, d.Message)),
		"cluster": cluster, "profile": tfvalue.TextOrNull(d.Profile), "version": tfvalue.TextOrNull(d.Version),
		"prefix": prefix, "prefix_rule": tfvalue.TextOrNull(d.PrefixRule.String()),
		"candidates": types.ListValueMust(types.ObjectType{AttrTypes: candidateTypes}, candidates), "warnings": textsValue(d.Warnings),
	})
}
