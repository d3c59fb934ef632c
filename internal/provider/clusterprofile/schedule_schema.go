package clusterprofile

import (
	"context"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/hap-project/terraform-provider-hap/internal/provider/adrrequest"
	"github.com/hap-project/terraform-provider-hap/internal/provider/family"
	"github.com/hap-project/terraform-provider-hap/internal/provider/tfvalue"
)

func scheduleSchema(context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Which `Cluster` a request would get, and why, as the platform cluster is now. `engine` says whose decision " +
			"it is: that of openmcp-operator v1.3.0, which leaves a request that it cannot serve pending without a reason, or that of the " +
			"built-in scheduler, with purposes, traits and prefixes. It never writes.",
		Attributes: adrAttributes(map[string]schema.Attribute{
			"engine": schema.StringAttribute{
				Optional: true, MarkdownDescription: "Whose decision it is: `openmcp`, that of the released operator, which takes `purpose`, " +
					"`scheduler_config` and `labels`, or `adr`, that of the built-in scheduler, which takes `purposes`, `dedicated`, `traits`, " +
					"`prefix_proposal`, `kubernetes_version_wanted`, `purpose_definitions`, `global_account` and `trait_equivalences`. Default " +
					"`adr` where the provider block has `platform.scheduler = \"builtin\"`, else `openmcp`.",
				Validators: []validator.String{stringvalidator.OneOf(engineOpenMCP, engineADR)},
			},
			"scheduler_config": schema.StringAttribute{
				Optional: true, MarkdownDescription: "The operator's configuration file, YAML or JSON, with its part `scheduler`: the operator " +
					"publishes it nowhere. It is read strictly: an unknown field is an error, where the operator drops it without an error. " +
					"`openmcp` needs it.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"namespace": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "The namespace of the request. Default: the provider's `platform.namespace`.",
				Validators:          []validator.String{family.LabelName},
			},
			"name": schema.StringAttribute{
				Required: true, MarkdownDescription: "The name of the request. One that is there already, and asks for the same, is previewed as " +
					"it is.", Validators: []validator.String{family.ObjectName},
			},
			"purpose": schema.StringAttribute{Optional: true, MarkdownDescription: "Its purpose. `openmcp` needs it.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)}},
			"labels": schema.MapAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Its labels, with " +
				"`openmcp`: the operator may serve only requests with certain labels.",
				Validators: []validator.Map{mapvalidator.NoNullValues()}},
			"decision": tfvalue.ComputedText("`reuse` a `Cluster` that exists, `create` a new one, or `deny`: the operator leaves the request " +
				"pending, the built-in scheduler denies it with the reason."),
			"reason": tfvalue.ComputedText("The reason in one word, such as `SharedClusterFits`, `NewCluster`, `UnknownPurpose`, " +
				"`UnsupportedTrait` or `NameConflict`."),
			"message": tfvalue.ComputedText("The reason in one or two sentences."),
			"cluster": schema.SingleNestedAttribute{
				Computed: true, MarkdownDescription: "The `Cluster`, existing or as the new one will be called; null where the request is denied, " +
					"or where the operator draws one at random.",
				Attributes: map[string]schema.Attribute{
					"namespace": tfvalue.ComputedText("Its namespace."), "name": tfvalue.ComputedText("Its name."),
				},
			},
			"profile": tfvalue.ComputedText("The profile of the `Cluster`."),
			"kubernetes_version": tfvalue.ComputedText("Its Kubernetes version; null where it has none yet. A new `Cluster` of a Gardener " +
				"profile gets that of the Shoot template, whatever is wanted; a warning says so."),
			"tenancy": tfvalue.ComputedText("`Shared` or `Exclusive`."),
			"tenants": tfvalue.ComputedNumber("How many requests hold it, with this one."),
			"prefix": tfvalue.ComputedText("The prefix that `hap_cluster_request` has. With `openmcp`: empty where the operator makes an " +
				"exclusive `Cluster` for the request, else eight characters derived from namespace and name, and `-`. With `adr`: empty on a " +
				"dedicated `Cluster`, else what the scheduler grants. Null where the request is denied, or it depends on what is drawn."),
			"prefix_rule": tfvalue.ComputedText("With `adr`: which rule gives the prefix, and why that one: `empty`, `proposed`, `random` or " +
				"`kept`, such as `random: no prefix is proposed`. Null where the request is denied."),
			"dedicated_by": schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "With `adr`: who makes the " +
				"`Cluster` dedicated: `request`, or the purposes that are; empty where it is not. Null where a request holds a grant, and where a " +
				"purpose is not defined: then nothing was put together."},
			"traits_wanted": tfvalue.ComputedList("With `adr`: what request and purposes ask for together, by name, each once. Null as "+
				"`dedicated_by`.", map[string]schema.Attribute{
				"trait":    tfvalue.ComputedText("The trait; for a group its names with `or`, `and` or `xor` between them."),
				"optional": tfvalue.ComputedBool("Whether it is a preference; else it is required."),
				"negated":  tfvalue.ComputedBool("Whether it must be absent."),
				"sources": schema.ListAttribute{Computed: true, ElementType: types.StringType,
					MarkdownDescription: "Who asks for it: `request`, then the purposes by name."},
			}),
			"tenancy_count": tfvalue.ComputedNumber("With `adr`: the most requests of a shared `Cluster` that the request may be given, the " +
				"smallest of its purposes'; null where none has one, or the `Cluster` is dedicated, and as `dedicated_by`."),
			"candidates": tfvalue.ComputedList("With `openmcp` all `Clusters`, in the order in which the operator sees them; with `adr` the "+
				"`Clusters` by namespace and name, then the profiles of which a new one could be made by name. Of a request that is granted the one "+
				"that it holds; none where a request is denied before it is compared with them.", map[string]schema.Attribute{
				"kind":      tfvalue.ComputedText("`cluster` or `profile`."),
				"namespace": tfvalue.ComputedText("Its namespace; null for a profile."), "name": tfvalue.ComputedText("Its name."),
				"chosen": tfvalue.ComputedBool("Whether it is taken."), "reason": tfvalue.ComputedText("Why it is taken or not."),
			}),
			"account": schema.SingleNestedAttribute{
				Computed: true, MarkdownDescription: "The account behind the profile; null where the Shoot template of its `ProviderConfig` names " +
					"none, or cannot be read.",
				Attributes: map[string]schema.Attribute{
					"binding_name": tfvalue.ComputedText("The account."),
					"shoots": tfvalue.ComputedNumber("The clusters counted on it; null where the provider block leads to no Garden, or it does " +
						"not answer."),
					"limit": tfvalue.ComputedNumber("The most clusters that it may have; null where no limit applies, or it is not known."),
				},
			},
		}),
	}
}

// adrAttributes adds the inputs of the engine adr.
func adrAttributes(all map[string]schema.Attribute) map[string]schema.Attribute {
	maps.Copy(all, adrrequest.DataSourceAttributes())
	return all
}

type scheduleModel struct {
	Engine          types.String `tfsdk:"engine"`
	SchedulerConfig types.String `tfsdk:"scheduler_config"`
	Namespace       types.String `tfsdk:"namespace"`
	Name            types.String `tfsdk:"name"`
	Purpose         types.String `tfsdk:"purpose"`
	Labels          types.Map    `tfsdk:"labels"`
	adrrequest.Model
	Decision          types.String     `tfsdk:"decision"`
	Reason            types.String     `tfsdk:"reason"`
	Message           types.String     `tfsdk:"message"`
	Cluster           *refModel        `tfsdk:"cluster"`
	Profile           types.String     `tfsdk:"profile"`
	KubernetesVersion types.String     `tfsdk:"kubernetes_version"`
	Tenancy           types.String     `tfsdk:"tenancy"`
	Tenants           types.Int64      `tfsdk:"tenants"`
	Prefix            types.String     `tfsdk:"prefix"`
	PrefixRule        types.String     `tfsdk:"prefix_rule"`
	DedicatedBy       types.List       `tfsdk:"dedicated_by"`
	TraitsWanted      []wantedModel    `tfsdk:"traits_wanted"`
	TenancyCount      types.Int64      `tfsdk:"tenancy_count"`
	Candidates        []candidateModel `tfsdk:"candidates"`
	Account           *accountModel    `tfsdk:"account"`
}

type refModel struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
}

type wantedModel struct {
	Trait    types.String `tfsdk:"trait"`
	Optional types.Bool   `tfsdk:"optional"`
	Negated  types.Bool   `tfsdk:"negated"`
	Sources  types.List   `tfsdk:"sources"`
}

type candidateModel struct {
	Kind      types.String `tfsdk:"kind"`
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
	Chosen    types.Bool   `tfsdk:"chosen"`
	Reason    types.String `tfsdk:"reason"`
}

type accountModel struct {
	BindingName types.String `tfsdk:"binding_name"`
	Shoots      types.Int64  `tfsdk:"shoots"`
	Limit       types.Int64  `tfsdk:"limit"`
}
